"""Programs of one kernel, for tests of the code generator by itself."""
from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from dynamo_lite.backends.llvm.backend import compile_program
from dynamo_lite.backends.llvm.builder.elements import PARTS
from dynamo_lite.backends.llvm.kernels.scalars import template
from dynamo_lite.backends.loop_ir.loops import (
    Apply,
    Axis,
    Buffer,
    Convert,
    Expr,
    Kernel,
    Load,
    Offset,
    Reduce,
    Store,
)
from dynamo_lite.backends.loop_ir.program import Allocate, Input, Launch, Output, Program

from dynamo_lite.ir.row import ROWS
from dynamo_lite.ir.types import array

NAMED = (re.fullmatch(r"@\w+\.(\w+)", str(row.llvm.get("f"))) for row in ROWS.values())
ELEMENTARY = sorted({match[1] for match in NAMED if match})
"""The functions of `maths` that rows name."""


def has(op: str, *dtypes: np.dtype) -> bool:
    """Can kernels compute the operation named `op` on operands of these dtypes?"""
    return all((d.kind in "fiub" and d.itemsize <= 8) or d in PARTS for d in dtypes) and (
        template(op, dtypes[0]) is not None
    )


def offset(strides: Sequence[int], axes: Sequence[Axis]) -> Offset:
    return Offset(0, tuple((a, s) for a, s in zip(axes, strides) if s))


def compiled(kernel: Kernel, inputs: Sequence[tuple[Buffer, tuple[int, ...]]], out: Buffer,
             shape: tuple[int, ...]) -> Any:
    """The entry of a program that runs one kernel into a new array."""
    type_ = array(out.dtype, *shape)
    return compile_program(
        Program(
            tuple(Input(i, array(b.dtype, *s), b) for i, (b, s) in enumerate(inputs)),
            (),
            {},
            (Allocate(out, type_, "array"), Launch(kernel)),
            (Output(out, type_),),
        ),
        single=True,
    )


def pointwise(op: str, dtypes: Sequence[Any], result: Any, n: int) -> Any:
    """One operation on arrays of length `n`; op "astype" converts."""
    axis, result = Axis("i0", n), np.dtype(result)
    buffers = [Buffer(f"x{i}", np.dtype(d)) for i, d in enumerate(dtypes)]
    loads = tuple(Load(b, offset((b.dtype.itemsize,), (axis,))) for b in buffers)
    value: Expr = Apply(op, loads, result)
    if op == "astype":
        value = Convert(loads[0], result)
    out = Buffer("out", result)
    store = Store(out, offset((result.itemsize,), (axis,)), value)
    return compiled(Kernel("kernel", (axis,), (store,)), [(b, (n,)) for b in buffers], out, (n,))


def reduction(op: str, dtype: Any, shape: tuple[int, ...], over: tuple[int, ...]) -> Any:
    """One fold of an array over some of its dimensions; sums along the last one are rows."""
    dtype = np.dtype(dtype)
    result = np.dtype(np.int64) if op.startswith("arg") else dtype
    axes = [Axis(f"i{d}", n) for d, n in enumerate(shape)]
    outer = tuple(a for d, a in enumerate(axes) if d not in over)
    source, out = Buffer("x", dtype), Buffer("out", result)
    kept = tuple(axis.extent for axis in outer)
    load = Load(source, offset(array(dtype, *shape).strides, axes))
    row = int(op == "add" and len(shape) - 1 in over)
    value = Reduce(op, load, tuple(axes[d] for d in over), result, row=row)
    store = Store(out, offset(array(result, *kept).strides, outer), value)
    return compiled(Kernel("kernel", outer, (store,)), [(source, shape)], out, kept)
