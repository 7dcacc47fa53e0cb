"""Settings, logs, explanations and statistics."""
import gc
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.base import logs
from dynamo_lite.base.config import Config, read_environment
from dynamo_lite.native import get_num_threads
from tests.oracle import same

X = np.arange(4.0)


def breaking(x):
    y = x + 1
    dl.graph_break()
    return y * 2


LINE = breaking.__code__.co_firstlineno + 2


@pytest.fixture
def logged(capsys):
    """Switch artifacts on; the result gives the lines logged since."""
    def lines(spec=None):
        if spec is not None:
            logs.configure(spec)
            capsys.readouterr()
        return capsys.readouterr().err.splitlines()

    yield lines
    logs.configure("")


def test_settings_come_from_the_environment():
    read = read_environment({"DYNAMO_STRICT": "1", "DYNAMO_RECOMPILE_LIMIT": "3", "OTHER": "x"})
    assert read == Config(strict=True, recompile_limit=3)


def test_settings_are_changed_and_patched():
    before = dl.config.recompile_limit
    with dl.config.patch(recompile_limit=2):
        assert dl.config.recompile_limit == 2
    assert dl.config.recompile_limit == before
    with pytest.raises(AttributeError, match="no_such"):
        dl.config.no_such = 1
    with pytest.raises(TypeError, match="recompile_limit"):
        dl.config.recompile_limit = "8"


def test_settings_are_followed_at_once(capsys):
    threads = get_num_threads()
    with dl.config.patch(logs="graph_code", threads=threads + 1):
        dl.compile(lambda x: x + 1, backend="eager")(X)
        assert get_num_threads() == threads + 1
    dl.compile(lambda x: x + 1, backend="eager")(X)
    assert get_num_threads() == threads and capsys.readouterr().err.count("def graph") == 1
    for wrong in ({"logs": "nothing"}, {"threads": -1}):
        with pytest.raises(ValueError), dl.config.patch(**wrong):
            pass
    assert dl.config.logs == "" and dl.config.threads == 0


def test_settings_of_a_function_are_nobody_elses():
    """Also while another thread compiles with others."""
    before, started, ended = repr(dl.config), threading.Barrier(2), threading.Event()

    def first(graph, inputs):
        started.wait(60)
        return graph

    def second(graph, inputs):
        started.wait(60)
        ended.wait(60)
        return graph

    one, other = (
        dl.compile(lambda x: x + 1, backend=backend, options={"unroll_budget": budget})
        for backend, budget in ((first, 7), (second, 8))
    )
    thread = threading.Thread(target=other, args=(X,))
    thread.start()
    one(X)
    ended.set()
    thread.join()
    assert repr(dl.config) == before


def test_what_settings_of_a_function_do():
    def converted(x):
        return float(x.sum()) + x

    def divided(x):
        return 1 / x

    assert dl.explain(converted)(X).graph_break_count == 0
    broken = dl.explain(converted, options={"capture_scalar_outputs": False})(X)
    assert "capture_scalar_outputs" in broken.break_reasons[0]
    compiled = dl.compile(divided, options={"retire_after": 2})
    with np.errstate(all="raise"):
        for _ in range(3):
            with pytest.raises(FloatingPointError):
                compiled(X)
    assert compiled.entries()[0].retired


def test_every_line_is_marked_with_its_frame(logged):
    logged("graph_breaks,guards,graph_code,perf")
    dl.compile(breaking, backend="eager")(X)
    lines = logged()
    assert lines and all(re.match(r"\[\d+/\d+(_\d+)?\] \[\w+\] ", line) for line in lines)
    assert any(line.startswith("[0/0_1] [graph_breaks]") and f"test_observing.py:{LINE}" in line
               for line in lines)
    assert any(line.startswith("[1/0] [graph_code]") for line in lines)


def test_recompiles_are_numbered_and_explained(logged):
    compiled = dl.compile(lambda x: x + 1, backend="eager")
    compiled(X)
    logged("recompiles,guards")
    compiled(X.astype("f4"))
    lines = logged()
    assert all(line.startswith("[0/1] ") for line in lines)
    assert any("recompiling" in line and "float32" in line and "float64" in line for line in lines)


def test_nothing_is_logged_when_off(logged):
    logged("")
    dl.compile(breaking, backend="eager")(X)
    assert logged() == []
    with pytest.raises(ValueError, match="graph_breaks"):
        logs.configure("nothing")


def test_logs_from_the_environment(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import numpy as np, dynamo_lite as dl\n"
                      "f = dl.compile(lambda x: x + 1, backend='eager')\n"
                      "print(f(np.ones(2)))\n")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True,
                          env={"DYNAMO_LOGS": "+dynamo,graph_code", "PATH": ""})
    assert done.stdout == "[2. 2.]\n"
    assert "[0/0] [graph_code]" in done.stderr and "script.py:2" in done.stderr


def test_explain():
    explanation = dl.explain(breaking, backend="eager")(X)
    assert same(explanation.result, breaking(X))
    assert explanation.graph_count == 2 and explanation.op_count == 2
    (broke,) = explanation.breaks
    assert "graph break" in broke.reason and broke.location.filename == __file__
    assert same(explanation.graphs[0](X), (X + 1,))
    assert explanation.coverage == 1 and explanation.compile_seconds > 0
    assert any("float64 array of shape (4,)" in guard for guard in explanation.guards)
    text = str(explanation)
    assert "2 graphs" in text and "1 break," in text and f"{Path(__file__).name}:{LINE}" in text


def test_explaining_leaves_the_function_alone():
    compiled = dl.compile(breaking, backend="eager")
    compiled(X)
    dl.explain(compiled, backend="eager")(X)
    assert len(compiled.entries()) == 1


def test_stats():
    compiled = dl.compile(breaking, backend="eager")
    for _ in range(3):
        compiled(X)
    compiled(X.astype("f4"))
    found = dl.stats()
    assert found.graphs == 4 and found.graph_breaks == 2 and found.recompiles == 2
    assert list(found.break_reasons.values()) == [2]
    assert found.coverage == 1 and found.compile_seconds > 0
    assert "4 graphs" in str(found)


def test_coverage_of_a_whole_graph_is_one():
    dl.compile(lambda x: x + 1, backend="eager")(X)
    assert dl.stats().coverage == 1.0


def test_running_a_script(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import sys, numpy as np, dynamo_lite as dl\n"
                      "print(__name__, sys.argv[1:], dl.compile(lambda x: x + 1)(np.ones(2)))\n")
    for flags in ([], ["--explain"], ["--disable"]):
        done = subprocess.run([sys.executable, "-m", "dynamo_lite", *flags, str(script), "a", "-b"],
                              capture_output=True, text=True)
        assert done.stdout == "__main__ ['a', '-b'] [2. 2.]\n", done.stderr
        assert (" in 1 frame" in done.stderr) == (flags == ["--explain"])


def test_import_is_light():
    code = ("import sys, numpy; before = set(sys.modules); import dynamo_lite as dl; dl.compile; "
            "print([m for m in ('llvmlite', 'triton', 'optree', 'cupy') "
            "if m in set(sys.modules) - before])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


def branching(x):
    y = x + 1
    return y * 2 if y.sum() > 0 else y - 1


def unsupported_operation(x):
    return np.busday_count("2011-01", "2011-02") + x


def raising_flags(x):
    return np.sqrt(x) + 1


def test_coverage_counts_operations_on_arrays_alone():
    """Of a branch in Python nothing is an operation; a NumPy function without a graph is one."""
    assert dl.explain(branching, backend="eager")(X).coverage == 1.0
    assert dl.explain(unsupported_operation, backend="eager")(X).coverage == 1 / 2


def test_coverage_counts_calls_that_were_given_up():
    compiled = dl.compile(raising_flags, backend="eager")
    with np.errstate(all="ignore"):
        compiled(X)
    assert dl.stats().coverage == 1.0
    with pytest.warns(RuntimeWarning):
        compiled(-X)
    assert dl.stats().coverage == 1 / 2


def test_coverage_counts_functions_that_are_gone():
    for _ in range(3):
        dl.compile(lambda x: x + 1, backend="eager")(X)
    gc.collect()
    dl.compile(unsupported_operation, backend="eager")(X)
    assert dl.stats().coverage == 4 / 5


def test_a_tracer_sees_every_line_of_compiled_functions():
    def inner(x):
        return x + 1

    @dl.compile
    def f(x, k):
        y = x * 2
        return inner(y) if k else y

    def lines(k):
        seen = []

        def trace(frame, event, argument):
            if frame.f_code.co_filename == __file__:
                seen.append((frame.f_code.co_name, event, frame.f_lineno))
                return trace

        sys.settrace(trace)
        try:
            f(X, k)
        finally:
            sys.settrace(None)
        return seen

    first = lines(1)
    assert [event for name, event, _ in first if name == "inner"] == ["call", "line", "return"]
    f(X, 0), f(X, 1)
    assert lines(1) == first


def test_tracing_may_begin_and_end_within_compiled_code():
    """As line profilers do it: around the calls of one function."""
    seen = []

    def trace(frame, event, argument):
        seen.append((frame.f_code.co_name, event))
        return trace

    def inner(x):
        return x + 1

    def profiled(x):
        sys.settrace(trace)
        try:
            return inner(x)
        finally:
            sys.settrace(None)

    @dl.compile
    def f(x):
        return profiled(x * 2) * 3

    for _ in range(4):
        seen.clear()
        assert same(f(X), (X * 2 + 1) * 3)
        assert seen == [("inner", event) for event in ("call", "line", "return")]


def test_explain_and_why_say_that_a_tracer_is_active():
    sys.settrace(lambda *event: None)
    try:
        reasons = str(dl.explain(breaking)(X)), dl.why(breaking).reason
    finally:
        sys.settrace(None)
    assert all("line profiler is active" in reason for reason in reasons)
    assert "line profiler" not in dl.why(breaking).reason


def test_explain_tells_what_memory_a_call_allocates():
    x = np.ones((50, 30))

    def softmax(a):
        e = np.exp(a - a.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    for _ in range(2):  # made, and read from the disk
        told = str(dl.explain(softmax)(x))
        assert f"memory: a call allocates at most {x.nbytes:,} bytes" in told
    assert "memory:" not in str(dl.explain(lambda a: a.T)(x))
