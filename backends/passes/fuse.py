"""Merging: kernels over the same box become one, so that shared loads happen once and values that
only the later one reads never reach memory."""
from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ...base.records import dataclass, field
from ...ir.sizes import Size
from .. import costs
from ..hints import Hint
from ..loop_ir import affine, rewrite
from ..loop_ir.aliases import Roots, roots_of
from ..loop_ir.in_turn import axes_in_turn
from ..loop_ir.loops import Buffer, Check, Expr, Gather, Kernel, Load, Scan, Store, walk
from ..loop_ir.products import Product
from ..loop_ir.program import (
    Allocate,
    Commit,
    Extern,
    Launch,
    Program,
    Require,
    Step,
    View,
    all_steps,
    with_blocks,
)
from ..loop_ir.sizes_of import SymbolsOfSteps, told_by, used_symbols
from .schedule import is_check_only, may_report, operations

MOST_OPERATIONS = 400
LOOK_BACK = 24
TINY = 64
"""Points of a kernel whose work is little against that of calling it."""
FEW_OPERATIONS = 8
"""Of kernels with nothing in common: larger ones rather stay like others, whose code they share."""
DIFFERENT = "different boxes"


def merge(program: Program, hint: Hint) -> Program:
    """Merge kernels where `why_not_merge` finds nothing against it, then drop dead stores."""
    lasting = {output.buffer for output in program.outputs}
    lasting.update(item.buffer for item in program.inputs if item.buffer is not None)
    merging = Merging(hint, frozenset(program.unbacked), roots_of(program.steps))
    steps = merging.block(program.steps, lasting)
    return replace(
        program, steps=tuple(steps), notes=(*program.notes, *dict.fromkeys(merging.notes))
    )


@dataclass(frozen=True, slots=True)
class Merging:
    """What is the same for all lists of steps of a program."""

    hint: Hint
    unbacked: frozenset[str]
    roots: Roots
    notes: list[str] = field(default_factory=list)
    symbols: SymbolsOfSteps = field(default_factory=SymbolsOfSteps)
    same: Mapping[Size, Size] = field(default_factory=dict)
    """Sizes that are required to be equal before the steps run, by one that stands for them all."""

    def block(self, block: Sequence[Step], lasting: set[Buffer]) -> list[Step]:
        """The steps of a program, or those inside a step; `lasting` is looked at elsewhere."""
        fixed = [s for s in block if is_fixed(s, self.unbacked)]
        requires = [s for s in fixed if isinstance(s, Require)]
        here = replace(self, same=with_equal(self.same, requires))
        return [*requires, *here._merged(block, fixed, lasting)]

    def _merged(
        self, block: Sequence[Step], fixed: Sequence[Step], lasting: set[Buffer]
    ) -> list[Step]:
        allocated = [s for s in fixed if isinstance(s, Allocate)]
        made = {s.buffer: used_symbols(s) for s in allocated} if self.unbacked else None
        placed = [
            self._placed(with_blocks(s, self._inside), made)
            for s in block if not is_fixed(s, self.unbacked)
        ]
        _defer_copies(placed)
        position = 0
        while position < len(placed):
            found = _partner(placed, position, self.hint, self.notes)
            if found is None:
                position += 1
                continue
            target, merged, goes_up = found
            placed[target if goes_up else position] = self._placed(Launch(merged), made)
            del placed[position if goes_up else target]
        kept = _drop_dead(lasting, [item.step for item in placed])
        alive = {buffer for step in kept for buffer in (*step.reads, *step.writes)} | lasting
        allocations = [s for s in fixed if isinstance(s, Allocate) and s.buffer in alive]
        return [*allocations, *kept]

    def _placed(self, step: Step, made: Made | None) -> Placed:
        placed = Placed.of(step, made, self.roots, self.symbols)
        if self.same.keys().isdisjoint(placed.box):
            return placed
        return replace(placed, box=tuple(self.same.get(size, size) for size in placed.box))

    def _inside(self, block: Sequence[Step]) -> list[Step]:
        """Readers may be outside, unless the memory is made in the block."""
        own = {step.buffer for step in block if isinstance(step, Allocate)}
        used = {buffer for step in block for buffer in (*step.reads, *step.writes)}
        return self.block(block, used - own)


def with_equal(same: Mapping[Size, Size], requires: Sequence[Require]) -> Mapping[Size, Size]:
    """What stands for sizes of which these are required to be equal, too."""
    found = dict(same)
    for one in requires:
        if one.relation == "==":
            left, right = (found.get(size, size) for size in (one.left, one.right))
            found |= {size: left for size, kept in found.items() if kept == right}
            found[right] = left
    return found


def is_fixed(step: Step, unbacked: frozenset[str]) -> bool:
    """Allocations, and requirements that can be looked at when the call begins."""
    return isinstance(step, Allocate) or (
        isinstance(step, Require) and unbacked.isdisjoint(used_symbols(step))
    )


Made = Mapping[Buffer, frozenset[str]]
"""The symbols in the sizes of buffers, where some depend on data."""
NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Placed:
    """A step, and what decides whether it can move or become one with another. `tells` are the
    symbols that it gives a value, `needs` those that it uses, `sized` those in what it writes.
    `aliased` are the owners of memory that it knows by another name; they are in `reads` and
    `writes` as well."""

    step: Step
    reads: frozenset[Buffer]
    writes: frozenset[Buffer]
    tells: frozenset[str]
    needs: frozenset[str]
    sized: frozenset[str]
    box: tuple[Size, ...] = ()
    operations: int = 0
    checks: bool = False
    looks_up: bool = False
    in_order: bool = False
    aliased: frozenset[Buffer] = frozenset()

    @staticmethod
    def of(
        step: Step, made: Made | None, roots: Roots, symbols: SymbolsOfSteps
    ) -> Placed:
        used, stored = frozenset(step.reads), frozenset(step.writes)
        makes = isinstance(step, View) or (isinstance(step, Extern) and step.results)
        aliased = frozenset(roots[b] for b in (used if makes else used | stored) if b in roots)
        used |= aliased
        stored |= frozenset() if makes else aliased.intersection(map(roots.get, stored))
        tells = needs = sized = NONE
        if made is not None:
            tells, needs = told_by(step), symbols.used(step)
            sized = NONE.union(*(made.get(buffer, ()) for buffer in stored))
        if not isinstance(step, Launch):
            inner = (one.kernel for one in all_steps((step,)) if isinstance(one, Launch))
            return Placed(step, used, stored, tells, needs, sized, looks_up=any(map(finds, inner)))
        kernel = step.kernel
        return Placed(
            step, used, stored, tells, needs, sized, tuple(axis.extent for axis in kernel.axes),
            operations(kernel), _has(kernel, Check), finds(kernel),
            _has(kernel, Scan) or bool(axes_in_turn(kernel)), aliased,
        )

    @property
    def copies(self) -> bool:
        """Whether all that the step does is to copy memory."""
        return isinstance(self.step, Launch) and self.step.kernel.copied is not None

    @property
    def kernel(self) -> Kernel:
        assert isinstance(self.step, Launch)
        return self.step.kernel


def _defer_copies(placed: list[Placed]) -> None:
    """Moves copies to right before the step that reads them first: what lies between leaves them,
    and they leave that, in the cache."""
    for position in reversed(range(len(placed))):
        item = placed[position]
        if not item.copies:
            continue
        later = placed[position + 1 : position + LOOK_BACK]
        passed = list(itertools.takewhile(partial(_may_pass, item), later))
        if len(passed) < len(later) and not all(step.copies for step in passed):
            placed[position : position + len(passed) + 1] = [*passed, item]


def _may_pass(item: Placed, later: Placed) -> bool:
    return isinstance(later.step, (Launch, Product)) and not conflict(item, later)


def _partner(
    placed: Sequence[Placed], position: int, hint: Hint, notes: list[str]
) -> tuple[int, Kernel, bool] | None:
    """An earlier kernel to merge with: its position, the merged kernel, and where that goes. If
    there is none, it is noted why not with the nearest one."""
    later, why = placed[position], ""
    if not isinstance(later.step, Launch):
        return None
    for target in range(position - 1, max(-1, position - LOOK_BACK), -1):
        earlier = placed[target]
        if isinstance(earlier.step, Commit):
            break
        if not isinstance(earlier.step, Launch):
            continue
        reason = why_not_merge(earlier, later, hint)
        if reason is None:
            moves = _direction(earlier, placed[target + 1 : position], later)
            if moves is not None:
                return target, merged_kernel(earlier.kernel, later.kernel), moves
        if reason != DIFFERENT and not why:
            names = f"{earlier.kernel.name} and {later.kernel.name}"
            why = f"{names}: {reason or 'a step lies between them'}"
    if why:
        notes.append(why)
    return None


def _direction(earlier: Placed, between: Sequence[Placed], later: Placed) -> bool | None:
    """True if `later` can move up, False if `earlier` can move down, None if neither."""
    if not any(conflict(step, later) for step in between):
        return True
    if not any(conflict(earlier, step) for step in between):
        return False
    return None


def conflict(first: Placed, second: Placed) -> bool:
    """Whether two steps must keep their order.

    Positions at which the second looks elements up may be checked by the first. Such a check must
    have passed before the first element is loaded, not at the same point: a kernel goes on after a
    failed check, up to its end."""
    if first.checks and second.looks_up:
        return True
    if first.tells and not first.tells.isdisjoint(second.needs | second.sized):
        return True
    return not (
        first.writes.isdisjoint(second.writes)
        and first.writes.isdisjoint(second.reads)
        and second.writes.isdisjoint(first.reads)
    )


def why_not_merge(earlier: Placed, later: Placed, hint: Hint) -> str | None:
    """Why two kernels are not fused, or None when they are."""
    if earlier.box != later.box:
        return DIFFERENT
    if earlier.in_order or later.in_order:
        return "one element after the other"
    first, second = earlier.kernel, later.kernel
    if first.errstate != second.errstate and may_report(first) and may_report(second):
        return "what becomes of floating-point reports differs"
    if not (earlier.aliased.isdisjoint(later.writes) and later.aliased.isdisjoint(earlier.writes)):
        return "one writes what the other knows by another name"
    if earlier.checks and later.looks_up:
        return "positions are checked before elements are looked up"
    if len(first.statements) + len(second.statements) > costs.MOST_STORES:
        return "too many results"
    if earlier.operations + later.operations > MOST_OPERATIONS:
        return "too many operations"
    if not later.writes.isdisjoint(earlier.reads) or not later.writes.isdisjoint(earlier.writes):
        return "one writes what the other reads"
    forwarded = not later.reads.isdisjoint(earlier.writes)
    if forwarded and (other := _read_elsewhere(first, second)) is not None:
        return f"{other.name} is read at other points"
    shares = not earlier.reads.isdisjoint(later.reads)
    if forwarded or shares or is_check_only(first) or is_check_only(second):
        return None
    if first.axes and earlier.operations + later.operations > FEW_OPERATIONS:
        return "nothing in common"
    points = 1
    for axis in first.axes:
        points *= hint(axis.extent)
    return None if points <= TINY else "nothing in common"


def _read_elsewhere(first: Kernel, second: Kernel) -> Buffer | None:
    """A buffer that the second kernel reads at other points than those where the first stores."""
    stored = {s.buffer: s.offset for s in first.statements if isinstance(s, Store)}
    scattered = {
        s.buffer for s in (*first.statements, *second.statements)
        if isinstance(s, Store) and s.indices
    }
    for load in _over(second, first).loads:
        if load.buffer in stored:
            if load.buffer in scattered:
                return load.buffer
            if isinstance(load, Gather) or load.offset != stored[load.buffer]:
                return load.buffer
    return None


def finds(kernel: Kernel) -> bool:
    """Whether it looks elements up."""
    return any(isinstance(load, Gather) for load in kernel.loads) or any(
        isinstance(s, Store) and s.indices for s in kernel.statements)


def _has(kernel: Kernel, kind: type) -> bool:
    return any(isinstance(statement, kind) for statement in kernel.statements)


def _over(kernel: Kernel, other: Kernel) -> Kernel:
    """The kernel over the axes of another one with the same box."""
    if kernel.axes == other.axes:
        return kernel
    moved = {
        old: affine.Offset(0, ((new, 1),)) for old, new in zip(kernel.axes, other.axes)
    }
    statements = tuple(rewrite.move_statement(s, moved) for s in kernel.statements)
    return replace(kernel, axes=other.axes, statements=statements)


def merged_kernel(first: Kernel, second: Kernel) -> Kernel:
    """Both in one; what the second loads from stores of the first it gets as the value itself.

    A value that was computed from what the first replaces has to be loaded."""
    second = _over(second, first)
    stored = frozenset(first.writes).intersection(first.reads)
    values: dict[Expr, Expr] = {
        Load(s.buffer, s.offset): s.value for s in first.statements
        if isinstance(s, Store) and not s.indices and not (stored and any(
            isinstance(part, (Load, Gather)) and part.buffer in stored
            for part in walk((s.value,))
        ))
    }
    statements = second.statements
    if not values.keys().isdisjoint(second.loads):
        statements = tuple(
            rewrite.map_statement(s, lambda expr: rewrite.replace_parts(expr, values))
            for s in statements
        )
    errstate = first.errstate if may_report(first) else second.errstate
    return replace(first, statements=(*first.statements, *statements), errstate=errstate)


def _drop_dead(lasting: set[Buffer], steps: Sequence[Step]) -> Sequence[Step]:
    """Remove stores whose every reader got the value itself."""
    while True:
        read = lasting.union(buffer for step in steps for buffer in step.reads)
        kept = [_without_dead(step, read) for step in steps]
        alive = [s for s in kept if not (isinstance(s, Launch) and not s.kernel.statements)]
        if alive == steps:
            return alive
        steps = alive


def _without_dead(step: Step, read: set[Buffer]) -> Step:
    if not isinstance(step, Launch):
        return step
    kept = list(step.kernel.statements)
    for store in step.kernel.statements:  # one by one: two may compute the same value
        if isinstance(store, Store) and store.buffer not in read and _computed_elsewhere(
            store, kept
        ):
            kept = [s for s in kept if s is not store]
    if len(kept) == len(step.kernel.statements):
        return step
    return Launch(replace(step.kernel, statements=tuple(kept)))


def _computed_elsewhere(store: Store, statements: Sequence[Any]) -> bool:
    others = [root for s in statements if s is not store for root in s.roots]
    return any(part is store.value for part in walk(others))
