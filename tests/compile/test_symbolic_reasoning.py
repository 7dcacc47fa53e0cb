"""Questions about sizes that sympy answers: without it, each of these programs would break."""
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from dynamo_lite.guards.shapes import reasoning

import dynamo_lite as dl

TRUE = """
n * n >= n
n * (n - 1) >= 0
n * (n - 1) // 2 >= 0
n * n + m * m >= 2 * n * m
(n - m) ** 2 >= 0
n ** 3 >= n * n
n * n + 1 > n
n * (n + 1) % 2 == 0
n * (n - 1) % 2 != 1
n * n % 4 != 2
n * (n + 1) * (n + 2) % 6 == 0
n * n % 3 != 2
(n * n + n) // 2 * 2 == n * n + n
n * (n - 1) // 2 + n == n * (n + 1) // 2
(2 * n + 1) ** 2 % 8 == 1
n // 2 + (n + 1) // 2 == n
(n // 3) * 3 + n % 3 == n
n // (m + 1) * (m + 1) <= n
n % (m + 1) % (m + 1) == n % (m + 1)
(n + m + 1) // (m + 1) == n // (m + 1) + 1
(n + m + 1) % (m + 1) == n % (m + 1)
(n + 1) * (n + 1) // (n + 2) == n
(n * m + m) // (n + 1) == m
max(n, m) + min(n, m) == n + m
max(n, m) * min(n, m) == n * m
max(n, m) >= min(n, m)
max(n, m) <= n + m
max(n * m, n) <= n * (m + 1)
min(n, n * n) == n
max(n, n * n) == n * n
2 * max(n, m) >= n + m
min(n, m) * 2 <= n + m
n * m <= max(n, m) ** 2
abs(n - m) == max(n, m) - min(n, m)
max(n, 3) * m >= m * 3
min(n, m) // 2 <= max(n, m) // 2
""".strip().splitlines()
"""Conditions that always hold, of two numbers of elements that depend on data."""


def counted(function, sizes, **options):
    """Breaks and compilations for arrays of some sizes, with equal results."""
    dl.reset()
    compiled = dl.compile(function, **options)
    for size in sizes:
        x = np.arange(float(size)) - 1.0
        found, expected = compiled(x), function(x)
        assert type(found) is type(expected)
        np.testing.assert_array_equal(found, expected, strict=True)
    return dl.stats().graph_breaks, len(compiled.entries())


def program(condition):
    scope = {}
    exec(f"""def f(x):
    n, m = len(x[x > 0.0]), len(x[x > 3.0])
    return x + 1.0 if {condition} else None
""", scope)
    return scope["f"]


SIZES = (9, 20, 1, 0, 50, 2)


@pytest.mark.parametrize("condition", TRUE)
def test_what_is_always_so_breaks_no_graph(condition, monkeypatch):
    """A branch on it is no branch on data."""
    assert counted(program(condition), SIZES, dynamic=True) == (0, 1)
    with monkeypatch.context() as patch:
        patch.setattr(reasoning, "answer", lambda *asked: None)
        breaks, _ = counted(program(condition), SIZES, dynamic=True)
    assert breaks or "max" in condition or "min" in condition


@pytest.mark.parametrize("condition", [
    "n * n > n", "n * m == 6", "n * n % 4 == 1", "max(n, m) > n", "n // (m + 1) == 2",
    "n * (n - 1) // 2 > 3", "n * m % 3 == 0",
])
def test_what_is_sometimes_so_breaks_it(condition):
    asked = counted(program(condition), SIZES, dynamic=True)
    assert asked[0] and dl.stats().symbolic_answers == 0


def item_of_a_list(x):
    n = x.shape[0]
    return x * [1.0, 2.0][n * (n + 1) % 2]


def key_of_a_dict(x):
    n = x.shape[0]
    return {1: x + 1.0}[(2 * n + 1) ** 2 % 8]


def part_of_a_text(x):
    n = x.shape[0]
    return x.astype("f" + str(n * (n + 1) * (n + 2) % 6 + 4))


def argument_of_a_call(x):
    n = x.shape[0]
    return np.add.reduce(np.ones((2, 3)), n * (n + 1) % 2).sum() + x


@pytest.mark.parametrize("function", [
    item_of_a_list, key_of_a_dict, part_of_a_text, argument_of_a_call,
])
def test_a_value_that_is_always_the_same_fixes_no_size(function, monkeypatch):
    assert counted(function, (5, 6, 9, 12), dynamic=True) == (0, 1)
    assert dl.stats().symbolic_answers


def test_questions_are_counted():
    counted(program("n * n >= n"), (9,), dynamic=True)
    stats = dl.stats()
    assert stats.symbolic_questions >= stats.symbolic_answers == 1 and stats.symbolic_seconds > 0
    assert "sympy answered 1 of" in str(stats)
    dl.reset()
    assert dl.stats().symbolic_questions == 0


ORDINARY = """
import json, sys
import numpy as np
import dynamo_lite as dl
from dynamo_lite.base.config import config
config.compile_unprofitable = True

def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)

def windows(x):
    return x[2:, ::2] + x[:-2, ::2] - 2.0 * x[1:-1, ::2]

def pairs(x):
    n, m = x.shape
    return (x[:, None, :] - x[None, :, :]).reshape(n * n, m)

def halves(x):
    n = x.shape[0]
    return np.concatenate([x[n // 2 :], x[: n // 2]])

def selected(x):
    y = x[x > 1.0]
    return y - y.mean() if y.size > 0 else y

def merged(x):
    y, z = x[x > 1.0], x[x < 3.0]
    return np.concatenate([y, z])[: len(y)] * 2.0

def padded(x):
    k = -x.shape[0] %% 4
    return np.concatenate([x, np.zeros((k, x.shape[1]))]).reshape(-1, 4, x.shape[1])

def loop(x):
    for i in range(x.shape[0]):
        x[i] = x[i] + i
    return x

for function in (softmax, windows, pairs, halves, selected, merged, padded, loop):
    compiled = dl.compile(function)
    for n, m in (6, 4), (9, 7), (4, 4), (12, 5):
        x = np.arange(float(n * m)).reshape(n, m)
        assert np.allclose(compiled(x.copy()), function(x.copy())), function
print(json.dumps([m for m in %r if m in sys.modules]))
"""


def test_ordinary_programs_import_no_library_that_they_do_not_need(tmp_path):
    libraries = ["sympy", "bytecode", "platformdirs", "rich"]
    environment = {**os.environ, "DYNAMO_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", ORDINARY % libraries], env=environment,
                          capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


WARNED = """
import warnings, numpy as np, dynamo_lite as dl
@dl.compile
def squares(x):
    n = len(x[x > 0.0])
    return x + 1.0 if n * n >= n else None
for n in range(3):
    squares(np.arange(n + 5.0))
    warnings.warn("once")
"""


def test_importing_sympy_repeats_no_warning():
    done = subprocess.run([sys.executable, "-c", WARNED], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr.count("UserWarning: once") == 1


IN_TIME = """
import math, sys, time
from dynamo_lite.guards.shapes import reasoning
assert reasoning.has_time(math.inf) and not reasoning.has_time(time.monotonic() + 0.1)
assert "sympy" not in sys.modules
import sympy
assert reasoning.has_time(0.0)
"""


def test_sympy_is_loaded_only_where_there_is_time_for_it():
    subprocess.run([sys.executable, "-c", IN_TIME], check=True)
