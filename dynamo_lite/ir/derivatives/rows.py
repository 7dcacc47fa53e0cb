"""The functions that rows name for how they are differentiated. Importing this module puts them in
the place of their names: only who takes a derivative does."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from ..ops import topics as topics  # they make the rows
from ..row import FOREIGN_ROWS, ROWS, Made, fill
from . import (
    arrays,
    bessel,
    fourier,
    linalg,
    meanings,
    neighbours,
    norms,
    products,
    statistics,
    writes,
)

TOPICS: Mapping[str, ModuleType] = {module.__name__.rpartition(".")[2]: module for module in (
    arrays, bessel, fourier, linalg, meanings, neighbours, norms, products, statistics, writes)}


def named(rule: Any) -> Any:
    """The function that a text names, or that one makes which is named; anything else as it is."""
    if isinstance(rule, Made):
        make: Callable[..., Any] = named(rule.maker)
        return make(*map(named, rule.arguments), **rule.options)
    if isinstance(rule, str):
        topic, _, name = rule.partition(".")
        return getattr(TOPICS[topic], name)
    return rule


def complete_rows() -> None:
    for row in (*ROWS.values(), *FOREIGN_ROWS.values()):
        fill(row, means=named(row.means), keeping=named(row.keeping),
             partials=tuple(map(named, row.partials)), vjp=tuple(map(named, row.vjp)))


complete_rows()
