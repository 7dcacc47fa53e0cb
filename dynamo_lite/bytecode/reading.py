"""Canonical instructions: one vocabulary for CPython 3.11, 3.12 and 3.13.

`read(code)` gives the instructions of a code object in order. What differs between versions is
undone here, once, so that no handler asks for the version:

- EXTENDED_ARG, CACHE, PRECALL and KW_NAMES are gone; CALL_KW is CALL with `kwnames`.
- CALL has `arg` positional and keyword arguments together; `kwnames` (a tuple) names the last ones.
  Under the arguments lie two values: `NULL, callable` (3.11, 3.12), `callable, NULL` (3.13) or
  `function, self` (all). Push a NULL where PUSH_NULL and LOAD_METHOD stand, and CALL need not know
  which.
- LOAD_ATTR with the method bit is LOAD_METHOD: it pushes two values in the order above
  (`NULL, attribute` or `attribute, NULL` as `CALLABLE_FIRST` says, or `function, self`).
- LOAD_GLOBAL with the NULL bit is LOAD_GLOBAL and PUSH_NULL, in the order of the version.
- LOAD_FAST_LOAD_FAST and its kin are two instructions; RETURN_CONST is LOAD_CONST, RETURN_VALUE.
  LOAD_FAST_CHECK is LOAD_FAST.
- LOAD_FAST and STORE_FAST of a slot that holds a cell object are LOAD_CLOSURE and STORE_CLOSURE:
  they push and store the cell itself (3.13, comprehensions, resume functions).
- Jumps are JUMP, POP_JUMP_IF_{TRUE,FALSE,NONE,NOT_NONE}, JUMP_IF_{TRUE,FALSE}_OR_POP (3.11),
  FOR_ITER, SEND; `target` is the index of an instruction. FOR_ITER pops the iterator and continues
  after END_FOR.
- TO_BOOL before a conditional jump or UNARY_NOT is gone: these test truth themselves.
- FORMAT_SIMPLE and FORMAT_WITH_SPEC are FORMAT_VALUE 0 and 4; CALL_INTRINSIC_1 5 and 6 are
  UNARY_POSITIVE and LIST_TO_TUPLE.
- COMPARE_OP's `argrepr` is the operator; so is BINARY_OP's (`+`, `+=`); IS_OP and CONTAINS_OP have
  `arg` 1 for `not`.
"""
from __future__ import annotations

import dis
import opcode
import sys
import weakref
from collections.abc import Iterator
from functools import partial
from types import CodeType
from typing import Any

from ..base.records import NamedTuple
from .rotating import with_one_head

VERSION = sys.version_info[:2]
CALLABLE_FIRST = VERSION >= (3, 13)
"""Whether a NULL lies above the callable (`callable, NULL`) rather than below it."""

BINARY_OPERATORS = tuple(symbol for _, symbol in opcode._nb_ops)  # type: ignore[attr-defined]


def _cache_units() -> dict[int, int]:
    """Opcode → number of inline cache units behind it."""
    entries = opcode._inline_cache_entries  # type: ignore[attr-defined]
    if isinstance(entries, dict):
        return {dis.opmap[name]: n for name, n in entries.items() if name in dis.opmap}
    return {number: n for number, n in enumerate(entries) if n}


CACHE_UNITS = _cache_units()
_EXTENDED_ARG = dis.opmap["EXTENDED_ARG"]
_CONST = frozenset(opcode.hasconst)
_NAME = frozenset(opcode.hasname)
_LOCAL = frozenset(opcode.haslocal)
_FREE = frozenset(opcode.hasfree)
_JUMPS = frozenset(opcode.hasjrel) | frozenset(opcode.hasjabs)
FOR_ITER_SKIPS = {(3, 11): 0, (3, 12): 2}.get(VERSION, 4)
_COMPARE_SHIFT = {(3, 11): 0, (3, 12): 4}.get(VERSION, 5)


class Handler(NamedTuple):
    """Where an exception goes: the stack is cut to `depth`; lasti (if so), the exception pushed."""

    target: int
    depth: int
    lasti: bool


class Instruction(NamedTuple):
    """One canonical instruction.

    `index` is its position in the tuple that `read` gives. `argval` is the argument's meaning: a
    name, a constant, a local's or cell's name; `argrepr` an operator's symbol; `target` a jump's
    destination. `offset:end` is the range of bytes in `co_code` that it stands for, folded
    neighbours included; two instructions made from one have the same range.
    """

    index: int  # type: ignore[assignment]
    opname: str
    arg: int
    argval: Any
    argrepr: str
    target: int | None
    kwnames: tuple[str, ...]
    offset: int
    end: int
    line: int | None
    handler: Handler | None

    def __str__(self) -> str:
        shown = self.argrepr or (repr(self.argval) if self.argval is not None else "")
        jump = f" to {self.target}" if self.target is not None else ""
        names = f" {self.kwnames}" if self.kwnames else ""
        return f"{self.index:4} {self.opname} {shown}{jump}{names}".rstrip()


class Raw(NamedTuple):
    """One instruction as CPython has it; `target` is a byte offset."""

    opcode: int
    opname: str
    arg: int
    offset: int
    end: int
    target: int | None


class Draft(NamedTuple):
    """An instruction before indices are known; `target` is a byte offset."""

    opname: str
    arg: int
    argval: Any
    argrepr: str
    target: int | None
    kwnames: tuple[str, ...]
    offset: int
    end: int


def raw_instructions(code: CodeType) -> Iterator[Raw]:
    """The instructions of `co_code` with EXTENDED_ARG folded and caches skipped."""
    text = code.co_code
    position, start, arg = 0, 0, 0
    while position < len(text):
        number = text[position]
        arg = arg << 8 | text[position + 1]
        position += 2
        if number == _EXTENDED_ARG:
            continue
        end = position + 2 * CACHE_UNITS.get(number, 0)
        name = opcode.opname[number]
        target = None
        if number in _JUMPS:
            target = end + (-2 * arg if "BACKWARD" in name else 2 * arg)
            if name == "FOR_ITER":
                target += FOR_ITER_SKIPS
        yield Raw(number, name, arg, start, end, target)
        position = start = end
        arg = 0


def exception_table(code: CodeType) -> list[tuple[int, int, int, int, bool]]:
    """Rows `(start, end, target, depth, lasti)` with byte offsets, `end` exclusive."""
    numbers = iter(code.co_exceptiontable)
    rows = []
    for first in numbers:
        start = _varint(first, numbers) * 2
        length = _varint(next(numbers), numbers) * 2
        target = _varint(next(numbers), numbers) * 2
        depth = _varint(next(numbers), numbers)
        rows.append((start, start + length, target, depth >> 1, bool(depth & 1)))
    return rows


def _varint(first: int, following: Iterator[int]) -> int:
    value = first & 63
    while first & 64:
        first = next(following)
        value = value << 6 | first & 63
    return value


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """The code, and that of the functions defined in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_in(constant)


def slot_names(code: CodeType) -> tuple[str, ...]:
    """The name of each fast local, cell and free variable, by index."""
    merged = [name for name in code.co_cellvars if name not in code.co_varnames]
    return (*code.co_varnames, *merged, *code.co_freevars)


_RENAMED = {
    "JUMP_FORWARD": "JUMP",
    "JUMP_BACKWARD": "JUMP",
    "JUMP_BACKWARD_NO_INTERRUPT": "JUMP",
}
_SPLIT_LOCALS = {
    "LOAD_FAST_LOAD_FAST": ("LOAD_FAST", "LOAD_FAST"),
    "STORE_FAST_LOAD_FAST": ("STORE_FAST", "LOAD_FAST"),
    "STORE_FAST_STORE_FAST": ("STORE_FAST", "STORE_FAST"),
}
_FORMATS = {"FORMAT_SIMPLE": 0, "FORMAT_WITH_SPEC": 4}
_INTRINSICS = {5: "UNARY_POSITIVE", 6: "LIST_TO_TUPLE"}
_TESTS_TRUTH = frozenset({"POP_JUMP_IF_TRUE", "POP_JUMP_IF_FALSE", "UNARY_NOT"})


class _Canonicaliser:
    """The rules, raw instruction by raw instruction, over one code object."""

    def __init__(self, code: CodeType) -> None:
        self.code = code
        self.slots = slot_names(code)
        self.cells = frozenset(code.co_cellvars) | frozenset(code.co_freevars)
        self.raws = list(raw_instructions(code))
        self.targets = {raw.target for raw in self.raws if raw.target is not None}
        self.targets.update(row[2] for row in exception_table(code))
        self.drafts: list[Draft] = []

    def run(self) -> list[Draft]:
        pending_start: int | None = None
        kwnames: tuple[str, ...] = ()
        for position, raw in enumerate(self.raws):
            if raw.opname == "KW_NAMES":
                kwnames = self.code.co_consts[raw.arg]
            if raw.opname in ("KW_NAMES", "PRECALL") or self._is_folded_test(position):
                pending_start = raw.offset if pending_start is None else pending_start
                continue
            if pending_start is not None:
                raw = raw._replace(offset=pending_start)
                pending_start = None
            if raw.opname == "CALL":
                self.add(raw, "CALL", raw.arg, kwnames=kwnames)
                kwnames = ()
            else:
                _RULES.get(raw.opname, _Canonicaliser.plain)(self, raw)
        return self.drafts

    def _is_folded_test(self, position: int) -> bool:
        """Whether this is a TO_BOOL whose successor tests truth anyway."""
        if self.raws[position].opname != "TO_BOOL":
            return False
        following = self.raws[position + 1]
        return following.opname in _TESTS_TRUTH and following.offset not in self.targets

    def add(
        self,
        raw: Raw,
        opname: str,
        arg: int = 0,
        argval: Any = None,
        argrepr: str = "",
        kwnames: tuple[str, ...] = (),
    ) -> None:
        self.drafts.append(
            Draft(opname, arg, argval, argrepr, raw.target, kwnames, raw.offset, raw.end)
        )

    def plain(self, raw: Raw) -> None:
        """An instruction that only needs its argument's meaning, and perhaps the common name."""
        name = raw.opname
        if name.startswith("POP_JUMP_"):
            name = name.replace("_FORWARD", "").replace("_BACKWARD", "")
        self.add(raw, _RENAMED.get(name, name), raw.arg, self.meaning(raw))

    def meaning(self, raw: Raw) -> Any:
        if raw.opcode in _CONST:
            return self.code.co_consts[raw.arg]
        if raw.opcode in _NAME:
            return self.code.co_names[raw.arg]
        if raw.opcode in _LOCAL or raw.opcode in _FREE:
            return self.slots[raw.arg]
        return None

    def one_local(self, raw: Raw) -> None:
        self.local(raw, raw.opname.removesuffix("_CHECK"), raw.arg)

    def local(self, raw: Raw, opname: str, slot: int) -> None:
        name = self.slots[slot]
        if name in self.cells:
            opname = opname.replace("FAST", "CLOSURE")
        self.add(raw, opname, slot, name)

    def two_locals(self, raw: Raw) -> None:
        first, second = _SPLIT_LOCALS[raw.opname]
        self.local(raw, first, raw.arg >> 4)
        self.local(raw, second, raw.arg & 15)

    def load_global(self, raw: Raw) -> None:
        name = self.code.co_names[raw.arg >> 1]
        steps: list[tuple[str, int, Any]] = [("LOAD_GLOBAL", raw.arg >> 1, name)]
        if raw.arg & 1:
            steps.insert(1 if CALLABLE_FIRST else 0, ("PUSH_NULL", 0, None))
        for opname, arg, argval in steps:
            self.add(raw, opname, arg, argval)

    def load_attr(self, raw: Raw) -> None:
        if VERSION < (3, 12):
            return self.plain(raw)
        opname = "LOAD_METHOD" if raw.arg & 1 else "LOAD_ATTR"
        return self.add(raw, opname, raw.arg >> 1, self.code.co_names[raw.arg >> 1])

    def load_super_attr(self, raw: Raw) -> None:
        """`arg` is 1 when it pushes two values, as LOAD_METHOD does."""
        self.add(raw, "LOAD_SUPER_ATTR", raw.arg & 1, self.code.co_names[raw.arg >> 2])

    def call_kw(self, raw: Raw) -> None:
        """The names are the constant pushed just before."""
        names = self.drafts.pop()
        self.add(raw._replace(offset=names.offset), "CALL", raw.arg, kwnames=names.argval)

    def return_const(self, raw: Raw) -> None:
        self.add(raw, "LOAD_CONST", raw.arg, self.code.co_consts[raw.arg])
        self.add(raw, "RETURN_VALUE")

    def compare(self, raw: Raw) -> None:
        number = raw.arg >> _COMPARE_SHIFT
        self.add(raw, "COMPARE_OP", number, argrepr=opcode.cmp_op[number])

    def binary(self, raw: Raw) -> None:
        self.add(raw, "BINARY_OP", raw.arg, argrepr=BINARY_OPERATORS[raw.arg])

    def format_value(self, raw: Raw) -> None:
        self.add(raw, "FORMAT_VALUE", _FORMATS[raw.opname])

    def intrinsic(self, raw: Raw) -> None:
        self.add(raw, _INTRINSICS.get(raw.arg, raw.opname), raw.arg)


_RULES = {
    "LOAD_FAST": _Canonicaliser.one_local,
    "LOAD_FAST_CHECK": _Canonicaliser.one_local,
    "STORE_FAST": _Canonicaliser.one_local,
    "LOAD_FAST_LOAD_FAST": _Canonicaliser.two_locals,
    "STORE_FAST_LOAD_FAST": _Canonicaliser.two_locals,
    "STORE_FAST_STORE_FAST": _Canonicaliser.two_locals,
    "LOAD_GLOBAL": _Canonicaliser.load_global,
    "LOAD_ATTR": _Canonicaliser.load_attr,
    "LOAD_SUPER_ATTR": _Canonicaliser.load_super_attr,
    "CALL_KW": _Canonicaliser.call_kw,
    "RETURN_CONST": _Canonicaliser.return_const,
    "COMPARE_OP": _Canonicaliser.compare,
    "BINARY_OP": _Canonicaliser.binary,
    "FORMAT_SIMPLE": _Canonicaliser.format_value,
    "FORMAT_WITH_SPEC": _Canonicaliser.format_value,
    "CALL_INTRINSIC_1": _Canonicaliser.intrinsic,
}

_READ: dict[int, tuple[weakref.ref[CodeType], tuple[Instruction, ...]]] = {}


def read(code: CodeType) -> tuple[Instruction, ...]:
    """The canonical instructions of a code object, made once for it."""
    key = id(code)
    if (known := _READ.get(key)) is not None and known[0]() is code:
        return known[1]
    instructions = with_one_head(_index(code, _Canonicaliser(code).run()))
    # No Python code: a signal's handler could run in it, and what that raises would be lost.
    _READ[key] = weakref.ref(code, partial(_READ.pop, key)), instructions
    return instructions


def _index(code: CodeType, drafts: list[Draft]) -> tuple[Instruction, ...]:
    """Turn byte offsets into indices, and attach lines and exception handlers."""
    index_at: dict[int, int] = {}
    for index, draft in enumerate(drafts):
        index_at.setdefault(draft.offset, index)
    line_at: dict[int, int | None] = {}
    for start, end, line in code.co_lines():
        line_at.update(dict.fromkeys(range(start, end, 2), line))
    handler_at: dict[int, Handler] = {}
    for start, end, target, depth, lasti in exception_table(code):
        protecting = Handler(index_at[target], depth, lasti)
        handler_at.update(dict.fromkeys(range(start, end, 2), protecting))
    instructions: list[Instruction] = []
    for index, draft in enumerate(drafts):
        # The last unit of a folded group is the one that runs, so its line and handler count.
        # Where a jump tests truth, the handler is that of the TO_BOOL or comparison before it,
        # which tests it from 3.13 on: there a jump alone raises nothing.
        at = draft.end - 2
        in_charge = handler_at.get(at) or handler_at.get(draft.offset)
        if in_charge is None and instructions and draft.opname in _TESTS_TRUTH:
            in_charge = instructions[-1].handler if VERSION >= (3, 13) else None
        target_index = None if draft.target is None else index_at.get(draft.target, len(drafts))
        instructions.append(
            Instruction(
                index, draft.opname, draft.arg, draft.argval, draft.argrepr, target_index,
                draft.kwnames, draft.offset, draft.end, line_at.get(at), in_charge,
            )
        )  # fmt: skip
    return tuple(instructions)


def positions(code: CodeType, instruction: Instruction) -> dis.Positions:
    """Line and column range in the source, for messages."""
    unit = instruction.end // 2 - 1
    return next(
        dis.Positions(*span) for number, span in enumerate(code.co_positions()) if number == unit
    )
