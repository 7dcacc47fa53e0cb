"""What all shapes of kernel share: expressions and statements as lines of single assignments."""
from __future__ import annotations

import numpy as np

from ....errors import Unsupported
from ....ir.sizes import Size
from ...loop_ir.loops import (
    Apply,
    Axis,
    Buffer,
    Check,
    Const,
    Convert,
    Expr,
    Gather,
    Index,
    Load,
    Reduce,
    Scalar,
    Select,
    SizeValue,
    Statement,
    Store,
    walk,
)
from ...loop_ir.rewrite import free_axes
from .accesses import AccessWriter
from .kernels import Parameter, TritonKernel
from .pairs import PairStore
from .scalars import TYPES, apply_text, cast_text, constant_text


class Emitter(AccessWriter):
    """Expressions and statements; `reduction` is for the shapes of kernels."""

    def expression(self, expr: Expr) -> str:
        """The name that holds the value of `expr`."""
        if (name := self.known(expr)) is not None:
            return name
        return self.value(expr, self.text(expr))

    def text(self, expr: Expr) -> str:
        match expr:
            case Load(buffer, offset):
                return self.loaded(expr, self.place(buffer, offset, ()))
            case Gather(buffer, offset, indices):
                return self.loaded(expr, self.place(buffer, offset, indices))
            case Const(bits, dtype):
                return constant_text(bits, dtype)
            case Scalar(name, dtype):
                known = Parameter(f"x_{name}", TYPES[dtype].memory, scalar=expr)
                self.parameters.setdefault(known.name, known)
                return f"tl.full([], {known.name}, {TYPES[dtype].register})"
            case SizeValue(size):
                return f"tl.full([], {self.size(size)}, tl.int64)"
            case Index(axis):
                return f"({self.known(axis)}).to(tl.int64)"
            case Convert(arg, dtype):
                return cast_text(self.expression(arg), arg.dtype, dtype)
            case Select(condition, true, false):
                return f"tl.where({', '.join(map(self.expression, (condition, true, false)))})"
            case Reduce():
                return self.reduction(expr)
            case Apply(op, args, dtype):
                operands = [self.expression(arg) for arg in args]
                return apply_text(op, args[0].dtype, dtype, operands)
        raise Unsupported(f"{type(expr).__name__} has no Triton form")

    def loaded(self, expr: Load | Gather, where: str) -> str:
        suffix = ".to(tl.int1)" if expr.dtype == np.bool_ else ""
        return f"tl.load({where}{self.access(expr)}){suffix}"

    def store(self, statement: Store) -> None:
        stores = [statement, statement.imag] if isinstance(statement, PairStore) else [statement]
        values = [self.expression(store.value) for store in stores]
        for store, value in zip(stores, values):
            where = self.place(store.buffer, store.offset, store.indices)
            memory = f"tl.{TYPES[store.buffer.dtype].memory_name}"
            self.line(f"tl.store({where}, {value}.to({memory}){self.access(store)})")
        if statement.buffer not in self.kernel.reads:
            return
        self.forget(statement.buffer)
        for store, value in zip(stores, values):
            if not store.indices:
                self.scopes[-1][Load(store.buffer, store.offset)] = value

    def forget(self, buffer: Buffer) -> None:
        """What was computed from the contents of a buffer, which have changed."""
        for scope in self.scopes:
            for key in [key for key in scope if not isinstance(key, Axis)]:
                parts = walk([key])  # type: ignore[list-item]
                if any(isinstance(p, (Load, Gather)) and p.buffer == buffer for p in parts):
                    del scope[key]

    def check(self, statement: Check) -> None:
        condition = self.expression(statement.condition)
        status = self.parameters.setdefault("status", Parameter("status", "*i32")).name
        failing = f"({condition} == 0)"
        is_block = bool(free_axes(statement.condition, self.frees) & self.spread)
        if (mask := self.masks[-1]) is not None and is_block:
            failing = f"{mask} & {failing}"
        self.line(f"tl.store({status} + ({condition}).to(tl.int32) * 0, 1, mask={failing})")

    def perform(self, statement: Statement) -> None:
        if isinstance(statement, Check):
            self.check(statement)
        else:
            assert isinstance(statement, Store)
            self.store(statement)

    def reduction(self, expr: Reduce) -> str:
        raise NotImplementedError

    def finish(self, points: Size, block: int, warps: int, constants: str) -> TritonKernel:
        names = ", ".join([*self.parameters, *([constants] if constants else [])])
        header = ["@triton.jit", f"def {self.kernel.name}({names}):"]
        source = "\n".join(header + self.lines) + "\n"
        return TritonKernel(
            self.kernel.name, source, tuple(self.parameters.values()), points, block, warps
        )


def power_of_two(n: int) -> int:
    """The smallest one that is not less."""
    return 1 << max(0, n - 1).bit_length()


def warps_for(lanes: int) -> int:
    """Eight elements per thread, as far as sixteen warps go."""
    return max(1, min(16, lanes // 256))
