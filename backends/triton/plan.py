"""The launch plan: one Python function that allocates, launches and calls, step by step.

It is written as text, so that a call costs no interpretation of steps and the log can show it. A
call that fails before its commit has had no effect and returns BAILOUT.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...errors import Unsupported
from ...ir.sizes import Size, SizeExpr
from ...ir.types import ArrayType, Form
from ...native import BAILOUT
from ..loop_ir.loops import Buffer, Kernel, Scalar
from ..loop_ir.program import Allocate, Commit, Extern, Launch, Program, Ref, Require, Step, View
from .device import Device
from .emitter import Parameter, TritonKernel
from .launch import Late

ALIGNMENT = 16


class PlanWriter:
    """Writes `run(*placeholders)`, given the source of each kernel."""

    def __init__(
        self, program: Program, device: Device, kernels: Mapping[Kernel, TritonKernel]
    ) -> None:
        self.program = program
        self.device = device
        self.kernels = kernels
        self.lines: list[str] = []
        self.depth = 2
        self.names: dict[str, Any] = {
            "BAILOUT": BAILOUT, "pointer": device.pointer, "stream_of": device.stream,
            "empty": device.empty, "laid_out": device.laid_out, "view": device.view,
            "make_status": device.status, "failed": device.failed, "is_here": device.is_here,
            "is_like": _is_like, "array": device.array,
        }  # fmt: skip
        self.scalars: dict[Scalar, str] = {}
        self.boxed: set[Scalar] = set()  # NumPy's scalars
        self.last = _last_uses(program)
        self.has_checks = any(
            parameter == STATUS for k in kernels.values() for parameter in k.parameters
        )

    def write(self) -> str:
        """The text; `names` are the globals it refers to."""
        arguments = ", ".join(f"a{item.index}" for item in self.program.inputs)
        self._begin()
        committed = False
        for number, step in enumerate(self.program.steps):
            if isinstance(step, Commit):
                self._commit()
                committed = True
            else:
                WRITE[type(step)](self, step)
            self._release(number)
        if not committed:
            self._commit()
        results = "".join(f"{self._result(o.buffer, o.type)}, " for o in self.program.outputs)
        self.line(f"return ({results})")
        return "\n".join([f"def run({arguments}):", "    try:", *self.lines]) + "\n"

    def function(self, text: str) -> Callable[..., Any]:
        namespace = {"__name__": __name__, **self.names}
        exec(compile(text, "<dynamo_lite launch plan>", "exec"), namespace)
        run: Callable[..., Any] = namespace["run"]
        return run

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def bail_out_if(self, condition: str) -> None:
        self.line(f"if {condition}: return BAILOUT")

    def constant(self, value: Any) -> str:
        name = f"c{len(self.names)}"
        self.names[name] = value
        return name

    # -- beginning and end

    def _begin(self) -> None:
        arrays = [f"a{item.index}" for item in self.program.inputs if item.buffer is not None]
        self.bail_out_if(f"not is_here({', '.join(arrays)})")
        for name, origin in self.program.symbols.items():
            if origin.fact == "total":
                self.line(f"{name} = {origin.sum}")
                continue
            argument = f"a{origin.placeholder}"
            found = {
                "size": f"{argument}.shape[{origin.axis}]",
                "stride": f"{argument}.strides[{origin.axis}]",
                "value": argument,
            }[origin.fact]
            self.line(f"{name} = {found}")
            if origin.fact == "stride":
                itemsize = self.program.inputs[origin.placeholder].type.dtype.itemsize
                self.bail_out_if(f"{name} % {itemsize}")
        for item in self.program.inputs:
            if item.buffer is not None:
                self.line(f"{_array(item.buffer)} = a{item.index}")
                self._point(item.buffer)
                if item.buffer.dtype.itemsize > 1:
                    self.bail_out_if(f"{_pointer(item.buffer)} & {item.buffer.dtype.itemsize - 1}")
            elif item.scalar is not None:
                self.scalars[item.scalar] = f"a{item.index}"
                if item.type.form is Form.SCALAR:
                    self.boxed.add(item.scalar)
        for constant in self.program.constants:
            made = self.constant(self.device.constant(np.asarray(constant.value)))
            self.line(f"{_array(constant.buffer)} = {made}")
            self._point(constant.buffer)
        self.line("stream = stream_of()")
        if self.has_checks:
            self.line("status = make_status()")
            self.line("p_status = pointer(status)")

    def _commit(self) -> None:
        if self.has_checks:
            self.bail_out_if("failed(status)")
        self.line("pass")
        self.depth = 1
        self.line("except Exception: return BAILOUT  # the user's function shows it again")

    def _result(self, buffer: Buffer, kind: ArrayType) -> str:
        if kind.form is not Form.ARRAY:
            raise Unsupported("a number that is computed on the GPU is a result")
        return _array(buffer)

    def _release(self, number: int) -> None:
        """Memory goes back to the library, whose pool follows the order of the stream."""
        for buffer in self.last.get(number, ()):
            self.line(f"{_array(buffer)} = None")

    # -- steps

    def _point(self, buffer: Buffer) -> None:
        self.line(f"{_pointer(buffer)} = pointer({_array(buffer)})")

    def allocate(self, step: Allocate) -> None:
        kind, name = step.type, _array(step.buffer)
        shape, dtype = _tuple(kind.shape), self.constant(kind.dtype)
        if kind.is_c_contiguous:
            self.line(f"{name} = empty({shape}, {dtype})")
        else:
            self.line(f"{name} = laid_out({shape}, {dtype}, {_tuple(kind.strides)})")
        self._point(step.buffer)

    def launch(self, step: Launch) -> None:
        kernel = self.kernels[step.kernel]
        pointers = [_pointer(p.buffer) for p in kernel.parameters if p.buffer is not None]
        aligned = self.constant(self.device.launcher(kernel, aligned=True))
        other = self.constant(Late(lambda: self.device.launcher(kernel, aligned=False)))
        programs = f"-(-({kernel.points}) // {kernel.block})"
        values = ", ".join(["stream", programs, *map(self._value, kernel.parameters)])
        chosen = f"({aligned} if ({' | '.join(pointers)}) & {ALIGNMENT - 1} == 0 else {other})"
        self.line(f"{chosen if pointers else aligned}({values})  # {kernel.name}")

    def _value(self, parameter: Parameter) -> str:
        if parameter.buffer is not None:
            return _pointer(parameter.buffer)
        if parameter.size is not None:
            return str(parameter.size)
        if parameter.scalar is None:
            return "p_status"
        number = self.scalars[parameter.scalar]
        if parameter.scalar in self.boxed:
            number += ".item()"
        if parameter.scalar.dtype == np.float16:  # its bits, as an integer of 16 bits
            return f"{self.constant(_half_bits)}({number})"
        return number

    def make_view(self, step: View) -> None:
        kind = step.type
        self.line(
            f"{_array(step.buffer)} = view({_array(step.base)}, {step.offset}, "
            f"{_tuple(kind.shape)}, {self.constant(kind.dtype)}, {_tuple(kind.strides)})"
        )
        self._point(step.buffer)

    def extern(self, step: Extern) -> None:
        target = self.constant(self.device.counterpart(step.target))
        given = [self._tree(value) for value in step.args]
        given += [f"{name}={self._tree(value)}" for name, value in step.kwargs.items()]
        names = [_array(buffer) for buffer in step.results]
        results = "".join(f"{name}, " for name in names) if len(names) > 1 else "".join(names)
        self.line(f"{results or '_'} = {target}({', '.join(given)})  # {step.target.__name__}")
        for name, kind, buffer in zip(names, step.types, step.results):
            if kind.form is not Form.ARRAY:
                raise Unsupported(f"{step.target.__name__} gives a number")
            facts = f"{self.constant(kind.dtype)}, {_tuple(kind.shape)}, {_tuple(kind.strides)}"
            self.bail_out_if(f"not is_like({name}, array, {facts})")
            self._point(buffer)

    def _tree(self, value: Any) -> str:
        """An argument of an extern step as an expression."""
        match value:
            case Ref(buffer=Buffer() as buffer, type=kind):
                if kind is not None and kind.form is not Form.ARRAY:
                    raise Unsupported("a number that is computed on the GPU goes to a call")
                return _array(buffer)
            case Ref(scalar=Scalar() as number):
                return self.scalars[number]
            case SizeExpr():
                return f"({value})"
            case tuple() if type(value) is tuple:
                return f"({''.join(f'{self._tree(item)}, ' for item in value)})"
            case list():
                return f"[{', '.join(map(self._tree, value))}]"
            case dict():
                pairs = (f"{self.constant(k)}: {self._tree(v)}" for k, v in value.items())
                return f"{{{', '.join(pairs)}}}"
            case slice(start=start, stop=stop, step=step):
                return f"slice({self._tree(start)}, {self._tree(stop)}, {self._tree(step)})"
        return self.constant(value)

    def require(self, step: Require) -> None:
        self.bail_out_if(f"not {step.left} {step.relation} {step.right}")


WRITE: dict[type[Step], Callable[[PlanWriter, Any], None]] = {
    Allocate: PlanWriter.allocate,
    Launch: PlanWriter.launch,
    View: PlanWriter.make_view,
    Extern: PlanWriter.extern,
    Require: PlanWriter.require,
}

STATUS = Parameter("status", "*i32")


def _array(buffer: Buffer) -> str:
    return f"b_{buffer.name}"


def _pointer(buffer: Buffer) -> str:
    return f"p_{buffer.name}"


def _tuple(sizes: tuple[Size, ...]) -> str:
    return f"({''.join(f'{size}, ' for size in sizes)})"


def _half_bits(number: Any) -> int:
    return int(np.float16(number).view(np.uint16))


def _is_like(
    value: Any, array: Any, dtype: np.dtype, shape: tuple[int, ...], strides: tuple[int, ...]
) -> bool:
    """Whether a call gave what its rule says; strides of sizes below 2 mean nothing."""
    if type(value) is not array or value.dtype != dtype or value.shape != shape:
        return False
    if 0 in shape:
        return True
    return all(n == 1 or s == t for n, s, t in zip(shape, value.strides, strides))


def _last_uses(program: Program) -> dict[int, list[Buffer]]:
    """Allocated buffers that are no results, by the number of the last step that uses them."""
    kept = {output.buffer for output in program.outputs}
    made = {step.buffer for step in program.steps if isinstance(step, Allocate)}
    last: dict[Buffer, int] = {}
    for number, step in enumerate(program.steps):
        for buffer in (*step.reads, *step.writes):
            last[buffer] = number
    released: dict[int, list[Buffer]] = {}
    for buffer, number in last.items():
        if buffer in made - kept:
            released.setdefault(number, []).append(buffer)
    return released
