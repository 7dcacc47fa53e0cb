"""Which symbols a step tells something about, and which it uses."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...ir.sizes import Size, is_unbacked, symbols
from ...ir.tree import leaves
from ...ir.types import ArrayType
from .loops import Check, Gather, Index, Kernel, Load, Offset, Reduce, SizeValue
from .program import (
    Allocate,
    Bind,
    Branch,
    Count,
    Deposit,
    Extern,
    Extract,
    Launch,
    LogUndo,
    Loop,
    Product,
    Require,
    Step,
    View,
    blocks_of,
)


def told_by(step: Step) -> frozenset[str]:
    """The symbols that nothing may use before this step: those that it binds or checks."""
    match step:
        case Loop() | Branch():
            return frozenset().union(*(told_by(inner) for b in blocks_of(step) for inner in b))
        case Bind() | Count():
            return frozenset(() if step.symbol is None else (step.symbol,))
        case Extern():
            return frozenset(name for name, *_ in step.binds)
        case Require():
            return used_symbols(step)
    return frozenset()


def used_symbols(step: Step) -> frozenset[str]:
    """The symbols that depend on data which a step needs."""
    found = (name for size in _sizes(step) for name in symbols(size))
    return frozenset(filter(is_unbacked, found))


def _sizes(step: Step) -> Iterator[Size]:
    match step:
        case Launch():
            yield from kernel_sizes(step.kernel)
        case Loop() | Branch():
            for block in blocks_of(step):
                for inner in block:
                    yield from _sizes(inner)
        case Require():
            yield from (step.left, step.right)
        case Allocate():
            yield from _type_sizes(step.type)
        case View() | LogUndo():
            yield step.offset
            yield from _type_sizes(step.type)
        case Product():
            yield from step.sizes
            yield from (step.a.offset, step.a.leading, step.b.offset, step.b.leading)
            for stack in step.stacks:
                yield from (stack.extent, stack.a, stack.b, stack.out)
        case Count():
            yield step.n
        case Extract():
            yield from (step.count.n, step.offset, step.stride, *step.shape)
        case Deposit():
            yield from (step.count.n, step.start, step.step, step.offset, step.stride)
        case Extern():
            yield from (leaf for leaf in leaves((step.args, step.kwargs)) if _is_size(leaf))
            for type_ in step.types:
                yield from _type_sizes(type_)


def _is_size(leaf: Any) -> bool:
    return hasattr(leaf, "terms")


def _type_sizes(type_: ArrayType) -> Iterator[Size]:
    yield from type_.shape
    yield from type_.strides


def kernel_sizes(kernel: Kernel) -> Iterator[Size]:
    """Every size that a kernel computes with."""
    for axis in kernel.axes:
        yield axis.extent
    for statement in kernel.statements:
        if not isinstance(statement, Check):
            yield from _offset_sizes(statement.offset)
    for part in kernel.parts:
        match part:
            case Load():
                yield from _offset_sizes(part.offset)
            case Gather():
                yield from _offset_sizes(part.offset)
                yield from (stride for _, stride in part.indices)
            case SizeValue():
                yield part.size
            case Reduce():
                yield from (axis.extent for axis in part.axes)
            case Index():
                yield part.axis.extent


def _offset_sizes(offset: Offset) -> Iterator[Size]:
    yield offset.constant
    for axis, stride in offset.strides:
        yield axis.extent
        yield stride
