"""Kernels as lines of a launch plan: launches, calls of NumPy's kernels, and lines of Python."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...loop_ir.loops import Buffer, Kernel
from ...loop_ir.program import Launch
from ..binaries.launch import Late
from ..devices.device import Device
from ..devices.host_kernels import HostKernel
from ..devices.round_trips import KernelTrip
from ..devices.tuning import Tuned
from ..kernels.kernels import POINTERS, SIZES, Parameter, TritonKernel
from .elements import ElementWriter, is_straight
from .plan_text import PlanText, array_name, pointer_name

ALIGNMENT = 16
Kernels = Mapping[Kernel, "TritonKernel | HostKernel"]


class KernelSteps(PlanText):
    """Given what runs each kernel."""

    def __init__(self, device: Device, kernels: Kernels, numbers: frozenset[Buffer]) -> None:
        super().__init__(device, numbers)
        self.kernels = kernels
        self.tuned: frozenset[str] = frozenset()  # names of kernels whose variants are timed
        self.looks_up = False  # a kernel reads or writes at positions that another has checked

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
        said = f"{kernel.kernel.name}{kernel.why and ': ' + kernel.why}"
        self.line(f"{run}({{{sizes}}}, ({arrays}), ({numbers}))  # {said}")

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
        if kernel.name in self.tuned:
            return self.constant(Tuned(self.device, kernel, aligned))
        return self.constant(Late(lambda: self.device.launcher(kernel, aligned)))

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


def _half_bits(number: Any) -> int:
    return int(np.float16(number).view(np.uint16))
