"""Matrix products as calls of BLAS, through the run time."""
from __future__ import annotations

from collections.abc import Callable, Mapping

from ....ir.sizes import Size
from ...loop_ir.program import Operand, Product
from ..builder.emit import Builder
from ..builder.frame import Frame
from ..builder.values import Value

Pointers = tuple[str, str, str]  # of the two operands and the result


class ProductWriter:
    """Emits the steps of one entry function."""

    def __init__(
        self, frame: Frame, pointers: Mapping[str, str], size: Callable[[Size], Value]
    ) -> None:
        self.frame, self.pointers, self.size = frame, pointers, size

    @property
    def builder(self) -> Builder:
        return self.frame.builder

    def write(self, step: Product) -> None:
        numbers = self._numbers(step)
        pointers = self._place(step.a), self._place(step.b), self.pointers[step.out.name]
        if step.stacks:
            self._each(step, pointers, numbers)
            return
        if step.suppressed:
            self.frame.call("suppress_flags", "ptr %frame", "i32 1")
        ARGUMENTS[step.routine](self, step, pointers, numbers)
        if step.suppressed:
            self.frame.call("suppress_flags", "ptr %frame", "i32 0")

    def _place(self, operand: Operand) -> str:
        return self.builder.offset(self.pointers[operand.buffer.name], self.size(operand.offset))

    def _numbers(self, step: Product) -> dict[str, Value]:
        sizes = {f"size{i}": self.size(size) for i, size in enumerate(step.sizes)}
        return sizes | {"a": self.size(step.a.leading), "b": self.size(step.b.leading)}

    def _each(self, step: Product, pointers: Pointers, numbers: Mapping[str, Value]) -> None:
        """One call for all places of the stacks."""
        sizes = [self.size(size) for size in (*step.sizes, 1, 1)[:3]]
        a, b, out = (f"ptr {pointer}" for pointer in pointers)
        extents = [self.size(stack.extent) for stack in step.stacks]
        steps = [self.size(n) for stack in step.stacks for n in (stack.a, stack.b, stack.out)]
        self.frame.checked(
            "products", "ptr %frame", f"i32 {ROUTINES.index(step.routine)}",
            f"i32 {step.out.dtype.num}", f"i32 {int(step.a.transposed)}",
            f"i32 {int(step.b.transposed)}",
            f"ptr {self.frame.integers([*sizes, numbers['a'], numbers['b']])}", a, b, out,
            f"i32 {len(extents)}", f"ptr {self.frame.integers(extents)}",
            f"ptr {self.frame.integers(steps)}", f"i32 {int(step.suppressed)}",
        )  # fmt: skip

    def gemm(self, step: Product, pointers: Pointers, numbers: Mapping[str, Value]) -> None:
        a, b, out = pointers
        m, n, k = (numbers[f"size{i}"].ref for i in range(3))
        self._call(
            step, f"i32 {int(step.a.transposed)}", f"i32 {int(step.b.transposed)}", f"i64 {m}",
            f"i64 {n}", f"i64 {k}", f"ptr {a}", f"i64 {numbers['a'].ref}", f"ptr {b}",
            f"i64 {numbers['b'].ref}", f"ptr {out}", f"i64 {n}",
        )

    def gemv(self, step: Product, pointers: Pointers, numbers: Mapping[str, Value]) -> None:
        a, x, out = pointers
        self._call(
            step, f"i32 {int(step.a.transposed)}", f"i64 {numbers['size0'].ref}",
            f"i64 {numbers['size1'].ref}", f"ptr {a}", f"i64 {numbers['a'].ref}", f"ptr {x}",
            f"i64 {numbers['b'].ref}", f"ptr {out}", "i64 1",
        )

    def dot(self, step: Product, pointers: Pointers, numbers: Mapping[str, Value]) -> None:
        x, y, out = pointers
        self._call(
            step, f"i64 {numbers['size0'].ref}", f"ptr {x}", f"i64 {numbers['a'].ref}", f"ptr {y}",
            f"i64 {numbers['b'].ref}", f"ptr {out}",
        )

    def _call(self, step: Product, *args: str) -> None:
        self.frame.checked(step.routine, "ptr %frame", f"i32 {step.out.dtype.num}", *args)


ROUTINES = ("gemm", "gemv", "dot")
ARGUMENTS = {"gemm": ProductWriter.gemm, "gemv": ProductWriter.gemv, "dot": ProductWriter.dot}
