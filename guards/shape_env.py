"""ShapeEnv: the symbols of one trace, what is known of them, and the relations the trace relies on.

It answers the `Facts` questions of `ir.inference`. A question that integer arithmetic and the
symbols' ranges decide costs nothing; any other is answered from the hints (the values of this very
call), and the answer becomes a relation that is guarded, with the line that asked.
"""
from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace

from ..errors import DataDependent, GraphBreak, MarkedDynamicSpecialized, Unsupported
from ..ir.facts import StaticFacts
from ..ir.graph import Assertion, Location, Node, SymbolOrigin, Unbacked
from ..ir.sizes import (
    Size,
    SizeExpr,
    Symbol,
    depends_on_data,
    evaluate,
    is_unbacked,
    substitute,
    symbol,
    symbols,
)
from ..records import dataclass
from .dynamic import DimMark, DynamicPolicy, Mark
from .sources import Source

LOG = logging.getLogger("dynamo_lite.dynamic")

COMPARE: dict[str, Callable[[int, int], bool]] = {
    "==": int.__eq__, "!=": int.__ne__, "<": int.__lt__, "<=": int.__le__,
    ">": int.__gt__, ">=": int.__ge__,
}  # fmt: skip
COMBINATIONS = 64
"""How many combinations of sizes that were seen are looked at for one question."""

MIRRORED = {">": "<", ">=": "<="}
NEGATED = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


@dataclass(frozen=True, slots=True)
class Relation:
    """`left op right` held when the trace was made, and must hold for it to be used."""

    op: str
    left: Size
    right: Size
    location: Location | None = None

    def __str__(self) -> str:
        return f"{self.left} {self.op} {self.right}"

    def symbols(self) -> Iterator[str]:
        yield from symbols(self.left)
        yield from symbols(self.right)


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


class ShapeEnv:
    """Symbols `s0`, `s1`, … with sources, hints and lower bounds; and relations between them.

    Symbols `u0`, `u1`, … stand for what only the data of a call tells: they have bounds, and a
    guess for a hint. A question about them that the bounds do not answer is DataDependent; where
    one of the answers is an error of NumPy's, `assume` takes the other one and asserts it.
    """

    def __init__(
        self,
        policy: DynamicPolicy | None = None,
        locate: Callable[[], Location | None] = lambda: None,
    ) -> None:
        self.policy = policy or DynamicPolicy()
        self.locate = locate
        self.closed = False
        self.infos: dict[str, SymbolInfo] = {}
        self.hints: dict[str, int] = {}
        self.lower: dict[str, int] = {}
        self.relations: list[Relation] = []
        self.upper: dict[str, Size] = {}
        self.data: dict[str, Unbacked] = {}
        self.assertions: list[Assertion] = []
        self.call: Callable[[str, tuple[int, ...]], DataResult] | None = None
        self.node_of: Callable[[str], Node] | None = None
        self._results: dict[Hashable, Size] = {}
        self._known = StaticFacts()
        self._known.lower, self._known.hints, self._known.upper = self.lower, self.hints, self.upper
        self._replaced: dict[str, Size] = {}
        self._answers: dict[tuple[str, Size], bool | None] = {}
        self._shared: dict[tuple[str, int], list[str]] = {}
        self._bounds: dict[tuple[str, str], Relation] = {}
        self._facts: dict[tuple[Source, str, int], str] = {}

    # -- symbols

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
        name = self._duck(key, value) if mark is None and fact != "value" else None
        if name is None:
            name = self._create(key, value, mark)
        self._facts[key] = name
        return symbol(name)

    def _duck(self, key: tuple[Source, str, int], value: int) -> str | None:
        """An existing symbol with the same hint that was never seen to differ from this fact."""
        for name in self._shared.get((key[1], value), ()):
            info = self.infos[name]
            if self.policy.may_share(key, (info.source, info.fact, info.axis)):
                return name
        return None

    def _create(self, key: tuple[Source, str, int], value: int, mark: DimMark | None) -> str:
        source, fact, axis = key
        name = f"s{len(self.infos)}"
        if mark is not None and mark.mark is Mark.UNBACKED:
            name = f"u{len(self.data)}"
            self.data[name] = Unbacked(f"{source}.shape[{axis}]", self.locate(), value)
        info = SymbolInfo(name, source, fact, axis, value, self.locate(), mark)
        self.infos[name] = info
        self.hints[name] = value
        if mark is None:
            self._shared.setdefault((fact, value), []).append(name)
        self._bound(info)
        if LOG.isEnabledFor(logging.INFO):
            seen = ", ".join(map(str, sorted(self.policy.history.values(key))))
            low, high = self.lower.get(name, "-"), self.upper.get(name, "-")
            LOG.info("%s = %s, now %d (seen: %s), in %s..%s, wrapped at %s",
                     name, info.origin, value, seen, low, high, info.location)
        return name

    def _bound(self, info: SymbolInfo) -> None:
        """A size is at least 0; the marks of the user say more."""
        variable, mark = symbol(info.name), info.mark
        if info.fact == "size":
            self.lower[info.name] = 0
        if mark is not None and mark.minimum is not None and mark.minimum > 0:
            self.lower[info.name] = mark.minimum
            self._require(">=", variable, mark.minimum)
            self._bounds[info.name, ">="] = self.relations[-1]
        if mark is not None and mark.maximum is not None:
            self.upper[info.name] = mark.maximum
            self._require("<=", variable, mark.maximum)
            self._bounds[info.name, "<="] = self.relations[-1]

    def unbacked(
        self, role: str, upper: Size | None, of: tuple[int, ...] = (0,), *, lower: int | None = 0
    ) -> Size:
        """The size of what the call that is being recorded returns; see `call`."""
        if self.call is None:
            raise Unsupported("a size that depends on data")
        result = self.call(role, of)
        if result.key not in self._results:
            if result.upper is not None:
                lower, upper = 0, result.upper
            known = upper is not None and lower == 0
            hint = max(2, self.hint(upper) // 2) if known and upper is not None else 64
            self._results[result.key] = self.new_unbacked(result.what, upper, hint, lower)
        return self._results[result.key]

    def new_unbacked(
        self, what: str, upper: Size | None, hint: int, lower: int | None
    ) -> SizeExpr:
        """A symbol whose value the graph computes."""
        name = f"u{len(self.data)}"
        self.hints[name] = hint
        if lower is not None:
            self.lower[name] = lower
        if upper is not None:
            self.upper[name] = upper
        location = self.locate()
        where = f" at {location}" if location is not None else ""
        self.data[name] = Unbacked(f"{what}{where}", location, hint)
        LOG.info("%s = %s, between %s and %s", name, self.data[name].what, lower, upper)
        return symbol(name)

    # -- the Facts protocol

    def hint(self, size: Size) -> int:
        return evaluate(size, self.hints)

    def equal(self, left: Size, right: Size) -> bool:
        return self._decide("==", left, right)

    def less(self, left: Size, right: Size) -> bool:
        return self._decide("<", left, right)

    def less_equal(self, left: Size, right: Size) -> bool:
        return self._decide("<=", left, right)

    def varies(self, op: str, left: Size, right: Size) -> bool:
        """Whether the sizes seen so far give both answers, each symbol taken by itself."""
        if isinstance(left, int) and isinstance(right, int):
            return False
        if self.settled(op, left, right) is not None:
            return False
        difference = self.simplify(left) - self.simplify(right)
        if depends_on_data(difference):
            return False
        names = sorted(set(symbols(difference)), key=_number)
        infos = [self.infos[name] for name in names]
        seen = [self.policy.seen(info.source, info.fact, info.axis) for info in infos]
        if not any(len(values) > 1 for values in seen):
            return False
        answers = {
            COMPARE[op](evaluate(difference, dict(zip(names, values))), 0)
            for values in itertools.islice(itertools.product(*seen), COMBINATIONS)
        }
        return len(answers) > 1

    def compare(self, op: str, left: Size, right: Size) -> bool:
        """Any of Python's six comparisons."""
        if op in ("!=", ">", ">="):
            return not self._decide(NEGATED[op], left, right)
        return self._decide(op, left, right)

    def expect(self, op: str, left: Size, right: Size, outcome: bool) -> bool:
        """Assert that a comparison gives `outcome`; False where no relation says so."""
        op = op if outcome else NEGATED[op]
        if op in (">", ">="):
            op, left, right = MIRRORED[op], right, left
        if op == "!=":
            if not self.settled("<=", right, left):
                return False
            op, left, right = "<", right, left
        self.assume({"==": "equal", "<": "less", "<=": "less_equal"}[op], left, right)
        return True

    def specialize(self, size: Size) -> int:
        """The value as a Python int; from here on the trace holds for this value alone.

        A place that asks for one new value after another breaks the graph instead.
        """
        size = self.simplify(size)
        if isinstance(size, int):
            return size
        if depends_on_data(size):
            raise GraphBreak(f"Python needs the value of {size}, where {self.explained(size)}")
        value = self.hint(size)
        text = self.described(size)
        if not self.policy.may_fix((self.locate(), text), value):
            raise GraphBreak(f"Python needs the value of {text}, which keeps changing")
        self.equal(size, value)
        return value

    def described(self, size: Size) -> str:
        """A size in terms of the user's arrays: `x.shape[0] * 2` rather than `s0 * 2`."""
        text = str(size)
        for name in sorted(set(symbols(size)), key=_number, reverse=True):
            if name in self.infos:
                text = text.replace(name, self.infos[name].origin)
        return text

    def explained(self, *sizes: Size) -> str:
        """What the symbols in sizes are that only data tells: `u0 = the length of … at file:1`."""
        names = sorted({n for size in sizes for n in symbols(size) if is_unbacked(n)}, key=_number)
        return ", ".join(f"{name} = {self.what(name)}" for name in names)

    def what(self, name: str) -> str:
        return self.data[name].what if name in self.data else self.infos[name].origin

    def assume(self, question: str, left: Size, right: Size) -> None:
        """Assert a relation that is not known, and rely on it."""
        op = {"equal": "==", "less": "<", "less_equal": "<="}[question]
        if self.settled(op, left, right):
            return
        self.assertions.append(Assertion(op, left, right, self.locate()))
        difference = self.simplify(left) - self.simplify(right)
        if isinstance(difference, SizeExpr):
            asked = _question(op, difference)
            self._answers = {
                old: answer for old, answer in self._answers.items() if answer is not None
            }
            self._answers[asked] = True
            self._learn(*asked, True, of_data=True)

    # -- the end of the trace

    def fixed(self) -> dict[str, Size]:
        """The symbols of which the trace has one value only."""
        found = {name: self.simplify(symbol(name)) for name in self._replaced}
        return {
            name: size for name, size in found.items()
            if isinstance(size, int) and not is_unbacked(name)
        }

    def settled_origin(self, name: str, origin: SymbolOrigin) -> SymbolOrigin:
        """Where a symbol is found, with what is known of its value at the end of the trace."""
        if origin.fact != "size" or name not in self.infos:
            return origin
        info = self.infos[name]
        likely = max(self.policy.seen(info.source, info.fact, info.axis), default=origin.hint)
        hint = origin.hint if origin.hint > 1 else likely
        return replace(origin, hint=hint, least=self.lower[name])

    def end_trace(self) -> None:
        """From here on the passes ask: the relations they need name no line of the user's."""
        self.locate = lambda: None
        self.call = None

    def close(self) -> None:
        """The guards are made: a question that is still open is now Unsupported."""
        self.closed = True

    # -- deciding

    def _decide(self, op: str, left: Size, right: Size) -> bool:
        known = self.settled(op, left, right)
        if known is None:
            difference = self.simplify(left) - self.simplify(right)
            assert isinstance(difference, SizeExpr)
            if depends_on_data(difference):
                raise DataDependent(
                    f"whether {left} {op} {right} depends on data: {self.explained(difference)}"
                )
            question = _question(op, difference)
            known = COMPARE[op](self.hint(difference), 0)
            self._require(op if known else NEGATED[op], left, right)
            self._answers[question] = known
            self._learn(*question, known)
        return known

    def settled(self, op: str, left: Size, right: Size) -> bool | None:
        """The answer where it follows from what is known without a new relation."""
        if isinstance(left, int) and isinstance(right, int):
            return COMPARE[op](left, right)
        difference = self.simplify(left) - self.simplify(right)
        if isinstance(difference, int):
            return COMPARE[op](difference, 0)
        question = _question(op, difference)
        if question not in self._answers:
            self._answers[question] = self._from_ranges(*question)
        return self._answers[question]

    def simplify(self, size: Size) -> Size:
        """`size` with the equalities that were found put in."""
        while self._replaced and any(name in self._replaced for name in symbols(size)):
            size = substitute(size, self._replaced)
        return size

    def _from_ranges(self, op: str, difference: Size) -> bool | None:
        if (sign := _sign_beyond_64_bits(difference)) is not None:
            return op == "<" and sign < 0
        try:
            return (self._known.equal if op == "==" else self._known.less)(difference, 0)
        except Unsupported:
            return None

    def _require(self, op: str, left: Size, right: Size) -> None:
        if self.closed:
            raise Unsupported(f"nothing says whether {left} {op} {right}")
        if not (_has_64_bits(left) and _has_64_bits(right)):
            raise GraphBreak(f"the relation {left} {op} {right} needs more than 64 bits")
        self.relations.append(Relation(op, left, right, self.locate()))

    def _learn(
        self, op: str, difference: Size, answer: bool, *, of_data: bool = False
    ) -> None:
        """Put an answer to use: an equality replaces a symbol, an order gives a lower bound."""
        if op == "<":
            self._raise_lower(-difference - 1 if answer else difference, of_data)
        elif not answer:
            self._exclude(difference)
        elif answer and isinstance(difference, SizeExpr):
            for name in sorted(set(symbols(difference)), key=_newest, reverse=True):
                if of_data and not is_unbacked(name):
                    return
                solved = _solve(difference, name)
                if solved is not None and name not in symbols(solved):
                    self._refuse_marked(name, solved)
                    self._replaced[name] = solved
                    LOG.info("%s (%s) is specialised to %s at %s",
                             name, self.what(name), solved, self.locate())
                    if isinstance(solved, int) and not of_data:
                        self._drop_implied(name)
                    return

    def _drop_implied(self, name: str) -> None:
        """The newest relation fixes a symbol: what was asked of this symbol alone follows."""
        *earlier, newest = self.relations
        self.relations = [kept for kept in earlier if set(kept.symbols()) != {name}] + [newest]

    def _exclude(self, difference: Size) -> None:
        """A symbol that is not its least value is larger; likewise at the other end."""
        for name, bound in _bounds_in(difference):
            if self.lower.get(name) == bound:
                self.lower[name] += 1
            elif self.upper.get(name) == bound:
                self.upper[name] = bound - 1

    def _raise_lower(self, positive: Size, of_data: bool) -> None:
        """`positive` is at least 0: a symbol plus a number is a lower bound, and what a symbol is
        subtracted from is an upper bound."""
        for name in set(symbols(positive)):
            if is_unbacked(name) and name not in symbols(positive + symbol(name)):
                self.upper.setdefault(name, positive + symbol(name))
        for name, bound in _bounds_in(positive):
            if bound > self.lower.get(name, bound - 1):
                self.lower[name] = bound
                if not of_data:
                    self._replace_bound(name, ">=")
        for name, bound in _bounds_in(-positive):
            known = self.upper.get(name)
            if not is_unbacked(name) and not (isinstance(known, int) and known <= bound):
                self.upper[name] = bound
                if not of_data:
                    self._replace_bound(name, "<=")

    def _replace_bound(self, name: str, side: str) -> None:
        """The newest relation is stronger than the one that bounded the symbol before."""
        weaker, self._bounds[name, side] = self._bounds.get((name, side)), self.relations[-1]
        self.relations = [kept for kept in self.relations if kept is not weaker]

    def _refuse_marked(self, name: str, solved: Size) -> None:
        info = self.infos.get(name)
        if info is None or info.mark is None:
            return
        if isinstance(solved, int) and info.mark.mark is Mark.DYNAMIC:
            raise MarkedDynamicSpecialized(
                f"{info.origin} is marked dynamic, but {self.locate()} needs it to be {solved}"
            )


def _question(op: str, difference: SizeExpr) -> tuple[str, Size]:
    """The same question in one form: `== 0` with a positive leading coefficient, or `< 0`."""
    if op == "==":
        return op, difference if difference.terms[0][1] > 0 else -difference
    return "<", difference - 1 if op == "<=" else difference


def _bounds_in(size: Size) -> Iterator[tuple[str, int]]:
    """The symbol and the number k of a size that is `symbol - k`."""
    for name in set(symbols(size)):
        rest = size - symbol(name)
        if isinstance(rest, int):
            yield name, -rest


def _sign_beyond_64_bits(difference: Size) -> int | None:
    """The sign of `n + symbol` or `n - symbol` where n alone decides: symbols have 64 bits."""
    rest = difference if isinstance(difference, int) else dict(difference.terms).get((), 0)
    for name in symbols(difference):
        if difference - rest == symbol(name):
            low, high = rest - 2**63, rest + 2**63 - 1
        elif difference - rest == -symbol(name):
            low, high = rest - 2**63 + 1, rest + 2**63
        else:
            return None
        return 1 if low > 0 else -1 if high < 0 else None
    return None


def _has_64_bits(size: Size) -> bool:
    numbers = [size] if isinstance(size, int) else [factor for _, factor in size.terms]
    return all(-(2**63) <= number < 2**63 for number in numbers)


def _number(name: str) -> int:
    return int(name[1:])


def _newest(name: str) -> tuple[bool, int]:
    """Symbols of data are replaced by others first."""
    return is_unbacked(name), _number(name)


def _solve(difference: SizeExpr, name: str) -> Size | None:
    """The size that `name` equals when `difference` is zero; None unless it occurs once, as ±1."""
    alone = (Symbol(name),)
    for monomial, coefficient in difference.terms:
        if monomial == alone and coefficient in (1, -1):
            return (difference - coefficient * symbol(name)) * -coefficient
    return None
