"""How the entry runs kernels: as functions, here or in the thread pool, or line by line."""
from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ....ir.sizes import floordiv, product
from ...loop_ir.loops import Apply, Axis, Check, Expr, Kernel, Store
from ...loop_ir.program import Commit, all_steps
from ..builder.elements import I64, PARTS
from ..builder.emit import Builder
from ..builder.frame import Frame
from ..builder.nest import Nest
from ..builder.terms import Terms
from ..builder.values import Value
from ..kernels.kernel import KernelCode, KernelWriter, environment, halves, produce
from ..kernels.memory import store_element
from ..kernels.scalars import COMPUTED, apply, barrier, keep
from ..kernels.sharing import Binding, shared

if TYPE_CHECKING:
    from .writer import EntryWriter

SIMILAR = 2  # kernels that differ in numbers alone and have code of their own
PARALLEL_FROM = 50_000  # nanoseconds of work from which waking a thread is worth it


def is_scalar(kernel: Kernel) -> bool:
    """Whether a kernel does so little that a function of its own is not worth it."""
    if kernel.axes or not all(isinstance(s, (Store, Check)) for s in kernel.statements):
        return False
    return not kernel.folds


def call_kernel(writer: EntryWriter, kernel: Kernel) -> None:
    """A kernel as a function of its own, or that of one like it."""
    alike, binding = shared(kernel)
    if alike not in writer.kernels:
        similar, other = shared(kernel, numbers=False)
        if other.numbers and writer.similar[similar] >= SIMILAR:
            alike, binding = similar, other
        writer.similar[similar] += 1
    if alike not in writer.kernels:
        named = replace(alike, name=kernel.name)
        writer.kernels[alike] = KernelWriter(named, writer.target).write()
        writer.modules.add(writer.kernels[alike].text)
    code = writer.kernels[alike]
    env = _environment(writer, code, binding)
    steps = kernel.axes[0].extent if kernel.axes else 1
    extent = writer.size(floordiv(steps + code.unit - 1, code.unit))
    direct = f"call void @{code.name}(ptr {env}, i64 0, i64 {extent.ref})"
    if not code.parallel:
        writer.builder.void(direct)
    else:
        _offer(writer, code, kernel, env, extent, direct)
    if code.checks:
        check_status(writer)


def statements(writer: EntryWriter, kernel: Kernel) -> None:
    """The statements of a kernel without axes, right here."""
    builder = writer.builder
    nest = Nest(builder, 1, produce, lambda nest, expr, value: None)
    nest.symbols, nest.scalars, nest.zero = writer.symbols, writer.scalars, writer.zero()
    nest.halved = halves(kernel)
    nest.bases = {name: writer.pointer(name) for kind, name in environment(kernel)
                  if kind == "buffer"}
    builder.status, builder.checks = writer.frame.status, False
    terms = Terms()
    for statement in kernel.statements:
        if isinstance(statement, Check):
            holds = _holds(nest, terms, statement.condition)
            writer.frame.bail_out_if(f"icmp eq i1 {holds.ref}, false")
            nest.scopes = nest.scopes[:1]
            continue
        assert isinstance(statement, Store)
        value = nest.value(terms.of(statement.value))
        places = [nest.value(terms.of(index)) for index, _ in statement.indices]
        if builder.checks:
            check_status(writer)
        if value.dtype.kind in "fc" and isinstance(statement.value, COMPUTED):
            value = barrier(nest, value)  # it is computed here, and not where it is read
        store_element(nest, statement, places, value)
        if statement.buffer not in writer.read:
            keep(value)
        terms.store(statement.buffer.name)
    if builder.checks:
        check_status(writer)


def _holds(nest: Nest, terms: Terms, condition: Expr) -> Value:
    """Whether a condition holds. LLVM may know that of integers: nothing depends on it but whether
    the call bails out."""
    if isinstance(condition, Apply) and condition.op == "logical_and":
        left, right = (_holds(nest, terms, arg) for arg in condition.args)
        return left & right
    if isinstance(condition, Apply) and all(arg.dtype.kind in "iu" for arg in condition.args):
        values = [nest.value(terms.of(arg)) for arg in condition.args]
        found: Value = apply(condition.op, values, condition.dtype)
        return found
    return nest.value(terms.of(condition))


def compute_before(writer: EntryWriter, commit: Commit) -> None:
    """Have LLVM compute numbers that are read behind the commit alone before it, which asks what
    was reported."""
    steps = writer.program.steps
    behind = all_steps(steps[steps.index(commit) + 1 :])
    for buffer in dict.fromkeys(buffer for step in behind for buffer in step.reads):
        kind = writer.types.get(buffer.name)
        if kind is None or kind.shape or buffer.dtype.kind not in "fc":
            continue
        part, pointer = PARTS.get(buffer.dtype, buffer.dtype), writer.pointer(buffer.name)
        for offset in range(0, buffer.dtype.itemsize, part.itemsize):
            keep(writer.builder.load(writer.builder.offset(pointer, offset), part))


def check_status(writer: EntryWriter) -> None:
    """Bail out if a part of a kernel said so."""
    status = writer.builder.emit(f"load i64, ptr {writer.frame.status}, align 8")
    writer.frame.bail_out_if(f"icmp ne i64 {status}, 0")
    writer.builder.checks = False


def _environment(writer: EntryWriter, code: KernelCode, binding: Binding) -> str:
    env = writer.builder.stack("i64", max(1, len(code.env)))
    for position, (kind, name) in enumerate(code.env):
        pointer = writer.builder.offset(env, 8 * position)
        if kind == "zero":
            writer.builder.store(writer.builder.integer(0), pointer)
        elif kind in ("symbol", "scalar"):
            writer.builder.store(_number(writer, binding, kind, name), pointer)
        else:
            ref = writer.frame.status if kind == "status" else writer.start(*binding.buffers[name])
            writer.builder.void(f"store ptr {ref}, ptr {pointer}")
    return env


def _number(writer: EntryWriter, binding: Binding, kind: str, name: str) -> Value:
    if kind == "symbol":
        return writer.symbols[binding.symbols[name]]
    if (constant := binding.numbers.get(name)) is not None:
        return writer.builder.literal(constant.dtype, constant.bits)
    return writer.scalars[binding.scalars[name]]


def _offer(
    writer: EntryWriter, code: KernelCode, kernel: Kernel, env: str, extent: Value, direct: str
) -> None:
    """Run in this thread when there is little to do, else leave it to the thread pool."""
    points = product(axis.extent for axis in _counted(kernel))
    picoseconds = max(1, round(1000 * code.cost))
    if isinstance(points, int):
        cost = writer.builder.integer(points * picoseconds // 1000)
        if int(cost.ref) < PARALLEL_FROM:
            writer.builder.void(direct)
            return
    else:
        cost = (writer.size(points) * picoseconds).binary("sdiv", 1000)
    writer.offers = True
    arguments = f"ptr %frame, ptr @{code.name}, ptr {env}, i64 {extent.ref}, i64 {cost.ref}"
    writer.builder.void(f"call void @offer({arguments})")


def _counted(kernel: Kernel) -> tuple[Axis, ...]:
    """The axes over whose points a kernel's cost adds up; all parts of a fold are one of it."""
    for fold in kernel.folds:
        if fold.part:
            return (*fold.axes, *kernel.axes[1:])
    return kernel.axes


def offering() -> str:
    """The function that runs a kernel here where there is little to do, else in the thread pool."""
    builder = Builder()
    frame = Frame(builder)
    cost = Value(builder, "%cost", I64)
    builder.branch(cost.lt(PARALLEL_FROM), "alone", "share")
    builder.label("alone")
    builder.void("call void %kernel(ptr %env, i64 0, i64 %extent)")
    builder.void("ret void")
    builder.label("share")
    frame.call("parallel", "ptr %frame", "ptr %kernel", "ptr %env", "i64 %extent", "i64 %cost")
    lines = "\n".join([*builder.head, *builder.lines, "  ret void"])
    arguments = "ptr %frame, ptr %kernel, ptr %env, i64 %extent, i64 %cost"
    return f"define internal void @offer({arguments}) #0 {{\nentry:\n{lines}\n}}\n"
