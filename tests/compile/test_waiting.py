"""Python runs for as long as compiling has taken before a function gets code again."""
from __future__ import annotations

import logging
import re

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.runtime import waiting
from dynamo_lite.runtime.compile_frame import compiled_function
from dynamo_lite.runtime.kept import KeptEntries
from dynamo_lite.runtime.options import Options
from dynamo_lite.tiering.account import Account
from dynamo_lite.tiering.lender import Lender


def twice(x):
    return x * 2 + 1


@pytest.mark.parametrize(("enough", "graphs"), [(1e-6, 1), (1000.0, 2)])
def test_a_second_variant_waits_where_much_was_compiled(enough, graphs, monkeypatch):
    monkeypatch.setattr(waiting, "ENOUGH", enough)
    compiled = dl.compile(twice)
    for dtype in (np.float64, np.float32):
        x = np.arange(5, dtype=dtype)
        assert np.array_equal(compiled(x), twice(x)) and compiled(x).dtype == dtype
    assert dl.stats().graphs == graphs


def test_it_waits_for_as_long_as_compiling_took(monkeypatch):
    monkeypatch.setattr(waiting, "ENOUGH", 1e-6)
    compiled, x = dl.compile(twice), np.arange(100_000, dtype=np.float32)
    compiled(np.arange(5.0))
    for _ in range(100_000):
        compiled(x)
        if dl.stats().graphs == 2:
            break
    assert dl.stats().graphs == 2


@pytest.mark.parametrize(("untried", "rest", "as_whole", "looks"), [
    ([object()], 0.0, False, waiting.LOOKS), ([object()], 1.0, False, waiting.LOOKS),
    ([object()], 1.0, True, 0), ([], 0.0, False, 0),
])
def test_an_entry_on_disk_may_come_to_fit(monkeypatch, untried, rest, as_whole, looks):
    """Python runs for a while where there are some, in a whole program."""
    sought = []
    monkeypatch.setattr(KeptEntries, "fitting", lambda kept, args: sought.append(args))
    monkeypatch.setattr(waiting, "FIRST_LOOK", 1e-9)
    with dl.config.patch(warm_seconds=0.0):
        account = Account(Lender(), False, 9, rest=rest)
        options = Options(warn=False, account=account, fullgraph=as_whole)
        compiled = compiled_function(twice, options)
        compiled.miss.kept.untried = untried
        for _ in range(looks + 1):
            assert not compiled.entries()
            compiled(np.arange(5.0))
        assert len(compiled.entries()) == 1 and len(sought) == looks + 1


def test_seldom_iterations_of_a_running_loop_run_in_python():
    account = Account(Lender(), False, 9)
    account.enters_loop(10.0)
    compiled = compiled_function(twice, Options(warn=False, account=account))
    usual, other = np.arange(5.0), np.arange(5, dtype=np.float32)
    for _ in range(3):
        for _ in range(50):
            compiled(usual)
        assert np.array_equal(compiled(other), twice(other)) and len(compiled.entries()) == 1
    for _ in range(waiting.IN_A_ROW):
        assert np.array_equal(compiled(other), twice(other))
    assert len(compiled.entries()) == 2


def test_iterations_of_a_running_loop_that_are_not_seldom_are_compiled():
    account = Account(Lender(), False, 9)
    account.enters_loop(10.0)
    compiled = compiled_function(twice, Options(warn=False, account=account))
    for _ in range(8):
        compiled(np.arange(5.0))
        compiled(np.arange(5, dtype=np.float32))
    assert len(compiled.entries()) == 2


def test_the_log_says_what_the_next_variant_waits_for(caplog):
    account = Account(Lender(), False, 9)
    compiled = compiled_function(twice, Options(warn=False, account=account))
    with caplog.at_level(logging.INFO, "dynamo_lite.recompiles"):
        assert np.array_equal(compiled(np.arange(5.0)), twice(np.arange(5.0)))
    assert re.search(r"no variant of twice yet: not warm yet: ran \S+ of \S+ ms", caplog.text)
