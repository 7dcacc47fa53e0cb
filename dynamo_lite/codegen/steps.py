"""Replacement functions without an instruction that only Python runs: as steps of the native core.

What follows a loop that is left by a side exit is mostly of that kind: the compiled graph, a few
calls of functions of ours, and the continuation. Without a frame of Python it takes a fraction.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import BuiltinMethodType, CodeType, FunctionType
from typing import Any

from ..base.records import dataclass, field
from ..bytecode.reading import Instruction, read
from ..bytecode.resume import parameters
from ..native import (
    BAILOUT,
    CONTINUATION,
    TAKE_OVER,
    Balance,
    NativeEntry,
    Steps,
    bound,
    move_behind,
)

Step = tuple[Any, ...]

MOST = 100
"""Steps, and values, of a function at most."""
OURS = (bound, move_behind)
"""Functions that run none of the program's code."""


class NotNative(Exception):
    """An instruction is for Python."""


@dataclass(frozen=True, slots=True)
class Constant:
    value: Any


@dataclass(frozen=True, slots=True)
class Outputs:
    """What a compiled graph gives: all of its outputs, or BAILOUT."""

    entry: NativeEntry
    first: int


@dataclass(frozen=True, slots=True)
class HasBailedOut:
    """Whether it has; the step of the graph leaves the function there."""


@dataclass(frozen=True, slots=True)
class Pays:
    """Whether it pays to go on in compiled form; asked where the branch on it is."""

    balance: Balance
    operands: tuple[int, ...]


NOTHING = Constant(object())
"""A NULL on the stack."""
Value = int | Constant | Outputs | HasBailedOut | Pays
"""A number is a register: those of the arguments come first."""


@dataclass(slots=True)
class Reading:
    """Follows the instructions of a replacement, one path after the other."""

    instructions: tuple[Instruction, ...]
    arguments: int
    steps: list[Step] = field(default_factory=list)
    registers: int = 0
    constants: list[Any] = field(default_factory=list)

    def path(self, at: int, stack: list[Value], locals: dict[str, Value]) -> None:
        """The steps from an instruction on."""
        while True:
            instruction = self.instructions[at] if at < len(self.instructions) else None
            if instruction is None or len(self.steps) > MOST or self.registers > MOST:
                raise NotNative
            if instruction.opname == "RETURN_VALUE":
                return self.leave(stack.pop())
            if instruction.opname == "POP_JUMP_IF_FALSE":
                at = self.branch(instruction, stack, locals)
                continue
            if (follow := FOLLOW.get(instruction.opname)) is None:
                raise NotNative
            follow(self, instruction, stack, locals)
            at += 1

    def branch(
        self, instruction: Instruction, stack: list[Value], locals: dict[str, Value]
    ) -> int:
        condition, target = stack.pop(), instruction.target
        assert target is not None
        if isinstance(condition, HasBailedOut):
            return target
        here = len(self.steps)
        self.steps.append(())
        self.path(instruction.index + 1, [*stack], {**locals})
        if isinstance(condition, Pays):
            test: Step = ("UNLESS_PAYS", condition.balance, condition.operands)
        else:
            test = ("UNLESS", self.operand(condition))
        self.steps[here] = *test, len(self.steps)
        return target

    def leave(self, value: Value) -> None:
        if isinstance(value, Constant) and isinstance(value.value, Continuation):
            function, *arguments = value.value.items
            self.steps.append(("GO_ON", function, tuple(map(self.operand, arguments))))
        else:
            self.steps.append(("RETURN", self.operand(value)))

    def operand(self, value: Value) -> int:
        """A register, or ~ the number of a constant."""
        if isinstance(value, int):
            return value
        if not isinstance(value, Constant) or value is NOTHING:
            raise NotNative
        self.constants.append(value.value)
        return ~(len(self.constants) - 1)

    def new_register(self, count: int = 1) -> int:
        first = self.arguments + self.registers
        self.registers += count
        return first

    # -- instructions

    def load_const(self, instruction: Instruction, stack: list[Value], locals: Any) -> None:
        stack.append(Constant(instruction.argval))

    def push_null(self, instruction: Instruction, stack: list[Value], locals: Any) -> None:
        stack.append(NOTHING)

    def load(self, instruction: Instruction, stack: list[Value], locals: Any) -> None:
        if instruction.argval not in locals:
            raise NotNative
        stack.append(locals[instruction.argval])

    def store(self, instruction: Instruction, stack: list[Value], locals: Any) -> None:
        locals[instruction.argval] = stack.pop()

    def delete(self, instruction: Instruction, stack: list[Value], locals: Any) -> None:
        if locals.pop(instruction.argval, None) is None:
            raise NotNative

    def pop(self, instruction: Instruction, stack: list[Value], locals: Any) -> None:
        stack.pop()

    def copy(self, instruction: Instruction, stack: list[Value], locals: Any) -> None:
        stack.append(stack[-instruction.arg])

    def swap(self, instruction: Instruction, stack: list[Value], locals: Any) -> None:
        stack[-1], stack[-instruction.arg] = stack[-instruction.arg], stack[-1]

    def invert(self, instruction: Instruction, stack: list[Value], locals: Any) -> None:
        """The caller has the arguments until the continuation is called, which nobody sees."""
        operand = stack.pop()
        if not isinstance(operand, Constant) or operand.value is not TAKE_OVER:
            raise NotNative
        stack.append(Constant(None))

    def test_identity(self, instruction: Instruction, stack: list[Value], locals: Any) -> None:
        right, left = stack.pop(), stack.pop()
        is_test = isinstance(right, Constant) and right.value is BAILOUT and not instruction.arg
        if not is_test or not isinstance(left, Outputs):
            raise NotNative
        stack.append(HasBailedOut())

    def unpack(self, instruction: Instruction, stack: list[Value], locals: Any) -> None:
        outputs = stack.pop()
        if not isinstance(outputs, Outputs) or outputs.entry.single:
            raise NotNative
        stack.extend(reversed(range(outputs.first, outputs.first + instruction.arg)))

    def call(self, instruction: Instruction, stack: list[Value], locals: Any) -> None:
        if instruction.kwnames:
            raise NotNative
        at = len(stack) - instruction.arg - 2
        values = [value for value in stack[at:] if value is not NOTHING]
        del stack[at:]
        function: Any = values[0].value if isinstance(values[0], Constant) else None
        arguments = tuple(map(self.operand, values[1:]))
        if isinstance(function, NativeEntry):
            first = self.new_register(function.n_outputs)
            self.steps.append(("RUN", function, arguments, first))
            stack.append(first if function.single else Outputs(function, first))
        elif _is_of_balance(function) and function.__name__ == "pays":
            stack.append(Pays(function.__self__, arguments))
        elif function in OURS or _is_of_balance(function):
            result = self.new_register()
            self.steps.append(("CALL", function, arguments, result))
            stack.append(result)
        else:
            raise NotNative

    def build_tuple(self, instruction: Instruction, stack: list[Value], locals: Any) -> None:
        """Only a continuation is built."""
        at = len(stack) - instruction.arg
        head, function, *arguments = stack[at:] if instruction.arg > 1 else [NOTHING, NOTHING]
        is_one = isinstance(head, Constant) and head.value is CONTINUATION
        if not is_one or not isinstance(function, Constant):
            raise NotNative
        del stack[at:]
        stack.append(Constant(Continuation((function.value, *arguments))))


@dataclass(frozen=True, slots=True)
class Continuation:
    """A function, and the values that it is called with."""

    items: tuple[Any, ...]


def _is_of_balance(function: Any) -> bool:
    return isinstance(function, BuiltinMethodType) and isinstance(function.__self__, Balance)


FOLLOW: Mapping[str, Callable[[Reading, Instruction, list[Value], Any], None]] = {
    "BUILD_TUPLE": Reading.build_tuple,
    "CALL": Reading.call,
    "COPY": Reading.copy,
    "DELETE_FAST": Reading.delete,
    "IS_OP": Reading.test_identity,
    "LOAD_CONST": Reading.load_const,
    "LOAD_FAST": Reading.load,
    "NOP": lambda reading, instruction, stack, locals: None,
    "POP_TOP": Reading.pop,
    "PUSH_NULL": Reading.push_null,
    "RESUME": lambda reading, instruction, stack, locals: None,
    "STORE_FAST": Reading.store,
    "SWAP": Reading.swap,
    "UNARY_INVERT": Reading.invert,
    "UNPACK_SEQUENCE": Reading.unpack,
}
"""What each instruction does; others are for Python."""


def in_steps(function: Any) -> Any:
    """A function that does the same natively, where there is one."""
    if not isinstance(function, FunctionType) or (steps := steps_of(function.__code__)) is None:
        return function
    return Steps(function, *steps)


def steps_of(code: CodeType) -> tuple[int, int, tuple[Step, ...], tuple[Any, ...]] | None:
    """How many arguments and registers, the steps, and their constants."""
    names = parameters(code)
    reading = Reading(read(code), len(names))
    locals: dict[str, Value] = {name: number for number, name in enumerate(names)}
    try:
        reading.path(0, [], locals)
    except NotNative:
        return None
    steps = over_ranges(reading.steps, reading.constants)
    return len(names), reading.registers, steps, tuple(reading.constants)


def over_ranges(steps: Sequence[Step], constants: Sequence[Any]) -> tuple[Step, ...]:
    """The steps with one where a graph runs between those that ask an iterator over a range for its
    next item and move it: there it begins. Nothing leads to it but the start."""
    if [step[0] for step in steps[:3]] != ["CALL", "RUN", "CALL"]:
        return tuple(steps)
    (_, asks, (iterator, *which), item), run, (_, moves, operands, _) = steps[:3]
    is_next = asks is bound and constants[~which[0]] == 0
    if not is_next or moves is not move_behind or operands[0] != iterator or operands[1] < 0:
        return tuple(steps)
    first = "ITERATE", *run[1:], iterator, item, operands[1]
    return first, *(_moved_up(step, 2) for step in steps[3:])


def _moved_up(step: Step, by: int) -> Step:
    return (*step[:-1], step[-1] - by) if step[0].startswith("UNLESS") else step
