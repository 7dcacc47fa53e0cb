"""Whole programs under `python` and under `python -m dynamo_lite`: CPU time, memory, results.

A round runs each program of `benchmarks/programs` under `python`, then under whole-script mode
with an empty cache folder (the first run), and again with what that run left there (the second
run). Seconds are the CPU's for the whole process, the best of the rounds. Then the program is run
three times in one process (`again.py`), under `python` and with another empty cache folder, and
seconds are those of the third pass. What every run prints, on either stream, and its exit code are
compared. No NumPy is imported here: the peak memory of a process is never less than that of the
process that started it.

    python -m benchmarks.whole_programs [NAME ...] [--rounds 3]
"""
from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
AGAIN = Path(__file__).parent / "again.py"
OURS = ("-m", "dynamo_lite")
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "DYNAMO_THREADS": "1"}
RELATIVE, ABSOLUTE = 0.03, 0.1
"""How much longer than under `python`, in part of it and in seconds, is not yet slower."""


@dataclass(frozen=True)
class Run:
    """One process: its CPU seconds, its peak memory in MB, and its result."""

    seconds: float
    peak: float
    stdout: bytes
    stderr: bytes
    code: int


@dataclass(frozen=True)
class Measured:
    """The runs of one program, one of each kind for each round; of the two last kinds, the seconds
    are those of the third pass in one process."""

    name: str
    plain: tuple[Run, ...]
    first: tuple[Run, ...]
    second: tuple[Run, ...]
    plain_third: tuple[Run, ...]
    third: tuple[Run, ...]

    def differences(self) -> list[str]:
        """The parts of the result that are not the same in all runs."""
        alike = (*self.plain, *self.first, *self.second), (*self.plain_third, *self.third)
        return [part for part in ("stdout", "stderr", "code")
                if any(len({getattr(run, part) for run in runs}) > 1 for runs in alike)]

    def ratios(self) -> list[float]:
        """What `python` took in what ours did: first run, second run, and third pass."""
        pairs = (self.plain, self.first), (self.plain, self.second), (self.plain_third, self.third)
        return [best(plain) / best(ours) for plain, ours in pairs]

    def memory(self) -> float:
        """MB by which the peak is higher than under `python`."""
        return peak((*self.first, *self.second)) - peak(self.plain)


def best(runs: Sequence[Run]) -> float:
    return min(run.seconds for run in runs)


def peak(runs: Sequence[Run]) -> float:
    return max(run.peak for run in runs)


def run(cache: str, *arguments: str) -> Run:
    environment = {**os.environ, **ONE_THREAD, "DYNAMO_CACHE_DIR": cache}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            [sys.executable, *arguments], stdout=out, stderr=err, env=environment
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return Run(
            usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024,
            out.read(), err.read(), process.returncode,
        )  # fmt: skip


def third_pass(cache: str, program: str, *prefix: str) -> Run:
    """The program is run three times in one process."""
    with tempfile.NamedTemporaryFile() as report:
        found = run(cache, *prefix, str(AGAIN), report.name, program)
        return replace(found, seconds=json.load(report)[-1])


def one_round(file: Path) -> tuple[Run, ...]:
    program = str(file)
    with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryDirectory() as other:
        return (
            run(cache, program), run(cache, *OURS, program), run(cache, *OURS, program),
            third_pass(other, program), third_pass(other, program, *OURS),
        )  # fmt: skip


def measure(program: Path, rounds: int) -> Measured:
    return Measured(program.stem, *zip(*(one_round(program) for _ in range(rounds))))


def show(measured: Measured) -> None:
    differences = measured.differences()
    print(
        f"{measured.name:24} {best(measured.plain):7.2f} "
        + " ".join(f"{ratio:7.2f}" for ratio in measured.ratios())
        + f" {measured.memory():+8.1f}  "
        + (f"DIFFERS ({', '.join(differences)})" if differences else "same"),
        flush=True,
    )


def summarise(kind: str, pairs: Sequence[tuple[float, float]]) -> None:
    """Print what the pairs of seconds, under `python` and ours, come to."""
    ratios = [plain / ours for plain, ours in pairs]
    slower = sum(ours > plain * (1 + RELATIVE) + ABSOLUTE for plain, ours in pairs)
    print(
        f"{kind}: geometric mean {statistics.geometric_mean(ratios):.2f}, "
        f"worst {min(ratios):.2f}, slower by more than {RELATIVE:.0%} and {ABSOLUTE} s: "
        f"{slower} of {len(pairs)}"
    )


def main(programs: Sequence[Path], rounds: int) -> int:
    """The exit status: 1 if the result of any program differs between its runs."""
    columns = ("plain s", "first", "second", "third")
    print(f"{'program':24} {' '.join(f'{name:>7}' for name in columns)} {'MB more':>8}  result")
    results = []
    for program in programs:
        results.append(measure(program, rounds))
        show(results[-1])
    summarise("first run", [(best(each.plain), best(each.first)) for each in results])
    summarise("second run", [(best(each.plain), best(each.second)) for each in results])
    summarise("third pass", [(best(each.plain_third), best(each.third)) for each in results])
    return int(any(each.differences() for each in results))


def named(names: Sequence[str]) -> list[Path]:
    """The files of the programs; all of them where none is named."""
    files = {file.stem: file for file in sorted(PROGRAMS.glob("*.py"))}
    if unknown := [name for name in names if name not in files]:
        sys.exit(f"no such program: {', '.join(unknown)}")
    return [files[name] for name in names or files]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measure whole-script mode with whole programs.")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    sys.exit(main(named(arguments.names), arguments.rounds))
