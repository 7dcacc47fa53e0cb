"""The Triton backend on a GPU: `python -m benchmarks.gpu [FILE]` checks and times, and writes JSON.

Each program is compiled for CuPy arrays, compared with NumPy on a part of its argument, and timed
with CUDA events against CuPy as it is; the share of bandwidth is that of a copy measured here.
`--host` runs everything small on the host device, in Triton's interpreter, to check this script
where there is no GPU: its times mean nothing.
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


PROGRAMS = (
    Program("pointwise", chain, (100_000_000,), "f4", 2),
    Program("pointwise, float64", chain, (50_000_000,), "f8", 2, 1e-12),
    Program("sums of rows", row_sums, (8192, 16384), "f4", 1),
    Program("softmax", softmax, (8192, 8192), "f4", 2),
    Program("layer norm", layer_norm, (8192, 8192), "f4", 2, 1e-4),
    Program("product", product, (4096, 4096), "f4", 2, 1e-3),
)


@dataclass(frozen=True)
class Result:
    """Milliseconds; `share` of the bandwidth that a copy of the argument has."""

    name: str
    compile_ms: float
    ours_ms: float
    eager_ms: float
    share: float


class Gpu:
    """CuPy's arrays, timed with events on the current stream."""

    def __init__(self) -> None:
        self.xp = import_module("cupy")
        self.options: dict[str, Any] = {}

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


class Host:
    """NumPy's arrays, so small that the interpreter runs the kernels."""

    def __init__(self) -> None:
        self.xp: Any = np
        self.options: dict[str, Any] = {"interpret": True}

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


def measured(program: Program, device: Gpu | Host) -> Result:
    """Compiled, checked on its first rows, and timed."""
    shape, xp = device.shape(program), device.xp
    x = xp.asarray(np.random.default_rng(1).standard_normal(shape, program.dtype))
    compiled = dl.compile(
        program.function, backend="triton", fullgraph=True, options=device.options)
    begin = time.perf_counter()
    found = compiled(xp, x)
    compile_ms = 1e3 * (time.perf_counter() - begin)
    expected = program.function(np, device.to_numpy(x))
    np.testing.assert_allclose(
        device.to_numpy(found), expected, rtol=program.rtol, atol=program.rtol)
    copy = device.milliseconds(x.copy)
    ours = device.milliseconds(lambda: compiled(xp, x))
    eager = device.milliseconds(lambda: program.function(xp, x))
    return Result(program.name, compile_ms, ours, eager, copy * program.passes / 2 / ours)


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
              f"{result.share:.2f} of a copy's bandwidth, compiled in {result.compile_ms:.0f} ms",
              flush=True)
    if names or isinstance(device, Gpu):
        path = Path(names[0]) if names else RESULTS / "gpu.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(found, indent=1) + "\n")
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
