"""Which loops are worth a guess before they ran: those that name nothing that Python has to run."""
import json
import math

import numpy as np
import pytest

from dynamo_lite.script.loops import has_plain_loops

TEXT = """
def f(n):
    {before}
    for i in range(n):
        {inside}
    return n
"""


def function(before, inside):
    names = {"__name__": "program", "np": np, "math": math, "json": json, "table": {}}
    exec("def helper(x): return x", names)
    exec(TEXT.format(before=before, inside=inside), names)
    return names["f"]


@pytest.mark.parametrize("before, inside, expected", [
    ("x = np.ones(n)", "x = np.sin(x)", True),
    ("print(n)", "helper(math.sqrt(table[i]))", True),
    ("pass", "print(i)", False),
    ("pass", "json.dumps(i)", False),
    ("for k in range(n): print(k)", "np.sin(i)", True),
    ("pass", "\n        for k in range(3): print(k)", False),
    ("pass", "undefined(i)", True),
])
def test_loops_that_name_what_python_has_to_run(before, inside, expected):
    f = function(before, inside)
    assert has_plain_loops(f.__code__, f.__globals__) == expected


def test_a_function_without_loops_has_none():
    assert not has_plain_loops(function.__code__, globals())
