"""A program as one LLVM function, `i32 @entry(ptr frame)`: 0 when done, 1 when it bails out."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....base.records import dataclass
from ....ir.types import Form
from ...loop_ir.products import Product
from ...loop_ir.program import Allocate, Launch, Output, Program, Rotate, Step, View, all_steps
from ..builder.target import Target
from . import calls, counted, flow, functions, inputs, launches, products  # noqa: F401  (they register steps)
from .arrays import box
from .draws import drawn_from
from .kernel_calls import offering
from .state import Entry


@dataclass(frozen=True, slots=True)
class EntryCode:
    """LLVM text of modules, each calls into those before it, and what the native entry needs beside
    the machine code."""

    texts: tuple[str, ...]
    n_inputs: int
    n_slots: int
    n_outputs: int
    constants: tuple[Any, ...]
    descrs: tuple[np.dtype, ...]
    counted: tuple[Step, ...]


def write_entry(
    program: Program, target: Target, begin: Callable[[str], object] = id
) -> EntryCode:
    """`begin` is given each module as soon as it is written."""
    entry = Entry(program, target, begin)
    slots_of_outputs(entry)
    entry.drawn_from = drawn_from(program.steps)
    inputs.bind(entry)
    for number, constant in enumerate(program.constants):
        entry.array(constant.buffer, entry.frame.constant(number))
    rotating(entry)
    entry.asked = counted.is_asked(entry)
    steps = memory_first(program)
    for step, ending in zip(steps, ends(program, steps)):
        counted.begin(entry, step)
        entry.step(step)
        release(entry, ending)
    made = made_by_steps(program)
    for number, output in enumerate(program.outputs):
        write_output(entry, number, output, made)
    return EntryCode(
        texts(entry),
        len(program.inputs),
        entry.n_slots,
        len(program.outputs),
        (*(c.value for c in program.constants), *entry.callables),
        tuple(entry.descrs),
        tuple(entry.counted),
    )


def slots_of_outputs(entry: Entry) -> None:
    """Results are in the first slots, and made there where a step makes their array."""
    entry.n_slots = len(entry.program.outputs)
    for number, output in enumerate(entry.program.outputs):
        if output.type.form is Form.ARRAY:
            entry.slots.setdefault(output.buffer.name, number)


def rotating(entry: Entry) -> None:
    """Buffers that change their memory have their address in the frame of the function."""
    for step in all_steps(entry.program.steps):
        if isinstance(step, Rotate):
            for buffer in (*step.into, *step.taken):
                if buffer.name not in entry.cells:
                    entry.cells[buffer.name] = entry.builder.stack("ptr")


def memory_first(program: Program) -> list[Step]:
    """The steps, where kernels and products follow one another with all their memory made before
    the first: to make it between them would take the GIL each time. Not behind the last use of an
    array, whose memory is there for the next one."""
    steps, ordered, place = program.steps, list[Step](), 0
    arrays = {s.buffer.name for s in steps if isinstance(s, Allocate) and s.kind == "array"}
    for step, ending in zip(steps, ends(program, steps)):
        if isinstance(step, Allocate):
            ordered.insert(place, step)
            place += 1
            continue
        ordered.append(step)
        if not isinstance(step, (Launch, Product)) or not arrays.isdisjoint(ending):
            place = len(ordered)
    return ordered


def ends(program: Program, steps: Sequence[Step]) -> list[list[str]]:
    """For each step the buffers that nothing after it uses."""
    last = {b.name: k for k, step in enumerate(steps) for b in (*step.reads, *step.writes)}
    lasting = {output.buffer.name for output in program.outputs}
    ending: list[list[str]] = [[] for _ in steps]
    for name, position in last.items():
        if name not in lasting:
            ending[position].append(name)
    return ending


def release(entry: Entry, names: Sequence[str]) -> None:
    for name in names:
        if name in entry.slots:
            entry.frame.call("release", "ptr %frame", f"i64 {entry.slots[name]}")


def made_by_steps(program: Program) -> set[str]:
    """The buffers whose ndarray was put into its slot by a step."""
    made = (step for step in all_steps(program.steps) if isinstance(step, (Allocate, View)))
    return {step.buffer.name for step in made}


def write_output(entry: Entry, number: int, output: Output, made: set[str]) -> None:
    name = output.buffer.name
    if output.type.form in (Form.SCALAR, Form.PYTHON):
        box(entry, number, output.type, entry.pointer(name))
    elif entry.slots.get(name) != number or name not in made:
        entry.frame.own(number, entry.objects[name])


def texts(entry: Entry) -> tuple[str, ...]:
    if entry.offers:
        entry.modules.add(offering())
    tables = (f"{name} = internal constant {what}" for what, name in entry.frame.tables.items())
    builder = entry.builder
    lines = ["entry:", *builder.allocas, *builder.head, *builder.lines]
    lines += ["  ret i32 0", "bail_out:", "  ret i32 1"]
    return entry.modules.finish([*tables], lines)
