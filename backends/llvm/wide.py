"""Size arithmetic that must not wrap: Python's ints have no end, machine words have."""
from __future__ import annotations

from ...ir.sizes import Opaque, Size, Symbol
from .elements import I64
from .emit import Builder, Value
from .frame import Frame
from .nest import emit_opaque

PAIR = "{ i64, i1 }"


def emit_checked(frame: Frame, size: Size, symbols: dict[str, Value]) -> Value:
    """The value of a size expression; the call is abandoned where 64 bits are too few."""
    builder = frame.builder
    if isinstance(size, int):
        return builder.integer(size)
    total: Value | None = None
    for monomial, factor in size.terms:
        term: Value | None = None if factor == 1 and monomial else builder.integer(factor)
        for atom in monomial:
            value = _atom(frame, atom, symbols)
            term = value if term is None else _checked(frame, "smul", term, value)
        assert term is not None
        total = term if total is None else _checked(frame, "sadd", total, term)
    assert total is not None
    return total


def _atom(frame: Frame, atom: Symbol | Opaque, symbols: dict[str, Value]) -> Value:
    if isinstance(atom, Symbol):
        return symbols[atom.name]
    left, right = (emit_checked(frame, side, symbols) for side in (atom.left, atom.right))
    return emit_opaque(frame.builder, atom.op, left, right)


def _checked(frame: Frame, operation: str, left: Value, right: Value) -> Value:
    builder: Builder = frame.builder
    name = f"@llvm.{operation}.with.overflow.i64"
    pair = builder.emit(f"call {PAIR} {name}(i64 {left.ref}, i64 {right.ref})")
    wraps = builder.emit(f"extractvalue {PAIR} {pair}, 1")
    frame.abandon_if(f"or i1 {wraps}, false")
    return Value(builder, builder.emit(f"extractvalue {PAIR} {pair}, 0"), I64)
