"""Lists of lists that loops fill: whatever is done with one of the inner lists, it is that list."""
import re

import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check

STEPS = """
p = near[-1]; t += np.array(p).sum()
p = near[-1]; t += table[p[0] % 5, p[1] % 5]
p = near[-1]; t += int(table[tuple(p)[0] % 5].sum())
p = near[-1]; t += sum(p) + max(p) + min(p) + len(p)
p = near[-1]; x = x + np.asarray(p, float).sum()
p = near[-1]; q = list(p); q[0] = 7; t += q[0] + p[0]
p = near[-1]; q = p + [1]; t += len(q)
p = near[-1]; t += p == [3, 1]
p = near[-1]; t += [3, 1] == p
p = near[-1]; t += p != near[0]
p = near[-1]; t += p < [4, 4]
p = near[-1]; t += isinstance(p, list) + (type(p) is list)
p = near[-1]; t += 3 in p
p = near[-1]; t += sorted(p)[0]
p = near[-1]; q = p[:]; q[0] = 9; t += p[0]
p = near[-1]; q = p.copy(); q[0] = 9; t += p[0]
p = near[-1]; a, *b = p; t += a + len(b)
p = near[-1]; t += bool(p) + (not p) + (p is None)
p = near[-1]; p.append(4); t += len(near[-1])
p = near[-1]; del p[0]; t += len(near[-1])
p = near[-1]; p += [1]; t += len(near[-1])
p = near[-1]; p *= 2; t += len(near[-1])
p = near[-1]; p[0] += 1; t += near[-1][0]
q = near[:]; q[0][0] = 50; t += near[0][0]
q = list(near); q[0][0] = 50; t += near[0][0]
q = near.copy(); q[0][0] = 50; t += near[0][0]
q = near + []; q[0][0] = 50; t += near[0][0]
q = [p for p in near]; q[0][0] = 50; t += near[0][0]
q = [p for p in near if p[0] > 2]; t += len(q)
for p in near: t += p[0] * p[1]
for p in near: p[0] += 1
for a, b in near: t += a - b
for n, (a, b) in enumerate(near): t += a * n
p = min(near); t += p[0]
near.sort(); t += near[0][0]
near.reverse(); t += near[0][0]
t += near.index(near[-1])
p = near.pop(); near.append(p); p[0] = 33
p = near.pop(); near.append(p); t += near[-1][0]
p = near.pop(0); t += p[0]
near[0] = near[-1]; near[0][0] = 44
near[0] = [8, 8]; t += near[0][0]
near[0], near[-1] = near[-1], near[0]; t += near[0][0]
near.insert(0, [5, 5]); t += near[0][0]
near.extend([[6, 6]]); t += near[-1][0]
near += [[6, 6]]; t += near[-1][0]
near.append(near[0]); near[0][0] = 21
near.append([t, i]); q = near; t += len(q)
near.append([1.5, 2]); t += near[-1][0]
near.append([1, 2, 3]); t += near[-1][0]
near.append((1, 2)); t += near[-1][0]
p = near[0] if table[i % 5, 1] > 2 else near[-1]; t += p[0]
p = near[0] if table[i % 5, 1] > 2 else near[-1]; p[1] = 6
kept.append(near[-1])
kept.append(near)
kept.append(near[-1][0])
kept = near
t += len(repr(near[-1]))
t += len({tuple(p) for p in near})
d = {0: near[-1]}; d[0][0] = 12; t += near[-1][0]
t += any(p[0] > 2 for p in near) + all(p[0] > 2 for p in near)
t += max(near, key=lambda p: p[0])[1]
x[near[-1][0] % 3] += 1
x[[p[0] % 3 for p in near]] += 1
t += np.array(near).sum()
t += sum(p[0] for p in near)
t += near.count([3, 1])
near.clear(); near.append([1, 1])
near = [p for p in near]; near[0][0] = 7
near = near[::-1]; t += near[0][0]
a, b = near[-1], near[-1]; t += a is b
t += near[-1] is near[-1]
""".strip().splitlines()
PROGRAM = """
def program(x, table, n):
    t, kept, near, x = 0, [], [], x.copy()
    for i in range(n):
        {first}
        if table[i % 5, 0] > 1: near.append([i, 1])
        if table[i % 5, 2] > 1: near.append([t % 7, i])
        near.append([3, 1])
        {step}
    return t, kept, near, x
"""
ALWAYS = """
def program(x, table, n):
    t, kept, near, x = 0, [], [], x.copy()
    for i in range(n):
        {first}
        near.append([i, t % 7])
        {step}
    return t, kept, near, x
"""
OF_MADE = """
def program(x, table, n):
    t, kept, o, x = 0, [], Object(), x.copy()
    o.near = []
    for i in range(n):
        {first}
        o.near.append([i, t % 7])
        {step}
    return t, kept, o.near, x
"""
OF_OUTSIDE = """
def program(x, table, n, o):
    t, kept, x = 0, [], x.copy()
    o.near = []
    for i in range(n):
        {first}
        o.near.append([i, t % 7])
        {step}
    return t, kept, o.near, x
"""
OLDER = """
def program(x, table, n, o):
    t, kept, x = 0, [], x.copy()
    for i in range(n):
        {first}
        o.near.append([i, t % 7])
        {step}
    return t, kept, o.near, x
"""
TABLE = np.random.default_rng(0).integers(0, 5, (5, 5))


@pytest.mark.parametrize("first", ["near = []", "t += 1"])
@pytest.mark.parametrize("step", STEPS)
def test_steps(step, first):
    scope = {"np": np}
    exec(compile(PROGRAM.format(first=first, step=step), f"<{step}>", "exec"), scope)
    with dl.config.patch(strict=True):
        compiled = dl.compile(scope["program"])
        check(compiled, scope["program"], np.arange(3.0), TABLE, 60, calls=2)


class Object:
    def __init__(self):
        self.near = [[2, 3]]


@pytest.mark.parametrize("step", STEPS)
def test_steps_of_lists_that_grow_in_each_iteration(step):
    at = STEPS.index(step)
    text = (ALWAYS, OF_MADE, OF_OUTSIDE, OLDER)[at % 4]
    first = ("t += 1", "near = []")[at // 4 % 2]
    if "o." in text:
        first, step = (re.sub(r"\bnear\b", "o.near", part) for part in (first, step))
    scope = {"np": np, "Object": Object}
    exec(compile(text.format(first=first, step=step), f"<{step}>", "exec"), scope)
    more = [Object()] if text in (OF_OUTSIDE, OLDER) else []
    with dl.config.patch(strict=True):
        compiled = dl.compile(scope["program"])
        check(compiled, scope["program"], np.arange(3.0), TABLE, 60, *more, calls=2)
