"""Whether all that a function does looks like operations that make one graph, by what it names.

Arithmetic, NumPy's functions, attributes and methods of arrays, and functions of the program's own
that are like that. Such a function gains nearly always: an operation on small arrays takes less
than a tenth of its time in compiled code, and large ones are read once for several operations.
"""
from __future__ import annotations

import dis
import math
import random
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ..base.origins import module_of
from ..base.records import NamedTuple
from .loops import is_followed

DEEPEST = 4
"""Functions that call each other, of which the innermost is looked at."""
BUILTINS = frozenset({
    "abs", "bool", "complex", "enumerate", "float", "int", "isinstance", "len", "max", "min", "pow",
    "range", "round", "sum", "tuple", "zip",
})  # fmt: skip
METHODS = frozenset(dir(np.ndarray)) - {"dump", "dumps", "tofile", "tobytes", "tolist"}
OTHERS = frozenset(
    {"fft", "linalg", "random", "polynomial", "testing", "ma", "char", "save", "load", "savetxt",
     "loadtxt", "vectorize", "apply_along_axis", "memmap", "fromfile", "add_newdoc"}
)  # fmt: skip
"""Parts of NumPy, and functions, of which Python itself runs most."""
EFFECTS = frozenset({
    "IMPORT_NAME", "LOAD_BUILD_CLASS", "BEFORE_WITH", "YIELD_VALUE", "DELETE_GLOBAL",
    "STORE_GLOBAL", "PUSH_EXC_INFO", "MAKE_FUNCTION", "LIST_APPEND", "SET_ADD", "MAP_ADD",
})  # fmt: skip
OF_LISTS = frozenset({"add", "append", "appendleft", "extend", "get", "index", "insert", "pop",
                      "popleft"})
NAMES, ATTRIBUTES = ("LOAD_GLOBAL", "LOAD_NAME"), ("LOAD_METHOD", "LOAD_ATTR")
LIBRARIES = frozenset({"fft", "linalg"})
"""Parts of NumPy whose functions take nearly all of the time of most code that calls them."""
PACKAGES = frozenset({"numpy", "math"})


class Vocabulary(NamedTuple):
    """The `methods` that code may name, and what it may not: names and instructions."""

    methods: frozenset[str] = METHODS
    others: frozenset[str] = OTHERS
    effects: frozenset[str] = EFFECTS


ARRAYS = Vocabulary()
"""What works on arrays alone."""
NUMBERS = Vocabulary(METHODS | OF_LISTS, OTHERS - {"random"}, EFFECTS - {"LIST_APPEND"})
"""What works on numbers and lists of them as well, and draws some: in loops, mostly native code."""


def plain_size(
    function: FunctionType, depth: int = DEEPEST, part: frozenset[int] | None = None,
    words: Vocabulary = ARRAYS,
) -> int:  # fmt: skip
    """Instructions of a function that is made of these words, with those of the functions that it
    calls; 0 for others. `part`: the offsets of a loop, to ask about this alone."""
    code, names = function.__code__, function.__globals__
    if not depth or code.co_freevars:
        return 0
    size, before = 0, None
    for inst in dis.get_instructions(code):
        if part is not None and inst.offset not in part:
            continue
        size += 1
        if inst.opname in words.effects:
            return 0
        if inst.opname in NAMES:
            if (callee := callee_of(inst.argval, names)) is not None:
                is_itself = callee.__code__ is code
                inner = 0 if is_itself else plain_size(callee, depth - 1, words=words)
            else:
                inner = is_plain_name(inst.argval, names)
            if not inner:
                return 0
            size += inner
        if inst.opname in ATTRIBUTES and not is_plain_attribute(inst, before, names, words):
            return 0
        before = inst
    return size


def callee_of(name: str, names: dict[str, Any]) -> FunctionType | None:
    """The function of the program's own that a global stands for."""
    value = names.get(name)
    is_own = isinstance(value, FunctionType) and module_of(value).partition(".")[0] not in PACKAGES
    return value if is_own else None


def is_plain_name(name: str, names: dict[str, Any]) -> bool:
    """Whether what a global stands for is a number, an array, or one of NumPy's functions."""
    if name not in names:
        return name in BUILTINS
    value = names[name]
    if isinstance(value, (ModuleType, FunctionType, BuiltinFunctionType)):
        return is_followed(name, names, "numpy")
    return not isinstance(value, type) or issubclass(value, np.generic)


def is_plain_attribute(
    inst: dis.Instruction, before: dis.Instruction | None, names: dict[str, Any],
    words: Vocabulary = ARRAYS,
) -> bool:  # fmt: skip
    """Whether an attribute is one of NumPy's or of an array, or is no method."""
    if inst.argval in words.others:
        return False
    if before is not None and before.opname in NAMES and before.argval in names:
        owner = names[before.argval]
        if isinstance(owner, ModuleType):
            return owner in (np, math) or (owner is random and "random" not in words.others)
    if before is not None and before.argval == "random":
        return True
    is_method = inst.opname == "LOAD_METHOD" or "NULL" in inst.argrepr
    return not is_method or inst.argval in words.methods
