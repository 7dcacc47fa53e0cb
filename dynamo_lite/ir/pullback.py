"""Derivatives as calls in a graph, which `passes.differentiate` carries out.

What a variable is made of does not matter to derivatives with respect to it: only what is computed
from the variable itself is followed.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base.loading import loaded
from ..errors import NotDifferentiable
from .facts import Facts
from .graph import Graph


def independent(value: Any) -> Any:
    """A variable with the contents of `value`, in memory of its own."""
    return copied(value)


def owned(value: Any) -> Any:
    """A copy, into which a program may write that is given it in the place of its argument."""
    return copied(value)


def detached(value: Any) -> Any:
    """A copy, which to derivatives is a constant."""
    return copied(value)


def copied(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def pullback(
    outputs: Sequence[Any], cotangents: Sequence[Any], variables: Sequence[Any]
) -> tuple[Any, ...]:
    """What the cotangents of outputs are as those of variables: the transposed Jacobian times them.

    A cotangent of None is 1, and its output must be a single real number.
    """
    raise NotDifferentiable(OUTSIDE)


def pushforward(
    outputs: Sequence[Any], tangents: Sequence[Any], variables: Sequence[Any]
) -> tuple[Any, ...]:
    """What the tangents of variables are as those of outputs: the Jacobian times them."""
    raise NotDifferentiable(OUTSIDE)


def pullbacks(output: Any, cotangents: Any, variables: Sequence[Any]) -> tuple[Any, ...]:
    """The pullbacks of many cotangents of one output, which have a first axis more; so have the
    arrays for the variables."""
    raise NotDifferentiable(OUTSIDE)


def pushforwards(outputs: Sequence[Any], tangents: Any, variable: Any) -> tuple[Any, ...]:
    """The same of many tangents of one variable."""
    raise NotDifferentiable(OUTSIDE)


def unknown(value: Any) -> Any:
    """What stands for a derivative of `value` in a rule that the program has given."""
    raise NotDifferentiable(OUTSIDE)


def ruled_backwards(
    outputs: Sequence[Any], arguments: Sequence[Any], unknowns: Sequence[Any],
    cotangents: Sequence[Any],
) -> tuple[Any, ...]:
    """The outputs, whose cotangents go back to arguments as they are computed of unknown ones."""
    raise NotDifferentiable(OUTSIDE)


def ruled_forwards(
    outputs: Sequence[Any], arguments: Sequence[Any], unknowns: Sequence[Any],
    tangents: Sequence[Any],
) -> tuple[Any, ...]:
    """The outputs, whose tangents are computed of unknown ones of the arguments."""
    raise NotDifferentiable(OUTSIDE)


OUTSIDE = (
    "derivatives are taken of captured programs, and here Python runs: the compiler is switched "
    "off (config.disable, dl.set_stance), or has found a defect of its own and said so"
)
COPIES = frozenset({independent, owned, detached})
RULED = frozenset({ruled_backwards, ruled_forwards})
EXPANDED = COPIES | RULED | {pullback, pullbacks, pushforward, pushforwards, unknown}
"""What no backend is given."""


def has_derivatives(graph: Graph) -> bool:
    return any(node.op == "call_function" and node.target in EXPANDED for node in graph)


def expanded(graph: Graph, facts: Facts) -> Graph:
    """The joint graph, for a backend. The pass is loaded when needed.

    `facts` are those of the trace, which guards what it answers: rules ask about sizes as the
    functions do that they call.
    """
    passes = loaded(".passes.differentiate", __package__)
    found: Graph = passes.differentiate(graph, facts)
    return found
