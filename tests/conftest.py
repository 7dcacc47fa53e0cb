"""Settings of all tests: the same examples on every run, however busy the machine is; and what
is not worth compiling is compiled all the same, to be compared; and internal errors are raised.

With `DYNAMO_VALIDATE=1` the summary says how many steps of reasoning about sizes were proved.
"""
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings

from dynamo_lite.base.config import config as dynamo_config

from .fuzz.seeds import DAY

dynamo_config.compile_unprofitable = True
dynamo_config.strict = True

settings.register_profile(
    "project", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("project")

VALIDATED = Counter()


def counted():
    from dynamo_lite.guards.shapes import validation

    return {verdict.value: count for verdict, count in validation.counts.items()}


def pytest_report_header():
    return f"random programs of the day: seeds from {DAY} on" if DAY else []


def pytest_sessionfinish(session):
    if dynamo_config.validate:
        output = getattr(session.config, "workeroutput", None)
        VALIDATED.update(counted())
        if output is not None:
            output["validated"] = counted()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    VALIDATED.update(getattr(node, "workeroutput", {}).get("validated", {}))


def pytest_terminal_summary(terminalreporter):
    if dynamo_config.validate:
        found = ", ".join(f"{count} {verdict}" for verdict, count in sorted(VALIDATED.items()))
        terminalreporter.line(f"steps of reasoning about sizes: {found or 'none'}")
