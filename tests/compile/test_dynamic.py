"""Sizes that change between calls: few compiles, exact results."""
import types

import numpy as np
import pytest
from dynamo_lite.guards.shapes.relations import Relation

import dynamo_lite as dl
from dynamo_lite import errors
from dynamo_lite.tracer.frame import speculation
from dynamo_lite.tracer.frame.speculation import new_state
from tests.oracle import ROUNDED, check, same


def normalised(x, w):
    y = x * 2 + w
    return y.reshape(-1)[:3], (y - y.mean(axis=0)).sum(axis=1), x.shape[0] * 2


def test_twenty_lengths_take_two_compiles(backend):
    compiled = dl.compile(normalised, backend=backend)
    w = np.arange(3.0)
    for n in range(5, 25):
        x = np.arange(3.0 * n).reshape(n, 3)
        assert same(compiled(x, w), normalised(x, w), ROUNDED)
    assert len(compiled.entries()) == 2
    assert [entry.bailouts for entry in compiled.entries()] == [0, 0]


def test_ints_that_change_become_symbols(backend):
    def f(x, n):
        return x[:n] * n + n

    compiled = dl.compile(f, backend=backend)
    for n in range(2, 12):
        assert same(compiled(np.arange(50.0), n), f(np.arange(50.0), n))
    assert len(compiled.entries()) == 2


TOTAL = 0


def count(self, x):
    self.n += 1
    return x[: self.n] * self.n


def fill(self, x):
    self.kept[self.n] = x[0]
    self.n += 1
    return self.kept[: self.n].sum()


def count_globally(self, x):
    global TOTAL
    TOTAL += 2
    return x * TOTAL


def count_and_change_more(self, x):
    self.first, self.n = False, self.n + 1
    return x * self.n


def count_and_change_a_flag(self, x):
    self.n -= 1
    self.first = False
    return x * self.n


def count_in_a_loop(self, x):
    for _ in range(3):
        self.n += 1
        x = x * self.n
    return x


def count_up_and_down(self, x):
    self.n += 1
    y = x[: self.n] * self.n
    self.n -= 1
    return y


def count_if_asked(self, x):
    if x.shape[0] == 0:
        self.n += 1
    return x * self.n


def count_by_another(self, x):
    self.n = self.n + x.shape[0]
    return x * self.n


def count_as_data_decide(self, x):
    if x.sum() > self.first + 100:
        self.n += 1
    else:
        self.others += 1
    return x * 2


@pytest.mark.parametrize(("step", "options", "entries", "analyses"), [
    (count, {}, 1, 1), (fill, {}, 1, 1), (count_globally, {}, 1, 1),
    (count_and_change_more, {}, 2, 2), (count_and_change_a_flag, {}, 2, 3),
    (count, {"dynamic": False}, 5, 5), (count_in_a_loop, {}, 1, 2), (count_up_and_down, {}, 1, 2),
    (count_if_asked, {}, 1, 2), (count_by_another, {}, 1, 2),
    (count_as_data_decide, {}, 1, 1),
])
def test_ints_that_the_program_changes_are_symbols_at_once(
    backend, step, options, entries, analyses, monkeypatch
):
    """The code would serve a single call; where other constants change as well it does anyway.
    What is seen to change in the text takes no second analysis."""
    global TOTAL
    begun = []
    monkeypatch.setattr(speculation, "new_state", lambda *a: begun.append(a) or new_state(*a))
    compiled, results = dl.compile(step, backend=backend, **options), []
    for run in (step, compiled):
        TOTAL = 0
        holder = types.SimpleNamespace(n=0, others=0, first=True, kept=np.zeros(9))
        results.append([run(holder, np.arange(9.0)) for _ in range(5)] + [holder.n, TOTAL])
    assert same(*results)
    assert (len(compiled.entries()), len(begun)) == (entries, analyses)


def test_numbers_in_a_sequence_beside_an_operator_are_no_constants(backend):
    def f(at, x):
        y = x - (at.x, 2)
        y += [at.x, at.x]
        return y, (at.x, 1.5) * x, x > (at.x, 3), y @ (at.x, 1)

    compiled, at = dl.compile(f, backend=backend), types.SimpleNamespace()
    for at.x in (0.5, 1.5, 2.5):
        assert same(compiled(at, np.arange(2.0)), f(at, np.arange(2.0)))
    assert len(compiled.entries()) == 1


def test_sizes_of_zero_and_one(backend):
    def f(x, y):
        return x + y, x.sum(axis=0), np.concatenate([x, y])

    compiled = dl.compile(f, backend=backend, dynamic=True)
    for n in (3, 5, 1, 0, 2, 1, 7):
        assert same(compiled(np.ones((n, 2)), np.ones((n, 2))), f(*[np.ones((n, 2))] * 2))
    assert len(compiled.entries()) <= 4


def test_equal_sizes_that_part(backend):
    """Two sizes that were equal share a symbol until they differ."""
    def f(x, y):
        return x.sum() + y.sum(), x[:1] + y[:1]

    compiled = dl.compile(f, backend=backend, dynamic=True)
    for a, b in [(3, 3), (4, 4), (3, 4), (5, 9)]:
        assert same(compiled(np.ones(a), np.ones(b)), f(np.ones(a), np.ones(b)))
    assert len(compiled.entries()) == 2


def test_shapes_that_stop_fitting_raise_numpys_error(backend):
    def f(x, y):
        return x + y

    compiled = dl.compile(f, backend=backend, dynamic=True)
    assert same(compiled(np.ones(3), np.ones(3)), np.full(3, 2.0))
    check(compiled, f, np.ones(3), np.ones(4))
    assert same(compiled(np.ones(5), np.ones(5)), np.full(5, 2.0))


def test_branching_on_a_size_specialises_it_alone(backend):
    def f(x):
        return x * 2 if x.shape[0] > 10 else x + 1

    compiled = dl.compile(f, backend=backend, dynamic=True)
    for n in (3, 4, 5, 20, 21, 6, 30):
        assert same(compiled(np.ones(n)), f(np.ones(n)))
    assert len(compiled.entries()) == 2


def test_static_means_one_entry_each():
    compiled = dl.compile(lambda x: x + 1, backend="eager", dynamic=False)
    for n in range(2, 6):
        compiled(np.ones(n))
    assert len(compiled.entries()) == 4
    with dl.config.patch(automatic_dynamic_shapes=False):
        again = dl.compile(lambda x: x + 1, backend="eager")
        for n in range(2, 6):
            again(np.ones(n))
        assert len(again.entries()) == 4
    with dl.config.patch(assume_static_by_default=False):
        dynamic = dl.compile(lambda x: x + 1, backend="eager")
        for n in range(2, 6):
            dynamic(np.ones(n))
        assert len(dynamic.entries()) == 1


def test_marks():
    x, y = np.ones((6, 4)), np.ones((6, 4))
    dl.mark_dynamic(x, 0)
    compiled = dl.compile(lambda x: x.sum(axis=0) * x.shape[0], backend="eager")
    compiled(x)
    assert same(compiled(np.ones((7, 4))), np.full(4, 49.0))
    assert len(compiled.entries()) == 1
    dl.mark_dynamic(y, 0)
    specialised = dl.compile(lambda x: x if x.shape[0] == 6 else x * 2, backend="eager")
    with pytest.raises(errors.MarkedDynamicSpecialized, match="test_dynamic"):
        specialised(y)


def test_layouts_and_strides_that_change(backend):
    def f(x):
        return x * 2, x.T.ravel(), x.sum(axis=1)

    compiled = dl.compile(f, backend=backend)
    base = np.arange(240.0).reshape(12, 20)
    for x in (base, base[::2], base[:, ::-1], base.T, base[1:7, 2:9], np.asfortranarray(base[:5])):
        assert same(compiled(x), f(x), ROUNDED)


def test_lengths_after_a_break(backend):
    def f(x):
        y = x + 1
        dl.graph_break()
        return y * x.shape[0]

    compiled = dl.compile(f, backend=backend)
    for n in range(3, 15):
        assert same(compiled(np.ones(n)), f(np.ones(n)))
    assert dl.stats().recompiles <= 2


def broken_apart(x):
    y, positive, n = x[1:] * 2, x[x > 0], len(x) // 2
    dl.graph_break()
    return y + n, positive * 2, n


def broken_in_an_expression(x):
    return (x[1:] * 2, len(x) // 2, dl.graph_break(), x[::2] - 1)


def broken_where_it_is_long(x):
    if len(x) > 5:
        y = x * 2
        dl.graph_break()
        return y + 1
    return x


@pytest.mark.parametrize("function", [
    broken_apart, broken_in_an_expression, broken_where_it_is_long,
])
def test_symbols_stay_symbols_across_a_break(function, backend):
    """The rest of a frame whose beginning has symbols is compiled once."""
    dl.reset()
    compiled = dl.compile(function, backend=backend)
    first = np.ones(7)
    dl.mark_dynamic(first, 0)
    for x in (first, *map(np.ones, range(8, 15))):
        assert same(compiled(x), function(x))
    assert dl.stats().recompiles == 0


def test_relations_are_checked_as_soon_as_their_sizes_are_bound():
    def f(a, b, c):
        if a.shape[0] < b.shape[0] and b.shape[0] % 2 == 0:
            return a.sum() + b.sum()
        return c if c.shape[0] > a.shape[0] else a

    compiled = dl.compile(f, backend="eager", dynamic=True)
    compiled(np.ones(3), np.ones(5), np.ones(7))
    (entry,) = compiled.entries()
    assert [op[0] for op in entry.info.flat.ops] == [
        "ARRAY", "ARRAY", "RELATION", "RELATION", "ARRAY", "RELATION",
    ]  # fmt: skip
    first = f.__code__.co_firstlineno
    asked = [owner.location for owner in entry.info.flat.owners if isinstance(owner, Relation)]
    assert [location.line - first for location in asked] == [1, 1, 3]


def of_long_sums(items, start, step):
    total = start
    for _ in items:
        total += total // start
    for i in range(step, step + 50):
        total += step
    return total % start


def test_ints_that_are_equal_to_floats_of_earlier_calls():
    """`1.0` stands for `1` where values are compared: the int seems never to have been seen."""
    compiled = dl.compile(of_long_sums)
    for start in (1.0, 1, 1.0, 2.0, 1, 2, True):
        check(compiled, of_long_sums, "aacbbbcc", start, 3, calls=1)
