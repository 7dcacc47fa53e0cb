"""What has been checked is not checked again while the variables that it is about stay the same."""
import numpy as np
import pytest
from dynamo_lite.backends.loop_ir import simplify
from dynamo_lite.backends.loop_ir.loops import Buffer, Check, Kernel, Load, Offset, Store
from dynamo_lite.backends.loop_ir.program import (
    Allocate,
    Branch,
    Launch,
    Loop,
    Program,
    all_steps,
)
from dynamo_lite.backends.passes.repeated_checks import drop_repeated_checks

import dynamo_lite as dl
from dynamo_lite.ir.types import array

BOOL, INT64 = np.dtype(bool), np.dtype("i8")
PLACE, J, OUTSIDE, GOES_ON = (Buffer(name, INT64) for name in ("i", "j", "outside", "goes_on"))
OWN = tuple(Allocate(one, array(INT64, ()), "scratch") for one in (PLACE, J, GOES_ON))


def below(buffer, limit):
    operands = Load(buffer, Offset(0)), simplify.const(limit, INT64)
    return Check(simplify.apply("less", operands, BOOL))


def stores(buffer):
    return Store(buffer, Offset(0), simplify.const(1, INT64))


def launch(*statements):
    return Launch(Kernel("kernel", (), statements))


def checks_left(*steps):
    program = drop_repeated_checks(Program((), (), {}, (*OWN, *steps), ()), lambda size: 1)
    kernels = [step.kernel for step in all_steps(program.steps) if isinstance(step, Launch)]
    return [s.condition for kernel in kernels for s in kernel.statements if isinstance(s, Check)]


CHECK = launch(below(PLACE, 10))
CASES = {
    "twice": (1, CHECK, CHECK),
    "in one kernel": (1, launch(below(PLACE, 10), stores(J), below(PLACE, 10))),
    "another limit": (2, CHECK, launch(below(PLACE, 11))),
    "changed between": (2, CHECK, launch(stores(PLACE)), CHECK),
    "another one changed": (1, CHECK, launch(stores(J)), CHECK),
    "memory of others": (2, *[launch(below(OUTSIDE, 10))] * 2),
    "before a branch": (1, CHECK, Branch(J, (CHECK,), (CHECK,))),
    "in one arm": (2, Branch(J, (CHECK,), ()), CHECK),
    "changed in one arm": (2, CHECK, Branch(J, (launch(stores(PLACE)),), ()), CHECK),
    "before a loop": (1, CHECK, Loop(GOES_ON, (CHECK,))),
    "changed in a loop": (2, CHECK, Loop(GOES_ON, (CHECK, launch(stores(PLACE))))),
    "changed in a loop, and behind": (2, CHECK, Loop(GOES_ON, (launch(stores(PLACE)),)), CHECK),
    "only in a loop": (2, Loop(GOES_ON, (CHECK,)), CHECK),
}


@pytest.mark.parametrize("case", CASES)
def test_checks_that_are_left(case):
    count, *steps = CASES[case]
    assert len(checks_left(*steps)) == count


def relaxes(x, at, by):
    changed = 0
    for k in range(len(at)):
        i = at[k]
        if x[i] > by:
            x[i] -= by
            i = i + 1
            x[i] += x[i - 1]
            changed += 1
    return changed


@pytest.mark.parametrize("last", [7, 8, -9, -10, 100])
def test_positions_are_checked_where_they_change(last):
    at = np.array([*np.arange(50) % 8, last])
    expected, given = np.arange(9.0), np.arange(9.0)
    outcomes = []
    for function, x in ((relaxes, expected), (dl.compile(relaxes), given)):
        try:
            outcomes.append(function(x, at, -1e9))
        except IndexError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]
    assert given.tobytes() == expected.tobytes()
