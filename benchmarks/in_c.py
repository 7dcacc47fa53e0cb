"""What Numba refuses, in C: `loop_programs.c`, compiled where there is a C compiler.

Each entry makes a call of a program's C function for the arguments of the program, whose results
must be Python's.
"""
from __future__ import annotations

import ctypes
import functools
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from ctypes import c_double, c_int64, c_uint64
from pathlib import Path
from typing import Any

import numpy as np

from . import list_programs, loop_programs, part_programs

Call = Callable[[], Any]
IN_C: dict[Callable[..., Any], Callable[..., Call]] = {}
FLAGS = ("-O2", "-march=native", "-ffp-contract=off", "-shared", "-fPIC")
SOURCE = Path(__file__).with_name("loop_programs.c")
pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))
OF_NUMPY = ("random/lib/libnpyrandom.a", "_core/lib/libnpymath.a")


def by_c(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Call | None:
    """The call of the same in C; None where it is not written, or there is no C compiler."""
    if function not in IN_C or library() is None:
        return None
    return IN_C[function](*arguments)


@functools.cache
def library() -> ctypes.CDLL | None:
    if (compiler := shutil.which("cc")) is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        made, parts = Path(folder) / "loop_programs.so", Path(np.__file__).parent
        subprocess.run([compiler, *FLAGS, "-o", made, SOURCE, *(parts / part for part in OF_NUMPY),
                        "-lm"], check=True)
        return ctypes.CDLL(str(made))


def in_c(program: Callable[..., Any]) -> Callable[[Callable[..., Call]], Callable[..., Call]]:
    def add(make: Callable[..., Call]) -> Callable[..., Call]:
        IN_C[program] = make
        return make

    return add


def call(name: str, *values: Any, gives: Any = None) -> Call:
    """A call of a function with values that are converted beforehand."""
    function = getattr(library(), name)
    function.restype = gives
    return functools.partial(function, *map(converted, values))


def converted(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.ctypes.data_as(ctypes.c_void_p)
    if isinstance(value, int):
        return c_int64(value)
    return c_double(value) if isinstance(value, float) else value


def filling(result: Any, name: str, *values: Any) -> Call:
    """A call of a function that writes what is its result."""
    fill = call(name, *values)
    return lambda: (fill(), result)[1]


@in_c(loop_programs.levenshtein)
def levenshtein(a, b):
    return call("levenshtein", a, b, len(a), len(b), gives=c_int64)


@in_c(part_programs.longest_common_subsequence)
def longest_common_subsequence(a, b):
    texts = a.encode(), b.encode()
    return call("longest_common_subsequence", *texts, len(a), len(b), gives=c_int64)


@in_c(loop_programs.viterbi)
def viterbi(start, transition, emission, observed):
    path = np.zeros(len(observed), int)
    sizes = *emission.shape, len(observed)
    return filling(path, "viterbi", start, transition, emission, observed, *sizes, path)


@in_c(loop_programs.histogram)
def histogram(x, bins):
    counts = np.zeros(bins, int)
    return filling(counts, "histogram", x, len(x), bins, counts)


@in_c(loop_programs.binary_search)
def binary_search(a, wanted):
    found = np.zeros(len(wanted), int)
    return filling(found, "binary_search", a, len(a), wanted, len(wanted), found)


@in_c(loop_programs.breadth_first)
def breadth_first(starts, neighbours, source):
    distance = np.zeros(len(starts) - 1, int)
    return filling(
        distance, "breadth_first", starts, neighbours, len(distance), source, distance)


@in_c(list_programs.flood_fill)
def flood_fill(free, row, column):
    return call("flood_fill", free, *free.shape, row, column, gives=c_int64)


@in_c(list_programs.queens)
def queens(n):
    return call("queens", n, gives=c_int64)


@in_c(part_programs.queens_recursive)
def queens_recursive(n):
    return call("queens_recursive", n, gives=c_int64)


@in_c(part_programs.fnv_bytes)
def fnv_bytes(data):
    return call("fnv_bytes", data, len(data), gives=c_uint64)


@in_c(list_programs.moving_average_with_a_deque)
def moving_average_with_a_deque(x, window):
    out = np.empty(len(x))
    return filling(out, "moving_average_with_a_deque", x, len(x), window, out)


@in_c(part_programs.biquad)
def biquad(x):
    y = np.empty(len(x))
    fill = call("biquad", x, len(x), y, gives=c_double)
    return lambda: (y, fill())


@in_c(part_programs.oscillator)
def oscillator(n):
    place = np.empty(2)
    return filling(place, "oscillator", n, place)


@in_c(part_programs.vectors)
def vectors(x):
    place = np.empty(2)
    return filling(place, "vectors", x, len(x), place)


@in_c(part_programs.runge_kutta)
def runge_kutta(end):
    y, time = np.empty(2), np.empty(1)
    run = call("runge_kutta", end, y, time, gives=c_int64)

    def result():
        rejected = run()
        return y, time[0], rejected

    return result


@in_c(part_programs.metropolis)
def metropolis(n):
    total = np.empty(1)
    run = call("metropolis", n, total, gives=c_int64)

    def result():
        accepted = run()
        return total[0], accepted

    return result


@in_c(part_programs.gibbs)
def gibbs(n):
    out = np.empty((n, 2))

    def result():
        drawing(1, "gibbs", n, out)()
        return out

    return result


@in_c(loop_programs.pi_by_sampling)
def pi_by_sampling(n):
    return lambda: drawing(0, "pi_by_sampling", n, gives=c_double)()


def drawing(seed: int, name: str, *values: Any, gives: Any = None) -> Call:
    """A call of a function that is given a new generator of NumPy's."""
    rng = np.random.default_rng(seed)
    state = pointer_of(rng.bit_generator.capsule, b"BitGenerator")
    return lambda: call(name, rng and ctypes.c_void_p(state), *values, gives=gives)()
