"""`tolist`, `sorted` and `sort` of many numbers: the items, types and order that Python gives."""
import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check

rng = np.random.default_rng(0)
VECTORS = {
    "floats": rng.standard_normal(60),
    "ints": rng.integers(-5, 5, 60),
    "bools": rng.random(60) > 0.5,
    "single": rng.standard_normal(60).astype("f4"),
    "bytes": rng.integers(0, 9, 60).astype("u1"),
    "half": rng.standard_normal(60).astype("f2"),
    "few": rng.standard_normal(3),
    "none": np.zeros(0),
    "equal": np.zeros(50),
    "zeros": np.array([0.0, -0.0, 1.0, -0.0, 0.0] * 10),
    "steps": np.arange(99)[::-3],
    "nan": np.array([3.0, np.nan, 1.0, 2.0] * 12),
    "inf": np.array([3.0, np.inf, -np.inf, 2.0] * 12),
    "complex": rng.standard_normal(40) + 1j,
    "table": rng.random((40, 2)),
    "0-d": np.array(2.5),
    "large": np.array([2**63 - 1, -(2**63), 0] * 20),
}
STEPS = """
v = x.tolist(); t += sum(v)
v = x.tolist(); t = [type(v[0]), v]
v = x.tolist(); t += v[0] + v[-1] + len(v)
v = x.tolist(); v.append(1.5); t = v
v = x.tolist(); v[0] = v[1]; t = v
v = x.tolist(); v.sort(); t = v
v = x.tolist(); v.reverse(); t = v
v = x.tolist(); t = v[1:], v[::-1], v + v
v = x.tolist(); t = max(v), min(v), v.index(v[2]), v.count(v[0])
v = x.tolist(); x[0] = 9; t = v
v = x.tolist(); w = v; w[0] = 7; t = v, w
v = x.tolist(); t = v is x.tolist(), v == x.tolist()
v = x.tolist(); t = [a * 2 for a in v if a > 0]
for a in x.tolist(): t = t + a * a
for a, b in zip(x.tolist(), x[1:].tolist()): t = t + a * b
for i, a in enumerate(x.tolist()): t = t + i * a
t = {a: 1 for a in x.tolist()}
t = np.array(x.tolist())
t = str(x.tolist())
t = (x * 2).tolist(), (x > 0).tolist()
t = sorted(x)
t = sorted(x, reverse=True)
t = sorted(x.tolist()), type(sorted(x)[0])
t = sorted(x.tolist(), reverse=True)
t = sorted(x, key=lambda a: -a)
t = sorted(x, key=abs)
t = sorted(x, key=abs, reverse=True)
t = sorted(range(len(x)), key=lambda i: x[i])
t = sorted(range(len(x)), key=lambda i: -x[i], reverse=True)
t = sorted(range(len(x) - 1, 0, -2), key=lambda i: x[i])
t = sorted(range(len(x)), key=lambda i: (x[i], i))
t = sorted(range(len(x)), key=x.__getitem__)
t = sorted(x, key=lambda a: print(a) or a)
t = sorted(x, key=None, reverse=x[0] > 0)
t = sorted(enumerate(x), key=lambda p: p[1])
t = sorted(zip(x, x[::-1]))
s = sorted(x); s[0] = 3; s.append(1); t = s
s = sorted(x)[:3]; t = s
a, *b = sorted(x); t = a, b
s = sorted(x); t = s[len(s) // 2] if s else None
for a in sorted(x): t = t + a
for i in sorted(range(len(x)), key=lambda i: x[i]): t = t * 0.5 + x[i]
v = []; [v.append(a) for a in x]; v.sort(); t = v
v = [a * 2 for a in x]; v.sort(reverse=True); t = v
v = [a * 2 for a in x]; v.sort(key=lambda a: -a); t = v
v = [float(a) for a in x if a > 0]; v.sort(); t = v
v = [(a, 1) for a in x]; v.sort(); t = v
""".strip().splitlines()
PROGRAM = """
def program(x):
    t = 0
    {step}
    return t, x
"""


@pytest.mark.parametrize("step", STEPS)
def test_steps(step):
    scope = {"np": np}
    exec(compile(PROGRAM.format(step=step), f"<{step}>", "exec"), scope)
    with dl.config.patch(strict=True, recompile_limit=64):
        compiled = dl.compile(scope["program"])
        for x in VECTORS.values():
            check(compiled, scope["program"], x, calls=2)


def outside_lists(values):
    ascending, descending = sorted(values), sorted(values, reverse=True)
    return ascending, descending, values, sorted(values)[0] * 2


LISTS = [
    *(VECTORS[name].tolist() for name in ("floats", "ints", "nan", "zeros")),
    [*VECTORS["floats"]], [1, 2.5] * 30, ["b", "a"] * 20, "spam eggs" * 9, b"spam" * 9,
    [2**70, 1] * 20, [(2, 1), (1, 2)] * 20, [True, 0] * 20, [None] * 40, [3, 1, 2],
    (3.0, 1.0) * 30, [[2], [1]] * 20,
]


@pytest.mark.parametrize("values", LISTS, ids=range(len(LISTS)))
def test_of_lists_from_outside(values):
    check(dl.compile(outside_lists), outside_lists, values)
