"""Draws that compiled code makes itself: single random numbers, the same bits as NumPy's methods'.

The native core has the distributions, by number. Each is tried out against its method before it is
used; where NumPy is another one, the method is called.
"""
from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ....base.records import dataclass
from ....ir.random_memory import contents, learn_layouts
from ....ir.sizes import SizeExpr
from ....ir.types import Form
from ....native import draw_between, draw_from
from ...loop_ir.program import Extern, Ref
from ..builder.elements import F64, I64
from ..builder.values import Value

if TYPE_CHECKING:
    from .writer import EntryWriter


@dataclass(frozen=True, slots=True)
class Draw:
    """A distribution of the native core, and the parameters of the method with their defaults.

    Of integers, which have no number, `masked` says how those above the range are left out."""

    number: int | None
    parameters: tuple[tuple[str, float | None], ...] = ()
    masked: int = 0


LIMITS = (("low", 0.0), ("high", 1.0))
LOCATION = (("loc", 0.0), ("scale", 1.0))
SCALE = (("scale", 1.0),)
BELOW = (("low", None), ("high", None))
LEGACY = {
    **dict.fromkeys(("random", "random_sample", "rand"), Draw(0)), "uniform": Draw(1, LIMITS),
    **dict.fromkeys(("standard_normal", "randn"), Draw(3)), "normal": Draw(4, LOCATION),
    "standard_exponential": Draw(5), "exponential": Draw(6, SCALE),
    "randint": Draw(None, BELOW, 1),
}
GENERATOR = {
    "random": Draw(0), "uniform": Draw(2, LIMITS), "standard_normal": Draw(7),
    "normal": Draw(8, LOCATION), "standard_exponential": Draw(9), "exponential": Draw(10, SCALE),
    "integers": Draw(None, BELOW),
}
TRIALS = ((0.25, 3.0), (0.1, 0.3), (7.0, 1e9))
RANGES = ((0, 2), (-5, 2), (3, 4), (0, 2**32), (-(2**40), 2**40), (-(2**63), 2**63 - 1))


@cache
def known_draws() -> dict[Callable[..., Any], Draw]:
    """The methods, and functions of the module, whose draws are those of the native core."""
    learn_layouts()
    if type(np.random.default_rng(1).bit_generator.lock) is not type(threading.RLock()):
        return {}  # other threads may draw while compiled code runs
    rows = (np.random.RandomState, LEGACY), (np.random.Generator, GENERATOR)
    return {method: draw for row in rows for method, draw in _tried(*row)}


def _tried(owner: Any, rows: dict[str, Draw]) -> Iterator[tuple[Callable[..., Any], Draw]]:
    for name, draw in rows.items():
        if _is_alike(owner, name, draw):
            yield getattr(owner, name), draw
            bound = getattr(np.random, name, None)
            if isinstance(getattr(bound, "__self__", None), owner):
                assert bound is not None
                yield bound, draw


def _is_alike(owner: Any, name: str, draw: Draw) -> bool:
    """Whether the draws of two equal generators, and their states afterwards, are equal."""
    ours, theirs = (owner(np.random.MT19937(5)) for _ in range(2))
    method = getattr(theirs, name)
    for _ in range(8):
        for low, high in RANGES if draw.number is None else ():
            if draw_between(ours, draw.masked, low, high) != method(low, high):
                return False
        for a, b in TRIALS if draw.number is not None else ():
            given = (a, b)[: len(draw.parameters)]
            if draw_from(ours, draw.number or 0, a, b) != method(*given):
                return False
    return _state(ours) == _state(theirs)


def _state(owner: Any) -> Any:
    is_legacy = isinstance(owner, np.random.RandomState)
    return contents(owner.get_state(legacy=False) if is_legacy else owner.bit_generator.state)


def drawn(step: Extern) -> tuple[Draw, list[Any]] | None:
    """How compiled code makes a call itself, and the values of the parameters; else None."""
    draw = known_draws().get(step.target) if _gives_a_number(step) else None
    if draw is None:
        return None
    args = step.args if hasattr(step.target, "__self__") else step.args[1:]
    names = [*(name for name, _ in draw.parameters), "size"]
    given = {**dict(zip(names, args)), **step.kwargs}
    unknown = len(args) > len(names) or not given.keys() <= {*names}
    if unknown or given.pop("size", None) is not None:
        return None
    values = [given.get(name, default) for name, default in draw.parameters]
    if draw.parameters == BELOW and values[1] is None:
        values = [0, values[0]]
    kinds = "biu" if draw.number is None else "biuf"
    return (draw, values) if all(_is_number(value, kinds) for value in values) else None


def _gives_a_number(step: Extern) -> bool:
    if len(step.types) != 1 or step.types[0].form not in (Form.PYTHON, Form.SCALAR):
        return False
    return step.types[0].dtype in (F64, I64)


def _is_number(value: Any, kinds: str) -> bool:
    if isinstance(value, Ref):
        type_ = value.type
        return type_ is not None and type_.form is not Form.ARRAY and (
            type_.dtype.kind in kinds and type_.dtype.itemsize <= 8 and type_.dtype.char != "Q"
            and type_.dtype.char != "e"
        )
    if isinstance(value, SizeExpr):
        return True
    return type(value) in ((int, float) if "f" in kinds else (int,)) and abs(value) < 2**62


def write_draw(
    writer: EntryWriter, step: Extern, draw: Draw, values: list[Any], owner: str
) -> None:
    """The call of the native core, and where it puts its number."""
    place = writer.builder.stack("i64")
    if draw.number is None:
        name, which, kind = "draw_integer", draw.masked, "i64"
    else:
        name, which, kind = "draw_float", draw.number, "double"
    dtype = I64 if draw.number is None else F64
    given = [as_number(writer, value, dtype).ref for value in (*values, 0, 0)[:2]]
    writer.frame.checked(
        name, "ptr %frame", f"ptr {owner}", f"i32 {which}", *(f"{kind} {ref}" for ref in given),
        f"ptr {place}",
    )
    writer.pointers[step.results[0].name] = place


def as_number(writer: EntryWriter, value: Any, dtype: np.dtype) -> Value:
    """A parameter as a number of this type."""
    if isinstance(value, SizeExpr):
        found = writer.size(value)
    elif not isinstance(value, Ref):
        return writer.builder.constant(dtype, value)
    elif value.scalar is not None:
        found = writer.scalars[value.scalar.name]
    else:
        assert value.buffer is not None
        found = writer.builder.load(writer.pointer(value.buffer.name), value.buffer.dtype)
    if found.dtype == dtype:
        return found
    if found.dtype.kind == "f":
        return found.cast("fpext", dtype)
    signed = found.dtype.kind == "i"
    if dtype.kind == "f":
        return found.cast("sitofp" if signed else "uitofp", dtype)
    return found.cast("sext" if signed else "zext", dtype)
