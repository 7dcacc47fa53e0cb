"""The memory plan: which buffers are ndarrays, when memory is made, and what is used again."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ...ir.sizes import Size, product
from ...ir.tree import leaves
from ...ir.types import Form
from ..hints import Hint
from ..loop_ir import rewrite
from ..loop_ir.loops import Buffer, Check, Expr, Gather, Load, Statement
from ..loop_ir.program import (
    Allocate,
    Extern,
    Launch,
    Program,
    Ref,
    Rotate,
    Step,
    View,
    all_steps,
    blocks_of,
    with_blocks,
)
from ..loop_ir.sizes_of import used_symbols
from ..loop_ir.steps import renamed
from ..loop_ir.verify import binds_within

IN_REGISTERS = 8
"""Elements of scratch that a code generator may keep in registers."""


def plan_memory(program: Program, hint: Hint) -> Program:
    """Allocations placed before their first use; scratch memory whose value is dead used again."""
    allocations = {s.buffer: s for s in all_steps(program.steps) if isinstance(s, Allocate)}
    arrays = _needs_array(program) | _unbounded(allocations, program.steps)
    steps = list(_without_allocations(program.steps))
    last = {buffer: k for k, step in enumerate(steps) for buffer in (*step.reads, *step.writes)}
    lasting = arrays | {output.buffer for output in program.outputs}
    rotated = {b for s in all_steps(steps) if isinstance(s, Rotate) for b in (*s.into, *s.taken)}
    own = {buffer: step for buffer, step in allocations.items() if buffer not in rotated}
    reused = _reuse(steps, own, lasting, last)
    typed = {
        buffer: replace(step, kind="array" if buffer in arrays else "scratch")
        for buffer, step in allocations.items()
    }
    made: set[Buffer] = set()
    planned = list(_with_allocations([rename_step(step, reused) for step in steps], typed, made))
    for output in program.outputs:
        if output.buffer in typed and output.buffer not in made:
            planned.append(typed[output.buffer])
            made.add(output.buffer)
    return replace(program, steps=tuple(planned), unplanned=tuple(steps))


def bytes_made(program: Program, hint: Hint) -> int:
    """The memory that a call makes beside its arguments, all of it at once at most; of what one
    iteration after the other makes, that of one. Without what NumPy's own functions need."""
    made = [step for step in all_steps(program.steps) if isinstance(step, Allocate)]
    return sum(
        hint(step.type.size if step.room is None else step.room) * step.type.dtype.itemsize
        for step in made)


def _unbounded(allocations: Mapping[Buffer, Allocate], steps: Iterable[Step]) -> set[Buffer]:
    """Memory whose size only a body knows, with nothing known that it is at most: these are arrays,
    which a body makes and gives back."""
    inside = {name for step in steps if blocks_of(step) for name in binds_within(step)}
    return {
        buffer for buffer, step in allocations.items()
        if step.room is None and not inside.isdisjoint(used_symbols(step))
    }


def _with_allocations(
    steps: Iterable[Step], allocations: dict[Buffer, Allocate], made: set[Buffer]
) -> Iterator[Step]:
    """Memory is made before the first step that uses it, and inside of that where it has the size
    of something that is known only there."""
    for step in steps:
        inside: set[str] = binds_within(step) if blocks_of(step) else set()
        for buffer in (*step.writes, *step.reads):
            found = allocations.get(buffer)
            if found is None or buffer in made or not inside.isdisjoint(used_symbols(found)):
                continue
            yield found
            made.add(buffer)
        yield with_blocks(step, lambda block: _with_allocations(block, allocations, made))


def _without_allocations(steps: Iterable[Step]) -> Iterator[Step]:
    """The other steps."""
    for step in steps:
        if not isinstance(step, Allocate):
            yield with_blocks(step, _without_allocations)


def _needs_array(program: Program) -> set[Buffer]:
    """Buffers of which an ndarray object is asked for."""
    found = {o.buffer for o in program.outputs if o.type.form is Form.ARRAY}
    for step in all_steps(program.steps):
        if isinstance(step, View):
            found.add(step.base)
        elif isinstance(step, Extern):
            for leaf in leaves((step.args, step.kwargs)):
                is_ref = isinstance(leaf, Ref) and leaf.buffer is not None
                if is_ref and (leaf.type is None or leaf.type.form is Form.ARRAY):
                    found.add(leaf.buffer)
    return found


def _reuse(
    steps: Sequence[Step],
    allocations: dict[Buffer, Allocate],
    lasting: set[Buffer],
    last: dict[Buffer, int],
) -> dict[Buffer, Buffer]:
    """For scratch buffers, memory of the same dtype and size to live in: that of an earlier one
    which is dead by then, or of a result which is not begun before the scratch is dead.

    Numbers that nobody reads are computed for what they report: nothing else is stored there, or
    a code generator would find out that they are not needed."""
    read = {buffer for step in steps for buffer in step.reads}
    first: dict[Buffer, int] = {}
    for k, step in enumerate(steps):
        for buffer in (*step.writes, *step.reads):
            first.setdefault(buffer, k)
    until = {buffer: first[buffer] for buffer in allocations if buffer in lasting & set(first)}
    free = list(until)
    owner: dict[Buffer, Buffer] = {}
    for k, step in enumerate(steps):
        for buffer in dict.fromkeys(step.writes):
            if buffer not in allocations or buffer in lasting or buffer in owner:
                continue
            if buffer not in read and product(allocations[buffer].type.shape) == 1:
                continue
            owner[buffer] = buffer
            for candidate in free:
                if candidate in until and is_small(allocations[buffer]):
                    continue
                ends = until.get(candidate, len(steps))
                if last[buffer] < ends and _fits(allocations[buffer], allocations[candidate]):
                    owner[buffer] = candidate
                    free.remove(candidate)
                    break
        for buffer in dict.fromkeys((*step.reads, *step.writes)):
            if last[buffer] == k and buffer in owner:
                free.append(owner[buffer])
    return {buffer: kept for buffer, kept in owner.items() if kept != buffer}


def is_small(made: Allocate) -> bool:
    """Whether registers may hold all of it, which memory of a result cannot be."""
    size = product(made.type.shape)
    return isinstance(size, int) and size <= IN_REGISTERS


def _fits(wanted: Allocate, present: Allocate) -> bool:
    if wanted.buffer.dtype != present.buffer.dtype:
        return False
    need, have = product(wanted.type.shape), product(present.type.shape)
    return need == have or _static_fit(need, have)


def _static_fit(need: Size, have: Size) -> bool:
    return isinstance(need, int) and isinstance(have, int) and 0 < need <= have <= 2 * need


def rename_step(step: Step, names: dict[Buffer, Buffer]) -> Step:
    """A step that uses other buffers."""
    if names.keys().isdisjoint((*step.reads, *step.writes)):
        return step
    if isinstance(step, Launch):
        statements = tuple(_rename_statement(s, names) for s in step.kernel.statements)
        return Launch(replace(step.kernel, statements=statements))
    inner = with_blocks(step, lambda block: [rename_step(s, names) for s in block])
    made: Step = renamed(inner, names)
    return made


def _rename_statement(statement: Statement, names: dict[Buffer, Buffer]) -> Statement:
    memo: dict[Expr, Expr] = {}
    changed = rewrite.map_statement(
        statement, lambda expr: rewrite.transform(expr, lambda p: _rename(p, names), memo)
    )
    if isinstance(changed, Check):
        return changed
    return replace(changed, buffer=names.get(changed.buffer, changed.buffer))


def _rename(expr: Expr, names: dict[Buffer, Buffer]) -> Expr:
    match expr:
        case Load() if expr.buffer in names:
            return Load(names[expr.buffer], expr.offset)
        case Gather() if expr.buffer in names:
            return Gather(names[expr.buffer], expr.offset, expr.indices)
    return expr
