"""From Triton source to a cubin. No GPU is needed.

The source gets a file name made of its content hash, so that Triton (and its interpreter) can read
it back and errors name a line. Floating-point contraction is off: products and sums are rounded
as NumPy rounds them.
"""
from __future__ import annotations

import hashlib
import linecache
from collections.abc import Mapping
from functools import cache
from typing import Any

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget, Language
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend

from ....errors import Unsupported
from ..kernels.kernels import POINTERS, SIZES, TritonKernel
from ..kernels.prelude import PRELUDE
from .binary import Binary

DIVISIBLE = (("tt.divisibility", 16),)
SCRATCH = ("global_scratch_size", "profile_scratch_size")


def namespace_of(text: str, names: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The names of a module with this text, which sees `names`."""
    filename = f"<dynamo_lite-triton-{hashlib.sha256(text.encode()).hexdigest()[:16]}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    found = {**(names or {}), "__name__": filename.strip("<>").replace("-", "_")}
    exec(compile(text, filename, "exec"), found)
    return found


@cache
def prelude() -> Mapping[str, Any]:
    """What the source of every kernel sees."""
    return namespace_of(PRELUDE)


def signature(kernel: TritonKernel) -> dict[str, str]:
    types = {parameter.name: parameter.type for parameter in kernel.parameters}
    if kernel.block > 1:
        types["BLOCK"] = "constexpr"
    return types


def target(capability: int) -> GPUTarget:
    """A GPU by compute capability, 10 * major + minor."""
    return GPUTarget("cuda", capability, 32)


HOPPER = target(90)


def compile_kernel(
    kernel: TritonKernel, aligned: int = POINTERS, target: Any = HOPPER
) -> tuple[Binary, str]:
    """The binary and its PTX; `aligned` promises what `kernels.POINTERS` and `SIZES` say."""
    function = namespace_of(kernel.source, prelude())[kernel.name]
    types = signature(kernel)
    constants = {"BLOCK": kernel.block} if kernel.block > 1 else {}
    attributes = {
        (number,): [list(item) for item in DIVISIBLE]
        for number, parameter in enumerate(kernel.parameters)
        if aligned >= (POINTERS if parameter.buffer is not None else SIZES)
        and (parameter.buffer is not None or parameter.size is not None)
    }
    source = ASTSource(fn=function, signature=types, constexprs=constants, attrs=attributes)
    options = {"num_warps": kernel.warps, "num_stages": 3, "enable_fp_fusion": False}
    return _run_stages(kernel.name, source, target, options)


def _run_stages(
    name: str, source: Any, target: Any, options: dict[str, Any]
) -> tuple[Binary, str]:
    """The backend's own stages, without the hashing of the package that `triton.compile` does."""
    backend = make_backend(target)
    parsed = backend.parse_options(dict(options))
    context = triton._C.libtriton.ir.context()
    triton._C.libtriton.ir.load_dialects(context)
    backend.load_dialects(context)
    module = source.make_ir(
        target, parsed, backend.get_codegen_implementation(parsed), backend.get_module_map(),
        context,
    )
    stages: dict[str, Any] = {}
    backend.add_stages(stages, parsed, Language.TRITON)
    metadata: dict[str, Any] = {"target": target, **parsed.__dict__}
    built: dict[str, Any] = {}
    for extension, stage in stages.items():
        module = built[extension] = stage(module, metadata)
    if any(int(metadata.get(key) or 0) for key in SCRATCH):
        raise Unsupported(f"{name} needs scratch memory of the driver's launcher")
    binary = Binary(
        metadata.get("name", name), bytes(built["cubin"]), int(metadata.get("shared", 0)),
        32 * int(metadata["num_warps"]),
    )
    return binary, str(built["ptx"])


__all__ = ["HOPPER", "compile_kernel", "namespace_of", "signature", "target", "tl"]
