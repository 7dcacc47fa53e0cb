"""Gradients against those of JAX and of HIPS autograd, where these are installed.

    pip install jax autograd; python -m benchmarks.gradients

writes `results/gradients.json`, for docs/gradients.md. Values are compared with JAX's in float64;
times are medians of calls in turn, by the clock, on a machine that does nothing else: what the
process has used of the CPU does not count threads of JAX that still run. Each has one thread, with

    XLA_FLAGS=--xla_cpu_multi_thread_eigen=false OPENBLAS_NUM_THREADS=1
"""
from __future__ import annotations

import functools
import importlib.metadata
import json
import math
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from dynamo_lite.backends.llvm.builder.target import host

import dynamo_lite as dl
from dynamo_lite.native import set_num_threads

from .derivatives import PROGRAMS
from .gradient_programs import INPUTS, cases, function
from .measure import Figure, fresh_process

Function = Callable[..., Any]
ROUNDS = 10_000
ROD = np.linspace(0, 1, 1000)
STEP = """
import time
import numpy as np
import dynamo_lite as dl
rng = np.random.default_rng(0)
w, v = rng.standard_normal((64, 128)) / 8, rng.standard_normal((128, 10)) / 11

def loss(p, x, y):
    return ((np.tanh(x @ p[0] + p[1]) @ p[2] + p[3] - y) ** 2).mean()

arguments = (w, np.zeros(128), v, np.zeros(10)), rng.standard_normal((32, 64)), np.zeros((32, 10))
begin = time.process_time()
dl.value_and_grad(loss)(*arguments)
print(time.process_time() - begin)
"""
"""The first call for a two-layer network, in seconds of all threads."""
PEAKS = """
import numpy as np
import dynamo_lite as dl
from benchmarks.measure import resident

def source(u, rounds):
    u = u.copy()
    for _ in range(rounds):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2]) - 0.01 * u[1:-1] ** 3
    return (u * u).sum()

state, gradient = np.linspace(0, 1, 100_000), dl.value_and_grad(source)
for rounds in 10, 20:
    gradient(state, rounds)
for rounds in 625, 2500, 10_000:
    before = resident("VmRSS")
    with open("/proc/self/clear_refs", "w") as peak:
        peak.write("5")
    gradient(state, rounds)
    print(rounds, (resident("VmHWM") - before) / state.nbytes)
assert len(gradient.entries()) == 2
"""
"""States of a loop that a gradient adds to what is resident, by numbers of rounds, where nothing is
compiled any more. Linux forgets the peak before each call."""


# -- values

def difference(ours: Any, theirs: Any) -> float:
    """The largest one, of the largest element; infinite where NaN and infinity are elsewhere."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    finite = np.isfinite(theirs)
    if ours.shape != theirs.shape or not np.array_equal(
        np.where(finite, 0, ours), np.where(finite, 0, theirs), equal_nan=True
    ):
        return math.inf
    largest = np.abs(theirs[finite]).max(initial=0) or 1.0
    return float(np.abs(ours - theirs)[finite].max(initial=0) / largest)


def values(jax: Any) -> list[dict[str, Any]]:
    found = []
    for point, text in cases():
        x = INPUTS[point]
        with np.errstate(all="ignore"):
            ours = dl.grad(function(text, np))(x)
        theirs = jax.grad(function(text, jax.numpy))(x)
        found.append({"text": text, "point": point, "difference": difference(ours, theirs)})
    return found


# -- times

def with_module(fun: Any, module: Any) -> Function:
    """The function with another module as `np`."""
    known = {**fun.__globals__, "np": module}
    made: Function = type(fun)(fun.__code__, known, fun.__name__, None, fun.__closure__)
    return made


def rewritten(jax: Any) -> dict[str, Function]:
    """Programs that change arrays or go through long loops, as JAX wants them."""
    jnp, scan = jax.numpy, jax.lax.scan

    def heat(u: Any) -> Any:
        def step(u: Any, _: Any) -> Any:
            return u.at[1:-1].add(0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])), None
        u = scan(step, u, length=1000)[0]
        return (u * u).sum()

    def in_place(x: Any) -> Any:
        y = jnp.sin(x)
        y = y.at[1:].multiply(x[:-1]).at[::2].add(1.0)
        return (y * y).sum()

    def recurrence(x: Any) -> Any:
        return scan(lambda s, each: (jnp.tanh(0.5 * s + each), None), 0.0, x)[0]

    return {"heat equation, 1,000 steps": heat, "in place": in_place, "recurrence": recurrence}


def by_jax(jax: Any, name: str, fun: Function, x: Any) -> Function:
    source = rewritten(jax).get(name) or with_module(fun, jax.numpy)
    slope, given = jax.jit(jax.value_and_grad(source)), jax.numpy.asarray(x)
    return lambda: jax.block_until_ready(slope(given))


def by_autograd(autograd: Any, name: str, fun: Function, x: Any) -> Function | None:
    """None where it refuses the program."""
    module = importlib.import_module("autograd.numpy")
    slope = autograd.value_and_grad(with_module(fun, module))
    try:
        slope(x)
    except (TypeError, ValueError, NotImplementedError, AttributeError):
        return None
    return lambda: slope(x)


def medians(functions: dict[str, Function], rounds: int) -> dict[str, float]:
    """Seconds by the clock, in turn, where everything has been compiled."""
    found: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(rounds):
        for name, call in functions.items():
            begin = time.perf_counter()
            call()
            found[name].append(time.perf_counter() - begin)
    return {name: statistics.median(times) for name, times in found.items()}


def against_value(fun: Function, x: Any) -> float:
    calls: dict[str, Function] = {"alone": functools.partial(dl.compile(fun), x),
                                  "both": functools.partial(dl.value_and_grad(fun), x)}
    for call in calls.values():
        call()
    times = medians(calls, 15)
    return times["both"] / times["alone"]


def programs(jax: Any, autograd: Any, rounds: int = 15) -> list[dict[str, Any]]:
    found = []
    for name, (fun, x) in PROGRAMS.items():
        calls: dict[str, Function | None] = {
            "dynamo_lite": functools.partial(dl.value_and_grad(fun), x),
            "JAX": by_jax(jax, name, fun, x), "autograd": by_autograd(autograd, name, fun, x),
        }
        known = {peer: call for peer, call in calls.items() if call is not None}
        results = [call() for call in known.values()]
        for value, gradient in results:
            assert np.allclose(value, results[0][0], rtol=1e-9), name
            assert np.allclose(gradient, results[0][1], rtol=1e-6, atol=1e-9), name
        times = medians(known, rounds)
        found.append({"name": name, "ms": {peer: t * 1e3 for peer, t in times.items()},
                      "of_value": against_value(fun, x)})
    return found


def cubed(u: Any) -> Any:
    u = u.copy()
    for _ in range(ROUNDS):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2]) - 0.01 * u[1:-1] ** 3
    return (u * u).sum()


def oscillated(p: Any) -> Any:
    place, speed = p[0], p[1]
    for _ in range(ROUNDS):
        speed = speed - 0.001 * np.sin(place)
        place = place + 0.001 * speed
    return place


LOOPS = {"rod with a source": (cubed, ROD), "pendulum": (oscillated, np.array([1.0, 0.0]))}


def first_call() -> float:
    """The median of processes that find no machine code on disk, but Python's own files."""
    with tempfile.TemporaryDirectory() as pycache:
        def seconds() -> float:
            with tempfile.TemporaryDirectory() as folder:
                return float(fresh_process(
                    STEP, DYNAMO_CACHE_DIR=folder, PYTHONDONTWRITEBYTECODE="",
                    PYTHONPYCACHEPREFIX=pycache))
        return statistics.median([seconds() for _ in range(6)][1:])


def peaks() -> dict[int, float]:
    """Times the state of a loop, at most, for a number of rounds."""
    lines = (line.split() for line in fresh_process(PEAKS).splitlines())
    return {int(rounds): float(states) for rounds, states in lines}


# -- what is told

def geomean(ratios: list[float]) -> float:
    return math.exp(statistics.mean(map(math.log, ratios)))


def ratios(measured: list[dict[str, Any]], peer: str) -> list[float]:
    return [one["ms"][peer] / one["ms"]["dynamo_lite"] for one in measured if peer in one["ms"]]


def summary(compared: list[dict[str, Any]], measured: list[dict[str, Any]]) -> list[Figure]:
    worst = max(one["difference"] for one in compared)
    of_value = statistics.median(one["of_value"] for one in measured)
    loops = {name: against_value(*loop) for name, loop in LOOPS.items()}
    first = first_call()
    of_root = {rounds: states / math.sqrt(rounds) for rounds, states in peaks().items()}
    figures = [
        Figure(f"largest difference from jax.grad, {len(compared)} functions", f"{worst:.1e}",
               "<= 1e-12", worst <= 1e-12),
        Figure("value and gradient ÷ value, median of 20 programs", f"{of_value:.1f}", "<= 3",
               of_value <= 3),
        Figure("first call, two-layer network, CPU", f"{first:.2f} s", "<= 0.3 s", first <= 0.3),
        Figure(f"through {ROUNDS:,} iterations ÷ forwards", f"{max(loops.values()):.1f}", "<= 5",
               max(loops.values()) <= 5, ", ".join(f"{n} {r:.1f}" for n, r in loops.items())),
        peaks_figure(of_root),
    ]
    for peer, goal in ("JAX", 1.0), ("autograd", 10.0):
        all_of = ratios(measured, peer)
        wins = sum(ratio >= 1 for ratio in all_of)
        figures.append(Figure(
            f"speed against {peer}, geomean", f"{geomean(all_of):.2f}x", f">= {goal:g}x",
            geomean(all_of) >= goal, f"faster in {wins} of {len(all_of)} programs"))
    return figures


def peaks_figure(of_root: dict[int, float]) -> Figure:
    """What is resident at most, in states, divided by the root of the number of rounds."""
    worst = max(of_root.values())
    return Figure(
        "resident memory of a gradient through n rounds ÷ that of √n states", f"{worst:.1f}",
        "<= 4", worst <= 4, ", ".join(f"{n:,} rounds {r:.1f}" for n, r in of_root.items()))


def save(path: Path) -> None:
    jax, autograd = map(importlib.import_module, ("jax", "autograd"))
    jax.config.update("jax_enable_x64", True)
    compared = values(jax)
    set_num_threads(1)
    measured = programs(jax, autograd)
    figures = [[f.name, f.value, f.goal, f.reached, f.detail] for f in summary(compared, measured)]
    versions = {"python": platform.python_version(), "numpy": np.__version__, "cpu": host().cpu,
                "jax": jax.__version__, "autograd": importlib.metadata.version("autograd")}
    text = json.dumps({**versions, "summary": figures, "programs": measured, "values": compared},
                      indent=1)
    path.write_text(f"{text}\n")


if __name__ == "__main__":
    save(Path(__file__).with_name("results") / "gradients.json")
