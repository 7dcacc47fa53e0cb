"""Pages are short, their links lead somewhere, and tables from the code are up to date."""
import importlib.util
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from dynamo_lite.backends.llvm.builder.frame import RUNTIME

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")])
FOLDERS = ROOT / "docs" / "folders"


def written_by(name):
    """The script of `docs` that writes pages."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pages_are_short(path):
    assert path.read_text().count("\n") <= {"architecture.md": 90}.get(path.name, 400)


@pytest.mark.parametrize("path", sorted(FOLDERS.glob("*.md")), ids=lambda path: path.name)
def test_a_folder_has_one_page(path):
    assert path.read_text().count("\n") <= 80


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    prose = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.M | re.S)
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", prose)
    assert [link for link in links if "://" not in link and not (path.parent / link).exists()] == []


MODULES = {path.relative_to(ROOT).as_posix() for top in ("dynamo_lite", "guards", "backends")
           for path in (ROOT / top).rglob("*.*") if path.suffix in (".py", ".cpp", ".h", ".pyi")}


OTHERS = {"script.py", *(path.name for path in (ROOT / "docs").glob("*.py"))}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_modules_that_pages_name_exist(path):
    named = re.findall(r"`((?:[\w.]+/)*\w+\.(?:py|cpp|h|pyi))`", path.read_text())
    assert [name for name in named if name not in OTHERS and not (ROOT / name).exists()
            and not any(f"/{module}".endswith(f"/{name}") for module in MODULES)] == []


SOURCE = {word for module in MODULES for word in re.findall(r"\w+", (ROOT / module).read_text())}
SOURCE |= {"native_tables", "suites", "DYNAMO_VALIDATE", "monitoring", "cf", "0_1"}  # of others
SOURCE |= {part for module in MODULES for part in re.findall(r"\w+", module)}


@pytest.mark.parametrize("path", sorted(FOLDERS.glob("*.md")), ids=lambda path: path.name)
def test_names_that_pages_use_are_in_the_source(path):
    prose = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.M | re.S)
    named = {word for code in re.findall(r"`([^`]+)`", prose) for word in re.findall(r"\w+", code)}
    numbered = re.compile(r"\d+|[a-z]\d?|md|gc")
    assert sorted(word for word in named - SOURCE if not numbered.fullmatch(word)) == []


def test_tables_of_the_native_core_are_up_to_date():
    tables = written_by("native_tables")
    for path, page in tables.PAGES.items():
        assert path.read_text() == page(), "run python docs/native_tables.py"
    assert set(tables.FUNCTIONS) == set(tables.runtime_functions())
    assert set(tables.OPS) == {name for name, _ in tables.guard_ops()}


@pytest.mark.parametrize("name", ["gpu", "gradients", "loops"])
def test_pages_have_the_numbers_that_were_measured(name):
    page = (ROOT / "docs" / f"{name}.md").read_text()
    assert page == written_by(name).page(), f"run docs/{name}.py"


def test_generated_code_calls_the_functions_of_the_table():
    functions = written_by("native_tables").runtime_functions()
    assert {name: index for name, (index, _) in RUNTIME.items()} == {
        name: functions.index(name) for name in RUNTIME}


def test_every_public_callable_of_numpy_is_told_of():
    script, page = written_by("coverage"), (ROOT / "docs" / "coverage.md").read_text()
    for space in script.SPACES.values():
        for name in script.names_of(space):
            what, why = script.fate(space, name)
            assert what in script.ORDER and (why != "") == (what == script.PYTHON), name
    if f"with NumPy {np.__version__}," in page:
        assert page == script.page(), "run python docs/coverage.py"


INSIDE = {"conftest", "tests", "core", "compat", "distutils", "f2py", "matrixlib"}
"""Modules of NumPy's that are not its interface, or are an older name of one."""


def test_every_public_module_of_numpy_has_a_table():
    def names(path, prefix):
        for module in pkgutil.iter_modules(path, prefix):
            last = module.name.rpartition(".")[2]
            if not last.startswith("_") and last not in INSIDE:
                yield module.name
                if module.ispkg:
                    yield from names([f"{path[0]}/{last}"], f"{module.name}.")

    others = {"numpy.lib.user_array", "numpy.linalg.lapack_lite", "numpy.ma.testutils",
              "numpy.random.bit_generator", "numpy.random.mtrand", "numpy.testing.overrides",
              "numpy.testing.print_coercion_tables", "numpy.typing.mypy_plugin"}
    known = {*written_by("coverage").NAMES, *others}
    assert {*names(np.__path__, "numpy.")} - known == set()


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="written by Python 3.11")
def test_troubleshooting_is_up_to_date():
    script = written_by("troubleshooting")
    show = f"import runpy; print(runpy.run_path({script.__file__!r})['page'](), end='')"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", show], capture_output=True,
                          text=True)
    assert done.stdout == script.PAGE.read_text(), "run python docs/troubleshooting.py"
