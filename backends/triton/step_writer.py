"""The steps of a program as lines of a launch plan."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...ir.errstates import Errstate
from ...ir.sizes import Size, SizeExpr
from ...ir.types import ArrayType, Form
from ..loop_ir.loops import Buffer, Kernel, Scalar
from ..loop_ir.program import (
    Allocate,
    Bind,
    Branch,
    Count,
    Deposit,
    Extern,
    Extract,
    Launch,
    LogUndo,
    Loop,
    Product,
    Ref,
    Require,
    Rotate,
    Step,
    View,
)
from .device import Device
from .elements import ElementWriter, is_straight
from .host_kernels import HostKernel
from .kernels import POINTERS, SIZES, Parameter, TritonKernel
from .launch import Late
from .products import layouts, multiply, multiply_silently
from .round_trips import KernelTrip

ALIGNMENT = 16
NUMBERS = (Form.SCALAR, Form.PYTHON)
Kernels = Mapping[Kernel, "TritonKernel | HostKernel"]


class StepWriter:
    """Given what runs each kernel; `numbers` are the buffers that live on the host, `names` the
    globals of the text."""

    def __init__(self, device: Device, kernels: Kernels, numbers: frozenset[Buffer]) -> None:
        self.device = device
        self.kernels = kernels
        self.numbers = numbers
        self.lines: list[str] = []
        self.depth = 0
        self.loops = 0  # around what is written
        self.looks_up = False  # a kernel reads or writes at positions that another has checked
        self.names: dict[str, Any] = {}
        self.scalars: dict[Scalar, str] = {}
        self.boxed: set[Scalar] = set()  # NumPy's scalars

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    @contextmanager
    def block(self, header: str) -> Iterator[None]:
        self.line(header)
        self.depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.line("pass")
        self.depth -= 1

    @contextmanager
    def under(self, errstate: Errstate) -> Iterator[None]:
        """A step with the error state that the program gave it."""
        if not errstate:
            yield
            return
        modes = {name: mode if mode == "ignore" else "raise" for name, mode in errstate}
        with self.block(f"with errstate(**{modes}):"):
            yield

    def step(self, step: Step) -> None:
        WRITE[type(step)](self, step)

    def bail_out_if(self, condition: str) -> None:
        self.line(f"if {condition}: raise BailOut")

    def constant(self, value: Any) -> str:
        name = f"c{len(self.names)}"
        self.names[name] = value
        return name

    def _number(self, buffer: Buffer, value: str, kind: ArrayType) -> None:
        dtype, form = self.constant(kind.dtype), self.constant(kind.form)
        self.line(f"{array_name(buffer)} = number_array({value}, {dtype}, {form})")

    def _boxed(self, buffer: Buffer, form: Form) -> str:
        """The number in a 0-d buffer, read back from the GPU where it lies there."""
        on_host = buffer in self.numbers or self.device.array is np.ndarray
        held = array_name(buffer) if on_host else f"{array_name(buffer)}.get()"
        return f"{held}[()]" if form is Form.SCALAR else f"{held}.item()"

    def _point(self, buffer: Buffer) -> None:
        self.line(f"{pointer_name(buffer)} = pointer({array_name(buffer)})")

    def allocate(self, step: Allocate) -> None:
        kind, name = step.type, array_name(step.buffer)
        shape, dtype = tuple_text(kind.shape), self.constant(kind.dtype)
        if step.buffer in self.numbers:
            self.line(f"{name} = {self.constant(np.empty)}((), {dtype})")
            return
        if step.room is not None and step.kind == "scratch":
            self.line(f"{name} = empty(({step.room}, ), {dtype})")
        elif kind.is_c_contiguous:
            self.line(f"{name} = empty({shape}, {dtype})")
        else:
            self.line(f"{name} = laid_out({shape}, {dtype}, {tuple_text(kind.strides)})")
        self._point(step.buffer)

    def launch(self, step: Launch) -> None:
        if (made := self.kernels.get(step.kernel)) is None:
            return  # it has no points
        with self.under(step.kernel.errstate):
            if is_straight(step.kernel) and self._is_for_python(step.kernel):
                writer = ElementWriter(self.numbers, self.constant, self._scalar)
                for text in writer.lines(step.kernel):
                    self.line(text)
            elif isinstance(made, HostKernel):
                self._run_on_host(made)
            else:
                self._launch(made)

    def _is_for_python(self, kernel: Kernel) -> bool:
        """Numbers; and, in the loops of a device whose memory is the host's, single elements, for
        which an interpreted kernel takes a thousand times as long."""
        is_inside = self.loops > 0 and self.device.array is np.ndarray
        return is_inside or self.numbers.issuperset((*kernel.reads, *kernel.writes))

    def _run_on_host(self, kernel: HostKernel) -> None:
        sizes = "".join(f"'{name}': {name}, " for name in kernel.symbols)
        arrays = "".join(f"{array_name(buffer)}, " for buffer in kernel.buffers)
        numbers = "".join(f"{self._scalar(number)}, " for number in kernel.scalars)
        on_host = self.device.array is np.ndarray or self.numbers.issuperset(kernel.buffers)
        run = self.constant(kernel if on_host else KernelTrip(kernel, self.device))
        self.line(f"{run}({{{sizes}}}, ({arrays}), ({numbers}))  # {kernel.kernel.name}")

    def _launch(self, kernel: TritonKernel) -> None:
        programs = f"-(-({kernel.points}) // {kernel.block})"
        values = ", ".join(["stream", programs, *map(self._value, kernel.parameters)])
        chosen = self._launcher(kernel)
        if kernel.narrow is not None:
            chosen = f"({self._launcher(kernel.narrow)} if {kernel.fits} else {chosen})"
        self.line(f"{chosen}({values})  # {kernel.name}")
        if self.looks_up and any(p.name == "status" for p in kernel.parameters):
            self.bail_out_if("failed(status)")

    def _launcher(self, kernel: TritonKernel) -> str:
        """The variant of a kernel for the pointers and sizes that it will be given."""
        pointers = [pointer_name(p.buffer) for p in kernel.parameters if p.buffer is not None]
        sizes = [f"({p.size})" for p in kernel.parameters if p.size is not None]
        if not pointers:
            return self._late(kernel, POINTERS)
        chosen = self._late(kernel, 0)
        for level, numbers in ((POINTERS, pointers), (SIZES, [*pointers, *sizes])):
            if level == POINTERS or sizes:
                is_fit = f"({' | '.join(numbers)}) & {ALIGNMENT - 1} == 0"
                chosen = f"({self._late(kernel, level)} if {is_fit} else {chosen})"
        return chosen

    def _late(self, kernel: TritonKernel, aligned: int) -> str:
        return self.constant(Late(lambda: self.device.launcher(kernel, aligned)))

    def _scalar(self, number: Scalar) -> str:
        """A number that was given, or (named as its buffer) one that lives on the host."""
        return self.scalars.get(number, f"b_{number.name}.item()")

    def _value(self, parameter: Parameter) -> str:
        if parameter.buffer is not None:
            return pointer_name(parameter.buffer)
        if parameter.size is not None:
            return str(parameter.size)
        if parameter.scalar is None:
            return "p_status"
        number = self._scalar(parameter.scalar)
        if parameter.scalar in self.boxed:
            number += ".item()"
        if parameter.part:
            number += f".{parameter.part}"
        if parameter.scalar.dtype == np.float16:  # its bits, as an integer of 16 bits
            return f"{self.constant(_half_bits)}({number})"
        return number

    def make_view(self, step: View) -> None:
        kind = step.type
        self.line(
            f"{array_name(step.buffer)} = view({array_name(step.base)}, {step.offset}, "
            f"{tuple_text(kind.shape)}, {self.constant(kind.dtype)}, {tuple_text(kind.strides)})"
        )
        if not kind.writeable and self.device.array is np.ndarray:
            self.line(f"{array_name(step.buffer)}.flags.writeable = False")
        self._point(step.buffer)

    def extern(self, step: Extern) -> None:
        target = self.constant(self.device.counterpart(step.target))
        given = [self._tree(value) for value in step.args]
        given += [f"{name}={self._tree(value)}" for name, value in step.kwargs.items()]
        names = [array_name(buffer) for buffer in step.results]
        results = "".join(f"{name}, " for name in names) if len(names) > 1 else "".join(names)
        with self.under(step.errstate):
            self.line(f"{results or '_'} = {target}({', '.join(given)})  # {name_of(step.target)}")
        for symbol, number, axis in step.binds:
            self.line(f"{symbol} = {names[number]}.shape[{axis}]")
        for buffer, kind in zip(step.results, step.types):
            self._take_result(buffer, kind)

    def _take_result(self, buffer: Buffer, kind: ArrayType) -> None:
        name = array_name(buffer)
        if kind.form in NUMBERS:
            self._number(buffer, name, kind)
        elif kind.form is Form.ARRAY:
            layout = f"{tuple_text(kind.shape)}, {tuple_text(kind.strides)}"
            facts = f"{self.constant(kind.dtype)}, {layout}"
            self.bail_out_if(f"not is_like({name}, array, {facts})")
            self._point(buffer)

    def _tree(self, value: Any) -> str:
        """An argument of an extern step as an expression."""
        match value:
            case Ref(buffer=Buffer() as buffer, type=kind):
                form = Form.ARRAY if kind is None else kind.form
                return self._boxed(buffer, form) if form in NUMBERS else array_name(buffer)
            case Ref(scalar=Scalar() as number):
                return self._scalar(number)
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

    def product(self, step: Product) -> None:
        dtype = self.constant(step.out.dtype)
        places = ((step.a.buffer, step.a.offset), (step.b.buffer, step.b.offset), (step.out, 0))
        views = ", ".join(
            f"view({array_name(buffer)}, {offset}, {tuple_text(shape)}, {dtype}, "
            f"{tuple_text(strides)})"
            for (buffer, offset), (shape, strides) in zip(places, layouts(step))
        )
        call = self.constant(multiply_silently if step.suppressed else multiply)
        with self.under(step.errstate):
            self.line(f"{call}({views})  # {step.routine}")

    def require(self, step: Require) -> None:
        self.bail_out_if(f"not {step.left} {step.relation} {step.right}")

    # -- what depends on data

    def bind(self, step: Bind) -> None:
        self.line(f"{step.symbol} = int({array_name(step.buffer)})")

    def count(self, step: Count) -> None:
        places = array_name(step.starts)
        self.line(f"{places} = selections.count({array_name(step.mask)}, {step.n})")
        if step.symbol is not None:
            self.line(f"{step.symbol} = len({places})")

    def extract(self, step: Extract) -> None:
        out, places = array_name(step.out), array_name(step.count.starts)
        if step.source is None:
            self.line(f"selections.locate({out}, {places}, {tuple_text(step.shape)})")
        else:
            source = array_name(step.source)
            self.line(f"selections.extract({out}, {places}, {source}, {step.offset}, "
                      f"{step.stride}, {step.count.n})")

    def deposit(self, step: Deposit) -> None:
        names = ", ".join(map(array_name, (step.out, step.count.starts, step.source)))
        self.line(f"selections.deposit({names}, {step.start}, {step.step}, {step.offset}, "
                  f"{step.stride}, {step.count.n})")

    def log_undo(self, step: LogUndo) -> None:
        base, kind = array_name(step.buffer), step.type
        if step.positions is not None:
            kept = f"kept_at({base}, {step.offset}, {array_name(step.positions)})"
        else:
            kept = (f"kept(view({base}, {step.offset}, {tuple_text(kind.shape)}, "
                    f"{self.constant(kind.dtype)}, {tuple_text(kind.strides)}))")
        self.line(f"log.append(selections.{kept})")

    def loop(self, step: Loop) -> None:
        self.loops += 1
        with self.block(f"while {array_name(step.proceed)}:"):
            for inner in step.steps:
                self.step(inner)
        self.loops -= 1

    def branch(self, step: Branch) -> None:
        for header, block in ((f"if {array_name(step.test)}:", step.true), ("else:", step.false)):
            with self.block(header):
                for inner in block:
                    self.step(inner)

    def rotate(self, step: Rotate) -> None:
        for prefix in (array_name, pointer_name):
            into, taken = (", ".join(map(prefix, side)) for side in (step.into, step.taken))
            self.line(f"{into} = {taken}")


WRITE: dict[type[Step], Callable[[StepWriter, Any], None]] = {
    Allocate: StepWriter.allocate,
    Launch: StepWriter.launch,
    View: StepWriter.make_view,
    Extern: StepWriter.extern,
    Product: StepWriter.product,
    Require: StepWriter.require,
    Bind: StepWriter.bind,
    Count: StepWriter.count,
    Extract: StepWriter.extract,
    Deposit: StepWriter.deposit,
    LogUndo: StepWriter.log_undo,
    Loop: StepWriter.loop,
    Branch: StepWriter.branch,
    Rotate: StepWriter.rotate,
}

def array_name(buffer: Buffer) -> str:
    return f"b_{buffer.name}"


def pointer_name(buffer: Buffer) -> str:
    return f"p_{buffer.name}"


def tuple_text(sizes: tuple[Size, ...]) -> str:
    return f"({''.join(f'{size}, ' for size in sizes)})"


def name_of(target: Any) -> str:
    return str(getattr(target, "__name__", type(target).__name__))


def _half_bits(number: Any) -> int:
    return int(np.float16(number).view(np.uint16))
