"""Single operations on a GPU, compiled and as CuPy has them: `python -m benchmarks.gpu_operations`.

Where CuPy is slow, where it is fast, and where compiling is no use; results are compared with
CuPy's, and the times written beside those of `benchmarks.gpu`.
"""
from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import dynamo_lite as dl

from .gpu import RESULTS, Gpu, milliseconds

ROUNDS = 5


def rectified(xp: Any, x: Any) -> Any:
    y = x.copy()
    y[y < 0] = 0
    return y


def in_rounds(xp: Any, x: Any) -> Any:
    for i in range(10):
        x = xp.sin(x) + i
    return x


def laplace(xp: Any, u: Any) -> Any:
    inner = u[1:-1, 1:-1]
    return inner * -4 + u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]


def pairwise(xp: Any, x: Any) -> Any:
    return ((x[:2000, None, :16] - x[None, :2000, :16]) ** 2).sum(axis=2)


OPERATIONS: dict[str, tuple[Callable[..., Any], str]] = {
    "cumsum": (lambda xp, x: xp.cumsum(x), "line"),
    "cumsum of rows": (lambda xp, x: xp.cumsum(x, axis=1), "matrix"),
    "cumsum of columns": (lambda xp, x: xp.cumsum(x, axis=0), "matrix"),
    "argmax": (lambda xp, x: xp.argmax(x), "line"),
    "argmax of rows": (lambda xp, x: x.argmax(axis=1), "matrix"),
    "argmax of columns": (lambda xp, x: x.argmax(axis=0), "matrix"),
    "sum of the middle axis": (lambda xp, x: x.sum(axis=1), "cube"),
    "sum of the outer axes": (lambda xp, x: x.sum(axis=(0, 2)), "cube"),
    "sum of 4 long columns": (lambda xp, x: x.sum(axis=0), "tall"),
    "sum of short rows": (lambda xp, x: x.sum(axis=1), "tall"),
    "sum of 4 long rows": (lambda xp, x: x.reshape(4, -1).sum(axis=1), "line"),
    "sum of int64": (lambda xp, x: x.sum(), "integers"),
    "std": (lambda xp, x: x.std(), "line"),
    "std of columns": (lambda xp, x: x.std(axis=0), "matrix"),
    "var of rows": (lambda xp, x: x.var(axis=1), "matrix"),
    "columns normalised": (lambda xp, x: (x - x.mean(axis=0)) / x.std(axis=0), "matrix"),
    "to [0, 1]": (lambda xp, x: (x - x.min()) / (x.max() - x.min()), "line"),
    "take": (lambda xp, x: x[xp.abs(x[: x.size // 4] * 1e6).astype("i8")], "line"),
    "elements of a mask": (lambda xp, x: x[x > 0], "line"),
    "where": (lambda xp, x: xp.where(x > 0, x, 0), "line"),
    "masked write": (rectified, "line"),
    "concatenate": (lambda xp, x: xp.concatenate([x, x * 2]), "line"),
    "stack": (lambda xp, x: xp.stack([x, x + 1], axis=1), "line"),
    "differences": (lambda xp, x: x[1:] - x[:-1], "line"),
    "roll": (lambda xp, x: xp.roll(x, 5) + x, "line"),
    "every other column": (lambda xp, x: x[:, ::2] + x[:, 1::2], "matrix"),
    "outer product": (lambda xp, x: x[:4000, None] * x[None, :4000], "line"),
    "laplace": (laplace, "matrix"),
    "transposed cube": (lambda xp, x: x.transpose(2, 1, 0) + 1, "cube"),
    "sort": (lambda xp, x: xp.sort(x) + 1, "line"),
    "integer division": (lambda xp, n: n // 7 + n % 7, "integers"),
    "power": (lambda xp, x: abs(x) ** 1.7, "line"),
    "bytes to floats": (lambda xp, u: u.astype("f4") / 255, "bytes"),
    "matrix product": (lambda xp, x: x[:2048, :2048] @ x[:2048, :2048] + 1, "matrix"),
    "matrix times vector": (lambda xp, x: xp.tanh(x @ x[0]), "matrix"),
    "pairwise distances": (pairwise, "matrix"),
    "norms of rows": (lambda xp, x: xp.linalg.norm(x, axis=1), "matrix"),
    "complex": (lambda xp, x: abs((x + 1j * x) * (x - 2j)), "line"),
    "histogram": (lambda xp, x: xp.histogram(x, 50)[0], "line"),
    "float16": (lambda xp, x: xp.tanh(x) * x + 1, "halves"),
    "a thousand elements": (lambda xp, x: xp.exp(x) * 2 + x, "short"),
    "ten rounds of a loop": (in_rounds, "short"),
}


def arrays(xp: Any) -> dict[str, Any]:
    line = xp.random.default_rng(1).standard_normal(20_000_000, dtype="f4")
    matrix = line[: 4096 * 4096].reshape(4096, 4096)
    integers = (line * 100).astype("i8")
    return {
        "line": line, "matrix": matrix, "cube": matrix.reshape(64, 512, 512),
        "tall": line.reshape(-1, 4), "integers": integers, "bytes": integers.astype("u1"),
        "halves": matrix.astype("f2"), "short": line[:1000].copy(),
    }  # fmt: skip


def measured(xp: Any, function: Callable[..., Any], x: Any, wait: Callable[[], Any]) -> Any:
    compiled = dl.compile(function)
    begin = time.perf_counter()
    found = compiled(xp, x)
    wait()
    seconds, expected = time.perf_counter() - begin, function(xp, x)
    half = expected.dtype == "f2"
    scale = float(abs(expected).max()) or 1.0
    xp.testing.assert_allclose(found, expected, rtol=1e-2 if half else 1e-4, atol=1e-4 * scale)
    ours, eager = (milliseconds(call, wait, ROUNDS) for call in (
        lambda: compiled(xp, x), lambda: function(xp, x)))
    return {"ours_ms": ours, "eager_ms": eager, "compile_s": seconds}


def main(names: list[str]) -> None:
    device = Gpu()
    given, found = arrays(device.xp), {}
    for name, (function, array) in OPERATIONS.items():
        found[name] = row = measured(device.xp, function, given[array], device.wait)
        print(f"{name}: {row['ours_ms']:.4f} ms, CuPy {row['eager_ms']:.4f} ms", flush=True)
        dl.reset()
    path = names[0] if names else RESULTS / "gpu_operations.json"
    with open(path, "w") as file:
        json.dump({**device.facts(), "operations": found}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1:])
