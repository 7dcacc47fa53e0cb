"""A program that is run again in its process makes code like that which it ran before."""
from __future__ import annotations

from types import CodeType

from ..base.disabled import place_of
from .histories import CodeHistory
from .program import Known, Program


def history_of(program: Program, code: CodeType) -> CodeHistory:
    """Its history, which begins with that of code like it."""
    former = former_of(program, code)
    if former is not None:
        former[1].note_time(former[0])
    history = program.history_of(code)
    if former is not None:
        history.goes_on(*former)
    return history


def former_of(program: Program, code: CodeType) -> Known | None:
    """Code like this, which is not known yet."""
    if program.known(code) is not None:
        return None
    found = program.former.get(place_of(code))
    return found if found is not None and found[0] == code else None
