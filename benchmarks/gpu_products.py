"""Products of halves and what is made of them: by cuBLAS and a kernel behind it, or as one kernel.

`python -m benchmarks.gpu_products` times the first way on a GPU, and the one that
`mode="max-autotune"` chooses, checks the results, and writes the microseconds beside those of
`benchmarks.gpu`.
"""
from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import dynamo_lite as dl

from .gpu import RESULTS, Gpu, drawn, milliseconds
from .gpu_programs import gelu


@dataclass(frozen=True)
class Case:
    function: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]


CASES = {
    "gelu, as in a transformer": Case(
        lambda xp, x, w: gelu(xp, x @ w), ((4096, 1024), (1024, 4096))),
    "residual, as in a transformer": Case(
        lambda xp, x, w, y: y + x @ w, ((4096, 4096), (4096, 1024), (4096, 1024))),
    "bias and rectifier": Case(
        lambda xp, x, w, b: xp.maximum(x @ w + b, 0), ((4096, 1024), (1024, 1024), (1024,))),
    "tanh of few terms": Case(
        lambda xp, x, w: xp.tanh(x @ w), ((16384, 256), (256, 1024))),
    "exp of a transposed operand": Case(
        lambda xp, x, w: xp.exp(x @ w.T), ((8192, 512), (2048, 512))),
    "large and square": Case(
        lambda xp, x, w: xp.tanh(x @ w) * 2, ((8192, 8192), (8192, 8192))),
}


def measured(case: Case, device: Gpu) -> dict[str, float]:
    arrays = [device.xp.asarray(drawn(shape, "f2", seed)) for seed, shape in enumerate(case.shapes)]
    expected = case.function(device.xp, *arrays).get().astype("f4")
    taken = {}
    for way, autotune in (("apart_us", False), ("tuned_us", True)):
        with tempfile.TemporaryDirectory() as folder, dl.config.patch(cache_dir=folder):
            compiled = dl.compile(case.function, backend="triton", fullgraph=True,
                                  options={"autotune": autotune})
            found = compiled(device.xp, *arrays).get().astype("f4")
        np.testing.assert_allclose(found, expected, rtol=2e-2, atol=2e-2)
        taken[way] = 1e3 * milliseconds(partial(compiled, device.xp, *arrays), device.wait)
    return taken


def main() -> dict[str, Any]:
    device = Gpu()
    found: dict[str, Any] = {**device.facts(), "products": {}}
    for name, case in CASES.items():
        found["products"][name] = result = measured(case, device)
        print(f"{name}: " + ", ".join(f"{key} {taken:.1f}" for key, taken in result.items()),
              flush=True)
    (RESULTS / "gpu_products.json").write_text(json.dumps(found, indent=1) + "\n")
    return found


if __name__ == "__main__":
    main()
