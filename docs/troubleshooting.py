"""Write `troubleshooting.md` from the table of remedies: `python docs/troubleshooting.py`.

Each section says what to do; its examples are the programs of `tests/compile/planted.py` that the
remedy is tried on, with what dynamo_lite says of them.
"""
from __future__ import annotations

import importlib.util
import itertools
import linecache
import os
import re
import textwrap
import warnings
from pathlib import Path
from typing import Any

import dynamo_lite as dl
from dynamo_lite.base.remedies import REMEDIES, Remedy

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "troubleshooting.md"
PLANTED = DOCS.parent / "tests" / "compile" / "planted.py"
TEXT = """# What costs time, and what helps

`dl.explain(f)(…)` tells what became of one call, `dl.why(f)` how a compiled function stands: graph
breaks, recompiles, calls that bailed out, each with the line, the reason and a remedy; logs, errors
of `fullgraph=True` and warnings name the same remedies. Each has a section here. The examples are
lines of programs on which a test tries the remedy: with it the cost is gone. Written by
`python docs/troubleshooting.py`.
"""
SHOWN = 3
"""Examples of each section."""


def planted() -> Any:
    """The module with the programs."""
    spec = importlib.util.spec_from_file_location("planted", PLANTED)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def example(module: Any, plant: Any) -> str:
    """The line and what is said of it."""
    compiled = dl.compile(plant.cause, options={"compile_unprofitable": True}, **plant.options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for arguments in plant.calls:
            module.outcome(compiled, arguments)
    cost = next(cost for cost in dl.why(compiled).costs
                if cost.kind == plant.kind and cost.location.line == plant.line
                and cost.remedy.id == plant.remedy)
    lines = (linecache.getline(str(PLANTED), at) for at in itertools.count(plant.line))
    line = next(lines)
    if line.startswith("@"):
        line = next(line for line in lines if line.startswith(("def ", "async def ")))
    line = line.partition("  #")[0].strip()
    reason = cost.reason.partition("; Python runs")[0]
    reason = re.sub(r"/\S*/(?=[\w.]+\.py)", "", reason)
    reason = re.sub(r":\d+ in \w+", "", re.sub(r" at \S+:\d+>", ">", reason))
    return f"- `{line}` — {cost.kind}: {reason}"


def section(module: Any, row: Remedy) -> str:
    plants = [plant for plant in module.PLANTS if plant.remedy == row.id]
    told = textwrap.fill(f"{row.advice[0].upper()}{row.advice[1:]}.", 100)
    examples = dict.fromkeys(example(module, plant) for plant in plants[:SHOWN])
    return "\n".join([f"## {row.id}", told, *examples])


def page() -> str:
    os.environ.pop("DYNAMO_LOGS", None)
    module = planted()
    return "\n\n".join([TEXT.rstrip(), *(section(module, row) for row in REMEDIES)]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
