"""Locals, cells and globals."""
from __future__ import annotations

from typing import TYPE_CHECKING

from ...bytecode.liveness import cells_of_comprehensions
from ...guards.sources import Pinned
from ..object_model.cells import CellVariable, unbound
from ..object_model.constants import NONE, NULL, observed
from ..object_model.lazy import LazyVariable
from ..state.tracker import VariableTracker
from ..trackers.arrays.perhaps_bound import PerhapsBound
from ..trackers.containers.dicts import DictVariable
from .table import handles

if TYPE_CHECKING:
    from ...bytecode.reading import Instruction
    from ..state.tx import Tx


@handles("LOAD_FAST", "LOAD_CLOSURE")
def load_fast(tx: Tx, inst: Instruction) -> VariableTracker:
    """A local, looked at from here on."""
    value = tx.locals.get(inst.argval)
    if value is None:
        tx.state.read_unbound.add((tx.code, inst.argval))
        raise observed(unbound(inst.argval, free=False))
    if isinstance(value, LazyVariable):
        value = tx.locals[inst.argval] = value.realise(tx)
    if isinstance(value, PerhapsBound):
        value = tx.locals[inst.argval] = value.read(tx, inst.argval)
    return value


@handles("LOAD_FAST_AND_CLEAR")
def load_fast_and_clear(tx: Tx, inst: Instruction) -> VariableTracker:
    """Set a local aside while an inlined comprehension uses its name."""
    return tx.locals.pop(inst.argval, NULL)


@handles("STORE_FAST", "STORE_CLOSURE")
def store_fast(tx: Tx, inst: Instruction, value: VariableTracker) -> None:
    if value is NULL:
        tx.locals.pop(inst.argval, None)
    else:
        tx.locals[inst.argval] = value


@handles("DELETE_FAST")
def delete_fast(tx: Tx, inst: Instruction) -> None:
    load_fast(tx, inst)
    del tx.locals[inst.argval]


@handles("MAKE_CELL")
def make_cell(tx: Tx, inst: Instruction) -> None:
    """Turn the local into a cell; an argument moves into it."""
    made = tx.locals[inst.argval] = CellVariable(tx.locals.get(inst.argval))
    tx.side_effects.fields.makes(made)


@handles("COPY_FREE_VARS")
def copy_free_vars(tx: Tx, inst: Instruction) -> None:
    tx.locals.update(zip(tx.code.co_freevars, tx.closure))


def _cell(tx: Tx, inst: Instruction) -> tuple[CellVariable, bool]:
    cell = tx.locals[inst.argval]
    if isinstance(cell, LazyVariable):  # a resume function is passed its cells
        cell = tx.locals[inst.argval] = cell.realise(tx)
    assert isinstance(cell, CellVariable)
    return cell, inst.argval in tx.code.co_freevars


@handles("LOAD_DEREF", pushes=1)
def load_deref(tx: Tx, inst: Instruction) -> VariableTracker:
    cell, free = _cell(tx, inst)
    return cell.load(tx, inst.argval, free)


@handles("STORE_DEREF", pushes=0)
def store_deref(tx: Tx, inst: Instruction, value: VariableTracker) -> None:
    if inst.argval in cells_of_comprehensions(tx.code) and _is_empty(tx.locals.get(inst.argval)):
        tx.locals.pop(inst.argval, None)
        make_cell(tx, inst)  # an arm or iteration makes its own
    _cell(tx, inst)[0].store(tx, value)


def _is_empty(cell: VariableTracker | None) -> bool:
    return cell is None or (isinstance(cell, CellVariable) and cell.bound is None)


@handles("DELETE_DEREF")
def delete_deref(tx: Tx, inst: Instruction) -> None:
    cell, free = _cell(tx, inst)
    cell.delete(tx, inst.argval, free)


@handles("SETUP_ANNOTATIONS")
def setup_annotations(tx: Tx, inst: Instruction) -> None:
    """The dict into which a class body puts its annotations."""
    tx.locals.setdefault("__annotations__", DictVariable())


@handles("LOAD_CLASSDEREF")
def load_classderef(tx: Tx, inst: Instruction) -> VariableTracker:
    """In a class body, which does not bind the name itself."""
    return load_deref(tx, inst)


@handles("LOAD_LOCALS")
def load_locals(tx: Tx, inst: Instruction) -> VariableTracker:
    """The namespace of a class body, for one of the two instructions below."""
    return NONE


@handles("LOAD_FROM_DICT_OR_DEREF")
def load_from_dict_or_deref(
    tx: Tx, inst: Instruction, namespace: VariableTracker
) -> VariableTracker:
    return load_deref(tx, inst)


@handles("LOAD_FROM_DICT_OR_GLOBALS")
def load_from_dict_or_globals(
    tx: Tx, inst: Instruction, namespace: VariableTracker
) -> VariableTracker:
    return load_name(tx, inst)


@handles("LOAD_GLOBAL", pushes=1)
def load_global(tx: Tx, inst: Instruction) -> VariableTracker:
    return tx.load_global(inst.argval)


@handles("STORE_GLOBAL", pushes=0)
def store_global(tx: Tx, inst: Instruction, value: VariableTracker) -> None:
    tx.side_effects.store_global(Pinned(tx.globals), inst.argval, value)


@handles("DELETE_GLOBAL", pushes=0)
def delete_global(tx: Tx, inst: Instruction) -> None:
    name = inst.argval
    if name in tx.globals:
        tx.load_global(name)  # it is to be there in every call
    elif tx.stored_global(tx.globals, name) is None:
        raise tx.absent(name, tx.globals)
    tx.side_effects.delete_global(Pinned(tx.globals), inst.argval)


@handles("LOAD_NAME")
def load_name(tx: Tx, inst: Instruction) -> VariableTracker:
    """A name in a class body: its namespace, then globals and builtins."""
    value = tx.locals.get(inst.argval)
    return tx.load_global(inst.argval) if value is None else value


@handles("STORE_NAME")
def store_name(tx: Tx, inst: Instruction, value: VariableTracker) -> None:
    tx.locals[inst.argval] = value


@handles("DELETE_NAME")
def delete_name(tx: Tx, inst: Instruction) -> None:
    if inst.argval not in tx.locals:
        raise observed(NameError(f"name {inst.argval!r} is not defined", name=inst.argval))
    del tx.locals[inst.argval]
