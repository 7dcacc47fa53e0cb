"""Numbers that compiled code draws are those of the methods of NumPy's generators and Python's."""
import itertools
import random

import numpy as np
import pytest
from dynamo_lite.backends.llvm.entry.draws import GENERATOR, LEGACY, PYTHON, known_draws

from dynamo_lite.native import draw_between, draw_from

KINDS = [np.random.MT19937, np.random.PCG64, np.random.Philox, np.random.SFC64]
ROWS = [(np.random.RandomState, name, row) for name, row in LEGACY.items()]
ROWS += [(np.random.Generator, name, row) for name, row in GENERATOR.items()]
FLOATS = (0.0, -0.0, 1.0, -1.0, 1e-310, 1e300, -1e300, np.inf, -np.inf, np.nan, 0.1)
WHOLE = (0, 1, -1, 5, 2**31, 2**32 - 1, 2**32, 2**62, -(2**63), 2**63 - 1)


class Mine(np.random.PCG64):
    """A bit generator of a program's own."""


@pytest.fixture(autouse=True, scope="module")
def known():
    """The core is told where NumPy's own functions are."""
    return known_draws()


def refused_as_none(method, *args):
    try:
        return method(*args)
    except (ValueError, OverflowError, ZeroDivisionError):
        return None


def equal(found, expected):
    return found == expected or (found != found and expected != expected)


def test_all_of_them_are_used(known):
    assert all(getattr(owner, name) in known for owner, name, _ in ROWS)
    assert {np.random.rand, np.random.normal, np.random.randint} <= known.keys()


@pytest.mark.parametrize("bits", [*KINDS, Mine])
@pytest.mark.parametrize("owner, name, row", ROWS, ids=[name for _, name, _ in ROWS])
def test_numbers_and_refusals(owner, name, row, bits):
    ours, theirs = owner(bits(3)), owner(bits(3))
    method = getattr(theirs, name)
    if row.number is None:
        cases = [(a, b) for a in WHOLE for b in WHOLE]
    else:
        cases = [(a, b)[: len(row.parameters)] for a in FLOATS for b in FLOATS]
    for case in cases:
        if row.number is None:
            found = draw_between(ours, row.masked, *case)
        else:
            found = draw_from(ours, row.number, *(*case, 0.0, 0.0)[:2])
        assert equal(found, refused_as_none(method, *case)), case
    assert ours.bytes(9) == theirs.bytes(9)


@pytest.mark.parametrize("name, row", PYTHON.items(), ids=[*PYTHON])
def test_numbers_of_pythons_own_generator(name, row):
    ours, theirs = random.Random(3), random.Random(3)
    method, many = getattr(theirs, name), len(row.parameters)
    assert getattr(random.Random, name) in known_draws()
    numbers = WHOLE if row.number is None else FLOATS
    for case in itertools.product(numbers, repeat=many) if many else [()] * 700:
        low, high = (*case, 0, 0)[:2]
        if row.number is not None:
            assert equal(draw_from(ours, row.number, low, high), refused_as_none(method, *case))
        elif (low < 63 or many == 2) and high + row.more < 2**63:
            found = draw_between(ours, row.masked, low, high + row.more)
            assert found == refused_as_none(method, *case)
    assert ours.getstate() == theirs.getstate()


class Watched(random.Random):
    """Its numbers are not those of its memory."""


def test_what_is_no_generator():
    for number in (PYTHON["random"].number, PYTHON["gauss"].number, 99):
        assert draw_from(Watched(3), number, 0, 1) is None
        assert draw_from(np.random.default_rng(1), number, 0, 1) is None
    assert draw_between(Watched(3), PYTHON["randint"].masked, 0, 5) is None
    assert draw_between(Watched(3), PYTHON["getrandbits"].masked, 5, 0) is None
    assert draw_from(random.Random(3), 0, 0, 1) is None
    assert draw_from(object(), 0, 0, 1) is None
    assert draw_from(np.random.default_rng(1), 99, 0, 1) is None
    assert draw_between([], 0, 0, 5) is None
