"""ShapeEnv: what decides about the sizes of one trace.

It answers the `Facts` questions of `ir.inference`. A question that integer arithmetic and the
symbols' ranges decide costs nothing; any other is answered from the hints (the values of this very
call), and the answer becomes a relation that is guarded, with the line that asked.
"""
from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from ...errors import DataDependent, GraphBreak
from ...ir.bounds import least
from ...ir.graph import Assertion, Location, SymbolOrigin
from ...ir.sizes import (
    Size,
    SizeExpr,
    Symbol,
    depends_on_data,
    evaluate,
    is_unbacked,
    symbol,
    symbols,
)
from . import reasoning
from .dynamic import DynamicPolicy
from .relations import COMPARE, LEAST_INT, MIRRORED, NEGATED, Relation, number
from .symbols import Symbols

COMBINATIONS = 64
"""How many combinations of sizes that were seen are looked at for one question."""


class ShapeEnv(Symbols):
    """The `Facts` of one trace.

    A question about symbols of data that the bounds do not answer is DataDependent; where one of
    the answers is an error of NumPy's, `assume` takes the other one and asserts it.
    """

    def __init__(
        self,
        policy: DynamicPolicy | None = None,
        locate: Callable[[], Location | None] = lambda: None,
    ) -> None:
        super().__init__(policy or DynamicPolicy(), locate)

    @property
    def relations(self) -> list[Relation]:
        """What is guarded."""
        return self.known.guarded.relations

    @property
    def assertions(self) -> list[Assertion]:
        """What is checked when the graph runs."""
        return self.known.guarded.assertions

    # -- the Facts protocol

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
        if self.known.settled(op, left, right) is not None:
            return False
        difference = self.known.difference(left, right)
        if depends_on_data(difference) or self.known.totals.is_in(difference):
            return False
        names = sorted(set(symbols(difference)), key=number)
        infos = [self.infos[name] for name in names]
        seen = [
            [value for value in self.policy.seen(info.source, info.fact, info.axis)
             if isinstance(value, int)]
            for info in infos
        ]  # an argument may have been a float before
        if not any(len(values) > 1 for values in seen):
            return False
        answers = set()
        for values in itertools.islice(itertools.product(*seen), COMBINATIONS):
            with contextlib.suppress(ZeroDivisionError):  # such a call ends before
                answers.add(COMPARE[op](evaluate(difference, dict(zip(names, values))), 0))
        return len(answers) > 1

    def counts(self, size: Size) -> bool:
        """Whether `size` is a product of sizes of arrays."""
        if isinstance(size, int) or len(size.terms) != 1 or size.terms[0][1] < 0:
            return False
        return all(
            isinstance(atom, Symbol) and atom in self.infos and self.infos[atom].fact == "size"
            for atom in size.terms[0][0]
        )

    def compare(self, op: str, left: Size, right: Size) -> bool:
        """Any of Python's six comparisons."""
        if op in ("!=", ">", ">="):
            return not self._decide(NEGATED[op], left, right)
        return self._decide(op, left, right)

    def least(self, size: Size) -> int | None:
        """A lower bound of a size that follows from what is known."""
        return least(size, self.known.lower, self.known.upper)

    def asked_after(self, known: Sequence[Relation]) -> list[Relation]:
        """The relations since `known`, which has the one that was the last or none."""
        at = self.relations.index(known[0]) + 1 if known and known[0] in self.relations else 0
        return self.relations[at:]

    def ask_again(self, relations: Iterable[Relation]) -> None:
        """Rely on what an earlier analysis of this call asked before it was stopped."""
        for relation in relations:
            if self.hints.keys() >= set(relation.symbols()):
                self.compare(relation.op, relation.left, relation.right)

    def expect(self, op: str, left: Size, right: Size, outcome: bool) -> bool:
        """Assert that a comparison gives `outcome`; False where no relation says so."""
        op = op if outcome else NEGATED[op]
        if op in (">", ">="):
            op, left, right = MIRRORED[op], right, left
        if op == "!=":
            if not self.known.settled("<=", right, left):
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
        if (only := self._only_value(size)) is not None:
            return only
        if depends_on_data(size):
            raise GraphBreak(f"Python needs {self.from_data(size)}, which depends on data")
        value = self.hint(size)
        text = self.described(size)
        if not self.policy.may_fix((self.locate(), text), value):
            raise GraphBreak(f"Python needs the value of {text}, which keeps changing")
        self.equal(size, value)
        return value

    def _only_value(self, size: SizeExpr) -> int | None:
        """The value of a size that has the same one whatever its symbols are."""
        likely = reasoning.constant(size, self.known.lower, self.known.upper)
        return likely if likely is not None and self.known.reasoned("==", size, likely) else None

    def assume(self, question: str, left: Size, right: Size) -> None:
        """Assert a relation that is not known, and rely on it."""
        op = {"equal": "==", "less": "<", "less_equal": "<="}[question]
        if not self.known.settled(op, left, right):
            self.known.assume(Assertion(op, left, right, self.locate()))

    def simplify(self, size: Size) -> Size:
        """`size` with the equalities that were found put in."""
        return self.known.simplify(size)

    # -- the end of the trace

    def fixed(self) -> dict[str, Size]:
        """The symbols of which the trace has one value only."""
        found = {name: self.simplify(symbol(name)) for name in self.known.replaced}
        return {
            name: size for name, size in found.items()
            if isinstance(size, int) and not is_unbacked(name)
        }

    def settled_origin(self, name: str, origin: SymbolOrigin) -> SymbolOrigin:
        """Where a symbol is found, with what is known of its value at the end of the trace."""
        if origin.fact == "value":
            return replace(origin, least=self.known.lower.get(name, LEAST_INT))
        if origin.fact != "size" or name not in self.infos:
            return origin
        info = self.infos[name]
        likely = max(self.policy.seen(info.source, info.fact, info.axis), default=origin.hint)
        hint = origin.hint if origin.hint > 1 else likely
        return replace(origin, hint=hint, least=self.known.lower[name])

    def end_trace(self) -> None:
        """From here on passes and backends ask: a question that is still open is Unsupported, since
        every guard names a line of the user's."""
        self.locate = lambda: None
        self.known.closed = True
        self.call = None
        self.origins = None

    @contextlib.contextmanager
    def reopened(self, location: Location | None) -> Iterator[None]:
        """Inside, questions are answered and guarded once more, for the line at `location`."""
        self.locate, self.known.closed = lambda: location, False
        try:
            yield
        finally:
            self.end_trace()

    def close(self) -> None:
        """The guards are made: a question that is still open is now Unsupported."""
        self.known.closed = True

    def _decide(self, op: str, left: Size, right: Size) -> bool:
        answer = self.known.settled(op, left, right)
        if answer is None:
            difference = self.known.difference(left, right)
            assert isinstance(difference, SizeExpr)
            is_open = depends_on_data(difference)
            if is_open or self.known.closed:
                answer = self.known.reasoned(op, left, right)
            if answer is not None:
                return answer
            if is_open:
                sides = f"{self.from_data(left)} {op} {self.from_data(right)}"
                raise DataDependent(f"whether {sides} depends on data")
            answer = COMPARE[op](self.hint(difference), 0)
            self.known.require(op if answer else NEGATED[op], left, right)
            self.known.decided(op, difference, answer)
        return answer
