"""The pages on trackers say what the classes say, and its examples hold."""
import collections
import doctest
import functools
import importlib.util
import inspect
import itertools
import re
import sys
import types
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parents[2] / "docs"
spec = importlib.util.spec_from_file_location("variable_trackers", FOLDER / "variable_trackers.py")
writer = sys.modules["variable_trackers"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(writer)

NAMES = {
    "met": writer.met, "spread": writer.spread, "np": np, "re": re, "inspect": inspect,
    "deque": collections.deque, "Counter": collections.Counter, "partial": functools.partial,
    "SimpleNamespace": types.SimpleNamespace, "MappingProxyType": types.MappingProxyType,
    "MethodType": types.MethodType, "itertools": itertools,
}  # fmt: skip


def test_the_pages_are_up_to_date():
    found = {path: path.read_text() for path in writer.PAGES.iterdir()}
    assert found == writer.pages(), "run python docs/variable_trackers.py"


def test_every_example_is_of_a_kind():
    assert set(writer.EXAMPLES) <= {kind.__name__ for kind in writer.kinds()}


def test_the_examples_hold():
    text = "".join(writer.pages().values()).replace("```", "")
    examples = doctest.DocTestParser().get_doctest(text, dict(NAMES), "trackers", None, 0)
    assert len(examples.examples) >= len(writer.EXAMPLES)
    assert doctest.DocTestRunner().run(examples).failed == 0
