"""Write `gpu.md` from what was measured on a GPU: `python docs/gpu.py`.

`python -m benchmarks.gpu` and `python -m benchmarks.gpu_operations` write the numbers.
"""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
RESULTS = DOCS.parent / "benchmarks" / "results"

HEAD = """# On a GPU

Functions of CuPy arrays are compiled by Triton: `pip install "dynamo-lite[cuda]"`, then
`dl.compile` as for NumPy. With `device="cuda"` functions of NumPy arrays are computed on a GPU, and
results come back. Results are CuPy's, but that sums are as accurate as sums in a tree are, and
sums of halves are taken in single precision: some of CuPy's differ by more than their last bit.
Random numbers are CuPy's: `cupy.random` is called between graphs, so that seeds and streams mean
what they mean without dynamo_lite. With `device="cuda"` NumPy draws them, on the host. Likewise
`np.add.at` of CuPy arrays is CuPy's, which adds floats in any order; with `device="cuda"` it has
NumPy's order. `dl.grad` and the like are of functions of CuPy arrays as well.

Arrays of bfloat16 (the package `ml_dtypes`) are compiled where CuPy computes them in single
precision and rounds each result: operations on elements, sums, means, extrema, copies, products of
matrices. What CuPy gives in another dtype (`where`, `clip`, `std`), or not at all (sorting, running
sums), is its own call. NumPy's arrays of bfloat16 are computed by NumPy.

Written by `python docs/gpu.py` from what `python -m benchmarks.gpu` and
`python -m benchmarks.gpu_operations` measured once on one {device}
({versions}).
Milliseconds of one call among many that follow each other; each result is compared with NumPy's, or
CuPy's. What is slower than a peer stands here as well.
"""

PROGRAMS = """
## Programs

`of a copy`: the share of the bandwidth that the driver's copy of the first argument has; of
programs that multiply matrices it says nothing. Products of halves sum in single precision.

| program | ours | CuPy | cupy.fuse | torch.compile | jax.jit | of a copy | compiled in |
|---|---|---|---|---|---|---|---|
"""

TIMES = """
Twenty operations are compiled in {cold:.0f} ms (Triton is imported already), in {cached:.0f} ms
where their kernel is on the disk. Three small kernels cost the host {default:.0f} µs, as a CUDA
graph {graph:.1f} µs: most of it is the driver's (5 µs for a launch on this virtual machine); beside
a driver that does nothing they cost 3 µs.
"""

OPERATIONS = """
## Single operations

Of 20 million float32, or a square matrix of 4096, where nothing else is said. What has no kernels
of ours (sorting, long running sums; histograms and complex numbers when this was measured) is a
call of CuPy, and takes its time.

| operation | ours | CuPy | CuPy / ours |
|---|---|---|---|
"""


def page() -> str:
    """The text of the page."""
    programs, operations = (json.loads((RESULTS / name).read_text())
                            for name in ("gpu.json", "gpu_operations.json"))
    libraries = (f"{name} {programs[name]}" for name in ("cupy", "triton", "torch", "jax"))
    versions = ", ".join(libraries)
    rows = "".join(map(program_row, programs["results"]))
    times = TIMES.format(
        **programs["compile_ms"], default=programs["host_us"]["default"],
        graph=programs["host_us"]["reduce-overhead"])
    single = "".join(f"| {name} | {ms(row['ours_ms'])} | {ms(row['eager_ms'])} | "
                     f"{row['eager_ms'] / row['ours_ms']:.2f} |\n"
                     for name, row in operations["operations"].items())
    head = HEAD.format(device=programs["device"], versions=versions)
    return head + PROGRAMS + rows + times + OPERATIONS + single


def program_row(row: dict[str, Any]) -> str:
    peers = (row["peers_ms"].get(name) for name in ("cupy.fuse", "torch.compile", "jax.jit"))
    times = [row["ours_ms"], row["eager_ms"], *peers]
    share = "" if row["tera_operations"] else f"{row['share']:.2f}"
    cells = [row["name"], *map(ms, times), share, f"{row['compile_ms']:.0f}"]
    return f"| {' | '.join(cells)} |\n"


def ms(taken: float | None) -> str:
    return "" if taken is None else f"{taken:.3f}"


if __name__ == "__main__":
    (DOCS / "gpu.md").write_text(page())
