"""From the guards people read to the flat program the machine runs.

Sources are loaded once, into one register each; symbols are bound to scratch slots by the array or
int match that meets them first; a relation stands right after the op that binds its last symbol.
"""
from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from ...base.records import dataclass
from ...errors import Unsupported
from ...ir.sizes import OPAQUE_OPERATORS, Atom, Size, SizeExpr, Symbol
from ...native import _core
from ..guard_set import Guard, GuardSet
from ..kinds import ALL_DISJOINT, DISJOINT, NO_ALIAS
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


@dataclass(frozen=True, slots=True)
class FlatGuards:
    """`program` is what runs; `owners[i]` is the guard or relation that op `i` belongs to."""

    program: Any
    ops: tuple[tuple[Any, ...], ...]
    owners: tuple[Guard | Relation | Source, ...]


def flatten(guards: GuardSet, shapes: ShapeEnv, nargs: int) -> FlatGuards:
    """The guard program of one trace, over `nargs` flat arguments."""
    flattener = _Flattener(nargs, shapes)
    late = []
    for guard in guards:
        if guard.kind in LATE:
            late.append(guard)
        else:
            flattener.add(guard)
    for guard in late:
        flattener.add(guard)
    flattener.finish()
    shapes.close()
    ops = tuple(flattener.ops)
    return FlatGuards(_core.GuardProgram(nargs, ops), ops, tuple(flattener.owners))


LATE = (DISJOINT, ALL_DISJOINT, NO_ALIAS)
"""Kinds that come after those that look at each thing alone."""


class _Flattener:
    """Implements `registers.Registers`."""

    def __init__(self, nargs: int, shapes: ShapeEnv) -> None:
        self.ops: list[tuple[Any, ...]] = []
        self.owners: list[Guard | Relation | Source] = []
        self._next = nargs
        self._registers: dict[Source, int] = {}
        self._slots: dict[str, int] = {}
        self._relations = shapes.relations
        self._missing = [set(relation.symbols()) for relation in self._relations]
        self._readers: dict[str, list[int]] = {}
        for index, names in enumerate(self._missing):
            for name in names:
                self._readers.setdefault(name, []).append(index)
        self._ready = [index for index, names in enumerate(self._missing) if not names]

    def add(self, guard: Guard) -> None:
        register = self.register(guard.source) if guard.kind.needs_value else -1
        self._emit(guard.kind.lower(self, register, guard.captured), guard)
        self._place_relations()

    def finish(self) -> None:
        for relation, names in zip(self._relations, self._missing):
            if names:
                raise Unsupported(f"no guard binds the symbols of {relation}")

    def register(self, source: Source) -> int:
        if isinstance(source, LocalSource):
            return source.index
        if (register := self._registers.get(source)) is None:
            load = LOADS[type(source)](self, source)
            register = self._registers[source] = self._next
            self._next += 1
            self._emit((load[0], register, *load[1:]), source)
        return register

    def slot(self, symbol: str) -> tuple[int, bool]:
        bound = symbol in self._slots
        for index in () if bound else self._readers.get(symbol, ()):
            self._missing[index].discard(symbol)
            if not self._missing[index]:
                self._ready.append(index)
        return self._slots.setdefault(symbol, len(self._slots)), bound

    def _emit(self, op: tuple[Any, ...], owner: Guard | Relation | Source) -> None:
        self.ops.append(op)
        self.owners.append(owner)

    def _place_relations(self) -> None:
        for index in sorted(self._ready):
            relation = self._relations[index]
            left, right = (self._postfix(side) for side in (relation.left, relation.right))
            self._emit(("RELATION", relation.op, left, right), relation)
        self._ready.clear()

    def _postfix(self, size: Size) -> tuple[Any, ...]:
        if not isinstance(size, SizeExpr):
            return (size,)
        tokens: list[Any] = []
        for index, (monomial, coefficient) in enumerate(size.terms):
            factors = [self._atom(atom) for atom in monomial]
            if coefficient != 1 or not factors:
                factors.append((coefficient,))
            for position, factor in enumerate(factors):
                tokens += (*factor, "*") if position else factor
            tokens += ("+",) if index else ()
        return tuple(tokens)

    def _atom(self, atom: Atom) -> tuple[Any, ...]:
        if isinstance(atom, Symbol):
            return (("slot", self._slots[atom.name]),)
        assert atom.op in OPAQUE_OPERATORS
        return (*self._postfix(atom.left), *self._postfix(atom.right), atom.op)


def _load_global(flat: _Flattener, source: GlobalSource) -> tuple[Any, ...]:
    namespace = source.namespace.value
    outer = namespace.get("__builtins__", builtins)
    return ("GLOBAL", namespace, outer if isinstance(outer, dict) else vars(outer), source.name)


def _load_contents(flat: _Flattener, source: CellContentsSource) -> tuple[Any, ...]:
    if isinstance(source.base, CellSource):
        return ("CLOSURE", source.base.index)
    if isinstance(source.base, ConstSource):
        return ("CELL", source.base.object.value)
    return ("ATTR", flat.register(source.base), "cell_contents")


ITEM_LOADS: dict[type, str] = {tuple: "TUPLE_ITEM", list: "LIST_ITEM", dict: "DICT_ITEM"}


def _load_item(flat: _Flattener, source: ItemSource) -> tuple[Any, ...]:
    kinds = source.container.__mro__
    op = next((ITEM_LOADS[kind] for kind in kinds if kind in ITEM_LOADS), "ITEM")
    if op in ("TUPLE_ITEM", "LIST_ITEM") and (type(source.key) is not int or source.key < 0):
        op = "ITEM"
    return (op, flat.register(source.base), source.key)


def _load_size(flat: _Flattener, source: SizeSource) -> tuple[Any, ...]:
    name = "shape" if source.fact == "size" else "strides"
    return ("TUPLE_ITEM", flat.register(AttrSource(source.base, name)), source.axis)


def _load_dependent(flat: _Flattener, source: DependentSource) -> tuple[Any, ...]:
    operands = [flat.register(operand) for operand in source.operands]
    return ("APPLY" if len(operands) == 1 else "APPLY2", *operands, source.function.value)


def _no_load(flat: _Flattener, source: Source) -> tuple[Any, ...]:
    raise Unsupported(f"a guard on {source}, which a guard program cannot load")


LOADS: dict[type, Callable[[Any, Any], tuple[Any, ...]]] = {
    GlobalSource: _load_global,
    CellSource: _no_load,
    CellContentsSource: _load_contents,
    ConstSource: lambda flat, source: ("CONST", source.object.value),
    AttrSource: lambda flat, source: ("ATTR", flat.register(source.base), source.name),
    ItemSource: _load_item,
    TypeSource: lambda flat, source: ("TYPE_OF", flat.register(source.base)),
    OwnDictSource: lambda flat, source: ("OWN_DICT", flat.register(source.base)),
    SizeSource: _load_size,
    LiteralSource: lambda flat, source: ("CONST", source.value),
    DependentSource: _load_dependent,
}


def op_text(op: Any) -> str:
    """An op for people; of the program's own objects only the type, whose code is not to run."""
    if isinstance(op, tuple):
        return f"({', '.join(map(op_text, op))})"
    if isinstance(op, (type, np.dtype)):
        return getattr(op, "__name__", str(op))
    return repr(op) if type(op) in SHOWN else f"<{type(op).__name__}>"


SHOWN = (bool, int, float, complex, str, bytes, type(None))
