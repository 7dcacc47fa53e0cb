"""Sources: how a value that existed before the frame ran is reached again.

A guard checks a source, and the replacement code loads one. A source is a path from a flat
argument, a global, a closure cell or a pinned object; two equal sources reach the same value.
"""
from __future__ import annotations

import operator
import re
from collections import OrderedDict, defaultdict, deque
from typing import Any

import numpy as np

from ..base.records import dataclass


@dataclass(frozen=True, slots=True)
class Pinned:
    """An object compared by identity, so that it can be part of a source."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pinned) and self.value is other.value

    def __hash__(self) -> int:
        return object.__hash__(self.value)


CONTAINERS: tuple[Any, ...] = (
    tuple, list, dict, OrderedDict, defaultdict, deque, np.ndarray,
)  # fmt: skip


class Source:
    """Base of all sources; `str(source)` is how messages name the value."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class LocalSource(Source):
    """Flat argument number `index` of the frame, called `name` by the user."""

    index: int
    name: str

    def __str__(self) -> str:
        """A continuation is also passed cells, `.cell_k_3`, and values on the stack, `.stack2`."""
        if self.name.startswith(CELL):
            return self.name.removeprefix(CELL).rpartition("_")[0]
        if self.name == ITERATED:
            return "the iterator of a comprehension"
        return "an intermediate value" if self.name.startswith(".") else self.name


def in_users_words(source: Source | None) -> str:
    """How reasons name a value; nothing where the way to it is none that a program writes."""
    text = str(source or "").removesuffix(".__self__")
    return "" if HIDDEN.search(text) else text


HIDDEN = re.compile(r"__closure__|cell_contents|__self__|__dict__")

CELL = ".cell_"
STACK = ".stack"
ITERATED = ".0"
"""The argument of a comprehension or generator expression, which Python names so."""


def is_temporary(source: Source | None) -> bool:
    """Whether it is a value that was on the stack where the graph broke: just made, as a rule."""
    return isinstance(source, LocalSource) and source.name.startswith(STACK)


def path_of(source: Source) -> str:
    """What two continuations have in common, of a value that both are passed: `str(source)`, but
    different values of the stack have different paths."""
    root = source
    while (base := getattr(root, "base", None)) is not None:
        root = base
    return f"{getattr(root, 'name', '')}: {source}"


@dataclass(frozen=True, slots=True)
class GlobalSource(Source):
    """`name` looked up in a function's globals, then in its builtins."""

    namespace: Pinned
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class CellSource(Source):
    """The cell object number `index` of the frame's function's closure."""

    index: int
    name: str

    def __str__(self) -> str:
        return f"<cell {self.name}>"


@dataclass(frozen=True, slots=True)
class CellContentsSource(Source):
    """What a cell holds; `base` is a `CellSource` or any source of a cell object. `name` is that of
    the variable, of a function that was found elsewhere."""

    base: Source
    name: str = ""

    def __str__(self) -> str:
        if isinstance(self.base, CellSource):
            return self.base.name
        if isinstance(self.base, LocalSource) and self.base.name.startswith(CELL):
            return str(self.base)
        if self.name and (closure := getattr(self.base, "base", None)) is not None:
            return f"{self.name} of {str(closure).removesuffix('.__closure__')}"
        return f"{self.base}.cell_contents"


@dataclass(frozen=True, slots=True)
class ConstSource(Source):
    """An object fixed when the frame was compiled (a module, a function found through one)."""

    object: Pinned
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class AttrSource(Source):
    """`base.name`, through Python's own attribute access."""

    base: Source
    name: str

    def __str__(self) -> str:
        return f"{self.base}.{self.name}"


@dataclass(frozen=True, slots=True)
class OwnDictSource(Source):
    """The `__dict__` of an object, or None where it has none yet, and is not made to have one."""

    base: Source

    def __str__(self) -> str:
        return f"{self.base}.__dict__"


@dataclass(frozen=True, slots=True)
class ItemSource(Source):
    """`base[key]` of a container, or a field of an array; `key` is a hashable constant."""

    base: Source
    key: Any
    container: type

    def __str__(self) -> str:
        return f"{self.base}[{self.key!r}]"

    @property
    def is_plain(self) -> bool:
        """Whether `base[key]` runs no code of a class that the user derived."""
        return self.container in CONTAINERS

    @property
    def getter(self) -> Any:
        """What gives the item, whatever a class derived from a container makes of `base[key]`."""
        base: Any = next(k for k in self.container.__mro__ if k in CONTAINERS)
        return base.__getitem__


@dataclass(frozen=True, slots=True)
class TypeSource(Source):
    """`type(base)`."""

    base: Source

    def __str__(self) -> str:
        return f"type({self.base})"


@dataclass(frozen=True, slots=True)
class SizeSource(Source):
    """`base.shape[axis]` (fact "size") or `base.strides[axis]` (fact "stride") of an array."""

    base: Source
    fact: str
    axis: int

    def __str__(self) -> str:
        return f"{self.base}.{'shape' if self.fact == 'size' else 'strides'}[{self.axis}]"


@dataclass(frozen=True, slots=True, eq=False)
class LiteralSource(Source):
    """A Python number that the program itself says."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LiteralSource) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def key(self) -> tuple[type, str]:
        return type(self.value), repr(self.value)

    def __str__(self) -> str:
        return repr(self.value)


SYMBOLS: dict[Any, str] = {
    operator.add: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/",
    operator.floordiv: "//", operator.mod: "%", operator.pow: "**", operator.lshift: "<<",
    operator.rshift: ">>", operator.and_: "&", operator.or_: "|", operator.xor: "^",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class DependentSource(Source):
    """`function(*operands)`, a pure function of one or two Python numbers."""

    function: Pinned
    operands: tuple[Source, ...]

    def __str__(self) -> str:
        """Messages name what is long by its last steps: `(sqrt(…) + … / 2)`."""
        texts = [text if len(text := str(part)) <= LONGEST else "…" for part in self.operands]
        if (symbol := SYMBOLS.get(self.function.value)) is not None and len(texts) == 2:
            return f"({texts[0]} {symbol} {texts[1]})"
        name = getattr(self.function.value, "__name__", str(self.function.value))
        return f"{name}({', '.join(texts)})"


LONGEST = 60
"""Letters of the longest operand that a message shows."""
