"""The Triton backend on a GPU: `python -m benchmarks.gpu [FILE]` checks and times, and writes JSON.

Each program is compiled for CuPy arrays, compared with NumPy, and timed against CuPy as it is,
`cupy.fuse`, torch.compile and JAX, as far as these are there and run it; the share of bandwidth is
that of a copy measured here, operations a second are those of matrix products. What a call of a
small function costs the host is timed as well, also as a CUDA graph. `--host` runs everything small
on the host device, in Triton's interpreter, to check this script where there is no GPU: its times
mean nothing. `--no-peers` leaves the others out.
"""
from __future__ import annotations

import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import numpy as np

import dynamo_lite as dl
from dynamo_lite.native import why_no_cuda

from .gpu_programs import PROGRAMS, Program, small, twenty_operations

ROUNDS = 10
FEW_CALLS = 20
"""So few that their launches fit into the queue of the GPU."""
AT_LEAST = 5e-3
"""Seconds that a round takes: so many calls are begun, then all are waited for."""
RESULTS = Path(__file__).parent / "results"


SMALL = (64, 512)


@dataclass(frozen=True)
class Result:
    """Milliseconds; `share` of the bandwidth that a copy of the argument has. `host_ms`: until a
    call returns; `tuned_ms`: with `mode="max-autotune"`, for programs that multiply matrices."""

    name: str
    compile_ms: float
    ours_ms: float
    host_ms: float
    tuned_ms: float | None
    eager_ms: float
    share: float
    tera_operations: float
    peers_ms: dict[str, float]


class Gpu:
    """CuPy's arrays, timed with events on the current stream."""

    def __init__(self) -> None:
        self.xp = import_module("cupy")
        self.options: dict[str, Any] = {}
        self.rounds, self.calls = ROUNDS, 200  # fewer than the driver queues

    def facts(self) -> dict[str, Any]:
        found = self.xp.cuda.runtime.getDeviceProperties(0)
        return {"device": found["name"].decode(), "cupy": self.xp.__version__}

    def wait(self) -> None:
        self.xp.cuda.get_current_stream().synchronize()

    def copy(self, x: Any) -> Callable[[], Any]:
        """By the driver, which is faster than CuPy's own kernel."""
        runtime, other = self.xp.cuda.runtime, self.xp.empty_like(x)
        kind, stream = runtime.memcpyDeviceToDevice, self.xp.cuda.get_current_stream().ptr
        return lambda: runtime.memcpyAsync(other.data.ptr, x.data.ptr, x.nbytes, kind, stream)

    def shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return shape

    def to_numpy(self, array: Any) -> np.ndarray:
        found: np.ndarray = array.get()
        return found

    def peers(self, program: Program, arrays: Arrays) -> dict[str, float]:
        """Milliseconds of those that are installed and run it."""
        found = {}
        for name, prepare in PEERS.items():
            try:
                call, wait = prepare(program, arrays)
                call()  # compiles
            except (ImportError, NotImplementedError, TypeError) as reason:
                print(f"  {name}: {type(reason).__name__}: {str(reason)[:100]}")
                continue
            found[name] = milliseconds(call, wait)
        return found


Arrays = tuple[Any, ...]
Peer = tuple[Callable[[], Any], Callable[[], Any]]
"""What begins a call, and what waits for all that has begun."""


def fused(program: Program, arrays: Arrays) -> Peer:
    cupy = import_module("cupy")
    if not program.is_pointwise:
        raise NotImplementedError("cupy.fuse is for pointwise functions")

    @cupy.fuse
    def call(x: Any) -> Any:
        return program.function(cupy, x)

    return lambda: call(*arrays), cupy.cuda.get_current_stream().synchronize


def by_torch(program: Program, arrays: Arrays) -> Peer:
    torch = import_module("torch")
    torch.compiler.reset()  # it compiles one text so many times only
    given, function = tuple(map(torch.from_dlpack, arrays)), program.torch or program.function
    call = torch.compile(lambda *arrays: function(torch, *arrays), fullgraph=True, dynamic=False)
    return lambda: call(*given), torch.cuda.synchronize


def by_jax(program: Program, arrays: Arrays) -> Peer:
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax, numpy = import_module("jax"), import_module("jax.numpy")
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_default_matmul_precision", "highest")  # as NumPy: no tf32
    given = tuple(map(jax.dlpack.from_dlpack, arrays))
    call = jax.jit(lambda *arrays: program.function(numpy, *arrays))
    last = []

    def begin() -> None:
        last[:] = [call(*given)]

    return begin, lambda: jax.block_until_ready(last)


PEERS: dict[str, Callable[[Program, Arrays], Peer]] = {
    "cupy.fuse": fused, "torch.compile": by_torch, "jax.jit": by_jax}


def milliseconds(
    call: Callable[[], Any], wait: Callable[[], Any], rounds: int = ROUNDS
) -> float:
    """Of one call among many that follow each other; the median of rounds."""

    def round_of(calls: int) -> float:
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        wait()
        return (time.perf_counter() - begin) / calls

    calls = 1
    if rounds > 1:
        round_of(1)
        calls = max(1, round(AT_LEAST / round_of(1)))
    return 1e3 * statistics.median(round_of(calls) for _ in range(rounds))


def host_milliseconds(device: Gpu | Host, call: Callable[[], Any]) -> float:
    """Until a call returns, while others wait in the queue of the GPU."""
    device.wait()
    begin = time.perf_counter()
    for _ in range(FEW_CALLS):
        call()
    taken = time.perf_counter() - begin
    device.wait()
    return 1e3 * taken / FEW_CALLS


def tuned_milliseconds(
    program: Program, device: Gpu | Host, arrays: Arrays, expected: np.ndarray
) -> float | None:
    if not program.operations:
        return None
    tuned = dl.compile(program.function, backend="triton", fullgraph=True,
                       options={**device.options, "autotune": True})
    found = device.to_numpy(tuned(device.xp, *arrays))
    np.testing.assert_allclose(found, expected, rtol=program.rtol, atol=program.rtol)
    return milliseconds(lambda: tuned(device.xp, *arrays), device.wait, device.rounds)


def compile_milliseconds(device: Gpu | Host) -> dict[str, float]:
    """From a call to its results, where neither code nor kernels are there, and where kernels are
    on the disk; Triton is imported."""
    x, taken = device.xp.ones(SMALL, "f4"), {}
    with tempfile.TemporaryDirectory() as folder, dl.config.patch(cache_dir=folder):
        for state in ("cold", "cached"):
            dl.reset()
            f = dl.compile(twenty_operations, backend="triton", fullgraph=True,
                           options=device.options)
            begin = time.perf_counter()
            f(device.xp, x)
            device.wait()
            taken[state] = 1e3 * (time.perf_counter() - begin)
    return taken


def host_microseconds(device: Gpu | Host) -> dict[str, float]:
    """What a call of a small function costs the host, while the GPU has nothing else to do."""
    x, taken = device.xp.ones(SMALL, "f4"), {}
    for mode in ("default", "reduce-overhead"):
        graphs = mode == "reduce-overhead"
        f = dl.compile(small, backend="triton", fullgraph=True,
                       options={**device.options, "cuda_graphs": graphs})
        for _ in range(10):
            f(device.xp, x)
        begin = time.perf_counter()
        for _ in range(device.calls):
            f(device.xp, x)
        taken[mode] = 1e6 * (time.perf_counter() - begin) / device.calls
    return taken


class Host:
    """NumPy's arrays, so small that the interpreter runs the kernels."""

    def __init__(self) -> None:
        self.xp: Any = np
        self.options: dict[str, Any] = {"interpret": True}
        self.rounds, self.calls = 1, 1

    def facts(self) -> dict[str, Any]:
        return {"device": "the host, interpreted"}

    def wait(self) -> None:
        """All is done when a call returns."""

    def copy(self, x: Any) -> Callable[[], Any]:
        copy: Callable[[], Any] = x.copy
        return copy

    def shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(max(1, size // 64) for size in shape)

    def to_numpy(self, array: Any) -> np.ndarray:
        return np.asarray(array)

    def peers(self, program: Program, arrays: Arrays) -> dict[str, float]:
        return {}


def drawn(shape: tuple[int, ...], dtype: str, seed: int) -> np.ndarray:
    """Halves are so small that sums of their products stay about 1."""
    wide = np.random.default_rng(seed).standard_normal(shape, "f4" if dtype == "f2" else dtype)
    return (wide / 32).astype(dtype) if dtype == "f2" else wide


def measured(program: Program, device: Gpu | Host, with_peers: bool) -> Result:
    """Compiled, checked and timed."""
    xp = device.xp
    arrays = tuple(xp.asarray(drawn(device.shape(shape), program.dtype, seed))
                   for seed, shape in enumerate(program.shapes))
    compiled = dl.compile(
        program.function, backend="triton", fullgraph=True, options=device.options)
    begin = time.perf_counter()
    found = device.to_numpy(compiled(xp, *arrays))
    compile_ms = 1e3 * (time.perf_counter() - begin)
    wide = [device.to_numpy(x).astype(np.result_type(x.dtype, "f4")) for x in arrays]
    expected = program.function(np, *wide)
    np.testing.assert_allclose(found, expected, rtol=program.rtol, atol=program.rtol)
    copy, ours, eager = (milliseconds(call, device.wait, device.rounds) for call in (
        device.copy(arrays[0]), lambda: compiled(xp, *arrays),
        lambda: program.function(xp, *arrays)))
    tera = program.operations / ours / 1e9
    peers = device.peers(program, arrays) if with_peers else {}
    share = copy * program.passes / 2 / ours
    host = host_milliseconds(device, lambda: compiled(xp, *arrays))
    tuned = tuned_milliseconds(program, device, arrays, expected)
    return Result(program.name, compile_ms, ours, host, tuned, eager, share, tera, peers)


def main(arguments: list[str]) -> dict[str, Any]:
    """What is written: the device, the versions and a row for each program."""
    is_host = "--host" in arguments
    if not is_host and (why := why_no_cuda()) is not None:
        raise SystemExit(f"nothing is timed: {why}. With --host the programs are checked only")
    device = Host() if is_host else Gpu()
    names = [argument for argument in arguments if not argument.startswith("--")]
    found = {
        **device.facts(), "python": platform.python_version(), "numpy": np.__version__,
        **versions("triton", "torch", "jax"), "results": [],
    }
    for program in PROGRAMS:
        result = measured(program, device, "--no-peers" not in arguments)
        found["results"].append(asdict(result))
        print(said(result), flush=True)
    found["compile_ms"] = compile_milliseconds(device)
    print("milliseconds to compile 20 operations:", found["compile_ms"])
    found["host_us"] = host_microseconds(device)
    print("microseconds of the host for three small kernels:", found["host_us"])
    if names or isinstance(device, Gpu):
        path = Path(names[0]) if names else RESULTS / "gpu.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(found, indent=1) + "\n")
    return found


def versions(*packages: str) -> dict[str, str]:
    """Those of what is installed."""
    found = {}
    for package in packages:
        with suppress(metadata.PackageNotFoundError):
            found[package] = metadata.version(package)
    return found


def said(result: Result) -> str:
    tuned = f", tuned {result.tuned_ms:.3f} ms" if result.tuned_ms is not None else ""
    return (f"{result.name}: {result.ours_ms:.3f} ms{tuned}, host {result.host_ms:.3f} ms, "
            f"eager {result.eager_ms:.3f} ms, "
            f"{result.share:.2f} of a copy's bandwidth, {result.tera_operations:.1f} TFLOP/s, "
            f"compiled in {result.compile_ms:.0f} ms, "
            + ", ".join(f"{peer} {taken:.3f} ms" for peer, taken in result.peers_ms.items()))


if __name__ == "__main__":
    main(sys.argv[1:])
