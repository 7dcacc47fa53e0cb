"""Lists of arrays that loops make longer: whatever is done with one of the arrays, it is that
array."""
import re

import numpy as np
import pytest

import dynamo_lite as dl

from ..graphs import graph_of
from ..oracle import check

STEPS = """
t += 1
p = h[-1]; t += p[0] * p[1]
p = h[-1]; p[0] = 7
p = h[-1]; p += 1
p = h[-1][:2]; p[0] = 4
h[-1] += 1
h[0][0] = 5
h[0] = x * 2
h[0], h[-1] = h[-1], h[0]
q = h[-1]; t += q is h[-1]
q = h[-1]; t += h[0] is h[-1]
kept.append(h[-1])
kept.append(h)
kept.append(h[-1][0])
kept.append(h[-1] + 1)
kept = h
kept = h[-1]
kept = h[0][1:]
h.pop()
a = h.pop(); a[0] = 3; h.append(a)
s = x * 3; h.append(s); s[0] = 99
s = x * 3; h.append(s); t += s[0]
s = x * 3; h.append(s); h.append(s)
s = x * 3; h.append(s); kept.append(s)
s = x * 3; h.append(s[:]); s[0] = 77
s = x * 3; v = s[1:]; h.append(s); v[0] = 50
s = x * 3; v = s; h.append(s); v[0] = 50
s = x * 3; v = [s]; h.append(s); v[0][0] = 50
s = x * 3; f = lambda: s; h.append(s); f()[0] = 50
s = x * 3; h.append(s.reshape(3)); s[0] = 77
h.append(x); x[0] = 5
h.append(x[:])
h.append(x[::-1])
h.append(x[:2] + 1)
h.append(x + 1j)
h.append(x.astype("f4"))
h.append(np.outer(x, x))
h.append(np.outer(x, x).T.copy("K"))
h.append(x[0])
h.append([1, 2])
h.append(None)
h.append(np.zeros(0))
for a in h: t += a.sum()
for a in h: a += 1
for n, a in enumerate(h): t += n * a[0]
for a, b in zip(h, h): t += a[0] * b[1]
t += sum(h)[0]
t += np.mean(h, axis=0)[1] + np.max(h) + np.min(h, 0)[0]
t += np.array(h).sum() + np.asarray(h)[-1, 0] + np.array(h, "f4")[0, 0]
t += np.stack(h)[-1, 1] + np.vstack(h)[0, 0] + np.concatenate(h)[-1]
t += np.array(h[-1])[0]
h.reverse(); t += h[0][0]
h.insert(0, x + 5); t += h[0][0]
h.extend([x + 5]); t += h[-1][0]
h += [x + 5, x + 6]; t += h[-1][0]
g = h[:]; g[0][0] = 50; t += h[0][0]
g = h.copy(); g.append(x); t += len(h)
g = list(h); g[0][0] = 50; t += h[0][0]
g = h + [x]; g[0][0] = 50; t += h[0][0]
g = h[1:]; t += len(g)
g = [a for a in h]; g[0][0] = 50; t += h[0][0]
g = [a[0] for a in h if a[1] > 2]; t += len(g)
t += any(a[0] > 2 for a in h) + all(a[0] > 2 for a in h)
t += max(h, key=lambda a: a[0])[1]
t += max(a[0] for a in h)
t += h.count(1) if t < 0 else len(h)
h.clear(); h.append(x + 1)
h = [x + 1]
h = []; h.append(x + 1); h.append(x + 2); t += h[1][0]
d = {0: h[-1]}; d[0][0] = 12; t += h[-1][0]
d = (h[-1], 3); d[0][0] = 12; t += h[-1][0]
t += h[-1].base is None
t += h[-1].flags.owndata + h[-1].flags.writeable
t += np.shares_memory(h[0], h[-1])
x = h[-1]; x[0] = 6
x = h[-1] * 0.5
x += h[-1]
x[0], x[1] = h[-1][1], h[0][0]
t += bool(h) + (not h)
t += h[0][i % 3] + h[i % len(h)][0]
t += h[99][0]
t += h[-1][9]
t += np.log(h[-1] - 2)[0]
if t % 3 > 1: h.append(x - 1)
if t % 3 > 1: h[-1][0] = 8
if t % 3 > 1: kept.append(h[-1])
""".strip().splitlines()
MADE = "x.copy()", "np.array([x[0], t, i])", "x * x"
LOCAL = """
def program(x, n):
    t, kept, h, x = 0, [], [], x.copy()
    for i in range(n):
        {first}
        x[i % 3] += 0.5
        h.append({made})
        {step}
    return t, kept, h, x
"""
STARTED = LOCAL.replace("h, x = 0, [], [],", "h, x = 0, [], [x + 0.25],")
OF_MADE = """
def program(x, n):
    t, kept, o, x = 0, [], Object(), x.copy()
    o.h = []
    for i in range(n):
        {first}
        x[i % 3] += 0.5
        o.h.append({made})
        {step}
    return t, kept, o.h, x
"""
OLDER = """
def program(x, n, o):
    t, kept, x = 0, [], x.copy()
    for i in range(n):
        {first}
        x[i % 3] += 0.5
        o.h.append({made})
        {step}
    return t, kept, o.h, x
"""
PROGRAMS = {"local": LOCAL, "started": STARTED, "of made": OF_MADE, "older": OLDER}


class Object:
    def __init__(self):
        self.h = [np.array([2.0, 3.0, 4.0])]


@pytest.mark.parametrize("step", STEPS)
def test_steps(step):
    program = [*PROGRAMS][STEPS.index(step) % len(PROGRAMS)]
    text, scope = PROGRAMS[program], {"np": np, "Object": Object}
    made = MADE[STEPS.index(step) % len(MADE)]
    if "o.h" in text:
        step = re.sub(r"(?<!\.)\bh\b", "o.h", step)
    text = text.format(first="t = t % 1000", step=step, made=made)
    exec(compile(text, f"<{step}>", "exec"), scope)
    more = [Object()] if program == "older" else []
    with dl.config.patch(strict=True):
        compiled = dl.compile(scope["program"])
        check(compiled, scope["program"], np.arange(3.0), 50, *more, calls=2)


def history(x, n):
    rows = []
    for i in range(n):
        x = x * 0.5 + i
        rows.append(x.copy())
    return np.array(rows), len(rows)


def returned(x, n):
    rows = [x * 2]
    for i in range(n):
        rows.append(rows[-1] * 0.5 + i)
    return rows


@pytest.mark.parametrize("function", [history, returned])
def test_histories_are_one_loop_of_the_graph(function):
    assert len(graph_of(function, np.arange(3.0), 200).nodes) < 20
    compiled = dl.compile(function, fullgraph=True)
    for n in (50, 0, 1, 300):
        check(compiled, function, np.arange(3.0), n)


def ends_early(x, n):
    rows = []
    for i in range(n):
        rows.append(x * i)
        if x[0] * i > 30:
            break
    return rows


def test_iterations_that_never_come_need_no_memory():
    check(dl.compile(ends_early), ends_early, np.arange(1.0, 3000.0), 10**7)


def starts_with_named(x, n):
    first = x * 2
    rows = [first]
    for _ in range(n):
        first[0] += 1
        rows.append(x + first[0])
    return rows, len(rows), rows[0] is first


def starts_with_viewed(x, n):
    first = x * 2
    part = first[1:]
    rows = [first]
    del first
    for _ in range(n):
        rows.append(x + part[0])
        part += 1
    return np.array(rows), rows


def starts_with_given(x, n):
    rows = [x]
    for i in range(n):
        rows.append(rows[-1] * 0.5)
        x[0] = i
    return rows, rows[0] is x


@pytest.mark.parametrize("function", [starts_with_named, starts_with_viewed, starts_with_given])
def test_arrays_with_other_names_stay_what_they_are(function):
    compiled = dl.compile(function)
    check(compiled, function, np.arange(3.0), 50)
    check(compiled, function, np.arange(3.0), 0)
