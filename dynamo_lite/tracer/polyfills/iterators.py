"""Polyfills of `itertools`, to be traced in its place.

What takes an iterable asks it for its iterator when it is made, as in C; the items come one by one.
As in `polyfills`, what is made here must not leave the trace.
"""
from __future__ import annotations

import itertools
import operator
import sys
from collections.abc import Callable, Iterator
from typing import Any

from .registry import POLYFILLS, polyfill_of

__all__ = ["POLYFILLS", "polyfill_of"]


@polyfill_of(itertools.chain)
def chain(*iterables: Any) -> Iterator[Any]:
    for each in iterables:
        yield from iter(each)


@polyfill_of(itertools.chain.from_iterable)
def chain_from_iterable(iterables: Any) -> Iterator[Any]:
    for each in iterables:
        yield from iter(each)


@polyfill_of(itertools.count)
def count(start: Any = 0, step: Any = 1) -> Iterator[Any]:
    for each in (start, step):
        is_real = any(hasattr(type(each), name) for name in NUMERIC)
        if (not is_real and not isinstance(each, complex)) or isinstance(each, str | bytes):
            raise TypeError("a number is required")
    return _count(start, step)


NUMERIC = "__index__", "__float__", "__int__"


def _count(start: Any, step: Any) -> Iterator[Any]:
    if isinstance(start, int) and isinstance(step, int) and step == 1:
        start = int(start)  # what counts is not True
    while True:
        following = start + step
        yield start
        start = following


ENDLESS = object()


@polyfill_of(itertools.repeat)
def repeat(object: Any, times: Any = ENDLESS) -> Iterator[Any]:
    return _endless(object) if times is ENDLESS else _repeated(object, range(times))


def _endless(item: Any) -> Iterator[Any]:
    while True:
        yield item


def _repeated(item: Any, times: range) -> Iterator[Any]:
    for _ in times:
        yield item


@polyfill_of(itertools.cycle)
def cycle(iterable: Any) -> Iterator[Any]:
    return _cycle(iter(iterable))


def _cycle(iterator: Any) -> Iterator[Any]:
    seen = []
    for item in iterator:
        yield item
        seen.append(item)
    while seen:
        yield from iter(seen)


NO_END = "must be None or an integer: 0 <= x <= sys.maxsize."


@polyfill_of(itertools.islice)
def islice(iterable: Any, *ends: Any) -> Iterator[Any]:
    if not 1 <= len(ends) <= 3:
        asked = "most 4" if ends else "least 2"
        raise TypeError(f"islice expected at {asked} arguments, got {len(ends) + 1}")
    window = slice(*ends)
    start = 0 if window.start is None else _as_index(window.start)
    stop = None if window.stop is None else _as_index(window.stop)
    step = 1 if window.step is None else _as_index(window.step)
    if stop == -1:
        raise ValueError(f"Stop argument for islice() {NO_END}")
    if start < 0 or (stop is not None and stop < 0):
        raise ValueError(f"Indices for islice() {NO_END}")
    if step < 1:
        raise ValueError("Step for islice() must be a positive integer or None.")
    return _islice(iter(iterable), start, stop, step)


def _as_index(value: Any) -> Any:
    try:
        index = operator.index(value)
    except TypeError:
        return -1
    return index if -sys.maxsize <= index <= sys.maxsize else -1


def _islice(iterator: Any, start: Any, stop: Any, step: Any) -> Iterator[Any]:
    position = 0
    while stop is None or position < stop:
        for item in iterator:  # noqa: B007
            break
        else:
            return
        if position >= start and (position - start) % step == 0:
            yield item
        position += 1


@polyfill_of(itertools.accumulate)
def accumulate(
    iterable: Any, func: Any = operator.add, *, initial: Any = None
) -> Iterator[Any]:
    return _accumulate(iter(iterable), func, initial)


def _accumulate(iterator: Any, function: Any, initial: Any) -> Iterator[Any]:
    total = initial
    if initial is None:
        for total in iterator:  # noqa: B007
            break
        else:
            return
    yield total
    for item in iterator:
        total = (operator.add if function is None else function)(total, item)
        yield total


@polyfill_of(itertools.starmap)
def starmap(function: Any, iterable: Any) -> Iterator[Any]:
    return _starmap(function, iter(iterable))


def _starmap(function: Any, iterator: Any) -> Iterator[Any]:
    for args in iterator:
        yield function(*(args if isinstance(args, tuple) else tuple(args)))


@polyfill_of(itertools.takewhile)
def takewhile(predicate: Any, iterable: Any) -> Iterator[Any]:
    return _takewhile(predicate, iter(iterable))


def _takewhile(predicate: Any, iterator: Any) -> Iterator[Any]:
    for item in iterator:
        if not predicate(item):
            return
        yield item


@polyfill_of(itertools.dropwhile)
def dropwhile(predicate: Any, iterable: Any) -> Iterator[Any]:
    return _dropwhile(predicate, iter(iterable))


def _dropwhile(predicate: Any, iterator: Any) -> Iterator[Any]:
    for item in iterator:
        if not predicate(item):
            yield item
            break
    yield from iterator


@polyfill_of(itertools.filterfalse)
def filterfalse(predicate: Any, iterable: Any) -> Iterator[Any]:
    return _filterfalse(predicate, iter(iterable))


def _filterfalse(predicate: Any, iterator: Any) -> Iterator[Any]:
    for item in iterator:
        if not (item if predicate is None else predicate(item)):
            yield item


@polyfill_of(itertools.compress)
def compress(data: Any, selectors: Any) -> Iterator[Any]:
    return _compress(zip(data, selectors))


def _compress(pairs: Any) -> Iterator[Any]:
    for item, chosen in pairs:
        if chosen:
            yield item


@polyfill_of(itertools.pairwise)
def pairwise(iterable: Any) -> Iterator[Any]:
    return _pairwise(iter(iterable))


def _pairwise(iterator: Any) -> Iterator[Any]:
    for before in iterator:  # noqa: B007
        break
    else:
        return
    for item in iterator:
        yield before, item
        before = item


@polyfill_of(itertools.zip_longest)
def zip_longest(*iterables: Any, fillvalue: Any = None) -> Iterator[Any]:
    return _zip_longest([iter(each) for each in iterables], fillvalue)


def _zip_longest(iterators: list[Any], fillvalue: Any) -> Iterator[Any]:
    active = len(iterators)
    while active:
        row = []
        for position, iterator in enumerate(iterators):
            item = fillvalue
            if iterator is not None:
                for item in iterator:  # noqa: B007
                    break
                else:
                    active, iterators[position] = active - 1, None
                    if not active:
                        return
            row.append(item)
        yield tuple(row)


@polyfill_of(itertools.product)
def product(*iterables: Any, repeat: Any = 1) -> Iterator[Any]:
    if operator.index(repeat) < 0:
        raise ValueError("repeat argument cannot be negative")
    return _product([tuple(each) for each in iterables] * repeat)


def _product(pools: list[Any]) -> Iterator[Any]:
    rows: Any = [()]
    for pool in pools:
        rows = [(*row, item) for row in rows for item in pool]
    yield from rows


def _choices(pool: Any, length: Any, first: Callable[[Any], Any]) -> Iterator[Any]:
    """Index tuples in lexicographic order; `first` gives the indices that may follow a prefix."""
    if operator.index(length) < 0:
        raise ValueError("r must be non-negative")
    return _chosen(pool, length, first)


def _chosen(pool: Any, length: Any, first: Callable[[Any], Any]) -> Iterator[Any]:
    prefixes: Any = [()]
    for _ in range(length):
        prefixes = [(*prefix, index) for prefix in prefixes for index in first(prefix)]
    for prefix in prefixes:
        yield tuple([pool[index] for index in prefix])


@polyfill_of(itertools.permutations)
def permutations(iterable: Any, r: Any = None) -> Iterator[Any]:
    pool = tuple(iterable)
    size = len(pool)
    if r is not None and not isinstance(r, int):
        raise TypeError("Expected int as r")
    return _choices(
        pool, size if r is None else r, lambda taken: [i for i in range(size) if i not in taken]
    )


@polyfill_of(itertools.combinations)
def combinations(iterable: Any, r: Any) -> Iterator[Any]:
    pool = tuple(iterable)
    size = len(pool)
    return _choices(pool, r, lambda taken: range(taken[-1] + 1 if taken else 0, size))


@polyfill_of(itertools.combinations_with_replacement)
def combinations_with_replacement(iterable: Any, r: Any) -> Iterator[Any]:
    pool = tuple(iterable)
    size = len(pool)
    return _choices(pool, r, lambda taken: range(taken[-1] if taken else 0, size))


@polyfill_of(itertools.tee)
def tee(iterable: Any, n: Any = 2) -> Any:
    if operator.index(n) < 0:
        raise ValueError("n must be >= 0")
    iterator = iter(iterable)
    first: list[Any] = [None, None]
    return tuple([_follow(iterator, first) for _ in range(n)])


def _follow(iterator: Any, link: list[Any]) -> Iterator[Any]:
    """The items of a linked list that the first reader of each link extends."""
    while True:
        if link[1] is None:
            for item in iterator:
                link[0], link[1] = item, [None, None]
                break
            else:
                return
        item, link = link
        yield item


def batched(iterable: Any, n: Any, *, strict: Any = False) -> Iterator[Any]:
    if operator.index(n) < 1:
        raise ValueError("n must be at least one")
    return _batched(iter(iterable), n, strict)


def _batched(iterator: Any, n: Any, strict: Any) -> Iterator[Any]:
    while batch := tuple([item for _, item in zip(range(n), iterator)]):
        if strict and len(batch) < n:
            raise ValueError("batched(): incomplete batch")
        yield batch


if sys.version_info >= (3, 12):
    polyfill_of(itertools.batched)(batched)


@polyfill_of(itertools.groupby)
class groupby:
    """As in the library reference: groups share one iterator, and end when it moves on."""

    def __init__(self, iterable: Any, key: Any = None) -> None:
        self.key = key
        self.iterator = iter(iterable)
        self.target = self.current = self.item = _UNSET
        self.ended = False

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        while self.current is _UNSET or (
            self.target is not _UNSET and self.current in (self.target,)
        ):
            self.advance()
            if self.ended:
                raise StopIteration
        self.target = self.current
        return self.current, self.group(self.target)

    def advance(self) -> None:
        for item in self.iterator:
            self.item = item
            self.current = item if self.key is None else self.key(item)
            return
        self.ended = True

    def group(self, target: Any) -> Iterator[Any]:
        while not self.ended and self.current in (target,):
            yield self.item
            self.advance()


class _Unset:
    pass


_UNSET = _Unset()
