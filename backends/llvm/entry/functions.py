"""Functions of numbers that call themselves: functions of LLVM beside the entry.

Each gets the frame of the call, where the time is counted after which signals are asked for, and
how many more calls there may be inside each other. It returns whether all went well, and a number.
Where it did not, because calls got too deep or were interrupted, the whole call bails out: nothing
has happened, Python runs it, and raises.
"""
from __future__ import annotations

import numpy as np

from ...loop_ir.loops import Buffer
from ...loop_ir.program import Call, CallAgain, Function, all_steps
from ..builder.elements import I64, scalar_type
from ..builder.externals import CALLS_LEFT
from ..builder.values import Value
from .flow import begin_inside, is_time, nanoseconds, poll
from .state import Entry, Inside, writes

KEPT = 128
"""Calls that the recursion limit allows and that are not made: the frames that are not there, of
the functions around, and then some."""
SMALL = 60  # steps of a function that is written once more where it calls itself
FRAME, VALUE, VARIABLE = 256, 8, 64
"""Bytes that a call takes of the stack, at most: for itself, for a value, and for a variable."""


@writes(Call)
def call(entry: Entry, step: Call) -> None:
    function = step.function
    if function not in entry.functions:
        entry.functions[function] = write_function(entry, function)
    begin_inside(entry, step)
    most = entry.builder.emit(f"call i64 @{CALLS_LEFT}(i64 {entry.functions[function]})")
    left = Value(entry.builder, most, I64) - KEPT
    numbers = [entry.builder.load(entry.pointer(one.name), one.dtype) for one in step.arguments]
    result(entry, f"@{function.name}", left, numbers, step.result)


@writes(CallAgain)
def call_again(entry: Entry, step: CallAgain) -> None:
    inside = entry.inside
    assert inside is not None
    numbers = [entry.builder.load(entry.pointer(one.name), one.dtype) for one in step.arguments]
    numbers += inside.parameters[len(numbers) :]
    left = inside.left - step.levels
    if inside.is_inlined or not is_inlined(inside.function):
        result(entry, f"@{inside.function.name}", left, numbers, step.result)
    else:
        entry.builder.store(inline(entry, inside.function, left, numbers),
                            entry.pointer(step.result.name))


def is_inlined(function: Function) -> bool:
    """Whether the function is written once more at the one place where it calls itself, which
    halves the calls. At several places LLVM would compile for longer than most of them gain."""
    steps = list(all_steps(function.program.steps))
    return len(steps) <= SMALL and sum(isinstance(step, CallAgain) for step in steps) == 1


def inline(entry: Entry, function: Function, left: Value, numbers: list[Value]) -> Value:
    made = Entry(function.program, entry.target)
    made.builder, made.frame, made.modules = entry.builder, entry.frame, entry.modules
    made.functions, made.errstate, made.patience = entry.functions, entry.errstate, entry.patience
    made.inside = Inside(function, numbers, left, is_inlined=True)
    return body(made)


def body(entry: Entry) -> Value:
    """Write the steps of a function; its number."""
    inside, builder, program = entry.inside, entry.builder, entry.program
    assert inside is not None
    scalars = [item.scalar for item in program.inputs if item.scalar is not None]
    entry.scalars = {one.name: value for one, value in zip(scalars, inside.parameters)}
    entry.frame.bail_out_unless(inside.left.gt(0))
    ask, go = builder.fresh("ask"), builder.fresh("go")
    spent = builder.integer(max(1, round(nanoseconds(program.steps))))
    builder.branch(is_time(entry, spent), ask, go, is_rare=True)
    builder.label(ask)
    poll(entry)
    builder.jump(go)
    builder.label(go)
    for step in program.steps:
        entry.step(step)
    (output,) = program.outputs
    return builder.load(entry.pointer(output.buffer.name), output.buffer.dtype)


def result(entry: Entry, name: str, left: Value, numbers: list[Value], made: Buffer) -> None:
    """Call a function, and store its number."""
    builder = entry.builder
    given = ", ".join(f"{one.type} {one.ref}" for one in (left, *numbers))
    kind = kind_of(made.dtype)
    both = builder.emit(f"call {kind} {name}(ptr %frame, ptr {time_left(entry)}, {given})")
    entry.frame.bail_out_unless(
        Value(builder, builder.emit(f"extractvalue {kind} {both}, 0"), np.dtype(bool)))
    number = Value(builder, builder.emit(f"extractvalue {kind} {both}, 1"), made.dtype)
    builder.store(number, entry.pointer(made.name))


def kind_of(dtype: np.dtype) -> str:
    """The type of what a function returns."""
    return f"{{ i1, {scalar_type(dtype)} }}"


def write_function(entry: Entry, function: Function) -> int:
    """Write a function; the bytes that a call of it takes of the stack, at most."""
    program = function.program
    made = Entry(program, entry.target)
    made.modules, made.functions, made.errstate = entry.modules, entry.functions, entry.errstate
    made.builder.has_branches, made.patience = True, "%patience"
    builder = made.builder
    scalars = [item.scalar for item in program.inputs if item.scalar is not None]
    parameters = [Value(builder, f"%p{place}", one.dtype) for place, one in enumerate(scalars)]
    made.inside = Inside(function, parameters, Value(builder, "%left", I64))
    number = body(made)
    kind = kind_of(program.outputs[0].buffer.dtype)
    pair = builder.emit(f"insertvalue {kind} {{ i1 true, {number.type} undef }}, {number}, 1")
    given = ", ".join(f"{one.type} {one.ref}" for one in parameters)
    lines = ["entry:", *builder.allocas, *builder.head, *builder.lines, f"  ret {kind} {pair}",
             "bail_out:", f"  ret {kind} zeroinitializer"]
    head = (f"define internal {kind} @{function.name}(ptr %frame, ptr %patience, i64 %left"
            f"{', ' if given else ''}{given}) #0")
    entry.modules.functions_of_program.append((head, lines))
    return FRAME + VALUE * len(lines) + VARIABLE * len(builder.allocas)


def time_left(entry: Entry) -> str:
    """Where it is counted how long nobody has asked for signals."""
    if entry.patience is None:
        is_time(entry, entry.builder.integer(0))
    assert entry.patience is not None
    return entry.patience
