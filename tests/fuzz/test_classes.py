"""Random classes do in compiled programs what they do in Python: values, exceptions and the order
in which their special methods are called.

`seeds` says which, and how to repeat those of a test; `python -m tests.fuzz.classes SEED` prints one.
"""
from __future__ import annotations

import functools
import re
import sys
import types
import warnings
from collections import deque
from typing import Any

import numpy as np
import pytest

import dynamo_lite as dl

from .classes import namespace, source
from .seeds import chunks

DEEPEST = 400
ADDRESS = re.compile(r" at 0x[0-9a-f]+|\d{12,}")
CONTENTS: tuple[tuple[type, Any], ...] = (
    (dict, lambda value: [(k, v) for k, v in dict.items(value)]),
    (list, list.__iter__), (tuple, tuple.__iter__), (deque, deque.__iter__),
    (str, str.__str__), (bytes, bytes.__repr__), (complex, complex.__repr__), (float, float.__repr__),
    (int, int.__repr__),
    (BaseException, lambda value: value.args), (types.MethodType, lambda value: (value.__func__, value.__self__)),
    (types.FunctionType, lambda value: value.__qualname__), (property, lambda value: ()),
    (functools.partial, lambda value: value.func),
    (types.MappingProxyType, lambda value: [*value]),
)  # fmt: skip


def shown(value: Any, deep: int = 0) -> str:
    """An object's type and all that it holds, past every method of its class."""
    kind = type(value)
    text = type.__repr__(kind)
    if issubclass(kind, type):
        return type.__repr__(value)
    if issubclass(kind, (np.ndarray, np.generic)):
        return f"{text} {value.dtype} {value.shape} {value.tolist()!r}" if value.dtype != object else text
    if deep > 5:
        return text
    if issubclass(kind, (set, frozenset)):
        text += str(sorted(shown(item, deep + 1) for item in (set if issubclass(kind, set) else frozenset).__iter__(value)))
    for base, read in CONTENTS:
        if issubclass(kind, base):
            found = read(value)
            text += found if isinstance(found, str) else str([shown(item, deep + 1) for item in found])
            break
    return text + held(value, kind, deep)


def held(value: Any, kind: type, deep: int) -> str:
    """What its dict and its slots hold."""
    found = []
    for base in kind.__mro__:
        for name, raw in vars(base).items():
            if type(raw) is types.MemberDescriptorType and base.__flags__ & 1 << 9:
                try:
                    found.append((name, raw.__get__(value)))
                except AttributeError:
                    pass
            elif name == "__dict__" and type(raw) is types.GetSetDescriptorType:
                found += dict(raw.__get__(value)).items()
    return "".join(f" {name}={shown(item, deep + 1)}" for name, item in found)


def outcome(scope: dict[str, Any], function: Any, given: list[Any]) -> str:
    """All that one call did."""
    scope["LOG"].clear()
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            result = function(scope["X"] + 1, *given)
        except Exception as error:
            result = error
    log, said = list(scope["LOG"]), [str(w.message) for w in caught]
    results = result if type(result) is list else [result]
    parts = [*map(shown, results), *map(repr, log), *map(shown, (said, *given))]
    return ADDRESS.sub("", "\n".join(parts))


def calls(scope: dict[str, Any], function: Any) -> list[str]:
    """Two calls with objects made anew, then one that goes on with what it left."""
    first, second = scope["given"](), scope["given"]()
    return [outcome(scope, function, given) for given in (first, second, second)]


def compiled(scope: dict[str, Any], seed: int) -> Any:
    """The program as one, or each of its steps."""
    if seed % 2:
        return dl.compile(scope["program"], backend="eager")
    for name in scope["program"].__code__.co_names:
        scope[name] = dl.compile(scope[name], backend="eager")
    return scope["program"]


def problem(seed: int) -> str | None:
    """What differs, as text, or None."""
    text = source(seed)
    plain, traced = namespace(text, f"{seed} plain"), namespace(text, f"{seed}")
    limit = sys.getrecursionlimit()
    try:  # classes that call themselves without end are of no interest
        sys.setrecursionlimit(DEEPEST)
        expected = calls(plain, plain["program"])
    finally:
        sys.setrecursionlimit(limit)
    if any("RecursionError" in part for part in expected):
        return None
    with dl.config.patch(strict=True):
        found = calls(traced, compiled(traced, seed))
    for number, pair in enumerate(zip(found, expected)):
        if pair[0] != pair[1]:
            lines = zip(*(part.split("\n") for part in pair))
            mine, theirs = next((line for line in lines if line[0] != line[1]), pair)
            return f"seed {seed}, call {number}\n{mine}\nnot\n{theirs}"
    return None


@pytest.mark.parametrize("seeds", chunks(1000, 125))
def test_random_classes_equal_python(seeds):
    problems = []
    for seed in seeds:
        if (wrong := problem(seed)) is not None:
            problems.append(f"{source(seed)}\n{wrong}")
        dl.reset()
    assert not problems, "\n\n".join(problems)
