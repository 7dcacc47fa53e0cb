"""SSA text: a builder of one function."""
from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .choices import RARE
from .elements import I64, Number, literal_text, scalar_type
from .target import Target
from .values import Value

WEIGHTS = '!0 = !{!"branch_weights", i32 1, i32 1000000}'
"""What a module with rare branches has to define."""
SCOPE = "!alias.scope"
"""Stands behind loads and stores of memory of which something is known."""


class Builder:
    """The text of one function, written line by line; elementary functions need a target."""

    def __init__(self, target: Target | None = None) -> None:
        self.has_fma = target is not None and target.fma
        self.math = target.math if target is not None else "inline"
        self.is_x86 = target is not None and target.machine == "x86_64"
        self.blends = target is not None and self.is_x86 and target.vector_bytes >= 32
        self.vector_bytes = target.vector_bytes if target is not None else 16
        self.has_avx512 = self.vector_bytes == 64
        self.has_branches = False  # that LLVM may make selections of
        self.status = ""
        self.checks = False
        self.lines: list[str] = []
        self.allocas: list[str] = []
        self.head: list[str] = []
        self.block = "entry"
        self._count = 0

    def fresh(self, stem: str = "v") -> str:
        self._count += 1
        return f"{stem}{self._count}"

    def emit(self, text: str) -> str:
        self._count += 1
        name = f"%v{self._count}"
        self.lines.append(f"  {name} = {text}")
        return name

    def void(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def label(self, name: str) -> None:
        self.lines.append(f"{name}:")
        self.block = name

    def jump(self, name: str) -> None:
        self.void(f"br label %{name}")

    def branch(
        self, condition: Value, then: str, otherwise: str, is_rare: bool = False
    ) -> None:
        """`is_rare`: `then` is hardly ever taken, and LLVM puts it, with what has to be saved for
        it, out of the way."""
        weights = f", {RARE}" if is_rare else ""
        self.void(f"br i1 {condition.ref}, label %{then}, label %{otherwise}{weights}")

    def constant(self, dtype: np.dtype, value: Number) -> Value:
        """A literal; a Python float is rounded to `dtype`, an int wraps."""
        if dtype.kind == "f":
            return self.literal(dtype, np.array(value, dtype).tobytes())
        if dtype.kind == "b":
            return Value(self, "true" if value else "false", dtype, 1, True)
        return Value(self, str(int(value)), dtype, 1, True)

    def literal(self, dtype: np.dtype, bits: bytes) -> Value:
        return Value(self, literal_text(dtype, bits), dtype, 1, True)

    def integer(self, value: int) -> Value:
        return Value(self, str(value), I64, 1, True)

    def vector(self, dtype: np.dtype, values: Sequence[int]) -> Value:
        """A literal vector of integers."""
        kind = scalar_type(dtype)
        text = "<" + ", ".join(f"{kind} {v}" for v in values) + ">"
        return Value(self, text, dtype, len(values), True)

    def stack(self, kind: str, count: int = 1) -> str:
        """Memory in the function's frame, the same at every visit."""
        name = f"%{self.fresh('stack')}"
        self.allocas.append(f"  {name} = alloca {kind}, i64 {count}, align 64")
        return name

    def load(
        self, pointer: str, dtype: np.dtype, lanes: int = 1, align: int | None = None,
        mark: str = "",
    ) -> Value:
        """Elements that lie next to each other in memory; bytes become bools. `mark`: what LLVM is
        told of that memory."""
        stored = np.dtype(np.uint8) if dtype.kind == "b" else dtype
        shape = Value(self, "", stored, lanes)
        text = f"load {shape.type}, ptr {pointer}, align {align or stored.alignment}{mark}"
        value = shape.like(self.emit(text))
        return value.ne(0) if dtype.kind == "b" else value

    def stored(self, value: Value) -> Value:
        """`value` as it lies in memory."""
        return value.cast("zext", np.dtype(np.uint8)) if value.dtype.kind == "b" else value

    def store(
        self, value: Value, pointer: str, align: int | None = None, mark: str = ""
    ) -> None:
        value = self.stored(value)
        align = align or value.dtype.alignment
        self.void(f"store {value.type} {value.ref}, ptr {pointer}, align {align}{mark}")

    def offset(self, pointer: str, nbytes: Value | int) -> str:
        """`pointer` moved by a number of bytes."""
        if isinstance(nbytes, int):
            nbytes = self.integer(nbytes)
        if nbytes.literal and nbytes.ref == "0":
            return pointer
        return self.emit(f"getelementptr i8, ptr {pointer}, i64 {nbytes.ref}")

    def opaque(self, number: Value) -> Value:
        """A number in the same register, of which LLVM knows nothing; a float on x86 only. Strength
        reduction, a third of LLVM's time, does not look behind an index that a loop carries:
        addresses are cheap as they stand."""
        register = "=x,0" if number.dtype.kind == "f" else "=r,0"
        text = f'call {number.type} asm "", "{register}"({number}) memory(none)'
        return number.like(self.emit(text))

    def fence(self) -> None:
        """What follows in this block runs only where control gets here: LLVM makes no selection of
        the branch that leads here, for which it would compute in any case, with the flags."""
        if self.has_branches:
            self.void('call void asm sideeffect "", ""()')

    def when(
        self, condition: Value, state: Sequence[Value], body: Callable[[], Sequence[Value]],
        is_rare: bool = False,
    ) -> list[Value]:
        """`state = body()` where a scalar condition holds."""
        inside, done = self.fresh("then"), self.fresh("done")
        before = self.block
        self.branch(condition, inside, done, is_rare)
        self.label(inside)
        self.fence()
        results = body()
        after = self.block
        self.jump(done)
        self.label(done)
        return [
            old.like(self.emit(f"phi {old.type} [ {old.ref}, %{before} ], [ {new.ref}, %{after} ]"))
            for old, new in zip(state, results)
        ]

    def bail_out_where(self, failed: Value) -> None:
        """Mark the call as failed if a mask holds in some lane."""
        self.checks = True

        def mark() -> Sequence[Value]:
            self.emit(f"atomicrmw or ptr {self.status}, i64 1 monotonic")
            return ()

        self.when(failed.any(), (), mark)

    def loop(
        self,
        begin: Value,
        end: Value,
        step: int,
        carried: Sequence[Value],
        body: Callable[[Value, list[Value]], Sequence[Value]],
    ) -> list[Value]:
        """`for i in range(begin, end, step)` with loop-carried values; gives their final values.

        A loop whose bounds are literals and that runs once, or never, becomes straight code."""
        if begin.literal and end.literal:
            trips = -(-(int(end.ref) - int(begin.ref)) // step)
            if trips <= 0:
                return list(carried)
            if trips == 1:
                return list(body(begin, list(carried)))

        def turn(state: list[Value]) -> Sequence[Value]:
            index, *others = state
            results = body(index, others)
            return index.like(self.emit(f"add nsw i64 {index.ref}, {step}")), *results

        state = self.repeat((begin, *carried), lambda state: state[0].lt(end), turn)
        return state[1:]

    def repeat(
        self,
        carried: Sequence[Value],
        more: Callable[[list[Value]], Value],
        body: Callable[[list[Value]], Sequence[Value]],
    ) -> list[Value]:
        """`while more(state): state = body(state)`; gives the final state."""
        head, inside, done = (self.fresh(stem) for stem in ("head", "body", "done"))
        before = self.block
        self.jump(head)
        self.label(head)
        state = [Value(self, f"%{self.fresh('c')}", v.dtype, v.lanes) for v in carried]
        at = len(self.lines)
        self.branch(more(state), inside, done)
        self.label(inside)
        results = body([self.opaque(v) if v.type == "i64" else v for v in state])
        latch = self.block
        self.jump(head)
        self.lines[at:at] = [
            f"  {phi.ref} = phi {phi.type} [ {start.ref}, %{before} ], [ {next_.ref}, %{latch} ]"
            for phi, start, next_ in zip(state, carried, results)
        ]
        self.label(done)
        return state
