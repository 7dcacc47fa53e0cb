"""Parts of inputs are written before the commit, and put back when the call bails out."""
import threading
import tracemalloc

import numpy as np
import pytest
from dynamo_lite.backends.loop_ir.program import Allocate, Launch, LogUndo, Loop, all_steps
from dynamo_lite.backends.lowering.lower import lower

import dynamo_lite as dl
from dynamo_lite.ir.passes import optimize
from dynamo_lite.native import _core
from tests.backends.interpret import BailOut, run_program

from ..graphs import graph_of
from ..oracle import check, differences, outcome


def matrix():
    return np.arange(24.0).reshape(6, 4) + 1


def vector():
    return np.array([5.0, -2.0, 3.0, 1.0, 4.0, 1.5])


def row_of_a_cache(x, k):
    x[3] = k[:4]
    return x[:4] @ k[:4]


def several_parts(x, k):
    x[1:5, 2] = k[:4]
    total = x.sum()
    x[::-2] += total
    x.T[0] = x[:, 1]
    return x[1:] * 2, x[:3], total


def rows_swapped(x, k):
    t = x[1].copy()
    x[1] = x[4]
    x[4] = t
    return x @ k[:4]


def shifted(x, k):
    x[1:] = x[:-1]
    k[:-1] += k[1:]
    return x + 1, k.sum()


def scattered(x, k):
    i = np.array([4, 1, 4, -6])
    x[i] = k[:4]
    x[i, 1:] *= 2
    k[[0, 1, 0]] = [7, 8, 9]
    return x[1:].sum(axis=0), k * 2


def at_a_maximum(x, k):
    k[np.argmax(k)] = -1
    x[k.argmax(), 1] = k.sum()
    return x.sum(axis=1)


def by_a_mask(x, k):
    k[k > 2] = k[k > 2] * 10
    k[1] = 0
    return k.sum()


def in_a_branch(x, k):
    if k[0] > 3:
        x[2, 1:] = k[3:6]
        k[1] = 9
    else:
        x[0] = 0
    return x.sum(axis=0), k + 1


def in_a_loop(x, k):
    for i in range(1, len(k)):
        k[i] = k[i - 1] * 0.5 + k[i]
        x[i, 0] = k[i]
    return x.sum(), k[1:] * 2


def sorted_in_place(x, k):
    for i in range(len(k)):
        for j in range(len(k) - 1 - i):
            if k[j] > k[j + 1]:
                t = k[j]
                k[j] = k[j + 1]
                k[j + 1] = t
    return k[0], k[::2] + 1


def old_contents_kept(x, k):
    first, scaled = x[0] * 1, x[:, 1] * 2
    x[:, :2] = 0
    return scaled - x[:, 0], first + k[:4], x


def whole_then_part(x, k):
    x *= 2
    x[0] = k[:4]
    s = x.sum()
    x[1] = s
    return s


def rolled(x, k):
    for i, by in zip(np.argsort(k[:4]), np.array([1, -2, 0, 7])):
        x[:, i] = np.roll(x[:, i], by, axis=0)
        x[:, i] = np.roll(x[:, i], -1, axis=0)
    return x.sum(axis=1)


def written_again(x, k):
    x[1:4] = k[:4] * 2 - x[2:5]
    root = np.sqrt(np.abs(x[1:4])) + 1
    x[1:4] = x[1:4] + root
    x[:, 1] = 0
    return x[1:4] - root, k[:2]


def read_back(x, k):
    x[1:5] = x[:4] * 2
    x[1:5] = np.concatenate([x[1:5][2:], x[1:5][:2]])
    i = k.argmax()
    x[i] = k[:4] - 1
    x[i] = x[i] * 3 + x[i][::-1]
    return x[1:5].sum(), x[i].max()


PROGRAMS = (
    rolled, written_again, read_back,
    row_of_a_cache, several_parts, rows_swapped, shifted, scattered, at_a_maximum, by_a_mask,
    in_a_branch, in_a_loop, sorted_in_place, old_contents_kept, whole_then_part,
)
LAYOUTS = {
    "packed": lambda x: x,
    "columns": np.asfortranarray,
    "reversed": lambda x: x[::-1],
    "a part": lambda x: np.repeat(x, 2, axis=0)[::2],
}


def reports(result):
    return np.log(result - result)


def looks_up(result):
    return np.arange(3.0)[np.array([1, int(result) * 0 + 5])]


def gives_up(result):
    return np.linalg.inv(np.zeros((2, 2)) * result)


def divides(result):
    return int(result) // (int(result) - int(result))


ENDS = (lambda result: result, reports, looks_up, gives_up, divides)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_parts_of_inputs_are_changed(program, layout):
    def build():
        return [LAYOUTS[layout](matrix()), LAYOUTS[layout](vector())]

    compiled = dl.compile(program, backend="llvm")
    for _ in range(2):
        assert not differences(outcome(compiled, build()), outcome(program, build()))
    assert dl.stats().graph_breaks == 0
    assert [entry.bailouts for entry in compiled.entries()] == [0]


@pytest.mark.parametrize("mode", ["warn", "raise"])
@pytest.mark.parametrize("end", ENDS[1:])
@pytest.mark.parametrize("program", PROGRAMS)
def test_bailout_after_a_write(program, end, mode):
    """Python then begins with what was there, and leaves behind what it leaves behind."""
    def function(x, k):
        program(x, k)
        return end(np.abs(x).sum() + 1)

    def build():
        return [matrix(), vector()]

    compiled = dl.compile(function, backend="llvm")
    with np.errstate(all=mode, under="ignore"):
        for _ in range(2):
            found, expected = outcome(compiled, build()), outcome(function, build())
            assert not differences(found, expected)
            assert expected.error or expected.said
    bailouts = [entry.bailouts for entry in compiled.entries()]
    assert bailouts == [0 if end is divides else 2]  # an int of data: the graph ends there
    assert (dl.stats().graph_breaks > 0) is (end is divides)


@pytest.mark.parametrize("in_order", [False, True])
@pytest.mark.parametrize(("program", "long"), [
    (rolled, False), (written_again, False), (read_back, False),
    (row_of_a_cache, False), (several_parts, False), (scattered, False), (at_a_maximum, False),
    (in_a_branch, False), (sorted_in_place, True),
])
def test_what_a_program_means(program, long, in_order):
    """The interpreter saves and puts back as machine code does."""
    def function(x, k):
        results = program(x, k)
        return results, np.sqrt(x.min() - x.max())

    values = [matrix(), np.random.default_rng(0).random(100) if long else vector()]
    lowered = lower(optimize(captured(function, values)), in_order=in_order)
    assert any(isinstance(step, LogUndo) for step in all_steps(lowered.steps))
    before = [value.copy() for value in values]
    with np.errstate(invalid="raise"), pytest.raises(BailOut):
        run_program(lowered, *values)
    assert all(map(np.array_equal, values, before))
    with np.errstate(all="ignore"):
        function(*before)
        run_program(lowered, *values)
    assert all(map(np.array_equal, values, before))


def captured(function, values):
    with np.errstate(all="ignore"):
        return graph_of(function, *[value.copy() for value in values], fullgraph=False)


def test_elements_that_kernels_do_not_compute_with():
    """NumPy assigns them."""
    def f(z, i):
        z[1:3] = 2j
        z[i] = z[i] + 1
        total = z.sum()
        z[0] = total
        return z * 2, np.linalg.inv(np.eye(2) * abs(total - 14))

    for z in (np.arange(6) + 0j, np.arange(6) * 0j):
        def build(z=z):
            return [z.copy(), np.array([4, 4, -1])]

        compiled = dl.compile(f, backend="llvm")
        assert not differences(outcome(compiled, build()), outcome(f, build()))


def test_no_copy_of_the_input():
    def step(cache, row, i, n):
        cache[n] = row
        cache[i, :2] += 1
        if row[0] > 0:
            cache[n, 1] = 5
        return cache[n:].sum(axis=0)[:3], cache[: n + 1]

    compiled = dl.compile(step)
    caches = np.zeros((2, 1 << 14, 64))
    for n in (16380, 16381, 16379):
        row, i = np.arange(64.0) + n, np.array([3, 1, 3])
        results = [outcome(f, (x, row, i, n)) for f, x in zip((compiled, step), caches)]
        assert not differences(*results)
    assert dl.stats().graph_breaks == 0
    _core.free_scratch()
    tracemalloc.start()
    compiled(caches[0], row, i, n)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak + _core.free_scratch() < 1 << 18 < caches[0].nbytes


def test_a_loop_saves_the_array_once():
    def run(x):
        for i in range(1, len(x)):
            x[i] = x[i] - x[i - 1]
        x[0] = 7
        return x.sum()

    lowered = lower(optimize(captured(run, [np.ones(1000)])))
    saves = [step for step in all_steps(lowered.steps) if isinstance(step, LogUndo)]
    assert [save.type.shape for save in saves] == [(1000,)]
    assert not [s for s in lowered.steps if isinstance(s, Allocate) and s.type.shape]


def test_read_only_arrays_are_not_written():
    def f(x):
        x[0] = 1
        return x * 2

    compiled = dl.compile(f, backend="llvm")
    compiled(vector())
    fixed = vector()
    fixed.flags.writeable = False
    assert not differences(outcome(compiled, [fixed]), outcome(f, [fixed]))
    assert np.array_equal(fixed, vector())


@pytest.mark.parametrize("part", [np.s_[1:4], np.s_[::-1], np.s_[:]])
def test_inputs_that_overlap(part):
    def f(x, y):
        x[1:3] = y[:2] * 2
        y[0] = x[1] + 1
        return x + 1, y.sum()

    def build(shared):
        x = vector()
        return [x, x[part] if shared else vector()[part]]

    compiled = dl.compile(f, backend="llvm")
    for shared in (False, True, False):
        assert not differences(outcome(compiled, build(shared)), outcome(f, build(shared)))


def test_effects_come_in_order():
    def f(x, seen):
        x[0] = 2
        seen.append(float(x.sum()))
        print(x[0])
        x[1] = 3
        seen.append(x[:2] * 1)
        return np.sqrt(x)

    assert not differences(
        outcome(dl.compile(f, backend="llvm"), [vector(), []]), outcome(f, [vector(), []])
    )


def one_write(x, i, j, value):
    x[i] = value
    return x[i, 1:] * 2, x[i][j]


def more_writes(x, i, j, value):
    """All of x is copied before the first one."""
    for k in range(8):
        x[i, k:] = value + x[i, k:] * 0
    return x[i, 1:] * 2, x[i][j]


@pytest.mark.parametrize("f", [one_write, more_writes])
def test_each_thread_writes_its_own_rows(f):
    """Calls that bail out restore nothing but what they wrote themselves."""
    compiled = dl.compile(f, backend="llvm")
    x, rounds = np.zeros((8, 64)), 300
    one = np.array([1])
    compiled(x, 0, one, 0.0)
    compiled(x, 1, one, 0.0)
    failed = []

    def work(i):
        for k in range(rounds):
            try:
                compiled(x, i, one if k % 3 else one + 90, float(k))
            except IndexError:
                failed.append(i)
            if x[i].min() != k or x[i].max() != k:
                failed.append(f"row {i} in round {k}")

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, failed)) == sorted(str(i) for i in range(8) for _ in range(rounds // 3))


def test_results_that_may_be_views_are_handed_out_as_they_are():
    def f(x):
        zeros = x.imag
        x[0] += 3
        return np.concatenate([zeros, x]), zeros

    def build():
        return [np.arange(6).reshape(2, 3)]

    assert not differences(outcome(dl.compile(f, backend="llvm"), build()), outcome(f, build()))


VIEWED = {
    "real": (lambda x: x.real, np.arange(5) + 1j),
    "imag": (lambda x: x.imag, np.arange(5) + 1j),
    "bits": (lambda x: x.view(np.int64), np.arange(5.0)),
    "bits of some": (lambda x: x[1:].view(np.int64)[:, None], np.arange(5.0)),
}


@pytest.mark.parametrize("viewed", VIEWED)
def test_a_view_in_another_dtype_is_read_before_its_array_changes(viewed):
    view, values = VIEWED[viewed]

    def f(x, y, z):
        y[...] = view(x)
        w = view(x) + 1
        z[...] = view(x) * 2
        x[1:3] = 7
        x[:1] = 0
        return w + 1, view(x) + 1

    def build():
        like = view(values)
        return [values.copy(), np.zeros(like.shape, like.dtype), np.zeros(like.shape, like.dtype)]

    assert not differences(outcome(dl.compile(f, backend="llvm"), build()), outcome(f, build()))


def test_what_is_computed_anyway_is_not_computed_to_see_what_it_reports():
    def f(x, y):
        x += y
        return x * 2

    lowered = lower(optimize(captured(f, [vector(), vector()])))
    kernels = [step for step in lowered.steps if hasattr(step, "kernel")]
    assert len(kernels) == 2


def row_at(m, k, b):
    row = m[k[1] % 5]
    row[2] = b
    k[k[1]] = 3
    return row


def row_before_a_reversal(m, k, b):
    row = m[k[1]]
    row[0] = b
    k[:] = k[::-1]
    return row


def part_between(m, k, b):
    part = m[k[1] : k[2]]
    part *= b
    k[2], k[1] = 4, 3
    return part


def row_of_its_own_matrix(m, k, b):
    row = m[m[0, 1].astype(int)]
    m[0, 1] = 3
    row[3] = b
    return row


def row_before_a_mask(m, k, b):
    row = m[k[1]]
    row[:] = b
    k[k > 0] = 0
    return row, k


@pytest.mark.parametrize("function", [
    row_at, row_before_a_reversal, part_between, row_of_its_own_matrix, row_before_a_mask,
], ids=lambda f: f.__name__)
def test_a_result_stays_where_it_was_when_its_place_is_written(function):
    compiled = dl.compile(function)
    for k in np.array([0, 1, 2, 3]), np.array([1, 2, 4, 3]):
        check(compiled, function, np.arange(40.0).reshape(5, 8), k, 1.5)


def crossed_out(flags):
    flags = flags.copy()
    for i in range(2, len(flags)):
        if flags[i]:
            for j in range(i * i, len(flags), i):
                flags[j] = False
    return flags


def test_a_branch_changes_the_array_that_its_test_was_read_from():
    """Nothing in the loop goes through all of it."""
    program = lower(optimize(graph_of(crossed_out, np.ones(500, bool))))
    loop = next(step for step in program.steps if isinstance(step, Loop))
    assert not [one for one in all_steps(loop.steps) if isinstance(one, Launch) and one.kernel.axes]
    check(dl.compile(crossed_out), crossed_out, np.ones(500, bool))


PARTS = (
    np.s_[:, :, 1], np.s_[:, 1], np.s_[1], np.s_[::-2, 1:, ::2], np.s_[:, ::-1, 3:4],
    np.s_[1:2, 2:3], np.s_[:, [3, 0, 2]],
)


@pytest.mark.parametrize("dtype", ["i1", "f2", "f4", "f8", "c16", "g"])
@pytest.mark.parametrize("part", PARTS, ids=str)
def test_parts_of_every_layout_are_put_back(part, dtype):
    def f(x, y):
        x[part] += x[part]
        return 1 / y

    x = np.arange(60).reshape(3, 4, 5).astype(dtype)
    with np.errstate(divide="raise"):
        for y in (np.ones(3), np.zeros(3)):
            check(dl.compile(f), f, x, y)
            check(dl.compile(f), f, np.asfortranarray(x), y)
