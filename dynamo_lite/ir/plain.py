"""Graphs and the values in them as plain data, exactly or not at all.

Plain data are None, numbers, strings, bytes and tuples of these; a tuple begins with the kind of
what it stands for. Equal plain data mean the same value, type and bits included. What has no such
form (an array, an object, a function that is not NumPy's or Python's own) is Unsupported.
"""
from __future__ import annotations

import importlib
import operator
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from types import EllipsisType
from typing import Any

import numpy as np

from ..errors import Unsupported
from .graph import Graph
from .node import Node, SymbolOrigin
from .sizes import Opaque, Size, SizeExpr, Symbol
from .types import OBJECT, ArrayType

ATOMS = frozenset({type(None), bool, int, float, complex, str, bytes})
LIBRARIES = frozenset({
    "numpy", "operator", "_operator", "builtins", "math", "random", "dynamo_lite",
})  # fmt: skip
"""Whose callables and classes mean the same in every process."""
COUNTED = 255
"""Ints up to here are alike: a program counts them up."""


def plain_graph(graph: Graph) -> Any:
    """Everything about a graph but its names and the user's lines; of likely values, which are for
    decisions of speed alone, how large they are about."""
    numbers = {node: number for number, node in enumerate(graph.nodes)}
    nodes = tuple(_node(node, numbers) for node in graph.nodes)
    symbols = tuple((name, plain(origin)) for name, origin in graph.symbols.items())
    assertions = [plain(tuple(one[:3])) for one in graph.assertions]
    hints = [(name, magnitude(one.hint)) for name, one in graph.unbacked.items()]
    return ("graph", nodes, symbols, tuple(hints), tuple(assertions))


def magnitude(hint: int, few: int = 0) -> tuple[bool, int]:
    """What code for a likely value depends on: a step is a factor of 16, the first up to `few`."""
    return hint < 0, max(abs(hint), few).bit_length() // 4


def _origin(origin: SymbolOrigin) -> Any:
    about = magnitude(origin.hint, COUNTED if origin.fact == "value" else 0)
    return origin.placeholder, origin.fact, origin.axis, about, origin.least, _size(origin.sum)


def _node(node: Node, numbers: Mapping[Node, int]) -> Any:
    if node.op == "get_attr":
        raise Unsupported("a constant array is more than plain data")
    target = plain_name(node.target) if node.op == "call_function" else None
    parts = (node.args, node.kwargs, node.type, node.errstate)
    return (node.op, target, *(plain(part, numbers) for part in parts))


def plain(value: Any, numbers: Mapping[Node, int] | None = None) -> Any:
    """The plain form of a value in a graph; `numbers` are those of the nodes it may refer to."""
    kind = type(value)
    if kind in ATOMS:
        return value
    if kind is tuple or kind is list:
        return (kind.__name__, *[plain(item, numbers) for item in value])
    if kind is dict:
        return ("dict", *[(plain(k), plain(v, numbers)) for k, v in value.items()])
    if kind is slice:
        return ("slice", *[plain(x, numbers) for x in (value.start, value.stop, value.step)])
    if kind is Graph:
        return plain_graph(value)
    if kind is Node:
        if numbers is None:
            raise Unsupported("a node of no graph")
        return ("node", numbers[value])
    if (write := WRITERS.get(kind)) is not None:
        return write(value)
    if isinstance(value, np.generic):
        return ("scalar", plain_dtype(value.dtype), value.tobytes())
    if isinstance(value, np.dtype):
        return plain_dtype(value)
    return plain_name(value)


def from_plain(data: Any) -> Any:
    """The value that plain data stand for; nodes and types of arrays are not read back."""
    if type(data) is not tuple:
        return data
    kind, *parts = data
    return READERS[kind](*parts)


# -- one kind each


def _size(size: Size) -> Any:
    if isinstance(size, int):
        return size
    return ("size", *[(tuple(map(_atom, monomial)), factor) for monomial, factor in size.terms])


def _atom(atom: Symbol | Opaque) -> Any:
    if isinstance(atom, Symbol):
        return atom.name
    return (atom.op, _size(atom.left), _size(atom.right))


def _read_size(*terms: Any) -> SizeExpr:
    return SizeExpr(tuple((tuple(map(_read_atom, atoms)), factor) for atoms, factor in terms))


def _read_atom(data: Any) -> Symbol | Opaque:
    if isinstance(data, str):
        return Symbol(data)
    op, left, right = data
    return Opaque(op, from_plain(left), from_plain(right))


@lru_cache(1024)
def _array_type(type_: ArrayType) -> Any:
    if type_ == OBJECT:
        return ("type", "object")
    layout = tuple(map(_size, type_.shape)), tuple(map(_size, type_.strides))
    if type_.value is not None:
        return ("number", plain_dtype(type_.dtype), type_.form.value, _size(type_.value))
    form = type_.form.value, type_.writeable, type_.aligned, type_.library
    return ("type", plain_dtype(type_.dtype), *layout, *form)


def plain_dtype(dtype: np.dtype) -> Any:
    """The C type, not just the format: equal dtypes may be different C types."""
    text = dtype.str if dtype.kind in "mM" else dtype.char
    if dtype.kind not in "biufcmM" or not dtype.isnative or dtype.metadata is not None or (
        type(dtype) is not type(np.dtype(text)) or np.dtype(text) != dtype
    ):
        raise Unsupported(f"the dtype {dtype!r} is more than plain data")
    return ("dtype", text)


@lru_cache(None)
def _name_of(value: Any) -> Any:
    if isinstance(owner := getattr(value, "__self__", None), np.ufunc):
        return ("method", _name_of(owner), value.__name__)
    for module, name in _places_of(value):
        known = isinstance(module, str) and module.partition(".")[0] in LIBRARIES
        if known and _find(module, name) is value:
            return ("name", module, name)
    raise Unsupported(f"{value!r} is more than plain data")


def _places_of(value: Any) -> Iterator[tuple[Any, str]]:
    """Where a callable or class may be found: its module, and its name there."""
    name: Any = getattr(value, "__qualname__", None) or getattr(value, "__name__", "")
    if isinstance(value, np.ufunc):
        yield "numpy", name
    else:
        yield getattr(getattr(value, "__objclass__", value), "__module__", None), name
    if (owner := getattr(value, "__self__", None)) is not None:  # an object that its module keeps
        yield type(owner).__module__, value.__name__


def plain_name(value: Any) -> Any:
    """A callable or class of a library, by the name under which it is found there."""
    if type(value) is not type(np.random.seed) and (
        not callable(value) or type(value).__module__.partition(".")[0] not in LIBRARIES
    ):
        raise Unsupported(f"a value of type {type(value).__name__} is more than plain data")
    return _name_of(value)


def _find(module: str, name: str) -> Any:
    try:
        return operator.attrgetter(name)(importlib.import_module(module))
    except (ImportError, AttributeError):
        return None


WRITERS: Mapping[type, Callable[[Any], Any]] = {
    ArrayType: _array_type,
    EllipsisType: lambda value: ("ellipsis",),
    SizeExpr: _size,
    SymbolOrigin: _origin,
    range: lambda value: ("range", value.start, value.stop, value.step),
}
READERS: Mapping[str, Callable[..., Any]] = {
    "dict": lambda *items: {from_plain(key): from_plain(value) for key, value in items},
    "dtype": np.dtype,
    "ellipsis": lambda: ...,
    "list": lambda *items: [from_plain(item) for item in items],
    "method": lambda owner, name: getattr(from_plain(owner), name),
    "name": _find,
    "range": range,
    "scalar": lambda dtype, data: np.frombuffer(data, from_plain(dtype))[0],
    "size": _read_size,
    "slice": lambda *parts: slice(*map(from_plain, parts)),
    "tuple": lambda *items: tuple([from_plain(item) for item in items]),
}
