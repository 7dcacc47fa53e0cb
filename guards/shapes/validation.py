"""`config.validate`: every step of reasoning about sizes is proved, or the first wrong one named.

Steps (`ir.steps`) are noted while a frame is analysed and proved at its end, many with one question
to z3; where that finds values for which one is wrong, bisection finds the first. What follows from
premises that grow from step to step is proved in their order, each premise told to z3 once, and by
itself where that is not enough. A step outside of an analysis is proved at once. Each step is also
tried with the sizes of the call, as it is made.
"""
from __future__ import annotations

import contextlib
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...base import logs
from ...base.config import config, settle
from ...base.records import dataclass
from ...errors import ValidationError
from ...ir import steps
from ...ir.sizes import is_unbacked
from ...ir.steps import Asked, First, Given, Term
from . import proofs
from .proofs import Equation, Prover, Verdict

LOG = logs.logger("validation")
TRIALS = 400
"""Assignments that are tried where z3 does not decide."""
REMEMBERED = 100_000
TOGETHER = 100
"""Equations that are one question to z3."""

counts: Counter[Verdict] = Counter()
"""What became of the steps of this process, each counted once for an analysis."""


@dataclass(frozen=True, slots=True)
class Step:
    """A rule claims an equation; `location` is the user's line. `given` are premises that others
    have too, of which the equation has those that matter."""

    rule: str
    claim: Equation
    location: Any = None
    given: First | None = None

    @property
    def equation(self) -> Equation:
        if self.given is None:
            return self.claim
        before, after = self.claim.before, self.claim.after
        premises = tuple(self.given.premises[: self.given.number])
        return Equation(before, after, _relevant(before, after, premises))

    def __str__(self) -> str:
        return f"{self.claim.before} became {self.claim.after}"


class Journal:
    """The steps of one analysis, in their order; the same equation is noted once."""

    def __init__(self) -> None:
        self.steps: dict[tuple[Equation, int], Step] = {}
        self.begin({}, lambda: None)

    def begin(self, hints: Mapping[str, int], locate: Callable[[], Any]) -> None:
        self.hints, self.locate = hints, locate
        self.tried: dict[int, Tried] = {}

    def note(self, rule: str, claim: Equation, given: First | None = None) -> None:
        """Keep a step, once it is right for the sizes of the call. What follows from the first of
        some premises follows from more of them."""
        key = claim, id(given.premises) if given is not None else 0
        if key in self.steps:
            return
        step = self.steps[key] = Step(rule, claim, self.locate(), given)
        if given is not None:
            tried = self.tried.setdefault(id(given.premises), Tried())
            if not tried.all_hold(given, self.hints):
                return
            if tried.wrong is not None:
                relied = Step(rule, Equation(claim.before, claim.after, (tried.wrong,)))
                raise _error(f"the rule {rule!r} relies on what does not hold in this call",
                             relied, self.hints)
        equation, names = claim, claim.names()
        if names <= self.hints.keys():
            if not equation.holds(self.hints):
                raise _wrong(step, self.hints, "the sizes of this call")
            if not any(map(is_unbacked, names)) and not equation.applies(self.hints):
                raise _error(f"the rule {rule!r} relies on what does not hold in this call", step,
                             self.hints)


class Tried:
    """Which premises hold in the call: each is looked at once, when its symbols have values."""

    def __init__(self) -> None:
        self.count, self.hold = 0, True
        self.waiting: list[Asked] = []
        self.wrong: Asked | None = None

    def all_hold(self, given: First, hints: Mapping[str, int]) -> bool:
        new = [*self.waiting, *given.premises[self.count : given.number]]
        self.count = max(self.count, given.number)
        self.waiting = [p for p in new if not {*proofs.names_in(p)} <= hints.keys()]
        for premise in new:
            names = {*proofs.names_in(premise)}
            if names <= hints.keys() and not Equation(premise, True).holds(hints):
                if any(map(is_unbacked, names)):
                    self.hold = False
                else:
                    self.wrong = self.wrong or premise
        return self.hold and not self.waiting


class _Watch(threading.local):
    """Implements `steps.Watcher`, for each thread."""

    journal: Journal | None = None

    def begin(self, hints: Mapping[str, int], locate: Callable[[], Any]) -> None:
        if self.journal is not None:
            self.journal.begin(hints, locate)

    def step(self, rule: str, before: Term, after: Term, given: Given = ()) -> None:
        if self.journal is None and not config.validate:
            return
        journal = self.journal or Journal()
        if isinstance(given, First):
            journal.note(rule, Equation(before, after), given)
        else:
            journal.note(rule, Equation(before, after, _relevant(before, after, given)))
        if self.journal is None:
            check(list(journal.steps.values()))


WATCH = _Watch()


def watch() -> None:
    """Have steps told to the validator."""
    steps.watcher = WATCH


@contextlib.contextmanager
def analysis() -> Iterator[None]:
    """Note the steps that are made inside, for `prove_all`; nothing unless `config.validate`."""
    if not config.validate:
        yield
        return
    watch()
    before, WATCH.journal = WATCH.journal, Journal()
    try:
        yield
    finally:
        WATCH.journal = before


def prove_all() -> None:
    """Prove what was noted in the current analysis; ValidationError names the first wrong step."""
    if WATCH.journal is not None:
        found, WATCH.journal = WATCH.journal, Journal()
        check(list(found.steps.values()))


def check(noted: Sequence[Step]) -> None:
    """Prove steps; ValidationError names the first that is wrong."""
    with _proving:
        proved = _proved_in_order(noted)
        rest = [step for step, is_proved in zip(noted, proved) if not is_proved]
        if (wrong := first_wrong(rest)) is not None:
            counts[Verdict.WRONG] += 1
            number = noted.index(wrong) + 1
            raise _wrong(wrong, _counterexamples[wrong.equation],
                         f"step {number} of {len(noted)}; those before it are right")
        found = Counter(_verdict(step.equation) for step in rest)
        found[Verdict.PROVED] += sum(proved)
        counts.update(found)
        for step in rest if found[Verdict.UNDECIDED] else ():
            if _verdict(step.equation) is Verdict.UNDECIDED:
                LOG.info("not decided: %s, by the rule %r, at %s", step, step.rule, step.location)
    LOG.info("%d steps are proved, %d not decided", found[Verdict.PROVED],
             found[Verdict.UNDECIDED])


def _proved_in_order(noted: Sequence[Step]) -> list[bool]:
    """The steps that follow from premises which grow from step to step: z3 is told each once."""
    provers: dict[int, Prover] = {}
    proved = []
    for step in noted:
        if step.given is None:
            proved.append(False)
            continue
        prover = provers.setdefault(id(step.given.premises), Prover())
        prover.assume(step.given.premises[prover.count : step.given.number])
        proved.append(prover.proves(step.claim))
    return proved


def first_wrong(noted: Sequence[Step]) -> Step | None:
    """The first step that is wrong, by bisection."""
    right, wrong = 0, len(noted)
    if _all_hold(noted):
        return None
    while wrong - right > 1:
        middle = (right + wrong) // 2
        if _all_hold(noted[right:middle]):
            right = middle
        else:
            wrong = middle
    return next((s for s in noted[right:] if _verdict(s.equation) is Verdict.WRONG), None)


_proving = threading.RLock()  # z3 has one context for all threads
_verdicts: dict[Equation, Verdict] = {}
_counterexamples: dict[Equation, Mapping[str, int]] = {}


def _all_hold(noted: Sequence[Step]) -> bool:
    """Whether no step is known to be wrong; asks about many linear ones at once."""
    open_ones = [s.equation for s in noted if s.equation not in _verdicts]
    linear = [equation for equation in open_ones if proofs.is_linear(equation)]
    for begin in range(0, len(linear) - 1, TOGETHER):
        part = linear[begin : begin + TOGETHER]
        verdict, _ = proofs.prove(part)
        if verdict is Verdict.WRONG:
            return False
        if verdict is Verdict.PROVED:
            _remember(dict.fromkeys(part, verdict))
    return all(_verdict(step.equation) is not Verdict.WRONG for step in noted)


def _verdict(equation: Equation) -> Verdict:
    if equation not in _verdicts:
        verdict, values = proofs.prove([equation])
        if verdict is Verdict.WRONG and equation.holds(values):
            verdict = Verdict.UNDECIDED  # z3 divides by zero where Python raises
        if verdict is Verdict.UNDECIDED and (found := _refuted(equation)) is not None:
            verdict, values = Verdict.WRONG, found
        if verdict is Verdict.WRONG:
            _counterexamples[equation] = values
        _remember({equation: verdict})
    return _verdicts[equation]


def _remember(verdicts: Mapping[Equation, Verdict]) -> None:
    if len(_verdicts) > REMEMBERED:
        _verdicts.clear()
    _verdicts.update(verdicts)


def _refuted(equation: Equation) -> dict[str, int] | None:
    """Values for which an equation does not hold, among some hundred random ones.

    What is given to be equal to a symbol is put in for it, so that more of them count.
    """
    numbers = random.Random(repr(equation))
    names = sorted(equation.names())
    for trial in range(TRIALS):
        largest = (4, 12, 100, 2**20)[trial % 4]
        values = {name: numbers.randint(-largest // 8, largest) for name in names}
        for premise in equation.given:
            name = next(iter(proofs.names_in(premise.left)), "")
            if premise.op == "==" and str(premise.left) == name:
                with contextlib.suppress(ZeroDivisionError):
                    values[name] = proofs.value_of(premise.right, values)
        if not equation.holds(values):
            return values
    return None


def _relevant(before: Term, after: Term, given: tuple[Asked, ...]) -> tuple[Asked, ...]:
    """What is given of the symbols in an equation, and of those that these are related to."""
    names = {*proofs.names_in(before), *proofs.names_in(after)}
    kept: list[Asked] = []
    rest = [(premise, {*proofs.names_in(premise)}) for premise in dict.fromkeys(given)]
    while found := [pair for pair in rest if not pair[1].isdisjoint(names)]:
        rest = [pair for pair in rest if pair[1].isdisjoint(names)]
        kept += [premise for premise, _ in found]
        names.update(*(its for _, its in found))
    return tuple(kept)


def _wrong(step: Step, values: Mapping[str, int], how: str) -> ValidationError:
    """A step is wrong for some values of the symbols."""
    before, after = (
        proofs.value_of(term, values) for term in (step.equation.before, step.equation.after)
    )
    return _error(f"the rule {step.rule!r} is wrong ({how}): {before} is not {after}", step, values)


def _error(what: str, step: Step, values: Mapping[str, int]) -> ValidationError:
    """The error, with both expressions, the values, and the user's line."""
    equation = step.equation
    where = ", ".join(f"{name} = {values[name]}" for name in sorted(equation.names()))
    given = ", ".join(map(str, equation.given)) or "nothing"
    return ValidationError(
        f"{what}\n  before: {equation.before}\n  after:  {equation.after}\n"
        f"  where {where}\n  given {given}\n  at {step.location}"
    )


settle("validate", lambda wanted: wanted and proofs.solver())
if config.validate:
    watch()
