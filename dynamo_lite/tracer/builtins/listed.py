"""What takes all items of `map` or of a generator expression takes them from a list, which a loop
of the graph may make."""
from __future__ import annotations

from types import CodeType
from typing import TYPE_CHECKING, Any

from ...errors import GraphBreak, PlanLoop
from ..control_flow.iterations import iterations_of
from ..object_model.constants import ConstantVariable
from ..object_model.lazy import realise
from ..polyfills.lists import mapped
from ..state.trace import LoopPlan
from ..state.tracker import ObservedException, VariableTracker
from ..trackers.array_backed.elements import elements_of, numpy_vector
from ..trackers.array_backed.growing import GrowingVariable
from ..trackers.array_backed.vectors import FEW, scalars_of
from ..trackers.arrays.arrays import ArrayVariable
from ..trackers.arrays.numbers import NumberVariable
from ..trackers.arrays.sizes import SizeVariable
from ..trackers.containers.generators import GeneratorVariable
from ..trackers.containers.iterators import (
    EnumerateVariable,
    MapVariable,
    StepVariable,
    ZipVariable,
)
from ..trackers.containers.slices import DataRangeVariable, RangeVariable

if TYPE_CHECKING:
    from ..state.tx import Tx

EXPRESSION = "<genexpr>"


def folded(tx: Tx, values: VariableTracker) -> VariableTracker:
    """The same of what is folded item by item. When numbers are added nobody can tell, but objects
    have methods, and arrays may change until then: the next analysis takes them one by one."""
    values = realise(tx, values)
    if (vector := numpy_vector(tx, values)) is not None:
        return vector
    if place_of(values) in tx.state.options.loops or (found := listed(tx, values)) is None:
        return values
    if not isinstance(found, GrowingVariable) and not all(map(is_number, found.items(tx))):
        raise PlanLoop(place_of(values), LoopPlan("it gives other things than numbers"))
    return found


def place_of(values: VariableTracker) -> tuple[CodeType, int]:
    """Where it is noted that the items of a generator, or of all that is mapped, are no numbers."""
    code = values.frame.code if isinstance(values, GeneratorVariable) else mapped.__code__
    return code, 0


def is_number(item: VariableTracker) -> bool:
    return isinstance(item, ConstantVariable | NumberVariable | SizeVariable)


def listed(tx: Tx, values: VariableTracker) -> Any:
    """The list of many items that nobody has taken yet; None for all else."""
    if type(values) is MapVariable:
        return list_of_map(tx, values)
    if type(values) is not GeneratorVariable or values.started:
        return None
    iterator = values.frame.locals.get(".0")
    if values.frame.code.co_name != EXPRESSION or not is_long(tx, iterator):
        return None
    return values.all_items(tx)


def list_of_map(tx: Tx, values: MapVariable) -> VariableTracker | None:
    """By a comprehension."""
    (inner, *others) = values.inners
    if others or not isinstance(inner, StepVariable) or not is_long(tx, inner):
        return None
    if scalars_of(inner.owner) is None:
        return None
    values.touch(tx)
    inner.exhausted = True
    try:
        return tx.known(mapped).call(tx, (values.function, inner.owner), {})
    except ObservedException:
        raise GraphBreak(f"{values.describe()}, of which some items were taken") from None


def is_long(tx: Tx, iterator: VariableTracker | None) -> bool:
    """Whether an iterator over arrays, ranges or lists of numbers from outside has many items, of
    which none was taken."""
    if iterator is None or not is_over_numbers(tx, iterator):
        return False
    iterations = iterations_of(tx, iterator)
    count = FEW if iterations is None else iterations.count()
    return not (isinstance(count, int) and count <= FEW)


def is_over_numbers(tx: Tx, iterator: VariableTracker) -> bool:
    if isinstance(iterator, EnumerateVariable):
        return is_over_numbers(tx, iterator.inner)
    if isinstance(iterator, ZipVariable):
        inners = iterator.inners
        return bool(inners) and all(is_over_numbers(tx, inner) for inner in inners)
    if not isinstance(iterator, StepVariable) or iterator.position or iterator.exhausted:
        return False
    is_counted = isinstance(iterator.owner, (ArrayVariable, RangeVariable, DataRangeVariable))
    return is_counted or elements_of(tx, iterator.owner) is not None


__all__ = ["folded", "listed"]
