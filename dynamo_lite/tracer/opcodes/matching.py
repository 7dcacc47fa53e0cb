"""`match` statements (PEP 634)."""
from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..builtins.text import repr_of
from ..object_model.constants import NONE, constant, observed
from ..object_model.refusals import name_in_c
from ..state.tracker import ObservedException, VariableTracker
from ..trackers.containers.sequences import TupleVariable
from ..trackers.objects.classes import ClassVariable
from .table import handles

if TYPE_CHECKING:
    from ...bytecode.reading import Instruction
    from ..state.tx import Tx

SEQUENCE, MAPPING = 1 << 5, 1 << 6
"""Type flags (Py_TPFLAGS_SEQUENCE, Py_TPFLAGS_MAPPING) that the statement goes by."""


@handles("MATCH_SEQUENCE")
def match_sequence(
    tx: Tx, inst: Instruction, subject: VariableTracker
) -> tuple[VariableTracker, ...]:
    return subject, constant(bool(subject.python_type().__flags__ & SEQUENCE))


@handles("MATCH_MAPPING")
def match_mapping(
    tx: Tx, inst: Instruction, subject: VariableTracker
) -> tuple[VariableTracker, ...]:
    return subject, constant(bool(subject.python_type().__flags__ & MAPPING))


@handles("MATCH_KEYS")
def match_keys(
    tx: Tx, inst: Instruction, subject: VariableTracker, keys: VariableTracker
) -> tuple[VariableTracker, ...]:
    values, seen = [], set()
    for key in keys.iterate(tx):
        if (known := key.hash_key(tx)) in seen:
            text = f"mapping pattern checks duplicate key ({repr_of(tx, key)})"
            raise observed(ValueError(text))
        seen.add(known)
        value = subject.call_method(tx, "get", (key, ABSENT), {})
        if value is ABSENT:
            return subject, keys, NONE
        values.append(value)
    return subject, keys, TupleVariable(values)


ABSENT = TupleVariable()
"""Stands for a missing key; compared by identity."""

ITSELF: Any = object()
"""Stands for the subject in place of the name of an attribute."""

MATCHED_ITSELF = 1 << 22
"""The flag of classes whose single positional sub-pattern is the subject itself."""


@handles("MATCH_CLASS")
def match_class(
    tx: Tx,
    inst: Instruction,
    subject: VariableTracker,
    kind: VariableTracker,
    names: VariableTracker,
) -> VariableTracker:
    """A tuple of the attributes that the sub-patterns are matched to, or None."""
    if not isinstance(kind, ClassVariable):
        noun = "class" if sys.version_info >= (3, 12) else "type"
        raise observed(TypeError(f"called match pattern must be a {noun}"))
    if not tx.truth(tx.call_builtin(isinstance, subject, kind)):
        return NONE
    wanted = [name.as_constant(tx) for name in names.iterate(tx)]
    values: list[VariableTracker] = []
    seen: set[Any] = set()
    asked: list[Any] = [*positional_names(tx, kind, inst.arg), *wanted]
    for name in asked:
        if not (name is ITSELF or isinstance(name, str)):
            text = f"__match_args__ elements must be strings (got {type(name).__name__})"
            raise observed(TypeError(text))
        if name in seen:
            text = f"{name_in_c(kind.value)}() got multiple sub-patterns for attribute {name!r}"
            raise observed(TypeError(text))
        seen.add(name)
        try:
            values.append(tx.getattr(subject, name) if isinstance(name, str) else subject)
        except ObservedException as raised:
            if issubclass(raised.value.python_type(), AttributeError):
                return NONE
            raise
    return TupleVariable(values)


def positional_names(tx: Tx, kind: ClassVariable, count: int) -> Sequence[Any]:
    """The attributes that `count` positional sub-patterns of a class are about."""
    if not count:
        return ()
    try:
        known = tx.getattr(kind, "__match_args__").as_constant(tx)
    except ObservedException as raised:
        if not issubclass(raised.value.python_type(), AttributeError):
            raise
        known = (ITSELF,) if kind.value.__flags__ & MATCHED_ITSELF else ()
    name = name_in_c(kind.value)
    if type(known) is not tuple:
        text = f"{name}.__match_args__ must be a tuple (got {type(known).__name__})"
        raise observed(TypeError(text))
    if count > len(known):
        plural = "" if len(known) == 1 else "s"
        text = f"{name}() accepts {len(known)} positional sub-pattern{plural} ({count} given)"
        raise observed(TypeError(text))
    return known[:count]
