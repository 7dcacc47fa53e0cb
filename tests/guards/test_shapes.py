"""Symbolic sizes: what becomes a symbol, what is decided without a guard, what is guarded."""
import numpy as np
import pytest
from dynamo_lite.guards.guard_set import GuardSet
from dynamo_lite.guards.kinds import INT_SYMBOL
from dynamo_lite.guards.programs.flatten import flatten
from dynamo_lite.guards.shapes.dynamic import (
    DimMark,
    DynamicPolicy,
    Mark,
    SizeHistory,
    mark_dynamic,
    mark_static,
    marks_of,
    maybe_mark_dynamic,
)
from dynamo_lite.guards.shapes.relations import COMPARE
from dynamo_lite.guards.shapes.shape_env import ShapeEnv
from dynamo_lite.guards.sources import LocalSource
from hypothesis import given
from hypothesis import strategies as st

from dynamo_lite.errors import MarkedDynamicSpecialized
from dynamo_lite.ir.sizes import SizeExpr, evaluate, floordiv, maximum, minimum, modulo

X, Y = LocalSource(0, "x"), LocalSource(1, "y")


def dynamic(**hints):
    """A ShapeEnv with one symbol per name; equal values share one."""
    shapes = ShapeEnv(DynamicPolicy(True))
    return shapes, [shapes.size(X, "size", i, n) for i, n in enumerate(hints.values())]


def analysis(history, dynamic=None, marks=None, **facts):
    """One analysis of a call: name → size; gives which are symbolic."""
    shapes = ShapeEnv(DynamicPolicy(dynamic, history))
    marks = marks or {}
    sources = {name: LocalSource(i, name) for i, name in enumerate(sorted(facts))}
    return {
        name: str(shapes.size(sources[name], "size", 0, value, marks.get(name)))
        for name, value in facts.items()
    }


def test_first_static_then_dynamic_where_it_changed():
    history = SizeHistory()
    assert analysis(history, a=5, b=7) == {"a": "5", "b": "7"}
    assert analysis(history, a=6, b=7) == {"a": "s0", "b": "7"}


def test_equal_sizes_share_a_symbol_until_they_differ():
    history = SizeHistory()
    assert analysis(history, True, a=5, b=5, c=5) == {"a": "s0", "b": "s0", "c": "s0"}
    assert analysis(history, True, a=5, b=5, c=6) == {"a": "s0", "b": "s0", "c": "s1"}
    assert analysis(history, True, a=5, b=5, c=5) == {"a": "s0", "b": "s0", "c": "s1"}


def test_one_is_an_int_until_it_changes():
    history = SizeHistory()
    assert analysis(history, True, a=1) == {"a": "1"}
    assert analysis(history, True, a=2) == {"a": "s0"}


@pytest.mark.parametrize(("dynamic", "found"), [(None, "s0"), (True, "s0"), (False, "0")])
def test_zero_is_where_a_size_starts(dynamic, found):
    assert analysis(SizeHistory(), dynamic, a=0) == {"a": found}
    assert analysis(SizeHistory(), dynamic, {"a": DimMark(Mark.STATIC)}, a=0) == {"a": "0"}


def test_not_the_least_value_is_more_than_that():
    shapes, (n, _) = dynamic(n=5, m=7)
    assert not shapes.equal(n, 0) and not shapes.equal(n, 1)
    before = len(shapes.relations)
    assert shapes.less_equal(2, n) and not shapes.equal(n + n, 2)
    assert len(shapes.relations) == before == 2


def test_a_size_that_was_seen_on_both_sides_varies():
    history = SizeHistory()
    for size in (0, 1):
        shapes = ShapeEnv(DynamicPolicy(None, history))
        n = shapes.size(X, "size", 0, size)
    assert shapes.varies("<", 0, n) and shapes.varies("<", n, 2)
    assert not shapes.varies("<", n, 1000) and not shapes.varies("<=", 0, n)
    assert not shapes.relations


def test_dynamic_false_never_makes_symbols():
    history = SizeHistory()
    analysis(history, False, a=5)
    assert analysis(history, False, a=6) == {"a": "6"}


def test_arithmetic_needs_no_guards():
    shapes = ShapeEnv(DynamicPolicy(True))
    mark = DimMark(Mark.MAYBE_DYNAMIC, minimum=2)
    n, m = (shapes.size(X, "size", i, size, mark) for i, size in enumerate((5, 7)))
    before = len(shapes.relations)
    assert shapes.equal(n + m, m + n)
    assert not shapes.equal(n, n + 1)
    assert shapes.less(n, n + m)
    assert shapes.less_equal(2, n)
    assert not shapes.equal(n, 1)
    assert not shapes.equal(n * m, 0)
    assert modulo(n * m, n) == 0 and floordiv(n * m, n) == m
    assert len(shapes.relations) == before


def test_an_undecided_question_is_asked_once():
    shapes, (n, m) = dynamic(n=5, m=7)
    before = len(shapes.relations)
    assert not shapes.equal(n, m)
    assert not shapes.equal(m, n)
    assert not shapes.equal(n + 1, m + 1)
    assert [str(r) for r in shapes.relations[before:]] == ["s0 != s1"]


def test_what_was_open_may_follow_later():
    shapes, (n, _) = dynamic(n=5, m=7)
    assert shapes.known.settled("<", n, 3) is None
    assert not shapes.less(n, 4) and not shapes.less(n, 3)
    assert [str(relation) for relation in shapes.relations] == ["s0 >= 4"]


def test_what_is_open_is_looked_into_again_once_a_bound_is_known(monkeypatch):
    shapes, (n, _) = dynamic(n=5, m=7)
    known, looked = shapes.known, []
    look = known._from_ranges
    monkeypatch.setattr(known, "_from_ranges", lambda *asked: looked.append(asked) or look(*asked))
    assert [known.settled("<", n, 3) for _ in range(3)] == [None] * 3 and len(looked) == 1
    assert not shapes.less(n, 4)
    assert known.settled("<", n, 3) is False


def test_an_equality_is_put_to_use():
    shapes, (n, m) = dynamic(n=5, m=10)
    assert shapes.equal(2 * n, m)
    before = len(shapes.relations)
    assert shapes.equal(4 * n, 2 * m)
    assert shapes.less_equal(n, m)
    assert len(shapes.relations) == before


def test_specialising_is_of_that_size_alone():
    shapes, (n, m) = dynamic(n=5, m=7)
    assert shapes.specialize(n) == 5
    assert shapes.equal(n, 5) and not shapes.equal(n, 6)
    assert isinstance(shapes.simplify(m), SizeExpr)
    assert shapes.simplify(n * m) == 5 * m


@pytest.mark.parametrize(("holds", "guarded"), [
    (lambda n: [(n // 2, "<=", n), (n // 4 * 3, "<=", n), (n % 4, "<=", n)], []),
    (lambda n: [((n + 7) // 8 * 8, ">=", n), (n, "<", n // 16 * 16 + 16)], []),
    (lambda n: [((n + 1) // 2, ">=", n // 2), (n - (n + 1) // 2, ">=", 0)], []),
    (lambda n: [(0, "<=", minimum(n, 16)), (maximum(n - 16, 0), "<=", n)], []),
    (lambda n: [(0, "<", n // 2 * 2), (n, ">", 1), (8, "<=", n // 2 * 8)], ["0 < 2*(s0 // 2)"]),
    (lambda n: [(n * 8, "!=", 8), (n, "!=", 1), (n * 2, "!=", 5)], ["8*s0 != 8"]),
    (lambda n: [(n, ">", 16), (minimum(n, 32), ">", 16), (n // 5, ">=", 3)], ["s0 > 16"]),
])  # fmt: skip
def test_what_follows_is_not_guarded(holds, guarded):
    shapes, (n, _) = dynamic(n=40, m=7)
    assert all(shapes.compare(op, left, right) for left, op, right in holds(n))
    assert [str(relation) for relation in shapes.relations] == guarded


CHANGES = (
    lambda size: size, lambda size: size // 3, lambda size: size % 3, lambda size: -size // 2,
    lambda size: size - size // 2, lambda size: maximum(size - 3, 0), lambda size: minimum(size, 7),
)


@given(st.lists(st.integers(2, 9), min_size=3, max_size=3, unique=True), st.data())
def test_answers_follow_from_the_relations(hints, data):
    """For other sizes: when all relations hold, every answer that was given is right."""
    shapes, symbols = dynamic(**{f"d{i}": n for i, n in enumerate(hints)})
    sizes = st.one_of(st.sampled_from(symbols), st.integers(0, 12))
    asked = []
    for _ in range(6):
        left, right = data.draw(sizes), data.draw(sizes)
        left = left * data.draw(st.integers(-2, 3)) + data.draw(sizes)
        left = data.draw(st.sampled_from(CHANGES))(left)
        op = data.draw(st.sampled_from(["==", "!=", "<", "<=", ">", ">="]))
        asked.append((op, left, right, shapes.compare(op, left, right)))
    now = {f"s{i}": data.draw(st.integers(0, 12)) for i in range(3)}
    compare = {"==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal,
               ">": np.greater, ">=": np.greater_equal}
    if all(compare[r.op](evaluate(r.left, now), evaluate(r.right, now)) for r in shapes.relations):
        for op, left, right, answer in asked:
            assert compare[op](evaluate(left, now), evaluate(right, now)) == answer


sums = st.lists(st.tuples(st.integers(0, 2), st.integers(-3, 3)), min_size=1, max_size=4)


@given(sums, sums, st.sampled_from(["==", "<", "<="]), st.sampled_from([floordiv, modulo, None]),
       st.lists(st.integers(-9, 9), min_size=3, max_size=3))
def test_guard_programs_check_the_relations(left, right, op, divide, now):
    shapes, guards = ShapeEnv(DynamicPolicy(True)), GuardSet()
    sources = [LocalSource(i, name) for i, name in enumerate("xyz")]
    symbols = [shapes.size(x, "value", 0, i + 5) for i, x in enumerate(sources)]
    for i, source in enumerate(sources):
        guards.install(source, INT_SYMBOL, f"s{i}")
    left, right = (sum(symbols[i] * k for i, k in side) for side in (left, right))
    left = left if divide is None else divide(left, 3) * symbols[1]
    shapes.compare(op, left, right)
    values = {f"s{i}": n for i, n in enumerate(now)}
    expected = all(
        COMPARE[r.op](evaluate(r.left, values), evaluate(r.right, values))
        for r in shapes.relations
    )
    assert (flatten(guards, shapes, 3).program.check(tuple(now)) == -1) == expected


def test_marks():
    x = np.ones((4, 5, 6))
    mark_dynamic(x, 0, min=3, max=100)
    mark_static(x, 1)
    maybe_mark_dynamic(x, 2)
    shapes = ShapeEnv(DynamicPolicy(False))
    sizes = [shapes.size(X, "size", i, n, marks_of(x).get(i)) for i, n in enumerate(x.shape)]
    assert [str(size) for size in sizes] == ["s0", "5", "s1"]
    assert not shapes.less(sizes[0], 3)
    assert shapes.specialize(sizes[2]) == 6
    with pytest.raises(MarkedDynamicSpecialized, match=r"x\.shape\[0\]"):
        shapes.specialize(sizes[0])


def test_marks_of_arrays_that_died_are_forgotten():
    x = np.ones(3)
    mark_dynamic(x, 0)
    key = id(x)
    assert marks_of(x)
    del x
    from dynamo_lite.guards.shapes import dynamic

    assert key not in dynamic._MARKS


@pytest.mark.parametrize(("call", "error"), [
    (lambda: mark_dynamic([1], 0), TypeError),
    (lambda: mark_dynamic(np.ones(2), 1), IndexError),
    (lambda: mark_dynamic(np.ones(2), 0, min=5, max=4), ValueError),
    (lambda: (mark_static(x := np.ones(2)), mark_dynamic(x, 0)), ValueError),
])  # fmt: skip
def test_bad_marks_are_refused_at_the_call(call, error):
    with pytest.raises(error):
        call()
