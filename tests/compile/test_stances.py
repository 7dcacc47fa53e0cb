"""What compiled functions do as a whole, and names that are nearly right."""
import subprocess
import sys

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.base import logs
from dynamo_lite.errors import BackendError, RecompileForbidden

X = np.arange(4.0)


def add_one(x):
    return x + 1


@pytest.fixture
def compiled():
    return dl.compile(lambda x: x + 1, backend="eager", dynamic=False)


@pytest.fixture(autouse=True)
def as_before():
    yield
    dl.set_stance("default")


def test_everything_may_run_in_python(compiled):
    compiled(X)
    with dl.set_stance("force_eager"):
        np.testing.assert_array_equal(compiled(X), X + 1)
        compiled(X[:2])
    assert len(compiled.entries()) == 1 and compiled.entries()[0].hits == 1
    compiled(X)
    assert compiled.entries()[0].hits == 2


def test_what_fits_no_variant_may_run_in_python(compiled):
    with dl.set_stance("eager_on_recompile"):
        compiled(X)
        np.testing.assert_array_equal(compiled(X[:2]), X[:2] + 1)
    assert len(compiled.entries()) == 1
    compiled(X[:2])
    assert len(compiled.entries()) == 2


def test_it_may_be_an_error(compiled):
    @dl.set_stance("fail_on_recompile")
    def twice():
        compiled(X)
        compiled(X[:2])

    with pytest.raises(RecompileForbidden, match="remedy: "):
        twice()
    compiled(X[:2])
    assert len(compiled.entries()) == 2


def test_a_stance_holds_until_the_next(compiled):
    dl.set_stance("force_eager")
    compiled(X)
    assert compiled.entries() == []
    dl.set_stance("default")
    compiled(X)
    assert len(compiled.entries()) == 1


@pytest.mark.parametrize(("call", "error", "name"), [
    (lambda: dl.set_stance("force-eager"), ValueError, "force_eager"),
    (lambda: dl.compile(add_one, backend="llvmm"), BackendError, "llvm"),
    (lambda: dl.compile(add_one, mode="max-autotun"), ValueError, "max-autotune"),
    (lambda: dl.compile(add_one, options={"recompile_limits": 1}), ValueError, "recompile_limit"),
    (lambda: setattr(dl.config, "recompile_limits", 1), AttributeError, "recompile_limit"),
    (lambda: logs.configure("graph_break"), ValueError, "graph_breaks"),
])
def test_the_nearest_right_name_is_told(call, error, name):
    with pytest.raises(error, match=f"did you mean '{name}'\\?"):
        call()


def test_all_names_are_told_where_none_is_near():
    with pytest.raises(BackendError, match="there are aot_eager, auto"):
        dl.compile(add_one, backend="something else")


def test_a_variable_of_the_environment_that_is_nearly_right():
    code = "import dynamo_lite; dynamo_lite.config"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          env={"DYNAMO_LOG": "guards", "DYNAMO_FUZZ_SEED": "3", "PATH": ""})
    assert done.stderr == "dynamo_lite ignores DYNAMO_LOG: did you mean DYNAMO_LOGS?\n"


def test_why_says_that_python_runs_everything():
    function = dl.compile(lambda x: x + 1)
    assert str(dl.why(function)).endswith("nothing of it has been compiled yet")
    with dl.set_stance("force_eager"):
        assert function(X).tolist() == (X + 1).tolist()
        assert "force_eager" in dl.why(function).reason
        assert "force_eager" in str(dl.explain(function)(X))
    function(X)
    assert "yet" not in str(dl.why(function))
