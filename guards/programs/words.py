"""The guards of a trace in plain words, for those who do not know how guards are made."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ...base.classes import a_kind
from ...base.counting import counted
from ...ir.graph import Location
from ...ir.sizes import Size, SizeExpr, symbols
from .. import kinds
from ..arrays import ArrayFacts
from ..guard_set import Guard, GuardSet
from ..kinds import GuardKind
from ..shapes.shape_env import ShapeEnv
from ..sources import CellSource, Source, in_users_words

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
LAYOUTS = {"C": "contiguous", "F": "contiguous in Fortran's order"}


def guards_in_words(guards: GuardSet, shapes: ShapeEnv) -> tuple[str, ...]:
    """A line for each guard and each relation of sizes, with the user's line that asked for it."""
    lines = [clause(guard, shapes) + asked(guard.location) for guard in guards]
    lines += [relation_text + asked(location) for relation_text, location in relations(shapes)]
    return tuple(dict.fromkeys(lines))


def asked(location: Location | None) -> str:
    return "" if location is None else f"  # {location}"


def relations(shapes: ShapeEnv) -> Iterator[tuple[str, Location | None]]:
    for relation in shapes.relations:
        left, right = map(shapes.described, (relation.left, relation.right))
        yield f"{left} {relation.op} {right}", relation.location


def clause(guard: Guard, shapes: ShapeEnv) -> str:
    """`x: float64 array of 2 axes, contiguous; its first size may vary`."""
    name, captured = named(guard.source), guard.captured
    if isinstance(captured, ArrayFacts):
        return f"{name}: {array(guard.source, captured, shapes)}"
    if (words := WORDS.get(guard.kind)) is not None:
        return f"{name}: {words(captured)}"
    other = named(captured) if isinstance(captured, Source) else guard.kind.show(captured)
    return guard.kind.text.format(x=name, k=other)


def named(source: Source) -> str:
    """How the program itself gets to the value, or to what the value is a part of."""
    if isinstance(source, CellSource):
        return f"the variable {source.name}"
    if text := in_users_words(source):
        return text
    base = getattr(source, "base", None)
    return f"a part of {named(base)}" if isinstance(base, Source) else "an intermediate value"


NAMED: tuple[tuple[type, Callable[[Any], str]], ...] = (
    (ModuleType, lambda module: f"the module {vars(module).get('__name__', '')}"),
    (type, lambda kind: f"the class {kind.__qualname__}"),
    (FunctionType, lambda function: f"the function {function.__qualname__}"),
    (BuiltinFunctionType, lambda function: f"the function {function.__name__}"),
    (np.ufunc, lambda function: f"the function {function.__name__}"),
)
"""Objects that have a name."""


def same_object(value: Any) -> str:
    found = (name(value) for kind, name in NAMED if isinstance(value, kind))
    return next(found, None) or f"the same object, {a_kind(type(value))}"


WORDS: Mapping[GuardKind, Callable[[Any], str]] = {
    kinds.TYPE: a_kind,
    kinds.IS: same_object,
    kinds.LENGTH: lambda count: f"{counted(count, 'item')} long",
    kinds.KEYS: lambda keys: f"has the keys {kinds.KEYS.show(keys)}",
    kinds.HAS_KEY: lambda key: f"has the key {kinds.HAS_KEY.show(key)}",
    kinds.NO_KEY: lambda key: f"has no key {kinds.NO_KEY.show(key)}",
    kinds.NO_OWN: lambda name: f"has no attribute {kinds.NO_OWN.show(name)} of its own",
    kinds.NO_ATTR: lambda name: f"has no attribute {kinds.NO_ATTR.show(name)}",
    kinds.INT_SYMBOL: lambda symbol: "an int that may vary",
    kinds.SPECIALS: lambda specials: "has the same special methods",
}
"""Kinds whose text speaks of more than the program itself does; arrays have `array`."""


# -- arrays

def array(source: Source, facts: ArrayFacts, shapes: ShapeEnv) -> str:
    kind = "array" if facts.type is np.ndarray else facts.type.__qualname__
    sizes = [vary(source, axis, size, shapes) for axis, size in enumerate(facts.shape)
             if isinstance(size, SizeExpr)]
    told = f"{facts.dtype} {kind} {extent(facts)}, {layout(facts)}{facts.told_flags()}"
    return "; ".join((told, *sizes))


def extent(facts: ArrayFacts) -> str:
    """The shape where it is fixed, else the number of axes, and the sizes that are fixed."""
    if not any(isinstance(size, SizeExpr) for size in facts.shape):
        return f"of shape {facts.shape}"
    count = len(facts.shape)
    sizes = ", ".join("…" if isinstance(size, SizeExpr) else str(size) for size in facts.shape)
    is_open = count > 1 and any(isinstance(size, int) for size in facts.shape)
    return f"of {count} ax{'is' if count == 1 else 'es'}" + (f" ({sizes})" if is_open else "")


def layout(facts: ArrayFacts) -> str:
    if facts.order is not None:
        return LAYOUTS[facts.order]
    steps = ", ".join("…" if isinstance(step, SizeExpr) else str(step) for step in facts.strides)
    return f"with strides of {steps} bytes"


def vary(source: Source, axis: int, size: Size, shapes: ShapeEnv) -> str:
    """`its first size may vary`; `its first size is y.shape[1]` where these are one symbol."""
    ordinal = ORDINALS[axis] if axis < len(ORDINALS) else f"{axis + 1}th"
    first = shapes.infos[next(symbols(size))]
    own = (first.source, first.fact, first.axis) == (source, "size", axis)
    return f"its {ordinal} size {'may vary' if own else f'is {first.origin}'}"
