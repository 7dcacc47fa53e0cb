"""Every rule of the inline / skip / graph table applies to something, and says why."""
import contextlib
import functools
import json
import logging
import math
import random
import re
from types import MethodType

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.base.origins import full_name
from dynamo_lite.derivatives import api
from dynamo_lite.ir import pullback
from dynamo_lite.tracer.polyfills import iterators as iterator_polyfills
from dynamo_lite.tracer.rules import trace_rules
from dynamo_lite.tracer.rules.trace_rules import TABLE, Action, mark, rule_for

from .test_corpus import PROGRAMS, compare


def plain(x):
    return x


def marked(id):
    return mark(lambda x: x, id)


EXAMPLES = {
    "user-disable": marked("disable"),
    "user-graph-break": marked("graph-break"),
    "user-graph": marked("allow-in-graph"),
    "user-constant": marked("constant-result"),
    "user-is-compiling": marked("is-compiling"),
    "effect-builtin": print,
    "numpy-text": np.array2string,
    "numpy-file": np.save,
    "numpy-list": np.ndarray.tolist,
    "numpy-elements": np.nditer,
    "numpy-objects": np.frompyfunc,
    "numpy-eigenvalues": np.linalg.eig,
    "numpy-memory": np.lib.stride_tricks.as_strided,
    "numpy-masked": np.ma.masked_where,
    "numpy-strings": np.strings.upper,
    "numpy": np.linalg.norm,
    "cupy": type("sin", (), {"__module__": "cupy", "__call__": plain})(),
    "python-random": random.gauss,
    "container-method": dict.__setitem__,
    "pure-method": str.upper,
    "pure-module": math.sqrt,
    "pure-text": re.search,
    "cached-function": functools.lru_cache(plain),
    "stdlib-inline": contextlib.contextmanager,
    "pure-function": json.loads,
    "logging-inline": logging.Logger.info,
    "stdlib-skip": json.dumps,
    "own-polyfill": iterator_polyfills.chain,
    "own-control-flow": dl.cond,
    "own-derivative": pullback.pullback,
    "own-transform": api.grad,
    "own-skip": rule_for,
    "user-inline": plain,
    "c-function": type("Weird", (), {"__module__": "elsewhere", "__call__": plain})(),
}


def test_ufuncs_of_libraries_are_told_from_numpys():
    special = pytest.importorskip("scipy.special")
    assert (dl.why(special.erf).id, dl.why(np.exp).id) == ("library-ufunc", "numpy")


@pytest.mark.parametrize("id", EXAMPLES)
def test_the_rule_applies(id):
    rule = rule_for(EXAMPLES[id])
    assert rule.id == id
    assert isinstance(rule.action, Action) and rule.reason


def test_ids_are_unique_and_shown():
    ids = [row.rule.id for row in TABLE]
    assert len(set(ids)) == len(ids)
    assert set(EXAMPLES) <= set(ids)


def test_every_rule_has_an_example():
    assert {row.rule.id for row in TABLE} - set(EXAMPLES) <= {"own-inline", "library-ufunc"}


def test_wrapped_functions_follow_their_code():
    """`functools.wraps` names the wrapper after the user's function; its code is what counts."""

    @contextlib.contextmanager
    def context():
        yield

    assert rule_for(context).id == "stdlib-inline"
    assert rule_for(functools.wraps(plain)(lambda *a: plain(*a))).id == "user-inline"


def test_functions_that_a_library_wraps_go_by_their_own_names():
    wrapper = functools.wraps(plain)(lambda x: x)
    wrapper.__code__ = wrapper.__code__.replace(co_filename="/lib/site-packages/wraps.py")
    assert full_name(wrapper) == "plain"
    del wrapper.__wrapped__
    assert full_name(wrapper) == f"{__name__}.plain"


def test_why_names_the_rule_of_a_callable():
    assert dl.why(np.linalg.norm).id == "numpy"
    assert dl.why(json.dumps).id == "stdlib-skip" and "stdlib-skip" in str(dl.why(json.dumps))
    assert dl.why(plain) == rule_for(plain)
    assert dl.why(np.ones(2).sum).id == "numpy" and dl.why([].append).id == "container-method"
    assert dl.why(np.ones(2).tolist).id == "numpy-list"
    assert dl.why(random.Random(0).random).id == "python-random"
    assert dl.why(len).id == "own-answer" and dl.why(functools.update_wrapper).id == "own-polyfill"
    assert dl.why(dl.disable(plain, reason="slow")).reason.endswith("disable: slow")
    assert dl.why(functools.partial(plain, 1)) == dl.why(MethodType(plain, 1)) == rule_for(plain)
    with pytest.raises(TypeError, match="callable, not 3"):
        dl.why(3)
    assert dl.why(type("Made", (), {})).id == "user-class"


SKIPPED = [row for row in TABLE if row.rule.action is Action.SKIP and row.rule.id != "c-function"]
FOLLOWED = [program for program in PROGRAMS if not program.is_one_graph]


@pytest.mark.parametrize("program", FOLLOWED, ids=str)
def test_skipping_changes_time_but_no_result(program, monkeypatch):
    """Without the rules that leave a call to Python, it is followed, or it is C's and breaks."""
    left = tuple(row for row in TABLE if row not in SKIPPED)
    monkeypatch.setattr(trace_rules, "TABLE", left)
    with dl.config.patch(strict=True):
        compare(dl.compile(program.function, backend="eager"), program)
