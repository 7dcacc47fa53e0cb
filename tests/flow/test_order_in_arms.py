"""That one number is not above another, which a condition says, is known in its arm: their
difference is not negative. It is not known of what was written since."""
import numpy as np
import pytest
from dynamo_lite.backends.loop_ir.loops import Check
from dynamo_lite.backends.loop_ir.overflow import guarded_operation
from dynamo_lite.backends.loop_ir.program import Launch, all_steps
from dynamo_lite.backends.lowering.lower import lower

import dynamo_lite as dl
from dynamo_lite.ir.passes import optimize
from tests.graphs import graph_of
from tests.oracle import check

LEAST, MOST = np.iinfo(np.int64).min, np.iinfo(np.int64).max
WEIGHTS = {
    "positive": [3, 1, 7, 2, 9],
    "negative": [3, -2, 4, -1, 0],
    "far below": [2, LEAST, 1, MOST, 5],
    "nearly as far": [-20, LEAST + 10, LEAST + 30, 1, 2],
}


def knapsack(weights, n):
    best = np.zeros((len(weights) + 1, n), dtype=np.int64)
    for i in range(1, len(weights) + 1):
        for w in range(n):
            if weights[i - 1] <= w:
                best[i, w] = max(best[i - 1, w], best[i - 1, w - weights[i - 1]] + i)
            else:
                best[i, w] = best[i - 1, w]
    return best


def differences(weights, n):
    out = np.zeros((len(weights), n), dtype=np.int64)
    for i in range(len(weights)):
        for w in range(n):
            if w < weights[i]:
                out[i, w] = weights[i] - w
            elif w > weights[i]:
                out[i, w] = w - weights[i]
    return out


def of_what_it_changes(weights, n):
    """The element is another one behind what stores it."""
    own, out = weights.copy(), np.zeros(n, dtype=np.int64)
    for w in range(n):
        if own[0] <= w:
            own[0] = own[0] + 5
            out[w] = w - own[0]
    return own, out


def of_what_it_changes_in_place(weights, n):
    out = np.zeros(n, dtype=np.int64)
    for w in range(n):
        if weights[1] <= w:
            weights[1] = weights[1] + 7
            out[w] = w - weights[1]
        for _ in range(2):
            if w >= weights[2]:
                out[w] += w - weights[2]
                weights[2] += 1
    return out


def of_another_element(weights, n):
    out, k = np.zeros(n, dtype=np.int64), 0
    for w in range(n):
        if weights[k] <= w:
            k = (k + 1) % len(weights)
            out[w] = w - weights[k]
    return out


def of_small_integers(weights, n):
    small = np.clip(weights, -120, 120).astype(np.int8)
    total = 0
    for i in range(len(small)):
        for j in range(len(small)):
            if small[i] >= small[j]:
                total += int(small[i] - small[j])
    return total


def of_numbers(weights, n):
    total, low = 0, int(weights[1])
    for w in range(-n, n):
        high = w * 3
        if low < high:
            total += (high - low) % 1000
        if not low < high:
            total -= (low - high) % 77
    return total


PROGRAMS = (
    knapsack, differences, of_what_it_changes, of_what_it_changes_in_place, of_another_element,
    of_small_integers, of_numbers,
)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_results_and_errors_are_those_of_python(program, weights):
    for n in (1, 12, 40):
        check(dl.compile(program), program, np.array(WEIGHTS[weights]), n)


def test_the_sign_of_the_difference_is_all_that_is_checked():
    program = lower(optimize(graph_of(knapsack, np.array(WEIGHTS["positive"]), 300)))
    kernels = [one.kernel for one in all_steps(program.steps) if isinstance(one, Launch)]
    checks = [one.condition for kernel in kernels for one in kernel.statements
              if isinstance(one, Check)]
    assert sorted(condition.op for condition in checks) == ["greater_equal", "less"]
    assert not any(guarded_operation(condition) for condition in checks)
