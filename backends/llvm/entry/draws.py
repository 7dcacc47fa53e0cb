"""Draws that compiled code makes itself: single random numbers, the same bits as those of NumPy's
generators' methods, and of Python's own.

The native core has the distributions, by number. Each is tried out against its method before it is
used; where NumPy is another one, the method is called. Where a generator has its numbers is found
once, when the entry has the generator; uniform ones come from there without the core.
"""
from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from ....base.records import dataclass
from ....ir.random_memory import contents, learn_layouts
from ....ir.sizes import SizeExpr
from ....ir.types import Form
from ....native import c_function, draw_between, draw_from
from ...loop_ir.program import Extern, Ref, Step, all_steps
from ..builder.elements import BOOL, F64, I64, scalar_type
from ..builder.externals import DRAWS
from ..builder.values import Value
from .state import Entry


@dataclass(frozen=True, slots=True)
class Draw:
    """A distribution of the native core, and the parameters of the method with their defaults.

    Of integers, which have no number, `masked` says how those above the range are left out; `more`
    is by how much the range is longer than its limits say."""

    number: int | None
    parameters: tuple[tuple[str, float | None], ...] = ()
    masked: int = 0
    more: int = 0

    @property
    def is_exact(self) -> bool:
        return self.number is not None and self.number >= FIRST_OF_PYTHON


FIRST_OF_PYTHON = 11
UNIT, UNIFORM = (0, 11), (1, 2, 12)
MODERATE_EXPONENT = -900
LEAST_EXPONENT = 1023 + MODERATE_EXPONENT
MODERATE = 2.0**MODERATE_EXPONENT
"""Numbers as large as this, and no larger than the inverse, are far from those that raise flags."""
SOURCE_WORDS, NEXT_DOUBLE = 9, 24
"""The size of what is known of a generator, and where its C interface has the function."""
DIRECT = {
    7: ("random_standard_normal", False), 8: ("random_standard_normal", True),
    9: ("random_standard_exponential", False), 10: ("random_standard_exponential", False),
}
"""Distributions that are one function of NumPy's, times the scale if there is one, and whether a
location is added."""
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
AS_PYTHON, PYTHON_BITS = 2, 3
BITS = (("k", None),)
PYTHON = {
    "random": Draw(11), "uniform": Draw(12, (("a", None), ("b", None))),
    "gauss": Draw(13, (("mu", 0.0), ("sigma", 1.0))),
    "normalvariate": Draw(14, (("mu", 0.0), ("sigma", 1.0))),
    "expovariate": Draw(15, (("lambd", None),)),
    "randrange": Draw(None, (("start", None), ("stop", None)), AS_PYTHON),
    "randint": Draw(None, (("a", None), ("b", None)), AS_PYTHON, 1),
    "getrandbits": Draw(None, BITS, PYTHON_BITS),
}
TRIALS = ((0.25, 3.0), (0.1, 0.3), (7.0, 1e9))
RANGES = ((0, 2), (-5, 2), (3, 4), (0, 2**32), (-(2**40), 2**40), (-(2**63), 2**63 - 1))
EXACT = 2**53
"""Ints below it are floats as well."""


@cache
def known_draws() -> dict[Callable[..., Any], Draw]:
    """The methods, and functions of the modules, whose draws are those of the native core."""
    if c_function("find_random_source") is None:
        return {}
    learn_layouts()
    rows = [(random.Random, lambda: random.Random(5), random, PYTHON)]
    if type(np.random.default_rng(1).bit_generator.lock) is type(threading.RLock()):
        rows += [  # else other threads may draw while compiled code runs
            (kind, partial(seeded, kind), np.random, table)
            for kind, table in ((np.random.RandomState, LEGACY), (np.random.Generator, GENERATOR))
        ]
    return {method: draw for row in rows for method, draw in _tried(*row)}


def seeded(kind: Any) -> Any:
    return kind(np.random.MT19937(5))


def _tried(
    owner: Any, make: Callable[[], Any], module: Any, rows: dict[str, Draw]
) -> Iterator[tuple[Callable[..., Any], Draw]]:
    for name, draw in rows.items():
        if _is_alike(make, name, draw):
            yield getattr(owner, name), draw
            bound = getattr(module, name, None)
            if isinstance(getattr(bound, "__self__", None), owner):
                assert bound is not None
                yield bound, draw


def _is_alike(make: Callable[[], Any], name: str, draw: Draw) -> bool:
    """Whether the draws of two equal generators, and their states afterwards, are equal."""
    ours, theirs = make(), make()
    method, many = getattr(theirs, name), len(draw.parameters)
    for _ in range(8):
        for low, high in trials(draw):
            if draw.number is not None:
                found = draw_from(ours, draw.number, low, high)
            else:
                found = draw_between(ours, draw.masked, low, high + draw.more)
            if found != method(*(low, high)[:many]):
                return False
    return _state(ours) == _state(theirs)


def trials(draw: Draw) -> tuple[tuple[Any, Any], ...]:
    """Parameters that a distribution is tried out with; the last ones of a range are its ends."""
    if draw.parameters == BITS:
        return tuple((k, 0) for k in (0, 1, 7, 31, 32, 33, 62))
    if draw.number is None:
        return RANGES[: -1 if draw.more else None]
    return TRIALS


def _state(owner: Any) -> Any:
    if isinstance(owner, random.Random):
        return owner.getstate()
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
    if draw.number is None and len(values) == 2 and values[1] is None and not draw.more:
        values = [0, values[0]]
    return (draw, values) if all(_is_number(value, draw) for value in values) else None


def _gives_a_number(step: Extern) -> bool:
    if len(step.types) != 1 or step.types[0].form not in (Form.PYTHON, Form.SCALAR):
        return False
    return step.types[0].dtype in (F64, I64)


def _is_number(value: Any, draw: Draw) -> bool:
    """Whether a parameter is of a kind that is computed with as the method does: Python's own ones
    compute with ints, which are no floats where they are large."""
    kinds = "biu" if draw.number is None else "f" if draw.is_exact else "biuf"
    if isinstance(value, Ref):
        type_ = value.type
        return type_ is not None and type_.form is not Form.ARRAY and (
            type_.dtype.kind in kinds and type_.dtype.itemsize <= 8 and type_.dtype.char != "Q"
            and type_.dtype.char != "e"
        )
    if isinstance(value, SizeExpr):
        return True
    largest = EXACT if draw.is_exact else 2**62
    return type(value) in ((int, float) if "f" in kinds else (int,)) and abs(value) < largest


def drawn_from(steps: Iterable[Step]) -> frozenset[str]:
    """The buffers of the generators that compiled code draws from."""
    return frozenset(
        step.args[0].buffer.name for step in all_steps(steps)
        if isinstance(step, Extern) and step.args and isinstance(step.args[0], Ref)
        and step.args[0].buffer is not None and drawn(step) is not None
    )  # fmt: skip


def find_source(entry: Entry, buffer: str, owner: str) -> None:
    """Find where a generator has its numbers, if any are drawn."""
    if buffer in entry.drawn_from:
        entry.sources[buffer] = source_of(entry, owner)


def source_of(entry: Entry, owner: str) -> str:
    place = entry.builder.stack("i64", SOURCE_WORDS)
    entry.frame.call("find_random_source", "ptr %frame", f"ptr {owner}", f"ptr {place}")
    return place


def source_of_constant(entry: Entry, number: int) -> str:
    """The same for the generator that a method is bound to, when the function begins."""
    builder, owner = entry.builder, entry.frame.constant(number)
    lines, builder.lines = builder.lines, builder.head
    place = source_of(entry, owner)
    builder.lines = lines
    return place


def write_draw(
    entry: Entry, step: Extern, draw: Draw, values: list[Any], source: str
) -> None:
    """A number of the source, by its own function or the native core's."""
    name, number = step.results[0].name, entry.builder.stack("double")
    if (ends := plain_ends(draw, values)) is not None:
        low, high = (entry.builder.constant(F64, end) for end in ends)
        drawn = unit(entry, source)
        entry.builder.store(drawn if ends == (0.0, 1.0) else low + (high - low) * drawn, number)
        entry.pointers[name] = number
    elif draw.number in DIRECT:
        entry.pointers[name] = by_numpy(entry, draw, values, source)
    else:
        entry.pointers[name] = by_core(entry, draw, values, source)


def plain_ends(draw: Draw, values: Sequence[Any]) -> tuple[float, float] | None:
    """The known ends of a uniform distribution, from which no flag is raised."""
    if draw.number in UNIT:
        return 0.0, 1.0
    if draw.number not in UNIFORM or not all(type(value) in (int, float) for value in values):
        return None
    low, high = map(float, values)
    is_plain = all(end == 0 or MODERATE <= abs(end) <= 1 / MODERATE for end in (low, high))
    return (low, high) if is_plain and low <= high else None


def unit(entry: Entry, source: str) -> Value:
    """A number between 0 and 1, by the C interface of the generator."""
    builder = entry.builder
    interface = entry.frame.pointer_at(source, 0)
    entry.frame.bail_out_if(f"icmp eq ptr {interface}, null")
    state = entry.frame.pointer_at(interface, 0)
    function = entry.frame.pointer_at(interface, NEXT_DOUBLE)
    return Value(builder, builder.emit(f"call double {function}(ptr {state})"), F64)


def by_numpy(entry: Entry, draw: Draw, values: Sequence[Any], source: str) -> str:
    """A number by NumPy's own function of a bit generator. Where that is not known, or what is
    computed with the number might raise flags, it is left to the core."""
    builder = entry.builder
    assert draw.number is not None
    function, has_location = DIRECT[draw.number]
    given = [as_number(entry, value, F64) for value in values]
    interface = entry.frame.pointer_at(source, 0)
    is_quick = Value(builder, builder.emit(f"icmp ne ptr {interface}, null"), BOOL)
    for value in given:
        is_quick = is_quick & is_moderate(value)
    if given:
        is_quick = is_quick & given[-1].bits().like_retyped(I64).ge(0)
    number = builder.stack("double")
    quick, rare, done = map(builder.fresh, ("quick", "rare", "done"))
    builder.branch(~is_quick, rare, quick, is_rare=True)
    builder.label(rare)
    by_hand = builder.load(by_core(entry, draw, values, source), F64)
    builder.store(by_hand, number)
    builder.jump(done)
    builder.label(quick)
    drawn = Value(builder, builder.emit(f"call double @{DRAWS}{function}(ptr {interface})"), F64)
    if given:
        drawn = given[-1] * drawn
    builder.store(given[0] + drawn if has_location else drawn, number)
    builder.jump(done)
    builder.label(done)
    return number


def is_moderate(value: Value) -> Value:
    """Whether a number is 0 or `MODERATE`, as the core sees it."""
    magnitude = value.bits().like_retyped(I64) << 1
    exponent = magnitude.binary("lshr", 53) - LEAST_EXPONENT
    is_ordinary = exponent.like_retyped(np.dtype(np.uint64)).lt(2 * -MODERATE_EXPONENT + 1)
    return is_ordinary | magnitude.eq(0)


def by_core(entry: Entry, draw: Draw, values: Sequence[Any], source: str) -> str:
    """The call of the native core, and where it puts its number."""
    place = entry.builder.stack("i64")
    if draw.number is None:
        name, which, kind = "draw_integer", draw.masked, "i64"
    else:
        name, which, kind = "draw_float", draw.number, "double"
    dtype = I64 if draw.number is None else F64
    given = [as_number(entry, value, dtype) for value in (*values, 0, 0)[:2]]
    if draw.more:
        given[1] = given[1] + draw.more
    parameters = [f"{kind} {value.ref}" for value in given]
    entry.frame.checked(
        name, "ptr %frame", f"ptr {source}", f"i32 {which}", *parameters, f"ptr {place}"
    )
    number = entry.builder.stack(scalar_type(dtype))
    entry.builder.store(entry.builder.load(place, dtype), number)
    return number


def as_number(entry: Entry, value: Any, dtype: np.dtype) -> Value:
    """A parameter as a number of this type."""
    if isinstance(value, SizeExpr):
        found = entry.size(value)
    elif not isinstance(value, Ref):
        return entry.builder.constant(dtype, value)
    elif value.scalar is not None:
        found = entry.scalars[value.scalar.name]
    else:
        assert value.buffer is not None
        found = entry.builder.load(entry.pointer(value.buffer.name), value.buffer.dtype)
    if found.dtype == dtype:
        return found
    if found.dtype.kind == "f":
        return found.cast("fpext", dtype)
    signed = found.dtype.kind == "i"
    if dtype.kind == "f":
        return found.cast("sitofp" if signed else "uitofp", dtype)
    return found.cast("sext" if signed else "zext", dtype)
