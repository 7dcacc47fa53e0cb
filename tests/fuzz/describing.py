"""All that a program can tell about objects, as lines: two states are the same where these are.

Objects are numbered as they are met, so that one that is met again says so; arrays say which
memory they see: the number of a stretch of memory that no two arrays share but in it, and where.
"""
from __future__ import annotations

import collections
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

ATOMS = (int, str, bytes, bool, type(None), slice, range)


def describe(*roots: Any) -> list[str]:
    """Every object that can be reached from `roots`: types, values to the bit, identity, memory."""
    seen: dict[int, int] = {}
    kept: list[Any] = []
    arrays: list[tuple[str, np.ndarray]] = []
    lines: list[str] = []
    pending: list[tuple[str, Any]] = [(f"[{i}]", root) for i, root in enumerate(roots)][::-1]
    while pending:
        where, value = pending.pop()
        if type(value) in ATOMS or isinstance(value, (type, np.dtype)):
            lines.append(f"{where} = {value!r}")
            continue
        if isinstance(value, (float, complex, np.generic)):
            lines.append(f"{where} = {type(value).__name__} {value!r} {np.asarray(value).tobytes().hex()}")
            continue
        if id(value) in seen:
            lines.append(f"{where} is {seen[id(value)]}")
            continue
        seen[id(value)] = len(seen)
        kept.append(value)
        lines.append(f"{where} = {type(value).__qualname__} {seen[id(value)]}")
        if isinstance(value, np.ndarray):
            arrays.append((where, value))
        else:
            pending += [(where + name, part) for name, part in parts(value)][::-1]
    return lines + list(described(arrays))


def parts(value: Any) -> Iterator[tuple[str, Any]]:
    """What an object holds, in the order in which a program meets it."""
    if isinstance(value, (list, tuple, collections.deque)):
        yield from ((f"[{i}]", item) for i, item in enumerate(value))
    elif isinstance(value, dict):
        yield from ((f"[{key!r}]", item) for key, item in value.items())
    elif isinstance(value, (set, frozenset)):
        yield "{}", sorted(map(repr, value))
    elif isinstance(value, BaseException):
        yield from ((".args", value.args), (".__cause__", value.__cause__), (".text", str(value)))
    elif isinstance(value, types.FunctionType):
        yield from ((f".cell{i}", cell.cell_contents) for i, cell in enumerate(value.__closure__ or ()))
    elif isinstance(value, np.random.Generator):
        yield ".state", repr(value.bit_generator.state)
    if not isinstance(value, (types.FunctionType, BaseException)):
        yield from ((f".{name}", item) for name, item in getattr(value, "__dict__", {}).items())
    for name in getattr(type(value), "__slots__", ()):
        if hasattr(value, name):
            yield f".{name}", getattr(value, name)


def described(arrays: list[tuple[str, np.ndarray]]) -> Iterator[str]:
    """Contents and places."""
    bounds = [np.lib.array_utils.byte_bounds(array) if array.size else (0, 0) for _, array in arrays]
    order = sorted((i for i, (_, array) in enumerate(arrays) if array.size), key=bounds.__getitem__)
    stretch: dict[int, tuple[int, int]] = {}
    begin = end = -1
    for i in order:
        low, high = bounds[i]
        if low >= end:
            begin, end = low, high
            first = i
        end = max(end, high)
        stretch[i] = first, begin
    names: dict[int, int] = {}
    for i, (where, array) in enumerate(arrays):
        strides = [s for s, n in zip(array.strides, array.shape) if n > 1] if array.size else []
        place = ""
        if i in stretch:
            first, begin = stretch[i]
            number = names.setdefault(first, len(names))
            place = f"memory {number} at {array.__array_interface__['data'][0] - begin}"
        text = array.tobytes().hex() if not array.dtype.hasobject else repr(array)
        yield f"{where}: {array.dtype} {array.shape} {strides} {array.flags.writeable} {place} {array.tolist()} {text}"
