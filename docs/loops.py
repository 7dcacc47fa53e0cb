"""Write `loops.md` from what `python -m benchmarks.loops` measured: `python docs/loops.py`."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
RESULTS = DOCS.parent / "benchmarks" / "results"

HEAD = """# Loops over elements

{many} programs with loops over elements, compiled, by Python, and by Numba's `njit` where it takes
the same source. Of what it refuses, programs that one would write in C are compared with that
(`benchmarks/loop_programs.c`, `cc -O2 -march=native`). Compiled results are Python's to the last
bit. Where Numba's are not, that is told: sums in another order, ints of another width, another
stream of random numbers.

Written by `python docs/loops.py` from what `python -m benchmarks.loops` measured once
({versions}) on two cores ({cpu}) with nothing else running. Milliseconds of
one call, the shortest of 21 in turn; `first` is the first compiled call, with tracing and code
generation. Losses stand here as well: below 1
is slower than Numba or C, and programs that are not native have the reason at the end.

| | measured | to reach |
|---|---|---|
"""

PROGRAMS = """
| program | compiled | Python | Numba or C | times Python's speed | times theirs | first |
|---|---|---|---|---|---|---|
"""

REASONS = """
## Not native

In no less than half of Python's time:

"""


def page() -> str:
    """The text of the page."""
    found = json.loads((RESULTS / "loops.json").read_text())
    versions = ", ".join(f"{key} {found[key]}" for key in ("python", "numpy", "numba"))
    head = HEAD.format(many=len(found["programs"]), versions=versions, cpu=found["cpu"])
    figures = "".join(f"| {name} | {value}{f' ({detail})' if detail else ''} | {goal} |\n"
                      for name, value, goal, detail in found["summary"])
    slow = [one for one in found["programs"] if one["ms"]["compiled"] > one["ms"]["Python"] / 2]
    reasons = "".join(f"- {named(one)}: {one['reason'] or 'compiled, but slow'}\n" for one in slow)
    return head + figures + PROGRAMS + "".join(map(row, found["programs"])) + REASONS + reasons


def named(one: dict[str, Any]) -> str:
    return str(one["name"]).replace("_", " ")


def row(one: dict[str, Any]) -> str:
    taken = one["ms"]
    ours, python = taken["compiled"], taken["Python"]
    name = next((name for name in ("Numba", "C") if name in taken), None)
    peer = ("", "refuses") if name is None else (
        f"{taken[name]:.3f}{' (C)' if name == 'C' else ''}", f"{taken[name] / ours:.2f}")
    mark = " (other bits)" if one["same_bits"] is False else ""
    cells = [named(one), f"{ours:.3f}", f"{python:.3f}", peer[0] + mark, f"{python / ours:.1f}",
             peer[1], str(one["first_ms"])]
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    (DOCS / "loops.md").write_text(page())
