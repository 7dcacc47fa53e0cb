"""Ints from outside that the code at hand counts up or down: `self.steps += 1`."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...bytecode.reading import Instruction
from ...guards.sources import AttrSource, GlobalSource, Source

STORES: dict[type[Source], str] = {AttrSource: "STORE_ATTR", GlobalSource: "STORE_GLOBAL"}
SIGNS = {"+=": 1, "-=": -1}


def counted(source: Source, instructions: Sequence[Instruction]) -> int | None:
    """By how much the instructions change the int at a source, as far as they show that."""
    if (store := STORES.get(type(source))) is None:
        return None
    for place, inst in enumerate(instructions):
        if inst.opname == store and inst.argval == source.name:  # type: ignore[attr-defined]
            return _change(instructions[max(place - 3, 0) : place])
    return None


def _change(before: Sequence[Instruction]) -> Any:
    """What the instructions in front of a store add to the value."""
    *_, constant, change = [None, None, *[i for i in before if i.opname != "SWAP"]]
    if constant is None or change is None or constant.opname != "LOAD_CONST":
        return None
    if change.opname != "BINARY_OP" or type(constant.argval) is not int:
        return None
    return SIGNS[change.argrepr] * constant.argval if change.argrepr in SIGNS else None
