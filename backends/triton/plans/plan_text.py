"""Lines of a launch plan, and what its names stand for."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ....ir.errstates import Errstate
from ....ir.sizes import Size
from ....ir.types import ArrayType, Form
from ...loop_ir.loops import Buffer, Scalar
from ...loop_ir.program import Step
from ..devices.device import Device

NUMBERS = (Form.SCALAR, Form.PYTHON)


class PlanText:
    """Lines for a device; `numbers` are the buffers that live on the host, `names` the globals of
    the text."""

    def __init__(self, device: Device, numbers: frozenset[Buffer]) -> None:
        self.device = device
        self.numbers = numbers
        self.lines: list[str] = []
        self.depth = 0
        self.loops = 0  # around what is written
        self.names: dict[str, Any] = {}
        self.scalars: dict[Scalar, str] = {}
        self.boxed: set[Scalar] = set()  # NumPy's scalars

    def step(self, step: Step) -> None:
        raise NotImplementedError

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

    def _scalar(self, number: Scalar) -> str:
        """A number that was given, or (named as its buffer) one that lives on the host."""
        return self.scalars.get(number, f"b_{number.name}.item()")


def array_name(buffer: Buffer) -> str:
    return f"b_{buffer.name}"


def pointer_name(buffer: Buffer) -> str:
    return f"p_{buffer.name}"


def tuple_text(sizes: tuple[Size, ...]) -> str:
    return f"({''.join(f'{size}, ' for size in sizes)})"
