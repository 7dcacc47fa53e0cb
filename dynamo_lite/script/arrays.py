"""Whether a call or a function has to do with arrays, without running code of the program."""
from __future__ import annotations

import gc
import itertools
import sys
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ..base.classes import is_python_class
from ..base.origins import module_of

ARRAY_PACKAGES = frozenset({"numpy", "cupy", "scipy"})
ARRAY_TYPES = (np.ndarray, np.generic)
CONTAINERS = (list, tuple, deque, dict)
LOOKED_AT = 16
"""Items of a container, or attributes of an object, that are looked at for arrays."""
MOST_SIZES = 4
"""Calls with arguments of other sizes that are remembered of one function."""
_DISPATCHER = type(np.sum)


def touch_arrays(values: Iterable[Any]) -> bool:
    """Whether one of the values is an array or has arrays right inside."""
    return any(is_array(value) or any(map(is_array, contents(value))) for value in values)


def is_array(value: Any) -> bool:
    kind = type(value)
    return issubclass(kind, ARRAY_TYPES) or kind is cupy_array()


def cupy_array() -> Any:
    return getattr(sys.modules.get("cupy"), "ndarray", ())


def contents(value: Any) -> Iterable[Any]:
    """The first items of a container, or attributes of an object."""
    kind = type(value)
    if issubclass(kind, CONTAINERS):
        items: Iterable[Any] = value if kind in CONTAINERS else ()
        if kind is dict:
            items = value.values()
        return itertools.islice(items, LOOKED_AT)
    if is_python_class(kind) and not issubclass(kind, (type, set, frozenset)):
        return attributes(value)
    return ()


def attributes(value: Any) -> Iterator[Any]:
    for part in itertools.islice(gc.get_referents(value), LOOKED_AT):
        if type(part) is dict:
            yield from itertools.islice(list(part.values()), LOOKED_AT)
        else:
            yield part


def sizes_of(values: Iterable[Any]) -> tuple[Any, ...]:
    """The shape of each value that is an array, the value of each int, and None for others."""
    return tuple(
        value.shape if type(value) is np.ndarray else value if type(value) is int else None
        for value in values
    )  # fmt: skip


def note_sizes(known: list[tuple[Any, ...]], values: Iterable[Any]) -> None:
    """Remember the sizes of the arguments of a call that may be compiled: those that have changed
    by then are symbols from the first compilation on."""
    sizes = sizes_of(values)
    if len(known) < MOST_SIZES and sizes not in known:
        known.append(sizes)


def mentions_arrays(function: FunctionType) -> bool:
    """Whether a global, free variable or default of the function is NumPy's, or an array.

    What a function of SciPy's names of SciPy says nothing: most of it sees no arrays.
    """
    others = ARRAY_PACKAGES - {module_of(function).partition(".")[0]}
    names = function.__code__.co_names
    variables = [function.__globals__[name] for name in names if name in function.__globals__]
    variables += [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    for cell in function.__closure__ or ():
        try:
            variables.append(cell.cell_contents)
        except ValueError:  # empty
            continue
    return any(is_of_arrays(value, others) for value in variables)


def is_of_arrays(value: Any, packages: Collection[str]) -> bool:
    kind = type(value)
    if kind is ModuleType:
        name = value.__dict__.get("__name__")
    elif kind in (FunctionType, BuiltinFunctionType, type, _DISPATCHER):
        name = value.__module__
    else:
        return kind is np.ufunc or is_array(value)
    return isinstance(name, str) and name.partition(".")[0] in packages
