"""Queries over the rows: importing this module fills the registry first."""
from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from ..row import BOUND_ROWS, ROWS, Kind, Op, by_name, row_of
from . import topics as topics  # they fill the registry


def having(column: str) -> tuple[Op, ...]:
    """The rows in which a column says something."""
    return tuple(filter(attrgetter(column), (*ROWS.values(), *BOUND_ROWS.values())))


def says(target: Any, column: str) -> Any:
    """What a column says of a callable; None without a row."""
    row = row_of(target)
    return None if row is None else getattr(row, column)


def target_named(name: str) -> Any:
    """The function that the name of a fold or of a scalar operation stands for: a ufunc, or what
    gives a part of complex numbers."""
    row = by_name(name) or next((row for row in ROWS.values() if row.name == name), None)
    assert row is not None, name
    return row.target


def folds_of(kind: Kind) -> dict[Any, Callable[..., Any]]:
    """Ufunc → the function that is its reduction, or its running fold."""
    return {row.folds: row.target for row in having("folds") if row.kind is kind}


UFUNC_OF: dict[Any, Any] = {
    function: row.target for row in having("operators") for function in row.operators
}
"""Python's operator or builtin → what it is on arrays."""
