"""Polyfills of functions that the standard library has in C: heaps, bisection, text.

As in `polyfills`, what is made here must not leave the trace where it is a function or an object.
"""
from __future__ import annotations

import bisect
import functools
import heapq
import operator
import re
import sys
import types
from collections.abc import Callable
from typing import Any

from ...api.directives import graph_break
from .operators import POLYFILLS, polyfill_of

__all__ = ["POLYFILLS", "pattern_sub", "pattern_subn"]

# -- heaps: the order of items is that of heapq's own algorithm


def sink(heap: Any, first: Any, position: Any, less: Any) -> None:
    """Move the item at `position` towards `first` past greater parents."""
    item = heap[position]
    while position > first:
        parent = (position - 1) >> 1
        if not less(item, heap[parent]):
            break
        heap[position] = heap[parent]
        position = parent
    heap[position] = item


def rise(heap: Any, position: Any, less: Any) -> None:
    """Let the smaller children take the place down to a leaf, then bring the item back up."""
    first, item, child = position, heap[position], 2 * position + 1
    while child < len(heap):
        if child + 1 < len(heap) and not less(heap[child], heap[child + 1]):
            child += 1
        heap[position] = heap[child]
        position, child = child, 2 * child + 1
    heap[position] = item
    sink(heap, first, position, less)


def less_than(a: Any, b: Any) -> Any:
    return a < b


def greater_than(a: Any, b: Any) -> Any:
    return b < a


def refuse_others(heap: Any) -> None:
    """C takes lists only, and goes past the methods of classes derived from them."""
    if type(heap) is not list:
        graph_break()


@polyfill_of(heapq.heappush)
def heappush(heap: Any, item: Any) -> None:
    refuse_others(heap)
    heap.append(item)
    sink(heap, 0, len(heap) - 1, less_than)


def _popped(less: Any) -> Callable[[Any], Any]:
    def heappop(heap: Any) -> Any:
        refuse_others(heap)
        if not heap:
            raise IndexError("index out of range")
        last = heap.pop()
        if not heap:
            return last
        first = heap[0]
        heap[0] = last
        rise(heap, 0, less)
        return first

    return heappop


def _replaced(less: Any) -> Callable[[Any, Any], Any]:
    def heapreplace(heap: Any, item: Any) -> Any:
        refuse_others(heap)
        if not heap:
            raise IndexError("index out of range")
        first = heap[0]
        heap[0] = item
        rise(heap, 0, less)
        return first

    return heapreplace


def _ordered(less: Any) -> Callable[[Any], Any]:
    def heapify(heap: Any) -> None:
        refuse_others(heap)
        for position in range(len(heap) // 2 - 1, -1, -1):
            rise(heap, position, less)

    return heapify


@polyfill_of(heapq.heappushpop)
def heappushpop(heap: Any, item: Any) -> Any:
    refuse_others(heap)
    if heap and heap[0] < item:
        heap[0], item = item, heap[0]
        rise(heap, 0, less_than)
    return item


for _name, _make in (("heappop", _popped), ("heapreplace", _replaced), ("heapify", _ordered)):
    polyfill_of(getattr(heapq, _name))(_make(less_than))
    if hasattr(heapq, f"_{_name}_max"):
        polyfill_of(getattr(heapq, f"_{_name}_max"))(_make(greater_than))


# -- bisection


@polyfill_of(bisect.bisect_left)
def bisect_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    lo, hi = _ends(a, lo, hi)
    while lo < hi:
        middle = (lo + hi) // 2
        item = a[middle] if key is None else key(a[middle])
        if item < x:
            lo = middle + 1
        else:
            hi = middle
    return lo


@polyfill_of(bisect.bisect_right)
def bisect_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    lo, hi = _ends(a, lo, hi)
    while lo < hi:
        middle = (lo + hi) // 2
        item = a[middle] if key is None else key(a[middle])
        if x < item:
            hi = middle
        else:
            lo = middle + 1
    return lo


def _ends(a: Any, lo: Any, hi: Any) -> Any:
    if lo < 0:
        raise ValueError("lo must be non-negative")
    return lo, len(a) if hi is None else hi


@polyfill_of(bisect.insort_left)
def insort_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


@polyfill_of(bisect.insort_right)
def insort_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)


# -- regular expressions whose replacement is a function


@polyfill_of(re.sub)
def sub(pattern: Any, repl: Any, string: Any, count: Any = 0, flags: Any = 0) -> Any:
    return re.compile(pattern, flags).sub(repl, string, count)


@polyfill_of(re.subn)
def subn(pattern: Any, repl: Any, string: Any, count: Any = 0, flags: Any = 0) -> Any:
    return re.compile(pattern, flags).subn(repl, string, count)


def pattern_subn(pattern: Any, repl: Any, string: Any, count: Any = 0) -> Any:
    """`pattern.subn` where `repl` is a function."""
    count = operator.index(count)
    if count > sys.maxsize or count < -sys.maxsize:
        raise OverflowError("Python int too large to convert to C ssize_t")
    parts, end, found = [], 0, 0
    for match in pattern.finditer(string):
        if count and found >= count:
            break
        if end < match.start():
            parts.append(string[end : match.start()])
        new = repl(match)
        if new is not None:
            parts.append(new)
        end, found = match.end(), found + 1
    if end < len(string):
        parts.append(string[end:])
    return string[:0].join(parts), found


def pattern_sub(pattern: Any, repl: Any, string: Any, count: Any = 0) -> Any:
    return pattern_subn(pattern, repl, string, count)[0]


# -- objects


@polyfill_of(types.SimpleNamespace.__eq__)
def namespace_eq(one: Any, other: Any) -> Any:
    if not isinstance(other, types.SimpleNamespace):
        return NotImplemented
    return vars(one) == vars(other)


@polyfill_of(types.SimpleNamespace.__repr__)
def namespace_repr(one: Any) -> Any:
    name = "namespace" if type(one) is types.SimpleNamespace else type(one).__name__
    return f"{name}({', '.join([f'{key}={value!r}' for key, value in vars(one).items()])})"


@polyfill_of(operator.call)
def call(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)


# -- caches


class CachedFunction:
    """`functools.lru_cache` around a function that the traced program defines."""

    def __init__(self, function: Any, maxsize: Any, typed: Any, cache_info: Any) -> None:
        self.__wrapped__ = function
        self.maxsize = maxsize
        self.typed = typed
        self.info = cache_info
        self.cache: dict[Any, Any] = {}
        self.hits = self.misses = 0

    def key(self, args: Any, kwargs: Any) -> Any:
        """Equal for calls that share a result; keyword arguments count in their order."""
        key = (args, tuple(kwargs.items()))
        if not self.typed:
            return key
        return key, tuple([type(arg) for arg in args]), tuple(map(type, kwargs.values()))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.maxsize == 0:
            self.misses += 1
            return self.__wrapped__(*args, **kwargs)
        key = self.key(args, kwargs)
        if key in self.cache:
            self.hits += 1
            if self.maxsize is not None:
                self.cache[key] = self.cache.pop(key)
            return self.cache[key]
        self.misses += 1
        result = self.__wrapped__(*args, **kwargs)
        if key not in self.cache:
            if self.maxsize is not None and len(self.cache) >= self.maxsize:
                self.cache.pop(next(iter(self.cache)))
            self.cache[key] = result
        return result

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        return self if owner is None else types.MethodType(self, owner)

    def cache_info(self) -> Any:
        return self.info(self.hits, self.misses, self.maxsize, len(self.cache))

    def cache_clear(self) -> None:
        self.cache.clear()
        self.hits = self.misses = 0


polyfill_of(functools._lru_cache_wrapper)(CachedFunction)


def generic_method(self: Any, obj: Any, cls: Any = None) -> Any:
    """`functools.singledispatchmethod.__get__` without the memory of what it made."""
    dispatch = self.dispatcher.dispatch
    funcname = getattr(self.func, "__name__", "singledispatchmethod method")

    def _method(*args: Any, **kwargs: Any) -> Any:
        if not args:
            raise TypeError(f"{funcname} requires at least 1 positional argument")
        return dispatch(args[0].__class__).__get__(obj, cls)(*args, **kwargs)

    _method.__isabstractmethod__ = self.__isabstractmethod__  # type: ignore[attr-defined]
    _method.register = self.register  # type: ignore[attr-defined]
    functools.update_wrapper(_method, self.func)
    return _method


if "_method_cache" in functools.singledispatchmethod.__get__.__code__.co_names:
    polyfill_of(functools.singledispatchmethod.__get__)(generic_method)
