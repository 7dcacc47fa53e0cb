"""Error states: what a program itself says about floating-point reports (`np.errstate`).

An `Errstate` has an entry (condition, "ignore" or "raise") for each condition that the program has
set; for the others the error state of the call holds. "raise" stands for every mode that is not
"ignore": a graph never reports anything itself, the user's function does.
"""
from __future__ import annotations

from collections.abc import Mapping

Errstate = tuple[tuple[str, str], ...]
AMBIENT: Errstate = ()
"""The program says nothing: the error state of the call holds."""

CONDITIONS = ("divide", "over", "under", "invalid")


def changed(outer: Errstate, modes: Mapping[str, str | None]) -> Errstate:
    """`outer` after `np.errstate(**modes)`; a mode that is None leaves the condition as it was."""
    found = dict(outer)
    for condition in CONDITIONS:
        mode = modes.get(condition) or modes.get("all")
        if mode is not None:
            found[condition] = "ignore" if mode == "ignore" else "raise"
    return tuple(sorted(found.items()))


def is_silent(errstate: Errstate) -> bool:
    """Whether no condition is reported."""
    return len(errstate) == len(CONDITIONS) and all(mode == "ignore" for _, mode in errstate)
