"""Whether the loops of a function look as if they could be compiled as a whole, by their names.

A loop that plots, prints or asks another library in each iteration is left and entered again each
time. Such functions are not worth a guess; their callees are found by themselves.
"""
from __future__ import annotations

import dis
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

from ..base.origins import module_of

LOADS = frozenset({"LOAD_GLOBAL", "LOAD_NAME"})
FOLLOWED = frozenset({"numpy", "cupy", "math", "builtins", "random", "itertools", "functools"})
"""Packages whose functions are traced, beside the program's own."""
SHOWING = frozenset({"print", "input", "open"})


def has_plain_loops(code: CodeType, names: dict[str, Any]) -> bool:
    """Whether an outermost loop of the code, with these globals, names nothing that keeps it out of
    a graph."""
    home = str(names.get("__name__", "")).partition(".")[0]
    instructions = list(dis.get_instructions(code))
    return any(
        all(
            is_followed(inst.argval, names, home)
            for inst in instructions
            if first <= inst.offset <= last and inst.opname in LOADS
        )
        for first, last in outermost(instructions)
    )


def outermost(instructions: list[dis.Instruction]) -> Iterator[tuple[int, int]]:
    """The first and the last offset of each loop that is in no other."""
    found = sorted(
        (inst.argval, -inst.offset) for inst in instructions if "BACKWARD" in inst.opname
    )
    end = -1
    for first, last in found:
        if first > end:
            end = -last
            yield first, end


def is_followed(name: str, names: dict[str, Any], home: str) -> bool:
    if name not in names:
        return name not in SHOWING
    value = names[name]
    if isinstance(value, ModuleType):
        package = str(value.__dict__.get("__name__", ""))
    elif isinstance(value, (FunctionType, BuiltinFunctionType, type)):
        package = module_of(value)
    else:
        return True
    return package.partition(".")[0] in FOLLOWED | {home}
