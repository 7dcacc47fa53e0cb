"""Throughput: k-means, pointwise chains against C, softmax."""
from __future__ import annotations

import ctypes

import numpy as np

import dynamo_lite as dl
from dynamo_lite.native import set_num_threads

from .measure import Figure, c_function, interleave, pointer


def kmeans_step(X, means):
    return np.argmin(np.linalg.norm(X - means[:, None], axis=2), axis=0)


def kmeans() -> list[Figure]:
    rng = np.random.default_rng(0)
    X, means = rng.normal(size=(2_000_000, 2)), rng.normal(size=(4, 2))
    compiled = dl.compile(kmeans_step)
    assert np.array_equal(compiled(X, means), kmeans_step(X, means))
    figures = []
    for threads, goal in ((1, 20), (2, 30)):
        set_num_threads(threads)
        times = interleave({"numpy": lambda: kmeans_step(X, means),
                            "compiled": lambda: compiled(X, means)}, rounds=7)
        ratio = times["numpy"] / times["compiled"]
        figures.append(Figure(
            f"k-means step, 2M x 2 points, {threads} thread(s)", f"{ratio:.1f}x NumPy",
            f">= {goal}x", ratio >= goal,
            f"{times['numpy'] * 1e3:.0f} ms, {times['compiled'] * 1e3:.2f} ms"))
    return figures


def six_operations(a, b, c):
    return (a * b + c) * (a - b) / (c + 2.0) - a


SIX_OPERATIONS_C = """
void run(const double *restrict a, const double *restrict b, const double *restrict c,
         double *restrict out, long n) {
    for (long i = 0; i < n; i++)
        out[i] = (a[i] * b[i] + c[i]) * (a[i] - b[i]) / (c[i] + 2.0) - a[i];
}
"""


def pointwise() -> list[Figure]:
    n = 10_000_000
    a, b, c = np.random.default_rng(1).uniform(0.5, 1.5, (3, n))
    compiled = dl.compile(six_operations)
    reference = c_function(SIX_OPERATIONS_C, "-O3", "-march=native")

    def in_c():
        out = np.empty(n)
        reference(pointer(a), pointer(b), pointer(c), pointer(out), ctypes.c_long(n))
        return out

    assert np.array_equal(compiled(a, b, c), six_operations(a, b, c))
    set_num_threads(1)
    times = interleave({"numpy": lambda: six_operations(a, b, c), "c": in_c,
                        "compiled": lambda: compiled(a, b, c)})
    ratio = times["compiled"] / times["c"]
    return [Figure("6-op pointwise, 1e7 float64, fresh result, 1 thread", f"{ratio:.2f} of C",
                   "<= 1.1", ratio <= 1.1,
                   ", ".join(f"{k} {v * 1e3:.1f} ms" for k, v in times.items()))]


def chain(x, y):
    return np.tanh(np.exp(-x * x) + y) * 0.5 - x


CHAIN_C = """
#include <math.h>
void run(const double *restrict x, const double *restrict y, double *restrict out, long n) {
    #pragma omp parallel for num_threads(2) schedule(static)
    for (long i = 0; i < n; i++)
        out[i] = tanh(exp(-x[i] * x[i]) + y[i]) * 0.5 - x[i];
}
"""


def transcendental() -> list[Figure]:
    n = 10_000_000
    x, y = np.random.default_rng(2).normal(size=(2, n))
    compiled = dl.compile(chain)
    reference = c_function(CHAIN_C, "-O3", "-march=native", "-ffast-math", "-fopenmp")

    def in_c():
        out = np.empty(n)
        reference(pointer(x), pointer(y), pointer(out), ctypes.c_long(n))
        return out

    np.testing.assert_allclose(compiled(x, y), chain(x, y), rtol=1e-13, atol=1e-14)
    set_num_threads(2)
    times = interleave({"numpy": lambda: chain(x, y), "c": in_c,
                        "compiled": lambda: compiled(x, y)}, rounds=9)
    against_numpy, against_c = times["numpy"] / times["compiled"], times["c"] / times["compiled"]
    detail = ", ".join(f"{k} {v * 1e3:.1f} ms" for k, v in times.items())
    title = "6-op chain with exp and tanh, 1e7 float64, 2 threads"
    return [
        Figure(title, f"{against_numpy:.1f}x NumPy", ">= 12x", against_numpy >= 12, detail),
        Figure(title, f"{against_c:.2f} of C -ffast-math, 2 threads", ">= 0.9",
               against_c >= 0.9, detail),
    ]


def softmax_rows(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def softmax() -> list[Figure]:
    x = np.random.default_rng(3).normal(size=(1000, 1000)).astype(np.float32)
    compiled = dl.compile(softmax_rows)
    np.testing.assert_allclose(compiled(x), softmax_rows(x), rtol=1e-5)
    figures = []
    for threads in (1, 2):
        set_num_threads(threads)
        times = interleave({"numpy": lambda: softmax_rows(x), "compiled": lambda: compiled(x)},
                           rounds=25, number=3)
        ratio = times["numpy"] / times["compiled"]
        figures.append(Figure(
            f"softmax over rows, 1000 x 1000 float32, {threads} thread(s)", f"{ratio:.1f}x NumPy",
            ">= 4x", ratio >= 4,
            f"{times['numpy'] * 1e3:.2f} ms, {times['compiled'] * 1e3:.2f} ms"))
    return figures


FIGURES = (kmeans, pointwise, transcendental, softmax)
