"""Why a guard failed, with the value now and the value when compiled: for logs and `explain`."""
from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence, Sized
from types import FunctionType
from typing import Any

from ...base.classes import a_kind
from ...base.counting import counted
from ...base.remedies import Remedy, remedy_for_guard
from ...ir.node import Location
from ...ir.sizes import Size, evaluate, symbols
from ...native import present_dict
from ..arrays import ArrayFacts, array_holds
from ..guard_set import Guard
from ..kinds import (
    BY_PAIRS,
    DISJOINT,
    EQUALS,
    IS,
    NO_OWN,
    NOT_ALIASED,
    OUTCOME,
    SAME,
    Group,
    GuardKind,
    shown,
)
from ..shapes.relations import Relation
from ..shapes.shape_env import ShapeEnv
from ..sources import (
    AttrSource,
    CellContentsSource,
    CellSource,
    ConstSource,
    DependentSource,
    GlobalSource,
    ItemSource,
    LiteralSource,
    LocalSource,
    OwnDictSource,
    SizeSource,
    Source,
    TypeSource,
)
from .flatten import FlatGuards

NUMBERS = {int, float, complex}
BETWEEN_SOURCES = (SAME, NOT_ALIASED, DISJOINT)


class Values:
    """Reaches sources in one call: the flat arguments and the function."""

    def __init__(self, flat_args: Sequence[Any], function: FunctionType | None = None) -> None:
        self.flat_args = flat_args
        self.function = function

    def __getitem__(self, source: Source) -> Any:
        """The value at `source`; raises what reaching it raises."""
        return RESOLVERS[type(source)](self, source)


def _global(values: Values, source: GlobalSource) -> Any:
    namespace = source.namespace.value
    if source.name in namespace:
        return namespace[source.name]
    return getattr(builtins, source.name)


def _cell(values: Values, source: CellSource) -> Any:
    assert values.function is not None and values.function.__closure__ is not None
    return values.function.__closure__[source.index]


def _size(values: Values, source: SizeSource) -> Any:
    array = values[source.base]
    return (array.shape if source.fact == "size" else array.strides)[source.axis]


RESOLVERS: dict[type, Callable[[Values, Any], Any]] = {
    LocalSource: lambda values, source: values.flat_args[source.index],
    GlobalSource: _global,
    CellSource: _cell,
    CellContentsSource: lambda values, source: values[source.base].cell_contents,
    ConstSource: lambda values, source: source.object.value,
    AttrSource: lambda values, source: getattr(values[source.base], source.name),
    ItemSource: lambda values, source: source.getter(values[source.base], source.key),
    TypeSource: lambda values, source: type(values[source.base]),
    OwnDictSource: lambda values, source: present_dict(values[source.base]),
    SizeSource: _size,
    LiteralSource: lambda values, source: source.value,
    DependentSource: lambda values, source: source.function.value(
        *[values[operand] for operand in source.operands]
    ),
}


def why_failed(flat: FlatGuards, index: int, shapes: ShapeEnv, values: Values) -> str:
    """The reason that op `index` of a program failed for a call."""
    owner = flat.owners[index]
    if isinstance(owner, Source):
        return missing(owner, values)[0]
    if isinstance(owner, Relation):
        return _relation(owner, shapes, values)
    return _difference(owner, shapes, values)


def remedy(flat: FlatGuards, index: int, shapes: ShapeEnv, values: Values) -> Remedy:
    """What helps when op `index` of a program keeps failing."""
    owner = flat.owners[index]
    if isinstance(owner, Relation):
        facts = {shapes.infos[name].fact for name in owner.symbols()}
        return remedy_for_guard("size" if facts == {"size"} else "value")
    if isinstance(owner, Source):
        return remedy_for_guard(missing(owner, values)[1])
    if str(owner.source).endswith(DICT):
        return remedy_for_guard("NO_ATTR")
    if owner.kind is EQUALS and is_other_number(values[owner.source], owner.captured):
        return remedy_for_guard("TYPE")
    return remedy_for_guard(owner.kind.name, _difference(owner, shapes, values))


def is_other_number(value: Any, captured: Any) -> bool:
    """Whether both are numbers of Python's, of different types."""
    return type(value) is not type(captured) and {type(value), type(captured)} <= NUMBERS


def line_of(flat: FlatGuards, index: int) -> Location | None:
    """The user's line that asked for op `index` of a program; what loads a value is asked for by
    the guard that comes next."""
    asks = (owner for owner in flat.owners[index:] if not isinstance(owner, Source))
    return next((owner.location for owner in asks), None)


def missing(source: Source, values: Values) -> tuple[str, str]:
    """Why a value is not there, and the kind of guards that have the same remedy."""
    match source:
        case AttrSource(base, name):
            return f"{base} has no attribute {name!r}, had it when compiled", "NO_ATTR"
        case ItemSource(base, key) if isinstance(values[base], Mapping):
            return f"{base} has no key {key!r}, had it when compiled", "HAS_KEY"
        case ItemSource(base, _) if isinstance(values[base], Sized):
            count = counted(len(values[base]), "item")
            return f"{base} has {count}, had more when compiled", "LENGTH"
    return f"{source} has no value, had one when compiled", "other"


def _difference(guard: Guard, shapes: ShapeEnv, values: Values) -> str:
    return _symbols_of(guard, shapes, values) or _guard(guard, values)


def _guard(guard: Guard, values: Values) -> str:
    kind = guard.kind
    if kind in BY_PAIRS:
        return _group(BY_PAIRS[kind], guard.captured, values)
    value = values[guard.source]
    if kind is EQUALS and is_other_number(value, guard.captured):
        return f"{guard.source} is {a_kind(type(value))}, was {shown(guard.captured)} when compiled"
    if kind.differs is not None:
        return f"{guard.source}: {kind.differs(value, guard.captured)}"
    was = kind.was.format(k=kind.show(guard.captured)).removeprefix("== ")
    if kind in BETWEEN_SOURCES:
        return f"{guard.source} was {was}"
    owner = str(guard.source).removesuffix(DICT)
    if owner != str(guard.source) or kind is NO_OWN:
        return f"{owner} has other attributes, was {was.replace('the key', 'the attribute')}"
    if callable(value) and kind is OUTCOME:  # of what a function has cached
        return f"{owner} was {was}, and is not now"
    now = shown(value)
    was = "another object when compiled" if kind is IS and was.startswith(now) else was
    return f"{guard.source} is {now}, was {was}"


DICT = ".__dict__"


def _group(kind: GuardKind, group: Group, values: Values) -> str:
    for one, other in group.pairs():
        if not kind.holds(values[one], values[other]):
            return f"{one} was {kind.was.format(k=other)}"
    return f"{group} no longer"


def _symbols_of(guard: Guard, shapes: ShapeEnv, values: Values) -> str | None:
    """The axis of an array that differs from another fact it shares a symbol with."""
    facts = guard.captured
    if not isinstance(facts, ArrayFacts) or not array_holds(values[guard.source], facts):
        return None
    for fact, sizes in (("size", facts.shape), ("stride", () if facts.order else facts.strides)):
        for axis, size in enumerate(sizes):
            now = values[SizeSource(guard.source, fact, axis)]
            for name in symbols(size):
                if (other := values_of(shapes, name, values)) != now:
                    where = SizeSource(guard.source, fact, axis)
                    first = shapes.infos[name].origin
                    return f"{where} is {now} and {first} is {other}, equal when compiled"
    return None


def _relation(relation: Relation, shapes: ShapeEnv, values: Values) -> str:
    """Both sides with the sizes of this call and of the one that was compiled."""
    now = {name: values_of(shapes, name, values) for name in relation.symbols()}
    left, right = map(shapes.described, (relation.left, relation.right))
    sides = " and ".join(
        f"{shapes.described(side)} is {_evaluated(side, now)}, was {shapes.hint(side)}"
        for side in (relation.left, relation.right)
        if not isinstance(side, int)
    )
    return f"{left} {relation.op} {right} failed: {sides} when compiled"


def _evaluated(size: Size, now: Mapping[str, int]) -> str:
    try:
        return str(evaluate(size, now))
    except ZeroDivisionError:
        return "a division by zero"


def values_of(shapes: ShapeEnv, name: str, values: Values) -> int:
    """The value of a symbol in this call."""
    info = shapes.infos[name]
    if info.fact == "value":
        number: int = values[info.source]
        return number
    return int(values[SizeSource(info.source, info.fact, info.axis)])
