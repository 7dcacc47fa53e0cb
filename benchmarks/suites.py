"""Other projects' own tests, without and with `python -m dynamo_lite`: which fail only with.

    python benchmarks/suites.py cpython [--all-frames] [test_dict test_scope …]
    python benchmarks/suites.py numpy [--all-frames] [linalg lib.tests.test_histograms …]
    python benchmarks/suites.py scipy [fft linalg.tests.test_basic …]
    python benchmarks/suites.py libraries --packages FOLDER [hmmlearn control.tests.frd_test …]

Libraries are those of the table `LIBRARIES` that are installed, or were with
`pip install --target FOLDER`.

Every module runs in a process of its own and reports each of its tests (JUnit XML). One with
failures runs once more without us: what fails then too is none of ours. `--baseline FOLDER` keeps
what the plain runs said; `--output FOLDER` keeps what failing modules printed.
"""
from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

CPYTHON = (
    "test_generators test_coroutines test_exceptions test_with test_scope test_descr test_dict "
    "test_list test_set test_tuple test_iter test_itertools test_functools test_contextlib "
    "test_dataclasses test_collections test_enum test_patma test_listcomps test_call test_extcall "
    "test_super test_property test_threading test_gc test_traceback test_copy test_operator "
    "test_math test_random test_statistics test_sort test_string"
).split()
PACKAGES = {
    "numpy": ("_core", "lib", "linalg", "fft", "ma", "random", "polynomial", "matrixlib"),
    "scipy": ("cluster", "fft", "fftpack", "integrate", "interpolate", "linalg", "ndimage",
              "optimize", "signal", "spatial", "special", "sparse", "stats"),
}  # fmt: skip
LIBRARIES = {
    "arch": ("tests",), "bottleneck": ("tests",), "colour": ("algebra", "models"),
    "control": ("tests",), "dask": ("array",), "emcee": ("tests",), "hmmlearn": ("tests",),
    "imblearn": ("",), "networkx": ("",), "numdifftools": ("tests",), "numpy_financial": ("tests",),
    "numpy_groupies": ("tests",), "opt_einsum": ("tests",), "pandas": ("tests",), "patsy": ("",),
    "pyamg": ("",), "pywt": ("tests",), "quantities": ("tests",), "qutip": ("tests/core",),
    "skbio": ("stats",), "sklearn": ("",), "sparse": ("numba_backend",), "statsmodels": ("",),
    "tensorly": ("",), "transforms3d": ("",), "xarray": ("tests",),
}  # fmt: skip
"""Libraries over NumPy that come with their tests, and the folders of these."""
SECONDS = 600
ENDLESS = "test_print_exception_gh_102056"
"""A child of this test of threads, which is Python without us, may not end on a busy machine."""


@dataclass(frozen=True)
class Suite:
    """How one project's tests are listed and run."""

    modules: Callable[[], list[str]]
    command: Callable[[str, str], list[str]]
    """The arguments of Python that run a module and write its results into a file."""
    needs: tuple[str, ...]


@dataclass(frozen=True)
class Run:
    """The outcome of every test of one module."""

    failed: frozenset[str]
    passed: int
    seconds: float
    output: str = field(repr=False)


def tests_of(project: str, packages: tuple[str, ...]) -> list[str]:
    """The modules with tests in folders of an installed project."""
    root = Path(str((find_spec(project) or sys).origin)).parent
    files = {file for package in packages for name in ("test_*.py", "*_test.py")
             for file in (root / package).rglob(name)}  # fmt: skip
    return [".".join(file.relative_to(root.parent).with_suffix("").parts) for file in sorted(files)]


def by_pytest(name: str, xml: str) -> list[str]:
    return ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short",
            f"--junitxml={xml}", "--pyargs", name]  # fmt: skip


def of_project(project: str) -> Suite:
    """The tests in folders of one project, named from there on."""
    return Suite(
        lambda: [
            name.removeprefix(f"{project}.") for name in tests_of(project, PACKAGES[project])
            if ".tests." in name
        ],
        lambda name, xml: by_pytest(f"{project}.{name}", xml),
        (project, "pytest"),
    )  # fmt: skip


def installed_tests() -> list[str]:
    return [name for library, packages in LIBRARIES.items() if find_spec(library)
            for name in tests_of(library, packages)]  # fmt: skip


SUITES = {
    "cpython": Suite(
        lambda: CPYTHON,
        lambda name, xml: ["-m", "test", "--junit-xml", xml, "-W", "-i", ENDLESS, name],
        ("test",),
    ),
    **{project: of_project(project) for project in PACKAGES},
    "libraries": Suite(
        installed_tests,
        lambda name, xml: [
            *by_pytest(name, xml), "-c", os.devnull, "--rootdir", os.path.dirname(xml)
        ],
        ("pytest",),
    ),
}


def run(command: list[str], xml: str) -> Run:
    """Run the tests; what ends the process early counts as one more failure."""
    start = time.perf_counter()
    try:
        done = subprocess.run(
            [sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL, timeout=SECONDS, text=True, errors="replace",
            cwd=os.path.dirname(xml),
        )  # fmt: skip
        code, output = f"exit code {done.returncode}", done.stdout
    except subprocess.TimeoutExpired as error:
        code, output = "timeout", (error.output or b"").decode(errors="replace")
    seconds = time.perf_counter() - start
    if not os.path.exists(xml) or not os.path.getsize(xml):
        return Run(frozenset({f"<{code}>"}), 0, seconds, output)
    cases = [*ElementTree.parse(xml).iter("testcase")]
    failed = {case for case in cases if case.find("failure") is not None
              or case.find("error") is not None}  # fmt: skip
    return Run(frozenset(map(identity, failed)), len(cases) - len(failed), seconds, output)


def identity(case: ElementTree.Element) -> str:
    return f"{case.get('classname', '')} {case.get('name', '')}".strip()


def plain_failures(suite: Suite, name: str, folder: Path | None) -> frozenset[str]:
    """The tests that fail without us, from the folder where they are known."""
    known = folder / f"{name}-{sys.version_info[1]}" if folder else None
    if known and known.exists():
        return frozenset(known.read_text().splitlines())
    failed = measured(suite, name, []).failed
    if known:
        known.parent.mkdir(parents=True, exist_ok=True)
        known.write_text("\n".join(sorted(failed)))
    return failed


def measured(suite: Suite, name: str, prefix: list[str]) -> Run:
    with tempfile.TemporaryDirectory() as place:
        xml = f"{place}/results.xml"
        return run([*prefix, *suite.command(name, xml)], xml)


def chosen(suite: Suite, names: list[str]) -> list[str]:
    """The named modules, and all modules of named packages."""
    return [module for module in suite.modules()
            if not names or any(f"{module}.".startswith(f"{name}.") for name in names)]  # fmt: skip


def look_in(folder: Path) -> None:
    """Import packages from a folder too, here and in the tests; what they bring along for pytest is
    left out."""
    sys.path.append(str(folder))
    known = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (known, str(folder))))
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--all-frames", action="store_true")
    parser.add_argument("--baseline", type=Path)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--packages", type=Path)
    options = parser.parse_intermixed_args(argv)
    if options.packages is not None:
        look_in(options.packages.resolve())
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where a shell runs us behind
    os.environ.setdefault("DYNAMO_COMPILE_SHARE", "inf")  # to try all that would ever be compiled
    suite = SUITES[options.suite]
    if missing := [name for name in suite.needs if find_spec(name) is None]:
        parser.error(f"these tests need {' and '.join(missing)} to be installed")
    flags = ["--all-frames" if options.all_frames else "--at-once"]
    worse = passed = 0
    print(f"{'module':40} {'passed':>7} {'seconds':>8}  fails only with it")
    for name in chosen(suite, options.names):
        ours = measured(suite, name, ["-m", "dynamo_lite", *flags])
        known = plain_failures(suite, name, options.baseline) if ours.failed else frozenset()
        only = sorted(ours.failed - known)
        worse, passed = worse + len(only), passed + ours.passed
        print(f"{name:40} {ours.passed:7} {ours.seconds:7.1f}s  "
              + "\n  ".join([str(len(only)), *only]), flush=True)  # fmt: skip
        if only and options.output:
            options.output.mkdir(parents=True, exist_ok=True)
            (options.output / f"{name}-{sys.version_info[1]}").write_text(ours.output)
    print(f"{passed} tests pass, {worse} fail that pass without")
    return min(worse, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
