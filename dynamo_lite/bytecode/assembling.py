"""Emitting raw instructions for the running CPython, in front of (or instead of) an existing body.

Jumps are relative in 3.11 and later, so the bytes of a function stay valid when something is
put in front: only the exception table, the line table and, when locals are added, the slot
numbers of cells have to move. That costs microseconds where rebuilding every instruction costs
milliseconds.
"""
from __future__ import annotations

import dis
from collections.abc import Iterator, Sequence
from types import CodeType
from typing import Any

from ..errors import Unsupported
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
_WITH_NAME = frozenset({"LOAD_ATTR", "STORE_ATTR", "DELETE_ATTR", "LOAD_GLOBAL"})
_WITH_FLAG_BIT = frozenset({"LOAD_GLOBAL", "LOAD_ATTR"} if VERSION >= (3, 12) else {"LOAD_GLOBAL"})
_WITH_SLOT = frozenset({"LOAD_FAST", "STORE_FAST", "DELETE_FAST", "LOAD_DEREF"})
_FORWARD = "_FORWARD" if VERSION < (3, 12) else ""
_JUMPS = {
    "JUMP": "JUMP_FORWARD",
    "POP_JUMP_IF_TRUE": f"POP_JUMP{_FORWARD}_IF_TRUE",
    "POP_JUMP_IF_FALSE": f"POP_JUMP{_FORWARD}_IF_FALSE",
    "POP_JUMP_IF_NONE": f"POP_JUMP{_FORWARD}_IF_NONE",
    "POP_JUMP_IF_NOT_NONE": f"POP_JUMP{_FORWARD}_IF_NOT_NONE",
}


class Label:
    """A place to jump forward to; `Assembler.place` puts it."""

    __slots__ = ("jumps",)

    def __init__(self) -> None:
        self.jumps: list[int] = []


class Assembler:
    """An instruction sequence that shares the constants, names and slots of `code`.

    Slots (locals, cells, free variables) go by name; `add_local` makes new ones after the locals.
    Opnames are the canonical ones of `reading`. Operands: a slot or attribute by name, LOAD_CONST
    by value, BINARY_OP by symbol, anything else the number.
    """

    def __init__(self, code: CodeType) -> None:
        self.code = code
        self.consts: list[Any] = list(code.co_consts)
        self.names: list[str] = list(code.co_names)
        self.locals: list[str] = list(code.co_varnames)
        self.outer: tuple[str, ...] = slot_names(code)[len(code.co_varnames) :]
        self.text = bytearray()
        self.lines: list[tuple[int, dis.Positions | None]] = []
        self.handlers: list[tuple[int, int, int, int, bool]] = []
        self.depth = 0
        self.max_depth = 0
        self._const_index: dict[int, int] = {}
        self._frozen_slots = False

    # Locals are added first, then slots are referred to: adding one moves the cells.

    def add_local(self, name: str) -> str:
        """A new local; only before the first instruction that names a cell or free variable."""
        if self._frozen_slots and self.outer:
            raise AssertionError("locals are added before cells are used")
        self.locals.append(name)
        return name

    def slot(self, name: str) -> int:
        if name in self.outer and name not in self.locals:
            self._frozen_slots = True
            return len(self.locals) + self.outer.index(name)
        return self.locals.index(name)

    def emit(self, opname: str, operand: Any = 0) -> None:
        """One instruction with its caches."""
        name, arg = self._encode(opname, operand)
        effect = dis.stack_effect(
            _OPCODE[name], arg if _OPCODE[name] >= dis.HAVE_ARGUMENT else None, jump=False
        )
        self._write(name, arg)
        self._moved(effect)

    def _encode(self, opname: str, operand: Any) -> tuple[str, int]:
        if opname == "LOAD_CONST":
            return opname, self._const(operand)
        if opname == "BINARY_OP":
            return opname, BINARY_OPERATORS.index(operand)
        if opname in _WITH_SLOT:
            return opname, self.slot(operand)
        if opname == "LOAD_CLOSURE":
            return ("LOAD_FAST" if VERSION >= (3, 13) else opname), self.slot(operand)
        if opname in _WITH_NAME:
            index = self._name(operand)
            return opname, index << 1 if opname in _WITH_FLAG_BIT else index
        return opname, operand

    def _write(self, name: str, arg: int) -> None:
        number = _OPCODE[name]
        for shift in (24, 16, 8):
            if arg >> shift:
                self.text += bytes((_EXTENDED_ARG, arg >> shift & 255))
        self.text += bytes((number, arg & 255)) + bytes(2 * CACHE_UNITS.get(number, 0))

    def _moved(self, effect: int) -> None:
        self.depth += effect
        self.max_depth = max(self.max_depth, self.depth)

    def _const(self, value: Any) -> int:
        """Constants go by identity: equal ones may differ in type or be mutable."""
        if (index := self._const_index.get(id(value))) is None:
            index = self._const_index[id(value)] = len(self.consts)
            self.consts.append(value)
        return index

    def _name(self, name: str) -> int:
        if name not in self.names:
            self.names.append(name)
        return self.names.index(name)

    def push_null(self) -> None:
        self.emit("PUSH_NULL")

    def call(self, n: int) -> None:
        """Call with `n` positional arguments; the stack holds the callable and the arguments.

        With arguments, the first one takes the place of `self`, which spares the NULL.
        """
        if n == 0:
            self.push_null()
            if not CALLABLE_FIRST:
                self.emit("SWAP", 2)
        passed = max(n - 1, 0)
        if VERSION == (3, 11):
            self._write("PRECALL", passed)
        self._write("CALL", passed)
        self._moved(-passed - 1)

    def call_keywords(self) -> None:
        """Call with the stack `callable, tuple, dict`."""
        self.push_null()
        if not CALLABLE_FIRST:
            self.emit("SWAP", 4)
        self.emit("SWAP", 3)
        self.emit("SWAP", 2)
        self.emit("CALL_FUNCTION_EX", 1)

    def jump(self, opname: str, label: Label) -> None:
        """A forward jump; conditional ones take a bool (3.13 tests nothing else)."""
        name = _JUMPS[opname]
        label.jumps.append(len(self.text))
        self.text += bytes((_EXTENDED_ARG, 0))
        self._write(name, 0)
        self._moved(0 if opname == "JUMP" else -1)

    def place(self, label: Label, depth: int | None = None) -> None:
        """`label` is here; `depth` is the stack depth when it is only reached by jumps."""
        for start in label.jumps:
            base = start + 4 + 2 * CACHE_UNITS.get(self.text[start + 2], 0)
            distance = (len(self.text) - base) // 2
            if distance > 0xFFFF:
                raise Unsupported("the rewritten function is too long")
            self.text[start + 1], self.text[start + 3] = distance >> 8, distance & 255
        if depth is not None:
            self.depth = depth

    def test_truth(self) -> None:
        """Make the top of the stack a bool where the next conditional jump needs one."""
        if VERSION >= (3, 13):
            self.emit("TO_BOOL")

    def copy_original(self, start: int, end: int, effect: int) -> None:
        """Repeat bytes `start:end` of the original, its slots moved as far as locals were added."""
        self.text += self._moved_slots(self.code.co_code[start:end], start)
        self._moved(effect)

    def at(self, positions: dis.Positions | None) -> None:
        """What follows belongs to this place in the user's source (None: to no line)."""
        self.lines.append((len(self.text), positions))

    def protect(self, start: int, end: int, target: int, depth: int, lasti: bool) -> None:
        """Exceptions in `start:end` of the new text go to offset `target` of the *body*."""
        self.handlers.append((start, end, target, depth, lasti))

    def _moved_slots(self, text: bytes, offset: int = 0) -> bytes:
        shift = len(self.locals) - self.code.co_nlocals
        if not shift or not self.outer:
            return text
        return _shift_cells(self.code, text, offset, shift)

    def finish(self, body: bool, **changes: Any) -> CodeType:
        """The code object: what was emitted, then (if `body`) the whole original text."""
        code = self.code
        if body:  # one unit that leads the running line back to where the body expects it
            self.at(dis.Positions(code.co_firstlineno, None, None, None))
            self.emit("NOP")
        shift = len(self.text)
        text, lines = bytes(self.text), line_table(self.lines, shift, code.co_firstlineno)
        table = [(s, e, t + shift, d, i) for s, e, t, d, i in self.handlers]
        stack = self.max_depth + 1
        if body:
            text += self._moved_slots(code.co_code)
            lines += code.co_linetable
            table += [
                (start + shift, end + shift, target + shift, depth, lasti)
                for start, end, target, depth, lasti in exception_table(code)
            ]
            stack = max(stack, code.co_stacksize)
        return code.replace(
            co_code=text,
            co_consts=tuple(self.consts),
            co_names=tuple(self.names),
            co_varnames=tuple(self.locals),
            co_nlocals=len(self.locals),
            co_linetable=lines,
            co_exceptiontable=encode_exception_table(table),
            co_stacksize=stack,
            **changes,
        )


def _shift_cells(code: CodeType, text: bytes, offset: int, shift: int) -> bytes:
    """`text` (at `offset` of the code) with the slot numbers of cells and free variables moved."""
    moved = bytearray(text)
    for raw in raw_instructions(code):
        if not offset <= raw.offset < offset + len(text) or raw.opcode not in _USES_SLOT:
            continue
        if raw.opname in _USES_TWO or raw.arg < code.co_nlocals:
            continue
        at = raw.end - 2 * CACHE_UNITS.get(raw.opcode, 0) - offset - 1
        if moved[at] + shift > 255:
            raise Unsupported("the function has too many local variables to be split")
        moved[at] += shift
    return bytes(moved)


_USES_SLOT = frozenset(dis.haslocal) | frozenset(dis.hasfree)
_USES_TWO = frozenset({"LOAD_FAST_LOAD_FAST", "STORE_FAST_LOAD_FAST", "STORE_FAST_STORE_FAST"})


def encode_exception_table(rows: Sequence[tuple[int, int, int, int, bool]]) -> bytes:
    """The inverse of `reading.exception_table`; rows are sorted by start and do not overlap."""
    table = bytearray()
    for start, end, target, depth, lasti in rows:
        entry = bytearray(_table_number(start // 2))
        entry[0] |= 128
        for number in ((end - start) // 2, target // 2, depth << 1 | lasti):
            entry += _table_number(number)
        table += entry
    return bytes(table)


def _table_number(value: int) -> bytes:
    """Six bits to a byte, most significant first, bit 6 set on all but the last."""
    digits = [value & 63]
    while value := value >> 6:
        digits.insert(0, value & 63 | 64)
    return bytes(digits)


def line_table(
    marks: Sequence[tuple[int, dis.Positions | None]], end: int, first_line: int
) -> bytes:
    """Location entries for `end` bytes; a mark holds until the next one."""
    table, line = bytearray(), first_line
    bounds = [at for at, _ in marks[1:]] + [end]
    table += _no_line(marks[0][0] // 2 if marks else end // 2)
    for (start, where), stop in zip(marks, bounds):
        if where is None or where.lineno is None:
            table += _no_line((stop - start) // 2)
            continue
        for units in _runs((stop - start) // 2):
            table += _located(units, where, where.lineno - line)
            line = where.lineno
    return bytes(table)


def _runs(units: int) -> Iterator[int]:
    """An entry covers at most 8 code units."""
    while units > 0:
        yield min(units, 8)
        units -= 8


def _no_line(units: int) -> bytes:
    return bytes(0x80 | 15 << 3 | run - 1 for run in _runs(units))


def _located(units: int, where: dis.Positions, delta: int) -> bytes:
    """The long form when columns are known, else the form without columns (PEP 657)."""
    line, end_line, column, end_column = where
    signed = delta << 1 if delta >= 0 else -delta << 1 | 1
    if line is None or end_line is None or column is None or end_column is None:
        return bytes((0x80 | 13 << 3 | units - 1,)) + _line_number(signed)
    numbers = (signed, end_line - line, column + 1, end_column + 1)
    return bytes((0x80 | 14 << 3 | units - 1,)) + b"".join(map(_line_number, numbers))


def _line_number(value: int) -> bytes:
    """Six bits to a byte, least significant first."""
    digits = bytearray()
    while value > 63:
        digits.append(value & 63 | 64)
        value >>= 6
    return bytes((*digits, value))
