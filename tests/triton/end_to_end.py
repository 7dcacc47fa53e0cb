"""The tests of the CPU's backend on the host device, with a count of what ran their graphs.

    python -m tests.triton.end_to_end tests/compile -n 2 --counts counts.json

runs pytest with every graph that tests leave to "llvm" or "auto" compiled by Triton's backend, its
kernels in the interpreter. Each test is a line of the JSON file: its outcome, why it failed, how
many graphs it compiled, their kernels (Triton's and NumPy's), calls of NumPy, launches and
bail-outs. A summary follows, for the tests that compiled anything. A test has `SECONDS` of the
processor.
"""
from __future__ import annotations

import json
import signal
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from dynamo_lite.backends import registry
from dynamo_lite.backends.loop_ir.program import Extern, all_steps
from dynamo_lite.backends.triton import backend
from dynamo_lite.backends.triton.devices import host
from dynamo_lite.backends.triton.devices.host_kernels import HostKernel
from dynamo_lite.backends.triton.plans import plan

from dynamo_lite.base.config import config

SECONDS = 60
KNOWN = {
    "test_profile.py": "profiles tell times of LLVM's kernels",
    "test_unprofitable.py::test_what_is_left": "what is left to NumPy is decided by LLVM's times",
    "test_unprofitable.py::test_an_operation_in_place": "what is left is decided by LLVM's times",
    "test_library_calls.py::test_what_is_left_to_python": "what is left is decided by LLVM's times",
    "test_trials.py": "interpreted kernels are slower than Python, so that no remedy helps",
    "test_interrupts.py": "signals come at instants of native loops; those of a plan are Python's",
    "test_watched.py::test_a_setting_compiles_all_the_same":
        "what watches a program sees Triton's interpreter, which is Python",
    "test_threads.py::test_compiling_in_signal_handlers":
        "signals come every 2 ms, and what their handler calls takes longer when it is interpreted",
    "test_loops.py::test_time_to_compile_does_not_grow_with_the_number_of_rounds":
        "so many rounds of interpreted kernels take minutes",
    "test_artifacts.py::test_each_compilation_has_its_files": "it looks for LLVM's files",
    "test_options.py::test_kernels_and_their_order_are_told_also_with_a_warm_cache":
        "what is told of the schedule and the cache is LLVM's",
}
"""Tests that may fail, by parts of their names, and what in them is LLVM's alone."""
UNRUN = "test_interrupts.py"
"""Tests that would end the run."""
TAKEN_OVER = ("auto", "llvm")


class TooLong(Exception):
    """The test's time is over."""


class Counts:
    """What the graphs of the test that runs now were made of."""

    def __init__(self) -> None:
        self.now: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()

    def begin(self) -> None:
        self.now.clear()
        self.reasons.clear()

    def program(self, program: Any) -> None:
        steps = list(all_steps(program.steps))
        self.now["graphs"] += 1
        self.now["calls of NumPy"] += sum(isinstance(step, Extern) for step in steps)
        self.reasons.update(note for note in program.notes if "a call of NumPy" in note)

    def made(self, kernel: Any) -> None:
        if not isinstance(kernel, HostKernel):
            self.now["kernels of Triton"] += 1
        elif kernel.why:
            self.now["kernels that NumPy runs"] += 1
            self.reasons[f"kernel: {kernel.why}"] += 1
        else:
            self.now["kernels of numbers on the host"] += 1

    def bailed_out(self, reason: Exception) -> None:
        self.now["bail-outs"] += 1
        what = f"{type(reason).__name__}: {str(reason)[:100]}"
        if isinstance(reason, plan.BailOut):
            what = line_of(reason)
        self.reasons[f"bail-out: {what}"] += 1


COUNTS = Counts()
TEXTS: dict[Any, str] = {}
"""The text of each plan, by its code."""


def line_of(reason: Exception) -> str:
    """The line of a plan that gave up."""
    traceback = reason.__traceback__
    assert traceback is not None
    return TEXTS[traceback.tb_frame.f_code].splitlines()[traceback.tb_lineno - 1].strip()


def kept(before: Any) -> Any:
    """What makes functions of texts, which are kept."""
    def function(self: Any, text: str, *args: Any) -> Any:
        run = before(self, text, *args)
        TEXTS[run.__code__] = text
        return run

    return function


def counted(before: Any, count: Any, given: bool = False) -> Any:
    """`before`, whose argument (or result) is counted."""
    def call(*args: Any) -> Any:
        result = before(*args)
        count(args[0] if given else result)
        return result

    return call


def launched(before: Any) -> Any:
    """The launcher of a kernel, which counts what is launched."""
    def make(*args: Any) -> Any:
        launch = before(*args)

        def run(*values: Any) -> None:
            COUNTS.now["launches"] += 1
            launch(*values)

        return run

    return make


def pytest_addoption(parser: Any) -> None:
    parser.addoption("--counts", help="where the counts of each test are written, as JSON")


def pytest_configure(config: Any) -> None:
    config.stash[RESULTS] = []
    take_over()


RESULTS = pytest.StashKey[list[dict[str, Any]]]()


def take_over() -> None:
    """Let Triton's backend have all graphs, and count them."""
    config.interpret = True
    for name in TAKEN_OVER:
        registry.BUILT_IN[name] = registry.BUILT_IN["triton"]
    backend.compile_program = counted(backend.compile_program, COUNTS.program, given=True)
    backend.made_for = counted(backend.made_for, COUNTS.made)
    plan.PlanWriter.function = kept(plan.PlanWriter.function)
    plan.say = counted(plan.say, COUNTS.bailed_out, given=True)
    host.HostDevice.launcher = launched(host.HostDevice.launcher)


def pytest_collection_modifyitems(items: list[Any]) -> None:
    for item in items:
        for name, reason in KNOWN.items():
            if name in item.nodeid:
                mark = pytest.mark.skip if UNRUN in name else pytest.mark.xfail
                item.add_marker(mark(reason=f"{OF_LLVM}: {reason}"))


OF_LLVM = "of LLVM's backend alone"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: Any) -> Any:
    def stop(number: int, frame: Any) -> None:
        raise TooLong(f"{SECONDS} s")

    COUNTS.begin()
    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        item.user_properties.append(("counts", [dict(COUNTS.now), dict(COUNTS.reasons)]))


def pytest_runtest_logreport(report: Any) -> None:
    found = dict(report.user_properties).get("counts")
    if report.when == "setup" and report.skipped and OF_LLVM in str(report.longrepr):
        SEEN.append({"test": report.nodeid, "outcome": "left out", "why": "", "seconds": 0,
                     "counts": {}, "reasons": {}})
    if report.when == "call" and found is not None:
        outcome = "left out" if report.skipped and hasattr(report, "wasxfail") else report.outcome
        SEEN.append({"test": report.nodeid, "outcome": outcome, "why": why(report),
                     "seconds": round(report.duration, 2), "counts": found[0],
                     "reasons": found[1]})


SEEN: list[dict[str, Any]] = []


def why(report: Any) -> str:
    """The last line of what a test that failed says, the error."""
    crash = getattr(report.longrepr, "reprcrash", None)
    return "" if crash is None else str(crash.message).strip().replace("\n", " ")[:300]


def pytest_terminal_summary(terminalreporter: Any, config: Any) -> None:
    if (path := config.getoption("counts")) is not None:
        Path(path).write_text("[\n" + ",\n".join(map(json.dumps, SEEN)) + "\n]\n")
    for line in summary(SEEN):
        terminalreporter.write_line(line)


def summary(seen: list[dict[str, Any]]) -> list[str]:
    """The figures, for the tests that compiled anything."""
    concerned = [
        one for one in seen if one["counts"].get("graphs") and one["outcome"] != "skipped"]
    total = sum((Counter(one["counts"]) for one in concerned), Counter())
    passed = sum(one["outcome"] == "passed" for one in concerned)
    launching = sum(bool(one["counts"].get("launches")) for one in concerned)
    unrun = sum(UNRUN in one["test"] for one in seen)
    left_out = sum(one["outcome"] == "left out" for one in concerned) + unrun
    share = 100 * passed / max(1, len(concerned) + unrun)
    lines = [f"{len(concerned)} of {len(seen)} tests compile graphs: {passed} pass ({share:.1f} %)"
             f", {launching} launch kernels of Triton; {left_out} are about LLVM alone"]
    lines += [f"  {count:7} {name}" for name, count in total.most_common()]
    reasons = sum((Counter(one["reasons"]) for one in concerned), Counter())
    lines += [f"  {count:7} {reason}" for reason, count in reasons.most_common(40)]
    lines += [f"  {one['outcome']} {one['test']}: {one['why']}" for one in concerned
              if one["outcome"] == "failed"]
    return lines


if __name__ == "__main__":
    sys.exit(pytest.main(["-q", "--tb=short", "-p", "tests.triton.end_to_end", *sys.argv[1:]]))
