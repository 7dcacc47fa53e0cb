"""Common NumPy programs, compiled, against NumPy: how many are slower, and which.

    python -m benchmarks.sweep [--threads N] [--sizes 10,1000] [--dtypes f8,u1] [--all] [text …]

A row is a program of one to five operations at one size, dtype and memory layout. NumPy and the
compiled function run in turn in one process, the least times count, and what looks slower is
measured again, longer. `text` selects the programs that contain it; `--all` prints every row.
"""
from __future__ import annotations

import argparse
import os
import statistics
import sys
import textwrap
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import dynamo_lite as dl
from dynamo_lite.native import set_num_threads

from .measure import Figure

SLOWER = 1.1
"""The ratio from which a row counts as slower: below, this is what two runs of NumPy differ by."""

ELEMENTWISE = """
x + y | x - y | x * y | x / y | x // y | x % y | x ** 2 | x ** y | -x | abs(x) | +x | ~x | x & y
x | y | x ^ y | x << 1 | x >> 1 | x < y | x <= y | x == y | x != y | x > 1 | np.maximum(x, y)
np.minimum(x, y) | np.fmax(x, y) | np.sqrt(x) | np.exp(x) | np.log(x) | np.log1p(x) | np.expm1(x)
np.sin(x) | np.cos(x) | np.tan(x) | np.tanh(x) | np.arctan(x) | np.arctan2(x, y) | np.hypot(x, y)
np.cbrt(x) | np.square(x) | np.reciprocal(x) | np.sign(x) | np.floor(x) | np.ceil(x) | np.rint(x)
np.trunc(x) | np.isnan(x) | np.isfinite(x) | np.signbit(x) | np.logical_and(x, y)
np.logical_not(x) | np.copysign(x, y) | np.float_power(x, 2) | np.clip(x, 0, 1)
np.where(m, x, y) | np.where(m, x, 0) | np.round(x, 2) | np.divmod(x, y) | np.nan_to_num(x)
np.deg2rad(x) | np.heaviside(x, y) | x + 1 | 2 * x + 1 | x * y + z | (x - y) / (x + y)
(x + y) * (x - y) | np.sqrt(x * x + y * y) | 1 / (1 + np.exp(-x)) | np.exp(-x * x) * y
np.where(x > y, x - y, y - x) | (x > 1) & (y < 1) | np.maximum(x, 0) * y + z
x * x * x - 2 * x + 1 | np.abs(x - y) < 1 | x.conj() | x.real
"""
REDUCTIONS = """
x.sum() | x.mean() | x.max() | x.min() | x.prod() | x.std() | x.var() | x.argmax() | x.argmin()
x.any() | x.all() | np.ptp(x) | np.median(x) | np.count_nonzero(x) | np.count_nonzero(m) | m.sum()
(x * y).sum() | ((x - y) ** 2).mean() | (x > 1).sum() | np.sqrt((x * x).sum()) | np.nansum(x)
np.nanmax(x) | np.average(x, weights=y) | np.abs(x - y).max() | (x == y).all()
np.array_equal(x, x) | np.allclose(x, y) | A.sum(axis=0) | A.sum(axis=1) | A.mean(axis=0)
A.mean(axis=1) | A.max(axis=0) | A.max(axis=1) | A.min(axis=0) | A.min(axis=1) | A.prod(axis=1)
A.argmax(axis=0) | A.argmax(axis=1) | A.argmin(axis=0) | A.argmin(axis=1) | A.any(axis=0)
A.any(axis=1) | A.all(axis=0) | A.all(axis=1) | A.std(axis=0) | A.std(axis=1) | A.var(axis=0)
np.sort(A, axis=1) | np.sort(A, axis=0) | A - A.mean(axis=0) | A - A.mean(axis=1, keepdims=True)
A / A.sum(axis=1, keepdims=True) | np.exp(A - A.max(axis=1, keepdims=True)) | (A * A).sum(axis=1)
np.sqrt((A * A).sum(axis=0)) | x.cumsum() | x.cumprod() | A.cumsum(axis=0) | A.cumsum(axis=1)
np.maximum.accumulate(x) | np.diff(x) | np.diff(A, axis=0) | np.diff(A, axis=1) | np.add.reduce(x)
np.sum(A) | np.trace(A) | np.ediff1d(x) | np.median(A, axis=0) | np.percentile(x, 90)
np.linalg.norm(x) | np.linalg.norm(A, axis=1)
"""
SELECTIONS = """
x[1:] - x[:-1] | x[::2] + y[::2] | x[::-1] | x[::-1] + y | x[i] | x[i] + y | A[1:, :-1] * 2 | x[m]
x[m] * 2 | x[x > 1] | x[x > 1].sum() | x[m].mean() | A[M] | A[:, 0] | A[:, 0] + 1 | A[0] + A[1]
A[:, j] | A[k] | A[k, j[0]] | A[..., None] + 1 | x[None] + u | np.take(x, i)
np.take(A, k, axis=0) | np.take(A, j, axis=1) | np.compress(m, x) | np.nonzero(m)[0]
np.where(m)[0] | np.flatnonzero(x) | np.argwhere(M) | np.where(M) | np.searchsorted(z, x)
np.sort(x) | np.argsort(x) | np.unique(x) | np.partition(x, x.size // 2) | np.bincount(i)
np.choose(m, [x, y]) | np.select([m, x > 1], [x, y]) | np.isin(x, y[:5]) | np.digitize(x, y[:3])
np.take_along_axis(A, np.argsort(A, axis=1), axis=1) | np.histogram(x)[0] | np.lexsort((x, y))
np.interp(x, z, y) | np.tril(A) | np.triu(A) | np.diag(A) | np.diagonal(A) | np.flip(A, 0)
np.roll(x, 1) | np.roll(A, 1, axis=1) | np.rot90(A) | np.extract(m, x)
"""
WRITES = """
x += y | x -= y | x *= -1 | x[:] = y | x[:] = 0 | x[1:] += y[1:] | x[::2] = y[::2] | x[m] = 1
x[m] = y[m] | x[m] *= -1 | x[m] += z[m] | x[x > 5] = 1 | x[i] = y | x[i] = 0 | A[0] = 1
A[:, 0] = 1 | A += v | A -= A[0] | A[1:-1] = A[2:] | A[M] = 0 | A[k] = B[k] | np.add(x, y, out=x)
np.multiply(x, -1, out=x) | x.fill(1) | np.copyto(x, y) | np.putmask(x, m, y)
np.maximum(x, y, out=x) | x.sort() | np.add.at(x, i, 1) | x += y; x -= y | x[0] = 1 | x[-1] += 1
np.clip(x, 0, 1, out=x) | A[:] = A.T.reshape(A.shape)
"""
SHAPES = """
x.copy() | x.astype(np.float32) | x.astype(np.float64) | x.astype(np.int64) | x.astype(np.uint8)
x.astype(bool) | A.T.copy() | np.ascontiguousarray(A.T) | A.T + B.T | A + B.T.reshape(A.shape)
A.reshape(-1) + 1 | A.ravel() | A.flatten() | x.reshape(-1, 1) * y[:1] | np.concatenate([x, y])
np.concatenate([x, y, z]) | np.concatenate([A, B]) | np.concatenate([A, B], axis=1)
np.vstack([x, y]) | np.hstack([x, y]) | np.stack([x, y]) | np.stack([x, y], axis=1)
np.stack([A, B], axis=-1) | np.stack([x, y, z], axis=-1) | np.column_stack([x, y])
np.dstack([A, B]) | np.append(x, 1) | np.repeat(x, 2) | np.repeat(A, 2, axis=0)
np.repeat(A, 2, axis=1) | np.tile(x, 2) | np.tile(A, (2, 2)) | np.pad(x, 1) | np.pad(A, 1)
np.pad(x, 2, mode='edge') | np.split(x, [1, 2])[2] + 1 | np.zeros(x.size) | np.ones_like(x)
np.full_like(x, 3) | np.empty_like(x) | np.zeros((x.size, 2)) | np.arange(x.size)
np.arange(0, 1, 1 / x.size) | np.arange(0.0, x.size) | np.linspace(0, 1, x.size)
np.eye(A.shape[1]) | np.swapaxes(A, 0, 1) * 2 | np.expand_dims(x, 0) + y | np.squeeze(x[None]) + y
A[:, None, :] + v | np.broadcast_to(v, A.shape) * A | A * v | A * u | A + v - u
np.meshgrid(x[:9], y[:9])[0] | np.ravel(A, order='F') | np.array([x, y]) | np.atleast_2d(x) + y
np.insert(x, 1, 2) | np.delete(x, 1) | np.array(x) | np.asarray(x) + 1 | x.tolist()
np.indices(A.shape)[0] | np.outer(x[:99], y[:99]) | np.kron(x[:9], y[:9])
np.moveaxis(A, 0, 1) + 1 | np.copy(A, order='F') | A.T.astype(np.float32)
"""
PRODUCTS = """
A @ B.T | A @ v | v @ v | np.dot(A, v) | np.dot(x, y) | A.T @ A | np.outer(u, v) | np.inner(A, B)
x @ y | np.einsum('ij,ij->i', A, B) | np.einsum('ij,j->i', A, v) | np.einsum('ij,kj->ik', A, B)
np.einsum('ij->ji', A) | np.einsum('ij->', A) | np.tensordot(A, B, axes=([1], [1]))
np.vdot(x, y) | np.tanh(A @ v + u[:, 0]) | (A @ B.T) * 2 + 1 | np.convolve(x, y[:5])
np.correlate(x, y[:5]) | np.linalg.inv(S) | np.linalg.solve(S, v) | np.linalg.det(S)
np.linalg.norm(S) | np.linalg.qr(S)[0] | np.linalg.cholesky(S) | np.linalg.eigh(S)[0]
np.linalg.svd(S)[1] | np.fft.fft(x) | np.fft.rfft(x) | np.cross(x[:3], y[:3]) | np.cov(A)
np.corrcoef(A) | np.polyval(x[:4], y) | np.gradient(x) | np.trapezoid(x)
"""
RANDOM = """
r.random(x.size) | r.normal(size=x.size) | r.normal(size=x.size) * x + y
r.integers(0, 9, x.size) | r.uniform(0, 1, x.shape) + x | r.permutation(x.size)
r.random(x.size) < 0.5
"""
TOPICS = {"elementwise": ELEMENTWISE, "reductions": REDUCTIONS, "selections": SELECTIONS,
          "writes": WRITES, "shapes": SHAPES, "products": PRODUCTS, "random": RANDOM}
HEAVY = {"S": 200_000, "B.T)": 200_000, "B)": 200_000, "einsum('ij,kj": 200_000, "cov": 200_000,
         "tolist": 200_000, "corrcoef": 200_000, "tensordot": 200_000, "A.T @ A": 200_000}
"""Where a program contains the text, it is not run with more elements."""

OTHER_TYPES = ("f4", "i8", "u1", "?")
OTHER_SIZES = (1_000, 100_000)
SIZES = (10, 1_000, 100_000, 3_000_000)
LAYOUTS = ("C", "strided")


@dataclass(frozen=True)
class Row:
    """One program on arrays of about `size` elements, and its time by that of NumPy."""

    program: str
    size: int
    dtype: str
    layout: str
    numpy: float = 0.0
    compiled: float = 0.0

    @property
    def ratio(self) -> float:
        return self.compiled / self.numpy

    def __str__(self) -> str:
        return (f"{self.ratio:6.2f}  {self.program:42} {self.size:8} {self.dtype:3} "
                f"{self.layout:8} {self.numpy * 1e6:10.2f} {self.compiled * 1e6:10.2f}")


def programs(words: Sequence[str] = ()) -> list[str]:
    joined = " | ".join(line for text in TOPICS.values() for line in text.split("\n") if line)
    found = [part.replace("_OR_", "|") for part in joined.replace("x | y", "x _OR_ y").split(" | ")]
    return [p for p in found if not words or any(word in p for word in words)]


def is_statement(program: str) -> bool:
    try:
        compile(program, "", "eval")
    except SyntaxError:
        return True
    return False


def function_of(program: str, names: Sequence[str]) -> Callable[..., Any]:
    """The program as a function of the operands that it mentions."""
    body = program if is_statement(program) else f"return {program}"
    lines = textwrap.indent("\n".join(body.split("; ")), "    ")
    scope: dict[str, Any] = {"np": np}
    exec(f"def program({', '.join(names)}):\n{lines}", scope)
    return scope["program"]


def operands(row: Row) -> dict[str, Any]:
    """x, y, z: vectors; A, B: matrices, S: a square one; v, u: a row and a column; m, M: masks;
    i, j, k: positions in vectors, columns and rows; r: a random generator."""
    rng = np.random.default_rng(0)
    rows = max(2, int(row.size**0.5))
    columns = max(2, row.size // rows)

    def numbers(*shape: int) -> np.ndarray:
        if row.dtype == "?":
            made = rng.random(shape) < 0.5
        elif row.dtype[0] == "f":
            made = rng.uniform(0.5, 1.5, shape).astype(row.dtype)
        else:
            made = rng.integers(1, 100, shape).astype(row.dtype)
        if row.layout == "C":
            return made
        wide = np.empty((*shape[:-1], 2 * shape[-1]), made.dtype)
        wide[..., ::2] = made
        return wide[..., ::2]

    square = rng.uniform(0.5, 1.5, (columns, columns)) if columns < 1000 else np.ones((1, 1))
    return {
        "x": numbers(row.size), "y": numbers(row.size), "z": np.sort(numbers(row.size)),
        "A": numbers(rows, columns), "B": numbers(rows, columns), "v": numbers(columns),
        "u": numbers(rows, 1), "S": (square @ square.T + columns * np.eye(len(square))),
        "m": rng.random(row.size) < 0.5, "M": rng.random((rows, columns)) < 0.5,
        "i": rng.integers(0, row.size, row.size), "j": rng.integers(0, columns, columns),
        "k": rng.integers(0, rows, rows), "r": np.random.default_rng(1),
    }  # fmt: skip


def mentioned(program: str, known: dict[str, Any]) -> list[str]:
    names = compile(program, "", "exec").co_names
    return [name for name in known if name in names]


def least(functions: Sequence[Callable[[], Any]], seconds: float) -> list[float]:
    """The least time of each function per call, in turn, for so long."""
    begin = time.perf_counter()
    functions[0]()
    once = time.perf_counter() - begin
    number = max(1, min(2000, int(5e-5 / max(once, 1e-7))))
    best = [float("inf")] * len(functions)
    rounds, end = 0, time.perf_counter() + seconds
    while rounds < 5 or (time.perf_counter() < end and rounds < 200):
        rounds += 1
        for position, function in enumerate(functions):
            begin = time.perf_counter()
            for _ in range(number):
                function()
            best[position] = min(best[position], (time.perf_counter() - begin) / number)
    return best


def measure(row: Row) -> Row | None:
    """The row with its times; None where NumPy itself does not take it, or warns."""
    dl.reset()
    known = operands(row)
    names = mentioned(row.program, known)
    eager = function_of(row.program, names)
    args = [known[name] for name in names]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            eager(*args)
        except Exception:
            return None
    compiled = dl.compile(function_of(row.program, names))
    for _ in range(3):
        compiled(*args)
    pair = (lambda: eager(*args), lambda: compiled(*args))
    best = least(pair, 0.01)
    for seconds in (0.05, 0.3):
        if best[1] > SLOWER * best[0]:
            best = [min(old, new) for old, new in zip(best, least(pair, seconds))]
    return Row(row.program, row.size, row.dtype, row.layout, *best)


def rows(chosen: argparse.Namespace) -> Iterator[Row]:
    """Every size of float64; other dtypes and strided operands at two sizes."""
    sizes = [int(s) for s in chosen.sizes.split(",")] if chosen.sizes else None
    dtypes = chosen.dtypes.split(",") if chosen.dtypes else ("f8", *OTHER_TYPES)
    for program in programs(chosen.text):
        for dtype in dtypes:
            for layout in LAYOUTS if dtype == "f8" else ("C",):
                plain = dtype == "f8" and layout == "C"
                for size in sizes or (SIZES if plain else OTHER_SIZES):
                    if size <= most_elements(program):
                        yield Row(program, size, dtype, layout)


def slower_rows() -> list[Figure]:
    """float64 at two sizes, on one thread; the whole sweep is for the command line."""
    set_num_threads(1)
    measured = [
        measure(Row(program, size, "f8", "C"))
        for program in programs() for size in OTHER_SIZES if size <= most_elements(program)
    ]
    done = [row for row in measured if row is not None]
    slower = sorted((row for row in done if row.ratio > SLOWER), key=lambda row: -row.ratio)
    worst = "; ".join(f"`{row.program}` at {row.size}: {row.ratio:.2f}" for row in slower[:10])
    return [Figure(f"common programs that take more than {SLOWER} of NumPy's time",
                   f"{len(slower)} of {len(done)}", "0", not slower, worst)]


def most_elements(program: str) -> int:
    return min((most for part, most in HEAVY.items() if part in program), default=SIZES[-1])


FIGURES = (slower_rows,)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--sizes", default="")
    parser.add_argument("--dtypes", default="")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("text", nargs="*")
    chosen = parser.parse_args()
    if os.environ.get("OPENBLAS_NUM_THREADS") != str(chosen.threads):  # read when NumPy is loaded
        os.environ["OPENBLAS_NUM_THREADS"] = str(chosen.threads)
        os.execv(sys.executable, [sys.executable, "-m", "benchmarks.sweep", *sys.argv[1:]])
    set_num_threads(chosen.threads)
    dl.config.strict = True  # what cannot be compiled by mistake is as fast as NumPy
    print(" ratio  program                                        size type layout     "
          "NumPy, us  compiled")
    done = []
    for row in rows(chosen):
        found = measure(row)
        if found is not None:
            done.append(found)
            if chosen.all or found.ratio > SLOWER:
                print(found, flush=True)
    summarise(done)


def summarise(done: Sequence[Row]) -> None:
    slower = sorted((row for row in done if row.ratio > SLOWER), key=lambda row: -row.ratio)
    middle = statistics.median(row.ratio for row in done)
    print(f"\n{len(slower)} of {len(done)} rows above {SLOWER}; the median row takes "
          f"{middle:.2f} of NumPy's time. The worst:")
    for row in slower[:10]:
        print(row)


if __name__ == "__main__":
    main()
