"""Data that is not as a graph expects it, where Python cannot run the call: which line asks for
what, and what to do."""
from __future__ import annotations

import traceback

from ..base.remedies import remedy_for
from ..errors import DataDiffers
from ..ir.graph import Location
from .users_lines import is_not_users, line_of_call

TESTED = "choose between values with np.where where data may be otherwise on this line, or test " \
         "for such data before the call"


def told(differs: DataDiffers, consequence: str) -> str:
    """`consequence` says what Python cannot do."""
    remedy = remedy_for(str(differs))
    advice = TESTED if remedy.id == "exceptions" else remedy
    return f"{differs}; {consequence}\n  at {place_of(differs)}\n  remedy: {advice}"


def place_of(error: DataDiffers) -> Location | None:
    """The innermost of the user's lines that the graph was at."""
    codes = [(frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    places = [Location(code.co_filename, line, code.co_qualname) for code, line in codes]
    seen = [place for place in places if not is_not_users(place.filename)]
    return seen[-1] if seen else line_of_call(places[0])
