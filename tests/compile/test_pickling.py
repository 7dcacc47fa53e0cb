"""Compiled functions in other processes: by name where that leads to them, else by value."""
import copy
import functools
import pickle
import subprocess
import sys

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.native import CompiledFunction

X = np.arange(4.0)


@dl.compile
def at_home(x):
    return x + 1


def run(tmp_path, program):
    """The output of a program, in a process of its own."""
    (tmp_path / "program.py").write_text(program)
    done = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, text=True,
                          capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_function_of_a_module_is_pickled_by_its_name():
    text = pickle.dumps(at_home)
    assert len(text) < 100 and pickle.loads(text) is at_home


def test_copies_are_the_function_itself():
    compiled = dl.compile(lambda x: x + 1)
    for each in (at_home, compiled):
        assert copy.copy(each) is each and copy.deepcopy([each])[0] is each


def test_what_no_name_leads_to_goes_by_value():
    cloudpickle = pytest.importorskip("cloudpickle")
    k = 3
    compiled = dl.compile(lambda x: x * k, backend="eager", name="by value")
    for write in (cloudpickle.dumps, pickle.dumps):
        again = pickle.loads(write(compiled))
        assert isinstance(again, CompiledFunction) and again is not compiled
        assert np.array_equal(again(X), X * 3) and dl.why(again).name == "by value"


def test_without_a_writer_the_name_has_to_do(monkeypatch):
    for name in ("cloudpickle", "joblib.externals.cloudpickle"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(dl.compile(lambda x: x))


MAIN = """
import numpy as np, dynamo_lite as dl

@dl.compile
def f(x):
    return (x + 1).sum()

twice = dl.compile(lambda x: x * 2)
"""


def test_multiprocessing_spawns(tmp_path):
    assert run(tmp_path, MAIN + """
if __name__ == "__main__":
    import multiprocessing
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print(*map(float, pool.map(f, [np.ones(3), np.ones(4)])))
""") == ["6.0 8.0"]


def test_joblib(tmp_path):
    pytest.importorskip("joblib")
    assert run(tmp_path, MAIN + """
if __name__ == "__main__":
    from joblib import Parallel, delayed
    print(*map(float, Parallel(n_jobs=2)(delayed(f)(np.ones(i)) for i in (3, 4))))
    print(*(a.tolist() for a in Parallel(n_jobs=2)(delayed(twice)(np.ones(i)) for i in (1, 2))))
""") == ["6.0 8.0", "[2.0] [2.0, 2.0]"]


# -- kinds of callables


class Model:
    def __init__(self):
        self.x, self.calls = X.copy(), 0

    @dl.compile
    @property
    def doubled(self):
        """Twice."""
        return self.x * 2

    def _set(self, value):
        self.x = value + 1

    tripled = dl.compile(property(lambda self: self.x * 3, _set))

    @dl.compile
    @functools.cached_property
    def kept(self):
        return self.x + 1


def test_properties_are_compiled():
    model = Model()
    assert np.array_equal(model.doubled, X * 2) and Model.doubled.__doc__ == "Twice."
    model.tripled = X
    assert np.array_equal(model.tripled, (X + 1) * 3)
    assert isinstance(Model.doubled.fget, CompiledFunction)
    assert Model.doubled.fget.entries()[0].hits == 1
    with pytest.raises(AttributeError):
        model.doubled = 3
    assert model.kept is model.kept and np.array_equal(model.kept, X + 2)


def test_generators_and_async_functions_get_a_word():
    def numbers(x):
        yield x

    async def waits(x):
        return x

    for function in (numbers, waits):
        with pytest.warns(dl.errors.DynamoWarning, match="generator or async .* which Python runs"):
            dl.compile(function)
