"""Every planted cost names the user's line, the reason in words, and a remedy that works."""
import math
import re
import sys
import warnings

import numpy as np
import planted
import pytest

import dynamo_lite as dl
from dynamo_lite.base.remedies import REMEDIES, remedy_for
from dynamo_lite.runtime import first_bailouts
from tests.oracle import same
from tests.words import INTERNAL

NAMES = [each.cause.__name__ for each in planted.PLANTS]


def calls_of(function, calls, options):
    """The results of the calls, and what `dl.why` says after them."""
    compiled = dl.compile(function, options={"compile_unprofitable": True}, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = [planted.outcome(compiled, arguments) for arguments in calls]
    return results, dl.why(compiled)


@pytest.fixture(autouse=True)
def threads_of_errors(monkeypatch):
    monkeypatch.delitem(sys.modules, "wave", raising=False)  # imported by a cost, once a process
    monkeypatch.setattr(first_bailouts, "QUICK", math.inf)  # however busy the machine is
    with np.errstate(under="ignore"):
        yield


@pytest.mark.parametrize("plant", planted.PLANTS, ids=NAMES)
def test_the_line_the_reason_and_the_remedy(plant):
    _, state = calls_of(plant.cause, plant.calls, plant.options)
    told = [cost for cost in state.costs if cost.kind == plant.kind]
    assert told, str(state)
    at = [cost for cost in told if cost.location.line == plant.line
          and cost.location.filename == planted.__file__]
    assert at, str(state)
    assert any(re.search(plant.reason, cost.reason) for cost in at), str(state)
    assert any(plant.remedy == cost.remedy.id for cost in at), str(state)
    assert not INTERNAL.search(str(state)), str(state)


@pytest.mark.parametrize("plant", planted.PLANTS, ids=NAMES)
def test_with_the_remedy_the_cost_is_gone(plant):
    expected, _ = calls_of(plant.cause, plant.calls, plant.options)
    found, state = calls_of(plant.fixed, plant.fixed_calls, plant.fixed_options)
    assert not [cost for cost in state.costs if cost.kind == plant.kind], str(state)
    if plant.alike:
        assert all(map(same, found, expected))


def test_every_remedy_has_its_own_name():
    assert len({row.id for row in REMEDIES}) == len(REMEDIES)
    assert remedy_for("something that no row is about").id == "other"
    assert remedy_for("taking the next item of an intermediate value (a list_iterator)").id == (
        "broken-loops")
    its_iterator = "taking the next item of the iterator of a comprehension (an iterator)"
    assert remedy_for(its_iterator).id == "broken-loops"
