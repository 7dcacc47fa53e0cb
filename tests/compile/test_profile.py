"""`dl.profile()`: every nanosecond of a compiled call has a kernel, a line or a reason."""
from __future__ import annotations

import json
import threading

import numpy as np
import pytest
from dynamo_lite.backends.hints import hints_of
from dynamo_lite.backends.loop_ir.program import all_steps, works
from dynamo_lite.backends.lowering.lower import lower
from dynamo_lite.backends.lowering.provenance import operations_of
from scripts import PREFIX, run

import dynamo_lite as dl
from dynamo_lite.ir.passes import optimize
from dynamo_lite.native import get_num_threads, set_num_threads
from dynamo_lite.reports import limits, spent

HERE = __file__


@pytest.fixture(autouse=True)
def known_limits(monkeypatch):
    monkeypatch.setattr(limits, "limits", lambda rows=(): dl_limits())


def distances(x, means):
    away = x - means[:, None]
    far = np.sqrt((away * away).sum(axis=2))
    return far.argmin(axis=0)


POINTS = np.random.default_rng(0).random((40_000, 2))


def line_numbers(profile):
    return {row.location.line - distances.__code__.co_firstlineno for row in profile.lines
            if row.location.filename == HERE}


def profiled(function, *args):
    compiled = dl.compile(function)
    compiled(*args)
    with dl.profile() as found:
        compiled(*args)
    return found


def test_kernels_lines_and_functions_are_told():
    found = profiled(distances, POINTS, POINTS[:3])
    (kernel,) = found.kernels
    assert kernel.kind == "kernels" and kernel.launches == 1
    assert {"sqrt", "argmin", "subtract"} <= {*kernel.operations}
    assert line_numbers(found) >= {1, 2, 3}
    (function,) = found.functions
    assert (function.name, function.calls) == ("distances", 1)
    assert kernel.place.endswith(f"test_profile.py:{distances.__code__.co_firstlineno + 1}-"
                                 f"{distances.__code__.co_firstlineno + 3}")


def test_all_that_is_counted_adds_up():
    found = profiled(distances, POINTS, POINTS[:3])
    kernels = sum(row.seconds for row in found.kernels)
    assert sum(row.seconds for row in found.lines) == pytest.approx(
        kernels + found.spent["between graphs"])
    assert kernels < sum(found.spent.values()) <= found.seconds
    assert "guards" in found.spent and "allocation" in found.spent


def test_bytes_and_operations_are_those_of_the_arrays():
    found = profiled(lambda x, y: x * y + 1.0, np.ones(50_000), np.ones(50_000))
    (kernel,) = found.kernels
    assert (kernel.nbytes, kernel.steps) == (3 * 8 * 50_000, 2 * 50_000)
    assert kernel.bandwidth == kernel.nbytes / kernel.seconds
    assert kernel.of_limit(dl_limits()) == max(kernel.bandwidth, kernel.speed) / 1e10


def test_the_parts_of_a_sum_are_one_sum():
    """Each thread adds a part."""
    found = profiled(lambda x: (x * x).sum(), np.ones(3_000_000))
    steps = sum(row.steps for row in found.kernels)
    assert 2 * 3_000_000 <= steps <= 2 * 3_000_000 + 1000


def test_rows_that_are_gone_through_several_times_are_moved_once():
    """Each pass over the rows has an axis of its own."""
    def standardised(x):
        return (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)

    found = profiled(standardised, np.random.default_rng(0).random((300, 200)))
    assert sum(row.nbytes for row in found.kernels) <= 6 * 8 * 300 * 200


def test_an_array_beside_a_part_of_it_is_not_larger():
    found = profiled(lambda x: x * 2 + x[:, :1] * 3, np.ones((200, 9)))
    assert sum(row.nbytes for row in found.kernels) <= 3 * 8 * 200 * 9


def test_a_sum_in_blocks_beside_others_counts_for_its_line():
    found = profiled(lambda x: x / x.sum(axis=1, keepdims=True) / x.sum(), np.ones((700, 200)))
    assert {name for row in found.kernels for name in row.operations} == {"divide", "sum"}


def test_a_product_is_one_whose_memory_is_used_again_too():
    def layers(x, w):
        for _ in range(2):
            x = np.tanh(x @ w)
        return x / x.sum(axis=1, keepdims=True)

    weights = np.random.default_rng(0).random((80, 80))
    found = profiled(layers, np.ones((300, 80)), weights)
    products = [row.operations for row in found.kernels if row.kind == "matrix products"]
    assert products == [("matmul",)] * 2


def dl_limits():
    return limits.Limits(2, (1e10,) * len(limits.COPIED), 1e10)


def test_parts_of_one_array_are_told_of_once():
    """Else compiling a table of hundreds of columns would take the square of that."""
    def table(x, y):
        return np.concatenate([np.where(x > k, x * k, y).sum(axis=1) for k in range(1, 40)])

    (graph,) = dl.explain(table)(np.ones((5, 6)), np.ones((5, 6))).graphs
    program = lower(optimize(graph))
    of_step = operations_of(program, hints_of(program.symbols, program.unbacked))
    found = [of_step(step) for step in all_steps(program.steps) if works(step)]
    assert len(found) > 39 and len({*map(id, found)}) < 10


def test_sizes_that_vary_are_those_of_each_call():
    compiled = dl.compile(lambda x: x + 1.0, dynamic=True)
    compiled(np.ones(7))
    with dl.profile() as found:
        compiled(np.ones(1000))
        compiled(np.ones(500))
    (kernel,) = found.kernels
    assert (kernel.launches, kernel.nbytes, kernel.steps) == (2, 16 * 1500, 1500)


def test_a_reduction_in_parts_counts_for_its_line():
    found = profiled(lambda x: x.sum(), np.ones(3_000_000))
    assert {name for row in found.kernels for name in row.operations} == {"sum"} or (
        {name for row in found.kernels for name in row.operations} == {"reduce"})
    assert all(row.locations for row in found.kernels)


def test_calls_of_numpy_products_and_loops():
    def mixed(x, n):
        total = np.sort(x)[0]
        for _ in range(n):
            total = total * 0.5 + x[0]
        return (x[:, None] * x) @ x + total

    kinds = {row.kind for row in profiled(mixed, np.random.rand(64), 50).kernels}
    assert {"calls of NumPy", "matrix products", "kernels"} <= kinds


def test_what_python_runs_counts_for_the_line_of_the_break():
    def broken(x):
        y = x * 2
        print(end="")
        return y + 1

    found = profiled(broken, np.ones(100))
    python = [row for row in found.lines if row.in_python]
    assert 'print(end="")' in [row.text for row in python]
    assert len(found.functions) == 1 and found.functions[0].calls == 1


def test_a_function_that_bails_out_is_in_python():
    compiled = dl.compile(lambda x: 1 / x)
    compiled(np.ones(10))
    with dl.profile() as found, np.errstate(divide="warn"), pytest.warns(RuntimeWarning):
        compiled(np.zeros(10))
    assert found.spent["in Python"] > 0


def test_compiling_is_told_apart():
    with dl.profile() as found:
        dl.compile(distances)(POINTS[:100], POINTS[:3])
    assert max(found.spent, key=found.spent.get) == "compiling"


def test_nothing_is_counted_outside():
    compiled = dl.compile(distances)
    compiled(POINTS, POINTS[:3])
    with dl.profile() as found:
        pass
    compiled(POINTS, POINTS[:3])
    assert not found.totals and not found.kernels and not found.lines
    assert str(found) == "no compiled function was called"


def test_profiles_inside_profiles():
    compiled = dl.compile(lambda x: x + 1)
    compiled(np.ones(10))
    with dl.profile() as outer:
        compiled(np.ones(10))
        with dl.profile() as inner:
            compiled(np.ones(10))
        compiled(np.ones(10))
    assert [row.launches for row in outer.kernels] == [3]
    assert [row.launches for row in inner.kernels] == [1]


def test_a_profile_adds_up():
    compiled, found = dl.compile(lambda x: x + 1), dl.profile()
    compiled(np.ones(10))
    for _ in range(3):
        with found:
            compiled(np.ones(10))
    assert [row.launches for row in found.kernels] == [3]
    assert [row.calls for row in found.functions] == [3]


def test_as_a_decorator():
    compiled = dl.compile(lambda x: x + 1)
    compiled(np.ones(10))

    @dl.profile()
    def program(depth):
        """What it does."""
        compiled(np.ones(10))
        return depth and program(depth - 1)

    assert program(2) == 0 and program.__doc__ == "What it does."
    assert [row.launches for row in program.profile.kernels] == [3]


def test_a_block_that_raises_is_measured():
    compiled, found = dl.compile(lambda x: x + 1), dl.profile()
    with pytest.raises(ZeroDivisionError), found:
        compiled(np.ones(10))
        1 / 0
    assert found.kernels and found.seconds > 0


def test_results_are_the_same():
    compiled = dl.compile(distances)
    with dl.profile():
        given = compiled(POINTS, POINTS[:3])
    np.testing.assert_array_equal(given, distances(POINTS, POINTS[:3]))


def test_nested_calls_count_once():
    def inner(x):
        return np.sort(x)

    compiled = dl.compile(inner)

    @dl.compile
    def outer(x):
        y = x + 1
        print(end="")
        return calls(y)

    @dl.disable
    def calls(x):
        return compiled(x) + compiled(x)

    outer(np.ones(5000))
    with dl.profile() as found:
        outer(np.ones(5000))
    assert sum(found.spent.values()) <= found.seconds


def test_other_threads_have_times_of_their_own():
    compiled, x = dl.compile(lambda x: np.exp(x) + 1), np.ones(1000)
    compiled(x)
    with dl.profile() as found:
        threads = [threading.Thread(target=lambda: [compiled(x) for _ in range(20)])
                   for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [row.launches for row in found.kernels] == [40]
    assert len({one.thread for one in found.slices if one.step >= 0}) in (1, 2)


def test_waiting_for_threads_is_a_part_of_the_kernel():
    threads = get_num_threads()
    set_num_threads(2)
    try:
        found = profiled(lambda x: np.exp(x), np.ones(500_000))
    finally:
        set_num_threads(threads)
    (kernel,) = found.kernels
    assert 0 < kernel.waiting < kernel.seconds and found.waiting == kernel.waiting


def test_the_timeline_is_a_trace_that_perfetto_reads(tmp_path):
    found = profiled(distances, POINTS, POINTS[:3])
    found.export(tmp_path / "trace.json")
    made = json.loads((tmp_path / "trace.json").read_text())
    events = made["traceEvents"]
    assert made["displayTimeUnit"] == "ms" and made["otherData"]["is_cut"] is False
    assert {event["ph"] for event in events} == {"M", "X"}
    stretches = [event for event in events if event["ph"] == "X"]
    for event in stretches:
        assert {"name", "cat", "ts", "dur", "pid", "tid", "args"} == event.keys() - {"ph"}
        assert event["ts"] >= 0 and event["dur"] >= 0 and isinstance(event["name"], str)
    kernel = next(event for event in stretches if event["cat"] == "kernels")
    call = next(event for event in stretches if event["cat"] == "call")
    assert call["name"] == "distances" and "sqrt" in kernel["args"]["operations"]
    assert call["ts"] <= kernel["ts"]
    assert kernel["ts"] + kernel["dur"] <= call["ts"] + call["dur"]


def test_stretches_of_a_thread_lie_inside_each_other():
    found = profiled(distances, POINTS, POINTS[:3])
    slices = sorted(found.slices, key=lambda one: (one.begin, -one.spent))
    open_ends = []
    for one in slices:
        while open_ends and open_ends[-1] <= one.begin:
            open_ends.pop()
        assert not open_ends or one.begin + one.spent <= open_ends[-1]
        open_ends.append(one.begin + one.spent)


def test_a_profile_for_people():
    found = profiled(distances, POINTS, POINTS[:3])
    told = str(found)
    for word in ("kernel0", "GB/s", "far = np.sqrt((away * away).sum(axis=2))", "distances"):
        assert word in told, word
    assert repr(found).startswith("<profile: ") and "\n" not in repr(found)
    page = found._repr_html_()
    assert page.count("<table>") == 3 and "kernel0" in page


def test_lines_are_those_of_this_program_where_code_comes_from_disk(tmp_path):
    programs = ["def f(x):\n    y = x + 1\n    return y * 2\n",
                "def f(x):\n\n\n    return (x + 1) * 2\n",
                "def f(x):\n\n    y = x + 1\n    return y * 2\n"]
    found = []
    with dl.config.patch(cache=True, cache_dir=str(tmp_path)):
        for number, program in enumerate(programs):
            names = {}
            exec(compile(program, f"program{number}.py", "exec"), names)
            found.append({row.location.line for row in profiled(names["f"], np.ones(500)).lines
                          if not row.in_python})
    assert found == [{2, 3}, {4}, {3, 4}]


def test_whole_programs(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\ndef f(x):\n    return np.exp(x).sum()\n"
        "for _ in range(3):\n    f(np.ones(1000))\nprint('done')\n")
    timeline = tmp_path / "trace.json"
    code, out, err = run(*PREFIX, f"--profile={timeline}", str(program))
    assert (code, out) == (0, "done\n")
    assert "program.py:3" in err and "return np.exp(x).sum()" in err
    events = json.loads(timeline.read_text())["traceEvents"]
    assert "kernels" in {event.get("cat") for event in events}


def test_a_timeline_that_cannot_be_written_is_no_error_of_the_program(tmp_path):
    code, out, err = run(*PREFIX, f"--profile={tmp_path}/none/t.json", "-c", "print('done')")
    assert (code, out) == (0, "done\n")
    assert "dynamo_lite cannot write the profile: [Errno 2]" in err


def test_the_kinds_are_those_of_the_core():
    header = open(spent.__file__.replace("reports/spent.py", "native/base/spans.h")).read()
    listed = header.split("enum class Spent {")[1].split("}")[0].split(",")
    assert len(listed) == len(spent.KINDS)
