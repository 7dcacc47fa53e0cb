"""The Triton backend on a GPU: `python -m benchmarks.gpu [FILE]` checks and times, and writes JSON.

Each program is compiled for CuPy arrays, compared with NumPy, and timed against CuPy as it is,
`cupy.fuse`, torch.compile and JAX, as far as these are there and run it; the share of bandwidth is
that of a copy measured here, operations a second are those of matrix products. What a call of a
small function costs the host is timed as well, also as a CUDA graph. `--host` runs everything small
on the host device, in Triton's interpreter, to check this script where there is no GPU: its times
mean nothing.
"""
from __future__ import annotations

import json
import platform
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import numpy as np

import dynamo_lite as dl
from dynamo_lite.native import why_no_cuda

ROUNDS = 20
RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Program:
    """A function of an array library and an array; `passes` are the times that it has to go
    through memory the size of its argument."""

    name: str
    function: Callable[[Any, Any], Any]
    shape: tuple[int, ...]
    dtype: str
    passes: float
    rtol: float = 1e-5
    operations: float = 0.0  # of matrix products
    is_pointwise: bool = False
    torch: Callable[[Any, Any], Any] | None = None  # where PyTorch spells it differently


def chain(xp: Any, x: Any) -> Any:
    return xp.tanh(xp.exp(-x * x) * x + 0.5) * x - x


def row_sums(xp: Any, x: Any) -> Any:
    return xp.sum(x * x, axis=1)


def softmax(xp: Any, x: Any) -> Any:
    e = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def layer_norm(xp: Any, x: Any) -> Any:
    centred = x - x.mean(axis=1, keepdims=True)
    return centred / xp.sqrt((centred * centred).mean(axis=1, keepdims=True) + 1e-5)


def product(xp: Any, x: Any) -> Any:
    return xp.tanh(x @ x.T)


def attention(xp: Any, x: Any) -> Any:
    """A block of a transformer without weights: products, softmax and a gate, in half precision."""
    scores = x @ x.T
    e = xp.exp(scores - xp.max(scores, axis=1, keepdims=True))
    mixed = (e / e.sum(axis=1, keepdims=True)) @ x
    return xp.tanh(mixed) * mixed + x


def torch_attention(torch: Any, x: Any) -> Any:
    mixed = torch.softmax(x @ x.T, 1) @ x
    return torch.tanh(mixed) * mixed + x


def small(xp: Any, x: Any) -> Any:
    """Three kernels that take the GPU no time."""
    return xp.sum(x, axis=1), x * 2, xp.max(x, axis=0)


PROGRAMS = (
    Program("pointwise", chain, (100_000_000,), "f4", 2, is_pointwise=True),
    Program("pointwise, float64", chain, (50_000_000,), "f8", 2, 1e-12, is_pointwise=True),
    Program("sums of rows", row_sums, (8192, 16384), "f4", 1),
    Program("softmax", softmax, (8192, 8192), "f4", 2, torch=lambda torch, x: torch.softmax(x, 1)),
    Program("layer norm", layer_norm, (8192, 8192), "f4", 2, 1e-4,
            torch=lambda torch, x: torch.nn.functional.layer_norm(x, x.shape[1:])),
    Program("product", product, (4096, 4096), "f4", 2, 1e-3, 2 * 4096**3),
    Program("attention, float16", attention, (4096, 1024), "f2", 2, 2e-2, 4 * 4096**2 * 1024,
            torch=torch_attention),
)
SMALL = (64, 512)


@dataclass(frozen=True)
class Result:
    """Milliseconds; `share` of the bandwidth that a copy of the argument has."""

    name: str
    compile_ms: float
    ours_ms: float
    eager_ms: float
    share: float
    tera_operations: float
    peers_ms: dict[str, float]


class Gpu:
    """CuPy's arrays, timed with events on the current stream."""

    def __init__(self) -> None:
        self.xp = import_module("cupy")
        self.options: dict[str, Any] = {}
        self.calls = 200  # fewer than the driver queues

    def facts(self) -> dict[str, Any]:
        found = self.xp.cuda.runtime.getDeviceProperties(0)
        return {"device": found["name"].decode(), "cupy": self.xp.__version__}

    def milliseconds(self, call: Callable[[], Any]) -> float:
        begin, end = self.xp.cuda.Event(), self.xp.cuda.Event()
        taken = []
        for _ in range(ROUNDS):
            begin.record()
            call()
            end.record()
            end.synchronize()
            taken.append(self.xp.cuda.get_elapsed_time(begin, end))
        return statistics.median(taken)

    def shape(self, program: Program) -> tuple[int, ...]:
        return program.shape

    def to_numpy(self, array: Any) -> np.ndarray:
        found: np.ndarray = array.get()
        return found

    def peers(self, program: Program, x: Any) -> dict[str, float]:
        """Milliseconds of those that are installed and run it."""
        found = {}
        for name, prepare in PEERS.items():
            try:
                call, wait = prepare(program, x)
                call()  # compiles
            except (ImportError, NotImplementedError, TypeError) as reason:
                print(f"  {name}: {type(reason).__name__}: {str(reason)[:100]}")
                continue
            found[name] = waited(call, wait)
        return found


Peer = tuple[Callable[[], Any], Callable[[], Any]]


def fused(program: Program, x: Any) -> Peer:
    cupy = import_module("cupy")
    if not program.is_pointwise:
        raise NotImplementedError("cupy.fuse is for pointwise functions")
    call = cupy.fuse(lambda x: program.function(cupy, x))
    return lambda: call(x), cupy.cuda.get_current_stream().synchronize


def by_torch(program: Program, x: Any) -> Peer:
    torch = import_module("torch")
    given, function = torch.from_dlpack(x), program.torch or program.function
    call = torch.compile(lambda x: function(torch, x))
    return lambda: call(given), torch.cuda.synchronize


def by_jax(program: Program, x: Any) -> Peer:
    jax, numpy = import_module("jax"), import_module("jax.numpy")
    jax.config.update("jax_enable_x64", True)
    given, call = jax.dlpack.from_dlpack(x), jax.jit(lambda x: program.function(numpy, x))
    return lambda: jax.block_until_ready(call(given)), lambda: None


PEERS: dict[str, Callable[[Program, Any], Peer]] = {
    "cupy.fuse": fused, "torch.compile": by_torch, "jax.jit": by_jax}


def waited(call: Callable[[], Any], wait: Callable[[], Any]) -> float:
    """Milliseconds until what a call has begun is done."""
    taken = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        call()
        wait()
        taken.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(taken)


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
        self.calls = 1

    def facts(self) -> dict[str, Any]:
        return {"device": "the host, interpreted"}

    def milliseconds(self, call: Callable[[], Any]) -> float:
        begin = time.perf_counter()
        call()
        return 1e3 * (time.perf_counter() - begin)

    def shape(self, program: Program) -> tuple[int, ...]:
        return tuple(min(size, 48) for size in program.shape)

    def to_numpy(self, array: Any) -> np.ndarray:
        return np.asarray(array)

    def peers(self, program: Program, x: Any) -> dict[str, float]:
        return {}


def drawn(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Halves are so small that sums of their products are none of infinities."""
    wide = np.random.default_rng(1).standard_normal(shape, "f4" if dtype == "f2" else dtype)
    return (wide / 10).astype(dtype) if dtype == "f2" else wide


def measured(program: Program, device: Gpu | Host) -> Result:
    """Compiled, checked on its first rows, and timed."""
    shape, xp = device.shape(program), device.xp
    x = xp.asarray(drawn(shape, program.dtype))
    compiled = dl.compile(
        program.function, backend="triton", fullgraph=True, options=device.options)
    begin = time.perf_counter()
    found = compiled(xp, x)
    compile_ms = 1e3 * (time.perf_counter() - begin)
    expected = program.function(np, device.to_numpy(x).astype(np.result_type(x.dtype, "f4")))
    np.testing.assert_allclose(
        device.to_numpy(found), expected, rtol=program.rtol, atol=program.rtol)
    copy = device.milliseconds(x.copy)
    ours = device.milliseconds(lambda: compiled(xp, x))
    eager = device.milliseconds(lambda: program.function(xp, x))
    tera = program.operations / ours / 1e9
    peers = device.peers(program, x)
    share = copy * program.passes / 2 / ours
    return Result(program.name, compile_ms, ours, eager, share, tera, peers)


def main(arguments: list[str]) -> dict[str, Any]:
    """What is written: the device, the versions and a row for each program."""
    is_host = "--host" in arguments
    if not is_host and (why := why_no_cuda()) is not None:
        raise SystemExit(f"nothing is timed: {why}. With --host the programs are checked only")
    device = Host() if is_host else Gpu()
    names = [argument for argument in arguments if not argument.startswith("--")]
    found = {
        **device.facts(), "python": platform.python_version(), "numpy": np.__version__,
        "triton": metadata.version("triton"), "results": [],
    }
    for program in PROGRAMS:
        result = measured(program, device)
        found["results"].append(asdict(result))
        print(f"{result.name}: {result.ours_ms:.3f} ms, eager {result.eager_ms:.3f} ms, "
              f"{result.share:.2f} of a copy's bandwidth, {result.tera_operations:.1f} TFLOP/s, "
              f"compiled in {result.compile_ms:.0f} ms, "
              + ", ".join(f"{peer} {taken:.3f} ms" for peer, taken in result.peers_ms.items()),
              flush=True)
    found["host_us"] = host_microseconds(device)
    print("microseconds of the host for three small kernels:", found["host_us"])
    if names or isinstance(device, Gpu):
        path = Path(names[0]) if names else RESULTS / "gpu.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(found, indent=1) + "\n")
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
