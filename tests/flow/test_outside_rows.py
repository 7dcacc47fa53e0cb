"""Lists from outside of rows of numbers, as points, edges and grids are: read as Python reads them,
whatever is done with the rows."""
import math

import numpy as np
import pytest

import dynamo_lite as dl

from ..graphs import graph_of
from ..oracle import check

STEPS = """
t += rows[i][0] + rows[i][1]
t += rows[i][-1] - rows[-i - 1][0]
t += rows[i][i % 2]
t += rows[i][i % 5]
t += rows[i + 1][0]
t += rows[int(x[i % 4])][0]
a, b = rows[i]; t += a * b
a, b = rows[i - 1]; t += a - b
r = rows[i]; t += r[0]; t += len(r)
r = rows[i]; kept.append(r)
r = rows[i]; kept.append(r[0])
r = rows[i]; kept = r
r = rows[i]; t += r is rows[i]
r = rows[i]; t += r is rows[0]
r = rows[i]; t += r is None or r is kept
r = rows[i]; t += r == rows[0]
r = rows[i]; t += r == (1, 2) or r == [1, 2]
r = rows[i]; t += r < rows[1]
r = rows[i]; t += 3 in r
r = rows[i]; t += sum(r) + max(r) + min(r)
r = rows[i]; t += np.array(r).sum()
r = rows[i]; x = x + np.asarray(r).mean()
r = rows[i]; t += math.hypot(*r)
r = rows[i]; t += r[:1][0] if r[1:] else 0
r = rows[i]; t += isinstance(r, tuple) + isinstance(r, list)
r = rows[i]; q = list(r); q[0] = 7; t += q[0] + r[0]
r = rows[i]; q = [*r, 3]; t += len(q)
r = rows[i]; t += len(str(r))
r = rows[i]; d = {tuple(r): 1}; t += d[tuple(r)]
r = tuple(rows[i]); seen.add(r); t += r in seen
r = rows[i]; t += r in rows
for v in rows[i]: t += v
for j in range(len(rows[0])): t += rows[i][j]
for j in range(i): t += rows[j][0] * rows[i][1]
for a, b in rows: t += a * b
for k, (a, b) in enumerate(rows): t += k * a - b
for (a, b), (c, d) in zip(rows, rows[1:]): t += a * d - b * c
for r in rows: t += r[0]
for r in reversed(rows): t += r[0] * 0.5
t += sum(a for a, _ in rows) + max(b for _, b in rows)
t += len([1 for r in rows if r[0] > 2])
t += min(rows, key=lambda r: r[0])[1]
t += sorted(rows)[0][0]
t += rows.index(rows[i])
t += len(rows) + len(rows[i]) + len(rows[0])
if rows[i][0] > 2: t += rows[i][1]
if rows[i][0] > 2: kept.append(rows[i])
if rows[i][0] > 2: break
rows.append(rows[i]); t += rows[-1][0]
rows.append((1, 2)); t += len(rows)
rows[i] = (5, 6); t += rows[i][0]
rows[0], rows[1] = rows[1], rows[0]; t += rows[0][0]
rows.pop(); t += rows[-1][0]
rows = rows[::-1]; t += rows[i][0]
rows = rows + [(9, 9)]; t += rows[-1][0]
rows[i][0] = 5; t += rows[i][0]
rows[i][0] += 1; t += rows[i][0] + rows[0][0]
rows[0][1] += 1; t += rows[i][1]
rows[i].append(3); t += len(rows[i])
first = rows[0]; first[0] = i; t += rows[i % 2][0]
other[0] = i; t += rows[i][0]
other.append(3); t += rows[i][0] + len(rows[i])
other[0] = t; t += rows[0][0] + other[0]
""".strip().splitlines()
PROGRAM = """
def program(rows, x, other):
    t, kept, seen = 0, [], set()
    for i in range(len(rows)):
        {step}
    return t, kept, x
"""


def tuples():
    return [(i % 5, i * 0.5) for i in range(50)]


def lists():
    return [[i % 5, (i * 7) % 11] for i in range(50)]


def floats():
    return [[i * 0.25, i % 3 - 1.0] for i in range(45)]


def few():
    return [(1, 2), (3, 4), (5, 6)]


def scalars():
    return [(np.float64(i), i) for i in range(50)]


@pytest.mark.parametrize("rows", [tuples, lists, floats, few])
@pytest.mark.parametrize("step", STEPS)
def test_steps(step, rows):
    scope = {"np": np, "math": math}
    exec(compile(PROGRAM.format(step=step), f"<{step}>", "exec"), scope)
    with dl.config.patch(strict=True):
        compiled = dl.compile(scope["program"])
        x, made = np.arange(4.0), rows()
        check(compiled, scope["program"], made, x, [1, 2], calls=2)
        check(compiled, scope["program"], made, x, made[2], calls=2)


def inner_products(rows, x):
    t = 0.0
    for a, b in rows:
        t += a * x[0] + b * x[1]
    return t


def distances(rows, x):
    best = x[0] + 1e9
    for i in range(len(rows)):
        for j in range(i + 1, len(rows)):
            far = (rows[i][0] - rows[j][0]) ** 2 + (rows[i][1] - rows[j][1]) ** 2
            if far < best:
                best = far
    return best


def neighbours(grid, x):
    t = x[0]
    for i in range(1, len(grid) - 1):
        for j in range(1, len(grid[0]) - 1):
            t += grid[i - 1][j] + grid[i + 1][j] - grid[i][j - 1] * grid[i][j + 1]
    return t


def wide_rows(grid, x):
    t = x[0]
    for row in grid:
        for value in row:
            t += value * 0.5
    return t


OTHERS = [
    tuples(), lists(), floats(), few(), scalars(), tuples()[:40], [], [(1, 2)] * 60,
    [(1, 2)] * 50 + [(1.5, 2)], [(1, 2)] * 50 + [[1, 2]], [(1, 2)] * 50 + [(1, 2, 3)],
    [(2**70, 1)] * 50, [(True, False)] * 50, [("a", 1)] * 50, [(None, 1)] * 50, [(1, 2)] * 3 + [5],
    [range(2)] * 50, [(float("nan"), float("inf"))] * 50, tuple(tuples()), [np.arange(2)] * 50,
]


@pytest.mark.parametrize("function", [inner_products, distances])
def test_other_calls_have_other_rows(function):
    with dl.config.patch(recompile_limit=64):
        compiled = dl.compile(function)
        for rows in OTHERS:
            check(compiled, function, rows, np.array([1.0, 2.0]), calls=2)


@pytest.mark.parametrize("function", [neighbours, wide_rows])
@pytest.mark.parametrize("size", [(50, 45), (12, 12), (3, 3), (45, 2)])
def test_grids(function, size):
    compiled = dl.compile(function)
    rng = np.random.default_rng(0)
    for make in (list, tuple):
        for table in (rng.random(size), rng.integers(0, 9, size), rng.random(size) > 0.5):
            grid = make(map(make, table.tolist()))
            check(compiled, function, grid, np.array([1.0]), calls=2)


@pytest.mark.parametrize("function, rows", [
    (inner_products, tuples()), (distances, floats()), (wide_rows, [[1.0] * 40] * 40),
    (neighbours, [[1, 2] * 20] * 40),
])
def test_rows_are_inputs_of_the_graph(function, rows):
    assert len(graph_of(function, rows, np.array([1.0, 2.0])).nodes) < 20
