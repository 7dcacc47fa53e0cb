"""Python twins of functions that CPython has in C, to be traced in their place.

Each gives what the C function gives, item by item. The results are generators and closures, which
must not leave the trace: rebuilding one breaks the graph instead.
"""
from __future__ import annotations

import collections
import functools
import itertools
import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

POLYFILLS: dict[Any, Any] = {}


def twin_of(function: Any) -> Callable[[Any], Any]:
    def register(twin: Any) -> Any:
        POLYFILLS[function] = twin
        return twin

    return register


@twin_of(np.ndenumerate)
def ndenumerate(arr: Any) -> Iterator[Any]:
    for index in itertools.product(*[range(n) for n in arr.shape]):
        yield index, arr[index]


@twin_of(np.ndindex)
def ndindex(*shape: Any) -> Iterator[Any]:
    if len(shape) == 1 and isinstance(shape[0], tuple):
        shape = shape[0]
    if min(shape, default=0) < 0:
        raise ValueError("negative dimensions are not allowed")
    return iter(itertools.product(*[range(n) for n in shape]))


@twin_of(itertools.chain)
def chain(*iterables: Any) -> Iterator[Any]:
    for each in iterables:
        yield from iter(each)


@twin_of(itertools.chain.from_iterable)
def chain_from_iterable(iterables: Any) -> Iterator[Any]:
    for each in iterables:
        yield from iter(each)


@twin_of(math.prod)
def prod(iterable: Any, /, *, start: Any = 1) -> Any:
    for factor in iter(iterable):
        start = start * factor
    return start


@twin_of(itertools.count)
def count(start: Any = 0, step: Any = 1) -> Iterator[Any]:
    if isinstance(start, int) and isinstance(step, int) and step == 1:
        start = int(start)  # what counts is not True
    while True:
        yield start
        start = start + step


@twin_of(itertools.repeat)
def repeat(value: Any, times: Any = None) -> Iterator[Any]:
    if times is None:
        while True:
            yield value
    for _ in range(times):
        yield value


@twin_of(itertools.cycle)
def cycle(iterable: Any) -> Iterator[Any]:
    seen = []
    for item in iterable:
        yield item
        seen.append(item)
    while seen:
        yield from iter(seen)


NO_END = "must be None or an integer: 0 <= x <= sys.maxsize."


@twin_of(itertools.islice)
def islice(iterable: Any, *ends: Any) -> Iterator[Any]:
    window = slice(*ends)
    start = 0 if window.start is None else window.start
    stop, step = window.stop, 1 if window.step is None else window.step
    if stop is not None and (not hasattr(stop, "__index__") or stop == -1):
        raise ValueError(f"Stop argument for islice() {NO_END}")
    if not hasattr(start, "__index__") or start < 0 or (stop is not None and stop < 0):
        raise ValueError(f"Indices for islice() {NO_END}")
    if not hasattr(step, "__index__") or step < 1:
        raise ValueError("Step for islice() must be a positive integer or None.")
    iterator, position = iter(iterable), 0
    while stop is None or position < stop:
        for item in iterator:  # noqa: B007
            break
        else:
            return
        if position >= start and (position - start) % step == 0:
            yield item
        position += 1


@twin_of(itertools.accumulate)
def accumulate(
    iterable: Any, function: Any = operator.add, *, initial: Any = None
) -> Iterator[Any]:
    iterator, total = iter(iterable), initial
    if initial is None:
        for total in iterator:  # noqa: B007
            break
        else:
            return
    yield total
    for item in iterator:
        total = (operator.add if function is None else function)(total, item)
        yield total


@twin_of(collections._count_elements)  # type: ignore[attr-defined]
def count_elements(mapping: Any, iterable: Any) -> None:
    for item in iterable:
        mapping[item] = mapping.get(item, 0) + 1


@twin_of(functools.update_wrapper)
def update_wrapper(
    wrapper: Any,
    wrapped: Any,
    assigned: Any = functools.WRAPPER_ASSIGNMENTS,
    updated: Any = functools.WRAPPER_UPDATES,
) -> Any:
    for name in assigned:
        if hasattr(wrapped, name):
            setattr(wrapper, name, getattr(wrapped, name))
    for attribute in updated:
        if attribute == "__dict__":
            for name, value in own_attributes(wrapped):
                setattr(wrapper, name, value)
        else:
            getattr(wrapper, attribute).update(getattr(wrapped, attribute, {}))
    wrapper.__wrapped__ = wrapped
    return wrapper


def own_attributes(function: Any) -> Any:
    """Pairs of what a function's own dict holds; answered by the tracer."""
    return list(vars(function).items())


@twin_of(itertools.starmap)
def starmap(function: Any, iterable: Any) -> Iterator[Any]:
    for args in iterable:
        yield function(*args)


@twin_of(itertools.takewhile)
def takewhile(predicate: Any, iterable: Any) -> Iterator[Any]:
    for item in iterable:
        if not predicate(item):
            return
        yield item


@twin_of(itertools.dropwhile)
def dropwhile(predicate: Any, iterable: Any) -> Iterator[Any]:
    iterator = iter(iterable)
    for item in iterator:
        if not predicate(item):
            yield item
            break
    yield from iterator


@twin_of(itertools.filterfalse)
def filterfalse(predicate: Any, iterable: Any) -> Iterator[Any]:
    for item in iterable:
        if not (item if predicate is None else predicate(item)):
            yield item


@twin_of(itertools.compress)
def compress(data: Any, selectors: Any) -> Iterator[Any]:
    for item, chosen in zip(data, selectors):
        if chosen:
            yield item


@twin_of(itertools.pairwise)
def pairwise(iterable: Any) -> Iterator[Any]:
    iterator = iter(iterable)
    for before in iterator:  # noqa: B007
        break
    else:
        return
    for item in iterator:
        yield before, item
        before = item


@twin_of(itertools.zip_longest)
def zip_longest(*iterables: Any, fillvalue: Any = None) -> Iterator[Any]:
    columns = [list(each) for each in iterables]
    for row in range(max([len(column) for column in columns], default=0)):
        yield tuple([column[row] if row < len(column) else fillvalue for column in columns])


@twin_of(itertools.product)
def product(*iterables: Any, repeat: Any = 1) -> Iterator[Any]:
    rows: Any = [()]
    for pool in [tuple(each) for each in iterables] * repeat:
        rows = [(*row, item) for row in rows for item in pool]
    yield from rows


def _choices(pool: Any, length: Any, first: Callable[[Any], Any]) -> Iterator[Any]:
    """Index tuples in lexicographic order; `first` gives the indices that may follow a prefix."""
    prefixes: Any = [()]
    for _ in range(length):
        prefixes = [(*prefix, index) for prefix in prefixes for index in first(prefix)]
    for prefix in prefixes:
        yield tuple([pool[index] for index in prefix])


@twin_of(itertools.permutations)
def permutations(iterable: Any, r: Any = None) -> Iterator[Any]:
    pool = tuple(iterable)
    size = len(pool)
    yield from _choices(
        pool, size if r is None else r, lambda taken: [i for i in range(size) if i not in taken]
    )


@twin_of(itertools.combinations)
def combinations(iterable: Any, r: Any) -> Iterator[Any]:
    pool = tuple(iterable)
    size = len(pool)
    yield from _choices(pool, r, lambda taken: range(taken[-1] + 1 if taken else 0, size))


@twin_of(itertools.combinations_with_replacement)
def combinations_with_replacement(iterable: Any, r: Any) -> Iterator[Any]:
    pool = tuple(iterable)
    size = len(pool)
    yield from _choices(pool, r, lambda taken: range(taken[-1] if taken else 0, size))


@twin_of(itertools.tee)
def tee(iterable: Any, n: Any = 2) -> Any:
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


@twin_of(itertools.groupby)
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


@twin_of(functools.cmp_to_key)
def cmp_to_key(mycmp: Any) -> Any:
    return lambda value: Compared(mycmp, value)


class Compared:
    """A sort key that compares by a function of two values."""

    def __init__(self, mycmp: Any, obj: Any) -> None:
        self.mycmp = mycmp
        self.obj = obj

    def __lt__(self, other: Any) -> Any:
        return self.mycmp(self.obj, other.obj) < 0


class _Unset:
    pass


_UNSET = _Unset()


@twin_of(functools.reduce)
def reduce(function: Any, iterable: Any, *initial: Any) -> Any:
    iterator = iter(iterable)
    if initial:
        total = initial[0]
    else:
        for total in iterator:  # noqa: B007
            break
        else:
            raise TypeError("reduce() of empty iterable with no initial value")
    for item in iterator:
        total = function(total, item)
    return total
