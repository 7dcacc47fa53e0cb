"""Write `gradients.md` from what `python -m benchmarks.gradients` measured:
`python docs/gradients.py`."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
RESULTS = DOCS.parent / "benchmarks" / "results"

HEAD = """# Gradients, measured

Gradients against `jax.grad` and HIPS autograd, in float64 on one CPU. The programs are NumPy code
as it is; JAX has three of them rewritten (`scan`, `at`), because they change arrays or go
through long loops, and autograd refuses those that change arrays.

Written by `python docs/gradients.py` from what `python -m benchmarks.gradients` measured once
({versions}) on two cores ({cpu}) with nothing else running. All have one thread. Times are
medians of 15 in turn, by the clock. Losses stand here as well: below 1 the
other one is faster.

| | measured | to reach | |
|---|---|---|---|
"""

PROGRAMS = """
Milliseconds of a value and its gradient:

| program | dynamo_lite | JAX | autograd | times JAX's speed | times autograd's | ÷ the value |
|---|---|---|---|---|---|---|
"""

VALUES = """
The {many} functions whose gradients are compared, at points with zeros, ties, kinks, NaN and
infinity too, and of empty arrays, are in `benchmarks/gradient_programs.py`. NaN and infinity are
where JAX has them.
"""


def page() -> str:
    """The text of the page."""
    found = json.loads((RESULTS / "gradients.json").read_text())
    versions = ", ".join(f"{key} {found[key]}" for key in ("python", "numpy", "jax", "autograd"))
    head = HEAD.format(versions=versions, cpu=found["cpu"])
    return (head + "".join(map(figure, found["summary"])) + PROGRAMS
            + "".join(map(row, found["programs"])) + VALUES.format(many=len(found["values"])))


def figure(told: list[Any]) -> str:
    name, value, goal, reached, detail = told
    mark = "reached" if reached else "**missed**"
    return f"| {name} | {value}{f' ({detail})' if detail else ''} | {goal} | {mark} |\n"


def row(one: dict[str, Any]) -> str:
    times, ours = one["ms"], one["ms"]["dynamo_lite"]
    peers = [times.get(peer) for peer in ("JAX", "autograd")]
    told = [f"{ours:.3f}", *("refuses" if t is None else f"{t:.3f}" for t in peers),
            *("" if t is None else f"{t / ours:.2f}" for t in peers), f"{one['of_value']:.1f}"]
    return f"| {one['name']} | {' | '.join(told)} |\n"


if __name__ == "__main__":
    (DOCS / "gradients.md").write_text(page())
