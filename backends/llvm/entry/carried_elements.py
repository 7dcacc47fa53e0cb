"""Elements that an iteration stores and the next one reads: they stay in a register between.

`y[i] = a * y[i - 1]` writes to memory, and would wait for what it has just written. Where a loop
counts, an array is stored into at one place, and what is read is what the iteration before stored,
a number is carried in a buffer of its own. It is read from the array where the loop begins, and
where it goes on after others may have written (`Loop.entering`). The same is done where the place
is one element for the whole loop, as in `for k in ...: y[i] += x[k]`.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count

from ....base.records import dataclass
from ....ir.sizes import Size, product, substitute, symbol, symbols
from ....ir.types import ArrayType
from ...loop_ir.loops import (
    INT64,
    Buffer,
    Check,
    Kernel,
    Load,
    Offset,
    Statement,
    Store,
    walk,
)
from ...loop_ir.program import (
    Allocate,
    Bind,
    Branch,
    Launch,
    Loop,
    Program,
    Step,
    all_steps,
    with_blocks,
)
from ...loop_ir.rewrite import map_statement, replace_parts
from ...loop_ir.simplify import BOOL, apply, const, size_value
from ...loop_ir.verify import binds_within
from .arrays import is_in_a_register
from .counted_loops import Counter, counter_of
from .inline_kernels import is_scalar
from .memory_marks import owned

NOWHERE = Offset()


def carry_elements(program: Program) -> Program:
    """The same program with such elements in numbers that its loops carry."""
    if not any(isinstance(step, Loop) for step in all_steps(program.steps)):
        return program
    made = {step.buffer: step for step in all_steps(program.steps) if isinstance(step, Allocate)}
    alone = {group[0] for group in owned(program) if len(group) == 1}
    carrying = Carrying({buffer: made[buffer] for buffer in alone}, count())
    return replace(program, steps=tuple(carrying.steps(program.steps)))


@dataclass(frozen=True, slots=True)
class Element:
    """Where an iteration reads (`before`) what the one before has stored (`place`)."""

    array: Buffer
    before: Size
    place: Size
    is_certain: bool
    """It is read in the first iteration, whatever the data is."""


@dataclass(frozen=True, slots=True)
class Carrying:
    """`arrays` have memory that is theirs alone."""

    arrays: Mapping[Buffer, Allocate]
    numbers: Iterator[int]

    def steps(self, steps: Iterable[Step]) -> Iterator[Step]:
        for step in steps:
            inner = with_blocks(step, self.steps)
            if isinstance(inner, Loop):
                yield from self.loop(inner)
            else:
                yield inner

    def loop(self, loop: Loop) -> Iterator[Step]:
        """A loop, behind the memory for the numbers that it carries."""
        is_innermost = all(map(is_plain, all_steps(loop.steps)))
        counter = counter_of(loop) if is_innermost else None
        indices = indices_of(loop, counter) if counter is not None else frozenset()
        for array in self.arrays if is_innermost else ():
            if (found := carried(loop, array, indices, counter)) is not None:
                loop, number = self.in_number(loop, found, indices, counter)
                yield Allocate(number, ArrayType(number.dtype), "scratch")
        yield loop

    def in_number(
        self, loop: Loop, element: Element, indices: frozenset[str], counter: Counter | None
    ) -> tuple[Loop, Buffer]:
        name = next(self.numbers)
        number = Buffer(f"carried{name}", element.array.dtype)
        begin = f"first{name}"
        place = substitute(element.before, dict.fromkeys(indices, symbol(begin)))
        first = launched(Store(number, NOWHERE, Load(element.array, Offset(place))))
        if not element.is_certain:
            first = self.if_it_is(place, element.array, first)
        bound = () if counter is None else (Bind(begin, counter.buffer, False),)
        read = Load(element.array, Offset(element.before))
        steps = tuple(rewritten(loop.steps, read, number))
        return replace(loop, steps=steps, entering=(*loop.entering, *bound, *first)), number

    def if_it_is(self, place: Size, array: Buffer, read: tuple[Step, ...]) -> tuple[Step, ...]:
        """Read an element that may lie outside of the array, where nobody will ask for it."""
        test = Buffer(f"inside{next(self.numbers)}", BOOL)
        at, last = size_value(place), size_value(last_of(self.arrays[array], array))
        is_inside = apply("logical_and", (
            apply("greater_equal", (at, const(0, INT64)), BOOL),
            apply("less_equal", (at, last), BOOL)), BOOL)  # fmt: skip
        asked = launched(Store(test, NOWHERE, is_inside))
        return Allocate(test, ArrayType(BOOL), "scratch"), *asked, Branch(test, read, ())


def is_plain(step: Step) -> bool:
    """Whether a step is one of those that are looked through."""
    return isinstance(step, (Bind, Branch)) or (isinstance(step, Launch) and is_scalar(step.kernel))


def launched(store: Store) -> tuple[Step, ...]:
    return (Launch(Kernel(f"begin_{store.buffer.name}", (), (store,))),)


def last_of(made: Allocate, array: Buffer) -> Size:
    """Where the last element of an array lies."""
    return (product(made.type.shape) - 1) * array.dtype.itemsize


def indices_of(loop: Loop, counter: Counter) -> frozenset[str]:
    """The symbols that are the counter, as it is when an iteration begins."""
    same, found = {counter.buffer}, set()
    for step in loop.steps:
        if isinstance(step, Bind) and step.buffer in same:
            found.add(step.symbol)
        for statement in step.kernel.statements if isinstance(step, Launch) else ():
            if isinstance(statement, Store):
                same -= {statement.buffer}
                value = statement.value
                if isinstance(value, Load) and value.buffer in same and value.offset is NOWHERE:
                    same |= {statement.buffer}
    return frozenset(found)


def carried(
    loop: Loop, array: Buffer, indices: frozenset[str], counter: Counter | None
) -> Element | None:
    """The element of an array that a loop can carry."""
    places = set(stores_of(loop.steps, array))
    if not is_in_a_register(array.dtype) or len(places) != 1 or (place := places.pop()) is None:
        return None
    stays = binds_within(loop).isdisjoint(symbols(place))
    is_known = stays or binds_within(loop).isdisjoint({*symbols(place)} - indices)
    if not is_known or not (stays or times_stored(loop.steps, array) == 1):
        return None
    step = 0 if counter is None else counter.step
    following = {} if stays else {index: symbol(index) + step for index in indices}
    reading = Reading(array, place, following)
    reading.steps(loop.steps, False)
    return None if reading.fails else reading.found


def stores_of(steps: Iterable[Step], array: Buffer) -> Iterator[Size | None]:
    """Where each of the stores into an array is; None for those of computed places."""
    for step in all_steps(steps):
        for one in step.kernel.statements if isinstance(step, Launch) else ():
            if isinstance(one, Store) and one.buffer is array:
                yield None if one.indices or one.offset.strides else one.offset.constant


def times_stored(steps: Iterable[Step], array: Buffer) -> int | None:
    """How often an iteration stores into an array; None where that depends on data."""
    total = 0
    for step in steps:
        if isinstance(step, Branch):
            true, false = (times_stored(block, array) for block in (step.true, step.false))
            if true is None or true != false:
                return None
            total += true
        total += sum(1 for _ in stores_of((step,), array)) if isinstance(step, Launch) else 0
    return total


@dataclass(slots=True)
class Reading:
    """Looks for what the next iteration reads of the `place` that one has stored into: nothing
    there may be read behind that of the same iteration, unless it is one place in all of them."""

    array: Buffer
    place: Size
    following: Mapping[str, Size]
    found: Element | None = None
    fails: bool = False
    is_certain: bool = True

    def steps(self, steps: Iterable[Step], is_stored: bool) -> bool:
        """Whether the array has been stored into behind the steps."""
        for step in steps:
            if isinstance(step, Branch):
                self.is_certain = False
                behind = [self.steps(block, is_stored) for block in (step.true, step.false)]
                is_stored = any(behind)
            for statement in step.kernel.statements if isinstance(step, Launch) else ():
                self.look_at(statement, is_stored)
                is_stored |= isinstance(statement, Store) and statement.buffer is self.array
        return is_stored

    def look_at(self, statement: Statement, is_stored: bool) -> None:
        for part in walk(statement.roots):
            if isinstance(part, Load) and part.buffer is self.array:
                before = part.offset.constant
                moves = bool(self.following)
                is_other = before != self.place or not moves
                if is_other and substitute(before, self.following) == self.place:
                    self.fails |= is_stored and moves
                    self.found = self.found or Element(
                        self.array, before, self.place, self.is_certain)
        self.is_certain &= not isinstance(statement, Check)


def rewritten(steps: Iterable[Step], read: Load, number: Buffer) -> Iterator[Step]:
    """Steps that read a number instead, and store it beside the element."""
    for step in steps:
        if isinstance(step, Launch):
            changed = tuple(_statements(step.kernel.statements, read, number))
            yield replace(step, kernel=replace(step.kernel, statements=changed))
        else:
            yield with_blocks(step, lambda block: rewritten(block, read, number))


def _statements(
    statements: Iterable[Statement], read: Load, number: Buffer
) -> Iterator[Statement]:
    own = Load(number, NOWHERE)
    for statement in statements:
        changed = map_statement(statement, lambda expr: replace_parts(expr, {read: own}))
        if isinstance(changed, Store) and changed.buffer is read.buffer:
            yield Store(number, NOWHERE, changed.value)
            changed = replace(changed, value=own)
        yield changed
