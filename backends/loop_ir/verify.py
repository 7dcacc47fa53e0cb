"""Is a program well formed? Asked after every pass over one in strict mode.

In the order in which steps run they use only memory that is there, contents that were written and
sizes that are known.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...base.records import dataclass, field
from ...errors import BackendError
from ...ir.sizes import is_unbacked
from .loops import Buffer
from .program import (
    Allocate,
    Bind,
    Branch,
    Count,
    Extern,
    Loop,
    Program,
    Step,
    all_steps,
    blocks_of,
)
from .sizes_of import used_symbols


def verify(program: Program, *, planned: bool) -> None:
    """BackendError with everything that is wrong; `planned`: memory is made where steps say so, and
    not wherever it is needed."""
    if problems := list(defects(program, planned=planned)):
        raise BackendError("malformed program: " + "; ".join(problems))


def defects(program: Program, *, planned: bool) -> Iterator[str]:
    """What is wrong, in words."""
    given = {item.buffer for item in program.inputs if item.buffer is not None}
    given |= {item.buffer for item in program.constants}
    steps = list(all_steps(program.steps))
    anywhere = () if planned else (s.buffer for s in steps if isinstance(s, Allocate))
    scope = Between(
        planned, {*given, *anywhere}, set(given), {b for step in steps for b in step.writes},
        set(filter(is_unbacked, program.symbols)),
    )
    yield from scope.run(program.steps)
    for output in program.outputs:
        if output.buffer not in scope.made:
            yield f"the output {output.buffer.name} is in no memory"


@dataclass(slots=True, eq=False)
class Between:
    """What is known between two steps: the buffers with memory, those with contents, the symbols.
    Memory that no step writes has no contents to wait for."""

    planned: bool
    made: set[Buffer]
    filled: set[Buffer]
    written: set[Buffer]
    bound: set[str] = field(default_factory=set)

    def run(self, steps: Iterable[Step]) -> Iterator[str]:
        for step in steps:
            if isinstance(step, Allocate) and step.any_contents:
                self.filled.add(step.buffer)
            if isinstance(step, Allocate) and not self.planned:
                continue
            if unknown := used_symbols(step) - self.bound - binds_within(step):
                yield f"{kind(step)} uses {', '.join(sorted(unknown))} before it is bound"
            if isinstance(step, Allocate):
                self.made.add(step.buffer)
            elif isinstance(step, Loop | Branch):
                yield from self.control(step)
            else:
                yield from self.access(step)
            self.bound |= binds(step)

    def control(self, step: Loop | Branch) -> Iterator[str]:
        test = step.proceed if isinstance(step, Loop) else step.test
        if test not in self.filled:
            yield f"{kind(step)} asks {test.name} before it is written"
        if isinstance(step, Loop):  # an iteration may read what the one before it wrote
            self.filled |= {buffer for inner in all_steps(step.steps) for buffer in inner.writes}
        for block in blocks_of(step):
            yield from self.run(block)

    def access(self, step: Step) -> Iterator[str]:
        writes = {*step.writes}
        for buffer in {*step.reads} - writes:
            if buffer not in self.made:
                yield f"{kind(step)} reads {buffer.name}, which is in no memory"
            elif buffer in self.written and buffer not in self.filled:
                yield f"{kind(step)} reads {buffer.name} before it is written"
        self.made |= writes
        self.filled |= writes


def binds(step: Step) -> set[str]:
    """The symbols that are known from this step on."""
    match step:
        case Bind():
            return {step.symbol}
        case Count():
            return {step.symbol} if step.symbol is not None else set()
        case Extern():
            return {name for name, *_ in step.binds}
    return set()


def binds_within(step: Step) -> set[str]:
    """The symbols that a step, or those inside of it, bind."""
    return {name for inner in all_steps((step,)) for name in binds(inner)}


def kind(step: Step) -> str:
    return type(step).__name__
