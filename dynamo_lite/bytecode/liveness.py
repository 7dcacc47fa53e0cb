"""What the continuation of a frame needs: which locals it may read, whether it handles an
exception."""
from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType

from .reading import Instruction, codes_in, read

_ENDS = frozenset({"RETURN_VALUE", "RAISE_VARARGS", "RERAISE", "JUMP"})
_READS = frozenset({"LOAD_FAST", "LOAD_CLOSURE", "LOAD_FAST_AND_CLEAR", "DELETE_FAST", "LOAD_DEREF",
                    "STORE_DEREF", "DELETE_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"})
_WRITES = frozenset({"STORE_FAST", "STORE_CLOSURE"})
_COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>"})
_BEGIN = frozenset({"LOAD_FAST_AND_CLEAR", "MAKE_CELL", "SWAP", "BUILD_LIST", "BUILD_SET",
                    "BUILD_MAP"})
_FINISH = frozenset({"SWAP", "POP_TOP", "STORE_FAST", "STORE_CLOSURE"})
"""What inlined comprehensions consist of before their loop and behind it."""
_LOOK_AROUND = frozenset({
    "locals", "vars", "dir", "eval", "exec", "_getframe", "currentframe",
    "breakpoint", "set_trace", "settrace", "setprofile",
})  # fmt: skip


_LIBRARIES = (
    (frozenset({"evaluate", "re_evaluate", "validate"}), frozenset({"ne", "numexpr"})),
    (frozenset({"sql", "query", "execute"}), frozenset({"duckdb", "con"})),
    (frozenset({"dmatrix", "dmatrices", "from_formula", "ols", "glm", "logit", "mixedlm"}),
     frozenset({"patsy", "sm", "smf", "formula", "dmatrix", "dmatrices"})),
)
"""Names of functions that find variables of their callers by a text, and of their libraries."""
_OF_CALLER = frozenset({"query"}), "@"
"""So does `DataFrame.query`, where the text has this in it."""


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


def put_back(code: CodeType) -> dict[int, int]:
    """Where inlined comprehensions put back what a variable was before them → where they have set
    it aside: at their end, and in their handler."""
    instructions = read(code)
    found: dict[int, int] = {}
    for instruction in instructions:
        if instruction.opname == "LOAD_FAST_AND_CLEAR":
            ends = [*_ends(instructions, instruction)]
            if ends and None not in ends:
                found |= {end: instruction.index for end in ends if end is not None}
    return found


def _ends(instructions: Sequence[Instruction], aside: Instruction) -> Iterator[int | None]:
    """The two stores of a comprehension that belong to one of its variables."""
    following = instructions[aside.index + 1 :]
    loop = next((each for each in following if each.opname not in _BEGIN), aside)
    if loop.opname != "FOR_ITER" or loop.handler is None or loop.target is None:
        return
    for place in loop.target, loop.handler.target:
        behind = itertools.takewhile(lambda each: each.opname in _FINISH, instructions[place:])
        yield next((each.index for each in behind if each.opname in _WRITES and (
            each.argval == aside.argval)), None)


_of_comprehensions: weakref.WeakKeyDictionary[CodeType, frozenset[str]] = (
    weakref.WeakKeyDictionary()
)


def cells_of_comprehensions(code: CodeType) -> frozenset[str]:
    """Variables that are in cells for comprehensions alone (before 3.12): as these are called where
    they stand, nobody else ever gets hold of such a cell, and a store might make another one."""
    if code not in _of_comprehensions:
        found = () if sees_variables(code) else code.co_cellvars
        _of_comprehensions[code] = frozenset(
            name for name in found if _is_of_comprehensions(code, name))
    return _of_comprehensions[code]


def _is_of_comprehensions(code: CodeType, name: str) -> bool:
    users = (inner for inner in code.co_consts
             if isinstance(inner, CodeType) and name in inner.co_freevars)
    return all(
        inner.co_name in _COMPREHENSIONS and _is_of_comprehensions(inner, name) for inner in users)


def _live_at(code: CodeType, index: int) -> frozenset[str]:
    """What comprehensions set aside they have not read: who reads it is who comes behind them. A
    place where they do is among what is written if the variable was."""
    instructions, back, cells = read(code), put_back(code), cells_of_comprehensions(code)
    live: set[str] = set()
    written_at: dict[int, frozenset[str | int]] = {}
    inside = frozenset(place for end, place in back.items() if place < index <= end)
    todo: list[tuple[int, frozenset[str | int]]] = [(index, inside)]
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
        is_set_aside = at in back.values()
        stores_cell = instruction.opname == "STORE_DEREF" and name in cells
        is_read = instruction.opname in _READS and not (is_set_aside or stores_cell)
        if is_read and name not in written:
            live.add(name)
        later = _later(instruction, written, back, is_set_aside)
        for following in successors(instruction):
            todo.append((following, later | {name} if stores_cell else later))
    return frozenset(live)


def _later(
    instruction: Instruction, written: frozenset[str | int], back: Mapping[int, int],
    is_set_aside: bool,
) -> frozenset[str | int]:
    """What is written behind an instruction."""
    name, at = instruction.argval, instruction.index
    if is_set_aside:
        return written | {at} if name in written else written - {at}
    if instruction.opname not in _WRITES:
        return written
    return written | {name} if back.get(at, at) in written or at not in back else written - {name}


def sees_variables(code: CodeType) -> bool:
    """Whether the code, or what it calls, may look at all of its variables at once, by name."""
    names, (methods, sign) = frozenset(code.co_names), _OF_CALLER
    if any(functions & names and libraries & names for functions, libraries in _LIBRARIES) or (
        methods & names and any(sign in text for text in _texts(code.co_consts))
    ):
        return True
    if not _LOOK_AROUND & names:
        return False
    return any(
        instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_ATTR", "LOAD_METHOD")
        and instruction.argval in _LOOK_AROUND
        for instruction in read(code)
    )


def _texts(constants: tuple[object, ...]) -> Iterator[str]:
    return (one for one in constants if isinstance(one, str))


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
