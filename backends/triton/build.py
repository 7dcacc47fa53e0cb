"""A kernel's binary: from the disk, or compiled by Triton, which is imported only then."""
from __future__ import annotations

import hashlib
import importlib
import json
import logging
import time
from functools import cache
from importlib import metadata

from ...base.logs import logger
from ...errors import BackendError
from .. import disk
from .binary import Binary
from .emitter import TritonKernel
from .prelude import PRELUDE

ABI = 1  # of binaries on disk and of the parameters of kernels
INSTALL = 'pip install "dynamo-lite[cuda]"'

PERF = logger("perf")


def build(kernel: TritonKernel, aligned: bool, capability: int) -> Binary:
    """The kernel for a GPU of compute capability 10 * major + minor; `aligned` kernels may only be
    launched with pointers that are multiples of 16 bytes."""
    place = _place(kernel, aligned, capability)
    if (stored := disk.read(place)) is not None:
        PERF.info("%s from the disk cache", kernel.name)
        return Binary.from_bytes(stored)
    begin = time.perf_counter()
    compiler = importlib.import_module(".compiler", __package__)
    binary: Binary = compiler.compile_kernel(kernel, aligned, compiler.target(capability))[0]
    if PERF.isEnabledFor(logging.INFO):
        PERF.info("Triton took %.1f ms for %s", 1e3 * (time.perf_counter() - begin), kernel.name)
    disk.write(place, binary.to_bytes())
    return binary


def _place(kernel: TritonKernel, aligned: bool, capability: int) -> str:
    """The file that is named by everything the binary depends on."""
    facts = {
        "abi": ABI, "triton": triton_version(), "capability": capability, "aligned": aligned,
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
