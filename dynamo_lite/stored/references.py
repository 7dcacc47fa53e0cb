"""Values of an entry as bytes: the program's own objects by reference, everything else by value.

A reference is the way to an object from the function that the entry is of, or its name in a module,
together with its fingerprint: in another process it leads to the same object, or nowhere. Only what
is immutable is written by value, and of classes only those of this package.
"""
from __future__ import annotations

import importlib
import io
import marshal
import pickle
import sys
import types
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Protocol

import numpy as np

from ..base.classes import is_python_class
from ..base.records import dataclass, field
from ..bytecode.constants import Constants
from ..errors import Unsupported
from ..native import NativeEntry, _core
from .fingerprints import (
    OURS,
    fingerprint,
    is_append,
    is_named_method,
    lookup,
    name_in_core,
    place_of,
)

PLAIN = (int, float, complex, str, bytes, tuple, frozenset, slice, range, np.dtype)
"""Types of immutable values, beside those that have one value."""
OWN = (float, complex, tuple, frozenset, types.CodeType)
"""Types of constants of a code that are no others, however equal."""
CONTENTS = (list, dict, set)
ALONE = frozenset(map(type, (None, ..., NotImplemented, True)))
BY_VALUE = ALONE | {int, str, bytes}
"""Types whose values nothing has a reference to."""
CORE = _core.__name__
NATIVE = CORE.rpartition(".")[0]


class Frames(Protocol):
    """What is compiled along with a frame."""

    def told(self, value: Any) -> tuple[Any, ...] | None:
        """How to ask for it in another process; None for anything else."""
        ...

    def asked(self, kind: str, *rest: Any) -> Any:
        """The same thing again."""
        ...


@dataclass(eq=False, slots=True)
class Surroundings:
    """What references begin with: the function, what is compiled along with it, objects that its
    guards have found, and the compiled graphs that it calls, by number."""

    function: types.FunctionType
    frames: Frames
    found: list[Any] = field(default_factory=list)
    graphs: list[NativeEntry] = field(default_factory=list)


def written(value: Any, around: Surroundings, *, mutable: bool = False) -> bytes:
    """A value as bytes; Unsupported where it holds what has no reference. `mutable`: lists and
    dicts, too, for what nobody compares by identity."""
    stream = io.BytesIO()
    Writer(stream, around, mutable).dump(value)
    return stream.getvalue()


def read(content: bytes, around: Surroundings) -> Any:
    """The value again; Unsupported where a reference leads nowhere."""
    return Reader(io.BytesIO(content), around).load()


class Writer(pickle.Pickler):
    def __init__(self, stream: io.BytesIO, around: Surroundings, mutable: bool = False) -> None:
        super().__init__(stream, protocol=5)
        self.around, self.mutable = around, mutable
        self.found = {id(value): number for number, value in enumerate(around.found)}
        constants = around.function.__code__.co_consts
        self.constants = {id(value): n for n, value in enumerate(constants)}
        self.named: dict[int, tuple[Any, Any]] = {}

    def persistent_id(self, value: Any) -> Any:
        """The reference of a value that has an identity; None for what is written by value."""
        kind = type(value)
        if kind in BY_VALUE:
            return None
        if (again := self.named.get(id(value))) is not None:
            return again[1]
        if id(value) in self.constants and (kind in OWN or is_append(value)):
            return "constant", self.constants[id(value)]
        if kind in PLAIN:
            return None
        if id(value) in self.found:
            return "found", self.found[id(value)]
        if is_record(value) or isinstance(value, np.number | np.bool):
            return None
        if kind is NativeEntry:
            self.around.graphs.append(value)
            return "graph", len(self.around.graphs) - 1
        if (reference := self._namespace(value)) is not None:
            return reference
        if isinstance(value, np.dtype) and np.dtype(value.str) is value:
            return "dtype", value.str
        if (told := self.around.frames.told(value)) is not None:
            return "frame", *told
        if is_named_method(value):
            return "method", value.__self__, value.__name__
        if isinstance(value, (types.CodeType, np.dtype)):
            return None
        if self.mutable and kind in CONTENTS:
            return None
        self.named[id(value)] = value, named(value)
        return self.named[id(value)][1]

    def _namespace(self, value: Any) -> Any:
        if type(value) is not dict:
            return None
        if value is self.around.function.__globals__:
            return ("globals",)
        name = value.get("__name__")
        if isinstance(name, str) and getattr(sys.modules.get(name), "__dict__", None) is value:
            return "namespace", name
        for number, found in enumerate(self.around.found):
            for member, function in functions_of(found):
                for which in ("__globals__", "__builtins__"):
                    if getattr(function, which) is value:
                        return "names of", number, member, which
        return None

    def reducer_override(self, value: Any) -> Any:
        """Code is written with its constants, of which some are references."""
        if isinstance(value, types.CodeType):
            is_ours = isinstance(value.co_consts, Constants)
            content = marshal.dumps(value.replace(co_consts=()))
            return rebuilt, (content, tuple(value.co_consts), is_ours)
        return NotImplemented


def functions_of(found: Any) -> Iterator[tuple[str, types.FunctionType]]:
    """An object, if it is a function, without a name, and the functions of a class by theirs: those
    of named tuples have globals and builtins of their own, which are no module's."""
    members = {"": found} if isinstance(found, types.FunctionType) else {}
    for name, value in (vars(found) if isinstance(found, type) else members).items():
        function = getattr(value, "__func__", value)
        if isinstance(function, types.FunctionType):
            yield name, function


def rebuilt(content: bytes, constants: tuple[Any, ...], is_ours: bool) -> types.CodeType:
    """Code with its constants; `is_ours`: it was assembled here."""
    code: types.CodeType = marshal.loads(content)
    return code.replace(co_consts=Constants(constants) if is_ours else constants)


class Reader(pickle.Unpickler):
    def __init__(self, stream: io.BytesIO, around: Surroundings) -> None:
        super().__init__(stream)
        self.around = around

    def persistent_load(self, reference: Any) -> Any:
        kind, *rest = reference
        return REFERENCES[kind](self, *rest)

    def find_class(self, module: str, name: str) -> Any:
        """Only those that `Writer` writes by value."""
        if module.partition(".")[0] in (OURS, "numpy") or (module, name) in STANDARD:
            return super().find_class(module, name)
        raise Unsupported(f"{module}.{name} in an entry on disk")


STANDARD = {("builtins", "slice"), ("builtins", "range"), ("builtins", "frozenset"),
            ("builtins", "complex"), ("builtins", "set"), ("_codecs", "encode")}


def is_record(value: Any) -> bool:
    """Whether it is an instance of a class of this package, which is its fields."""
    kind: Any = type(value)
    return _is_of_records(kind) and not isinstance(value, type)


@cache
def _is_of_records(kind: type) -> bool:
    is_ours = kind.__module__.startswith(OURS) and not kind.__module__.startswith(NATIVE)
    return is_ours and is_python_class(kind)


def named(value: Any) -> tuple[str, str, str, str]:
    """The reference to an object that a module has under a name."""
    if (name := name_in_core(value)) is not None:
        return "named", CORE, name, ""
    module, name = (value.__name__, "") if isinstance(value, types.ModuleType) else place_of(value)
    return "named", module, name, "" if module.startswith(OURS) else fingerprint(value)


def module_of(name: str) -> types.ModuleType:
    """A module that the process has loaded; one of this package is loaded for it."""
    if name.startswith(OURS):
        return importlib.import_module(name)
    if (module := sys.modules.get(name)) is None:
        raise Unsupported(f"{name} is not loaded")
    return module


def resolved(module: str, name: str, seen: str) -> Any:
    """The object of that name; Unsupported where it is another one than was seen."""
    value = lookup(module, name)
    if value is None or (seen and fingerprint(value) != seen):
        raise Unsupported(f"{module}.{name} is another object")
    return value


REFERENCES: Mapping[str, Any] = {
    "found": lambda reader, number: reader.around.found[number],
    "globals": lambda reader: reader.around.function.__globals__,
    "names of": lambda reader, number, member, which: getattr(
        dict(functions_of(reader.around.found[number]))[member], which),
    "namespace": lambda reader, name: vars(module_of(name)),
    "named": lambda reader, *rest: resolved(*rest),
    "method": lambda reader, owner, name: getattr(owner, name),
    "frame": lambda reader, kind, *rest: reader.around.frames.asked(kind, *rest),
    "constant": lambda reader, number: reader.around.function.__code__.co_consts[number],
    "graph": lambda reader, number: reader.around.graphs[number],
    "dtype": lambda reader, text: np.dtype(text),
}
"""Kind of a reference → what it leads to."""
