"""Kernels in Triton's interpreter, over the memory of NumPy arrays; imported only for that.

Triton's language is patched for as long as a plan runs, for the whole process. Lanes beyond a mask
load what the first lane inside of it does, so that NumPy, which computes them all, has nothing to
report that is not in the data.
"""
from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter, jit

from ...loop_ir.evaluation import scalar_operation
from ..binaries.compiler import namespace_of
from ..binaries.launch import Launcher
from ..kernels.emitter import power_of_two
from ..kernels.kernels import Parameter, TritonKernel
from ..kernels.prelude import OPERANDS, PRELUDE
from .in_order import IN_PLACE, paired
from .turns import TURN

PRELUDES: dict[str, Any] = {}
AS_IT_IS = SimpleNamespace(jit=lambda function: function)
"""In place of Triton for generated kernels, which are made of tensors alone: the interpreter, which
makes tensors of numbers that are assigned, takes longer for that than for all else."""
LARGEST = 2**18  # elements that are interpreted at once
RUNNING = "running_"
"""What the names of the prelude's running folds begin with."""
OF_COMPLEX = "complex_"
"""The same of its functions of complex numbers."""


class Interpreted(interpreter.InterpretedFunction):
    """A function of a kernel's module, run where the language is patched already."""

    body: Any = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.body is None:
            self.body = self.rewriter.rewrite_ast()
        return self.body(*args, **kwargs)


class Libdevice:
    """NumPy's functions in place of the GPU's mathematical library, under C's names."""

    def __getattr__(self, name: str) -> Any:
        return elementwise(getattr(np, name))


def elementwise(function: Any) -> Any:
    def run(*operands: Any, **_: Any) -> Any:
        values = [operand.handle.data for operand in operands]
        result = function(*values).astype(values[0].dtype)
        shaped = max(operands, key=lambda operand: operand.handle.data.size)
        return tl.tensor(interpreter.TensorHandle(result, shaped.handle.dtype), shaped.type)

    return run


def product_of_scalars(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """As NumPy multiplies two scalars: each of four products is rounded."""
    return paired(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real)


def of_complex(name: str) -> Any:
    """NumPy's function of complex numbers, or one part of its results."""
    op, _, part = name.partition("_")
    if part not in ("real", "imag"):
        op, part = name, ""
    of_arrays = scalar_operation(op)

    def run(*parts: Any, of_scalars: bool = False) -> Any:
        function = product_of_scalars if of_scalars else of_arrays
        values = [one.handle.data for one in parts]
        found = function(*map(paired, values[::2], values[1::2]))
        found = np.ascontiguousarray(getattr(found, part) if part else found)
        shaped = max(parts, key=lambda one: one.handle.data.size)
        kind = tl.int1 if found.dtype == np.bool_ else shaped.dtype
        shape = kind if not shaped.type.is_block() else tl.block_type(kind, list(shaped.shape))
        return tl.tensor(interpreter.TensorHandle(found, kind), shape)

    return run


def running(op: str) -> Any:
    """The running fold of lanes, one after the other as in NumPy; a GPU folds pairs of them."""
    function = scalar_operation(op)

    def run(before: Any, lanes: Any) -> Any:
        data = lanes.handle.data.copy()
        data[0] = function(before.handle.data.reshape(-1)[0], data[0])
        found = function.accumulate(data, dtype=data.dtype)
        return tl.tensor(interpreter.TensorHandle(found, lanes.handle.dtype), lanes.type)

    return run


def prelude() -> dict[str, Any]:
    """The names that kernels see, made once."""
    if not PRELUDES:
        names = interpretable(namespace_of(PRELUDE))
        names["libdevice"] = Libdevice()  # which the functions of the prelude look up here
        names |= IN_PLACE
        for name in [name for name in names if name.startswith(RUNNING)]:
            names[name] = running(name.removeprefix(RUNNING))
        names |= {name: of_complex(name.removeprefix(OF_COMPLEX)) for name in OPERANDS}
        PRELUDES.update(names)
    return PRELUDES


def interpretable(names: dict[str, Any]) -> dict[str, Any]:
    """The names of a module, with its jitted functions as the interpreter runs them."""
    jitted = (jit.JITFunction, interpreter.InterpretedFunction)
    for name, value in list(names.items()):
        if isinstance(value, jitted) and not isinstance(value, Interpreted):
            names[name] = Interpreted(value.fn)
    return names


def interpreted_launcher(kernel: TritonKernel) -> Launcher:
    """Runs a kernel over its grid; the stream means nothing."""
    function = namespace_of(kernel.source, {**prelude(), "triton": AS_IT_IS})[kernel.name]

    def launch(stream: int, programs: int, *values: Any) -> None:
        block, programs = grown(kernel, programs) if kernel.block > 1 else (1, programs)
        constants = {"BLOCK": block} if block > 1 else {}
        with TURN.kept():
            TURN.take(patched)
            given = {p.name: argument(p, value) for p, value in zip(kernel.parameters, values)}
            run_grid(function, programs, given | constants)

    return launch


def grown(kernel: TritonKernel, programs: int) -> tuple[int, int]:
    """One large block for several: to the interpreter a point costs nothing, a block everything."""
    factor = min(power_of_two(programs), LARGEST // (kernel.block * kernel.width))
    return kernel.block * factor, -(-programs // factor)


def argument(parameter: Parameter, value: Any) -> Any:
    """A tensor of the very type that the signature names."""
    kind = tl.str_to_ty(parameter.type, None)
    if kind.is_ptr():
        held = np.array([value], np.uint64)
    elif parameter.type == "fp16":  # its bits
        held = np.array([value], np.uint16).view(np.float16)
    else:
        held = np.array([value], interpreter._get_np_dtype(kind))
    return tl.tensor(interpreter.TensorHandle(held, kind), kind)


def patched() -> Callable[[], None]:
    """Patch Triton's language, and give what puts it back."""
    scope = interpreter._patch_lang(elementwise)  # by the modules that it sees
    scope.set_attr(tl.tensor, "__index__", lambda self: int(self.handle.data.reshape(-1)[0]))
    scope.set_attr(interpreter.ReduceOps, "generic_reduce", halved)
    scope.set_attr(interpreter.interpreter_builder, "create_masked_load", masked_load)
    scope.set_attr(interpreter.interpreter_builder, "cast_impl", cast)
    restore: Callable[[], None] = scope.restore
    return restore


def run_grid(function: Callable[..., None], programs: int, arguments: dict[str, Any]) -> None:
    builder = interpreter.interpreter_builder
    builder.set_grid_dim(programs, 1, 1)
    for number in range(programs):
        builder.set_grid_idx(number, 0, 0)
        function(**arguments)


def masked_load(pointers: Any, mask: Any, other: Any, *modifiers: Any) -> Any:
    """Lanes outside have what the first one inside has."""
    kind = pointers.get_element_ty()
    dtype = interpreter._get_np_dtype(kind)
    inside = np.flatnonzero(mask.data)
    addresses = pointers.data
    if inside.size:
        addresses = np.where(mask.data, addresses, addresses.reshape(-1)[inside[0]])
    there = np.full(addresses.shape, bool(inside.size))
    nothing = np.zeros(addresses.shape, dtype)
    loaded = interpreter._interpreter.load(addresses, there, nothing, dtype)
    return interpreter.TensorHandle(loaded, kind)


def cast(value: Any, kind: Any) -> Any:
    """Numbers of another type; those that become bfloat16 are rounded to the nearest."""
    source, target = value.dtype.scalar, kind.scalar
    data, dtype = value.data, interpreter._get_np_dtype(target)
    if tl.bfloat16 in (source, target):
        held = np.dtype(import_module("ml_dtypes").bfloat16)
        data = data.view(held) if source == tl.bfloat16 else data.astype(held).view(np.uint16)
    found = data if target == tl.bfloat16 else data.astype(dtype)
    return interpreter.TensorHandle(found, target)


def halved(self: Any, operands: Any) -> list[Any]:
    """A fold of blocks in halves, as a GPU does it: a power of two of lanes, all at once."""
    held = [np.moveaxis(operand.handle.data, self.axis, 0) for operand in operands]
    kinds = [operand.dtype for operand in operands]
    while (lanes := held[0].shape[0]) > 1:
        halves = [self.to_tensor(part[side], kind)
                  for side in (slice(lanes // 2), slice(lanes // 2, None))
                  for part, kind in zip(held, kinds)]
        found = self.combine_fn(*halves)
        held = [one.handle.data for one in (found if isinstance(found, tuple) else (found,))]
    return [self.to_tensor(part[0], kind) for part, kind in zip(held, kinds)]

