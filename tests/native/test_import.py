"""Importing the source tree without a built core says what to do."""
import importlib.util
import inspect
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import dynamo_lite as dl
import dynamo_lite.native

ROOT = Path(dl.__file__).parents[1]


def test_a_missing_core_is_explained(tmp_path):
    package = tmp_path / "dynamo_lite" / "native"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("from . import native\n")
    shutil.copy(Path(dynamo_lite.native.__file__), package)
    run = subprocess.run(
        [sys.executable, "-c", "import dynamo_lite"], cwd=tmp_path, capture_output=True, text=True
    )
    assert run.returncode == 1
    assert "ImportError" in run.stderr and "pip install -e ." in run.stderr


def test_every_part_of_the_core_is_public_and_typed():
    core = dynamo_lite.native._core
    names = {name for name in vars(core) if not name.startswith("_")}
    assert set(dynamo_lite.native.__all__) == names
    stub = Path(dynamo_lite.native.__file__).with_name("_core.pyi").read_text()
    assert [name for name in sorted(names) if name not in stub] == []


def test_a_source_tree_runs_what_is_installed(tmp_path):
    """Without an editable install: `-S` leaves it out."""
    root, site = Path(dynamo_lite.__file__).parents[1], tmp_path / "site"
    (site / "dynamo_lite").mkdir(parents=True)
    installed = Path(dl.__path__[0])
    apart = () if (installed / "guards").exists() else (root / "guards", root / "backends")
    for part in [*installed.iterdir(), *apart]:
        (site / "dynamo_lite" / part.name).symlink_to(part)
    tree = tmp_path / "tree" / "dynamo_lite"
    tree.mkdir(parents=True)
    shutil.copy(root / "dynamo_lite" / "__init__.py", tree)
    others = str(Path(np.__file__).parents[1])
    program = ("import dynamo_lite as dl, numpy as np; print(dl.__file__, dl.__path__[0]);"
               "print(dl.compile(lambda x: x + 1)(np.ones(2)))")
    run = subprocess.run(
        [sys.executable, "-S", "-c", program], cwd=tree.parent, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{others}"})
    assert run.returncode == 0, run.stderr
    assert run.stdout.split("\n")[0] == f"{tree}/__init__.py {site}/dynamo_lite"
    assert run.stdout.split("\n")[1] == "[2. 2.]"


NEWER = """
import sys, warnings
import numpy as np, optree
sys.version_info = (3, 14, 0, "final", 0)
sys.modules["dynamo_lite.native._core"] = None
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import dynamo_lite as dl
    (warning,) = caught
print(warning.filename, warning.category.__name__, warning.message)
"""
PROGRAM = """
@dl.compile
def f(x): return x + 1

@dl.compile(fullgraph=True, options={"threads": 2})
@dl.set_stance("fail_on_recompile")
def g(x): return dl.cond(x.sum() > 0, f, f, x)

@dl.custom_vjp
def h(x): return x * 2
h.defvjp(lambda x: (x * 2, None), lambda res, g: (g * 2,))

x = np.arange(3.0)
dl.mark_dynamic(x, 0)
with dl.no_recompile(), dl.profile(), dl.trace("/nowhere"), dl.config.patch(threads=1):
    print(f(x), g(x), h(x), dl.checkpoint(f)(x), dl.explain(f)(x).result)
dl.check(not dl.is_compiling())
derivative = dl.grad(lambda x: (x * x).sum())
try:
    derivative(x)
except dl.errors.NotDifferentiable as error:
    print(error)
print(dl.why(f), dl.stats(), dl.explain(f)(x).coverage, sep="; ")
print(*(name for name in sys.modules if name.startswith("dynamo_lite.")))
"""


def on_a_newer_python(text):
    run = subprocess.run([sys.executable, "-c", NEWER + text], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


def test_on_a_newer_python_everything_runs_in_python():
    warned, results, refused, reports, loaded = on_a_newer_python(PROGRAM)
    reason = "Python 3.14 is newer than the compiler, which knows 3.11 to 3.13"
    assert warned == f"<string> DynamoWarning {reason}: all functions run in Python"
    assert results == "[1. 2. 3.] [1. 2. 3.] [0. 2. 4.] [1. 2. 3.] [1. 2. 3.]"
    assert refused == f"derivatives are taken of captured programs: {reason}"
    assert reports == f"runs in Python: {reason}; runs in Python: {reason}; 0.0"
    assert not re.search(r"dynamo_lite\.(tracer|bytecode|runtime|guards)", loaded)


def test_there_every_public_name_takes_what_it_takes_here():
    source = ("import inspect\n"
              "for name in dl.__all__:\n"
              "    if callable(getattr(dl, name)):\n"
              "        print(name, *inspect.signature(getattr(dl, name)).parameters)\n")
    there = {name: taken for name, *taken in map(str.split, on_a_newer_python(source)[1:])}
    assert there.keys() == {name for name in dl.__all__ if callable(getattr(dl, name))}
    for name, taken in there.items():
        here = set(inspect.signature(getattr(dl, name)).parameters)
        assert here <= set(taken) or {"told", "options"} & set(taken), name


def test_versions_agree():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    newest = dynamo_lite.native.NEWEST
    assert project["requires-python"] == f">=3.11,<{newest[0]}.{newest[1] + 1}"
    listed = [one.rpartition(" ")[2] for one in project["classifiers"] if "Python :: 3." in one]
    assert listed == ["3.11", "3.12", "3.13"]
    for path in ("setup.py", "dynamo_lite/__init__.py", "dynamo_lite/__main__.py",
                 "dynamo_lite/base/records.py"):
        assert f"({newest[0]}, {newest[1] + 1})" in (ROOT / path).read_text(), path


REPORTS = """
import importlib.util
import inspect
x, f = np.ones(2), dl.compile(lambda x: x + 1)
shown = dl.profile()
with shown, dl.trace("nowhere") as traced: f(x)
for each in (dl.explain(f)(x), dl.why(f), dl.stats(), shown, traced):
    print(*(name for name in dir(each) if not name.startswith("_")))
"""


def test_there_reports_have_what_they_have_here(tmp_path):
    there = [set(line.split()) for line in on_a_newer_python(REPORTS)[1:]]
    compiled = dl.compile(lambda x: x + 1)
    compiled(np.ones(2))
    with dl.trace(tmp_path) as traced:
        explained = dl.explain(compiled)(np.ones(2))
    here = (explained, dl.why(compiled), dl.stats(), dl.profile(), traced)
    for each, names in zip(here, there, strict=True):
        public = {name for name in dir(each) if not name.startswith("_")}
        assert public - names - {"known", "patch"} == set(), type(each)


PROGRAM_FILE = """
import sys
print(__name__, sys.argv, sys.flags.utf8_mode, sorted(n for n in sys.modules if "dynamo" in n))
"""


@pytest.mark.parametrize(
    "options, given", [(("--explain", "--stats"), "a.py"), ((), "-c"), ((), "-")])
def test_there_a_program_runs_as_it_is(tmp_path, options, given):
    (tmp_path / "a.py").write_text(PROGRAM_FILE)
    program = [given, PROGRAM_FILE] if given == "-c" else [given]
    started = f"{NEWER}import runpy\nrunpy.run_module('dynamo_lite', run_name='__main__')"

    def run(*words):
        return subprocess.run([sys.executable, *words], input=PROGRAM_FILE, cwd=tmp_path,
                              capture_output=True, text=True)
    found = run("-X", "utf8", "-c", started, *options, *program, "x")
    assert found.stdout.splitlines()[-1:] == run("-X", "utf8", *program, "x").stdout.splitlines()
    assert found.stderr == ""


@pytest.mark.parametrize("module", ["optree", "llvmlite.binding"])
def test_behind_a_module_that_has_loaded_the_library_of_c_plus_plus(module):
    if importlib.util.find_spec(module.partition(".")[0]) is None:
        pytest.skip(f"{module} is not installed")
    text = f"import {module}, dynamo_lite.native; print('loaded')"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.stdout == "loaded\n", done.stderr
