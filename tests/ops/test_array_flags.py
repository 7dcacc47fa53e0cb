"""Rows of operations on arrays that are read-only or not aligned, after others like them: results
and their flags are NumPy's, whichever entry serves the call."""
from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.ir.row import ROWS
from dynamo_lite.ir.tree import leaves, map_leaves

from .samples import Sampler, call
from .test_rows import CALLS, UFUNCS

Made = Callable[[np.ndarray], np.ndarray]

UNTOLD = {np.empty, np.empty_like}
"""Whose contents may be any."""
SEEDS = 6


def laid_out(array: np.ndarray, address: int) -> np.ndarray:
    """A copy with the same strides, at an address that is so much more than a multiple of 16."""
    reach = [(n - 1) * stride for n, stride in zip(array.shape, array.strides) if array.size]
    low, high = sum(min(0, one) for one in reach), sum(max(0, one) for one in reach)
    memory = bytearray(high - low + array.itemsize + 32)
    start = (address - np.frombuffer(memory, np.uint8).ctypes.data) % 16
    found: np.ndarray = np.ndarray(
        array.shape, array.dtype, memory, start - low, array.strides)
    np.copyto(found, array)
    found.flags.writeable = array.flags.writeable
    return found


def read_only(array: np.ndarray) -> np.ndarray:
    found = laid_out(array, 0)
    found.flags.writeable = False
    return found


def received(array: np.ndarray) -> np.ndarray:
    found = laid_out(array, 1)
    found.flags.writeable = False
    return found


KINDS: tuple[Made, ...] = (
    lambda array: laid_out(array, 0), read_only, lambda array: laid_out(array, 1), received)


def of_kind(kind: Made, leaf: Any) -> Any:
    return kind(leaf) if type(leaf) is np.ndarray else leaf


def filled(rnd: random.Random, array: Any) -> Any:
    """An array like this one, with numbers of its dtype."""
    if not isinstance(array, np.ndarray | np.generic):
        return array
    found = laid_out(np.asarray(array), 0)
    if found.flags.writeable and 0 not in found.strides:
        numbers = [rnd.choice((0, 1, 2, 3, 5, 0.75)) for _ in range(found.size)]
        found[...] = np.array(numbers).reshape(found.shape).astype(found.dtype)
    return found


def outcome(function: Callable[..., Any], args: Any, is_told: bool) -> Any:
    """All that can be seen of a call."""
    try:
        result = call(function, args, {})
    except Exception as error:
        return type(error), str(error)
    return [(type(one), one.dtype, one.shape, strides(one), one.flags.writeable,
             one.flags.aligned, one.tobytes() if is_told else b"")
            if isinstance(one, np.ndarray | np.generic) else one for one in leaves(result)]


def strides(array: Any) -> list[int]:
    """Those that are used."""
    return [step for step, n in zip(array.strides, array.shape) if n > 1] if array.size else []


@pytest.mark.parametrize("target", [*UFUNCS, *CALLS], ids=lambda target: ROWS[target].name)
def test_arrays_with_other_flags(target):
    for seed in range(SEEDS):
        sample = Sampler(seed)
        args, kwargs = CALLS[target](sample) if target in CALLS else (
            tuple(sample.operand() for _ in range(target.nin)), {})
        args = map_leaves(lambda leaf: filled(sample.rnd, leaf), tuple(args))

        def function(*args):
            return target(*args, **kwargs)

        compiled, kinds = dl.compile(function), [*KINDS]
        sample.rnd.shuffle(kinds)
        for kind in kinds:
            ours, theirs = (map_leaves(partial(of_kind, kind), args) for _ in range(2))
            with dl.config.patch(math="numpy"):
                found = outcome(compiled, ours, target not in UNTOLD)
            assert found == outcome(function, theirs, target not in UNTOLD)
