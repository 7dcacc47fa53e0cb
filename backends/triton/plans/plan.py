"""The launch plan: one Python function that allocates, launches and calls, step by step.

It is written as text, so that a call costs no interpretation of steps and the log can show it. A
call that fails before its commit has had no effect and returns BAILOUT.
"""
from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

import numpy as np

from ....base.config import config
from ....base.logs import logger
from ....base.raised import is_of_a_signal
from ....ir.row import Kind, row_of
from ....ir.types import ArrayType, Form
from ....native import BAILOUT
from ...loop_ir.loops import Buffer, Gather, Kernel, Store
from ...loop_ir.program import (
    Allocate,
    Commit,
    Extern,
    Launch,
    LogUndo,
    Program,
    Require,
    Step,
    View,
    all_steps,
)
from ..binaries.launch import Late
from ..devices.device import Device
from ..devices.host_kernels import number_array
from ..devices.tuning import Choice, repeatable
from ..kernels.kernels import POINTERS, Parameter, TritonKernel
from .kernel_steps import Kernels
from .plan_text import NUMBERS, array_name, pointer_name
from .selections import Selections, put_back
from .spares import spare_allocations
from .step_writer import StepWriter

PERF = logger("perf")
STATUS = Parameter("status", "*i32")
EMPTY: Mapping[str, Any] = MappingProxyType({})
APART: Mapping[int, TritonKernel] = MappingProxyType({})
ON_DEVICE = (Allocate, Launch, View, Require, Commit)
"""Steps in which neither NumPy nor the array library computes, so that they report nothing."""


class PlanWriter(StepWriter):
    """Writes `run(*placeholders)`, given what runs each kernel; `numbers` are the buffers that
    live on the host, `fused` may run in place of a step with such a number and the next one."""

    def __init__(
        self, program: Program, device: Device, kernels: Kernels, numbers: frozenset[Buffer],
        fused: Mapping[int, TritonKernel] = APART,
    ) -> None:
        super().__init__(device, kernels, numbers)
        self.program = program
        self.fused = fused
        self.names |= {
            "BAILOUT": BAILOUT, "BailOut": BailOut, "pointer": device.pointer,
            "stream_of": device.stream, "empty": device.empty, "laid_out": device.laid_out,
            "view": device.view, "make_status": device.status, "failed": device.failed,
            "is_here": device.is_here, "is_like": _is_like, "array": device.array,
            "attempt": device.attempt, "number_array": number_array, "put_back": put_back,
            "selections": Selections(device), "errstate": np.errstate, "say": say,
            "is_of_a_signal": is_of_a_signal,
        }  # fmt: skip
        self.last = _last_uses(program)
        others = [step for step in all_steps(program.steps) if not isinstance(step, ON_DEVICE)]
        on_gpu = all(isinstance(kernel, TritonKernel) for kernel in kernels.values())
        self.only_launches = on_gpu and not others
        self.is_silent = on_gpu and not device.reports and all(map(is_product, others))
        self.has_checks = any(
            parameter == STATUS
            for k in kernels.values() if isinstance(k, TritonKernel) for parameter in k.parameters
        )
        self.looks_up = any(map(has_positions, kernels))
        if config.autotune and device.times:
            self.tuned = frozenset(kernel.name for kernel in repeatable(program, kernels))
        self.has_log = any(isinstance(step, LogUndo) for step in all_steps(program.steps))
        if device.has_spares and not config.cuda_graphs:
            self.spares = spare_allocations(program, numbers)

    def write(self) -> str:
        """The text; `names` are the globals it refers to."""
        arguments = ", ".join(f"a{item.index}" for item in self.program.inputs)
        steps = list(enumerate(self.program.steps))
        commit = next((n for n, step in steps if isinstance(step, Commit)), len(steps))
        self.line(f"def run({arguments}):")
        self.depth += 1
        if self.has_log:
            self.line("log = []")
        with self.block("try:"):
            with self.attempted():
                self._begin()
                self.steps(steps[:commit])
                if self.has_checks:
                    self.bail_out_if("failed(status)")
        with self.block("except Exception as reason:  # the user's function shows it again"):
            if self.has_log:
                self.line("put_back(log)")
            self.line("if is_of_a_signal(reason): raise")
            self.line("say(reason)")
            self.line("return BAILOUT")
        self.steps(steps[commit + 1 :])
        results = "".join(f"{result}, " for result in self._results())
        self.line(f"return ({results})")
        return "\n".join(self.lines) + "\n"

    @property
    def launches_only(self) -> bool:
        """Whether nothing waits for the GPU, or is done by the host."""
        return self.only_launches and not self.has_checks

    def function(self, text: str, other: Mapping[str, Any] = EMPTY) -> Callable[..., Any]:
        """The plan, which finds `other` under their names instead of what the device has."""
        namespace = {"__name__": __name__, **self.names, **other}
        for name, value in self.names.items():
            if isinstance(value, Late):
                value.told.append(functools.partial(namespace.__setitem__, name))
        exec(compile(text, "<dynamo_lite launch plan>", "exec"), namespace)
        run: Callable[..., Any] = namespace["run"]
        return run

    @contextmanager
    def attempted(self) -> Iterator[None]:
        """What is reported abandons the call."""
        if self.is_silent:
            yield
            return
        with self.block("with attempt():"):
            yield

    def steps(self, numbered: list[tuple[int, Step]]) -> None:
        for number, step in numbered:
            if (fused := self.fused.get(number)) is not None:
                self._choose((step, self.program.steps[number + 1]), fused)
            elif number - 1 not in self.fused:
                self.step(step)
            self._release(number)

    def _choose(self, steps: tuple[Step, Step], fused: TritonKernel) -> None:
        """Steps, or one kernel in place of them: what is faster."""
        with self.block(f"def {fused.name}_apart():"):
            for step in steps:
                self.step(step)
        with self.block(f"def {fused.name}_fused():"):
            self._launch(fused)
        def place() -> str:
            return self.device.place(fused, POINTERS).removesuffix(".cubin") + ".way"

        choice = self.constant(Choice(self.device, place))
        self.line(f"{choice}({fused.name}_apart, {fused.name}_fused)")

    # -- beginning and end

    def _begin(self) -> None:
        arrays = [f"a{item.index}" for item in self.program.inputs
                  if item.buffer is not None and item.type.form is Form.ARRAY]
        self.bail_out_if(f"not is_here({', '.join(arrays)})")
        self._bind_symbols()
        for item in self.program.inputs:
            argument, kind = f"a{item.index}", item.type
            if item.scalar is not None:
                self.scalars[item.scalar] = argument
                if kind.form is Form.SCALAR:
                    self.boxed.add(item.scalar)
            elif item.buffer is not None:
                self._bind_input(item.buffer, argument, kind)
        for constant in self.program.constants:
            made = self.constant(self.device.constant(np.asarray(constant.value)))
            self.line(f"{array_name(constant.buffer)} = {made}")
            self._point(constant.buffer)
        self.line("stream = stream_of()")
        self._take_spares()
        if self.has_checks:
            self.line("status = make_status()")
            self.line("p_status = pointer(status)")

    def _take_spares(self) -> None:
        if not self.spares:
            return
        buffers = [step.buffer for step in self.spares]
        names = ", ".join([*map(array_name, buffers), *map(pointer_name, buffers)])
        given = self.constant(self.device.spares(list(self.spares.values())))
        self.line(f"{names} = {given}(stream)")

    def _bind_symbols(self) -> None:
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

    def _bind_input(self, buffer: Buffer, argument: str, kind: ArrayType) -> None:
        if kind.form in NUMBERS:
            self._number(buffer, argument, kind)
            return
        self.line(f"{array_name(buffer)} = {argument}")
        if kind.form is Form.ARRAY:
            self._point(buffer)
            if buffer.dtype.itemsize > 1 and kind.aligned:
                self.bail_out_if(f"{pointer_name(buffer)} & {buffer.dtype.itemsize - 1}")

    def _results(self) -> list[str]:
        """Outputs that are one number are one object."""
        made: dict[Buffer, str] = {}
        for output in self.program.outputs:
            buffer, form = output.buffer, output.type.form
            if buffer in made:
                continue
            made[buffer] = array_name(buffer)
            if form in NUMBERS:
                made[buffer] = f"o_{buffer.name}"
                self.line(f"o_{buffer.name} = {self._boxed(buffer, form)}")
        return [made[output.buffer] for output in self.program.outputs]

    def _release(self, number: int) -> None:
        """Memory goes back to the library, whose pool follows the order of the stream."""
        for buffer in self.last.get(number, ()):
            self.line(f"{array_name(buffer)} = None")


def is_product(step: Step) -> bool:
    """Whether a step is a call that multiplies matrices, about which no library reports."""
    row = row_of(step.target) if isinstance(step, Extern) else None
    return row is not None and row.kind is Kind.MATMUL


def has_positions(kernel: Kernel) -> bool:
    """Whether a kernel reads or writes at computed positions."""
    return any(isinstance(part, Gather) for part in kernel.parts) or any(
        isinstance(statement, Store) and statement.indices for statement in kernel.statements
    )


class BailOut(Exception):
    """The call is left to Python."""


def say(reason: Exception) -> None:
    PERF.info("a graph bailed out: %s: %s", type(reason).__name__, reason)


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
