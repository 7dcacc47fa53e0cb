"""What the continuation of a frame needs: which locals it may read, whether it handles an
exception."""
from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Iterator
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import CodeType

from .reading import Instruction, codes_in, read

_ENDS = frozenset({"RETURN_VALUE", "RAISE_VARARGS", "RERAISE", "JUMP"})
_READS = frozenset({"LOAD_FAST", "LOAD_CLOSURE", "LOAD_FAST_AND_CLEAR", "DELETE_FAST", "LOAD_DEREF",
                    "STORE_DEREF", "DELETE_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"})
_WRITES = frozenset({"STORE_FAST", "STORE_CLOSURE"})
_LOOK_AROUND = frozenset({
    "locals", "vars", "dir", "eval", "exec", "_getframe", "currentframe",
    "breakpoint", "set_trace", "settrace", "setprofile",
})  # fmt: skip


def successors(instruction: Instruction) -> Iterator[int]:
    """Indices that control may go to, handlers included."""
    if instruction.opname not in _ENDS:
        yield instruction.index + 1
    if instruction.target is not None:
        yield instruction.target
    if instruction.handler is not None:
        yield instruction.handler.target


_live: weakref.WeakKeyDictionary[CodeType, dict[int, frozenset[str]]] = (
    weakref.WeakKeyDictionary()
)


def live_locals(code: CodeType, index: int) -> frozenset[str]:
    """Names that may be read at `index` or later before they are written again."""
    known = _live.setdefault(code, {})
    if index not in known:
        known[index] = _live_at(code, index)
    return known[index]


def comprehension_variables(code: CodeType) -> frozenset[str]:
    """Locals that are bound within inlined comprehensions alone. Each of these sets aside what has
    the name, binds it in one place, and puts back what was there at its end and in its handler: no
    other instruction stores it."""
    found = Counter((inst.opname, inst.argval) for inst in read(code))
    arguments = code.co_argcount + code.co_kwonlyargcount
    arguments += bool(code.co_flags & CO_VARARGS) + bool(code.co_flags & CO_VARKEYWORDS)
    return frozenset(
        name for (opname, name), times in found.items()
        if opname == "LOAD_FAST_AND_CLEAR" and found["STORE_FAST", name] == 3 * times
        and not found["DELETE_FAST", name] and name not in code.co_varnames[:arguments]
    )


def _live_at(code: CodeType, index: int) -> frozenset[str]:
    instructions, unbound = read(code), comprehension_variables(code)
    live: set[str] = set()
    written_at: dict[int, frozenset[str]] = {}
    todo = [(index, frozenset[str]())]
    while todo:
        at, written = todo.pop()
        if at >= len(instructions):
            continue
        if at in written_at:  # only what is written on every path counts as written
            if written_at[at] <= written:
                continue
            written &= written_at[at]
        written_at[at] = written
        instruction = instructions[at]
        name = instruction.argval
        if instruction.opname in _READS and name not in written and not (
            instruction.opname == "LOAD_FAST_AND_CLEAR" and name in unbound
        ):
            live.add(name)
        later = written | {instruction.argval} if instruction.opname in _WRITES else written
        for following in successors(instruction):
            todo.append((following, later))
    return frozenset(live)


def sees_variables(code: CodeType) -> bool:
    """Whether the code may look at all of its variables at once, by name."""
    if not _LOOK_AROUND.intersection(code.co_names):
        return False
    return any(
        instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_ATTR", "LOAD_METHOD")
        and instruction.argval in _LOOK_AROUND
        for instruction in read(code)
    )


def deletes_free_variables(code: CodeType) -> bool:
    """Whether a function, or one defined in it, deletes a variable of those around it."""
    return any(
        instruction.opname == "DELETE_DEREF"
        and instruction.argval in inner.co_freevars and instruction.argval in code.co_freevars
        for inner in codes_in(code) for instruction in read(inner)
    )  # fmt: skip


def handles_exception(code: CodeType, index: int) -> bool:
    """Whether an exception is being handled at `index`: in an `except` or `finally` part."""
    instructions = read(code)
    seen: dict[int, int] = {}
    todo = [(0, 0)]
    while todo:
        at, depth = todo.pop()
        if at >= len(instructions) or at in seen:
            continue
        seen[at] = depth
        instruction = instructions[at]
        handler = instruction.handler.target if instruction.handler is not None else None
        after = depth - 1 if instruction.opname == "POP_EXCEPT" else depth
        for following in successors(instruction):
            todo.append((following, depth + 1 if following == handler else after))
    return seen.get(index, 0) > 0
