"""Calls that no derivative is compiled for, because data is not as the graph expects it.

Python runs the function then, which raises what it raises for such data. Where it does not, the
user is told the line that the graph is limited by, why, and what to do.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..base.loading import loaded
from ..base.suppressed import warnings_as
from ..errors import DataDiffers, NotDifferentiable
from ..ir.graph import Graph
from ..ir.pullback import OUTSIDE
from ..runtime.other_data import told

BACKENDS = "..backends.eager"
NO_DERIVATIVES = "Python runs such calls, and gives no derivatives"


def by_numpy(graph: Graph, example_inputs: Sequence[Any]) -> Callable[..., Any]:
    """The backend that runs what compiled code has given up."""
    run: Callable[..., Any] = loaded(BACKENDS, __package__).compile_oracle(graph, example_inputs)
    return run


def run(oracle: Callable[..., Any], call: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """What the oracle of `call` gives, or what the user's function raises."""
    try:
        return oracle(*args, **kwargs)
    except DataDiffers as error:
        differs = error
    try:
        with warnings_as("ignore"), np.errstate(all="ignore"):  # which the oracle has reported
            return call(*args, **kwargs)
    except NotDifferentiable as error:
        if str(error) != OUTSIDE:
            raise
    raise NotDifferentiable(told(differs, NO_DERIVATIVES))

