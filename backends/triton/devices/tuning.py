"""The fastest variant of a kernel, found by timing several when it is first launched.

Variants have other numbers of points and warps in a program; what they compute is the same. They
are timed on what the launch was given, again and again, so only kernels are that give the same
however often they run: they write memory that the plan made and that they do not read. The choice
is kept on disk, for sizes of the same order of magnitude.
"""
from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ....base.logs import logger
from ... import disk
from ...loop_ir.aliases import roots_of
from ...loop_ir.loops import Buffer, Kernel
from ...loop_ir.program import Allocate, Program, all_steps
from ..binaries.launch import Late, Launcher
from ..kernels.kernels import TritonKernel
from .device import Device

PERF = logger("perf")
FEWEST, MOST = 1, 16
"""Warps of a program."""
SMALLEST, LARGEST = 64, 4096
"""Points of a program."""


def repeatable(program: Program, kernels: Iterable[Kernel]) -> frozenset[Kernel]:
    """The kernels that may be launched once more without changing anything."""
    roots = roots_of(program.steps)
    made = {step.buffer for step in all_steps(program.steps) if isinstance(step, Allocate)}

    def memory(buffers: Iterable[Buffer]) -> set[Buffer]:
        return {roots.get(buffer, buffer) for buffer in buffers}

    return frozenset(
        kernel for kernel in kernels
        if memory(kernel.writes) <= made and not memory(kernel.writes) & memory(kernel.reads))


def variants(kernel: TritonKernel) -> Iterator[TritonKernel]:
    """The kernel, then others with up to four times its points, or half or twice its warps."""
    yield kernel
    for points in (1, 2, 4):
        for warps in (0.5, 1, 2):
            found = replace(kernel, block=kernel.block * points, warps=int(kernel.warps * warps))
            is_larger = points == 1 or SMALLEST <= found.block * kernel.width <= LARGEST
            if found != kernel and FEWEST <= found.warps <= MOST and is_larger and (
                points == 1 or kernel.block > 1
            ):
                yield found


class Choice:
    """One of several ways to the same results, the fastest in its first call; `place` is where on
    the disk the choice is kept."""

    def __init__(self, device: Device, place: Callable[[], str]) -> None:
        self.device = device
        self.place = place
        self.chosen: int | None = None

    def __call__(self, *ways: Callable[[], None]) -> None:
        if self.chosen is None:
            self.chosen = self._known(ways)
        ways[self.chosen]()

    def _known(self, ways: Sequence[Callable[[], None]]) -> int:
        """By the disk, or by the clock."""
        if (stored := disk.read(self.place())) is not None and (
            known := int(json.loads(stored))
        ) in range(len(ways)):
            return known
        seconds = [self.device.seconds(way) for way in ways]
        PERF.info("%s: %s us", ", ".join(way.__name__ for way in ways),
                  ", ".join(f"{1e6 * taken:.2f}" for taken in seconds))
        best = min(range(len(ways)), key=seconds.__getitem__)
        disk.write(self.place(), json.dumps(best).encode())
        return best


class Tuned(Late):
    """A launcher that is chosen in its first call."""

    def __init__(self, device: Device, kernel: TritonKernel, aligned: int) -> None:
        super().__init__(lambda: device.launcher(kernel, aligned))
        self.device = device
        self.kernel = kernel
        self.aligned = aligned

    def __call__(self, stream: int, programs: int, *parameters: Any) -> None:
        chosen = self.chosen(stream, programs, parameters)
        self.make = lambda: self.launcher(chosen)
        super().__call__(stream, programs, *parameters)

    def chosen(self, stream: int, programs: int, parameters: tuple[Any, ...]) -> TritonKernel:
        """By the disk, or by the clock."""
        binary = self.device.place(self.kernel, self.aligned).removesuffix(".cubin")
        place = f"{binary}.{programs.bit_length()}.choice"
        found = {(one.block, one.warps): one for one in variants(self.kernel)}
        if (stored := disk.read(place)) is not None and (
            known := found.get(tuple(json.loads(stored)))
        ):
            return known
        self.device.prepare(list(found.values()))
        seconds = {}
        for key, one in found.items():
            run = partial(self.launcher(one), stream, programs, *parameters)
            seconds[key] = self.device.seconds(run)
            PERF.info("%s, %d points and %d warps: %.2f us", one.name, *key, 1e6 * seconds[key])
        best = min(seconds, key=seconds.__getitem__)
        disk.write(place, json.dumps(best).encode())
        return found[best]

    def launcher(self, one: TritonKernel) -> Launcher:
        """A variant, which is asked for as many programs as the kernel itself has."""
        launch = self.device.launcher(one, self.aligned)
        if (times := one.block // self.kernel.block) == 1:
            return launch

        def fewer(stream: int, programs: int, *parameters: Any) -> None:
            launch(stream, -(-programs // times), *parameters)

        return fewer
