"""Measure every figure and print them as a Markdown table: `python -m benchmarks [name …]`."""
from __future__ import annotations

import sys

from . import (
    calls,
    complex_numbers,
    derivatives,
    histories,
    latency,
    loops,
    outside_lists,
    searches,
    shapes,
    sweep,
    throughput,
    tracing,
)

ALL = (
    *throughput.FIGURES, *complex_numbers.FIGURES, *latency.FIGURES, *calls.FIGURES,
    *shapes.FIGURES, *tracing.FIGURES, *loops.FIGURES, *outside_lists.FIGURES,
    *searches.FIGURES, *histories.FIGURES, *sweep.FIGURES, *derivatives.FIGURES,
)


def main(names: list[str]) -> None:
    print("| figure | measured | goal | | detail |\n|---|---|---|---|---|")
    for measure in ALL:
        if names and measure.__name__ not in names:
            continue
        for figure in measure():
            mark = {True: "reached", False: "**missed**", None: ""}[figure.reached]
            print(f"| {figure.name} | {figure.value} | {figure.goal} | {mark} | {figure.detail} |",
                  flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
