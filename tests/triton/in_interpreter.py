"""Run in a process of its own: programs with their kernels executed by Triton's interpreter."""
from __future__ import annotations

import os

os.environ["TRITON_INTERPRET"] = "1"

import sys
from typing import Any

import numpy as np
import triton.language as tl
from dynamo_lite.backends.triton.backend import compile_for
from dynamo_lite.backends.triton.compiler import load_module
from dynamo_lite.backends.triton.emitter import Parameter, TritonKernel
from triton.runtime import interpreter

from dynamo_lite.native import BAILOUT
from tests.backends.graphs import trace
from tests.backends.test_symbolic import retyped
from tests.triton.host import HostDevice
from tests.triton.programs import PROGRAMS, Program
from tests.triton.rows import ROW_PROGRAMS


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


def launcher(kernel: TritonKernel, aligned: bool) -> Any:
    """Run a kernel in Triton's interpreter."""
    module = load_module(kernel)
    module.libdevice = Libdevice()
    constants = {"BLOCK": kernel.block} if kernel.block > 1 else {}

    def launch(stream: int, programs: int, *values: Any) -> None:
        assert stream == 77
        arguments = [
            Pointer(value, dtype_of(parameter)) if parameter.type.startswith("*") else value
            for parameter, value in zip(kernel.parameters, values, strict=True)
        ]
        pointers = [value.address for value in arguments if isinstance(value, Pointer)]
        assert not aligned or all(address % 16 == 0 for address in pointers)
        if programs:
            getattr(module, kernel.name)[(programs,)](*arguments, **constants)

    return launch


def dtype_of(parameter: Parameter) -> np.dtype:
    return parameter.buffer.dtype if parameter.buffer is not None else np.dtype(np.int32)


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


EVERY = {**PROGRAMS, **ROW_PROGRAMS}


def equal(got: Any, want: Any) -> None:
    assert type(got) is np.ndarray and (got.dtype, got.shape) == (want.dtype, want.shape)
    rtol = {"f": 2e-5, "e": 2e-3}.get(want.dtype.char, 1e-12)
    np.testing.assert_allclose(got, want, rtol=rtol, atol=1e-6 if rtol > 1e-12 else 0)
    if want.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(got)[want == 0], np.signbit(want)[want == 0])


def run(program: Program) -> None:
    graph = trace(program.function, *program.values)
    if program.symbolic:
        graph = retyped(graph, program.values, True)
    plan = compile_for(graph, HostDevice(launcher))
    with np.errstate(all="ignore"):
        expected = program.function(*program.values)
        found = plan(*program.values)
    assert found is not BAILOUT
    expected = expected if isinstance(expected, tuple) else (expected,)
    for got, want in zip(found, expected, strict=True):
        equal(got, want)


def bails_out(program: Program) -> None:
    plan = compile_for(trace(program.function, *program.right), HostDevice(launcher))
    assert plan(*program.right) is not BAILOUT
    assert plan(*program.values) is BAILOUT


def main(names: list[str]) -> None:
    without_host_copies()
    for name in names:
        try:
            bails_out(EVERY[name]) if EVERY[name].right else run(EVERY[name])
        except Exception as error:
            print("different", name, type(error).__name__, str(error)[-600:].replace("\n", " "))
        else:
            print("equal", name)


if __name__ == "__main__":
    main(sys.argv[1:] or list(EVERY))
