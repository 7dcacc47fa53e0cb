"""Plans that are launched in one piece, as CUDA graphs (`mode="reduce-overhead"`).

A graph serves calls with arrays at the same places, while nobody has the results of its last one:
they are given out again, memory and all. What is launched is recorded by a plan like the other one,
whose stream is that of a capture, and whose memory is kept for the graph.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....base.logs import logger
from ....ir.types import Form
from ....native import BAILOUT, CudaGraph
from ...loop_ir.program import Allocate, Program, all_steps
from ..devices.device import Device, Shape

PERF = logger("perf")
MOST = 4
"""Graphs of one plan: calls in turn have several arguments, and results that are in use."""
STALE = 64
"""So many calls that no graph serves, and all are made anew."""


class Recorder:
    """What a plan asks of a device, while its launches are captured."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.stream = 0
        self.kept: list[Any] = []

    def stream_of(self) -> int:
        return self.stream

    def empty(self, shape: Shape, dtype: Any) -> Any:
        self.kept.append(self.device.empty(shape, dtype))
        return self.kept[-1]

    def laid_out(self, shape: Shape, dtype: Any, strides: Shape) -> Any:
        self.kept.append(self.device.laid_out(shape, dtype, strides))
        return self.kept[-1]

    @property
    def names(self) -> dict[str, Any]:
        """The globals of the plan that it is called by."""
        return {"stream_of": self.stream_of, "empty": self.empty, "laid_out": self.laid_out}


class ReplayedPlan:
    """`run` is the plan, `recorded` the one that calls a recorder."""

    bails_out = True

    def __init__(
        self, run: Callable[..., Any], recorded: Callable[..., Any], recorder: Recorder
    ) -> None:
        self.run = run
        self.recorded = recorded
        self.recorder = recorder
        self.graphs: list[CudaGraph] = []
        self.missed = -1  # the first call makes the kernels

    def __call__(self, *inputs: Any) -> Any:
        for graph in self.graphs:
            if (results := graph(*inputs)) is not None:
                self.missed = 0
                return results
        self.missed += 1
        if self.missed > STALE:
            self.graphs.clear()
        if not self.missed or len(self.graphs) == MOST:
            return self.run(*inputs)
        return self._captured(inputs)

    def _captured(self, inputs: tuple[Any, ...]) -> Any:
        """The results of a call whose launches become a graph."""
        device = self.recorder.device
        try:
            graph = CudaGraph(inputs, lambda stream: self._record(stream, inputs), device.stream)
        except RuntimeError as error:
            PERF.info("what is launched makes no CUDA graph: %s", error)
            return self.run(*inputs)
        self.graphs.append(graph)
        return graph(*inputs)

    def _record(self, stream: int, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        self.recorder.stream = stream
        results = self.recorded(*inputs)
        kept, self.recorder.kept = self.recorder.kept, []
        if results is BAILOUT:
            raise RuntimeError("the call is left to Python")
        pointers = [array.data for array in results]
        return results, (*pointers, *(pointer.mem for pointer in pointers)), kept


def can_replay(program: Program) -> bool:
    """Whether arrays alone decide what is launched: there are no sizes and numbers, and all
    results are new arrays."""
    made = {step.buffer for step in all_steps(program.steps) if isinstance(step, Allocate)}
    numbers = any(item.type.form is not Form.ARRAY for item in program.inputs)
    results = {output.buffer for output in program.outputs}
    return not (program.symbols or numbers) and results <= made
