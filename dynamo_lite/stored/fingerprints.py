"""Fingerprints: what an object of a program is, in words that mean the same in another process.

Two objects with one fingerprint behave alike as far as a capture can have relied on them without a
guard: functions have the same code, classes the same bases and members. What can change about them
within a process (defaults, attributes, contents of cells) is guarded by value and is no part.
"""
from __future__ import annotations

import enum
import importlib
import marshal
import operator
import random
import sys
import types
from _blake2 import blake2b
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

import numpy as np
from numpy._core import umath

from ..base.classes import is_python_class
from ..base.origins import module_of_ufunc
from ..errors import Unsupported
from ..native import CompiledFunction, _core

WITHOUT_REFERENCES = 2
"""The format of marshal in which equal code is equal text."""
OURS = "dynamo_lite"
RANDOM = "numpy.random"
"""Its functions are methods of one object, and know no module."""
PYTHONS_RANDOM = getattr(random.random, "__self__", None)
"""The generator whose methods are the functions of `random`."""
ERRSTATE: ContextVar[Any] = umath._extobj_contextvar
OBJECTS = {id(PYTHONS_RANDOM): ("random", "random.__self__"),
           id(ERRSTATE): (umath.__name__, "_extobj_contextvar")}
"""Objects that have a name in a module, but do not know it."""
TYPES = {id(kind): name for name, kind in vars(types).items() if isinstance(kind, type)}
"""Names in `types` of classes that have another one of their own."""
LEGACY_STATE = getattr(np.random.get_state, "__self__", None)
RULE = "_dynamo_lite_rule"
"""What a directive leaves on a function (`tracer.rules.trace_rules`)."""


def digest(content: bytes) -> str:
    """16 bytes that no two contents have in common; hashlib takes milliseconds to import."""
    return blake2b(content, digest_size=16).hexdigest()


def fingerprint(value: Any) -> str:
    """The fingerprint of an object; Unsupported where it has none."""
    for kinds, describe in FINGERPRINTS:
        if isinstance(value, kinds):
            return describe(value)
    return _of_mark(value)


def of_code(code: types.CodeType) -> str:
    return f"code {digest(marshal.dumps(_in_words(code), WITHOUT_REFERENCES))}"


def _in_words(code: types.CodeType) -> types.CodeType:
    """The code with names for marks of the core, which it was made to hold."""
    return code.replace(co_consts=tuple(map(_constant, code.co_consts)))


def _constant(value: Any) -> Any:
    if isinstance(value, types.CodeType):
        return _in_words(value)
    try:
        marshal.dumps(value)
    except ValueError:
        return "append" if is_append(value) else fingerprint(value)
    return value


def is_append(value: Any) -> bool:
    """Whether it is the method of a list: code of loops that run on the stack has a list of its
    own."""
    return isinstance(value, types.BuiltinMethodType) and type(value.__self__) is list


NAMES_IN_CORE = {id(each): name for name, each in reversed(vars(_core).items())}


def name_in_core(value: Any) -> str | None:
    """The name of a mark or type of the native core."""
    name = NAMES_IN_CORE.get(id(value))
    return name if name is not None and getattr(_core, name, None) is value else None


def _of_mark(value: Any) -> str:
    """Of a mark of the core, or a function of another kind, as Cython's are."""
    if (name := name_in_core(value)) is not None:
        return f"the {name}"
    if not callable(value):
        raise Unsupported(f"an object of {type(value).__qualname__} has no name")
    return of_named(value)


def _of_function(function: types.FunctionType) -> str:
    rule = function.__dict__.get(RULE, "")
    return f"function {function.__module__}.{function.__qualname__} {rule} " + (
        of_code(function.__code__))


def _of_class(kind: type) -> str:
    if not is_python_class(kind):
        return f"class {kind.__module__}.{kind.__qualname__}"
    bases = " ".join(map(_of_one_class, kind.__mro__))
    return f"class {kind.__module__}.{kind.__qualname__} {digest(bases.encode())}"


def _of_one_class(kind: type) -> str:
    name = f"{kind.__module__}.{kind.__qualname__}"
    if not is_python_class(kind):
        return name
    members = sorted((key, _of_member(key, value)) for key, value in vars(kind).items())
    return f"{name} {type(kind).__qualname__} {kind.__dictoffset__} {members}"


def _of_member(name: str, value: Any) -> str:
    """Plain values are guarded where they were read, but for those that make the class what it is:
    slots, fields, and what members of an enumeration stand for."""
    value = getattr(value, "__func__", value)
    if isinstance(value, types.FunctionType):
        return _of_function(value)
    if isinstance(value, enum.Enum):
        value = value._value_
    elif not name.startswith("_"):
        return type(value).__qualname__
    return plain_text(value)


def plain_text(value: Any) -> str:
    """The text of numbers, texts and tuples of them; the type of anything else."""
    if isinstance(value, tuple):
        return f"({', '.join(map(plain_text, value))})"
    return repr(value) if type(value) in PLAIN else type(value).__qualname__


PLAIN = (bool, int, float, complex, str, bytes, type(None))


def _of_module(module: types.ModuleType) -> str:
    if sys.modules.get(module.__name__) is not module:
        raise Unsupported(f"{module.__name__} is another module")
    return f"module {module.__name__}"


def of_named(value: Any) -> str:
    """Of what a library has under a name: its version is part of what an entry is kept for."""
    owner = getattr(value, "__self__", None)
    if is_named_method(value):
        return f"method {value.__name__} of {fingerprint(owner)}"
    module, name = place_of(value)
    if module == RANDOM and owner is not None and owner is not LEGACY_STATE:
        raise Unsupported(f"{name} draws from a state of the program's own")
    return f"{type(value).__qualname__} {module}.{name}"


def is_named_method(value: Any) -> bool:
    """Whether it is a method, in C, of a class, a ufunc or Python's own generator of random
    numbers: `tuple.__new__`, `np.add.reduce`, `random.random`."""
    owner = getattr(value, "__self__", None)
    return isinstance(value, types.BuiltinMethodType) and (
        isinstance(owner, (type, np.ufunc)) or owner is PYTHONS_RANDOM)


def place_of(value: Any) -> tuple[str, str]:
    """The module that has an object, and its name there; Unsupported where there is none."""
    if id(value) in TYPES:
        return "types", TYPES[id(value)]
    if id(value) in OBJECTS:
        return OBJECTS[id(value)]
    name = str(getattr(value, "__qualname__", None) or getattr(value, "__name__", ""))
    for module in _modules(value):
        for each in dict.fromkeys((name, name.rpartition(".")[2])):
            if isinstance(module, str) and lookup(module, each) is value:
                return module, each
    raise Unsupported(f"an object of {type(value).__qualname__} has no name")


def _modules(value: Any) -> Iterator[Any]:
    if isinstance(value, np.ufunc):
        yield module_of_ufunc(value)
    yield getattr(value, "__module__", None)
    if (owner := getattr(value, "__objclass__", None)) is not None:
        yield owner.__module__
    yield RANDOM


def lookup(module: str, name: str) -> Any:
    """What a loaded module has under a name; a module of this package is loaded for it."""
    there = sys.modules.get(module)
    if there is None and module.startswith(OURS):
        there = importlib.import_module(module)
    try:
        return operator.attrgetter(name)(there) if name else there
    except AttributeError:
        return None


def _of_dtype(dtype: np.dtype) -> str:
    if np.dtype(dtype.str) is not dtype:
        raise Unsupported(f"{dtype} is made anew by each process")
    return f"dtype {dtype.str}"


def _of_property(value: property) -> str:
    return "property " + " ".join("" if f is None else fingerprint(f)
                                  for f in (value.fget, value.fset, value.fdel))


Describe = Callable[[Any], str]

FINGERPRINTS: tuple[tuple[Any, Describe], ...] = (
    ((type(None), type(...), type(NotImplemented), bool), lambda value: "the"),
    (types.FunctionType, _of_function),
    (types.CodeType, of_code),
    (CompiledFunction, lambda value: f"compiled {fingerprint(value.__wrapped__)}"),
    (enum.Enum, lambda value: f"{_of_class(type(value))} {value._name_}"),
    (type, _of_class),
    ((random.Random, ContextVar), of_named),
    (np.dtype, _of_dtype),
    (types.ModuleType, _of_module),
    ((np.ufunc, types.BuiltinFunctionType, types.MethodType, type(np.sum)), of_named),
    ((types.MethodDescriptorType, types.WrapperDescriptorType, types.GetSetDescriptorType,
      types.MemberDescriptorType, types.ClassMethodDescriptorType),
     lambda value: f"member {_of_class(value.__objclass__)} {value.__name__}"),
    (property, _of_property),
    ((staticmethod, classmethod),
     lambda value: f"{type(value).__name__} {fingerprint(value.__func__)}"),
)  # fmt: skip
"""Kinds of objects that have a fingerprint, and how it is made; the first that fits."""
