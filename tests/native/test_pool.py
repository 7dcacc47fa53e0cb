"""The thread pool: every element once, whoever works; floating-point flags, threads, fork."""
from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from dynamo_lite.native import _core

from .machine_code import entry

BODY = """
define internal void @body(ptr %env, i64 %begin, i64 %end) {
entry:
  %x = load ptr, ptr %env
  %envp = getelementptr ptr, ptr %env, i64 1
  %chunks = load ptr, ptr %envp
  %mark = getelementptr i64, ptr %chunks, i64 %begin
  store i64 %end, ptr %mark
  br label %loop
loop:
  %i = phi i64 [%begin, %entry], [%next, %loop]
  %p = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %p
  %w = fdiv double 1.0, %v
  store double %w, ptr %p
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}
"""

# Replaces x by 1/x in place; chunks[begin] becomes the end of each chunk.
INVERT = BODY + """
define i32 @entry(ptr %f) {
  %x = call ptr @input(ptr %f, i64 0)
  %chunks = call ptr @input(ptr %f, i64 1)
  %cost = call ptr @input(ptr %f, i64 2)
  %out = alloca i64
  %unbox = call ptr @runtime(ptr %f, i64 8)
  call i32 %unbox(ptr %cost, ptr %out)
  %ns = load i64, ptr %out
  %shape = call ptr @shape(ptr %x)
  %n = load i64, ptr %shape
  %env = alloca [2 x ptr]
  %xdata = call ptr @data(ptr %x)
  store ptr %xdata, ptr %env
  %envp = getelementptr ptr, ptr %env, i64 1
  %cdata = call ptr @data(ptr %chunks)
  store ptr %cdata, ptr %envp
  %parallel = call ptr @runtime(ptr %f, i64 2)
  call void %parallel(ptr %f, ptr @body, ptr %env, i64 %n, i64 %ns)
  %hold = call ptr @runtime(ptr %f, i64 15)
  call void %hold(ptr %f, i64 0, ptr %x)
  ret i32 0
}
"""

MILLISECOND = 1_000_000


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    before = _core.get_num_threads()
    _core.set_num_threads(4)
    yield
    _core.set_num_threads(before)


@pytest.fixture(scope="module")
def invert() -> Any:
    return entry(INVERT, 3)


def chunks_of(invert: Any, n: int, cost_ns: int) -> list[tuple[int, int]]:
    x, ends = np.full(n, 2.0), np.zeros(n, np.int64)
    assert invert(x, ends, cost_ns) is x
    assert (x == 0.5).all()
    return [(int(begin), int(ends[begin])) for begin in np.flatnonzero(ends)]


@pytest.mark.parametrize("n", [1, 2, 7, 63, 4095, 4096, 4097, 100_003])
@pytest.mark.parametrize("cost_ns", [0, 15_000, 30_000, MILLISECOND, 10**12])
def test_chunks_cover_the_range_once(invert: Any, n: int, cost_ns: int) -> None:
    chunks = chunks_of(invert, n, cost_ns)
    assert [begin for begin, _ in chunks] == [0] + [end for _, end in chunks[:-1]]
    assert chunks[-1][1] == n and len(chunks) <= 4 * 8
    if n >= 4096:
        assert all(begin % 64 == 0 for begin, _ in chunks)


def test_small_work_stays_whole(invert: Any) -> None:
    assert chunks_of(invert, 100_000, 19_000) == [(0, 100_000)]
    assert len(chunks_of(invert, 100_000, 10 * MILLISECOND)) > 8


def test_one_thread_stays_whole(invert: Any) -> None:
    _core.set_num_threads(1)
    assert chunks_of(invert, 100_000, MILLISECOND) == [(0, 100_000)]


def test_threads_side_by_side_use_their_share(invert: Any) -> None:
    found: dict[int, int] = {}

    def work(count: int) -> None:
        _core.share_threads(count)
        found[count] = len(chunks_of(invert, 100_000, 10 * MILLISECOND))

    for count in 1, 2, 4, 9:
        thread = threading.Thread(target=work, args=(count,))
        thread.start()
        thread.join()
    assert found[1] > found[2] > 1 and found[4] == found[9] == 1
    assert len(chunks_of(invert, 100_000, 10 * MILLISECOND)) == found[1]
    with pytest.raises(ValueError, match="0 threads cannot share"):
        _core.share_threads(0)


def test_an_empty_range(invert: Any) -> None:
    assert invert(np.ones(0), np.zeros(0, np.int64), MILLISECOND).size == 0


@pytest.mark.parametrize("position", [0, 50_000, 99_999])
def test_flags_of_every_thread_count(invert: Any, position: int) -> None:
    for _ in range(20):
        x = np.ones(100_000)
        x[position] = 0
        assert invert(x, np.zeros(x.size, np.int64), MILLISECOND) is _core.BAILOUT
        with np.errstate(divide="ignore"):
            x[position] = 0
            assert invert(x, np.zeros(x.size, np.int64), MILLISECOND) is x
    assert invert(np.ones(100_000), np.zeros(100_000, np.int64), MILLISECOND) is not _core.BAILOUT


def test_calls_from_several_python_threads(invert: Any) -> None:
    failures: list[str] = []

    def work(seed: int) -> None:
        for i in range(60):
            n = 5000 + 131 * seed + i
            x = np.full(n, 4.0)
            invert(x, np.zeros(n, np.int64), MILLISECOND)
            if not (x == 0.25).all():
                failures.append(f"{seed}: {i}")

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert failures == []


def test_threads_can_change_while_others_work(invert: Any) -> None:
    stop = threading.Event()

    def change() -> None:
        count = 1
        while not stop.is_set():
            _core.set_num_threads(count % 5 + 1)
            count += 1

    changer = threading.Thread(target=change)
    changer.start()
    for _ in range(200):
        chunks_of(invert, 10_000, MILLISECOND)
    stop.set()
    changer.join()


def test_sleeping_workers_wake_up(invert: Any) -> None:
    for _ in range(5):
        chunks_of(invert, 10_000, MILLISECOND)
        time.sleep(0.01)


def test_the_gil_is_released_for_long_work(invert: Any) -> None:
    _core.set_num_threads(1)
    n = 20_000_000
    x, ends = np.ones(n), np.zeros(n, np.int64)
    ticks, started, done = 0, threading.Event(), threading.Event()

    def tick() -> None:
        nonlocal ticks
        started.set()
        while not done.is_set():
            ticks += 1
            time.sleep(0.0005)

    ticker = threading.Thread(target=tick)
    ticker.start()
    started.wait()
    before = ticks
    invert(x, ends, 10 * MILLISECOND)
    during = ticks - before
    done.set()
    ticker.join()
    assert during > 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_has_its_own_pool(invert: Any) -> None:
    chunks_of(invert, 100_000, MILLISECOND)
    child = os.fork()
    if child == 0:
        try:
            chunks_of(invert, 100_000, MILLISECOND)
            chunks_of(invert, 100_000, MILLISECOND)
            os._exit(0)
        except BaseException:
            os._exit(1)
    for _ in range(20):
        chunks_of(invert, 100_000, MILLISECOND)
    assert os.waitpid(child, 0)[1] == 0


def test_the_number_of_threads() -> None:
    _core.set_num_threads(3)
    assert _core.get_num_threads() == 3
    for wrong in (0, -1, 10**6):
        with pytest.raises(ValueError, match="threads must be from 1"):
            _core.set_num_threads(wrong)
    with pytest.raises(TypeError):
        _core.set_num_threads("2")


def reported_threads(setting: str | None) -> int:
    environment = {key: value for key, value in os.environ.items() if key != "DYNAMO_THREADS"}
    if setting is not None:
        environment["DYNAMO_THREADS"] = setting
    program = "from dynamo_lite.native import _core; print(_core.get_num_threads())"
    command = [sys.executable, "-c", program]
    return int(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)


def test_the_environment_sets_the_number_of_threads() -> None:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert reported_threads("3") == 3
    assert reported_threads(None) == reported_threads("0") == usable


def test_a_process_ends_while_workers_spin() -> None:
    program = "\n".join((
        "import numpy as np",
        "from dynamo_lite.native import _core",
        "from native.test_pool import INVERT, entry",
        "_core.set_num_threads(4)",
        "x = np.ones(100_000)",
        "entry(INVERT, 3)(x, np.zeros(x.size, np.int64), 1_000_000)",
        "print(x.sum())",
    ))
    tests = os.path.dirname(os.path.dirname(__file__))
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tests, capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"100000.0\n", b"")
