"""Under a debugger, coverage tool or line profiler Python runs all code; one warning says so."""
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.base.config import config
from dynamo_lite.errors import DynamoWarning, FullGraphRequired
from dynamo_lite.runtime import watched
from tests.oracle import same

X = np.arange(5.0)


@pytest.fixture(autouse=True)
def unwarned():
    watched._warned.clear()
    yield
    watched._warned.clear()


def traced(function, *args, seen=None, **kwargs):
    """Call it while every line is told."""
    def trace(frame, event, arg):
        if seen is not None and event == "line":
            seen.append((frame.f_code.co_filename, frame.f_lineno))
        return trace

    sys.settrace(trace)
    try:
        return function(*args, **kwargs)
    finally:
        sys.settrace(None)


def scaled(x, k=2, *more, m=1, **named):
    y = x * k
    return y + m + sum(more) + sum(named.values())


def printing(x, k=2, *more, m=1, **named):
    y = x * k
    print(end="")
    return y + m


def test_one_warning_for_the_process():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for compiled in (dl.compile(scaled), dl.compile(printing)):
            for _ in range(3):
                assert same(traced(compiled, X), X * 2 + 1)
    assert [(w.category, w.filename) for w in caught] == [(DynamoWarning, __file__)]
    assert "DYNAMO_COMPILE_WATCHED=1" in str(caught[0].message)


@pytest.mark.parametrize("arguments", [
    ((X,), {}), ((X, 3), {"m": 2}), ((X, 3, 4, 5), {"m": 2, "z": 1}), ((), {"x": X})])
def test_fullgraph_is_checked_all_the_same(arguments):
    args, kwargs = arguments
    with pytest.warns(DynamoWarning):
        assert same(traced(dl.compile(scaled, fullgraph=True), *args, **kwargs),
                    scaled(*args, **kwargs))
    with pytest.raises(FullGraphRequired, match="print"):
        traced(dl.compile(printing, fullgraph=True), *args, **kwargs)


def test_the_calls_error_comes_from_the_function():
    with pytest.warns(DynamoWarning), pytest.raises(TypeError, match="missing 1 required"):
        traced(dl.compile(scaled, fullgraph=True))


def test_compiling_is_not_told_to_the_tracer():
    seen = []
    with pytest.warns(DynamoWarning):
        traced(dl.compile(scaled, fullgraph=True), X, seen=seen)
    assert {name for name, _ in seen} == {__file__}


def test_a_setting_compiles_all_the_same():
    compiled, seen = dl.compile(scaled), []
    with config.patch(compile_watched=True), warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            assert same(traced(compiled, X, seen=seen), scaled(X))
        told = str(traced(dl.why, compiled, seen=[]))
    assert compiled.unfit == 0 and compiled.entries()[0].hits == 2
    assert "debugger" not in told
    assert {name for name, _ in seen} <= {__file__}


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text("import numpy as np, dynamo_lite as dl\n"
                    "@dl.compile\n"
                    "def f(x):\n"
                    "    y = x + 1\n"
                    "    return y * 2\n"
                    "for _ in range(3):\n"
                    "    f(np.ones(3))\n"
                    "print(len(f.entries()), 'entries')\n")
    return path


@pytest.mark.parametrize("compiled", [False, True])
def test_pdb_stops_in_the_function_and_the_warning_comes_once(program, compiled):
    commands = "break program.py:5\ncontinue\np y\nclear 1\ncontinue\nquit\n"
    env = {**os.environ, "DYNAMO_COMPILE_WATCHED": str(int(compiled))}
    done = subprocess.run([sys.executable, "-m", "pdb", "program.py"], env=env,
                          cwd=program.parent, capture_output=True, text=True, input=commands)
    assert done.stderr.count("DynamoWarning") == (not compiled)
    assert ("-> return y * 2" in done.stdout) is not compiled
    assert ("array([2., 2., 2.])" in done.stdout) is not compiled
    assert "1 entries" in done.stdout, "without breakpoints nothing is watched"


def test_coverage_sees_all_lines_and_warns_once(program):
    pytest.importorskip("coverage")
    tmp_path = program.parent
    run = [sys.executable, "-m", "coverage"]
    done = subprocess.run([*run, "run", "program.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr.count("DynamoWarning") == 1
    told = subprocess.run([*run, "report", "-m"], cwd=tmp_path, capture_output=True, text=True)
    assert "100%" in told.stdout
