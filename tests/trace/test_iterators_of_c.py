"""Iterators of `itertools` take from what they are given when, and only as much as, CPython's do."""
import itertools
import random
import string

import numpy as np
import pytest

import dynamo_lite as dl


def changed_after(make):
    """What an iterator gives when the list that it was made of grows meanwhile."""

    def program(x, items):
        made = make(items)
        items.append(7)
        return x * 2, list(itertools.islice(made, 9))

    return program


def refused_when_made(make):
    """Whether what is no iterable is refused at once or when the first item is asked for."""

    def program(x, items):
        try:
            made = make(5)
        except TypeError as error:
            return x * 2, "made", str(error)
        try:
            list(made)
        except TypeError as error:
            return x * 2, "asked", str(error)

    return program


def left_over(make):
    """What an iterator leaves of the one that it takes from."""

    def program(x, items):
        inner = iter(items)
        made = make(inner)
        for _ in range(2):
            next(made, None)
        return x * 2, list(inner)

    return program


MAKERS = {
    "product": lambda it: itertools.product(it, repeat=2), "permutations": itertools.permutations,
    "combinations": lambda it: itertools.combinations(it, 2), "pairwise": itertools.pairwise,
    "replacing": lambda it: itertools.combinations_with_replacement(it, 2),
    "islice": lambda it: itertools.islice(it, 1, None, 2), "accumulate": itertools.accumulate,
    "chain": lambda it: itertools.chain(it, [1]), "cycle": itertools.cycle,
    "zip_longest": lambda it: itertools.zip_longest(it, [1]), "starmap": lambda it: itertools.starmap(max, zip(it, it)),
    "takewhile": lambda it: itertools.takewhile(bool, it),
    "dropwhile": lambda it: itertools.dropwhile(bool, it), "groupby": lambda it: map(len, itertools.groupby(it)),
    "filterfalse": lambda it: itertools.filterfalse(None, it),
    "compress": lambda it: itertools.compress(it, [1, 0, 1, 1]),
}  # fmt: skip


if hasattr(itertools, "batched"):
    MAKERS["batched"] = lambda it: itertools.batched(it, 2)


@pytest.mark.parametrize("form", [changed_after, refused_when_made, left_over])
@pytest.mark.parametrize("maker", MAKERS)
def test_itertools(maker, form):
    program = form(MAKERS[maker])
    compiled = dl.compile(program, backend="eager")
    for items in ([3, 0, 4], [], [1], [0, 0, 2, 2]):
        assert repr(compiled(np.ones(2), items.copy())) == repr(program(np.ones(2), items.copy()))


def test_max_asks_for_keys_between_the_items():
    def program(x, items):
        order = []

        def numbered():
            for item in items:
                order.append(item)
                yield item

        return x * 2, max(numbered(), key=lambda item: order.append("key") or -item), order

    for items in ([1, 2], [3]):
        compiled = dl.compile(program, backend="eager", fullgraph=True)
        assert repr(compiled(np.ones(2), items)) == repr(program(np.ones(2), items))


def test_a_list_that_cannot_be_sorted_is_left_half_sorted():
    def program(x, items, key):
        try:
            items.sort(key=key)
        except TypeError as error:
            return x * 2, str(error)

    for key in (None, lambda item: item):
        for items in ([3, 1, 2, "a", 0], [3, 2, 1, None], [1, 2], ["a", 1]):
            left, right = items.copy(), items.copy()
            found = dl.compile(program, backend="eager")(np.ones(2), left, key)
            assert repr(found) == repr(program(np.ones(2), right, key))
            assert left == right


def test_orders_of_sets_of_numbers_and_text():
    """Hashes of text are others in every process."""
    rng = random.Random(1)

    def united(x, text):
        return x * 2, {1, 2}.union(text), {3, *text} | {1}, frozenset(text) | {4}

    compiled = dl.compile(united, backend="eager")
    with dl.config.patch(recompile_limit=30):
        for _ in range(20):
            text = "".join(rng.sample(string.ascii_letters, 4))
            found, expected = compiled(np.ones(2), text)[1:], united(np.ones(2), text)[1:]
            assert list(map(list, found)) == list(map(list, expected))


class One:
    def __index__(self):
        return 1


@pytest.mark.parametrize("end", [0, 2, None, -1, 2.5, "a", One(), np.int64(2), int, np.ones(2)])
def test_ends_of_islice(end):
    def program(x, end):
        found = []
        for ends in ((end,), (end, None), (0, None, end), (0, end, 1)):
            try:
                found.append(list(itertools.islice([1, 2, 3, 4], *ends)))
            except ValueError as error:
                found.append((str(error), error.__context__))
        return x * 2, found

    assert repr(dl.compile(program, backend="eager")(np.ones(2), end)) == repr(program(np.ones(2), end))
