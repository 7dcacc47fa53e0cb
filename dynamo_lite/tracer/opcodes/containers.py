"""Displays, comprehensions and unpacking."""
from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from ..object_model.constants import NULL, observed
from ..object_model.refusals import name_in_c
from ..python.iteration import has_keys
from ..rules.mro import is_iterable
from ..state.tracker import VariableTracker
from ..trackers.containers.dicts import DictVariable
from ..trackers.containers.iterators import ObjectIterator
from ..trackers.containers.lists import ListVariable
from ..trackers.containers.sequences import TupleVariable
from ..trackers.containers.sets import SetVariable
from .calls import shown
from .table import handles

if TYPE_CHECKING:
    from ...bytecode.reading import Instruction
    from ..state.tx import Tx


@handles("BUILD_TUPLE")
def build_tuple(tx: Tx, inst: Instruction, *items: VariableTracker) -> VariableTracker:
    return TupleVariable(items)


@handles("BUILD_LIST")
def build_list(tx: Tx, inst: Instruction, *items: VariableTracker) -> VariableTracker:
    return ListVariable(items)


@handles("BUILD_SET", pushes=1)
def build_set(tx: Tx, inst: Instruction, *items: VariableTracker) -> VariableTracker:
    return SetVariable.of(tx, items)


@handles("BUILD_MAP")
def build_map(tx: Tx, inst: Instruction) -> VariableTracker:
    flat = tx.popn(2 * inst.arg)
    return DictVariable.of(tx, zip(flat[::2], flat[1::2]))


@handles("BUILD_CONST_KEY_MAP")
def build_const_key_map(
    tx: Tx, inst: Instruction
) -> VariableTracker:
    keys = tx.pop().iterate(tx)
    return DictVariable.of(tx, zip(keys, tx.popn(inst.arg)))


@handles("LIST_TO_TUPLE", pushes=1)
def list_to_tuple(tx: Tx, inst: Instruction, items: ListVariable) -> VariableTracker:
    return TupleVariable(items.items(tx))


@handles("LIST_APPEND")
def list_append(tx: Tx, inst: Instruction, item: VariableTracker) -> None:
    tx.stack[-inst.arg].call_method(tx, "append", (item,), {})


@handles("SET_ADD")
def set_add(tx: Tx, inst: Instruction, item: VariableTracker) -> None:
    tx.stack[-inst.arg].call_method(tx, "add", (item,), {})


@handles("MAP_ADD")
def map_add(
    tx: Tx, inst: Instruction, key: VariableTracker, value: VariableTracker
) -> None:
    tx.stack[-inst.arg].call_method(tx, "__setitem__", (key, value), {})


@handles("LIST_EXTEND")
def list_extend(tx: Tx, inst: Instruction, items: VariableTracker) -> None:
    kind = items.python_type()
    if not is_iterable(kind):
        text = f"Value after * must be an iterable, not {name_in_c(kind)}"
        raise observed(TypeError(text))
    added = ListVariable(list(tx.collect(items)))
    tx.stack[-inst.arg].call_method(tx, "extend", (added,), {})


@handles("SET_UPDATE")
def set_update(tx: Tx, inst: Instruction, items: VariableTracker) -> None:
    if not isinstance(items, SetVariable | DictVariable):
        items = ListVariable(list(tx.iterate(items)))
    tx.stack[-inst.arg].call_method(tx, "update", (items,), {})


@handles("DICT_UPDATE")
def dict_update(tx: Tx, inst: Instruction, other: VariableTracker) -> None:
    if not has_keys(tx, other):
        kind = name_in_c(other.python_type())
        raise observed(TypeError(f"{kind!r} object is not a mapping"))
    tx.stack[-inst.arg].call_method(tx, "update", (other,), {})


@handles("DICT_MERGE")
def dict_merge(tx: Tx, inst: Instruction, other: VariableTracker) -> None:
    """`f(**a, **b)`: a key may come only once. Below the dict lie positional arguments and `f`."""
    target, function = tx.stack[-inst.arg], tx.stack[-inst.arg - 2]
    assert isinstance(target, DictVariable)
    if function is NULL:
        function = tx.stack[-inst.arg - 3]
    if not has_keys(tx, other):
        kind = name_in_c(other.python_type())
        text = f"{shown(function)} argument after ** must be a mapping, not {kind}"
        raise observed(TypeError(text))
    for key, value in tx.pairs(other):
        if target.has(tx, key):
            text = f"{shown(function)} got multiple values for keyword argument"
            raise observed(TypeError(f"{text} {key.as_constant(tx)!r}"))
        target.store(tx, key, value)


@handles("UNPACK_SEQUENCE")
def unpack_sequence(
    tx: Tx, inst: Instruction, value: VariableTracker
) -> tuple[VariableTracker, ...]:
    items = _take(tx, value, inst.arg)
    return tuple(reversed(items))


@handles("UNPACK_EX")
def unpack_ex(
    tx: Tx, inst: Instruction, value: VariableTracker
) -> tuple[VariableTracker, ...]:
    """`a, *b, c = value`: the low byte counts names before the star, the high byte those after."""
    before, after = inst.arg & 255, inst.arg >> 8
    _check_unpackable(value)
    iterator = tx.iterator(value)
    items = list(islice(iterator.iterate(tx), before))
    if len(items) == before:  # CPython makes a list of the iterator, which it asks for one again
        again = iterator.owner if isinstance(iterator, ObjectIterator) else iterator
        items += tx.iterate(again)
    if len(items) < before + after:
        raise observed(ValueError(
            f"not enough values to unpack (expected at least {before + after}, got {len(items)})"
        ))  # fmt: skip
    end = len(items) - after
    parts = [*items[:before], ListVariable(items[before:end]), *items[end:]]
    return tuple(reversed(parts))


def _check_unpackable(value: VariableTracker) -> None:
    if not is_iterable(kind := value.python_type()):
        raise observed(TypeError(f"cannot unpack non-iterable {name_in_c(kind)} object"))


def _take(
    tx: Tx, value: VariableTracker, count: int
) -> list[VariableTracker]:
    """Exactly `count` items of an iterable, one more being an error."""
    items: list[VariableTracker] = []
    _check_unpackable(value)
    for item in tx.iterate(value):
        if len(items) == count:
            raise observed(ValueError(f"too many values to unpack (expected {count})"))
        items.append(item)
    if len(items) < count:
        message = f"not enough values to unpack (expected {count}, got {len(items)})"
        raise observed(ValueError(message))
    return items
