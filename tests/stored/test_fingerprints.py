"""What has a fingerprint, and what it tells apart."""
import enum
import random
import sys
import types

import numpy as np
import pytest

from dynamo_lite.errors import Unsupported
from dynamo_lite.stored.fingerprints import fingerprint
from dynamo_lite.stored.references import module_of


class Colour(enum.Enum):
    RED = 1


def made(text):
    space = {"__name__": "somewhere"}
    exec(text, space)
    return space["f"]


ALIKE = [
    lambda: made("def f(x): return x + 1"),
    lambda: made("class f:\n    a = 1\n    def g(self): return 2"),
    lambda: made("class f:\n    a = property(lambda self: 2)"),
    lambda: made("def f(): return 1").__code__,
    lambda: np.sin, lambda: np.sum, lambda: np.linalg.norm, lambda: np.random.normal,
    lambda: np.add.reduce, lambda: tuple.__new__, lambda: random.gauss, lambda: random.random,
    lambda: types.FunctionType, lambda: type(random.random), lambda: np.dtype("f4"),
    lambda: np, lambda: len, lambda: dict.get, lambda: float, lambda: None, lambda: Colour.RED,
]  # fmt: skip


@pytest.mark.parametrize("make", ALIKE)
def test_equal_texts_have_one_print(make):
    assert fingerprint(make()) == fingerprint(make())


APART = [
    ("def f(x): return x + 1", "def f(x): return x + 1.0"),
    ("def f(x): return x + 1", "def f(x): return x + True"),
    ("def f(x): return (lambda: x)()", "def f(x): return (lambda: -x)()"),
    ("class f:\n    def g(self): return 2", "class f:\n    def g(self): return 3"),
    ("class f:\n    pass", "class f(float):\n    pass"),
    ("class f:\n    pass", "class f:\n    __slots__ = ()"),
    ("class f:\n    a = 1", "class f:\n    a = property(lambda self: 1)"),
    ("class b:\n    def g(self): return 2\nclass f(b): pass",
     "class b:\n    def g(self): return 3\nclass f(b): pass"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), APART)
def test_other_texts_have_another(one, other):
    assert fingerprint(made(one)) != fingerprint(made(other))


NAMELESS = [
    np.ones(3), [1], {}, object(), random.Random(3), random.Random(3).random,
    np.random.RandomState(3).normal, np.random.default_rng(3).normal, np.dtype([("x", "f8")]),
    {}.get, [].append, np.frompyfunc(len, 1, 1), types.ModuleType("numpy"),
]  # fmt: skip


@pytest.mark.parametrize("value", NAMELESS, ids=lambda value: type(value).__name__)
def test_what_only_this_process_has_has_none(value):
    with pytest.raises(Unsupported):
        fingerprint(value)


def test_modules_of_this_package_are_loaded_where_an_entry_names_them(monkeypatch):
    name = "dynamo_lite.runtime.replayed"
    monkeypatch.delitem(sys.modules, name, raising=False)
    assert module_of(name).__name__ == name and module_of("types") is types
    with pytest.raises(Unsupported):
        module_of("a_module_that_no_program_has")
