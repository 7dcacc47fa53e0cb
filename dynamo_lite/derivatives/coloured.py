"""Jacobians of which most elements are known to be zero.

Columns that have no row in common get one colour: one tangent along all of them gives their
elements, each in rows of its own. Or rows that have no column in common, and cotangents.
"""
from __future__ import annotations

import functools
import operator
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
    (rows, columns), shape = elements_of(sparsity)
    of_columns, of_rows = colours_of(columns, rows, shape), colours_of(rows, columns, shape[::-1])
    forwards = bool(of_columns.max(initial=-1) <= of_rows.max(initial=-1))
    chosen, lines = (of_columns, columns) if forwards else (of_rows, rows)
    directions = np.zeros((chosen.max(initial=-1) + 1, len(chosen)))
    directions[chosen, np.arange(len(chosen))] = 1
    return Colouring(rows, columns, chosen[lines], directions, forwards, shape)


def elements_of(sparsity: Any) -> tuple[tuple[np.ndarray, np.ndarray], tuple[int, int]]:
    """The rows and columns of nonzero elements, row by row, and the shape of the matrix."""
    if is_sparse(sparsity):
        found = sparsity.tocoo()
        there = found.data != 0
        flat = np.unique(found.row[there].astype(np.int64) * found.shape[1] + found.col[there])
        return np.divmod(flat, max(1, found.shape[1])), found.shape
    pattern = np.asarray(sparsity) != 0
    if pattern.ndim != 2:
        raise TypeError(
            "sparsity is a matrix with a row for each element of the value and a column for each "
            f"of the argument, not an array of {pattern.ndim} axes")
    rows, columns = np.nonzero(pattern)
    return (rows, columns), pattern.shape


def is_sparse(sparsity: Any) -> bool:
    """Whether it is a matrix of `scipy.sparse`."""
    return hasattr(sparsity, "tocoo")


def colours_of(lines: np.ndarray, across: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """A number for each column, the first that no column with a row in common has.

    Elements are in columns `lines` and rows `across`; bit k of `taken[i]` says that a column of
    colour k has an element in row i.
    """
    taken, colours = [0] * shape[0], np.zeros(shape[1], int)
    order = np.argsort(lines, kind="stable")
    ends = np.cumsum(np.bincount(lines, minlength=shape[1]))
    rows = np.split(across[order], ends[:-1]) if shape[1] else []
    for column, of_column in enumerate(map(np.ndarray.tolist, rows)):
        others = functools.reduce(operator.or_, map(taken.__getitem__, of_column), 0)
        colours[column] = (~others & (others + 1)).bit_length() - 1
        for row in of_column:
            taken[row] |= 1 << int(colours[column])
    return colours


def as_sparse(sparsity: Any, values: np.ndarray, colouring: Colouring) -> Any:
    """The elements as a matrix of the class that `sparsity` has."""
    places = colouring.rows, colouring.columns
    made = type(sparsity.tocoo())((values, places), shape=colouring.shape)
    return made.asformat(sparsity.format)


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
