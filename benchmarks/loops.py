"""Programs with loops over elements: compiled against Python, and against Numba where it is there,
or C where Numba refuses and there is a compiler.

    python -m benchmarks loops

Every program is run unmodified, and its results must be Python's, to the last bit; where Numba's
are others, that is told. The goal is never to be slower than Python, and over all programs to be as
fast as Numba where it accepts them:

    pip install numba; python -m benchmarks loops

`python -m benchmarks.loops` writes the same to `results/loops.json`, for docs/loops.md.
"""
from __future__ import annotations

import contextlib
import functools
import importlib
import json
import platform
import re
import statistics
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from dynamo_lite.backends.llvm.builder.target import host

import dynamo_lite as dl

from . import list_programs, part_programs  # noqa: F401  (they register)
from .in_c import by_c
from .loop_programs import PROGRAMS
from .measure import Figure, interleave, once

GOAL = 1.05  # of Python's time
NATIVE = 0.5  # of Python's time, at most, where it is compiled code that runs
FIRST = 0.5  # seconds that a first call may take


def same(left: Any, right: Any, same_types: bool = True) -> bool:
    """Equal to the last bit, and of one type."""
    if isinstance(left, (tuple, list)):
        types = [same_types] * len(left)
        return len(left) == len(right) and all(map(same, left, right, types))
    if not same_types:
        left, right = np.asarray(left), np.asarray(right)
    kinds = [type(value) if np.ndim(value) == 0 else value.dtype for value in (left, right)]
    return kinds[0] == kinds[1] and np.asarray(left).tobytes() == np.asarray(right).tobytes()


def best_of(functions: dict[str, Callable[[], Any]], rounds: int = 21) -> dict[str, float]:
    """The shortest times, in turn: the noise of a shared machine is longer than these programs."""
    found = dict.fromkeys(functions, float("inf"))
    for _ in range(rounds):
        for name, function in functions.items():
            found[name] = min(found[name], once(function, 1))
    return found


def by_numba(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[[], Any] | None:
    """The call, compiled by Numba; None where it is not installed or refuses."""
    with contextlib.suppress(Exception):
        compiled: Callable[..., Any] = importlib.import_module("numba").njit(function)
        compiled(*arguments)
        return functools.partial(compiled, *arguments)
    return None


@dataclass(frozen=True)
class Measured:
    """Seconds of one program, by what ran it; `first` is the first compiled call, `reason` why it
    is not native, and `same_bits` whether the results of Numba, or of C, are Python's."""

    name: str
    figure: Figure
    times: dict[str, float]
    first: float
    reason: str
    same_bits: bool | None

    def ratio(self, other: str) -> float:
        return self.times[other] / self.times["compiled"]


def row(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Measured:
    dl.reset()
    compiled = dl.compile(function)
    expected = function(*arguments)
    begin = time.perf_counter()
    found = compiled(*arguments)
    first = time.perf_counter() - begin
    assert same(found, expected) and same(compiled(*arguments), expected), function.__name__
    candidates = {
        "Python": lambda: function(*arguments), "compiled": lambda: compiled(*arguments),
    }
    peer, name = by_numba(function, arguments), "Numba"
    if peer is None:
        peer, name = by_c(function, arguments), "C"
    if peer is not None:
        candidates[name] = peer
    times = best_of(candidates)
    ratio = times["compiled"] / times["Python"]
    details = [f"{name} {seconds * 1e3:.3f} ms" for name, seconds in times.items()]
    same_bits = None if peer is None else same(peer(), expected, False)
    if peer is not None:
        differs = "" if same_bits else " (other bits than Python's)"
        details.append(f"{times['compiled'] / times[name]:.2f} of {name}'s time{differs}")
    reason = ""
    if ratio > NATIVE:
        reason = re.split("; Python runs| at /", next(iter(dl.stats().break_reasons), ""))[0]
        details.append(reason)
    return Measured(function.__name__, Figure(
        f"loop: {function.__name__.replace('_', ' ')}", f"{ratio:.3f} of Python's time",
        f"<= {GOAL}", ratio <= GOAL, f"{', '.join(details)}; first call {first * 1e3:.0f} ms",
    ), times, first, reason, same_bits)


def rows() -> Iterator[Measured]:
    for function, inputs in PROGRAMS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield row(function, inputs(np.random.default_rng(0)))


def summary(measured: Sequence[Measured]) -> Iterator[Figure]:
    """All programs together."""
    native = sum(one.ratio("Python") >= 1 / NATIVE for one in measured)
    mean = statistics.geometric_mean([one.ratio("Python") for one in measured])
    slow = sum(one.first > FIRST for one in measured)
    yield Figure("loops: native", f"{native} of {len(measured)}", ">= 95 %",
                 native >= 0.95 * len(measured), f"in less than {NATIVE} of Python's time")
    yield Figure("loops: geomean against Python", f"{mean:.1f}x", ">= 60x", mean >= 60)
    yield Figure("loops: first calls", f"{slow} longer than {FIRST} s", "none", not slow)
    for peer in ("Numba", "C"):
        against = [one.ratio(peer) for one in measured if peer in one.times]
        if against:
            mean, near = statistics.geometric_mean(against), sum(one >= 0.9 for one in against)
            what = f"{near} of {len(against)} programs at 0.9 of its speed or more"
            more = f"; it refuses {len(measured) - len(against)}" if peer == "Numba" else ""
            yield Figure(
                f"loops: geomean against {peer}", f"{mean:.2f}x", ">= 1", mean >= 1, what + more)


def loops() -> list[Figure]:
    measured = list(rows())
    return [*(one.figure for one in measured), *summary(measured)]


def goes_through(x: Any, log: list[int]) -> Any:
    total = 0.0
    for i in range(len(x)):
        total = total * 0.5 + x[i]
        if i % 1000 == 999:
            total = -total
    return total


def appends(x: Any, log: list[int]) -> Any:
    total = 0.0
    for i in range(len(x)):
        total = total * 0.5 + x[i]
        if i % 1000 == 999:
            log.append(i)
    return total


def leaves(x: Any, log: list[str]) -> Any:
    total = 0.0
    for i in range(len(x)):
        total = total * 0.5 + x[i]
        if i % 1000 == 999:
            log.append(str(i))
    return total


def side_exits() -> list[Figure]:
    """A body that appends to the caller's list, or needs Python, one time in a thousand, against
    one that does neither."""
    dl.reset()
    x, log = np.random.default_rng(0).normal(size=200_000), list[Any]()
    functions = {one.__name__: dl.compile(one) for one in (goes_through, appends, leaves)}
    times = interleave({
        name: functools.partial(function, x, log) for name, function in functions.items()
    })  # fmt: skip
    return [
        rare(times, "appends", "loop with a rare append"),
        rare(times, "leaves", "loop with a rare side exit"),
    ]


def rare(times: dict[str, float], name: str, what: str) -> Figure:
    ratio = times[name] / times["goes_through"]
    each = (times[name] - times["goes_through"]) / 200
    detail = f"{each * 1e6:.1f} us each, what it does included"
    return Figure(what, f"{ratio:.2f} of the loop without", "<= 1.3", ratio <= 1.3, detail)


FIGURES = (loops, side_exits)


def versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "numpy": np.__version__, "cpu": host().cpu}
    with contextlib.suppress(ImportError):
        found["numba"] = importlib.import_module("numba").__version__
    return found


def save(path: Path) -> None:
    """Measure all programs, and write what came out, losses included."""
    measured = list(rows())
    programs = [
        {"name": one.name, "first_ms": round(one.first * 1e3),
         "ms": {name: round(seconds * 1e3, 4) for name, seconds in one.times.items()},
         "same_bits": one.same_bits, "reason": one.reason}
        for one in measured
    ]  # fmt: skip
    figures = [[one.name, one.value, one.goal, one.detail] for one in summary(measured)]
    text = json.dumps({**versions(), "summary": figures, "programs": programs}, indent=1)
    path.write_text(f"{text}\n")


if __name__ == "__main__":
    save(Path(__file__).with_name("results") / "loops.json")
