"""Branches that show something, and are hardly ever taken, stay out of the graph."""
import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import differences, outcome_of_copy


def newton(targets, tolerance):
    found = np.zeros(len(targets))
    for i in range(len(targets)):
        x, error, n = targets[i], 1.0, 0
        while abs(error) > 1e-12 and n < 50:
            error = (x * x - 2) / (2 * x)
            x = x - error
            n += 1
        if abs(error) > tolerance:
            print(f"no convergence at {i}: {error:.3g}")
        found[i] = x
    return found


def scaled_in_place(x, limit):
    x *= 2
    if x.max() > limit:
        print("large:", x.max())
    x += 1
    return x.sum()


def warn(text):
    print("warning:", text)


def by_helper(x, limit):
    y = x * 2
    for i in range(len(y)):
        if y[i] > limit:
            warn(y[i])
        y[i] = y[i] * 0.5
    return y


CASES = [
    (newton, np.linspace(1, 2, 90), 1e-6, -1.0),
    (scaled_in_place, np.linspace(1, 2, 5), 50.0, 1.0),
    (by_helper, np.linspace(1, 2, 90), 50.0, 3.99),
]


@pytest.mark.parametrize("function, x, never, often", CASES)
def test_what_is_shown_stays_and_the_rest_is_one_graph(function, x, never, often):
    compiled = dl.compile(function)
    for limit in (never, never, often, never, often):
        expected = outcome_of_copy(function, (x, limit))
        assert bool(expected.printed) == (limit == often)
        assert not differences(outcome_of_copy(compiled, (x, limit)), expected)
    found = dl.explain(function)(x.copy(), never)
    assert not found.breaks and found.graph_count == 1
    assert "runs in Python, where a call comes to" in str(found)
    assert "print has effects outside the program" in str(found) or "calling print" in str(found)


def test_arms_that_are_taken_often_are_compiled_again(capsys):
    compiled = dl.compile(scaled_in_place)
    for _ in range(20):
        compiled(np.ones(3), 1.0)
    assert capsys.readouterr().out == "large: 2.0\n" * 20
    (entry,) = compiled.entries()
    assert entry.bailouts == 0 and entry.hits > 10


def test_an_arm_that_is_taken_now_and_then_stays_cold(capsys):
    compiled = dl.compile(scaled_in_place)
    for i in range(200):
        compiled(np.ones(3), 1.0 if i % 50 == 49 else 9.0)
    (entry,) = compiled.entries()
    assert (entry.hits, entry.bailouts) == (196, 4)


def counted(x):
    for i in range(60):
        x = x * 0.5 + 1
        if i % 20 == 0:
            print(i)
    return x


def converges(x, tolerance):
    for i in range(60):
        y = x * 0.5 + 1
        if abs(y - x).max() < tolerance:
            print("converged")
            break
        x = y
    return x


def either(x):
    y = x * 2
    if y.sum() > 3:
        print("large")
    else:
        print("small")
    return y + 1


def other_print(x):
    y = x * 2
    if y.sum() > 3:
        y = y + own["print"](y)
    return y


own = {"print": lambda y: y * 2}


@pytest.mark.parametrize("function, arguments", [
    (counted, (np.ones(3),)), (converges, (np.ones(3), 1e-3)), (either, (np.ones(3),)),
])
def test_arms_that_are_bound_to_be_taken_are_not_cold(function, arguments):
    expected = outcome_of_copy(function, arguments)
    compiled = dl.compile(function)
    for _ in range(3):
        assert not differences(outcome_of_copy(compiled, arguments), expected)
    assert dl.explain(function)(*arguments).breaks
    assert all(not entry.bailouts for entry in compiled.entries())


def test_a_function_of_the_programs_is_followed_whatever_its_name():
    found = dl.explain(other_print)(np.ones(3))
    assert not found.breaks and "runs in Python, where" not in str(found)


def test_one_graph_that_is_asked_for_leaves_nothing_to_python():
    with pytest.raises(dl.errors.FullGraphRequired, match="print"):
        dl.compile(scaled_in_place, fullgraph=True)(np.ones(3), 9.0)
