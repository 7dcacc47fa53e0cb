"""Launching kernels through the CUDA driver."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....native import CudaKernel
from ..kernels.kernels import TritonKernel
from ..kernels.scalars import TYPES
from .build import build

Launcher = Callable[..., None]
"""`launcher(stream, programs, *parameters)`."""

LETTERS = {
    **{f"*{row.memory}": "P" for row in TYPES.values()},
    **dict.fromkeys(("i8", "u8"), "b"), **dict.fromkeys(("i16", "u16", "fp16"), "h"),
    **dict.fromkeys(("i32", "u32"), "i"), **dict.fromkeys(("i64", "u64"), "l"),
    "fp32": "f", "fp64": "d",
}  # fmt: skip
"""Type of a parameter → how the native launcher passes it; halves go as their bits."""


def cuda_launcher(kernel: TritonKernel, aligned: int, capability: int) -> CudaKernel:
    """A kernel's cubin, ready to launch."""
    binary = build(kernel, aligned, capability)
    letters = "".join(LETTERS[parameter.type] for parameter in kernel.parameters)
    return CudaKernel(binary.cubin, binary.name, letters.encode(), binary.threads, binary.shared)


class Late:
    """A launcher that is made when it is first called; those of `told` are then told, and may have
    it called in place of this one."""

    def __init__(self, make: Callable[[], Launcher]) -> None:
        self.make = make
        self.told: list[Callable[[Launcher], None]] = []

    def __call__(self, stream: int, programs: int, *parameters: Any) -> None:
        made = self.make()
        for tell in self.told:
            tell(made)
        made(stream, programs, *parameters)
