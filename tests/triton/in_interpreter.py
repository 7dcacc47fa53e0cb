"""Run in a process of its own: programs with their kernels executed by Triton's interpreter."""
from __future__ import annotations

import os

os.environ["TRITON_INTERPRET"] = "1"

import sys
from typing import Any

import numpy as np
import triton.language as tl
from dynamo_lite.backends import interpret
from dynamo_lite.backends.lowering import lower
from dynamo_lite.backends.program import Launch
from dynamo_lite.backends.triton.compiler import load_module
from dynamo_lite.backends.triton.emit import emit
from triton.runtime import interpreter

from tests.backends.graphs import trace
from tests.triton.programs import PROGRAMS


class Pointer:
    """What the interpreter needs of an argument: an address and a dtype."""

    def __init__(self, address: int, dtype: np.dtype) -> None:
        self.address, self.dtype = address, np.dtype("i1") if dtype.kind == "b" else dtype

    def data_ptr(self) -> int:
        return self.address


def elementwise(function: Any) -> Any:
    def run(*operands: Any, **_: Any) -> Any:
        values = [operand.handle.data for operand in operands]
        result = function(*values).astype(values[0].dtype)
        first = operands[0]
        return tl.tensor(interpreter.TensorHandle(result, first.handle.dtype), first.type)

    return run


class Libdevice:
    """NumPy's functions in place of the GPU's mathematical library."""

    NAMES = {"pow": "power", "atan2": "arctan2", "asin": "arcsin", "acos": "arccos",
             "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh"}

    def __getattr__(self, name: str) -> Any:
        return elementwise(getattr(np, self.NAMES.get(name, name)))


def launch(state: interpret.State, step: Launch) -> None:
    generated = emit(step.kernel)
    module = load_module(generated)
    module.libdevice = Libdevice()
    arguments: list[Any] = []
    status = np.zeros(1, np.int32)
    for parameter in generated.parameters:
        if parameter.buffer is not None:
            memory = state.memory[parameter.buffer]
            address = memory.data.ctypes.data + memory.origin
            arguments.append(Pointer(address, parameter.buffer.dtype))
        elif parameter.scalar is not None:
            arguments.append(state.scalars[parameter.scalar].item())
        elif parameter.size is not None:
            arguments.append(state.size(parameter.size))
        else:
            arguments.append(Pointer(status.ctypes.data, status.dtype))
    programs = -(-state.size(generated.points) // generated.block)
    constants = {"BLOCK": generated.block} if generated.block > 1 else {}
    getattr(module, generated.name)[(programs,)](*arguments, **constants)
    if status[0]:
        raise interpret.Abandoned("a check failed")


def without_host_copies() -> None:
    """Arguments are addresses of NumPy memory: nothing to copy in or out."""
    interpreter.GridExecutor._init_args_hst = lambda self, args, kwargs: (args, kwargs)
    interpreter.GridExecutor._restore_args_dev = lambda self, *args: None
    patch = interpreter._patch_lang_tensor

    def patched(tensor: Any, scope: Any, *rest: Any) -> None:
        patch(tensor, scope, *rest)
        scope.set_attr(tensor, "__index__",
                       lambda self: int(np.asarray(self.handle.data).reshape(-1)[0]))

    interpreter._patch_lang_tensor = patched


def main(names: list[str]) -> None:
    without_host_copies()
    interpret.RUN[Launch] = launch
    for name in names:
        function, values = PROGRAMS[name]
        with np.errstate(all="ignore"):
            expected = function(*values)
            found = interpret.run_program(lower(trace(function, *values)), *values)
        expected = expected if isinstance(expected, tuple) else (expected,)
        for got, want in zip(found, expected, strict=True):
            assert (got.dtype, got.shape) == (want.dtype, want.shape), name
            rtol = 2e-5 if want.dtype == np.float32 else 1e-12
            np.testing.assert_allclose(got, want, rtol=rtol, atol=1e-6, err_msg=name)
        print("equal", name)


if __name__ == "__main__":
    main(sys.argv[1:] or list(PROGRAMS))
