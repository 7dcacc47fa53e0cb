"""Programs with their kernels executed by Triton's interpreter equal NumPy."""
from __future__ import annotations

from typing import Any

import numpy as np
from dynamo_lite.backends.triton.backend import compile_for

from dynamo_lite.native import BAILOUT
from tests.backends.graphs import trace
from tests.backends.test_symbolic import retyped
from tests.triton.host import NoisyHost
from tests.triton.programs import PROGRAMS, Program
from tests.triton.rows import ROW_PROGRAMS

EVERY = {**PROGRAMS, **ROW_PROGRAMS}


ULPS = {"float_power": 2, "logaddexp": 3, "logaddexp2": 3}
"""Rows whose results differ by so many units in the last place at most, as NumPy's are off as well.
All others are the same to the bit."""


def equal(got: Any, want: Any, name: str) -> None:
    assert type(got) is type(want) and (got.dtype, got.shape) == (want.dtype, want.shape)
    if want.dtype.kind == "c":
        equal(got.real, want.real, name)
        equal(got.imag, want.imag, name)
        return
    if (ulps := ULPS.get(name.split()[0])) and want.dtype.kind == "f":
        with np.errstate(all="ignore"):
            apart = np.abs(got - want) > ulps * np.abs(np.spacing(want))
        assert not (apart | (np.isnan(got) != np.isnan(want)))[got != want].any()
    else:
        np.testing.assert_array_equal(got, want)
    if want.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(got)[want == 0], np.signbit(want)[want == 0])


def run(name: str, program: Program) -> None:
    graph = trace(program.function, *program.values)
    if program.symbolic:
        graph = retyped(graph, program.values, True)
    plan = compile_for(graph, NoisyHost())
    with np.errstate(all="ignore"):
        expected = program.function(*program.values)
        found = plan(*program.values)
    assert found is not BAILOUT
    expected = expected if isinstance(expected, tuple) else (expected,)
    for got, want in zip(found, expected, strict=True):
        equal(got, want, name)


def bails_out(program: Program) -> None:
    plan = compile_for(trace(program.function, *program.right), NoisyHost())
    assert plan(*program.right) is not BAILOUT
    assert plan(*program.values) is BAILOUT


def check(name: str) -> None:
    program = EVERY[name]
    bails_out(program) if program.right else run(name, program)
