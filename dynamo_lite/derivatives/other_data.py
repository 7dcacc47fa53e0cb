"""Calls that no derivative is compiled for, because data is not as the graph expects it.

Python runs the function then, which raises what it raises for such data. Where it does not, the
user is told the line that the graph is limited by, why, and what to do.
"""
from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..base.loading import loaded
from ..base.remedies import remedy_for
from ..base.suppressed import warnings_as
from ..errors import DataDiffers, NotDifferentiable
from ..ir.graph import Graph, Location
from ..ir.pullback import OUTSIDE
from ..runtime.users_lines import is_not_users, line_of_call

BACKENDS = "..backends.eager"
TESTED = "choose between values with np.where where data may be otherwise on this line, or test " \
         "for such data before the call"


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
    raise NotDifferentiable(told(differs))


def told(differs: DataDiffers) -> str:
    remedy = remedy_for(str(differs))
    advice = TESTED if remedy.id == "exceptions" else remedy
    return (f"{differs}; Python runs such calls, and gives no derivatives"
            f"\n  at {place_of(differs)}\n  remedy: {advice}")


def place_of(error: DataDiffers) -> Location | None:
    """The innermost of the user's lines that the graph was at."""
    codes = [(frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    places = [Location(code.co_filename, line, code.co_qualname) for code, line in codes]
    seen = [place for place in places if not is_not_users(place.filename)]
    return seen[-1] if seen else line_of_call(places[0])
