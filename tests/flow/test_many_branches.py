"""Branches behind and inside each other: what compiling takes grows with the program, not with the
ways through it."""
import numpy as np

import dynamo_lite as dl

from ..oracle import check

BRANCHES = 24


def branching():
    """The text of a loop in which each branch counts on with what the one before it has counted."""
    lines = ["def f(x):", "    i = j = k = 0", "    for v in x:"]
    for number in range(BRANCHES):
        lines += [f"        if v > {number / BRANCHES}:", "            i = j + 1",
                  "            j = i - k", "        else:", "            k = i + 1",
                  "            i = k + j"]
    return "\n".join([*lines, "    return i, j, k"])


def test_counters_of_many_branches():
    names = {}
    exec(branching(), names)
    compiled = dl.compile(names["f"], fullgraph=True)
    for n in (5, 9):
        check(compiled, names["f"], np.linspace(0.0, 1.0, n))
