"""Matrix products as calls of BLAS, through the run time."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...ir.sizes import Size
from ..program import Operand, Product
from .emit import Builder, Value
from .frame import Frame

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
        numbers = self._numbers(step)  # outside of the loops: sizes are computed once
        steps = [[self.size(n) for n in (s.a, s.b, s.out)] for s in step.stacks]
        extents = [self.size(stack.extent) for stack in step.stacks]
        pointers = self._place(step.a), self._place(step.b), self.pointers[step.out.name]
        if step.quiet:
            self.frame.call("quiet", "ptr %frame", "i32 1")
        self._each(step, list(zip(extents, steps)), pointers, numbers)
        if step.quiet:
            self.frame.call("quiet", "ptr %frame", "i32 0")

    def _place(self, operand: Operand) -> str:
        return self.builder.offset(self.pointers[operand.buffer.name], self.size(operand.offset))

    def _numbers(self, step: Product) -> dict[str, Value]:
        sizes = {f"size{i}": self.size(size) for i, size in enumerate(step.sizes)}
        return sizes | {"a": self.size(step.a.leading), "b": self.size(step.b.leading)}

    def _each(
        self,
        step: Product,
        loops: Sequence[tuple[Value, Sequence[Value]]],
        pointers: Pointers,
        numbers: Mapping[str, Value],
    ) -> None:
        """The call, for each place of the stacks, outermost first."""
        if not loops:
            ARGUMENTS[step.routine](self, step, pointers, numbers)
            return
        (extent, steps), *inner = loops

        def body(index: Value, _: Sequence[Value]) -> Sequence[Value]:
            a, b, out = (
                self.builder.offset(pointer, index * step) for pointer, step in zip(pointers, steps)
            )
            self._each(step, inner, (a, b, out), numbers)
            return ()

        self.builder.loop(self.builder.integer(0), extent, 1, (), body)

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


ARGUMENTS = {"gemm": ProductWriter.gemm, "gemv": ProductWriter.gemv, "dot": ProductWriter.dot}
