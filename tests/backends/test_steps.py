"""A step says once, in its fields, which buffers it uses."""
from dataclasses import fields
from typing import get_args

import numpy as np
from dynamo_lite.backends.loop_ir.loops import Buffer
from dynamo_lite.backends.loop_ir.printing import print_program
from dynamo_lite.backends.loop_ir.products import Operand
from dynamo_lite.backends.loop_ir.program import Allocate, Program, Step
from dynamo_lite.backends.loop_ir.sizes_of import used_symbols
from dynamo_lite.backends.loop_ir.steps import READ, WRITE, Instruction, fields_with
from dynamo_lite.backends.passes.memory import rename_step

from dynamo_lite.base.records import dataclass, field
from dynamo_lite.ir.sizes import Size, symbol

F8 = np.dtype("f8")
A, B, C, D = (Buffer(name, F8) for name in "abcd")


@dataclass(frozen=True, slots=True)
class Shuffle(Instruction):
    """A step that nothing else knows."""

    out: tuple[Buffer, ...] = field(metadata=WRITE)
    source: Operand = field(metadata=READ)
    seed: Buffer | None = field(metadata=READ)
    count: Size

    text = "{0.out[0].name} = shuffle {0.count} of {0.source.buffer.name}"


STEP = Shuffle((A,), Operand(B, symbol("u0"), 1), C, symbol("u1"))


def test_what_a_new_step_uses_follows_from_its_fields():
    assert (STEP.reads, STEP.writes) == ((B, C), (A,))
    assert Shuffle((A,), Operand(B, 0, 1), None, 4).reads == (B,)
    assert used_symbols(STEP) == {"u0", "u1"}
    moved = rename_step(STEP, {B: D, A: C})
    assert moved == Shuffle((C,), Operand(D, symbol("u0"), 1), C, symbol("u1"))
    assert rename_step(STEP, {D: A}) is STEP


def test_a_new_step_prints():
    program = Program((), (), {}, (STEP,), ())
    assert print_program(program).splitlines()[0] == "a = shuffle u1 of b"


def test_every_buffer_of_a_step_has_a_role():
    for kind in get_args(Step):
        held = [one.name for one in fields(kind) if "Buffer" in one.type]
        without = {*held} - {*fields_with(kind, "read", "write")}
        assert without == ({"buffer"} if kind is Allocate else set()), kind
