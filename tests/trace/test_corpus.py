"""The corpus: functions equal plain Python in every call, and those without breaks are one graph.

`python -m tests.trace.test_corpus` says which share is.
"""
import importlib
import pkgutil
import sys

import pytest

import dynamo_lite as dl
from dynamo_lite.base.config import config
from dynamo_lite.errors import FullGraphRequired

from ..oracle import differences, outcome_of_copy
from . import corpus
from .corpus.programs import PROGRAMS

for module in pkgutil.iter_modules(corpus.__path__):
    if not module.name.startswith("since_3_12") or sys.version_info >= (3, 12):
        importlib.import_module(f"{corpus.__name__}.{module.name}")


def compare(compiled, program):
    for _ in range(2):
        expected = outcome_of_copy(program.function, program.args)
        problems = differences(outcome_of_copy(compiled, program.args), expected)
        assert not problems, problems


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_compiled_equals_python(program):
    with config.patch(strict=True):
        compare(dl.compile(program.function, backend="eager"), program)


@pytest.mark.parametrize("program", [p for p in PROGRAMS if p.is_one_graph], ids=str)
def test_is_one_graph(program):
    with config.patch(strict=True):
        compare(dl.compile(program.function, backend="eager", fullgraph=True), program)


@pytest.mark.parametrize("program", [p for p in PROGRAMS if not p.is_one_graph], ids=str)
def test_still_breaks(program):
    """A program that no longer breaks is to be listed as one graph."""
    with config.patch(strict=True):
        compiled = dl.compile(program.function, backend="eager", fullgraph=True)
        found = outcome_of_copy(compiled, program.args)
    assert isinstance(found.error, FullGraphRequired)


def survey():
    """Why each program is not one graph, for people."""
    captured = 0
    for program in PROGRAMS:
        compiled = dl.compile(program.function, backend="eager", fullgraph=True)
        try:
            with config.patch(strict=True):
                compare(compiled, program)
            captured += 1
        except AssertionError as error:
            print(program, "is not one graph:", str(error)[:200])
    able = sum(program.breaks is None for program in PROGRAMS)
    print(f"{captured} of {able} programs that could be are one graph ({captured / able:.1%})")


if __name__ == "__main__":
    survey()
