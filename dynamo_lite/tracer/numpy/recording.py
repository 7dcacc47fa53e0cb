"""A call with a row: a node of the graph, or the value when everything is known."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.suppressed import warnings_as
from ...errors import GraphBreak, Unsupported
from ...ir.ops.columns import says
from ...ir.ops.inference import infer
from ...ir.row import Effect, row_of
from ...ir.types import ArrayType, Form
from ..object_model.constants import constant
from ..recording.nodes import REFUSALS, name_of
from ..state.tracker import Args, Kwargs, VariableTracker
from ..trackers.arrays.graph_methods import record_call
from .symbolic import is_symbolic

if TYPE_CHECKING:
    from ..state.tx import Tx


def recorded(tx: Tx, function: Any, args: Args, kwargs: Kwargs) -> VariableTracker:
    """A node, or the value when everything is known and the result is a scalar."""
    operands = (*args, *kwargs.values())
    if says(function, "out_by_name") and len(args) > function.nin:
        raise GraphBreak(f"{name_of(function)} with a positional output is deprecated")
    if all(operand.is_constant() and not is_symbolic(operand) for operand in operands):
        return folded(tx, function, args, kwargs)
    return record_call(tx, function, args, kwargs)


def folded(tx: Tx, function: Any, args: Args, kwargs: Kwargs) -> VariableTracker:
    """A call with known arguments: a constant scalar, or a node that makes a fresh array."""
    known = [value.as_argument(tx) for value in args]
    named = {name: value.as_argument(tx) for name, value in kwargs.items()}
    row = row_of(function)
    if row is None or row.effect is not Effect.PURE or not _is_scalar(function, known, named):
        return record_call(tx, function, args, kwargs)
    with np.errstate(all="raise"), warnings_as("error"):
        try:
            return constant(function(*known, **named))
        except (*REFUSALS, AttributeError, Warning) as error:
            reason = f"{name_of(function)} raises {type(error).__name__}: {error}"
            raise GraphBreak(reason) from None


def _is_scalar(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    try:
        kind = infer(function, tuple(args), dict(kwargs))
    except (Unsupported, *REFUSALS):
        return False
    return isinstance(kind, ArrayType) and kind.form is not Form.ARRAY
