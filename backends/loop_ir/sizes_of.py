"""Which symbols a step tells something about, and which it uses."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from ...base.records import dataclass, field
from ...ir.sizes import Opaque, Size, SizeExpr, is_unbacked, symbols
from ...ir.tree import leaves
from ...ir.types import ArrayType
from .loops import Check, Gather, Index, Kernel, Load, Offset, Reduce, SizeValue
from .program import Allocate, Bind, Count, Extern, Ref, Require, Step, blocks_of
from .steps import Record, fields_with


def told_by(step: Step) -> frozenset[str]:
    """The symbols that nothing may use before this step: those that it binds or checks."""
    match step:
        case Bind() | Count():
            return frozenset(() if step.symbol is None else (step.symbol,))
        case Extern():
            return frozenset(name for name, *_ in step.binds)
        case Require():
            return used_symbols(step)
    return frozenset().union(*(told_by(inner) for block in blocks_of(step) for inner in block))


def used_symbols(step: Step) -> frozenset[str]:
    """The symbols that depend on data which a step needs."""
    return _own(step).union(*(used_symbols(inner) for block in blocks_of(step) for inner in block))


@dataclass(frozen=True, slots=True)
class SymbolsOfSteps:
    """The same of many steps, which are looked at once however deep they lie in others."""

    found: dict[int, tuple[Step, frozenset[str]]] = field(default_factory=dict)

    def used(self, step: Step) -> frozenset[str]:
        known = self.found.get(id(step))
        if known is None:
            inner = (self.used(one) for block in blocks_of(step) for one in block)
            known = self.found[id(step)] = step, _own(step).union(*inner)
        return known[1]


def _own(step: Step) -> frozenset[str]:
    """What a step needs itself, without the steps in it."""
    blocks = fields_with(type(step), "block")
    own: Any = step
    if blocks:
        own = [getattr(step, one.name) for one in fields(step) if one.name not in blocks]
    return frozenset(name for size in _sizes(own) for name in symbols(size) if is_unbacked(name))


def _sizes(value: Any) -> Iterator[Size]:
    """Every size in a pytree of sizes, types, kernels and records."""
    for leaf in leaves(value):
        match leaf:
            case SizeExpr():
                yield leaf
            case Allocate(room=room, kind="scratch") if room is not None:
                yield room
            case ArrayType():
                yield from (*leaf.shape, *leaf.strides)
            case Kernel():
                yield from kernel_sizes(leaf)
            case Record() if not isinstance(leaf, Ref):
                yield from _sizes([getattr(leaf, one.name) for one in fields(leaf)])  # type: ignore[arg-type]


def kernel_sizes(kernel: Kernel) -> Iterator[Size]:
    """Every size that a kernel computes with."""
    yield from _counts(kernel)
    yield from _places(kernel)


def exact_sizes(kernel: Kernel) -> Iterator[Size]:
    """Those that mean nothing where they do not have 64 bits. The others say where elements are,
    and these are in memory: sums of them are right even if they wrap on the way."""
    yield from _counts(kernel)
    yield from (size for size in _places(kernel) if not is_sum(size))


def is_sum(size: Size) -> bool:
    """Whether a size is made of symbols with sums and products alone."""
    if isinstance(size, int):
        return True
    return not any(isinstance(atom, Opaque) for atoms, _ in size.terms for atom in atoms)


def _counts(kernel: Kernel) -> Iterator[Size]:
    for axis in kernel.axes:
        yield axis.extent
    for part in kernel.parts:
        match part:
            case SizeValue():
                yield part.size
            case Reduce():
                yield from (axis.extent for axis in part.axes)
            case Index():
                yield part.axis.extent
    for offset in _offsets(kernel):
        yield from (axis.extent for axis, _ in offset.strides)


def _places(kernel: Kernel) -> Iterator[Size]:
    for offset in _offsets(kernel):
        yield offset.constant
        yield from (stride for _, stride in offset.strides)
    for part in kernel.parts:
        if isinstance(part, Gather):
            yield from (stride for _, stride in part.indices)


def _offsets(kernel: Kernel) -> Iterator[Offset]:
    for statement in kernel.statements:
        if not isinstance(statement, Check):
            yield statement.offset
    for part in kernel.parts:
        if isinstance(part, (Load, Gather)):
            yield part.offset
