"""Calls of native entries: results, ownership, bail-outs, floating-point reports."""
from __future__ import annotations

import gc
import sys
import threading
import warnings
import weakref
from typing import Any

import numpy as np
import pytest

from dynamo_lite.native import _core

from .machine_code import entry

BAILOUT = _core.BAILOUT

DIVIDE = """
define i32 @entry(ptr %f) {
  %x = call ptr @input(ptr %f, i64 0)
  %y = call ptr @input(ptr %f, i64 1)
  %a = call double @number(ptr %x)
  %b = call double @number(ptr %y)
  %d = call ptr @constant(ptr %f, i64 0)
  %out = call ptr @new_1d(ptr %f, i64 0, ptr %d, i64 1)
  %q = fdiv double %a, %b
  store double %q, ptr %out
  ret i32 0
}
"""

COMMIT = """
define i32 @entry(ptr %f) {
  %x = call ptr @input(ptr %f, i64 0)
  %y = call ptr @input(ptr %f, i64 1)
  %a = call double @number(ptr %x)
  %b = call double @number(ptr %y)
  %d = call ptr @constant(ptr %f, i64 0)
  %out = call ptr @new_1d(ptr %f, i64 0, ptr %d, i64 1)
  %q = fdiv double %a, %b
  store double %q, ptr %out
  %commit = call ptr @runtime(ptr %f, i64 7)
  %code = call i32 %commit(ptr %f)
  %bad = icmp ne i32 %code, 0
  br i1 %bad, label %bail_out, label %write
bail_out:
  ret i32 1
write:
  %p = call ptr @data(ptr %x)
  %w = fdiv double %q, 0.0
  store double %w, ptr %p
  ret i32 0
}
"""


def column(*values: float) -> Any:
    return np.array(values, dtype=np.float64)


def test_single_result_is_a_fresh_array() -> None:
    divide = entry(DIVIDE, 2)
    result = divide(column(3), column(2))
    assert type(result) is np.ndarray and result.tolist() == [1.5]
    assert result.flags.owndata and result.flags.writeable and result.base is None
    assert sys.getrefcount(result) == 2


def test_tuple_of_one_result() -> None:
    assert entry(DIVIDE, 2, single=False)(column(3), column(2))[0].tolist() == [1.5]


def test_inputs_and_dtypes_keep_their_reference_counts() -> None:
    divide = entry(DIVIDE, 2, dtypes=(np.dtype(np.float64).newbyteorder("="),))
    x, y = column(1), column(0)
    counted = [x, y, divide, np.dtype(np.float64), BAILOUT]
    before = [sys.getrefcount(item) for item in counted]
    for _ in range(100):
        divide(x, y)
        divide(y, x)
    assert [sys.getrefcount(item) for item in counted] == before


@pytest.mark.parametrize("text", [DIVIDE, COMMIT])
@pytest.mark.parametrize("mode", ["warn", "raise", "call", "print", "log"])
def test_a_report_bails_out(text: str, mode: Any) -> None:
    divide, x = entry(text, 2), column(1)
    with np.errstate(all=mode), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert divide(x, column(0)) is BAILOUT
    assert x.tolist() == [1]


@pytest.mark.parametrize("text", [DIVIDE, COMMIT])
def test_an_ignored_report_does_not(text: str) -> None:
    divide = entry(text, 2)
    with np.errstate(divide="ignore"):
        assert divide(column(1), column(0)).tolist() == [np.inf]
        assert divide(column(0), column(0)) is BAILOUT
    assert divide(column(1), column(0)) is BAILOUT


@pytest.mark.parametrize(
    ("operands", "kind"),
    [((1, 0), "divide"), ((1e308, 1e-308), "over"), ((1e-308, 1e10), "under"), ((0, 0), "invalid")],
)
def test_each_kind_of_report_has_its_own_mode(operands: tuple[float, float], kind: str) -> None:
    divide = entry(DIVIDE, 2)
    x, y = (column(value) for value in operands)
    raised: dict[str, Any] = {kind: "raise"}
    ignored: dict[str, Any] = {kind: "ignore"}
    with np.errstate(all="ignore", **raised):
        assert divide(x, y) is BAILOUT
    with np.errstate(all="raise", **ignored):
        assert divide(x, y) is not BAILOUT


def test_underflow_is_ignored_by_default() -> None:
    assert entry(DIVIDE, 2)(column(1e-308), column(1e10)) is not BAILOUT


def test_flags_from_before_the_call_do_not_count() -> None:
    divide = entry(DIVIDE, 2)
    with np.errstate(all="ignore"):
        np.divide(column(1), column(0))
    assert divide(column(1), column(2)).tolist() == [0.5]


def test_flags_after_the_commit_do_not_count() -> None:
    x = column(1)
    assert entry(COMMIT, 2)(x, column(2)).tolist() == [0.5]
    assert x.tolist() == [np.inf]


def test_flags_can_be_left_unchecked() -> None:
    assert entry(DIVIDE, 2, check_flags=False)(column(1), column(0)).tolist() == [np.inf]


def test_a_failed_check_bails_out_and_releases_everything() -> None:
    identity = entry(
        """
        define i32 @entry(ptr %f) {
          %x = call ptr @input(ptr %f, i64 0)
          %hold = call ptr @runtime(ptr %f, i64 15)
          call void %hold(ptr %f, i64 0, ptr %x)
          call void %hold(ptr %f, i64 20, ptr %x)
          %p = getelementptr i8, ptr %f, i64 32
          store i64 1, ptr %p
          ret i32 0
        }
        """,
        slots=21,
    )
    x = column(1)
    before = sys.getrefcount(x)
    assert identity(x) is BAILOUT
    assert sys.getrefcount(x) == before


def test_an_empty_output_is_an_error_not_a_crash() -> None:
    with pytest.raises(SystemError, match="output 0"):
        entry("define i32 @entry(ptr %f) {\n ret i32 0\n}")(1)


def test_wrong_arguments() -> None:
    divide = entry(DIVIDE, 2)
    with pytest.raises(TypeError, match="expected 2 arguments, got 1"):
        divide(column(1))
    with pytest.raises(TypeError, match="keyword"):
        divide(column(1), column(2), x=1)
    with pytest.raises(ValueError, match="fit together"):
        _core.NativeEntry(1, None, 1, 0, 1, (), (), False)
    with pytest.raises(TypeError, match="dtypes"):
        _core.NativeEntry(1, None, 1, 1, 1, (), (np.float64,), False)


def test_bind_picks_flat_arguments() -> None:
    bound = entry(DIVIDE, 2).bind((2, 0), 3)
    assert bound(column(4), None, column(2)).tolist() == [0.5]
    with pytest.raises(TypeError, match="expected 3 arguments"):
        bound(column(4), column(2))


def test_bind_checks_its_indices() -> None:
    divide = entry(DIVIDE, 2)
    for indices, error in [((0, 3), IndexError), ((0, -1), IndexError), ((0,), TypeError)]:
        with pytest.raises(error):
            divide.bind(indices, 3)


def test_many_inputs() -> None:
    text = """
    define i32 @entry(ptr %f) {
      %x = call ptr @input(ptr %f, i64 39)
      %hold = call ptr @runtime(ptr %f, i64 15)
      call void %hold(ptr %f, i64 0, ptr %x)
      ret i32 0
    }
    """
    values = [object() for _ in range(40)]
    assert entry(text, 40)(*values) is values[39]
    assert entry(text, 40).bind(tuple(reversed(range(40))), 40)(*values) is values[0]


def test_an_entry_in_a_cycle_is_collected() -> None:
    class Node:
        entry: Any

    node = Node()
    node.entry = entry(DIVIDE, 2, constants=(node,)).bind((0, 1), 2)
    alive = weakref.ref(node)
    del node
    gc.collect()
    assert alive() is None


NEW_LIKE = """
define i32 @entry(ptr %f) {{
  %x = call ptr @input(ptr %f, i64 0)
  %s = call ptr @input(ptr %f, i64 1)
  %strides = call ptr @data(ptr %s)
  %d = call ptr @constant(ptr %f, i64 0)
  %out = call ptr @new_like(ptr %f, i64 0, ptr %d, i32 {ndim}, ptr %x, ptr %strides)
  %bad = icmp eq ptr %out, null
  %code = zext i1 %bad to i32
  ret i32 %code
}}
"""


@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (1, 2, 0), (2, 0, 1)])
@pytest.mark.parametrize("shape", [(2, 3, 4), (1, 5, 2), (0, 3, 2)])
def test_new_arrays_of_any_packed_layout(axes: tuple[int, ...], shape: tuple[int, ...]) -> None:
    like = np.empty(shape).transpose(axes)
    result = entry(NEW_LIKE.format(ndim=3), 2)(like, np.array(like.strides))
    assert (result.shape, result.strides) == (like.shape, like.strides)
    assert result.flags.c_contiguous == like.flags.c_contiguous
    assert result.flags.f_contiguous == like.flags.f_contiguous
    result[...] = 1


@pytest.mark.parametrize("strides", [(-8,), (16,), (1 << 62,)])
def test_strides_outside_the_memory_are_refused(strides: tuple[int, ...]) -> None:
    assert entry(NEW_LIKE.format(ndim=1), 2)(np.empty(4), np.array(strides)) is BAILOUT


def test_too_large_an_array_bails_out() -> None:
    for size in (1 << 50, 1 << 61):
        huge = np.broadcast_to(np.zeros(1, "b"), size)
        assert entry(NEW_LIKE.format(ndim=1), 2)(huge, np.array((0,))) is BAILOUT


VIEW = """
define i32 @entry(ptr %f) {
  %x = call ptr @input(ptr %f, i64 0)
  %d = call ptr @constant(ptr %f, i64 0)
  %start = call ptr @data(ptr %x)
  %data = getelementptr i8, ptr %start, i64 8
  %shape = alloca i64
  store i64 2, ptr %shape
  %strides = alloca i64
  store i64 16, ptr %strides
  %view = call ptr @runtime(ptr %f, i64 4)
  %code = call i32 %view(ptr %f, i64 0, ptr %x, ptr %data, ptr %d, i32 1, ptr %shape,
                         ptr %strides, i32 1)
  ret i32 %code
}
"""


def test_views_share_memory_and_collapse_their_bases() -> None:
    owner = np.arange(4.0)
    for x in (owner, owner[:]):
        view, expected = entry(VIEW)(x), x[1::2]
        assert view.base is owner and view.tolist() == [1, 3]
        assert view.__array_interface__ == expected.__array_interface__
        assert str(view.flags) == str(expected.flags)


def test_a_view_of_a_read_only_array_is_read_only() -> None:
    x = np.arange(4.0)
    x.flags.writeable = False
    assert not entry(VIEW)(x).flags.writeable


BOX = """
define i32 @entry(ptr %f) {{
  %x = call ptr @input(ptr %f, i64 0)
  %p = call ptr @data(ptr %x)
  %box = call ptr @runtime(ptr %f, i64 {index})
  %d = call ptr @constant(ptr %f, i64 0)
  %code = call i32 %box(ptr %f, i64 0, {operand}, ptr %p)
  ret i32 %code
}}
"""


@pytest.mark.parametrize("code", [*"?bBhHiIlLqQefdgFDG", "M8[s]", "m8[s]"])
def test_boxed_scalars(code: str) -> None:
    x = np.zeros(1, dtype=code)
    result = entry(BOX.format(index=5, operand="ptr %d"), dtypes=(x.dtype,))(x)
    assert type(result) is type(x[0]) and result == x[0] and result.dtype == x.dtype


@pytest.mark.parametrize(("kind", "value"), [(0, True), (1, -(2**63)), (2, -0.0), (3, 1 - 2j)])
def test_boxed_python_numbers(kind: int, value: Any) -> None:
    result = entry(BOX.format(index=6, operand=f"i32 {kind}"))(np.array([value]))
    assert type(result) is type(value) and repr(result) == repr(value)


UNBOX = """
define i32 @entry(ptr %f) {{
  %x = call ptr @input(ptr %f, i64 0)
  %like = call ptr @input(ptr %f, i64 1)
  %hold = call ptr @runtime(ptr %f, i64 15)
  call void %hold(ptr %f, i64 0, ptr %like)
  %out = call ptr @data(ptr %like)
  %unbox = call ptr @runtime(ptr %f, i64 14)
  %code = call i32 %unbox(ptr %x, i32 {typenum}, ptr %out)
  ret i32 %code
}}
"""

EXACT = [
    (True, "?"), (7, "b"), (-7, "q"), (2**64 - 1, "Q"), (1.5, "f"), (1.1, "d"), (float("nan"), "f"),
    (3, "d"), (2**53, "d"), (1.5, "D"), (1.1 - 2j, "D"), (np.float64(1.1), "d"), (np.int8(3), "b"),
    (np.bool_(True), "?"), (np.float16(0.5), "e"), (np.complex64(1j), "F"), (0.5, "g"), (True, "l"),
]
INEXACT = [
    (1, "?"), (128, "b"), (-1, "B"), (2**63, "q"), (2**64, "Q"), (1.1, "f"), (2**53 + 2, "d"),
    (2**24 + 1, "f"), (1e300, "f"), (1.0, "l"), (1j, "d"), (1.1j, "F"), (np.float32(1), "d"),
    (np.float64(1), "f"), ("1", "d"), (None, "d"), (np.array(1.0), "d"), (2**2000, "d"),
]


def unbox(value: Any, code: str) -> Any:
    out = np.zeros(1, dtype=code)
    return entry(UNBOX.format(typenum=out.dtype.num), 2, check_flags=False)(value, out)


@pytest.mark.parametrize(("value", "code"), EXACT)
def test_exact_numbers_are_unboxed(value: Any, code: str) -> None:
    assert unbox(value, code)[0] == value or value != value


@pytest.mark.parametrize(("value", "code"), INEXACT)
def test_inexact_numbers_are_not(value: Any, code: str) -> None:
    assert unbox(value, code) is BAILOUT


UNBOX_INT = """
define i32 @entry(ptr %f) {
  %x = call ptr @input(ptr %f, i64 0)
  %out = alloca i64
  %unbox = call ptr @runtime(ptr %f, i64 8)
  %code = call i32 %unbox(ptr %x, ptr %out)
  %box = call ptr @runtime(ptr %f, i64 6)
  call i32 %box(ptr %f, i64 0, i32 1, ptr %out)
  ret i32 %code
}
"""


def test_unboxed_integers() -> None:
    echo = entry(UNBOX_INT)
    for value in (0, -1, 2**63 - 1, -(2**63)):
        assert echo(value) == value
    for other in (2**63, True, 1.0, np.int64(1)):
        assert echo(other) is BAILOUT


MATCH = """
define i32 @entry(ptr %f) {{
  %x = call ptr @input(ptr %f, i64 0)
  %like = call ptr @input(ptr %f, i64 1)
  %d = call ptr @constant(ptr %f, i64 0)
  %shape = call ptr @shape(ptr %like)
  %strides = call ptr @strides(ptr %like)
  %hold = call ptr @runtime(ptr %f, i64 15)
  call void %hold(ptr %f, i64 0, ptr %x)
  %match = call ptr @runtime(ptr %f, i64 9)
  %code = call i32 %match(ptr %x, ptr %d, i32 {ndim}, ptr %shape, ptr %strides)
  ret i32 %code
}}
"""


def test_arrays_are_matched_exactly() -> None:
    match, like = entry(MATCH.format(ndim=2), 2), np.zeros((2, 3))
    for same in (like, np.zeros((4, 3))[:2], np.broadcast_to(0.0, (2, 3)).copy()):
        assert match(same, like) is same
    unaligned = np.zeros(49, "b")[1:].view("f8").reshape(2, 3)
    others = [
        np.zeros((2, 3), "f4"), np.zeros((3, 2)), np.zeros(6), like.T, np.zeros((2, 3), ">f8"),
        np.zeros((2, 3), order="F"), np.ma.zeros((2, 3)), unaligned, 1.0, None, np.float64(1),
    ]
    assert [match(other, like) for other in others] == [BAILOUT] * len(others)


def test_strides_that_are_never_used_do_not_matter() -> None:
    match, like = entry(MATCH.format(ndim=2), 2), np.zeros((1, 3))
    assert match(np.zeros((4, 3))[::4], like) is not BAILOUT
    assert match(np.zeros((0, 3))[::-1], np.zeros((0, 3))) is not BAILOUT


def extern(function: Any, results: int = 1) -> Any:
    """An entry that calls `function(x)` and gives its results."""
    text = f"""
    define i32 @entry(ptr %f) {{
      %x = call ptr @input(ptr %f, i64 0)
      %args = alloca ptr
      store ptr %x, ptr %args
      %call = call ptr @runtime(ptr %f, i64 3)
      %code = call i32 %call(ptr %f, i64 0, i64 0, i64 {results}, i64 1, ptr %args)
      ret i32 %code
    }}
    """
    return entry(text, 1, results, constants=(function,), single=results == 1)


def test_extern_steps() -> None:
    x = np.array([3.0, 1.0, 2.0])
    assert extern(np.sort)(x).tolist() == [1, 2, 3]
    low, high = extern(lambda x: [x.min(), x.max()], 2)(x)
    assert (low, high) == (1, 3)
    values, vectors = extern(np.linalg.eigh, 2)(np.eye(2))
    assert values.tolist() == [1, 1] and vectors.shape == (2, 2)


@pytest.mark.parametrize("result", [(1,), (1, 2, 3), 5, None])
def test_an_extern_step_with_other_results_bails_out(result: Any) -> None:
    assert extern(lambda x: result, 2)(np.ones(1)) is BAILOUT


def test_an_extern_step_that_fails_bails_out_silently() -> None:
    assert extern(np.linalg.inv)(np.zeros((2, 2))) is BAILOUT
    assert sys.exc_info() == (None, None, None)


def test_an_extern_step_reports_nothing_itself() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert extern(np.log)(np.zeros(1)) is BAILOUT
        with np.errstate(divide="ignore"):
            assert extern(np.log)(np.zeros(1)).tolist() == [-np.inf]
            assert np.geterr()["divide"] == "ignore"
    assert np.geterr()["divide"] == "warn"


def test_a_warning_in_an_extern_step_makes_it_bail_out_unseen() -> None:
    def warn(x: Any) -> Any:
        warnings.warn("from the step", RuntimeWarning, stacklevel=1)
        return x

    step = extern(warn)
    filters = list(warnings.filters)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert step(np.ones(1)) is BAILOUT
        assert extern(np.mean)(np.ones(0)) is BAILOUT
        assert not seen
        warnings.warn("afterwards", RuntimeWarning, stacklevel=1)
        assert len(seen) == 1
    assert warnings.filters == filters


def test_warnings_of_other_threads_are_not_touched() -> None:
    inside, finish = threading.Event(), threading.Event()

    def wait(x: Any) -> Any:
        inside.set()
        finish.wait()
        return x

    x = np.ones(1)
    results: list[Any] = []
    worker = threading.Thread(target=lambda: results.append(extern(wait)(x)))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        worker.start()
        inside.wait()
        warnings.warn("elsewhere", RuntimeWarning, stacklevel=1)
        finish.set()
        worker.join()
    assert len(seen) == 1 and results[0] is x


def test_an_interrupt_in_an_extern_step_arrives_afterwards() -> None:
    def interrupted(x: Any) -> None:
        raise KeyboardInterrupt

    step = extern(interrupted)
    with pytest.raises(KeyboardInterrupt):
        step(np.ones(1))
        for _ in range(100):
            pass


def test_reports_from_before_an_extern_step_count() -> None:
    text = """
    define i32 @entry(ptr %f) {
      %x = call ptr @input(ptr %f, i64 0)
      %a = call double @number(ptr %x)
      %q = fdiv double 1.0, %a
      %p = call ptr @data(ptr %x)
      store double %q, ptr %p
      %args = alloca ptr
      store ptr %x, ptr %args
      %call = call ptr @runtime(ptr %f, i64 3)
      %code = call i32 %call(ptr %f, i64 0, i64 0, i64 1, i64 1, ptr %args)
      ret i32 %code
    }
    """
    assert entry(text, constants=(np.negative,))(np.zeros(1)) is BAILOUT
    assert entry(text, constants=(np.negative,))(np.ones(1)).tolist() == [-1]


SCRATCH = """
define i32 @entry(ptr %f) {
  %n = call ptr @input(ptr %f, i64 0)
  %out = alloca i64
  %unbox = call ptr @runtime(ptr %f, i64 8)
  call i32 %unbox(ptr %n, ptr %out)
  %size = load i64, ptr %out
  %scratch = call ptr @runtime(ptr %f, i64 1)
  %a = call ptr %scratch(ptr %f, i64 %size)
  %b = call ptr %scratch(ptr %f, i64 %size)
  %bad = icmp eq ptr %a, null
  br i1 %bad, label %bail_out, label %use
bail_out:
  ret i32 1
use:
  call void @llvm.memset.p0.i64(ptr %a, i8 7, i64 %size, i1 false)
  call void @llvm.memset.p0.i64(ptr %b, i8 9, i64 %size, i1 false)
  %args = alloca ptr
  %fn = call ptr @constant(ptr %f, i64 0)
  store ptr %n, ptr %args
  %call = call ptr @runtime(ptr %f, i64 3)
  %code = call i32 %call(ptr %f, i64 0, i64 0, i64 1, i64 1, ptr %args)
  %first = load i8, ptr %a
  %kept = icmp eq i8 %first, 7
  %ai = ptrtoint ptr %a to i64
  %bi = ptrtoint ptr %b to i64
  %or = or i64 %ai, %bi
  %low = and i64 %or, 63
  %aligned = icmp eq i64 %low, 0
  %fine = and i1 %kept, %aligned
  %result = select i1 %fine, i32 %code, i32 1
  ret i32 %result
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
"""


@pytest.mark.parametrize("size", [1, 64, 200_000, 1 << 20, 9 << 20])
def test_scratch_survives_nested_calls(size: int) -> None:
    inner = entry(SCRATCH, constants=(lambda n: n,))
    middle = entry(SCRATCH, constants=(inner,))
    outer = entry(SCRATCH, constants=(middle,))
    for _ in range(3):
        assert outer(size) == size


def test_scratch_that_cannot_be_had_makes_it_bail_out() -> None:
    for size in (-1, 2**63 - 1):
        assert entry(SCRATCH, constants=(lambda n: n,))(size) is BAILOUT


def test_release_empties_a_slot() -> None:
    text = """
    define i32 @entry(ptr %f) {
      %x = call ptr @input(ptr %f, i64 0)
      %hold = call ptr @runtime(ptr %f, i64 15)
      call void %hold(ptr %f, i64 0, ptr %x)
      %release = call ptr @runtime(ptr %f, i64 13)
      call void %release(ptr %f, i64 0)
      %left = call ptr @slot(ptr %f, i64 0)
      %empty = icmp eq ptr %left, null
      %code = zext i1 %empty to i32
      ret i32 %code
    }
    """
    assert entry(text)(column(1)) is BAILOUT


def test_large_scratch_blocks_are_kept_for_later_calls() -> None:
    work = entry(SCRATCH, constants=(lambda n: n,))
    _core.free_scratch()
    for _ in range(3):
        assert work(1 << 20) == 1 << 20
    kept = _core.free_scratch()
    assert 2 << 20 <= kept < 3 << 20
    assert _core.free_scratch() == 0


def test_kept_scratch_is_bounded() -> None:
    work = entry(SCRATCH, constants=(lambda n: n,))
    for size in range(1 << 20, 40 << 20, 7 << 20):
        assert work(size) == size
    assert 0 < _core.free_scratch() <= 64 << 20


def test_flags_that_the_code_misses() -> None:
    """Every call is given up while the user asks for reports of them."""
    divide = entry(DIVIDE, 2, inexact_flags=16)
    assert divide.inexact_flags == 16 and entry(DIVIDE, 2).inexact_flags == 0
    with np.errstate(all="raise"):
        assert divide(column(3), column(2)) is BAILOUT
        assert entry(DIVIDE, 2)(column(3), column(2)).tolist() == [1.5]
        with np.errstate(under="ignore"):
            assert divide(column(3), column(2)).tolist() == [1.5]
            assert divide(column(3), column(0)) is BAILOUT
