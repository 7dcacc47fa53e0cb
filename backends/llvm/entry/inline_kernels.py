"""Kernels of single numbers: their statements stand in the entry itself."""
from __future__ import annotations

from ...loop_ir.loops import Apply, Check, Expr, Kernel, Store
from ...loop_ir.overflow import guarded_operation
from ..builder.flags import barrier
from ..builder.nest import Nest
from ..builder.terms import Terms
from ..builder.values import Value
from ..builder.wide import overflowing
from ..kernels.kernel import environment, halves, produce
from ..kernels.memory import store_element
from ..kernels.scalars import COMPUTED, apply, keep
from .kernel_calls import check_status
from .state import Entry


def is_scalar(kernel: Kernel) -> bool:
    """Whether a kernel does so little that a function of its own is not worth it."""
    if kernel.axes or not all(isinstance(s, (Store, Check)) for s in kernel.statements):
        return False
    return not kernel.folds


def statements(entry: Entry, kernel: Kernel) -> None:
    """The statements of a kernel without axes, right here."""
    builder = entry.builder
    entry.modules.computes = True
    nest = Nest(builder, 1, produce, lambda nest, expr, value: None)
    nest.symbols, nest.scalars, nest.zero = entry.symbols, entry.scalars, entry.zero()
    nest.halved, nest.marks = halves(kernel), entry.marks
    nest.bases = {name: entry.pointer(name) for kind, name in environment(kernel)
                  if kind == "buffer"}
    builder.status, builder.checks = entry.frame.status, False
    terms = Terms()
    for statement in kernel.statements:
        if isinstance(statement, Check):
            _check(entry, nest, terms, statement.condition)
            _without_wrapping(nest, terms, statement.condition)
            nest.scopes = nest.scopes[:1]
            continue
        assert isinstance(statement, Store)
        value = nest.value(terms.of(statement.value))
        places = [nest.value(terms.of(index)) for index, _ in statement.indices]
        if builder.checks:
            check_status(entry)
        if value.dtype.kind in "fc" and isinstance(statement.value, COMPUTED):
            value = barrier(value, nest.zero)  # it is computed here, and not where it is read
        store_element(nest, statement, places, value)
        if statement.buffer not in entry.read:
            keep(value)
        terms.store(statement.buffer.name)
    if builder.checks:
        check_status(entry)


def _check(entry: Entry, nest: Nest, terms: Terms, condition: Expr) -> None:
    """Bail out unless a condition holds. That an arm is not taken is asked only where what the arm
    computes would not fit."""
    if not (isinstance(condition, Apply) and condition.op == "logical_or"):
        return entry.frame.bail_out_unless(_holds(nest, terms, condition))
    builder = entry.builder
    is_other_arm, fits = (_holds(nest, terms, arg) for arg in condition.args)
    rare, done = map(builder.fresh, ("rare", "done"))
    builder.branch(~fits, rare, done, is_rare=True)
    builder.label(rare)
    entry.frame.bail_out_unless(is_other_arm)
    builder.jump(done)
    builder.label(done)
    return None


def _holds(nest: Nest, terms: Terms, condition: Expr) -> Value:
    """Whether a condition holds. LLVM may know that of integers: nothing depends on it but whether
    the call bails out."""
    if isinstance(condition, Apply) and condition.op == "logical_and":
        left, right = (_holds(nest, terms, arg) for arg in condition.args)
        return left & right
    if isinstance(condition, Apply) and condition.op == "logical_or":
        left, right = (_holds(nest, terms, arg) for arg in condition.args)
        return left | right
    if (checked := _told_by_the_processor(condition)) is not None:
        return ~_wraps(nest, terms, *checked)
    if isinstance(condition, Apply) and all(arg.dtype.kind in "iu" for arg in condition.args):
        values = [nest.value(terms.of(arg)) for arg in condition.args]
        found: Value = apply(condition.op, values, condition.dtype)
        return found
    return nest.value(terms.of(condition))


WRAPPING = {
    ("add", "i"): "sadd", ("subtract", "i"): "ssub", ("multiply", "i"): "smul",
    ("multiply", "u"): "umul",
}  # fmt: skip


def _told_by_the_processor(condition: Expr) -> tuple[str, Apply] | None:
    """The instruction that tells whether a check holds, and the operation whose result it has too;
    None of other checks."""
    found = guarded_operation(condition)
    name = None if found is None else WRAPPING.get((found.op, found.dtype.kind))
    return None if found is None or name is None else (name, found)


def _wraps(nest: Nest, terms: Terms, instruction: str, operation: Apply) -> Value:
    """Whether an operation does, whose result is known from here on."""
    left, right = (nest.value(terms.of(arg)) for arg in operation.args)
    result, wraps = overflowing(instruction, left, right)
    nest.scopes[-1].values.setdefault(terms.of(operation), result)
    return wraps


def _without_wrapping(nest: Nest, terms: Terms, condition: Expr) -> None:
    """Behind a check, LLVM may conclude from the order of two numbers what sign their difference
    has."""
    checked = _told_by_the_processor(condition)
    if checked is not None and checked[0] == "ssub":
        left, right = (nest.value(terms.of(arg)) for arg in checked[1].args)
        nest.scopes[-1].values[terms.of(checked[1])] = left.binary("sub nsw", right)
