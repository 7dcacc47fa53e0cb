"""Read-only arrays and such that are not aligned share an entry with others where the captured code
is the same for all."""
from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
import pytest

import dynamo_lite as dl


def by_element(x: Any) -> Any:
    return np.sqrt(x * x + 1) / (2 + x)


def views(x: Any) -> Any:
    return x[1:], x[::-1] * 2, x


def total(x: Any) -> Any:
    return (x * 2).sum()


def total_and_view(x: Any) -> Any:
    return x.T, x.max()


def product(x: Any) -> Any:
    return x @ x


def broadcast(x: Any) -> Any:
    return np.broadcast_to(x, (2, len(x)))


def written(x: Any) -> Any:
    x[0] = 1
    return x * 2


def written_through_a_view(x: Any) -> Any:
    part = x[2:5]
    part += 1
    return x.sum()


def refused(x: Any) -> Any:
    try:
        x[0] = 3
    except ValueError as error:
        return str(error)
    return x + 1


def asked(x: Any) -> Any:
    return x + 1 if x.flags.writeable else x - 1


def asked_of_a_view(x: Any) -> Any:
    return x[1:].flags["ALIGNED"], x + 1


def out(x: Any) -> Any:
    return np.add(x, 1, out=x)


def plain(values: np.ndarray) -> np.ndarray:
    return values.copy()


def read_only(values: np.ndarray) -> np.ndarray:
    found = values.copy()
    found.flags.writeable = False
    return found


def unaligned(values: np.ndarray) -> np.ndarray:
    memory = bytearray(values.nbytes + 8)
    start = 1 + -np.frombuffer(memory, np.uint8).ctypes.data % 8
    found: np.ndarray = np.ndarray(values.shape, values.dtype, memory, start)
    found[...] = values
    return found


def received(values: np.ndarray) -> np.ndarray:
    found = unaligned(values)
    found.flags.writeable = False
    return found


ENTRIES = {
    by_element: 1, views: 2, total: 2, total_and_view: 4, product: 2, broadcast: 4, written: 4,
    written_through_a_view: 4, refused: 4, asked: 4, asked_of_a_view: 4, out: 4,
}
"""Functions, and how many entries of each serve arrays of all four kinds at most."""


def outcome(function: Callable[..., Any], x: np.ndarray) -> Any:
    """All that can be seen of a call."""
    try:
        result = function(x)
    except ValueError as error:
        return repr(error), x.tolist()
    results = result if isinstance(result, tuple) else (result,)
    return repr(results), x.tolist(), [
        (each.flags.writeable, each.flags.aligned, each.base is x)
        for each in results if isinstance(each, np.ndarray)]


@pytest.mark.parametrize("function", ENTRIES, ids=lambda function: function.__name__)
def test_arrays_with_other_flags(function: Any) -> None:
    values = np.arange(10.0)
    for kinds in permutations((plain, read_only, unaligned, received)):
        compiled = dl.compile(function)
        for kind in kinds:
            assert outcome(compiled, kind(values)) == outcome(function, kind(values))
        assert len(compiled.entries()) <= ENTRIES[function]
