"""Conditions of several parts: the results of Python, and every instruction is traced once."""
import linecache
import warnings

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.tracer.frame.translator import Translator

X = np.concatenate([np.linspace(-1, 9, 57), [np.nan, np.inf, 0.0, 1.0, -0.0]])


def elif_chain(x):
    out = np.zeros(len(x))
    for i in range(len(x)):
        v = x[i]
        if 0.0 < v < 1.0 or 5.0 < v < 6.0:
            out[i] = 1.0
        elif 1.0 < v < 2.0 or 6.0 < v < 7.0:
            out[i] = 2.0
        elif not (2.0 < v < 3.0 or 7.0 < v < 8.0):
            out[i] = 3.0
        else:
            out[i] = 5.0
    return out


def several_kinds(x):
    out = np.zeros(len(x))
    for i in range(len(x)):
        v = x[i]
        if (0 < v < 1 or v > 8) and not (v == 0.5 or 0.7 < v < 0.8):
            out[i] = v
        elif v < 0 or (v != v and i > 3):
            continue
        out[i] += 2
    return out


def chosen_by_conditions(x):
    total = 0.0
    for v in x[:57]:
        total += 1.0 if v < 0 or 2 < v < 3 else (v if 4 < v < 5 and v != 4.5 else -1.0)
    return total


def outside_of_loops(x):
    s = x[:57].sum()
    if 0 < s < 1 or (10 < s < 1000 and x[0] < 0):
        y = x * 2
    elif s < 0 or s > 1e6:
        y = x + 1
    else:
        y = x - 1
    return y


def returned_from_within(x):
    s, m = x[:57].sum(), x[:57].max()
    if s > 0:
        if m > 100 or s > 1e9:
            return x + 1
        m += 1
    if s > 1:
        if m > 200 or s < 3:
            return x + 2
        m += 2
    return x * m


def left_from_within(x):
    a = b = 0.0
    for v in x[:57]:
        if v > 1:
            a += v
            if a > 70 or b < -5:
                break
        if v < 8 or a > 60:
            b -= 0.01
            if 2 < b < 3 or a > 90:
                break
        a += 0.5
    return a, b


def while_both(x):
    i, a = 0, 0.0
    while (i < 50 and x[i] < 7) or (50 <= i < 55 and a < 1e6):
        a += x[i]
        i += 1
        if a > 50 or -2 < a < -1.5:
            if x[i] > 6 or x[i] < 0:
                continue
            a -= 0.25
    return a, i


def assigned_in_conditions(x):
    a = t = 0.0
    for v in x[:57]:
        if ((t := v * 2) > 3 and a < 9) or (t := v - 1) > 0.5:
            a += t
    return a, t


def values_of_conditions(x):
    out = np.zeros(57)
    for i in range(57):
        out[i] = (x[i] > 3 and x[i] - 3) or (x[i] < 0 and -x[i]) or 0.5
    return out


def settled_in_the_second_round(x):
    a, total = x[3], 0.0
    for e in x[:50]:
        i = 0
        while i < 9 and ((not (0 <= a < 1) and (e > 3 or (a < 1e6 and e < 2))) or (-0.5 < a < 0.5)):
            i += 1
            a = 0.5 if e > 4 or a == 1.5 else 1.5
            total += a
    return a, total


PROGRAMS = [elif_chain, several_kinds, chosen_by_conditions, outside_of_loops,
            returned_from_within, left_from_within, while_both, assigned_in_conditions,
            values_of_conditions, settled_in_the_second_round]


@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize("function", PROGRAMS)
def test_equals_python(function, backend):
    compiled = dl.compile(function, backend=backend)
    for x in (X, -X, X[::-1].copy(), X * 0.25):
        with np.errstate(all="ignore"):
            found, expected = compiled(x.copy()), function(x.copy())
        np.testing.assert_equal(found, expected)
        assert type(found) is type(expected)


def chain(count, line, first="for i in range(len(x)):\n        v = x[i]", last="-1"):
    """A loop with so many branches, of which `line` is one."""
    lines = ["def f(x):", "    out = np.zeros(len(x))", "    a = 0.0", f"    {first}"]
    lines += ["        " + text for k in range(count) for text in line(k).split("\n")]
    text = "\n".join([*lines, "        out[i] += a", "    return out"])
    name, scope = f"<chain of {count}>", {"np": np}
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    exec(compile(text, name, "exec"), scope)
    return scope["f"]


LINES = [
    lambda k: f"{'el' if k else ''}if {k}.0 < v < {k}.5 or {k + 20} < v < {k + 21}: out[i] = {k}.0",
    lambda k: f"if v > {k} and a < 7 or v < {k - 9}:\n    a += 1.0\n    if a > {k + 5}: break",
    lambda k: f"a = 1.0 if {k} < v < {k + 1} or not (a < {k} or v > 9) else a",
    lambda k: f"if v > {k}:\n    if a > {k} or v == {k}: continue\n    a += 0.5",
]


def traced(function, monkeypatch):
    """How many instructions one call traces, and whether the result is that of Python."""
    count, interpret = [0], Translator.interpret

    def counting(tx):
        count[0] += 1
        interpret(tx)

    monkeypatch.setattr(Translator, "interpret", counting)
    compiled = dl.compile(function, backend="eager", fullgraph=True)
    np.testing.assert_equal(compiled(X.copy()), function(X.copy()))
    return count[0]


@pytest.mark.parametrize("line", LINES)
def test_as_many_instructions_as_there_are(line, monkeypatch):
    with np.errstate(all="ignore"):
        few, more, most = (traced(chain(n, line), monkeypatch) for n in (2, 4, 8))
    assert most - more <= 2 * (more - few) * 1.25


def test_ways_that_raise_are_traced_once(monkeypatch):
    def line(k):
        return f"if v > {k}:\n    if a > {k} + 1e6 or v == {k}.123: out[i] = [][0]\n    a += 0.5"

    with np.errstate(all="ignore"):
        few, more, most = (traced(chain(n, line), monkeypatch) for n in (2, 4, 8))
    assert most - more <= 2 * (more - few) * 1.25


def peeled(x):
    a = 3
    for i in range(len(x)):
        if x[i] > 0.5:
            a = a + x[i]
        else:
            a = a - x[i]
    return a


def test_rounds_before_a_loop_are_few(monkeypatch):
    assert traced(peeled, monkeypatch) < 150


def decides_nothing(x, c):
    total, low = 0.0, 3
    for i in range(len(x)):
        if x[i] / x[1] > 2 or not (-2 <= low < 0):
            total += 1.5
        if c[i] / c[1] == 2:
            pass
    return total


@pytest.mark.parametrize("zero", [(1, 2), (2, 1), (2, 2)])
def test_warnings_of_conditions_that_decide_nothing(zero):
    arguments = np.arange(1.0, 50), np.arange(1.0, 50) + 2j
    for values, index in zip(arguments, zero):
        values[1 if index == 1 else slice(0)] = 0
    compiled = dl.compile(decides_nothing, backend="llvm")
    told = []
    for function in (compiled, decides_nothing):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            assert function(*arguments) == 73.5
        told.append([str(one.message) for one in said])
    assert told[0] == told[1]


def stepped_one_way(x):
    a, rest = 0, iter((1, 2, 3))
    if x.sum() > 0:
        for v in rest:
            a += v
    else:
        a = 5
    for v in rest:
        a += v
    return a


@pytest.mark.parametrize("x", [np.ones(3), -np.ones(3)])
def test_an_iterator_is_stepped_by_the_arm_that_is_taken(x):
    assert dl.compile(stepped_one_way)(x) == stepped_one_way(x)
