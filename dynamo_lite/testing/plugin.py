"""The pytest plugin: `dl_strict`, `assert_no_recompiles`, `assert_fullgraph`, counts at the end.

It is loaded with pytest in every project where dynamo_lite is installed, and imports the compiler
only where a test uses it.
"""
from __future__ import annotations

import contextlib
import importlib
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ..base.counting import counted

COUNTS = pytest.StashKey[Counter[str]]()
HOMES = {"dl": "dynamo_lite", "stats": "dynamo_lite.runtime.stats"}
"""Modules that are loaded when first needed."""
WHOLE_PROGRAMS = "dynamo_lite.script.regions"
SENT = "dynamo_lite"
"""Where processes of pytest-xdist leave their counts."""


def _load(name: str) -> Any:
    return importlib.import_module(HOMES[name])


@pytest.fixture
def dl_strict() -> Iterator[None]:
    """Errors inside dynamo_lite and its warnings fail the test, instead of leaving it to Python."""
    dl = _load("dl")
    with dl.config.patch(strict=True), warnings.catch_warnings():
        warnings.simplefilter("error", dl.errors.DynamoWarning)
        yield


@pytest.fixture
def assert_no_recompiles() -> Callable[[], contextlib.AbstractContextManager[None]]:
    """`with assert_no_recompiles():` fails the test where a function that has variants is called
    and none fits; the message has the reasons. What was not compiled yet is."""
    return _no_recompiles


@contextlib.contextmanager
def _no_recompiles() -> Iterator[None]:
    __tracebackhide__ = True
    dl = _load("dl")
    try:
        with dl.no_recompile():
            yield
    except dl.errors.RecompileForbidden as error:
        raise pytest.fail.Exception(f"recompiled: {error}") from None


@pytest.fixture
def assert_fullgraph() -> Callable[..., Any]:
    """`assert_fullgraph(f, *args, **kwargs)` compiles `f`, calls it and gives the result back; the
    test fails where a part of it could not be compiled, or the call ran in Python after all."""
    return _fullgraph


def _fullgraph(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    __tracebackhide__ = True
    dl = _load("dl")
    try:
        explained = dl.explain(function, fullgraph=True)(*args, **kwargs)
    except dl.errors.FullGraphRequired as error:
        raise pytest.fail.Exception(f"not one graph: {error}") from None
    if explained.bailouts:
        pytest.fail(f"the call bailed out: {explained.bailouts[0]}")
    if explained.in_python:
        pytest.fail(f"runs in Python: {explained.in_python}")
    return explained.result


# -- counts at the end


def pytest_configure(config: pytest.Config) -> None:
    config.stash[COUNTS] = Counter()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Count what is compiled meanwhile; a test may have all counts forgotten before it."""
    before = _records()
    known = len(before or ())
    try:
        return (yield)
    finally:
        after = _records()
        new = (after or [])[known if after is before else 0 :]
        counts = item.config.stash[COUNTS]
        counts.update(_counted(new))


def _records() -> list[Any] | None:
    """Everything that was compiled; None where the compiler is not even loaded."""
    if HOMES["stats"] not in sys.modules:
        return None
    records: list[Any] = _load("stats").registry.records
    return records


def _counted(records: list[Any]) -> Counter[str]:
    return Counter(
        graphs=sum(record.operations > 0 for record in records),
        breaks=sum(record.broke is not None for record in records),
        recompiles=sum(record.recompile > 0 for record in records),
        milliseconds=round(sum(record.seconds for record in records) * 1e3),
    )


def pytest_sessionfinish(session: pytest.Session) -> None:
    if (output := getattr(session.config, "workeroutput", None)) is not None:
        counts = session.config.stash[COUNTS]
        output[SENT] = dict(counts)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    counts: Counter[str] = node.config.stash[COUNTS]
    counts.update(getattr(node, "workeroutput", {}).get(SENT, {}))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Where all of a program is compiled, its output stays as it is."""
    counts = terminalreporter.config.stash[COUNTS]
    if any(counts.values()) and WHOLE_PROGRAMS not in sys.modules:
        terminalreporter.line(
            f"dynamo_lite: {counted(counts['graphs'], 'graph')} compiled in "
            f"{counts['milliseconds'] / 1e3:.1f} s, {counted(counts['breaks'], 'graph break')}, "
            f"{counted(counts['recompiles'], 'recompile')}")
