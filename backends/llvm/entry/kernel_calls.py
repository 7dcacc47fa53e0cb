"""Kernels as functions of their own, run in this thread or offered to the thread pool."""
from __future__ import annotations

from dataclasses import replace

from ....ir.sizes import floordiv, product
from ...loop_ir.loops import Axis, Kernel
from ..builder.elements import I64
from ..builder.emit import Builder
from ..builder.frame import Frame
from ..builder.values import Value
from ..kernels.kernel import KernelCode, KernelWriter
from ..kernels.sharing import Binding, shared
from .state import Entry

SIMILAR = 2  # kernels that differ in numbers alone and have code of their own
PARALLEL_FROM = 50_000  # nanoseconds of work from which waking a thread is worth it


def call_kernel(entry: Entry, kernel: Kernel) -> None:
    """A kernel as a function of its own, or that of one like it."""
    alike, binding = shared(kernel)
    if alike not in entry.kernels:
        similar, other = shared(kernel, numbers=False)
        if other.numbers and entry.similar[similar] >= SIMILAR:
            alike, binding = similar, other
        entry.similar[similar] += 1
    if alike not in entry.kernels:
        named = replace(alike, name=kernel.name)
        entry.kernels[alike] = KernelWriter(named, entry.target).write()
        entry.modules.add(entry.kernels[alike].text)
    code = entry.kernels[alike]
    env = _environment(entry, code, binding)
    steps = kernel.axes[0].extent if kernel.axes else 1
    extent = entry.size(floordiv(steps + code.unit - 1, code.unit))
    direct = f"call void @{code.name}(ptr {env}, i64 0, i64 {extent.ref})"
    if not code.parallel:
        entry.builder.void(direct)
    else:
        _offer(entry, code, kernel, env, extent, direct)
    if code.checks:
        check_status(entry)


def check_status(entry: Entry) -> None:
    """Bail out if a part of a kernel said so."""
    status = entry.builder.emit(f"load i64, ptr {entry.frame.status}, align 8")
    entry.frame.bail_out_if(f"icmp ne i64 {status}, 0")
    entry.builder.checks = False


def _environment(entry: Entry, code: KernelCode, binding: Binding) -> str:
    env = entry.builder.stack("i64", max(1, len(code.env)))
    for position, (kind, name) in enumerate(code.env):
        pointer = entry.builder.offset(env, 8 * position)
        if kind == "zero":
            entry.builder.store(entry.builder.integer(0), pointer)
        elif kind in ("symbol", "scalar"):
            entry.builder.store(_number(entry, binding, kind, name), pointer)
        else:
            ref = entry.frame.status if kind == "status" else entry.start(*binding.buffers[name])
            entry.builder.void(f"store ptr {ref}, ptr {pointer}")
    return env


def _number(entry: Entry, binding: Binding, kind: str, name: str) -> Value:
    if kind == "symbol":
        return entry.symbols[binding.symbols[name]]
    if (constant := binding.numbers.get(name)) is not None:
        return entry.builder.literal(constant.dtype, constant.bits)
    return entry.scalars[binding.scalars[name]]


def _offer(
    entry: Entry, code: KernelCode, kernel: Kernel, env: str, extent: Value, direct: str
) -> None:
    """Run in this thread when there is little to do, else leave it to the thread pool."""
    points = product(axis.extent for axis in _counted(kernel))
    picoseconds = max(1, round(1000 * code.cost))
    if isinstance(points, int):
        cost = entry.builder.integer(points * picoseconds // 1000)
        if int(cost.ref) < PARALLEL_FROM:
            entry.builder.void(direct)
            return
    else:
        cost = (entry.size(points) * picoseconds).binary("sdiv", 1000)
    entry.offers = entry.frame.has_long_work = True
    arguments = f"ptr %frame, ptr @{code.name}, ptr {env}, i64 {extent.ref}, i64 {cost.ref}"
    entry.builder.void(f"call void @offer({arguments})")


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
