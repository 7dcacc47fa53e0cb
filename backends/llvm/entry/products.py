"""Matrix products as calls of BLAS, through the run time."""
from __future__ import annotations

from collections.abc import Mapping

from ...loop_ir.products import Operand, Product
from ..builder.values import Value
from .state import Entry, writes

Pointers = tuple[str, str, str]  # of the two operands and the result
Numbers = Mapping[str, Value]


@writes(Product)
def product(entry: Entry, step: Product) -> None:
    entry.begin_errstate(step.errstate)
    a, b, out = (entry.pointer(one.name) for one in (step.a.buffer, step.b.buffer, step.out))
    numbers = numbers_of(entry, step)
    pointers = element(entry, a, step.a), element(entry, b, step.b), out
    if step.stacks:
        each(entry, step, pointers, numbers)
        return
    if step.suppressed:
        entry.frame.call("suppress_flags", "ptr %frame", "i32 1")
    arguments = ARGUMENTS[step.routine](step, pointers, numbers)
    entry.frame.checked(step.routine, "ptr %frame", f"i32 {step.out.dtype.num}", *arguments)
    if step.suppressed:
        entry.frame.call("suppress_flags", "ptr %frame", "i32 0")


def element(entry: Entry, pointer: str, operand: Operand) -> str:
    return entry.builder.offset(pointer, entry.size(operand.offset))


def numbers_of(entry: Entry, step: Product) -> Numbers:
    sizes = {f"size{i}": entry.size(size) for i, size in enumerate(step.sizes)}
    return sizes | {"a": entry.size(step.a.leading), "b": entry.size(step.b.leading)}


def each(entry: Entry, step: Product, pointers: Pointers, numbers: Numbers) -> None:
    """One call for all places of the stacks."""
    sizes = [entry.size(size) for size in (*step.sizes, 1, 1)[:3]]
    a, b, out = (f"ptr {pointer}" for pointer in pointers)
    extents = [entry.size(stack.extent) for stack in step.stacks]
    steps = [entry.size(n) for stack in step.stacks for n in (stack.a, stack.b, stack.out)]
    integers = entry.frame.integers
    entry.frame.checked(
        "products", "ptr %frame", f"i32 {list(ARGUMENTS).index(step.routine)}",
        f"i32 {step.out.dtype.num}", f"i32 {int(step.a.transposed)}",
        f"i32 {int(step.b.transposed)}",
        f"ptr {integers([*sizes, numbers['a'], numbers['b']])}", a, b, out,
        f"i32 {len(extents)}", f"ptr {integers(extents)}", f"ptr {integers(steps)}",
        f"i32 {int(step.suppressed)}",
    )  # fmt: skip


def gemm(step: Product, pointers: Pointers, numbers: Numbers) -> tuple[str, ...]:
    a, b, out = pointers
    m, n, k = (numbers[f"size{i}"].ref for i in range(3))
    return (
        f"i32 {int(step.a.transposed)}", f"i32 {int(step.b.transposed)}", f"i64 {m}", f"i64 {n}",
        f"i64 {k}", f"ptr {a}", f"i64 {numbers['a'].ref}", f"ptr {b}", f"i64 {numbers['b'].ref}",
        f"ptr {out}", f"i64 {n}",
    )  # fmt: skip


def gemv(step: Product, pointers: Pointers, numbers: Numbers) -> tuple[str, ...]:
    a, x, out = pointers
    return (
        f"i32 {int(step.a.transposed)}", f"i64 {numbers['size0'].ref}",
        f"i64 {numbers['size1'].ref}", f"ptr {a}", f"i64 {numbers['a'].ref}", f"ptr {x}",
        f"i64 {numbers['b'].ref}", f"ptr {out}", "i64 1",
    )  # fmt: skip


def dot(step: Product, pointers: Pointers, numbers: Numbers) -> tuple[str, ...]:
    x, y, out = pointers
    return (
        f"i64 {numbers['size0'].ref}", f"ptr {x}", f"i64 {numbers['a'].ref}", f"ptr {y}",
        f"i64 {numbers['b'].ref}", f"ptr {out}",
    )  # fmt: skip


ARGUMENTS = {"gemm": gemm, "gemv": gemv, "dot": dot}
"""In the order in which the run time numbers them."""
