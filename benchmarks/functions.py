"""Elementary functions, integer division and reductions alone, against NumPy's own loops.

    python -m benchmarks.functions [name …]

One thread, arrays that stay in the cache, both measured in turn in one process; slower rows too.
"""
from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from dynamo_lite.backends.llvm.backend import compile_graph

from dynamo_lite.ir.graph import Graph
from dynamo_lite.ir.types import array
from dynamo_lite.native import set_num_threads

from .measure import interleave

COUNT = 16_384
Row = tuple[str, str, float, float]

# function → where its arguments are drawn from
DOMAINS: dict[np.ufunc, tuple[tuple[float, float], ...]] = {
    np.exp: ((-10, 10),), np.exp2: ((-10, 10),), np.expm1: ((-3, 3),),
    np.log: ((1e-3, 1e3),), np.log2: ((1e-3, 1e3),), np.log10: ((1e-3, 1e3),),
    np.log1p: ((-0.9, 10),),
    np.sin: ((-10, 10),), np.cos: ((-10, 10),), np.tan: ((-10, 10),),
    np.sinh: ((-5, 5),), np.cosh: ((-5, 5),), np.tanh: ((-5, 5),),
    np.arcsin: ((-1, 1),), np.arccos: ((-1, 1),), np.arctan: ((-5, 5),),
    np.arcsinh: ((-10, 10),), np.arccosh: ((1, 20),), np.arctanh: ((-0.99, 0.99),),
    np.cbrt: ((-100, 100),), np.sqrt: ((0, 100),), np.reciprocal: ((1, 2),),
    np.power: ((0, 10), (-3, 3)), np.arctan2: ((-2, 2), (-2, 2)), np.hypot: ((-2, 2), (-2, 2)),
    np.logaddexp: ((-5, 5), (-5, 5)), np.logaddexp2: ((-5, 5), (-5, 5)),
    np.fmod: ((-20, 20), (1, 3)), np.remainder: ((-20, 20), (1, 3)),
    np.floor_divide: ((-20, 20), (1, 3)),
}
INTEGER = (np.floor_divide, np.remainder, np.multiply, np.left_shift)
FOLDS = (np.sum, np.min, np.max, np.argmin, np.argmax, np.cumsum)


def compiled(function: Any, args: Sequence[np.ndarray]) -> Callable[..., Any]:
    """The function alone as a compiled graph."""
    graph = Graph()
    inputs = tuple(
        graph.placeholder(f"x{i}", array(a.dtype, *a.shape)) for i, a in enumerate(args)
    )
    result = np.asarray(function(*args))
    kind = array(result.dtype, *result.shape)
    graph.output((graph.call_function(function, inputs, type=kind),))
    return compile_graph(graph, [])


def measure(function: Any, args: Sequence[np.ndarray]) -> tuple[float, float]:
    """Nanoseconds per element: NumPy's and ours."""
    entry = compiled(function, args)
    times = interleave(
        {"numpy": lambda: function(*args), "ours": lambda: entry(*args)}, rounds=25, number=4
    )
    scale = 1e9 / args[0].size
    return times["numpy"] * scale, times["ours"] * scale


def elementary(names: Sequence[str]) -> Iterator[Row]:
    rng = np.random.default_rng(0)
    for function, ranges in DOMAINS.items():
        if names and function.__name__ not in names:
            continue
        for dtype in ("f4", "f8"):
            args = [rng.uniform(low, high, COUNT).astype(dtype) for low, high in ranges]
            yield (function.__name__, dtype, *measure(function, args))


def integers(names: Sequence[str]) -> Iterator[Row]:
    rng = np.random.default_rng(1)
    for function in INTEGER:
        if names and function.__name__ not in names:
            continue
        for dtype in ("i1", "u1", "i4", "u4", "i8", "u8"):
            top = 7 if function is np.left_shift else 100
            args = [rng.integers(1, top, COUNT).astype(dtype) for _ in range(2)]
            yield (function.__name__, dtype, *measure(function, args))


def folds(names: Sequence[str]) -> Iterator[Row]:
    rng = np.random.default_rng(2)
    for function in FOLDS:
        if names and function.__name__ not in names:
            continue
        for dtype in ("u1", "i4", "i8", "f4", "f8"):
            x = (rng.random(COUNT) * 100).astype(dtype)
            yield (function.__name__, dtype, *measure(function, (x,)))


def main(names: Sequence[str]) -> None:
    set_num_threads(1)
    print("| function | type | NumPy, ns | compiled, ns | NumPy / compiled | |")
    print("|---|---|---|---|---|---|")
    for part in (elementary, integers, folds):
        for name, dtype, numpys, ours in part(names):
            ratio = numpys / ours
            mark = "" if ratio >= 0.97 else "slower"
            print(f"| {name} | {dtype} | {numpys:.2f} | {ours:.2f} | {ratio:.2f} | {mark} |")


if __name__ == "__main__":
    main(sys.argv[1:])
