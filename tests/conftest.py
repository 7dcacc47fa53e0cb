"""Settings of all tests: the same examples on every run, however busy the machine is; and what
is not worth compiling is compiled all the same, to be compared; and internal errors are raised.

Every test starts from the same state of the process, so that none depends on those before it; a
shell that starts them in the background does not have interrupts ignored in them.

With `DYNAMO_VALIDATE=1` the summary says how many steps of reasoning about sizes were proved.
"""
import gc
import os
import random
import signal
import sys
from collections import Counter

import numpy as np
import pytest
from dynamo_lite.backends import registry as backends
from hypothesis import HealthCheck, settings

import dynamo_lite as dl
from dynamo_lite.base.config import config as dynamo_config
from dynamo_lite.ir.ops import topics as topics  # they fill the registry that tests go through
from dynamo_lite.native import _core
from dynamo_lite.tiering.account import cold

from .fuzz.seeds import DAY
from .parts import chosen
from .skips import allowed, excess, reasons

dynamo_config.compile_unprofitable = True
dynamo_config.strict = True
dynamo_config.keep_entries = False  # what an earlier run of the tests has left is none of theirs
os.environ.setdefault("DYNAMO_KEEP_ENTRIES", "0")
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "project", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("project")

VALIDATED = Counter()


def pytest_addoption(parser):
    parser.addoption(
        "--accept", action="store_true", help="keep what the stages of the compiler make now")
    parser.addoption("--skips", help="a file with the reasons for which tests may be skipped")
    parser.addoption("--part", help="which part of the tests of many variants runs, as 1/3")


@pytest.fixture
def accept(request):
    return request.config.getoption("accept")


def settled():
    """What a test may change for itself, and has to put back."""
    return {
        "settings": repr(dynamo_config), "error state": np.geterr(), "print options":
        np.get_printoptions(), "trace function": sys.gettrace(), "profile function":
        sys.getprofile(), "folder": os.getcwd(), "recursion limit": sys.getrecursionlimit(),
        "threads": _core.get_num_threads(),
    }  # fmt: skip


@pytest.fixture(autouse=True)
def fresh():
    """Nothing is compiled, counted or drawn yet when a test starts, whatever ran before it; and a
    test that leaves the process otherwise than it found it fails."""
    dl.reset()
    cold.clear()
    backends._registered.clear()
    random.seed(0)
    np.random.seed(0)
    before = settled()
    yield
    after = settled()
    assert after == before, {what: after[what] for what in before if after[what] != before[what]}


def pytest_collection_modifyitems(config, items):
    if part := config.getoption("--part"):
        is_chosen = dict(zip(items, chosen([item.nodeid for item in items], part)))
        config.hook.pytest_deselected(items=[item for item in items if not is_chosen[item]])
        items[:] = [item for item in items if is_chosen[item]]


def pytest_collection_finish():
    """The tests themselves stay: nobody has to look for garbage among them."""
    gc.collect()
    gc.freeze()


def counted():
    from dynamo_lite.guards.shapes import validation

    return {verdict.value: count for verdict, count in validation.counts.items()}


def pytest_report_header():
    return f"random programs of the day: seeds from {DAY} on" if DAY else []


def skipped(config):
    """How many tests were skipped for each reason, in all processes."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    return reasons(reporter.stats.get("skipped", [])) if reporter is not None else Counter()


def too_many(config):
    path = config.getoption("skips")
    is_worker = hasattr(config, "workerinput")
    return excess(skipped(config), allowed(path)) if path and not is_worker else []


def pytest_sessionfinish(session):
    if too_many(session.config) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    if dynamo_config.validate:
        output = getattr(session.config, "workeroutput", None)
        VALIDATED.update(counted())
        if output is not None:
            output["validated"] = counted()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    VALIDATED.update(getattr(node, "workeroutput", {}).get("validated", {}))


def pytest_terminal_summary(terminalreporter):
    for reason, count in sorted(skipped(terminalreporter.config).items()):
        terminalreporter.line(f"{count} skipped: {reason}")
    for line in too_many(terminalreporter.config):
        terminalreporter.line(line, red=True)
    if dynamo_config.validate:
        found = ", ".join(f"{count} {verdict}" for verdict, count in sorted(VALIDATED.items()))
        terminalreporter.line(f"steps of reasoning about sizes: {found or 'none'}")
