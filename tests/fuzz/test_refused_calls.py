"""Calls with what is not taken: Python's own error, or NumPy's.

Every method of some classes and every function of some modules, with too few and too many
arguments, with names that they do not know, with values of other types; methods also as functions
of the class with an object of another one.
"""
import bisect
import builtins
import cmath
import collections
import copy
import functools
import heapq
import itertools
import math
import operator
import random
import statistics

import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import ROUNDED, differences, outcome_of_copy
from .seeds import chunks

OBJECTS = {
    "[b.sum(), n, 2]": list, "{1: b, 'k': n}": dict, "{1, n, 's'}": set, "(1, n, 2.5)": tuple,
    "'a b'": str, "b'ab'": bytes, "range(n)": range, "collections.deque([1, n])": collections.deque,
    "frozenset([1, n])": frozenset, "collections.OrderedDict(a1=n)": collections.OrderedDict,
    "collections.defaultdict(list)": collections.defaultdict, "n": int, "float(n)": float,
    "collections.Counter('aab')": collections.Counter, "b": np.ndarray, "b[1]": np.float64,
}  # fmt: skip
SELVES = [*OBJECTS, "np.uint16(1)", "len(a)", "True", "None", "float(b[1])"]
ARGUMENTS = ["", "1", "1, 2", "1, 2, 3", "1, 2, 3, 4", "x=1", "'a'", "[1, 2]", "key=None",
             "1, key=1", "None", "b", "n", "-1", "'a', 'b'", "{1: 2}", "'f4'"]  # fmt: skip
SPECIAL = ("__add__", "__len__", "__getitem__", "__eq__", "__lt__", "__iter__", "__contains__",
           "__setitem__", "__delitem__", "__mul__", "__iadd__", "__or__", "__reversed__",
           "__float__", "__index__", "__bool__")  # fmt: skip
ELSEWHERE = ("tofile", "dump")
"""Methods that write files."""


def methods(kind):
    return [name for name in dir(kind) if callable(getattr(kind, name, None))
            and (name in SPECIAL or not name.startswith("_")) and name not in ELSEWHERE]


METHODS = {text: methods(kind) for text, kind in OBJECTS.items()}
MODULES = bisect, builtins, cmath, copy, functools, heapq, itertools, math, operator, statistics
SCOPE = {"np": np, "collections": collections, **{one.__name__: one for one in MODULES}}
WITHOUT = {
    "breakpoint", "compile", "copyright", "credits", "dir", "eval", "exec", "exit", "globals",
    "hash", "help", "id", "input", "license", "locals", "memoryview", "object", "open", "print",
    "quit", "repr", "super", "vars", "aiter", "anext",  # of Python's frames, files and memory
    "NormalDist", "RLock", "get_cache_token", "namedtuple", "recursive_repr",
    "empty", "empty_like", "resize",  # memory as it was found
    "asmatrix", "bmat",  # whose errors have addresses
    "DataSource", "fromfile", "fromregex", "genfromtxt", "load", "loadtxt", "memmap", "save",
    "savetxt", "savez", "savez_compressed",  # files
    "get_include", "get_printoptions", "getbufsize", "geterr", "geterrcall", "info",
    "set_printoptions", "setbufsize", "seterr", "seterrcall", "show_config", "show_runtime", "test",
    "frompyfunc", "vectorize", "nditer", "from_dlpack",
    "unique_all", "unique_counts", "unique_inverse", "unique_values",  # names that a wrapper refuses
}
GIVEN = [*ARGUMENTS, "b, b", "b, b, b", "b, n", "x=b", "b, x=1", "b, key=None", "b, 'a'", "*[b] * 9",
         "[1, 2], [3]", "[1, n, 2.5]", "b, None", "b, 1, 2, 3, 4, 5, 6", "b, axis=5", "b, axis='a'",
         "b, dtype='nope'", "b, out=b", "b, where=b", "b > 3, b", "(1, n)", "b, (0, 0)", "b, -1",
         "n, b", "b[:0]", "range(n), n", "dtype=float", "b, b, b, b, b", "b[1], b"]  # fmt: skip


def functions():
    for module in MODULES:
        prefix = "" if module is builtins else f"{module.__name__}."
        yield from (prefix + name for name in public(module))
    for module, prefix in (np, "np."), (np.linalg, "np.linalg."):
        yield from (prefix + name for name in public(module)
                    if not isinstance(getattr(module, name), type))


def public(module):
    return [name for name in dir(module) if callable(getattr(module, name, None))
            and not name.startswith("_") and name not in WITHOUT]


FUNCTIONS = [*functions()]


def call_of_method(r):
    made = r.choice(list(OBJECTS))
    name, given = r.choice(METHODS[made]), r.choice(ARGUMENTS)
    if r.random() < 0.6:
        return made, f"o.{name}({given})"
    kind = OBJECTS[made]
    owner = f"{kind.__module__.replace('builtins', '').replace('numpy', 'np')}.".lstrip(".")
    rest = f", {given}" if given else ""
    return made, f"{owner}{kind.__name__}.{name}({r.choice(SELVES)}{rest})"


def call_of_function(r):
    return "None", f"{r.choice(FUNCTIONS)}({r.choice(GIVEN)})"


def program(seed, call):
    made, called = call(random.Random(seed))
    text = (
        "def function(a, n):\n    b = a * 2 + 1\n"
        f"    o = {made}\n    r = {called}\n"
        "    return b, *(list(itertools.islice(x, 50)) if hasattr(x, '__next__') else x\n"
        "                for x in (o, r))\n"
    )
    scope = dict(SCOPE)
    exec(compile(text, f"<calls {seed}>", "exec"), scope)
    return scope["function"], text


@pytest.mark.parametrize("seeds", chunks(1500, 100, daily=1000))
@pytest.mark.parametrize("call", [call_of_method, call_of_function])
def test_calls_that_are_refused(call, seeds):
    arguments = np.arange(6.0), 3
    with dl.config.patch(strict=True, compile_unprofitable=True):
        for seed in seeds:
            function, text = program(seed, call)
            expected = outcome_of_copy(function, arguments)
            found = outcome_of_copy(dl.compile(function), arguments)
            if wrong := differences(found, expected, ROUNDED):
                pytest.fail(f"seed {seed}\n{text}\n{wrong}")
        dl.reset()
