"""Graphs run by Python code, as attempts that can be abandoned without an effect.

Native entries keep this promise themselves. A callable that a Python backend returns is wrapped:
when it raises, or NumPy has something to say about floating point, what it wrote into its inputs is
undone and the user's function runs instead, so that exceptions and warnings come from the user's
own lines.
"""
from __future__ import annotations

import contextlib
import threading
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import logs
from .ir.graph import Graph
from .ir.ops import Effect, row_of
from .native import ABANDONED

PERF = logs.logger("perf")
Run = Callable[..., Sequence[Any]]


def attempt(run: Run, written: Sequence[int]) -> Callable[..., Any]:
    """`run` as an attempt; `written` are the positions of the inputs that it changes.

    A callable whose attribute `abandons` is true keeps the promise by itself.
    """
    if getattr(run, "abandons", False):
        return run

    def entry(*inputs: Any) -> Any:
        saved = [(inputs[index], inputs[index].copy()) for index in written]
        try:
            with np.errstate(**_raising()), WARNINGS_RAISE:
                return tuple(run(*inputs))
        except Exception as error:  # whatever it was, the user's function shows it again
            PERF.info("a graph was abandoned: %s: %s", type(error).__name__, error)
            for array, before in saved:
                np.copyto(array, before)
            return ABANDONED

    return entry


def _raising() -> dict[str, Any]:
    """The current error state with every report turned into an exception."""
    return {
        condition: "ignore" if mode == "ignore" else "raise"
        for condition, mode in np.geterr().items()
    }


class WarningsRaise(threading.local):
    """A context in which warnings of this thread are exceptions: the user's function gives them.

    A filter that matches inside only, since the filters belong to all threads."""

    depth = 0

    def match(self, text: str) -> bool:
        return self.depth > 0

    def __enter__(self) -> None:
        warnings.filters.insert(0, RULE)  # type: ignore[attr-defined]
        self.depth += 1

    def __exit__(self, *error: object) -> None:
        self.depth -= 1
        with contextlib.suppress(ValueError):  # the program has replaced the filters
            warnings.filters.remove(RULE)  # type: ignore[attr-defined]


WARNINGS_RAISE = WarningsRaise()
CATEGORIES = (RuntimeWarning, UserWarning, DeprecationWarning, FutureWarning)
RULE = ("error", WARNINGS_RAISE, CATEGORIES, None, 0)


RandomOwner = np.random.RandomState | np.random.Generator

LEGACY_STATE = getattr(np.random.get_state, "__self__", None)

STATES: tuple[tuple[type, Callable[[Any], Any], Callable[[Any, Any], None]], ...] = (
    (
        np.random.RandomState,
        lambda owner: owner.get_state(legacy=False),
        lambda owner, state: owner.set_state(state),
    ),
    (
        np.random.Generator,
        lambda owner: owner.bit_generator.state,
        lambda owner, state: setattr(owner.bit_generator, "state", state),
    ),
)
"""Kinds of owners of a random state: how it is saved and put back."""


def random_owners(graph: Graph) -> list[RandomOwner]:
    """The random states and generators that running a graph advances."""
    owners = {}
    for node in graph.calls:
        row = row_of(node.target)
        owner = getattr(node.target, "__self__", None)
        if row is not None and row.effect is Effect.RANDOM and not isinstance(owner, RandomOwner):
            owner = LEGACY_STATE  # a plain function of numpy.random
        if isinstance(owner, RandomOwner):
            owners[id(owner)] = owner
    return list(owners.values())


def keep_random_state(run: Callable[..., Any], owners: Sequence[RandomOwner]) -> Callable[..., Any]:
    """`run`, with the random states put back when it is abandoned."""
    kept = [
        (owner, save, put_back)
        for owner in owners
        for kind, save, put_back in STATES
        if isinstance(owner, kind)
    ]

    def entry(*inputs: Any) -> Any:
        states = [save(owner) for owner, save, _ in kept]
        result = run(*inputs)
        if result is ABANDONED:
            for (owner, _, put_back), state in zip(kept, states):
                put_back(owner, state)
        return result

    return entry
