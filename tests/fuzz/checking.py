"""Running one random program compiled and in Python, call by call."""
from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

import dynamo_lite as dl

from ..oracle import Tolerance, differences, outcome
from .arguments import SIZES
from .programs import Program

ERRSTATES: tuple[dict[str, str], ...] = (
    {"all": "raise"}, {"all": "ignore"}, {"all": "warn"}, {"over": "raise"}, {"divide": "ignore"},
)  # fmt: skip


def calls(program: Program) -> Iterator[tuple[int, dict[str, str]]]:
    """Sizes and error states to call a program with: the first twice, then others."""
    rng = random.Random(program.seed + 1)
    others = list(range(1, len(SIZES)))
    rng.shuffle(others)
    yield 0, {}
    yield 0, {}
    yield others[0], {}
    yield rng.choice((0, others[0])), rng.choice(ERRSTATES)
    yield others[1], {}


def tolerance_of(program: Program) -> Tolerance:
    if program.exact and any(np.dtype(a.dtype).kind == "c" for a in program.arguments):
        eps = program.eps * 8  # NumPy's complex products depend on the memory's layout
        return Tolerance(eps, eps * min(program.scale, 1e12), False)
    if program.exact:
        return Tolerance(signed_zeros=program.zeros_have_signs)
    eps = program.eps * 256
    return Tolerance(eps, eps * min(program.scale, 1e12), False)


def has_numpys_bits(program: Program) -> bool:
    """Under `config.math = "numpy"`, but for complex products: see `tolerance_of`."""
    complex_ones = any(np.dtype(a.dtype).kind == "c" for a in program.arguments)
    return not complex_ones and "complex" not in program.source


def problems(program: Program, backend: Any, tolerance: Tolerance | None = None) -> list[str]:
    """Everything in which the compiled program differs from Python."""
    compiled = dl.compile(program.function, backend=backend)
    tolerance = tolerance or tolerance_of(program)
    for number, (variant, errstate) in enumerate(calls(program)):
        expected = outcome(program.function, program.build(variant), **errstate)
        found = outcome(compiled, program.build(variant), **errstate)
        if wrong := differences(found, expected, tolerance):
            return [f"call {number} with {SIZES[variant]} {errstate}: {what}" for what in wrong[:4]]
    return []


