"""Measuring: interleaved medians, fresh processes, C references and the table of figures."""
from __future__ import annotations

import ctypes
import hashlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import dynamo_lite as dl


@dataclass(frozen=True)
class Figure:
    """One measured figure; `goal` is what it has to reach, `reached` says whether it does."""

    name: str
    value: str
    goal: str
    reached: bool | None
    detail: str = ""


def resident(which: str) -> int:
    """Bytes of this process in memory, by their name in Linux: "VmRSS" now, "VmHWM" at most.
    Other than `getrusage`, it knows nothing of the process that started this one."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(which)) * 1024


def once(function: Callable[[], Any], number: int) -> float:
    begin = time.perf_counter()
    for _ in range(number):
        function()
    return (time.perf_counter() - begin) / number


def interleave(
    functions: dict[str, Callable[[], Any]], rounds: int = 15, number: int = 1
) -> dict[str, float]:
    """Median seconds per call of each function, measured in turn so that noise hits all alike."""
    for function in functions.values():
        function()
    times: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            times[name].append(once(function, number))
    return {name: statistics.median(values) for name, values in times.items()}


def against_python(
    function: Callable[..., Any], arguments: tuple[Any, ...],
    shown: Callable[[Callable[..., Any], tuple[Any, ...]], Any], least: float,
) -> Figure:
    """A function compiled beside itself in Python; `shown` gives what is to be the same of both."""
    compiled = dl.compile(function)
    begin = time.perf_counter()
    compiled(*arguments)
    first = time.perf_counter() - begin
    assert shown(compiled, arguments) == shown(function, arguments), function.__name__
    times = interleave({"python": partial(function, *arguments),
                        "compiled": partial(compiled, *arguments)}, rounds=31)
    ratio = times["python"] / times["compiled"]
    return Figure(
        function.__name__, f"{ratio:.1f}x", f">= {least}x Python", ratio >= least,
        f"Python {times['python'] * 1e6:.1f} us, first call {first * 1e3:.0f} ms")


def fresh_process(source: str, *arguments: str, **environment: str) -> str:
    """What `source` prints in a new interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", source, *arguments],
        capture_output=True, text=True, check=True, env={**os.environ, **environment},
    )
    return done.stdout.strip()


def c_function(source: str, *flags: str) -> Any:
    """Compile C `source` with gcc and give its function `run`."""
    name = hashlib.sha256((source + " ".join(flags)).encode()).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / "dynamo_lite_benchmarks"
    folder.mkdir(exist_ok=True)
    library = folder / f"{name}.so"
    if not library.exists():
        (folder / f"{name}.c").write_text(source)
        subprocess.run(
            ["gcc", *flags, "-shared", "-fPIC", "-o", library, folder / f"{name}.c", "-lm"],
            check=True,
        )
    return ctypes.CDLL(str(library)).run


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)
