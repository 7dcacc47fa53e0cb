"""A slow reference interpreter of programs, in NumPy: the definition of what the loop IR means.

Every load and store is checked to be inside its buffer. Tests compare code generators, and the
lowering itself, against it.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from dynamo_lite.backends.loop_ir.evaluation import BailOut, Memory, State, run_kernel
from dynamo_lite.backends.loop_ir.loops import Buffer
from dynamo_lite.backends.loop_ir.products import Operand, Product
from dynamo_lite.backends.loop_ir.program import (
    Allocate,
    Bind,
    Branch,
    Commit,
    Count,
    Deposit,
    Extern,
    Extract,
    Input,
    Launch,
    LogCopy,
    LogUndo,
    Loop,
    Output,
    Program,
    Ref,
    Require,
    Rotate,
    View,
)

from dynamo_lite.ir.errstates import AMBIENT
from dynamo_lite.ir.sizes import Size, SizeExpr, evaluate
from dynamo_lite.ir.tree import map_leaves
from dynamo_lite.ir.types import Form

RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "==": int.__eq__,
    "<=": int.__le__,
    "<": int.__lt__,
}


class Foreign:
    """Array interface of a part of some memory; keeps the memory's owner alive."""

    def __init__(
        self, memory: Memory, start: int, dtype: np.dtype,
        shape: tuple[int, ...], strides: tuple[int, ...],
    ) -> None:
        self.owner = memory.owner
        address = memory.data.ctypes.data + start
        self.__array_interface__ = {
            "data": (address, False), "typestr": dtype.str, "shape": shape,
            "strides": strides, "version": 3,
        }


def run_program(program: Program, *arguments: Any) -> tuple[Any, ...]:
    """The outputs of one call; raises `BailOut` where compiled code would bail out."""
    state = State(_bind_symbols(program, arguments))
    for item in program.inputs:
        _bind_input(state, item, arguments[item.index])
    for constant in program.constants:
        state.bind(constant.buffer, constant.value)
    try:
        _run(state, program)
    except BailOut:
        for buffer, offsets, values in reversed(state.saved):
            state.memory[buffer].write(offsets, values)
        raise
    boxed: dict[Buffer, Any] = {}
    return tuple(_box(state, output, boxed) for output in program.outputs)


def _run(state: State, program: Program) -> None:
    for step in program.steps:
        errstate = getattr(getattr(step, "kernel", step), "errstate", AMBIENT)
        modes: dict[str, Any] = {
            kind: "ignore" if mode == "ignore" else "call"
            for kind, mode in (np.geterr() | dict(errstate)).items()
        }
        with np.errstate(**modes, call=lambda kind, _: state.flags.add(kind)):
            RUN[type(step)](state, step)
    if not state.committed and state.flags:
        raise BailOut(f"floating-point flags: {sorted(state.flags)}")


def _bind_symbols(program: Program, arguments: Sequence[Any]) -> dict[str, int]:
    values: dict[str, int] = {}
    for name, origin in program.symbols.items():
        if origin.fact == "total":
            values[name] = evaluate(origin.sum, values)
            continue
        value = arguments[origin.placeholder]
        if origin.fact != "value":
            value = (value.shape if origin.fact == "size" else value.strides)[origin.axis]
        values[name] = int(value)
    return values


def _bind_input(state: State, item: Input, value: Any) -> None:
    if item.scalar is not None:
        state.scalars[item.scalar] = item.scalar.dtype.type(value)
    elif item.buffer is not None and item.type.form is Form.OBJECT:
        state.arrays[item.buffer] = value
    elif item.buffer is not None:
        state.bind(item.buffer, value if isinstance(value, np.ndarray) else np.array(value))


def _allocate(state: State, step: Allocate) -> None:
    """Fresh memory, filled with noise so that a missing store shows."""
    if step.room is not None and step.kind == "scratch":
        state.bind(step.buffer, np.full(max(state.size(step.room), 1), -77, step.type.dtype))
        return
    shape, strides = state.shape(step.type.shape), state.shape(step.type.strides)
    if 0 in shape:
        array = np.ndarray(shape, step.type.dtype, strides=strides)
    else:
        span = sum((n - 1) * s for n, s in zip(shape, strides)) + step.type.dtype.itemsize
        memory = np.full(span, 0xA5, np.uint8)
        array = np.ndarray(shape, step.type.dtype, buffer=memory, strides=strides)
    state.bind(step.buffer, array)


def _view(state: State, step: View) -> None:
    base = state.memory[step.base]
    shape, strides = state.shape(step.type.shape), state.shape(step.type.strides)
    start = base.origin + state.size(step.offset)
    if 0 in shape:
        array = np.ndarray(shape, step.type.dtype, strides=strides)
    else:
        array = np.asarray(Foreign(base, start, step.type.dtype, shape, strides))
    if not step.type.writeable:
        array.flags.writeable = False
    state.bind(step.buffer, array)
    state.memory[step.buffer] = Memory(base.data, start, base.owner)


def _extern(state: State, step: Extern) -> None:
    def leaf(item: Any) -> Any:
        if isinstance(item, SizeExpr):
            return state.size(item)
        return _argument(state, item) if isinstance(item, Ref) else item

    args, kwargs = map_leaves(leaf, step.args), map_leaves(leaf, step.kwargs)
    try:
        result = step.target(*args, **kwargs)
    except Exception as error:
        raise BailOut(f"{step.target}: {error}") from error
    results = result if isinstance(result, (tuple, list)) else (result,) if step.results else ()
    for name, number, axis in step.binds:
        state.symbols[name] = np.shape(results[number])[axis]
    for buffer, type_, value in zip(step.results, step.types, results, strict=True):
        if type_.form is Form.OBJECT:
            state.arrays[buffer] = value
            continue
        array = np.asarray(value)
        expected = (type_.dtype, state.shape(type_.shape))
        same_form = isinstance(value, np.ndarray) == (type_.form is Form.ARRAY)
        if (array.dtype, array.shape) != expected or not same_form or not _same_strides(
            array, state.shape(type_.strides)
        ):
            raise BailOut(f"{step.target} gave {array.dtype}{array.shape}, not {expected}")
        state.bind(buffer, array)


def _same_strides(array: np.ndarray, strides: tuple[int, ...]) -> bool:
    """Strides of dimensions of size 1, and of empty arrays, mean nothing."""
    if array.size == 0:
        return True
    return all(n == 1 or s == t for n, s, t in zip(array.shape, array.strides, strides))


def _argument(state: State, ref: Ref) -> Any:
    if ref.scalar is not None:
        value = state.scalars[ref.scalar]
        return value.item() if ref.type is not None and ref.type.form is Form.PYTHON else value
    assert ref.buffer is not None
    array = state.arrays[ref.buffer]
    if ref.type is None or ref.type.form is Form.ARRAY:
        return array
    return array[()] if ref.type.form is Form.SCALAR else array.item()


def _bind(state: State, step: Bind) -> None:
    state.symbols[step.symbol] = int(state.arrays[step.buffer])


def _selected(state: State, count: Count) -> np.ndarray:
    """The flat positions at which the mask of a count is true."""
    packed = np.arange(state.size(count.n))
    return np.flatnonzero(state.memory[count.mask].read(packed, np.dtype(bool)))


def _count(state: State, step: Count) -> None:
    if step.symbol is not None:
        state.symbols[step.symbol] = len(_selected(state, step))


def _extract(state: State, step: Extract) -> None:
    places = _selected(state, step.count)
    if step.source is None:
        values = np.stack(np.unravel_index(places, state.shape(step.shape)), axis=-1).ravel()
    else:
        offsets = state.size(step.offset) + places * state.size(step.stride)
        values = state.memory[step.source].read(offsets, step.source.dtype)
    at = np.arange(values.size) * values.dtype.itemsize
    state.memory[step.out].write(at, values)


def _deposit(state: State, step: Deposit) -> None:
    places = _selected(state, step.count)
    offsets = state.size(step.start) + np.arange(places.size) * state.size(step.step)
    values = state.memory[step.source].read(offsets, step.source.dtype)
    state.memory[step.out].write(state.size(step.offset) + places * state.size(step.stride), values)


def _matrix(
    state: State, operand: Operand, shape: tuple[Size, Size], at: int
) -> np.ndarray:
    """A matrix for BLAS, `at` bytes behind the operand's own place."""
    rows, columns = shape[::-1] if operand.transposed else shape
    unit, leading = operand.buffer.dtype.itemsize, state.size(operand.leading)
    row = np.arange(state.size(rows))[:, None] * (leading * unit)
    places = row + np.arange(state.size(columns)) * unit + state.size(operand.offset) + at
    stored = state.memory[operand.buffer].read(places, operand.buffer.dtype)
    return stored.T if operand.transposed else stored


def _product(state: State, step: Product) -> None:
    match step.routine, step.sizes:
        case "gemm", (m, n, k):
            shapes = (m, k), (k, n)
        case "gemv", (rows, columns):
            shape = (columns, rows) if step.a.transposed else (rows, columns)
            shapes = shape, (shape[1], 1)
        case _, (n,):
            shapes = (n, 1), (n, 1)
    turned = step.routine == "dot"
    for place in np.ndindex(*(state.size(stack.extent) for stack in step.stacks)):
        at = [
            sum(i * state.size(getattr(stack, name)) for i, stack in zip(place, step.stacks))
            for name in ("a", "b", "out")
        ]
        a = _matrix(state, step.a, shapes[0], at[0])
        result = (a.T if turned else a) @ _matrix(state, step.b, shapes[1], at[1])
        places = at[2] + np.arange(result.size) * result.dtype.itemsize
        state.memory[step.out].write(places, result.ravel())


def _require(state: State, step: Require) -> None:
    if not RELATIONS[step.relation](state.size(step.left), state.size(step.right)):
        raise BailOut(f"{step.left} {step.relation} {step.right} does not hold")


def _save(state: State, step: LogUndo) -> None:
    shape, strides = state.shape(step.type.shape), state.shape(step.type.strides)
    if step.positions is None:
        grids = np.ogrid[tuple(map(slice, shape))]
        places = sum((grid * stride for grid, stride in zip(grids, strides)), np.zeros(shape, int))
    else:
        packed = np.arange(int(np.prod(shape))) * 8
        places = state.memory[step.positions].read(packed, step.positions.dtype)
    offsets = places + state.size(step.offset)
    if step.start is not None:
        offsets += state.memory[step.start].read(np.array(0), step.start.dtype)
    values = state.memory[step.buffer].read(offsets, step.buffer.dtype)
    state.saved.append((step.buffer, offsets, values))


def _commit(state: State, step: Commit) -> None:
    if state.flags:
        raise BailOut(f"floating-point flags: {sorted(state.flags)}")
    state.committed = True


def _bool(state: State, buffer: Buffer) -> bool:
    return bool(state.memory[buffer].read(np.zeros((), np.int64), buffer.dtype))


def _loop(state: State, step: Loop) -> None:
    while _bool(state, step.proceed):
        _block(state, step.steps)


def _branch(state: State, step: Branch) -> None:
    _block(state, step.true if _bool(state, step.test) else step.false)


def _block(state: State, steps: Sequence[Any]) -> None:
    for step in steps:
        RUN[type(step)](state, step)


def _rotate(state: State, step: Rotate) -> None:
    taken = [(state.memory[buffer], state.arrays[buffer]) for buffer in step.taken]
    for buffer, (memory, array) in zip(step.into, taken):
        state.memory[buffer], state.arrays[buffer] = memory, array


def _box(state: State, output: Output, boxed: dict[Buffer, Any]) -> Any:
    if output.buffer not in boxed:
        array = state.arrays[output.buffer]
        form = output.type.form
        itself = form in (Form.ARRAY, Form.OBJECT)
        boxed[output.buffer] = (
            array if itself else array[()] if form is Form.SCALAR else array.item()
        )
    return boxed[output.buffer]


RUN: dict[type, Callable[[State, Any], None]] = {
    Allocate: _allocate,
    Launch: lambda state, step: run_kernel(state, step.kernel),
    View: _view,
    Extern: _extern,
    Bind: _bind,
    Count: _count,
    Extract: _extract,
    Deposit: _deposit,
    Product: _product,
    Require: _require,
    LogUndo: _save,
    LogCopy: lambda state, step: None,  # parts are kept where they are logged
    Commit: _commit,
    Loop: _loop,
    Branch: _branch,
    Rotate: _rotate,
}
