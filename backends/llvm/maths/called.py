"""Elementary functions by NumPy's own inner loops, and by C's library: the same bits as in Python.

A loop is called with one vector of elements at a time. What NumPy does for an exponent that is the
same for all elements (a square, a root) its loop sees by a step of 0, which it is given here too.
"""
from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ..builder.elements import F64, literal_text, scalar_type
from ..builder.emit import Builder
from ..builder.externals import C_FUNCTIONS, LLVM_TYPES, LOOPS, SQUARE, c_symbol, loop_symbol
from ..builder.values import Value

Function = Callable[..., Value]
TWO = literal_text(F64, np.float64(2.0).tobytes())
POW_IS_BOUNDED = sys.platform == "linux"  # glibc's and musl's errors are documented


def numpy_loop(name: str) -> Function:
    """NumPy's inner loop of a ufunc, on the elements of vectors."""

    def called(*args: Value) -> Value:
        lanes = max(arg.lanes for arg in args)
        first = next(arg for arg in args if arg.lanes == lanes)
        builder, dtype = first.builder, first.dtype
        slots, steps = [], []
        for arg in args:
            slots.append(builder.stack(arg.type))
            builder.store(arg, slots[-1], 64)
            steps.append(dtype.itemsize if arg.lanes == lanes > 1 and not arg.literal else 0)
        slots.append(builder.stack(first.type))
        steps.append(dtype.itemsize)
        symbol = loop_symbol(name, dtype.char)
        arguments = (
            _array(builder, "ptr", slots), _array(builder, "i64", [lanes]),
            _array(builder, "i64", steps), f"@{symbol}.data",
        )
        builder.void(f"call void @{symbol}({', '.join(f'ptr {one}' for one in arguments)})")
        return builder.load(slots[-1], dtype, lanes, 64)

    return called


def _array(builder: Builder, kind: str, items: Sequence[str | int]) -> str:
    """An array on the stack."""
    array = builder.stack(kind, len(items))
    for place, item in enumerate(items):
        builder.void(f"store {kind} {item}, ptr {builder.offset(array, 8 * place)}, align 8")
    return array


def c_function(name: str) -> Function:
    """C's function, element by element."""

    def called(*args: Value) -> Value:
        lanes = max(arg.lanes for arg in args)
        args = tuple(arg.splat(lanes) for arg in args)
        first = args[0]
        if lanes == 1:
            return _scalar(name, args)
        made = "poison"
        for lane in range(lanes):
            one = _scalar(name, [_element(arg, lane) for arg in args])
            made = first.builder.emit(f"insertelement {first.type} {made}, {one}, i64 {lane}")
        return first.like(made)

    return called


def _element(vector: Value, lane: int) -> Value:
    element = vector.builder.emit(f"extractelement {vector}, i64 {lane}")
    return Value(vector.builder, element, vector.dtype)


def _scalar(name: str, args: Sequence[Value]) -> Value:
    first, operands = args[0], ", ".join(map(repr, args))
    kind = scalar_type(first.dtype)
    if name == "pow" and args[1].ref == TWO and first.builder.has_fma and POW_IS_BOUNDED:
        return first.like(first.builder.emit(f"call {kind} @{SQUARE}({first})"))
    return first.like(first.builder.emit(f"call {kind} @{c_symbol(name)}({operands})"))


BY_LOOP: Mapping[str, Function] = {name: numpy_loop(name) for name in LOOPS}
BY_C: Mapping[tuple[str, str], Function] = {
    called: c_function(name) for called, name in C_FUNCTIONS.items()
}


def function(name: str, value: Value) -> Function | None:
    """What computes the loop IR's operation `name` on values like this one with the bits that it
    has in Python; None where every way to compute it gives the same."""
    if value.dtype.char not in LLVM_TYPES:
        return None
    return BY_C.get((name, value.dtype.char)) or BY_LOOP.get(name)
