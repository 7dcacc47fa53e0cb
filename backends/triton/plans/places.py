"""Which numbers of a program live on the host.

Loop counters, conditions and what is computed of sizes and of numbers need no GPU: NumPy computes
them, as eager code does, and kernels get them by value.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

from ....ir.tree import leaves
from ....ir.types import Form
from ...loop_ir.loops import Buffer, Expr, Kernel, Load, Scalar, Statement
from ...loop_ir.program import (
    Allocate,
    Bind,
    Branch,
    Extern,
    Launch,
    Loop,
    Program,
    Ref,
    Step,
    all_steps,
    with_blocks,
)
from ...loop_ir.rewrite import map_statement, replace_parts


def host_numbers(program: Program) -> frozenset[Buffer]:
    """The 0-d buffers that nobody needs as arrays, and whose contents follow from such numbers."""
    steps = list(all_steps(program.steps))
    given = {one.buffer for one in program.inputs
             if one.buffer is not None and one.type.form in (Form.SCALAR, Form.PYTHON)}
    made = {step.buffer for step in steps if isinstance(step, Allocate) and step.type.shape == ()}
    made -= {output.buffer for output in program.outputs if output.type.form is Form.ARRAY}
    found = {*given, *made}.difference(*map(_as_arrays, steps))
    found |= {buffer for step in steps for buffer in _returned(step)}
    kernels = [step.kernel for step in steps if isinstance(step, Launch)]
    while True:
        away = {buffer for kernel in kernels if not is_of_numbers(kernel, found)
                for buffer in kernel.writes if buffer in found}
        if not away:
            return frozenset(found)
        found -= away


def on_one_side(
    steps: tuple[Step, ...], numbers: frozenset[Buffer] | None = None
) -> Iterator[Step]:
    """The same steps, with the statements about numbers in kernels of their own where they were
    fused with others about single elements; each in its own as long as the numbers are unknown."""
    for step in steps:
        if isinstance(step, Launch) and not step.kernel.axes:
            yield from map(Launch, _sides(step.kernel, numbers))
        else:
            yield with_blocks(step, lambda inner: tuple(on_one_side(inner, numbers)))


def _sides(kernel: Kernel, numbers: frozenset[Buffer] | None) -> Iterator[Kernel]:
    def side(numbered: tuple[int, Statement]) -> object:
        number, statement = numbered
        alone = replace(kernel, statements=(statement,))
        return number if numbers is None else is_of_numbers(alone, numbers)

    for number, (_, found) in enumerate(groupby(enumerate(kernel.statements), side)):
        statements = tuple(statement for _, statement in found)
        yield replace(kernel, name=f"{kernel.name}_{number}", statements=statements)


def is_of_numbers(kernel: Kernel, numbers: set[Buffer] | frozenset[Buffer]) -> bool:
    """Whether the host can run a kernel: it reads and writes nothing but numbers."""
    return kernel.axes == () and numbers.issuperset((*kernel.reads, *kernel.writes))


def _as_arrays(step: Step) -> Iterator[Buffer]:
    """The buffers whose arrays a step uses."""
    if isinstance(step, Extern):
        for ref in leaves((step.args, step.kwargs), Ref):
            if ref.buffer is not None and (ref.type is None or ref.type.form is Form.ARRAY):
                yield ref.buffer
    elif isinstance(step, (Loop, Branch)):
        return  # the steps inside it are asked, and a condition may be on either side
    elif not isinstance(step, (Launch, Allocate, Bind)):
        yield from (*step.reads, *step.writes)


def _returned(step: Step) -> Iterator[Buffer]:
    if isinstance(step, Extern):
        for buffer, kind in zip(step.results, step.types):
            if kind.form in (Form.SCALAR, Form.PYTHON):
                yield buffer


def with_numbers(kernel: Kernel, numbers: frozenset[Buffer]) -> Kernel:
    """The kernel with these numbers as parameters, named as their buffers."""
    parts: dict[Expr, Expr] = {
        load: Scalar(load.buffer.name, load.dtype) for load in kernel.loads
        if isinstance(load, Load) and load.buffer in numbers
    }
    if not parts:
        return kernel
    statements = [map_statement(s, lambda e: replace_parts(e, parts)) for s in kernel.statements]
    return replace(kernel, statements=tuple(statements))
