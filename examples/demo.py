"""Run every numbered example with NumPy and compiled, check the results, and print a table."""
from __future__ import annotations

import runpy
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import dynamo_lite as dl

COLUMNS = ("example", "NumPy", "compiled", "speed-up", "first call", "graphs", "breaks",
           "max diff.")
MAIN = "02_kmeans"


def measure(function: Callable[..., Any], arguments: tuple[Any, ...]) -> float:
    begin = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - begin


def differences(expected: Any, actual: Any) -> Iterator[float]:
    """The largest relative difference of each pair of arrays; types and shapes must agree."""
    if isinstance(expected, tuple):
        for pair in zip(expected, actual, strict=True):
            yield from differences(*pair)
        return
    assert expected.dtype == actual.dtype and expected.shape == actual.shape
    scale = float(np.abs(expected).max()) or 1.0
    yield float(np.abs(expected.astype(float) - actual.astype(float)).max()) / scale


def row(example: dict[str, Any], repeats: int = 7) -> tuple[str, ...]:
    """Interleaved medians of one example."""
    function, arguments = example["function"], example["inputs"]()
    dl.reset()
    compiled = dl.compile(function)
    first = measure(compiled, arguments)
    stats = dl.stats()
    worst = max(differences(function(*arguments), compiled(*arguments)))
    pairs = [(measure(function, arguments), measure(compiled, arguments)) for _ in range(repeats)]
    numpy_time, time_compiled = (statistics.median(times) for times in zip(*pairs))
    return (
        example["TITLE"],
        f"{numpy_time * 1e3:.1f} ms",
        f"{time_compiled * 1e3:.2f} ms",
        f"{numpy_time / time_compiled:.1f}x",
        f"{first * 1e3:.0f} ms",
        str(stats.graphs),
        str(stats.graph_breaks),
        f"{worst:.1e}",
    )


def main() -> None:
    here = Path(__file__).parent
    paths = sorted(here.glob("0*.py"), key=lambda path: (path.stem != MAIN, path.stem))
    table = Table(title="dynamo_lite on unmodified NumPy functions")
    for number, column in enumerate(COLUMNS):
        table.add_column(column, justify="right" if number else "left")
    for path in paths:
        table.add_row(*row(runpy.run_path(str(path))))
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
