"""Size arithmetic that must not wrap: Python's ints have no end, machine words have."""
from __future__ import annotations

from ....base.records import dataclass, field
from ....ir.sizes import Opaque, Size, Symbol
from .elements import BOOL
from .emit import Builder
from .frame import Frame
from .nest import emit_opaque
from .values import Value


def emit_checked(frame: Frame, size: Size, symbols: dict[str, Value]) -> Value:
    """The value of a size expression; the call bails out where 64 bits are too few."""
    checked = Checked(frame, symbols)
    value = checked.size(size)
    checked.settle()
    return value


@dataclass(slots=True)
class Checked:
    """Arithmetic whose overflows are collected in `wraps`: values mean something after `settle`."""

    frame: Frame
    symbols: dict[str, Value]
    wraps: list[str] = field(default_factory=list)

    @property
    def builder(self) -> Builder:
        return self.frame.builder

    def settle(self) -> None:
        if self.wraps:
            last, *others = self.wraps
            for wraps in others:
                last = self.builder.emit(f"or i1 {wraps}, {last}")
            self.frame.bail_out_if(f"or i1 {last}, false")
            self.wraps.clear()

    def size(self, size: Size) -> Value:
        if isinstance(size, int):
            return self.builder.integer(size)
        total: Value | None = None
        for monomial, factor in size.terms:
            term: Value | None = None if factor == 1 and monomial else self.builder.integer(factor)
            for atom in monomial:
                value = self._atom(atom)
                term = value if term is None else self._computed("smul", term, value)
            assert term is not None
            total = term if total is None else self._computed("sadd", total, term)
        assert total is not None
        return total

    def _atom(self, atom: Symbol | Opaque) -> Value:
        if isinstance(atom, Symbol):
            return self.symbols[atom.name]
        left, right = self.size(atom.left), self.size(atom.right)
        self.settle()
        return emit_opaque(atom.op, left, right)

    def _computed(self, operation: str, left: Value, right: Value) -> Value:
        result, wraps = overflowing(operation, left, right)
        self.wraps.append(wraps.ref)
        return result


def overflowing(operation: str, left: Value, right: Value) -> tuple[Value, Value]:
    """The result of `sadd`, `ssub`, `smul` or `umul` of two integers, and whether it wrapped."""
    kind, emit = left.type, left.builder.emit
    pair = f"{{ {kind}, i1 }}"
    name = f"@llvm.{operation}.with.overflow.{left.suffix}"
    found = emit(f"call {pair} {name}({kind} {left.ref}, {kind} {right.ref})")
    result, wraps = (emit(f"extractvalue {pair} {found}, {part}") for part in (0, 1))
    return left.like(result), left.like(wraps, BOOL)
