"""What is known of the magnitudes of integers holds for all integers."""
import random

import numpy as np
import pytest
from dynamo_lite.backends.loop_ir import simplify
from dynamo_lite.backends.loop_ir.loops import Buffer, Check, Kernel, Load, Offset, Store
from dynamo_lite.backends.loop_ir.overflow import guarded_operation
from dynamo_lite.backends.loop_ir.program import Allocate, Launch, Loop, Program, Rotate, all_steps
from dynamo_lite.backends.lowering.scalars.numbers import CHECKS
from dynamo_lite.backends.passes.overflow_checks import RULES, Bound, drop_overflow_checks

from dynamo_lite.ir.types import array

INT64, INT8, BOOL = np.dtype("i8"), np.dtype("i1"), np.dtype(bool)
A, B, BYTE, OUTSIDE = Buffer("a", INT64), Buffer("b", INT64), Buffer("c", INT8), Buffer("o", INT64)
GOES_ON = Buffer("goes_on", BOOL)
COMPUTED = {
    "add": lambda x, y: x + y, "subtract": lambda x, y: x - y, "multiply": lambda x, y: x * y,
    "minimum": min, "maximum": max, "floor_divide": lambda x, y: x // (y or 1),
    "remainder": lambda x, y: x % (y or 1), "right_shift": lambda x, y: x >> abs(y % 64),
    "negative": lambda x, y: -x, "absolute": lambda x, y: abs(x),
}
UNARY = ("negative", "absolute")


def magnitudes(numbers):
    """A bound for each of two numbers, of the three kinds there are, with the largest integer."""
    largest = max(map(abs, numbers))
    for kinds in range(9):
        yield largest, [
            (Bound(most=abs(x)), Bound(times=1), Bound(times=1, more=3, most=7))[kinds // 3**k % 3]
            for k, x in enumerate(numbers)
        ]


@pytest.mark.parametrize("name", RULES)
def test_no_result_is_larger_than_its_bound(name):
    r = random.Random(name)
    for _ in range(400):
        numbers = [r.randrange(-(10**r.randrange(1, 12)), 10**r.randrange(1, 12)) for _ in "lr"]
        for largest, bounds in magnitudes(numbers):
            found = RULES[name](*bounds[: 1 if name in UNARY else 2])
            if found is not None:
                assert abs(COMPUTED[name](*numbers)) <= found.given(largest), (numbers, bounds)


def load(buffer):
    return Load(buffer, Offset(0))


def plus(left, right):
    return simplify.apply("add", (left, right), left.dtype)


def number(value, dtype=INT64):
    return simplify.const(value, dtype)


def kernel(*statements, axes=()):
    return Launch(Kernel("kernel", axes, statements))


def adds(buffer, left, right):
    """An addition that is checked, as lowering writes it."""
    result = plus(left, right)
    (condition,) = CHECKS["sum"](result, left, right)
    assert guarded_operation(condition) is result
    return kernel(Check(condition), Store(buffer, Offset(0), result))


def begin(*buffers, value=0):
    return kernel(*[Store(one, Offset(0), number(value, one.dtype)) for one in buffers])


CASES = {
    "a counter": (0, begin(A), Loop(GOES_ON, (adds(A, load(A), number(1)),))),
    "large steps": (1, begin(A), Loop(GOES_ON, (adds(A, load(A), number(2**40)),))),
    "large steps, a few": (0, begin(A), Loop(GOES_ON, (adds(A, load(A), number(2**40)),), 999)),
    "from a large number": (1, begin(A, value=2**62), Loop(
        GOES_ON, (adds(A, load(A), number(1)),))),
    "doubled": (1, begin(A), Loop(GOES_ON, (adds(A, load(A), load(A)),))),
    "of others": (1, begin(A), Loop(GOES_ON, (adds(A, load(A), load(OUTSIDE)),))),
    "of one that counts": (0, begin(A, B), Loop(GOES_ON, (
        adds(A, load(A), number(1)), adds(B, load(A), number(1))))),
    "of each other": (0, begin(A, B), Loop(GOES_ON, (
        adds(A, load(B), number(1)), adds(B, load(A), number(1))))),
    "doubled together": (2, begin(A, B), Loop(GOES_ON, (
        adds(A, load(B), number(1)), adds(B, load(A), load(B))))),
    "eight bits": (1, begin(BYTE), Loop(GOES_ON, (adds(BYTE, load(BYTE), number(1, INT8)),))),
    "eight bits, a few": (0, begin(BYTE), Loop(
        GOES_ON, (adds(BYTE, load(BYTE), number(1, INT8)),), 100)),
    "eight bits, too often": (1, begin(BYTE), Loop(
        GOES_ON, (adds(BYTE, load(BYTE), number(1, INT8)),), 128)),
    "taking turns": (2, begin(A, B), Loop(GOES_ON, (
        adds(A, load(A), number(1)), adds(B, load(B), number(1)), Rotate((A, B), (B, A))))),
    "not in a loop": (1, begin(A), adds(A, load(A), number(1))),
}


@pytest.mark.parametrize("case", CASES)
def test_checks_that_are_left(case):
    count, *steps = CASES[case]
    made = [Allocate(one, array(one.dtype, ()), "scratch") for one in (A, B, BYTE, GOES_ON)]
    program = drop_overflow_checks(Program((), (), {}, (*made, *steps), ()), lambda size: 1)
    kernels = [step.kernel for step in all_steps(program.steps) if isinstance(step, Launch)]
    assert sum(isinstance(s, Check) for one in kernels for s in one.statements) == count
