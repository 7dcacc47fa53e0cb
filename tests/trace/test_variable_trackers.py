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
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "docs"
spec = importlib.util.spec_from_file_location("variable_trackers", FOLDER / "variable_trackers.py")
writer = sys.modules["variable_trackers"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(writer)

NAMES = {
    "met": writer.met, "spread": writer.spread, "Scaled": writer.Scaled, "np": np, "sys": sys, "re": re, "inspect": inspect,
    "deque": collections.deque, "Counter": collections.Counter, "partial": functools.partial,
    "SimpleNamespace": types.SimpleNamespace, "MappingProxyType": types.MappingProxyType,
    "MethodType": types.MethodType, "itertools": itertools,
}  # fmt: skip


def test_the_pages_are_up_to_date():
    found = {path: path.read_text() for path in writer.PAGES.iterdir()}
    assert found == writer.pages(), "run python docs/variable_trackers.py"


def test_every_kind_has_an_example_or_others_derived_from_it():
    found = list(writer.kinds())
    abstract = {kind.__name__ for kind in found for other in found if kind in other.__bases__}
    shown = {*writer.EXAMPLES, *writer.ELSEWHERE}
    assert shown <= {kind.__name__ for kind in found} <= shown | abstract


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type statements are of Python 3.12")
def test_types_that_the_frame_defines():
    names = {}
    exec(writer.DEFINES_A_TYPE, names)
    assert "TypeParameterVariable" in writer.met(names["function"])


def test_the_examples_hold():
    text = "".join(writer.pages().values()).replace("```", "")
    examples = doctest.DocTestParser().get_doctest(text, dict(NAMES), "trackers", None, 0)
    assert len(examples.examples) >= len(writer.EXAMPLES) - 1
    assert doctest.DocTestRunner().run(examples).failed == 0
