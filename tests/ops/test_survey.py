"""The survey of NumPy's functions: compiled equals eager, and no more breaks than listed.

`python -m tests.ops.test_survey` says which share is one graph.
"""
import copy
import importlib
import pkgutil

import pytest

import dynamo_lite as dl
from dynamo_lite.base.config import config
from tests.oracle import Tolerance, differences, outcome

from . import survey
from .survey.entries import ENTRIES

for module in pkgutil.iter_modules(survey.__path__):
    importlib.import_module(f"{survey.__name__}.{module.name}")

CLOSE = Tolerance(relative=4e-7, absolute=1e-14)


def found_differences(entry, compiled):
    """What three calls show, of which the first compiles."""
    tolerance = CLOSE if entry.close else Tolerance()
    expected = outcome(entry.function, copy.deepcopy(entry.args))
    for _ in range(3):
        actual = outcome(compiled, copy.deepcopy(entry.args))
        if problems := differences(actual, expected, tolerance):
            return problems
    return []


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
def test_compiled_equals_numpy(entry):
    dl.reset()
    with config.patch(strict=True):
        assert not found_differences(entry, dl.compile(entry.function))


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
def test_breaks_are_the_listed_ones(entry):
    dl.reset()
    explained = dl.explain(entry.function)(*copy.deepcopy(entry.args))
    assert explained.graph_break_count <= entry.breaks, explained.break_reasons


def report():
    """What each function still breaks at, for people."""
    whole = 0
    for entry in ENTRIES:
        dl.reset()
        try:
            problems = found_differences(entry, dl.compile(entry.function))
            explained = dl.explain(entry.function)(*copy.deepcopy(entry.args))
            reasons = explained.break_reasons
        except Exception as error:  # whatever it is, it is to be shown
            problems, reasons = [f"{type(error).__name__}: {error}"], ()
        whole += not reasons
        for problem in problems:
            print(f"WRONG {entry}: {problem[:300]}")
        for reason in reasons:
            print(f"{'break' if entry.breaks else 'BREAK'} {entry}: {reason[:200]}")
    able = sum(not entry.breaks for entry in ENTRIES)
    print(f"{len(ENTRIES)} functions, {whole} are one graph, of {able} that are to be")


if __name__ == "__main__":
    report()
