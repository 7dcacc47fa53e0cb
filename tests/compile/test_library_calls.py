"""What a call of a library costs is told once, at the user's line."""
import importlib
import sys

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.base.origins import is_library_file
from dynamo_lite.base.remedies import remedy_for
from dynamo_lite.ir.graph import Location
from dynamo_lite.runtime.costs import Cost, one_for_each_library_call
from tests.oracle import differences, outcome

LIBRARY = """
import functools
import numpy as np

class Series:
    def __init__(self, x):
        self.x = checked(x)
        print(end="")
        self.y = np.sqrt(self.x + 1)
        print(end="")
        self.z = text(self.y)

def checked(x):
    print(end="")
    return x * 2

def text(x):
    return str(x.sum())

def outer(x):
    y = middle(x)
    print(end="")
    return middle(y + 1)

def middle(x):
    y = x * 2
    print(end="")
    return inner(y) + 1

def inner(x):
    print(end="")
    y = np.sqrt(x)
    str(y)
    return y * 2

def with_a_setting(function):
    @functools.wraps(function)
    def wrapper(*args):
        setting()
        return function(*args)
    return wrapper

def setting():
    print(end="")

def sorted_by_numpy(x):
    return np.sort(x)

@with_a_setting
def fit(x):
    print(end="")
    return x * 2

namespace = {"function": fit, "__name__": "wares", "__file__": __file__}
exec(compile("def made(x): return function(x)", "<made by wares>", "exec"), namespace)
made = namespace["made"]
"""
X = np.arange(4.0)


@pytest.fixture
def series(library):
    return library.Series


@pytest.fixture(params=["in site-packages", "by target"])
def library(tmp_path, monkeypatch, request):
    """In a folder that holds packages by its name, or by what pip has noted of them."""
    is_by_target = request.param == "by target"
    folder = tmp_path / ("lib" if is_by_target else "site-packages")
    folder.mkdir()
    (folder / "wares.py").write_text(LIBRARY)
    if is_by_target:
        install(folder, "wares", "wares.py")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "wares", raising=False)
    return importlib.import_module("wares")


def install(folder, name, *files):
    """Note files as pip does in the folder that it is given as `--target`."""
    noted = folder / f"{name}-1.0.dist-info"
    noted.mkdir()
    rows = "".join(f"{file},sha256=0,1\n" for file in (f"{noted.name}/METADATA", *files))
    (noted / "RECORD").write_text(rows)


def test_one_cost_for_each_call_of_a_library(series):
    def user(x):
        made = series(x + 1)
        return made.y * 2

    compiled = dl.compile(user)
    for _ in range(3):
        compiled(X)
    costs = [cost for cost in dl.why(compiled).costs if cost.kind == "graph break"]
    inside = [cost for cost in costs if cost.location.inside]
    assert len(inside) <= 1
    line = user.__code__.co_firstlineno + 1
    assert all((cost.location.filename, cost.location.line) == (__file__, line) for cost in costs)
    assert "wares.Series" in str(costs[0]) and "print" in costs[0].reason


def test_what_is_left_to_python_in_a_library(library):
    compiled = dl.compile(library.sorted_by_numpy, options={"compile_unprofitable": False})
    compiled(X)
    line = sys._getframe().f_lineno - 1
    (cost,) = dl.why(compiled).costs
    assert cost.kind == "in Python" and cost.location[:2] == (__file__, line)
    assert cost.location.inside[-1] == "wares.sorted_by_numpy"


def test_two_calls_are_two_costs(series):
    def user(x):
        first = series(x)
        second = series(x + 1)
        return first.y + second.y

    compiled = dl.compile(user)
    compiled(X)
    lines = {cost.location.line for cost in dl.why(compiled).costs}
    assert lines == {user.__code__.co_firstlineno + 1, user.__code__.co_firstlineno + 2}


def test_functions_of_a_library_that_are_compiled_apart(library):
    """Whoever calls them there: the line is the user's, and each call of the library one cost."""
    def user(x):
        return library.outer(x) + 1

    compiled = dl.compile(user, dynamic=False)
    with pytest.warns(RuntimeWarning):
        for x in (X, X.astype("f4"), X[:2], X - 3):
            compiled(x)
    costs = dl.why(compiled).costs
    line = user.__code__.co_firstlineno + 1
    assert {cost.location[:2] for cost in costs} == {(__file__, line)}
    assert [cost.kind for cost in costs].count("graph break") == 1
    assert all(part == "…" or part.startswith("wares.")
               for cost in costs for part in cost.location.inside)


@pytest.mark.parametrize("keeps", [False, True])
def test_the_line_is_that_of_the_program_that_runs(library, tmp_path, keeps):
    """Though another one has left what it compiled of the library on disk."""
    def other(x):
        return library.outer(x) + 1

    def user(x):
        return library.outer(x) + 2

    with dl.config.patch(keep_entries=keeps, cache_dir=str(tmp_path)):
        for function in (other, user):
            compiled = dl.compile(function)
            compiled(X)
            line = function.__code__.co_firstlineno + 1
            assert {cost.location[:2] for cost in dl.why(compiled).costs} == {(__file__, line)}


@pytest.mark.parametrize("name", ["fit", "made"])
def test_wrappers_and_generated_code_are_told_by_what_they_call(library, name):
    def user(x):
        return getattr(library, name)(x) + 1

    compiled = dl.compile(user)
    compiled(X)
    (cost,) = dl.why(compiled).costs
    line = user.__code__.co_firstlineno + 1
    assert cost.location[:2] == (__file__, line) and cost.location.called == f"wares.{name}"
    assert "<locals>" not in str(cost.location).partition("→")[2]


def cost(line, *inside, kind="graph break", reason="calling print"):
    where = Location("mine.py", line, "f", inside)
    return Cost(kind, reason, where, remedy_for(reason), 2)


def test_reasons_inside_one_call_are_one_cost():
    costs = [cost(3, "wares.read", "wares.open_"), cost(3, "wares.read", reason="format of x"),
             cost(3, "wares.write"), cost(4, "wares.read"), cost(3), cost(3, kind="bail-out"),
             cost(3, "…", "wares.close"), cost(4, "…", "wares.close"), cost(5, "…", "wares.close")]
    found = one_for_each_library_call(costs)
    assert [each.others for each in found] == [2, 0, 1, 0, 0, 0] and found[0].times == 6
    assert str(found[0]).splitlines()[0] == (
        "6 times graph break at mine.py:3 in f → wares.read → wares.open_: calling print "
        "(and 2 more reasons inside wares.read)")


def test_own_files_beside_installed_ones(tmp_path, monkeypatch):
    """A program whose packages are in its own folder, and one of a checkout that is edited."""
    for folder, name in ((tmp_path, "planted_own"), (tmp_path / "checkout", "planted_checkout")):
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.py").write_text("")
        monkeypatch.syspath_prepend(folder)
    (tmp_path / "planted_package").mkdir()
    (tmp_path / "planted_package" / "__init__.py").write_text("")
    install(tmp_path, "planted", "planted_package/__init__.py")
    (tmp_path / "checkout" / "planted_checkout.egg-info").mkdir()
    (tmp_path / "checkout" / "pyproject.toml").write_text("")
    names = ("planted_own", "planted_checkout", "planted_package")
    files = [importlib.import_module(name).__file__ for name in names]
    assert [is_library_file(file) for file in files] == [False, False, True]


def test_folders_that_imports_find_later(tmp_path, monkeypatch):
    """By a path from the current folder, which is taken off again."""
    monkeypatch.chdir(tmp_path)
    assert not is_library_file(__file__)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "planted_late.py").write_text("")
    install(tmp_path / "lib", "planted_late", "planted_late.py")
    with monkeypatch.context() as briefly:
        briefly.syspath_prepend("lib")
        module = importlib.import_module("planted_late")
    assert is_library_file(module.__file__)


def test_another_thread_imports_meanwhile(monkeypatch):
    class Finder:
        @property
        def path(self):
            sys.path_importer_cache["another"] = None
            return ""

    finders = {"first": Finder(), **sys.path_importer_cache}
    monkeypatch.setattr(sys, "path_importer_cache", finders)
    assert not is_library_file("/elsewhere/planted_meanwhile.py") and "another" in finders


class Table:
    """Finds variables of its callers by a text, as pandas' `query` and numexpr's `evaluate` do."""

    def query(self, text):
        return sys._getframe(1).f_locals[text.strip("@")]

    evaluate = query


TABLE = numexpr = Table()


def by_query(x):
    limit, x = 3, np.sin(x)  # noqa: F841
    return TABLE.query("@limit"), x + 1


def by_evaluation(x):
    limit, x = 3, np.sin(x)  # noqa: F841
    return numexpr.evaluate("limit"), x + 1


@pytest.mark.parametrize("function", [by_query, by_evaluation])
def test_variables_that_a_library_finds_by_a_text_are_there(function):
    x = np.ones(3)
    assert not differences(outcome(dl.compile(function), (x,)), outcome(function, (x,)))
