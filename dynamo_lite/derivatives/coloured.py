"""Jacobians of which most elements are known to be zero.

Columns that have no row in common get one colour: one tangent along all of them gives their
elements, each in rows of its own. Or rows that have no column in common, and cotangents.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.records import dataclass
from ..ir.pullback import owned, pullbacks, pushforwards
from .transforms import at_places, variables_of

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Colouring:
    """Where the elements are, which of `products` has each, and the directions of the products."""

    rows: np.ndarray
    columns: np.ndarray
    colours: np.ndarray
    directions: np.ndarray
    forwards: bool
    shape: tuple[int, int]


def coloured(sparsity: Any) -> Colouring:
    """The colouring with the fewer colours, of a matrix whose nonzero elements may be nonzero."""
    pattern = np.asarray(sparsity.toarray() if hasattr(sparsity, "toarray") else sparsity) != 0
    if pattern.ndim != 2:
        raise TypeError(
            "sparsity is a matrix with a row for each element of the value and a column for each "
            f"of the argument, not an array of {pattern.ndim} axes")
    of_columns, of_rows = colours_of(pattern), colours_of(pattern.T)
    forwards = max(of_columns, default=-1) <= max(of_rows, default=-1)
    chosen = np.array(of_columns if forwards else of_rows, int)
    directions = np.zeros((chosen.max(initial=-1) + 1, len(chosen)))
    directions[chosen, np.arange(len(chosen))] = 1
    rows, columns = np.nonzero(pattern)
    colours = chosen[columns if forwards else rows]
    return Colouring(rows, columns, colours, directions, forwards, pattern.shape)


def colours_of(pattern: np.ndarray) -> list[int]:
    """A number for each column, the first that no column with a row in common has."""
    taken: list[np.ndarray] = []
    found = []
    for column in pattern.T:
        number = next((each for each, rows in enumerate(taken) if not (rows & column).any()), None)
        if number is None:
            number = len(taken)
            taken.append(np.zeros_like(column))
        taken[number] |= column
        found.append(number)
    return found


def coloured_jacobian(
    function: Function, place: int, colouring: Colouring, args: Any, kwargs: Any
) -> tuple[Any, Any]:
    """The elements in the order of `colouring.rows`, and the shape of all."""
    x, directions = args[place], colouring.directions
    if not isinstance(x, np.ndarray):
        raise TypeError(OF_ONE)
    (variable,), _ = variables_of((x,))
    value = at_places(function, (place,), args, kwargs)(owned(variable))
    if not isinstance(value, np.ndarray):
        raise TypeError(OF_ONE)
    if (value.size, x.size) != colouring.shape:
        raise TypeError(
            f"sparsity is of shape {colouring.shape}, and the Jacobian is of "
            f"{(value.size, x.size)}")
    along = np.reshape(directions.astype(x.dtype),
                       (len(directions), *(x if colouring.forwards else value).shape))
    if colouring.forwards:
        (products,) = pushforwards((value,), along, variable)
        found = np.reshape(products, (len(directions), value.size))
        return found[colouring.colours, colouring.rows], value.shape + x.shape
    (products,) = pullbacks(value, along, (variable,))
    found = np.reshape(products, (len(directions), x.size))
    return found[colouring.colours, colouring.columns], value.shape + x.shape


OF_ONE = "a Jacobian with sparsity= is of one array by another one"
