"""The steps of a program as lines of a launch plan."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from ...loop_ir.products import Product
from ...loop_ir.program import (
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
    Require,
    Rotate,
    Step,
    View,
)
from ..devices.device import Kind
from .call_steps import CallSteps
from .data_steps import DataSteps
from .kernel_steps import KernelSteps
from .plan_text import array_name, tuple_text


class StepWriter(KernelSteps, CallSteps, DataSteps):
    """Every kind of step; here are those that make memory, or look at it. `spares` are made at
    once, where the plan begins."""

    spares: Mapping[Allocate, Kind] = MappingProxyType({})

    def step(self, step: Step) -> None:
        WRITE[type(step)](self, step)

    def allocate(self, step: Allocate) -> None:
        if step in self.spares:
            return
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

    def make_view(self, step: View) -> None:
        kind = step.type
        self.line(
            f"{array_name(step.buffer)} = view({array_name(step.base)}, {step.offset}, "
            f"{tuple_text(kind.shape)}, {self.constant(kind.dtype)}, {tuple_text(kind.strides)})"
        )
        if not kind.writeable and self.device.array is np.ndarray:
            self.line(f"{array_name(step.buffer)}.flags.writeable = False")
        self._point(step.buffer)

    def require(self, step: Require) -> None:
        self.bail_out_if(f"not {step.left} {step.relation} {step.right}")


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
