"""Emitting raw instructions for the running CPython, in front of (or instead of) an existing body.

Jumps are relative in 3.11 and later, so the bytes of a function stay valid when something is
put in front: only the exception table, the line table and, when locals are added, the slot
numbers of cells have to move. That costs microseconds where rebuilding every instruction costs
milliseconds.
"""
from __future__ import annotations

import dis
from collections.abc import Sequence
from types import CodeType
from typing import Any

from ..base.records import dataclass
from ..errors import Unsupported
from ..native import IN_ONE_STEP, TAKE_OVER
from .code_tables import encode_exception_table, line_table
from .constants import Constants
from .reading import (
    BINARY_OPERATORS,
    CACHE_UNITS,
    CALLABLE_FIRST,
    VERSION,
    exception_table,
    raw_instructions,
    slot_names,
)

_OPCODE = dis.opmap
_EXTENDED_ARG = _OPCODE["EXTENDED_ARG"]
_JUMP_BACK = _OPCODE["JUMP_BACKWARD_NO_INTERRUPT"]
_NOP = _OPCODE["NOP"]
_HAS_ARGUMENT = dis.HAVE_ARGUMENT
_WITH_NAME = frozenset({"LOAD_ATTR", "STORE_ATTR", "DELETE_ATTR", "LOAD_GLOBAL"})
_WITH_FLAG_BIT = frozenset({"LOAD_GLOBAL", "LOAD_ATTR"} if VERSION >= (3, 12) else {"LOAD_GLOBAL"})
_WITH_SLOT = frozenset({"LOAD_FAST", "STORE_FAST", "DELETE_FAST", "LOAD_DEREF", "LOAD_CLOSURE"})
_RENAMED = {"LOAD_CLOSURE": "LOAD_FAST"} if VERSION >= (3, 13) else {}
_FORWARD = "_FORWARD" if VERSION < (3, 12) else ""
_JUMPS = {
    "JUMP": "JUMP_FORWARD",
    "POP_JUMP_IF_TRUE": f"POP_JUMP{_FORWARD}_IF_TRUE",
    "POP_JUMP_IF_FALSE": f"POP_JUMP{_FORWARD}_IF_FALSE",
    "POP_JUMP_IF_NONE": f"POP_JUMP{_FORWARD}_IF_NONE",
    "POP_JUMP_IF_NOT_NONE": f"POP_JUMP{_FORWARD}_IF_NOT_NONE",
    "FOR_ITER": "FOR_ITER",
}
_EFFECTS = {"JUMP": 0, "FOR_ITER": 1}


class Label:
    """A place to jump forward to, or `BODY`-relative: an offset in the original text."""

    __slots__ = ("body_offset", "offset")

    def __init__(self, body_offset: int | None = None) -> None:
        self.body_offset = body_offset
        self.offset = -1


@dataclass(frozen=True, slots=True)
class _Op:
    name: str
    operand: Any


@dataclass(frozen=True, slots=True)
class _Jump:
    name: str
    label: Label


@dataclass(frozen=True, slots=True)
class _Copy:
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Line:
    where: dis.Positions | None


@dataclass(frozen=True, slots=True)
class _Protect:
    """Exceptions of the instructions between the labels go to a place of the original text."""

    start: Label
    end: Label
    target: int
    depth: int
    lasti: bool


class Assembler:
    """An instruction sequence that shares the constants, names and slots of `code`.

    Slots (locals, cells, free variables) go by name; `add_local` makes new ones after the locals.
    Opnames are the canonical ones of `reading`. Operands: a slot or attribute by name, LOAD_CONST
    by value, BINARY_OP by symbol, anything else the number. Nothing is encoded before `finish`.

    `has_safepoints`: whether interrupts may be raised after calls. Where the frame may have to
    handle them, they wait until its variables are in place.
    """

    def __init__(self, code: CodeType, local_names: list[str] | None = None) -> None:
        self.code = code
        self.locals = list(code.co_varnames) if local_names is None else local_names
        self.depth = 0
        self.has_safepoints = not code.co_exceptiontable
        self._max_depth = 0
        self._items: list[_Op | _Jump | _Copy | _Line | Label] = []
        self._protected: list[_Protect] = []

    def append(self, other: Assembler) -> None:
        """What `other` emitted follows; it was made with the same list of locals."""
        assert other.locals is self.locals
        self._items += other._items
        self._protected += other._protected
        self._max_depth = max(self._max_depth, self.depth + other._max_depth)

    def add_local(self, stem: str) -> str:
        """A new local variable that no Python name can clash with."""
        name = f".{stem}{len(self.locals)}"
        self.locals.append(name)
        return name

    def emit(self, opname: str, operand: Any = 0) -> None:
        """One instruction with its caches."""
        self._items.append(_Op(opname, operand))
        number = _OPCODE[_RENAMED.get(opname, opname)]
        arg = operand if type(operand) is int and opname != "LOAD_CONST" else 0
        self._moved(
            dis.stack_effect(number, arg if number >= _HAS_ARGUMENT else None, jump=False)
        )

    def take_back_load(self, stems: tuple[str, ...]) -> str | None:
        """The new local with one of these stems that the last instruction pushes, which goes; None
        where it does something else."""
        last = self._items[-1] if self._items else None
        if not isinstance(last, _Op) or last.name != "LOAD_FAST":
            return None
        if not last.operand.startswith(stems):
            return None
        self._items.pop()
        self._moved(-1)
        return str(last.operand)

    def call(self, n: int) -> None:
        """Call with `n` positional arguments; the stack holds the callable and the arguments.

        With arguments, the first one takes the place of `self`, which spares the NULL.
        """
        if not self.has_safepoints:
            self.emit("BUILD_TUPLE", n + 1)
            self.emit("LOAD_CONST", IN_ONE_STEP)
            return self.emit("BINARY_OP", "@")
        if n == 0:
            self.emit("PUSH_NULL")
            if not CALLABLE_FIRST:
                self.emit("SWAP", 2)
        passed = max(n - 1, 0)
        if VERSION == (3, 11):
            self._items.append(_Op("PRECALL", passed))
        self._items.append(_Op("CALL", passed))
        self._moved(-passed - 1)

    def take_over(self) -> None:
        """The arguments of a continuation are its variables' alone from here on."""
        self.emit("LOAD_CONST", TAKE_OVER)
        self.emit("UNARY_INVERT")
        self.emit("POP_TOP")

    def jump(self, opname: str, label: Label) -> None:
        """A forward jump; conditional ones take a bool (3.13 tests nothing else). The label of
        FOR_ITER is what it names, which may lie before where it leads."""
        self._items.append(_Jump(_JUMPS[opname], label))
        self._moved(_EFFECTS.get(opname, -1))

    def place(self, label: Label, depth: int | None = None) -> None:
        """`label` is here; `depth` is the stack depth when it is only reached by jumps."""
        self._items.append(label)
        if depth is not None:
            self.depth = depth

    def test_truth(self) -> None:
        """Make the top of the stack a bool where the next conditional jump needs one."""
        if VERSION >= (3, 13):
            self.emit("TO_BOOL")

    def copy_original(self, start: int, end: int, effect: int) -> None:
        """Repeat bytes `start:end` of the original text, which moves the stack by `effect`."""
        self._items.append(_Copy(start, end))
        self._moved(effect)

    def at(self, where: dis.Positions | None) -> None:
        """What follows belongs to this place in the user's source (None: to no line)."""
        self._items.append(_Line(where))

    def protect(self, start: Label, end: Label, target: int, depth: int, lasti: bool) -> None:
        """Exceptions between two placed labels go to offset `target` of the original text."""
        self._protected.append(_Protect(start, end, target, depth, lasti))

    def _moved(self, effect: int) -> None:
        self.depth += effect
        self._max_depth = max(self._max_depth, self.depth)

    def finish(self, body: bool, **changes: Any) -> CodeType:
        """The code object: what was emitted, then (if `body`) the whole original text."""
        code = self.code
        if body:  # one unit that leads the running line back to where the body expects it
            self.at(dis.Positions(code.co_firstlineno, None, None, None))
            self.emit("NOP")
        encoded = _Encoder(code, self.locals)
        text = encoded.encode(self._items)
        shift = len(text)
        lines = line_table(encoded.lines, shift, code.co_firstlineno)
        table = [
            (p.start.offset, p.end.offset, p.target + shift, p.depth, p.lasti)
            for p in self._protected
        ]
        if body:
            text += encoded.moved_slots(0, len(code.co_code))
            lines += code.co_linetable
            table += [
                (start + shift, end + shift, target + shift, depth, lasti)
                for start, end, target, depth, lasti in exception_table(code)
            ]
        return code.replace(
            co_code=text,
            co_consts=Constants(encoded.consts),
            co_names=tuple(encoded.names),
            co_varnames=tuple(self.locals),
            co_nlocals=len(self.locals),
            co_linetable=lines,
            co_exceptiontable=encode_exception_table(table),
            co_stacksize=max(self._max_depth + 1, code.co_stacksize if body else 0),
            **changes,
        )


def jump_back(text: bytearray, at: int, to: int) -> bool:
    """Write a jump to an earlier offset over four bytes; False where it is too far away. Nothing
    is left of an instruction whose argument begins in there: it would be another one."""
    distance = (at + 4 - to) // 2
    if distance > 0xFFFF:
        return False
    end, is_cut = at + 4, text[at + 2] == _EXTENDED_ARG
    text[at:end] = bytes((_EXTENDED_ARG, distance >> 8, _JUMP_BACK, distance & 255))
    while is_cut:
        is_cut = text[end] == _EXTENDED_ARG
        text[end : end + 2] = bytes((_NOP, 0))
        end += 2
    return True


class _Encoder:
    """Items to bytes, once all locals are known."""

    def __init__(self, code: CodeType, local_names: list[str]) -> None:
        self.code = code
        self.consts: list[Any] = list(code.co_consts)
        self.names: list[str] = list(code.co_names)
        self.lines: list[tuple[int, dis.Positions | None]] = []
        self.slots = {name: index for index, name in enumerate(local_names)}
        outer = slot_names(code)[code.co_nlocals :]
        self.slots.update({name: len(local_names) + i for i, name in enumerate(outer)})
        self.shift = len(local_names) - code.co_nlocals
        self._const_index: dict[int, int] = {}
        self._text = bytearray()
        self._jumps: list[tuple[int, Label]] = []

    def encode(self, items: Sequence[_Op | _Jump | _Copy | _Line | Label]) -> bytes:
        for item in items:
            match item:
                case _Op(name, operand):
                    self._write(_RENAMED.get(name, name), self._argument(name, operand))
                case _Jump(name, label):
                    self._jumps.append((len(self._text), label))
                    self._text += bytes((_EXTENDED_ARG, 0))
                    self._write(name, 0)
                case _Copy(start, end):
                    self._text += self.moved_slots(start, end)
                case _Line(where):
                    self.lines.append((len(self._text), where))
                case Label():
                    item.offset = len(self._text)
        self._aim_jumps()
        return bytes(self._text)

    def _argument(self, name: str, operand: Any) -> int:
        if name == "LOAD_CONST":
            return self._const(operand)
        if name == "BINARY_OP":
            return BINARY_OPERATORS.index(operand)
        if name in _WITH_SLOT:
            return self.slots[operand]
        if name in _WITH_NAME:
            if operand not in self.names:
                self.names.append(operand)
            return self.names.index(operand) << (name in _WITH_FLAG_BIT)
        number: int = operand
        return number

    def _const(self, value: Any) -> int:
        """Constants go by identity: equal ones may differ in type or be mutable."""
        if (index := self._const_index.get(id(value))) is None:
            index = self._const_index[id(value)] = len(self.consts)
            self.consts.append(value)
        return index

    def _write(self, name: str, arg: int) -> None:
        number = _OPCODE[name]
        for shift in (24, 16, 8):
            if arg >> shift:
                self._text += bytes((_EXTENDED_ARG, arg >> shift & 255))
        self._text += bytes((number, arg & 255)) + bytes(2 * CACHE_UNITS.get(number, 0))

    def _aim_jumps(self) -> None:
        """Jumps are written with room for 16 bits; a label may be an offset in the body behind."""
        end = len(self._text)
        for start, label in self._jumps:
            base = start + 4 + 2 * CACHE_UNITS.get(self._text[start + 2], 0)
            target = label.offset if label.body_offset is None else end + label.body_offset
            distance = (target - base) // 2
            if not 0 <= distance <= 0xFFFF:
                raise Unsupported("the function is too long to be split")
            self._text[start + 1], self._text[start + 3] = distance >> 8, distance & 255

    def moved_slots(self, start: int, end: int) -> bytes:
        """Bytes of the original, cells and free variables behind the added locals."""
        text = bytearray(self.code.co_code[start:end])
        if not self.shift or len(self.slots) == self.code.co_nlocals + self.shift:
            return bytes(text)
        for raw in raw_instructions(self.code):
            if not start <= raw.offset < end or raw.opcode not in _USES_SLOT:
                continue
            if raw.opname in _USES_TWO or raw.arg < self.code.co_nlocals:
                continue
            at = raw.end - 2 * CACHE_UNITS.get(raw.opcode, 0) - start - 1
            if text[at] + self.shift > 255:
                raise Unsupported("the function has too many local variables to be split")
            text[at] += self.shift
        return bytes(text)


_USES_SLOT = frozenset(dis.haslocal) | frozenset(dis.hasfree)
_USES_TWO = frozenset({"LOAD_FAST_LOAD_FAST", "STORE_FAST_LOAD_FAST", "STORE_FAST_STORE_FAST"})
