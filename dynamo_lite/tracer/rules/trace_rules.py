"""inline / skip / graph: what the tracer does with a callable it did not make itself.

One table of rows, asked in order; the first that matches decides. Every rule has an id, which
`explain` names, and a reason, which a graph break quotes.
"""
from __future__ import annotations

import enum
import functools
import importlib.util
import json
import logging
import operator
import os
import random
import re
import struct
import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ...base.origins import is_numpys, is_stdlib, module_of, module_of_ufunc
from ...base.records import dataclass
from ...ir.row import row_of

MARKER = "_dynamo_lite_rule"
"""Attribute by which a user's function asks for a rule, by its id."""
WHY = "_dynamo_lite_reason"
"""Attribute with the user's own reason for it."""


class Action(enum.Enum):
    INLINE = "inline"  # trace into its Python code
    SKIP = "skip"  # leave the call to Python: a graph break
    GRAPH = "graph"  # NumPy's: `tracer.numpy` decides
    FOLD = "fold"  # pure: run it when every argument is known
    METHOD = "method"  # the tracker of the container answers
    CACHED = "cached"  # what `functools.lru_cache` holds
    CONSTANT = "constant"  # run it once, its result is a constant


@dataclass(frozen=True, slots=True)
class Rule:
    id: str
    action: Action
    reason: str

    def __str__(self) -> str:
        return f"{self.action.value}: {self.reason} ({self.id})"

    def __repr__(self) -> str:
        return f"<Rule {self}>"


@dataclass(frozen=True, slots=True)
class Row:
    """A rule and what it applies to."""

    rule: Rule
    applies: Callable[[Any, str], bool]


def among(*functions: Any) -> Callable[[Any, str], bool]:
    known = {id(each): each for each in functions}
    return lambda function, module: id(function) in known


def marked(id: str) -> Callable[[Any, str], bool]:
    return lambda function, module: getattr(function, MARKER, None) == id


def mark(function: Any, id: str, reason: str | None = None) -> Any:
    """Ask for the rule `id` wherever the function is called."""
    setattr(function, MARKER, id)
    if reason is not None:
        setattr(function, WHY, reason)
    return function


def in_package(*packages: str) -> Callable[[Any, str], bool]:
    return lambda function, module: module.partition(".")[0] in packages


def is_ufunc_of_library(function: Any, module: str) -> bool:
    """`scipy.special.erf` and the like."""
    return isinstance(function, np.ufunc) and not is_numpys(function, module_of_ufunc(function))


def is_for_masked_arrays(function: Any, module: str) -> bool:
    """Of `numpy.ma`, but for what takes plain arrays as they are."""
    return module.startswith("numpy.ma.") and ".tests" not in module and (
        getattr(function, "__name__", "") not in ("getdata", "isMaskedArray", "isMA", "isarray"))


def is_for_text(function: Any, module: str) -> bool:
    """Of `numpy.char` and `numpy.strings`; some of those are ufuncs."""
    if isinstance(function, np.ufunc):
        name = function.__name__
        return getattr(np.strings, name, None) is function and not hasattr(np, name)
    return module in TEXT_MODULES


TEXT_MODULES = ("numpy.char", "numpy.strings", "numpy._core.defchararray", "numpy._core.strings")


def in_module(*modules: str) -> Callable[[Any, str], bool]:
    return lambda function, module: module in modules


def is_python(function: Any, module: str) -> bool:
    return isinstance(function, types.FunctionType)


def is_heap_class(function: Any) -> bool:
    """A class written in Python: its methods are followed."""
    return isinstance(function, type) and bool(function.__flags__ & 1 << 9)


def both(*conditions: Callable[[Any, str], bool]) -> Callable[[Any, str], bool]:
    return lambda function, module: all(holds(function, module) for holds in conditions)


def draws_random(function: Any, module: str) -> bool:
    """A method of `random.Random` that the graph can call, or the class itself."""
    if function is random.Random:
        return True
    owner = getattr(function, "__self__", None)
    return type(owner) is random.Random and row_of(function) is not None


def is_method_of_constant(function: Any, module: str) -> bool:
    """A C method of one of Python's immutable types."""
    owner = getattr(function, "__objclass__", None)
    if owner is None and isinstance(function, types.BuiltinFunctionType):
        owner = type(function.__self__)
        owner = function.__self__ if owner is type else owner
    return owner in IMMUTABLE_TYPES


IMMUTABLE_TYPES = frozenset({
    bool, int, float, complex, str, bytes, range, slice, type(None),
})


def is_method_of_container(function: Any, module: str) -> bool:
    return getattr(function, "__objclass__", None) in CONTAINERS


CONTAINERS = frozenset({
    list, dict, set, frozenset, tuple, deque, OrderedDict, defaultdict,
})

PURE_MODULES = ("math", "cmath", "string", "_string", "fractions")
INLINED_MODULES = (
    "operator", "functools", "contextlib", "dataclasses", "collections", "collections.abc",
    "_collections_abc", "copy", "types", "statistics", "string", "bisect", "heapq", "typing",
    "abc", "numbers", "fractions", "textwrap", "keyword", "enum", "reprlib", "graphlib", "colorsys",
)
POLYFILLS = "dynamo_lite.tracer.polyfills"
"""Where Python stands in for C code; its functions must not leave the trace."""


def is_polyfill(module: str | None) -> bool:
    """Whether a module of this name has polyfills in it."""
    return module is not None and module.rpartition(".")[0] == POLYFILLS


def is_pattern_function(function: Any, module: str) -> bool:
    """A function of `re`, or a method of what it gives."""
    owner = getattr(function, "__objclass__", None) or type(getattr(function, "__self__", None))
    is_method = owner in (re.Pattern, re.Match)
    return is_method or (module == "re" and getattr(function, "__name__", "") in PATTERN_FUNCTIONS)


PATTERN_FUNCTIONS = (
    "compile", "escape", "findall", "finditer", "fullmatch", "match", "search", "split",
)  # fmt: skip
FORBIDDEN = ("print", "input", "open", "exec", "eval", "breakpoint", "compile", "__import__")

OWN_FOLDERS = tuple(
    folder + os.sep for name in ("dynamo_lite", "dynamo_lite.guards", "dynamo_lite.backends")
    for folder in getattr(importlib.util.find_spec(name), "submodule_search_locations", None) or ())
"""Those of this package, some of which are elsewhere in its source tree."""

PURE_FUNCTIONS = (
    struct.pack, struct.unpack, struct.calcsize, json.loads, operator.length_hint,
    operator.countOf, operator.indexOf, os.path.join, os.path.basename, os.path.dirname,
    os.path.split, os.path.splitext, os.path.isabs, os.path.normpath,
)  # fmt: skip
LOGGING = (
    logging.Logger.debug, logging.Logger.info, logging.Logger.warning, logging.Logger.error,
    logging.Logger.critical, logging.Logger.log, logging.debug, logging.info, logging.warning,
    logging.error, logging.critical,
)  # fmt: skip

TABLE: tuple[Row, ...] = (
    Row(Rule("user-disable", Action.SKIP, "it is marked with disable"), marked("disable")),
    Row(Rule("user-graph-break", Action.SKIP, "the program asks for a graph break"),
        marked("graph-break")),
    Row(Rule("user-graph", Action.GRAPH, "it is marked with allow_in_graph"),
        marked("allow-in-graph")),
    Row(Rule("user-constant", Action.CONSTANT, "it is marked with assume_constant_result"),
        marked("constant-result")),
    Row(Rule("user-is-compiling", Action.CONSTANT, "true in compiled code"),
        marked("is-compiling")),
    Row(Rule("own-inline", Action.INLINE, "written to be traced"), marked("inline")),
    Row(Rule("effect-builtin", Action.SKIP, "it has effects outside the program"),
        lambda function, module: module == "builtins" and function.__name__ in FORBIDDEN),
    Row(Rule("numpy-text", Action.SKIP, "it shows arrays as text, which needs their contents"),
        among(np.array2string, np.array_repr, np.array_str, np.set_printoptions, np.printoptions)),
    Row(Rule("numpy-file", Action.SKIP, "it reads or writes files"),
        among(np.save, np.savez, np.savez_compressed, np.savetxt, np.load, np.loadtxt,
              np.genfromtxt, np.fromfile, np.memmap, np.ndarray.tofile, np.ndarray.dump)),
    Row(Rule("numpy-list", Action.SKIP, "Python gets the elements themselves"),
        among(np.ndarray.tolist, np.ndarray.tobytes, np.ndarray.dumps)),
    Row(Rule("numpy-elements", Action.SKIP, "it hands out views of single elements; "
             "x.flat, np.ndenumerate and np.ndindex are followed"),
        among(np.nditer, np.nested_iters)),
    Row(Rule("numpy-objects", Action.SKIP, "its results are Python objects; "
             "np.vectorize is followed"), among(np.frompyfunc)),
    Row(Rule("numpy-eigenvalues", Action.SKIP, "data decides whether its results are complex; "
             "np.linalg.eigh is followed, for symmetric matrices"),
        among(np.linalg.eig, np.linalg.eigvals)),
    Row(Rule("numpy-memory", Action.SKIP, "nothing checks its strides; "
             "np.lib.stride_tricks.sliding_window_view is followed"),
        among(np.lib.stride_tricks.as_strided)),
    Row(Rule("numpy-masked", Action.SKIP, "masked arrays, a class of their own, are not tracked"),
        is_for_masked_arrays),
    Row(Rule("numpy-strings", Action.SKIP, "it works on arrays of text"), is_for_text),
    Row(Rule("library-ufunc", Action.GRAPH, "a ufunc of a library, which the graph calls"),
        is_ufunc_of_library),
    Row(Rule("numpy", Action.GRAPH, "NumPy's"), is_numpys),
    Row(Rule("cupy", Action.GRAPH, "CuPy's, where NumPy has the same"), in_package("cupy")),
    Row(Rule("python-random", Action.GRAPH, "the graph has Python draw random numbers"),
        draws_random),
    Row(Rule("container-method", Action.METHOD, "a method of one of Python's containers"),
        is_method_of_container),
    Row(Rule("pure-method", Action.FOLD, "a method of an immutable type"), is_method_of_constant),
    Row(Rule("pure-module", Action.FOLD, "a pure function of the standard library"),
        both(in_module(*PURE_MODULES), lambda f, m: not is_python(f, m) and not is_heap_class(f))),
    Row(Rule("pure-text", Action.FOLD, "regular expressions give the same for the same text"),
        is_pattern_function),
    Row(Rule("cached-function", Action.CACHED, "only what its cache holds for known arguments is "
             "used; dl.assume_constant_result says that its results may be constants"),
        lambda function, module: functools._lru_cache_wrapper.__call__ is function
        or functools._lru_cache_wrapper in (
            type(function), type(getattr(function, "__func__", None)))),
    Row(Rule("stdlib-inline", Action.INLINE, "Python code of the standard library that is safe"),
        both(in_module(*INLINED_MODULES), is_python, is_stdlib)),
    Row(Rule("pure-function", Action.FOLD, "a pure function of known values"),
        among(*PURE_FUNCTIONS)),
    Row(Rule("logging-inline", Action.INLINE, "what a logger does not report has no effect"),
        among(*LOGGING)),
    Row(Rule("stdlib-skip", Action.SKIP, "the standard library runs in Python"),
        is_stdlib),
    Row(Rule("own-polyfill", Action.INLINE, "it stands in for a C function"),
        both(lambda function, module: is_polyfill(module), is_python)),
    Row(Rule("own-control-flow", Action.INLINE, "control flow in the form of functions"),
        in_module("dynamo_lite.api.control_flow")),
    Row(Rule("own-derivative", Action.GRAPH, "a derivative is a node"),
        in_module("dynamo_lite.ir.pullback")),
    Row(Rule("own-transform", Action.INLINE, "derivatives in the form of functions"),
        in_module("dynamo_lite.derivatives.api", "dynamo_lite.derivatives.coloured",
                  "dynamo_lite.derivatives.custom", "dynamo_lite.derivatives.parameters",
                  "dynamo_lite.derivatives.transforms")),
    Row(Rule("own-skip", Action.SKIP, "dynamo_lite does not trace itself"),
        in_package("dynamo_lite")),
    Row(Rule("user-inline", Action.INLINE, "its Python code is followed"), is_python),
    Row(Rule("c-function", Action.SKIP, "it is not written in Python"), lambda f, m: True),
)  # fmt: skip


def rule_for(function: Any) -> Rule:
    """The first rule that applies to a callable."""
    module = module_of(function)
    rule = next(row.rule for row in TABLE if row.applies(function, module))
    if rule.id == "user-disable" and (reason := getattr(function, WHY, None)) is not None:
        return replace(rule, reason=f"{rule.reason}: {reason}")
    return rule
