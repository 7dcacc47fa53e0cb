"""A kernel's binary: from the disk, or compiled by Triton, in another process where that can be."""
from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import time
from collections.abc import Sequence
from concurrent.futures import Future
from functools import cache
from importlib import metadata

from ....base.config import config
from ....base.logs import logger
from ....errors import BackendError
from ... import disk
from ..kernels.kernels import POINTERS, SIZES, TritonKernel
from ..kernels.prelude import PRELUDE
from .binary import Binary
from .service import SERVICE

ABI = 1  # of binaries on disk and of the parameters of kernels
INSTALL = 'pip install "dynamo-lite[cuda]"'

PERF = logger("perf")


def build(kernel: TritonKernel, aligned: int, capability: int) -> Binary:
    """The kernel for a GPU of compute capability 10 * major + minor; it may only be
    launched with pointers and sizes that are `aligned`, as `kernels.POINTERS` and `SIZES` say."""
    where = place(kernel, aligned, capability)
    if (stored := disk.read(where)) is not None:
        PERF.info("%s from the disk cache", kernel.name)
        return Binary.from_bytes(stored)
    begin = time.perf_counter()
    binary = _asked(where, kernel, aligned, capability) or _made_here(kernel, aligned, capability)
    PERF.info("Triton took %.1f ms for %s", 1e3 * (time.perf_counter() - begin), kernel.name)
    disk.write(where, binary.to_bytes())
    return binary


FEW = 4
"""Fewer kernels than so many are compiled sooner than another process has imported Triton."""
ASKED: dict[str, Future[Binary]] = {}
"""What other processes compile, by its place on the disk."""


def prepare(kernels: Sequence[TritonKernel], capability: int) -> None:
    """Let other processes compile the kernels that are not on the disk, until `build` is called."""
    wanted = ((kernel, level) for kernel in kernels for level in likely(kernel))
    places = {place(kernel, level, capability): (kernel, level) for kernel, level in wanted}
    missing = {where: found for where, found in places.items()
               if where not in ASKED and disk.read(where) is None}
    if config.compile_processes == 1 or (len(missing) < FEW and not SERVICE.is_running):
        return
    with contextlib.suppress(OSError):
        for where, (kernel, level) in missing.items():
            ASKED[where] = SERVICE.ask(kernel, level, capability)


def likely(kernel: TritonKernel) -> tuple[int, ...]:
    """The variants that most arrays take."""
    has_sizes = any(parameter.size is not None for parameter in kernel.parameters)
    return (POINTERS, SIZES) if has_sizes else (POINTERS,)


def _asked(where: str, kernel: TritonKernel, aligned: int, capability: int) -> Binary | None:
    """What another process compiles; None where this one is to do it."""
    try:
        asked = ASKED.pop(where, None)
        if asked is None and SERVICE.is_running and config.compile_processes != 1:
            asked = SERVICE.ask(kernel, aligned, capability)
        return None if asked is None else asked.result()
    except OSError as error:
        PERF.info("kernels are compiled by this process: %s", error)
        return None


def _made_here(kernel: TritonKernel, aligned: int, capability: int) -> Binary:
    compiler = importlib.import_module(".compiler", __package__)
    binary: Binary = compiler.compile_kernel(kernel, aligned, compiler.target(capability))[0]
    return binary


def place(kernel: TritonKernel, aligned: int, capability: int) -> str:
    """The file that is named by everything the binary depends on."""
    facts = {
        "abi": ABI, "triton": triton_version(), "capability": capability, "aligned": int(aligned),
        "block": kernel.block, "warps": kernel.warps, "source": PRELUDE + kernel.source,
        "signature": [(p.name, p.type) for p in kernel.parameters],
    }  # fmt: skip
    name = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
    return f"triton/{name[:2]}/{name}.cubin"


@cache
def triton_version() -> str:
    """Found without importing Triton; BackendError when it is not installed."""
    try:
        return metadata.version("triton")
    except metadata.PackageNotFoundError:
        raise BackendError(f"backend 'triton' needs Triton: {INSTALL}") from None
