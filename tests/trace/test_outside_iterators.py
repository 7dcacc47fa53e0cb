"""Iterators that existed before the frame: what is taken, when, and what is left."""
# ruff: noqa: B905
import itertools
from array import array

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.base.config import config
from dynamo_lite.native import StoppableIterator
from dynamo_lite.tracer.frame.speculation import translate

from ..oracle import outcome, same

X = np.arange(3.0)


class Taker:
    def __init__(self): self.values, self.taken = iter([3, 1, 4, 1, 5, 9]), 0

    def take(self, x):
        self.taken += 1
        return x * next(self.values)


def shared():
    values = iter([1, 2, 3, 4, 5, 6, 7, 8, 9])
    return values, enumerate(values, 5)


def uneven():
    first, second = iter([1, 2, 3, 4]), iter((5, 6))
    return zip(first, second), first, second


def until(x, values):
    for value in values:
        x = x + value
        if value % 4 == 3:
            break
    return x


def written(x, values):
    array = next(values)
    array += x
    return array


def ended(x, values, items):
    found = next(values, "end")
    if found == "end":
        items.append(9)
    return found, next(values, "still"), x + 1


def owner():
    items = [1]
    return iter(items), items


PROGRAMS = (
    (lambda x, it: x * next(it), lambda: (iter([1, 2, 3, 4, 5]),)),
    (lambda x, it: x * next(it) + next(it), lambda: (reversed([1, 2, 3, 4, 5, 6]),)),
    (lambda x, it: (x, next(it) + next(it)), lambda: (iter("héllo wörld"),)),
    (lambda x, it: (x * next(it), next(it)), lambda: (itertools.count(3, -2),)),
    (lambda x, it: (x, list(it)), lambda: (iter(range(4)),)),
    (lambda x, it: (x, next(it), next(it)), lambda: (enumerate("abcdefgh"),)),
    (lambda x, it: (x, next(it)), lambda: (zip([1, 2, 3], "qwe"),)),
    (lambda x, a, e: (x * next(a), next(e), next(a, 0), next(e, 0)), shared),
    (lambda x, z, a, b: (x, list(z), next(a, None), next(b, None)), uneven),
    (lambda x, taker: taker.take(x) + taker.take(x), lambda: (Taker(),)),
    (lambda x, it: (x, 2 in it, next(it, None)), lambda: (iter([1, 2, 3, 4]),)),
    (written, lambda: (iter([np.ones(3), np.zeros(3), np.ones(3)]),)),
    (ended, owner),
)
"""Functions and what makes their further arguments; each is called three times with the same."""


def runs(function, make, calls=3):
    """What a few calls gave, and what is left then."""
    args = make()
    results = [outcome(function, (X.copy(), *args)).value for _ in range(calls)]
    left = [list(arg) if hasattr(arg, "__next__") and not isinstance(arg, itertools.count) else arg
            for arg in args]  # fmt: skip
    return results, [next(one) if isinstance(one, itertools.count) else one for one in left]


LOOPS = (
    (lambda x, it: [x * value for value in it], lambda: (iter(range(4)),)),
    (until, lambda: (iter(range(10)),)),
    (lambda x, it: [next(it) * x for _ in range(20)], lambda: (iter(range(70)),)),
)
"""The same where not everything is one graph."""


@pytest.mark.parametrize(("function", "make"), PROGRAMS + LOOPS)
def test_as_in_python(function, make):
    with config.patch(strict=True):
        compiled = runs(dl.compile(function, backend="eager"), make)
    assert same(compiled, runs(function, make))


@pytest.mark.parametrize(("function", "make"), PROGRAMS)
def test_one_graph(function, make):
    args = (X.copy(), *make())
    assert type(translate(function, args).end).__name__ == "Returned"


def test_values_that_change_are_compiled_twice():
    compiled, values = dl.compile(lambda x, it: x * next(it), backend="eager"), itertools.count(2)
    dl.reset()
    for expected in range(2, 20):
        assert np.array_equal(compiled(X, values), X * expected)
    assert len(compiled.entries()) == 2


def after_a_change(x, values, items):
    items.insert(0, 7)
    return x, next(values), len(items)


def test_the_list_below_is_changed_first():
    """In a later call it is another one than when the function was compiled."""
    with config.patch(strict=True):
        for function in (after_a_change, dl.compile(after_a_change, backend="eager")):
            first, second = [1, 2, 3], [10, 20, 30]
            found = [function(X, iter(below), first)[1] for below in (second, first, second)]
            assert found == [10, 7, 10]


def after_steps(x, values, items):
    one = next(values)
    items.clear()
    return x * one, next(values, "end")


def test_the_list_below_is_changed_in_between():
    for function in (after_steps, dl.compile(after_steps, backend="eager")):
        items = [1, 2, 3]
        assert function(X, iter(items), items)[1] == "end"


def test_a_call_that_bails_out_takes_nothing():
    compiled, values = dl.compile(lambda x, it: x / next(it)), iter([1.0, 0.0, 2.0])
    with np.errstate(all="ignore"):
        found = [compiled(X, values) for _ in range(3)]
    assert np.array_equal(found[2], X / 2) and next(values, None) is None
    values = iter([1.0, 0.0, 2.0])
    with pytest.warns(RuntimeWarning, match="divide by zero|invalid"):
        found = [compiled(X, values) for _ in range(3)]
    assert np.array_equal(found[2], X / 2) and next(values, None) is None


def printed(x):
    for i in range(4):
        x = x + i
        print(i)
    for i, (a, b) in enumerate(zip([1, 2], "xy")):
        print(b)
        x = x * a + i
    return x


def test_loops_with_breaks_go_on_with_their_iterators():
    with config.patch(strict=True):
        compiled = dl.compile(printed, backend="eager")
        for _ in range(2):
            assert same(outcome(compiled, (X.copy(),)), outcome(printed, (X.copy(),)))


def test_loops_over_them_are_compiled_once():
    """However many rounds there are."""
    dl.reset()
    compiled = dl.compile(until, backend="eager")
    for length in range(20, 40):
        assert same(compiled(X, iter([4] * length)), until(X, iter([4] * length)))
    assert len(compiled.entries()) == 1


def test_a_frame_that_ends_before_an_iteration_is_analysed_once():
    """The instruction has done nothing yet when it is found out that Python is to run it."""
    values = array("d", [1.0, 3.0, 4.0])
    trace = translate(until, (X, iter(values)))
    assert trace.restarts == 0 and "taking the next item" in trace.end.reason
    assert same(dl.compile(until)(X, iter(values)), X + 4)


def test_the_iterator_of_a_running_loop_goes_by_what_the_program_made():
    compiled = dl.compile(lambda x, items: [x + n for n in items])
    assert len(compiled(X, StoppableIterator(iter(range(3))))) == 3
    assert "(a range_iterator)" in str(dl.why(compiled))


def first_of(items, otherwise):
    for item in items:
        return item
    return otherwise


def scaled_by_the_first(x, items):
    y = x * 2 + 1
    return y * first_of(items, 0.5)


@pytest.mark.parametrize("make", [
    lambda: iter(range(3)), lambda: iter([2.5]), lambda: iter(()), lambda: (k for k in (4, 5)),
])
def test_a_loop_that_never_comes_back_takes_the_first_item(make):
    compiled = dl.compile(scaled_by_the_first)
    for _ in range(3):
        items, others = make(), make()
        found, expected = (one(X, it) for one, it in (
            (compiled, items), (scaled_by_the_first, others)))
        assert np.array_equal(found, expected) and [*items] == [*others]
