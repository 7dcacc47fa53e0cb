"""Run in a process of its own: programs with their kernels executed by Triton's interpreter."""
from __future__ import annotations

import sys
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


def equal(got: Any, want: Any) -> None:
    assert type(got) is type(want) and (got.dtype, got.shape) == (want.dtype, want.shape)
    rtol = {"f": 2e-5, "e": 2e-3}.get(want.dtype.char, 1e-12)
    np.testing.assert_allclose(got, want, rtol=rtol, atol=1e-6 if rtol > 1e-12 else 0)
    if want.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(got)[want == 0], np.signbit(want)[want == 0])


def run(program: Program) -> None:
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
        equal(got, want)


def bails_out(program: Program) -> None:
    plan = compile_for(trace(program.function, *program.right), NoisyHost())
    assert plan(*program.right) is not BAILOUT
    assert plan(*program.values) is BAILOUT


def main(names: list[str]) -> None:
    for name in names:
        try:
            bails_out(EVERY[name]) if EVERY[name].right else run(EVERY[name])
        except Exception as error:
            print("different", name, type(error).__name__, str(error)[-600:].replace("\n", " "))
        else:
            print("equal", name)


if __name__ == "__main__":
    main(sys.argv[1:] or list(EVERY))
