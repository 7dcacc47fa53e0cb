"""Types of derivatives."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...errors import NotDifferentiable
from ..facts import Facts
from ..types import ArrayType, Form, array
from .creation import method_copy_rule
from .values import as_type


def independent(value: Any, *, facts: Facts) -> ArrayType:
    """Only what is continuous varies."""
    kind = as_type(value)
    if kind.dtype.kind not in "fc":
        raise NotDifferentiable(
            "grad requires real- or complex-valued inputs (input dtype that is a sub-dtype of "
            f"np.inexact), but got {kind.dtype.name}\n"
            "  remedy: convert the argument, or choose others with argnums")
    return copied(value, facts=facts)


def copied(value: Any, *, facts: Facts) -> ArrayType:
    """Numbers stay what they are, also Python's, which are weak."""
    return method_copy_rule(value, "K", facts=facts)


def pullback(
    outputs: Any, cotangents: Any, variables: Any, *, facts: Facts
) -> tuple[ArrayType, ...]:
    """Cotangents are of the types of variables."""
    check_numbers(outputs)
    return tuple(map(derivative, map(as_type, variables)))


def pushforward(
    outputs: Any, tangents: Any, variables: Any, *, facts: Facts
) -> tuple[ArrayType, ...]:
    """Tangents are of the types of outputs."""
    check_numbers(outputs)
    return tuple(map(derivative, map(as_type, outputs)))


def check_numbers(outputs: Any) -> None:
    for output in outputs:
        if isinstance(output, TEXTS):
            raise NotDifferentiable(
                "derivatives are of functions that give arrays and numbers, but this one gives a "
                f"{type(output).__name__}\n  remedy: return it as what else there is, with has_aux")


TEXTS = (str, bytes)


def pullbacks(
    output: Any, cotangents: Any, variables: Any, *, facts: Facts
) -> tuple[ArrayType, ...]:
    return tuple(stacked(cotangents, variable) for variable in variables)


def pushforwards(
    outputs: Any, tangents: Any, variable: Any, *, facts: Facts
) -> tuple[ArrayType, ...]:
    return tuple(stacked(tangents, output) for output in outputs)


def stacked(directions: Any, like: Any) -> ArrayType:
    """One array for each of the directions."""
    kind = as_type(like)
    return array(kind.dtype, as_type(directions).shape[0], *kind.shape)


def unknown(value: Any, *, facts: Facts) -> ArrayType:
    return derivative(method_copy_rule(value, "C", facts=facts))


def ruled(
    outputs: Any, arguments: Any, unknowns: Any, derivatives: Any, *, facts: Facts
) -> tuple[ArrayType, ...]:
    """The outputs come back; the program may write into them."""
    return tuple(method_copy_rule(as_type(output), "K", facts=facts) for output in outputs)


def derivative(kind: ArrayType) -> ArrayType:
    """No derivative is a Python number."""
    return replace(kind, form=Form.SCALAR) if kind.form is Form.PYTHON else kind
