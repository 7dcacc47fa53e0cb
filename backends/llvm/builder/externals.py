"""Functions outside of generated code that it may call: NumPy's inner loops, and C's functions.

A loop of NumPy's gives the bits that NumPy gives, for one element or for many, and so does C's
function for Python's `math`. `declarations` says what a module has to declare, `addresses` where
the loader finds it.
"""
from __future__ import annotations

import re
import sys
from functools import cache

import numpy as np

from ....base.loading import loaded
from ....ir.ops.c_functions import UFUNCS
from ....ir.ops.columns import having
from ....native import _core

LOOPS = {row.name: row.target for row in having("approximated")}
"""Ufuncs that are not correctly rounded, so that two ways to compute them differ in last bits."""
LLVM_TYPES = {"f": "float", "d": "double"}
C_FUNCTIONS = {(row.name, char): name for row in having("c") for char, name in row.c.items()}
"""Operation and letter of a dtype → the function of C that computes it."""
C_TYPES = {
    name: (LLVM_TYPES[char], UFUNCS.get(row.target, row.target).nin)
    for row in having("c") for char, name in row.c.items()
}
"""What it takes and gives, and how many of these it takes."""
CALLS_LEFT = "python.calls_left"
"""The function that tells how many more calls inside each other Python's recursion limit allows,
and the stack if each takes so many bytes."""
DRAWS = "numpy.draw."
"""NumPy's functions of a bit generator that give a number of a distribution."""
MARKS = (b"numpy.loop.", b"libm.", CALLS_LEFT.encode(), DRAWS.encode())
_CALLED = re.compile(
    r"@(numpy\.loop\.\w+\.\w(?:\.data)?|libm\.\w+|python\.calls_left|numpy\.draw\.\w+)\b")


def loop_symbol(name: str, char: str) -> str:
    return f"numpy.loop.{name}.{char}"


def c_symbol(name: str) -> str:
    return f"libm.{name}"


SQUARE = "square.by.libm.pow"
SQUARE_TEXT = f"""\
define internal double @{SQUARE}(double %x) #0 {{
  %square = fmul double %x, %x
  %minus = fneg double %square
  %error = call double @llvm.fma.f64(double %x, double %x, double %minus)
  %distance = call double @llvm.fabs.f64(double %error)
  %bits = bitcast double %square to i64
  %exponent = and i64 %bits, {0x7FF << 52}
  %power = bitcast i64 %exponent to double
  %limit = fmul double %power, 0x{np.float64(0.45 * 2.0**-52).view(np.uint64):X}
  %is_near = fcmp olt double %distance, %limit
  %is_large = fcmp ogt double %square, 0x{np.float64(2.0**-900).view(np.uint64):X}
  %is_small = fcmp olt double %square, 0x{np.float64(2.0**900).view(np.uint64):X}
  %is_normal = and i1 %is_large, %is_small
  %is_known = and i1 %is_near, %is_normal
  br i1 %is_known, label %known, label %unknown
known:
  ret double %square
unknown:
  %called = call double @libm.pow(double %x, double 0x{np.float64(2.0).view(np.uint64):X})
  ret double %called
}}"""
"""`pow(x, 2.0)`. The C libraries of Linux compute it to 0.04 units in the last place before they
round (the worst error that glibc documents is 0.54), so a square within 0.45 of the exact one is
theirs too."""


def declarations(text: str) -> list[str]:
    """What a module with this text has to declare, or to define itself."""
    own = [SQUARE_TEXT] if f"@{SQUARE}(" in text else []
    return own + [_declaration(name) for name in sorted({*_CALLED.findall("".join([text, *own]))})]


def _declaration(name: str) -> str:
    if name.endswith(".data"):
        return f"@{name} = external global i8"
    if name == CALLS_LEFT:
        return f"declare i64 @{name}(i64)"
    if name.startswith(DRAWS):
        return f"declare double @{name}(ptr)"
    if name.startswith("numpy."):
        return f"declare void @{name}(ptr, ptr, ptr, ptr)"
    kind, operands = C_TYPES[name.removeprefix(c_symbol(""))]
    return f"declare {kind} @{name}({', '.join([kind] * operands)})"


def addresses() -> dict[str, int]:
    """Where everything lies in this process."""
    return {**of_numbers(), **of_draws()} if "numpy.random" in sys.modules else of_numbers()


@cache
def of_draws() -> dict[str, int]:
    """NumPy's functions that draw, for who has a generator."""
    known = loaded("....ir.random_memory", __package__).distributions()
    return {f"{DRAWS}{name}": address for name, address in known.items()}


@cache
def of_numbers() -> dict[str, int]:
    found = {c_symbol(name): _core.c_function(name) or 0 for name in C_TYPES}
    found[CALLS_LEFT] = _core.c_function("calls_left") or 0
    for name, ufunc in LOOPS.items():
        for char in LLVM_TYPES:
            loop = _core.ufunc_loop(ufunc, np.dtype(char).num)
            assert loop is not None, name
            function, data = loop
            symbol = loop_symbol(name, char)
            found[symbol] = function
            found[f"{symbol}.data"] = data or function  # a loop without data looks at none
    return found


def calls_outside(code: bytes) -> bool:
    """Whether an object file names one of the functions."""
    return any(mark in code for mark in MARKS)
