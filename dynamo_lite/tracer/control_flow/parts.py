"""Tuples, lists and dicts as their parts: what a body of the graph cannot hold, its leaves can.

A part is named by its path, `state[0]['speed']`. Tuples are taken apart wherever the frame made
them, since nobody can tell one from its copy; a list or dict has an identity, and is taken apart
only where it was made inside, so that no one else can have it.
"""
from __future__ import annotations

import re
import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ...base.records import dataclass
from ..object_model.constants import ConstantVariable, constant
from ..object_model.lazy import LazyVariable, realise_all
from ..state.tracker import VariableTracker
from ..trackers.array_backed.characters import CharacterVariable, code_of
from ..trackers.array_backed.growing import GrowingVariable, number_kind
from ..trackers.array_backed.vectors import FEW
from ..trackers.arrays.complex_numbers import ComplexVariable, is_from_outside, parts_from_outside
from ..trackers.arrays.optional_numbers import OptionalNumber
from ..trackers.arrays.perhaps_bound import PerhapsBound
from ..trackers.arrays.words import WordVariable
from ..trackers.containers.dicts import DictVariable
from ..trackers.containers.lists import ListByValue, ListVariable
from ..trackers.containers.sequences import TupleVariable
from ..trackers.objects.objects import ObjectVariable

if TYPE_CHECKING:
    from ..state.tx import Tx

ALWAYS, NEVER = 0, sys.maxsize
"""Times: with the latter, no object, list or dict is taken apart."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A container taken apart; two with equal `structure` differ in their items only."""

    structure: Hashable
    keys: tuple[str, ...]
    items: tuple[VariableTracker, ...]
    build: Callable[[Sequence[VariableTracker]], VariableTracker]
    has_identity: bool


def parts_of(value: VariableTracker, since: int) -> Parts | None:
    """The parts of a container of the frame's; of a mutable one only if made `since` then."""
    if is_from_outside(value):
        return complex_parts(parts_from_outside(value))
    if value.source is not None:
        return None
    if type(value) is TupleVariable and value.built_items():
        kind = value.kind
        fields = getattr(kind, "_fields", None)
        return Parts(
            (kind, len(value.built_items())),
            tuple(f".{field}" for field in fields) if fields else indices(value),
            tuple(value.built_items()), lambda items: TupleVariable(items, kind=kind), False,
        )
    if value.source is None and (code := code_of(value)) is not None:
        return Parts(str, (".code",), (code,), of_code, False)
    if type(value) is ListByValue:
        items = tuple(value.built_items())
        return Parts((ListByValue, len(items)), indices(value), items, ListByValue, False)
    if isinstance(value, PerhapsBound):
        return Parts(PerhapsBound, (".number", ".bound"), (value.number, value.is_bound),
                     lambda parts: PerhapsBound(*parts), False)
    if isinstance(value, OptionalNumber):
        return Parts(OptionalNumber, (".number", ".there"), (value.number, value.is_there),
                     lambda parts: OptionalNumber(*parts), False)
    if isinstance(value, WordVariable) and value.is_whole:
        return Parts(WordVariable, (".bits",), (value.bits,), of_bits, False)
    if type(value) is ComplexVariable or is_complex(value):
        parts = value.parts if type(value) is ComplexVariable else (
            constant(value.value.real), constant(value.value.imag)  # type: ignore[attr-defined]
        )
        return complex_parts(parts)
    if value.born < since:
        return None
    if type(value) is ObjectVariable and None not in value.attributes.values():
        names: tuple[str, ...] = (*value.attributes,)
        items = tuple(item for item in value.attributes.values() if item is not None)
        return Parts((value.kind, *names), tuple(f".{name}" for name in names), items,
                     value.with_values, True)
    if type(value) is GrowingVariable and not value.walks:
        columns = tuple(f".column{place}" for place in range(len(value.columns)))
        return Parts((list, value.kinds, value.layout), columns, tuple(value.columns),
                     value.with_columns, True)
    if type(value) is ListVariable:
        return Parts((list, len(value.built_items())), indices(value), tuple(value.built_items()),
                     ListVariable, True)
    if type(value) is DictVariable and value.python_type() in (dict, OrderedDict):
        keys = value.built_keys()
        return Parts((value.python_type(), *keys), tuple(f"[{key}]" for key in keys),
                     tuple(item for _, item in value.built_entries()), value.with_values, True)
    return None


def by_value(tx: Tx, value: Any) -> ListByValue | None:
    """A list of a few numbers as it is now; None for all else."""
    if type(value) is ListByValue:
        return value
    if type(value) is not ListVariable or value.kind is not list:
        return None
    if value.whole is not None or value.run is not None or not value.items(tx):
        return None
    items = realise_all(tx, value.items(tx)) if len(value.items(tx)) <= FEW else []
    return ListByValue(items) if items and all(map(number_kind, items)) else None


def complex_parts(parts: tuple[VariableTracker, VariableTracker]) -> Parts:
    return Parts(complex, (".real", ".imag"), parts, lambda parts: ComplexVariable(*parts), False)


def of_bits(parts: Sequence[VariableTracker]) -> VariableTracker:
    return WordVariable(parts[0])


def of_code(parts: Sequence[VariableTracker]) -> VariableTracker:
    """The character with a code point; a text of one may be another one elsewhere."""
    (code,) = parts
    return constant(chr(code.value)) if isinstance(code, ConstantVariable) else (
        CharacterVariable(code)
    )


def is_complex(value: VariableTracker) -> bool:
    return type(value) is ConstantVariable and type(value.value) is complex


def indices(value: ListVariable | TupleVariable) -> tuple[str, ...]:
    return tuple(f"[{index}]" for index in range(len(value.built_items())))


def settled(value: Any) -> Any:
    return value.realised or value if isinstance(value, LazyVariable) else value


def root_of(part: str) -> str:
    """The variable of the frame that a part belongs to."""
    return re.split(r"[.\[:]", part, maxsplit=1)[0]


def leaves_of(
    name: str, value: VariableTracker, since: int
) -> Iterator[tuple[str, VariableTracker]]:
    """Each leaf with its path."""
    value = settled(value)
    if (found := parts_of(value, since)) is None:
        yield name, value
        return
    for key, item in zip(found.keys, found.items):
        yield from leaves_of(name + key, item, since)


def identities_of(value: VariableTracker, since: int) -> Iterator[VariableTracker]:
    """The lists and dicts that are taken apart with a value."""
    value = settled(value)
    if (found := parts_of(value, since)) is not None:
        if found.has_identity:
            yield value
        for item in found.items:
            yield from identities_of(item, since)


def structure_of(value: VariableTracker, since: int) -> Hashable:
    """Equal for values whose leaves have the same paths."""
    if (found := parts_of(settled(value), since)) is None:
        return None
    return found.structure, tuple(structure_of(item, since) for item in found.items)


def with_leaves(
    name: str, value: VariableTracker, since: int, leaf: Callable[[str, Any], Any]
) -> VariableTracker:
    """The same with other leaves, found by their paths."""
    value = settled(value)
    found = parts_of(value, since)
    if found is None:
        result: VariableTracker = leaf(name, value)
        return result
    items = [
        with_leaves(name + key, item, since, leaf) for key, item in zip(found.keys, found.items)
    ]
    if not found.has_identity and all(new is old for new, old in zip(items, found.items)):
        return value
    return found.build(items)
