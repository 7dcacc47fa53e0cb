"""The symbols of one trace: of sizes, strides and ints found at sources, and of data."""
from __future__ import annotations

import logging
import re
from collections.abc import Callable, Hashable, Mapping

from ...base.classes import a_kind
from ...base.records import dataclass
from ...errors import MarkedDynamicSpecialized, Unsupported
from ...ir import steps
from ...ir.graph import Location, Node, SymbolOrigin, Unbacked
from ...ir.sizes import (
    Size,
    SizeExpr,
    depends_on_data,
    evaluate,
    is_unbacked,
    name_of,
    symbol,
    symbols,
)
from ...ir.symbolic import Shown
from ...ir.types import ArrayType, Form
from ..sources import Source
from .duck_sizing import DuckSizing, Fact
from .dynamic import DimMark, DynamicPolicy, Mark
from .known import Known
from .relations import LEAST_INT, number
from .totals import LONGEST

LOG = logging.getLogger("dynamo_lite.dynamic")
LETTERS = "nmkpqrstuvw"
"""What sizes are called that have no name in the program."""
LARGE = 64
"""A guess at a size that depends on data: its layouts are those of what is not small."""
NO_ALIAS = 2
"""Hints of what depends on data rise, so that lengths that are differences have hints above 1."""


def in_words(text: str, known: Mapping[str, str]) -> str:
    """An expression with what its symbols are in their place."""
    is_alone = text in known
    for name, what in known.items():
        text = re.sub(rf"\b{name}\b", what if is_alone else f"({what})", text)
    return text


@dataclass(frozen=True, slots=True)
class SymbolInfo:
    """One symbol: the facts it stands for (several by duck sizing) and its value in this call."""

    name: str
    source: Source
    fact: str  # "size", "stride" or "value"
    axis: int
    hint: int
    location: Location | None
    mark: DimMark | None = None

    @property
    def origin(self) -> str:
        suffix = {"size": f".shape[{self.axis}]", "stride": f".strides[{self.axis}]", "value": ""}
        return f"{self.source}{suffix[self.fact]}"


@dataclass(frozen=True, slots=True)
class DataResult:
    """A size or int that a call makes: equal keys mean equal values. `upper`: it is a number of
    things, at most so many."""

    key: Hashable
    what: str
    upper: Size | None = None


class Symbols:
    """Symbols `s0`, `s1`, … with sources, hints and bounds.

    Symbols `u0`, `u1`, … stand for what only the data of a call tells: they have bounds, and a
    guess for a hint.
    """

    def __init__(self, policy: DynamicPolicy, locate: Callable[[], Location | None]) -> None:
        self.policy = policy
        self.locate = locate
        self.known = Known(lambda: self.locate(), self._specialised)
        self.infos: dict[str, SymbolInfo] = {}
        self.hints: dict[str, int] = {}
        self.data: dict[str, Unbacked] = {}
        self.call: Callable[[str, tuple[int, ...]], DataResult] | None = None
        self.node_of: Callable[[str], Node] | None = None
        self.origins: dict[str, SymbolOrigin] | None = None
        self.asked_of_data = 0  # how often for a symbol that depends on which call it is
        self._results: dict[Hashable, Size] = {}
        self._duck = DuckSizing(policy)
        self._facts: dict[Fact, str] = {}
        if steps.watcher is not None:
            steps.watcher.begin(self.hints, lambda: self.locate())

    # -- symbols of sources

    def size(
        self, source: Source, fact: str, axis: int, value: int, mark: DimMark | None = None
    ) -> Size:
        """The size, stride or int found at a source: an int, or a symbol where it is dynamic."""
        self.policy.observe(source, fact, axis, value)
        key = (source, fact, axis)
        if key in self._facts:
            return symbol(self._facts[key])
        if not self.policy.is_dynamic(source, fact, axis, value, mark):
            return value
        name = self._duck.find(key, value) if mark is None and fact != "value" else None
        if name is None:
            name = self._create(key, value, mark)
        self._facts[key] = name
        return symbol(name)

    def _create(self, key: Fact, value: int, mark: DimMark | None) -> str:
        source, fact, axis = key
        name = f"s{len(self.infos)}"
        if mark is not None and mark.mark is Mark.UNBACKED:
            name = f"u{len(self.data)}"
            value = value if value > 1 else LARGE
            self.data[name] = Unbacked(f"{source}.shape[{axis}]", self.locate(), value)
        info = SymbolInfo(name, source, fact, axis, value, self.locate(), mark)
        self.infos[name] = info
        self.hints[name] = value
        if mark is None:
            self._duck.add(name, key, value)
        self.known.introduce(name, 0 if fact == "size" else None, None)
        self._require_marked_bounds(info)
        if LOG.isEnabledFor(logging.INFO):
            seen = ", ".join(map(str, sorted(self.policy.history.values(key))))
            low, high = self.known.lower.get(name), self.known.upper.get(name)
            LOG.info("%s = %s, now %d (seen: %s), between %s and %s, wrapped at %s",
                     name, info.origin, value, seen, Shown(low), Shown(high), info.location)
        return name

    def _require_marked_bounds(self, info: SymbolInfo) -> None:
        """The marks of the user say more than that a size is at least 0."""
        mark = info.mark
        if mark is not None and mark.minimum is not None and mark.minimum > 0:
            self.known.require_bound(info.name, ">=", mark.minimum)
        if mark is not None and mark.maximum is not None:
            self.known.require_bound(info.name, "<=", mark.maximum)

    # -- symbols of data

    def unbacked(
        self, role: str, upper: Size | None, of: tuple[int, ...] = (0,), *, lower: int | None = 0
    ) -> Size:
        """The size of what the call that is being recorded returns; see `call`."""
        self.asked_of_data += 1
        if self.call is None:
            raise Unsupported("a size that depends on data")
        result = self.call(role, of)
        if result.key not in self._results:
            if result.upper is not None:
                lower, upper = 0, result.upper
            known = upper is not None and lower == 0
            hint = max(2, self.hint(upper) // 2) if known and upper is not None else LARGE
            self._results[result.key] = self.new_unbacked(result.what, upper, hint, lower)
        return self._results[result.key]

    def new_unbacked(
        self, what: str, upper: Size | None, hint: int, lower: int | None
    ) -> SizeExpr:
        """A symbol whose value the graph computes."""
        name = f"u{len(self.data)}"
        hint += NO_ALIAS * len(self.data)
        self.hints[name] = hint
        self.known.introduce(name, lower, upper)
        location = self.locate()
        where = f" at {location}" if location is not None else ""
        self.data[name] = Unbacked(f"{what}{where}", location, hint)
        LOG.info("%s = %s, between %s and %s",
                 name, self.data[name].what, Shown(lower), Shown(upper))
        return symbol(name)

    # -- sums of symbols

    def total(self, size: Size) -> Size:
        """`size` in a short form: by a name of its own where it is a long sum."""
        if not isinstance(size, SizeExpr) or depends_on_data(size):
            return size
        if any(len(monomial) > 1 for monomial, _ in size.terms):
            return size
        totals = self.known.totals
        size = totals.shortest(size)
        if not isinstance(size, SizeExpr):
            return size
        is_long = len(size.terms) > LONGEST
        if self.origins is not None and (is_long or totals.is_in(size)):
            for part in sorted(set(symbols(size)) - self.known.lower.keys()):
                self._count_on_sign(part)
        if not is_long:
            return size
        name = totals.find(size)
        if name is None and self.origins is not None:
            name = self.known.define(size)
            self.hints[name] = self.hint(size)
            least = self.known.lower.get(name, LEAST_INT)
            self.origins[name] = SymbolOrigin(0, "total", 0, self.hints[name], least, size)
        return size if name is None else symbol(name)

    def _count_on_sign(self, name: str) -> None:
        """Parts of a long sum are lengths, as a rule: guard it where they never were negative."""
        info = self.infos.get(name)
        seen = set() if info is None else self.policy.seen(info.source, info.fact, info.axis)
        if min(seen, default=-1) >= 0:
            size = symbol(name)
            self.known.require(">=", size, 0)
            self.known.decided("<", size, False)

    def expanded(self, size: Size) -> Size:
        """`size` in terms of symbols that are found in the inputs."""
        return self.known.totals.expanded(size)

    # -- what is said of them

    def hint(self, size: Size) -> int:
        """The value in this very call, or a guess."""
        return evaluate(size, self.hints)

    def described(self, size: Size) -> str:
        """A size in terms of the user's arrays: `x.shape[0] * 2` rather than `s0 * 2`."""
        size = self.expanded(size)
        text = str(size)
        for name in sorted(set(symbols(size)), key=number, reverse=True):
            if name in self.infos:
                text = text.replace(name, self.infos[name].origin)
        return text

    def type_described(self, kind: ArrayType) -> str:
        """A type, with what its sizes are; of numbers as people call it."""
        if kind.form in (Form.SCALAR, Form.PYTHON):
            zero = kind.dtype.type(0)
            named = a_kind(type(zero if kind.form is Form.SCALAR else zero.item()))
            return named if kind.value is None else f"{named}, {self.described(kind.value)}"
        text, known = str(kind), []
        for size in kind.shape:
            text = text.replace(str(size), self.described(size))
        unknown = {name for size in kind.shape for name in symbols(size) if is_unbacked(name)}
        for letter, name in zip(LETTERS, sorted(unknown, key=number)):
            text = re.sub(rf"\b{name}\b", letter, text)
            known.append(f"{letter} is {self.what(name)}")
        return f"{text} ({', '.join(known)})" if known else text

    def from_data(self, size: Size) -> str:
        """A size or int that only data tells, in words: `the value of max at file:1`."""
        if (name := name_of(size)) is not None and is_unbacked(name):
            return self.what(name)
        return in_words(str(size), {name: self.what(name) for name in symbols(size)
                                    if is_unbacked(name)})

    def what(self, name: str) -> str:
        return self.data[name].what if name in self.data else self.infos[name].origin

    def _specialised(self, name: str, solved: Size) -> None:
        """A symbol is about to be replaced: an error where the user's mark forbids it."""
        info = self.infos.get(name)
        if info is not None and info.mark is not None:
            if isinstance(solved, int) and info.mark.mark is Mark.DYNAMIC:
                raise MarkedDynamicSpecialized(
                    f"{info.origin} is marked dynamic, but {self.locate()} needs it to be {solved}"
                )
        LOG.info("%s (%s) is specialised to %s at %s",
                 name, self.what(name), Shown(solved), self.locate())
