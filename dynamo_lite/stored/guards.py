"""Guard programs on disk: identities are told by fingerprints, and found again in the new process.

`x is K` is written as the fingerprint of K. When it is read, whatever is found at x in that call
takes the place of K if it has the same fingerprint; from then on the guard is as strict as any.
What follows in the program may refer to objects that were found so.
"""
from __future__ import annotations

import io
import sys
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

from ..base.records import dataclass
from ..errors import Unsupported
from ..guards.guard_set import Guard
from ..guards.kinds import UNCHANGED, equal_exactly
from ..guards.programs.flatten import FlatGuards
from ..native import GuardProgram, present_dict, watch_dict
from .fingerprints import fingerprint
from .references import ALONE, PLAIN, Reader, Surroundings, Writer

Op = tuple[Any, ...]

FINDING = ("IS", "TYPE")
"""Ops that compare an object by identity: name, register, object."""


@dataclass(frozen=True, slots=True)
class Seen:
    """Stands for an object with this fingerprint."""

    fingerprint: str


def written(flat: FlatGuards, around: Surroundings) -> bytes:
    """A guard program, and what it finds; Unsupported where another process could not tell."""
    stream = io.BytesIO()
    writer = Writer(stream, around)
    for op, owner in zip(flat.ops, flat.owners):
        if finds(op):
            writer.dump((op[0], op[1], Seen(fingerprint(op[2]))))
            writer.found.setdefault(id(op[2]), len(around.found))
            around.found.append(op[2])
        else:
            writer.dump(watched(owner) if op[0] == "FLAG" else op)
    writer.dump(None)
    return stream.getvalue()


def finds(op: Op) -> bool:
    return op[0] in FINDING and type(op[2]) not in ALONE


def watched(owner: Any) -> Op:
    """What takes the place of a flag: the module, the name in it, and what it stands for."""
    if not isinstance(owner, Guard) or owner.kind is not UNCHANGED:
        raise Unsupported("a flag of unknown origin")
    module, item = owner.captured
    fingerprint(module)
    kept = item.value if type(item.value) in PLAIN else Seen(fingerprint(item.value))
    return "WATCH", vars(module)["__name__"], item.name, kept


def read(content: bytes, around: Surroundings, flat_args: Sequence[Any]) -> tuple[Op, ...]:
    """The ops again, for a call that may fit them; Unsupported where it does not."""
    stream = io.BytesIO(content)
    reader, registers = Reader(stream, around), Registers(around.function, flat_args)
    ops: list[Op] = []
    while (op := reader.load()) is not None:
        if op[0] == "WATCH":
            op = ("FLAG", watch(*op[1:]))
        elif op[0] in FINDING and type(op[2]) is Seen:
            op = (op[0], op[1], registers.found(*op))
            around.found.append(op[2])
        elif op[0] in LOADS:
            registers.loads[op[1]] = op
        ops.append(op)
    return tuple(ops)


def watch(module: str, name: str, kept: Any) -> Any:
    namespace = vars(sys.modules[module]) if module in sys.modules else {}
    if name not in namespace:
        raise Unsupported(f"{module} has no {name}")
    value = namespace[name]
    if not (equal_exactly(value, kept) if type(kept) is not Seen else
            fingerprint(value) == kept.fingerprint):
        raise Unsupported(f"{module}.{name} is another object")
    return watch_dict(namespace, name)


class Registers:
    """The values that a program has loaded, in one call."""

    def __init__(self, function: FunctionType, flat_args: Sequence[Any]) -> None:
        self.function = function
        self.known: dict[int, Any] = dict(enumerate(flat_args))
        self.loads: dict[int, Op] = {}

    def __getitem__(self, register: int) -> Any:
        if register not in self.known:
            name, _, *operands = self.loads[register]
            self.known[register] = LOADS[name](self, *operands)
        return self.known[register]

    def found(self, op: str, register: int, seen: Seen) -> Any:
        """What the call has where an object with a fingerprint was."""
        try:
            value = self[register]
        except Exception:  # which the program's own code may raise: there is no such object
            raise Unsupported("a value that cannot be reached") from None
        value = type(value) if op == "TYPE" else value
        if fingerprint(value) != seen.fingerprint:
            raise Unsupported("another object")
        return value


def _global(registers: Registers, namespace: Any, outer: Any, name: str) -> Any:
    return namespace[name] if name in namespace else outer[name]


def _closure(registers: Registers, index: int) -> Any:
    cells = registers.function.__closure__ or ()
    return cells[index].cell_contents


LOADS: Mapping[str, Callable[..., Any]] = {
    "GLOBAL": _global,
    "CLOSURE": _closure,
    "CONST": lambda registers, value: value,
    "ATTR": lambda registers, base, name: getattr(registers[base], name),
    "TUPLE_ITEM": lambda registers, base, key: registers[base][key],
    "LIST_ITEM": lambda registers, base, key: registers[base][key],
    "DICT_ITEM": lambda registers, base, key: registers[base][key],
    "ITEM": lambda registers, base, key: registers[base][key],
    "TYPE_OF": lambda registers, base: type(registers[base]),
    "OWN_DICT": lambda registers, base: present_dict(registers[base]),
    "APPLY": lambda registers, one, function: function(registers[one]),
    "APPLY2": lambda registers, one, other, function: function(registers[one], registers[other]),
}
"""What ops that load do: `(name, register, operands...)`."""


def fits(ops: tuple[Op, ...], around: Surroundings, flat_args: tuple[Any, ...]) -> Any:
    """The program; None where the call does not meet it."""
    program = GuardProgram(len(flat_args), ops)
    return program if program.check(flat_args, around.function) < 0 else None
