"""Checks that integers have not become too large go, where no run lasts long enough for that.

`counts[b] += 1` does not fit 64 bits after 2**63 times. What a program stores into integers of its
own is at most a number that is known, or by so much larger than all that they held before. How
often that can happen is known of `for` loops, and of all loops together it is less than
`MOST_STORES` times. So it is known what these integers are at most, and with them sums, differences
and multiples, of which a table of dynamic programming checks several in each iteration.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Union

import numpy as np

from ...base.records import dataclass, field
from ..hints import Hint
from ..loop_ir.loops import (
    Apply,
    Axis,
    Buffer,
    Check,
    Const,
    Convert,
    Expr,
    Gather,
    Index,
    Kernel,
    Load,
    Scan,
    Select,
    SizeValue,
    Store,
    walk,
)
from ..loop_ir.overflow import guarded_operation
from ..loop_ir.program import (
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
from ..loop_ir.simplify import value_of

MOST_STORES = 2**56
"""Of single integers, one after the other: they take half a year."""
LARGEST = 2**60
"""Integers that may be so large are not looked at."""
NO_LIMIT = 2**80
ROUNDS = 6


def drop_overflow_checks(program: Program, hint: Hint) -> Program:
    loops = [step for step in all_steps(program.steps) if isinstance(step, Loop)]
    if not any(has_checks(loop.steps) for loop in loops):
        return program
    integers = Integers()
    integers.look_at(program.steps)
    return replace(program, steps=tuple(_without_checks(program.steps, integers)))


def has_checks(steps: Iterable[Step]) -> bool:
    kernels = (step.kernel for step in all_steps(steps) if isinstance(step, Launch))
    return any(isinstance(one, Check) for kernel in kernels for one in kernel.statements)


def own_integers(steps: Iterable[Step]) -> set[Buffer]:
    """Memory of signed integers into which only kernels store, and which has no other name."""
    made: set[Buffer] = set()
    others: set[Buffer] = set()
    for step in all_steps(steps):
        if isinstance(step, Allocate):
            if step.buffer.dtype.kind == "i" and not step.any_contents:
                made.add(step.buffer)
        elif isinstance(step, Launch):
            others |= {one.buffer for one in step.kernel.statements if isinstance(one, Scan)}
        elif not isinstance(step, (Loop, Branch, Bind)):
            others |= {*step.reads, *step.writes}
    return made - others


@dataclass(frozen=True, slots=True)
class Bound:
    """The magnitude of an integer is at most `most`, or `times` that of the largest of the
    program's own integers and `more`."""

    times: int = 0
    more: int = 0
    most: int = 0

    def given(self, largest: int) -> int:
        return max(self.times * largest + self.more if self.times else 0, self.most)


def limit_of(dtype: np.dtype) -> int:
    """The magnitude of all numbers of a dtype."""
    if dtype.kind == "b":
        return 1
    limits = np.iinfo(dtype)
    return max(int(limits.max), -int(limits.min))


def _sum(left: Bound, right: Bound) -> Bound:
    times, most = left.times + right.times, left.most + right.most
    return Bound(times, left.more + right.more + most if times else 0, most)


def _either(left: Bound, right: Bound) -> Bound:
    return Bound(max(left.times, right.times), max(left.more, right.more),
                 max(left.most, right.most))


def _product(left: Bound, right: Bound) -> Bound | None:
    if left.times and right.times:
        return None
    factor, other = (right, left) if left.times else (left, right)
    return Bound(*(factor.most * part for part in (other.times, other.more, other.most)))


def _first(left: Bound, *others: Bound) -> Bound:
    return left


RULES: Mapping[str, Callable[..., Bound | None]] = {
    "add": _sum, "subtract": _sum, "multiply": _product, "negative": _first, "absolute": _first,
    "minimum": _either, "maximum": _either, "floor_divide": _first, "right_shift": _first,
    "remainder": lambda left, right: right,
}
"""By the magnitudes of operands, none of which wraps."""


@dataclass(slots=True)
class Integers:
    """What the program's own ones are at most: those that are `known`, and those of a `group` that
    depend on one another, of which none is larger than `largest`."""

    known: dict[Buffer, int] = field(default_factory=dict)
    group: frozenset[Buffer] = frozenset()
    largest: int = 0
    memo: dict[Expr, Bound] = field(default_factory=dict)

    def look_at(self, steps: tuple[Step, ...]) -> None:
        """Each integer behind those that it is made of; the rest, which depend on one another,
        together."""
        stores: dict[Buffer, list[Often]] = {buffer: [] for buffer in own_integers(steps)}
        for store, times in stores_of(steps, 1):
            if store.buffer in stores:
                stores[store.buffer].append((store, times))
        made_of = {buffer: read_by(of_buffer) for buffer, of_buffer in stores.items()}
        while stores:
            ready = [one for one in stores if made_of[one].isdisjoint(stores.keys() - {one})]
            for buffer in ready:
                self.are_bounded({buffer: stores.pop(buffer)})
            if not ready:
                unknown = self.are_bounded(stores)
                for buffer in unknown or [*stores]:
                    del stores[buffer]

    def are_bounded(self, stores: Mapping[Buffer, list[Often]]) -> Sequence[Buffer]:
        """Look what integers are at most that depend on one another. Where that is found it is
        known from here on; else those are given that are the reason."""
        self.group, self.largest = frozenset(stores), 0
        unknown: Sequence[Buffer] = [*stores]
        for _ in range(ROUNDS):
            self.memo.clear()
            found, reasons = self.after(stores)
            if found > LARGEST:
                unknown = reasons
                break
            if found <= self.largest:
                self.known |= dict.fromkeys(stores, found)
                unknown = ()
                break
            self.largest = found
        self.group = frozenset()
        self.memo.clear()
        return unknown

    def after(self, stores: Mapping[Buffer, list[Often]]) -> tuple[int, Sequence[Buffer]]:
        """How large they are after all stores, if they are not larger than `largest` before each,
        and those that may be anything, or else the one that makes most of that."""
        most, grown, fastest = 0, 0, 0
        parts = dict.fromkeys(stores, 0)
        for buffer, of_buffer in stores.items():
            for store, times in of_buffer:
                bound = self.bound(store.value)
                grows = bound.more if bound.times else 0
                often = MOST_STORES if times is None else min(times, MOST_STORES)
                if bound.times > 1 or (bound.times and times == MANY):
                    grows = NO_LIMIT
                most, grown = max(most, bound.most), grown + grows * often
                fastest = max(fastest, grows)
                parts[buffer] = max(parts[buffer], bound.most, grows * max(often, 1))
        found = most + max(min(grown, MOST_STORES * fastest), fastest)
        reasons = [buffer for buffer, part in parts.items() if part > LARGEST]
        return found, reasons or [max(parts, key=parts.__getitem__)]

    def bound(self, expr: Expr) -> Bound:
        if (known := self.memo.get(expr)) is None:
            found = self._bound(expr)
            limit = limit_of(expr.dtype)
            is_known = found is not None and found.given(self.largest) <= limit
            known = self.memo[expr] = found if found and is_known else Bound(most=limit)
        return known

    def _bound(self, expr: Expr) -> Bound | None:
        match expr:
            case Const():
                return Bound(most=abs(int(value_of(expr))))
            case Load() | Gather() if expr.buffer in self.group:
                return Bound(times=1)
            case Load() | Gather() if expr.buffer in self.known:
                return Bound(most=self.known[expr.buffer])
            case SizeValue(int(size)) | Index(Axis(extent=int(size))):
                return Bound(most=abs(size))
            case Convert() if expr.arg.dtype.kind in "biu":
                return self.bound(expr.arg)
            case Select():
                return _either(self.bound(expr.true), self.bound(expr.false))
            case Apply() if expr.op in RULES and expr.dtype.kind == "i":
                return RULES[expr.op](*map(self.bound, expr.args))
        return None

    def holds(self, condition: Expr) -> bool:
        """Whether a condition is about magnitudes, and holds for all that are possible."""
        if not isinstance(condition, Apply):
            return False
        if condition.op == "logical_and":
            return all(map(self.holds, condition.args))
        if (operation := guarded_operation(condition)) is not None:
            return self.fits(operation)
        left, right = condition.args if len(condition.args) == 2 else (None, None)
        if not isinstance(right, Const) or left is None or left.dtype.kind not in "iu":
            return False
        most, limit = self.bound(left).given(self.largest), int(value_of(right))
        return condition.op in WITHIN and WITHIN[condition.op](most, limit)

    def fits(self, operation: Apply) -> bool:
        rule = RULES[operation.op](*map(self.bound, operation.args))
        return rule is not None and rule.given(self.largest) < limit_of(operation.dtype)


WITHIN: Mapping[str, Callable[[int, int], bool]] = {
    "less_equal": lambda most, limit: most <= limit,
    "greater_equal": lambda most, limit: most <= -limit,
    "not_equal": lambda most, limit: most < abs(limit),
}
"""Whether a comparison with a number holds for all integers of a magnitude."""


Often = tuple[Store, Union[int, None]]
MANY = 0


def read_by(stores: Iterable[Often]) -> frozenset[Buffer]:
    """The memory from which values come that are stored."""
    values = [store.value for store, _ in stores]
    return frozenset(one.buffer for one in walk(values) if isinstance(one, (Load, Gather)))


def stores_of(steps: Iterable[Step], times: int | None) -> Iterator[Often]:
    """All stores, and how often there is one at most: None where that is not known, `MANY` of
    kernels that store many at once."""
    for step in steps:
        if isinstance(step, Launch):
            often = MANY if step.kernel.axes else times
            yield from ((one, often) for one in step.kernel.statements if isinstance(one, Store))
        elif isinstance(step, Loop):
            inner = None
            if times is not None and step.most is not None:
                inner = max(times * step.most, 1)
            yield from stores_of((*step.entering, *step.steps), inner)
        elif isinstance(step, Branch):
            yield from stores_of((*step.true, *step.false), times)


def _without_checks(steps: Iterable[Step], integers: Integers) -> Iterator[Step]:
    for step in steps:
        if not isinstance(step, Launch):
            yield with_blocks(step, lambda inner: _without_checks(inner, integers))
        elif (kept := _kernel(step.kernel, integers)) is step.kernel:
            yield step
        elif kept.statements:
            yield Launch(kept)


def _kernel(kernel: Kernel, integers: Integers) -> Kernel:
    kept = tuple([one for one in kernel.statements
                  if not isinstance(one, Check) or not integers.holds(one.condition)])
    return kernel if len(kept) == len(kernel.statements) else replace(kernel, statements=kept)
