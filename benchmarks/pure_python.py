"""Programs without arrays, under `python` and under `python -m dynamo_lite`.

A round measures each program in one process of each kind, one after the other; what is printed
is the median of the rounds' ratios. Where its frames lie on the interpreter's stack alone makes a
program up to 14 % faster or slower, and `-m` begins a few frames deeper: the time of a program is
therefore the mean over several depths of the best time at each.

    python benchmarks/pure_python.py [rounds]
"""
from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

REPEATS, DEPTHS = 7, 12


def fib(n: int) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def loop() -> int:
    total = 0
    for i in range(50_000):
        total += i * i % 7
    return total


class Point:
    def __init__(self, x: int) -> None:
        self.x = x

    def step(self, by: int) -> Point:
        self.x += by
        return self

    @property
    def value(self) -> int:
        return self.x


def methods() -> int:
    point, total = Point(0), 0
    for i in range(20_000):
        total += point.step(i).value
    return total


def objects() -> int:
    return [Point(i) for i in range(10_000)][-1].x


def count(n: int) -> Iterator[int]:
    yield from range(n)


def generators() -> int:
    return sum(i for i in count(30_000))


def dicts() -> int:
    counts: dict[int, int] = {}
    for i in range(20_000):
        counts[i % 1000] = counts.get(i % 1000, 0) + i
    return len(counts)


def closures() -> int:
    total = 0
    for i in range(10_000):
        add = lambda x: x + i  # noqa: B023, E731
        total += add(1)
    return total


def round_trips() -> int:
    data = {"a": [1, 2.5, None, {"b": "x" * 20}] * 50}
    return sum(len(json.loads(json.dumps(data))) for _ in range(30))


PROGRAMS: dict[str, Callable[[], int]] = {
    "recursion": lambda: fib(20), "loop": loop, "methods": methods, "objects": objects,
    "generators": generators, "dicts": dicts, "closures": closures, "JSON": round_trips,
}  # fmt: skip


def best_at(depth: int, function: Callable[[], int]) -> float:
    """Best seconds of some calls that are `depth` frames further down."""
    if depth:
        return best_at(depth - 1, function)
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        function()
        times.append(time.perf_counter() - begin)
    return min(times)


def seconds_of(function: Callable[[], int]) -> float:
    return statistics.mean(best_at(depth, function) for depth in range(DEPTHS))


def measure(*prefix: str) -> dict[str, float]:
    """Seconds of each program in a process of its own."""
    done = subprocess.run(
        [sys.executable, *prefix, __file__, "--programs"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    times: dict[str, float] = json.loads(done.stdout)
    return times


def main(rounds: int) -> None:
    measured = [(measure(), measure("-m", "dynamo_lite")) for _ in range(rounds)]
    for name in PROGRAMS:
        seconds = statistics.median(plain[name] for plain, _ in measured)
        ratio = statistics.median(ours[name] / plain[name] for plain, ours in measured)
        print(f"{name:12} {seconds * 1e3:8.3f} ms {ratio:6.2f} times")


if __name__ == "__main__":
    if sys.argv[1:] == ["--programs"]:
        print(json.dumps({name: seconds_of(program) for name, program in PROGRAMS.items()}))
    else:
        main(int(sys.argv[1]) if sys.argv[1:] else 15)
