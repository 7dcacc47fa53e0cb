"""Regions: all functions of a program are candidates, not only decorated ones.

`Candidates` is the callback of `native.enter_region`. It is asked about each function that starts
until it answers for good: with code that calls the function's compiled form, or with None. A
function is compiled when it is called with arrays, or for the second time when it names NumPy.
"""
from __future__ import annotations

import gc
import itertools
import sys
import weakref
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from .bytecode.hiding import forwarding
from .bytecode.resume import is_replacement
from .miss import Options, compiled_function
from .native import forget_frame
from .stats import FrameRecord
from .trace_rules import Action, is_stdlib, module_of, rule_for

ASKED_AGAIN = 3
"""Calls without arrays after which a function is left alone."""
FUNCTIONS_OF_A_CODE = 8
"""Closures made from one text that are compiled; later ones run in Python."""
LOOKED_AT = 16
"""Items of a container, or attributes of an object, that are looked at for arrays."""

ARRAY_PACKAGES = frozenset({"numpy", "cupy", "scipy"})
ARRAY_TYPES = (np.ndarray, np.generic)
CONTAINERS = (list, tuple, deque, dict)
_DISPATCHER = type(np.sum)
_IS_HEAP_TYPE = 1 << 9

Answer = Any  # a code object, None, or NotImplemented to be asked again


class Candidates:
    """Says which functions of a region run compiled."""

    def __init__(self, options: Options, every: bool = False) -> None:
        self.options = options
        self.every = every
        self.asked: Counter[int] = Counter()
        self.compiled: Counter[int] = Counter()
        self.given_up: set[int] = set()
        self.functions: dict[int, weakref.ref[FunctionType]] = {}

    def __call__(self, function: FunctionType, flat_args: tuple[Any, ...]) -> Answer:
        code = function.__code__
        key = id(code)
        if key in self.given_up or self.compiled[key] >= FUNCTIONS_OF_A_CODE:
            return None
        if not is_candidate(function):
            return None
        self.asked[key] += 1
        if self.every or touch_arrays(flat_args):
            return self._compiled(function, code)
        if self.asked[key] > 1 and mentions_arrays(function):
            return self._compiled(function, code)
        return NotImplemented if self.asked[key] < ASKED_AGAIN else None

    def _compiled(self, function: FunctionType, code: CodeType) -> CodeType:
        """The code to run instead; it is forgotten when the function dies."""
        key = id(code)
        self.compiled[key] += 1
        twin = twin_of(function)
        tally = Tally(self, code)
        options = Options(
            self.options.backend, self.options.dynamic, False, self.options.settings, tally
        )

        def forget(dead: weakref.ref[FunctionType]) -> None:
            if self.functions.get(key) is dead:
                del self.functions[key]
                if (text := tally.code()) is not None:
                    forget_frame(text)

        self.functions[key] = weakref.ref(function, forget)
        return forwarding(code, compiled_function(twin, options))


class Tally:
    """Notes what comes of compiling one function; gives it up when nothing does."""

    def __init__(self, candidates: Candidates, code: CodeType) -> None:
        self.candidates = candidates
        self.code: Callable[[], CodeType | None] = weakref.ref(code)
        self.operations = 0

    def __call__(self, record: FrameRecord) -> None:
        record.graph = None
        self.operations += record.operations
        if self.operations or not record.recompile:
            return
        if (code := self.code()) is not None:
            self.candidates.given_up.add(id(code))
            forget_frame(code)


def twin_of(function: FunctionType) -> FunctionType:
    """The same function as another object: compiled code must not keep the user's own alive."""
    twin = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    twin.__kwdefaults__ = function.__kwdefaults__
    twin.__qualname__ = function.__qualname__
    twin.__module__ = function.__module__
    return twin


def is_candidate(function: FunctionType) -> bool:
    """Whether a function is the user's, and may be compiled."""
    name = function.__code__.co_name
    if is_replacement(function) or (name.startswith("<") and name != "<lambda>"):
        return False
    module = module_of(function)
    if module.partition(".")[0] in ("numpy", "dynamo_lite") or is_stdlib(function, module):
        return False
    return rule_for(function).action is Action.INLINE


# -- looking for arrays, without running code of the program


def touch_arrays(values: Iterable[Any]) -> bool:
    """Whether one of the values is an array or has arrays right inside."""
    return any(is_array(value) or any(map(is_array, contents(value))) for value in values)


def is_array(value: Any) -> bool:
    kind = type(value)
    return issubclass(kind, ARRAY_TYPES) or kind is cupy_array()


def cupy_array() -> Any:
    return getattr(sys.modules.get("cupy"), "ndarray", ())


def contents(value: Any) -> Iterator[Any]:
    """The first items of a container, or attributes of an object."""
    kind = type(value)
    if issubclass(kind, CONTAINERS):
        items: Iterable[Any] = value if kind in CONTAINERS else ()
        if kind is dict:
            items = value.values()
        return itertools.islice(items, LOOKED_AT)
    if kind.__flags__ & _IS_HEAP_TYPE and not issubclass(kind, (type, set, frozenset)):
        return attributes(value)
    return iter(())


def attributes(value: Any) -> Iterator[Any]:
    for part in itertools.islice(gc.get_referents(value), LOOKED_AT):
        if type(part) is dict:
            yield from itertools.islice(list(part.values()), LOOKED_AT)
        else:
            yield part


def mentions_arrays(function: FunctionType) -> bool:
    """Whether a global or free variable that the code names is NumPy's, or an array."""
    names = function.__code__.co_names
    variables = [function.__globals__[name] for name in names if name in function.__globals__]
    for cell in function.__closure__ or ():
        try:
            variables.append(cell.cell_contents)
        except ValueError:  # empty
            continue
    return any(map(is_of_arrays, variables))


def is_of_arrays(value: Any) -> bool:
    kind = type(value)
    if kind is ModuleType:
        name = value.__dict__.get("__name__")
    elif kind in (FunctionType, BuiltinFunctionType, type, _DISPATCHER):
        name = value.__module__
    else:
        return kind is np.ufunc or is_array(value)
    return isinstance(name, str) and name.partition(".")[0] in ARRAY_PACKAGES
