"""Numbers and sizes that could be constants: symbolic first, fixed where an operation needs it."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...errors import GraphBreak
from ..object_model.constants import constant
from ..state.tracker import Args, Kwargs, VariableTracker
from ..trackers.arrays.counts import is_count, with_counts
from ..trackers.arrays.numbers import ComputedNumber, InputNumber
from ..trackers.arrays.sizes import SizeVariable
from ..trackers.containers.lists import ListVariable
from ..trackers.containers.sequences import TupleVariable

if TYPE_CHECKING:
    from ..state.tx import Tx

Attempt = Callable[[Args, Kwargs], VariableTracker]


def symbolic_first(
    tx: Tx, attempt: Attempt, args: Args, kwargs: Kwargs,
    names_of: Callable[[], Sequence[str]] = tuple,
) -> VariableTracker:
    """Try with symbols; if that breaks the graph, again with sizes as counts, which the names of
    the parameters tell, or else with the values of symbols, guarded. Of `np.linspace` nothing is
    known without the count."""
    try:
        if any(isinstance(value, ComputedNumber) for value in (*args, *kwargs.values())):
            named = [*zip(names_of(), args), *kwargs.items()]
            if any(name == "num" and is_count(name, value) for name, value in named):
                raise GraphBreak("a count that is computed")
        return attempt(args, kwargs)
    except GraphBreak:
        if (counted := with_counts(tx, names_of(), args, kwargs)) is not None:
            return attempt(*counted)
        if not any(map(is_symbolic, (*args, *kwargs.values()))):
            raise
    fixed = [specialised(tx, value) for value in args]
    return attempt(fixed, {name: specialised(tx, value) for name, value in kwargs.items()})


def is_symbolic(value: VariableTracker) -> bool:
    """Whether the value is known but held as a symbol or an input number (or contains such)."""
    if isinstance(value, (TupleVariable, ListVariable)):
        return value.unread is None and any(map(is_symbolic, value.built_items()))
    return isinstance(value, SizeVariable) or (isinstance(value, InputNumber) and value.is_python)


def specialised(tx: Tx, value: VariableTracker) -> VariableTracker:
    """The same value as a constant."""
    if not is_symbolic(value):
        return value
    if isinstance(value, (TupleVariable, ListVariable)):
        return type(value)([specialised(tx, item) for item in value.built_items()])
    return constant(value.as_constant(tx))
