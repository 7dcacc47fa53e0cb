"""Arrays that loops make longer, `h = np.append(h, x)`: each is another one, as NumPy makes it."""
import numpy as np
import pytest

import dynamo_lite as dl

from ..graphs import graph_of
from ..oracle import check

STEPS = """
t += 1
t += h[-1, 0]
t += h[-1] @ x
p = h[-1]; t += p[0] * p[1]
p = h[-1]; p[0] = 7
p = h[-1]; p += 1
p = h[0]; p *= 1.5; t += h[0, 1]
h[-1] += 1
h[0, 0] = 5
h += 1
h = h * 0.5
np.add(h, 1, out=h); t += h[0, 0]
np.multiply(h, 0.5, h); t += h[-1, 0]
np.negative(h[0], out=h[0]); t += h[0, 0]
np.copyto(h, 1); t += h[-1, 0]
np.copyto(h[0], x); t += h[0, 0]
np.put(h, [0], [4]); t += h[0, 0]
np.fill_diagonal(h, 3); t += h[0, 0]
np.random.seed(0); np.random.shuffle(h); t += h[0, 0]
h.T[0, 0] = 5; t += h[0, 0]
a = h.T; a += 1; t += h[0, 0]
h.ravel()[0] = 5; t += h[0, 0]
h.reshape(-1)[0] = 5; t += h[0, 0]
np.ravel(h)[1] = 4; t += h[0, 1]
np.asarray(h)[0, 0] = 6; t += h[0, 0]
np.atleast_2d(h)[0] = 9; t += h[0, 0]
np.squeeze(h)[..., 0] = 1; t += h[0, 0]
h.view()[0] = 4; t += h[0, 0]
h.flat[0] = 2; t += h[0, 0]
h.real[0, 0] = 3; t += h[0, 0]
h[:][0] = 4; t += h[0, 0]
h[...] = h * 0.5; t += h[0, 0]
h.shape = (-1, 2); t += h[0, 0]
h.sort(axis=0); t += h[0, 0]
np.add.at(h, 0, 2); t += h[0, 0]
h.setflags(write=False); t += h[0, 0]
a = np.asarray(h); h = np.vstack((h, x)); a[0, 0] = 6; t += h[0, 0]
a = h.copy(); a[0, 0] = 6; t += h[0, 0]
h = h[1:]
h = h[-20:]
h = h.copy()
h = h[::-1]
g = h; h = np.vstack((h, x)); t += len(g)
g = h; t += g is h
g = h[-1:]; h = np.vstack((h, x)); g[0, 0] = 8
g = np.vstack((h, x)); t += len(g) + len(h)
g = np.vstack((h, x)); h = np.vstack((h, x + 1)); t += g[-1, 0]
h, g = np.vstack((h, x)), h; t += len(g)
kept.append(h)
kept.append(h[-1])
kept.append(h[-1, 0])
kept.append(h.copy())
kept = h
kept = h[-1]
t += h.shape[0] * h.shape[1] + h.size + h.ndim + len(h)
t += h.sum() + h.mean() + h[:, 0].max()
t += h.sum(axis=0)[1] + np.mean(h, axis=1)[0]
t += np.linalg.norm(h[-1] - h[0])
t += (h > 1).sum() + np.any(h > 3)
t += np.argmin(h[:, 1])
t += h.T[0, -1] + h.ravel()[-1]
t += h.base is None
t += h.flags.owndata + h.flags.c_contiguous
t += bool(h[0, 0] > 0) and h[-1, 1] > 0
t += 1 if h else 2
t += x in h
for a in h: t += a[0]
for a in h: a += 1
for n, a in enumerate(h): t += n * a[1]
for i2 in range(len(h)): t += h[i2, 0]
for k in range(3): h = np.vstack((h, x + k))
if t % 3 > 1: h = np.vstack((h, x - 1))
if t % 3 > 1: h = np.vstack((h, x - 1)); t += h[-1, 0]
if t % 3 > 1: h = h * 2
if len(h) > 30: h = h[10:]
if len(h) > 30: h = np.zeros((1, 2))
if len(h) > 30: break
if len(h) > 30: return h, t
h = np.vstack((h, x, x + 1))
h = np.vstack((h, np.stack((x, x))))
h = np.vstack([h, [t, 1]])
h = np.vstack([h, [t, 1, 2]])
h = np.vstack((x, h))
h = np.vstack((h, h[-1]))
h = np.vstack((h, h))[-20:]
h = np.concatenate((h, x[None]))
h = np.concatenate([h, x.reshape(1, 2)], axis=0)
h = np.concatenate([h, x.reshape(1, 2)], -2)
h = np.concatenate([h, h[:1]], axis=1)
h = np.append(h, [x], axis=0)
h = np.append(h, [[t, i]], 0)
h = np.append(h, x)
h = np.append(h, x[:, None], axis=1)
h = np.vstack((h, x * 1j))
h = np.vstack((h, x.astype("f4")))
h = np.vstack((h, np.array([1, 2])))
h = np.vstack((h, x), dtype="f4")
h = np.row_stack((h, x)) if hasattr(np, "row_stack") and 0 else h
o = Object(); o.h = h; o.h[0, 0] = 3
f = lambda: h; t += f()[0, 0]
g = (h, 3); g[0][0, 0] = 12; t += h[0, 0]
h = np.vstack((h, np.log(x - 2)))
t += h[99, 0]
x = h[-1] * 0.5
x = h[-1]
x[0], x[1] = h[-1, 1], h[0, 0]
del h; h = np.ones((2, 2))
""".strip().splitlines()
PROGRAM = """
def program(x, n):
    t, kept, x = 0, [], x.copy()
    h = {start}
    for i in range(n):
        t = t % 1000
        x[i % 2] += 0.5
        h = np.vstack((h, x))
        {step}
    return t, kept, h, x
"""
STARTS = "np.zeros((1, 2))", "np.array([x, x])", "x.copy()", "np.empty((0, 2))", "x"


class Object:
    pass


@pytest.mark.filterwarnings("ignore:.*row_stack")
@pytest.mark.parametrize("step", STEPS)
def test_steps(step):
    start = STARTS[STEPS.index(step) % len(STARTS)]
    scope = {"np": np, "Object": Object}
    text = PROGRAM.format(step=step, start=start)
    exec(compile(text, f"<{step}>", "exec"), scope)
    with dl.config.patch(strict=True):
        compiled = dl.compile(scope["program"])
        check(compiled, scope["program"], np.arange(2.0), 50, calls=2)
        check(compiled, scope["program"], np.arange(2.0), 0, calls=2)


def numbers(x, n):
    h = np.array([])
    for i in range(n):
        x = x * 0.5 + i
        h = np.append(h, x[0])
    return h, h.sum()


def ints(x, n):
    h = np.array([], int)
    for i in range(n):
        h = np.append(h, i * 3)
    return h


def ints_that_become_floats(x, n):
    h = np.array([1, 2])
    for i in range(n):
        h = np.append(h, x[i % 2] * i)
    return h


def rows(x, n):
    h = x.copy()
    for _ in range(n):
        x = x * 0.5 + 1
        h = np.vstack((h, x))
    return h


def columns(x, n):
    h = x.reshape(2, 1)
    for _ in range(n):
        x = x * 0.5 + 1
        h = np.hstack((h, x.reshape(2, 1)))
    return h


def last_columns(x, n):
    h = np.zeros((2, 1))
    for _ in range(n):
        h = np.concatenate((h, (h[:, -1] * 0.5 + x)[:, None]), axis=1)
    return h


def where_it_matters(x, n):
    h = np.zeros((1, 2))
    for i in range(n):
        x = x * 0.9 + i
        if x[0] > 3:
            h = np.append(h, [x], axis=0)
    return h, len(h)


def until(x, n):
    h = np.array([x[1]])
    while h[-1] < n:
        h = np.hstack((h, h[-1] * 1.1 + 1))
    return h


def windows(x, n):
    h = np.zeros(0)
    for i in range(n):
        h = np.concatenate((h, x * i))
        if len(h) > 10:
            x = x + h[-4:].sum()
    return h


def with_operators(x, n):
    t, many = 0, 0
    h = np.zeros(1)
    for i in range(n):
        h = np.append(h, x[i % 2] * i)
        t += (h > 1).sum() + np.any(2 > -h)
        many = many + len(h[h == 2]) + h @ h + (2 * h - x[0])[-1]
    return h, t, many


def written_before(x, n):
    h = np.zeros((1, 2))
    scale = 2.0 if x.sum() > 2 else 3.0
    h[0] = x * scale
    h += 1
    for _ in range(n):
        x = x * 0.5 + scale
        h = np.vstack((h, x))
    return h


def written_behind(x, n):
    h = np.zeros(1)
    while h[-1] < n:
        h = np.append(h, h[-1] * 1.5 + x[1])
    h[0] = -1
    h[1:] += x[0]
    return h, h.sum()


def viewed_before(x, n):
    h = np.zeros((1, 2))
    first = h[0]
    if x.sum() > 2:
        first[1] = 5
    for _ in range(n):
        h = np.vstack((h, x))
    first[0] = 7
    return h, first


SIMPLE = [numbers, ints, ints_that_become_floats, rows, columns, last_columns, where_it_matters,
          until, windows, with_operators]
FUNCTIONS = [*SIMPLE, written_before, written_behind, viewed_before]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_joined_arrays_are_numpys(function):
    compiled = dl.compile(function)
    for n in (60, 0, 1, 50, 200):
        check(compiled, function, np.array([1.0, 2.0]), n)


@pytest.mark.parametrize("function", SIMPLE)
def test_no_iteration_is_unrolled_into_the_graph(function):
    assert len(graph_of(function, np.array([1.0, 2.0]), 150).nodes) < 60


def test_what_is_done_before_the_loop_breaks_no_graph():
    check(dl.compile(written_before, fullgraph=True), written_before, np.array([1.0, 2.0]), 60)
