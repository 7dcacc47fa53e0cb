"""Guard kinds: one row each, saying what is kept, how it is checked, lowered and explained.

`capture` turns the value seen at compile time into what the guard keeps; `holds` is the check in
Python, the specification of the native op that `lower` gives; `text` is the check as people read it
and `was` finishes the sentence of a miss ("x: " + was).
"""
from __future__ import annotations

import enum
import operator
import reprlib
import struct
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from ..base.classes import a_kind, is_python_class
from ..base.counting import counted
from ..base.records import dataclass
from ..errors import Unsupported
from ..ir.ops.libraries import byte_bounds
from ..native import own_value, watch_dict
from .arrays import array_holds, array_op, array_was
from .registers import Registers
from .sources import Source


class _Short(reprlib.Repr):
    """Values in messages: long ones are cut, and no code of the program's runs.

    Huge ints are not converted at all."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = 80
        self.maxtuple = 12

    def repr1(self, value: Any, level: int) -> str:
        kind = type(value)
        if kind in (int, str, list, tuple, dict, set, frozenset):
            return super().repr1(value, level)
        if issubclass(kind, enum.Enum):
            return f"{kind.__qualname__}.{object.__getattribute__(value, '_name_')}"
        if (named := NAMED.get(kind)) is not None:
            return f"<{named(value)}>"
        is_users = is_python_class(kind) and issubclass(kind, SHOWN_BY_ITEMS)
        if is_users or isinstance(lookup_repr(kind), FunctionType):
            return f"<{kind.__qualname__} object>"
        return self.repr_instance(value, level)

    def repr_int(self, value: int, level: int) -> str:
        bits = value.bit_length()
        return repr(value) if bits < 256 else f"<an int of {bits} bits>"

    def repr_dict(self, value: dict[Any, Any], level: int) -> str:
        return self._joined(value, level, lambda item: (
            f"{self.repr1(item[0], level - 1)}: {self.repr1(item[1], level - 1)}"
        ), value.items())  # fmt: skip

    def repr_set(self, value: Any, level: int) -> str:
        return self._joined(value, level, lambda item: self.repr1(item, level - 1), value)

    def repr_frozenset(self, value: Any, level: int) -> str:
        return self.repr_set(value, level)

    def _joined(
        self, value: Any, level: int, show: Callable[[Any], str], items: Any
    ) -> str:
        """Keys may compare by code of the program's: they are neither sorted nor looked up."""
        parts = [show(item) for item in islice(items, self.maxdict)] if level > 0 else ["..."]
        dots = ["..."] if len(value) > self.maxdict and level > 0 else []
        return f"{{{', '.join(parts + dots)}}}"


NAMED: Mapping[type, Callable[[Any], str]] = {
    FunctionType: lambda function: f"function {function.__qualname__} at "
        f"{function.__code__.co_filename}:{function.__code__.co_firstlineno}",
    ModuleType: lambda module: f"module {vars(module).get('__name__', '')}",
    BuiltinFunctionType: lambda function: f"built-in function {function.__name__}",
}
"""Objects that have a name, which says more than an address."""
SHOWN_BY_ITEMS = (list, tuple, dict, set, frozenset, BaseException)
"""Types whose objects are shown by methods that derived classes may have of their own."""


def lookup_repr(kind: type) -> Any:
    return next(vars(base)["__repr__"] for base in kind.__mro__ if "__repr__" in vars(base))


shown: Callable[[Any], str] = _Short().repr


@dataclass(frozen=True, slots=True, eq=False)
class GuardKind:
    name: str
    text: str
    was: str
    lower: Callable[[Registers, int, Any], tuple[Any, ...]]
    holds: Callable[[Any, Any], bool]
    capture: Callable[[Any], Any] = lambda value: value
    show: Callable[[Any], str] = shown
    subsumes: frozenset[str] = frozenset()
    many: bool = False  # several guards of the kind may stand on one source
    differs: Callable[[Any, Any], str] | None = None  # a sentence better than `was`
    needs_value: bool = True  # the op reads a register; else `lower` is given none

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> str:
        """Each is what this module has under its name."""
        return self.name


def _simple(op: str) -> Callable[[Registers, int, Any], tuple[Any, ...]]:
    return lambda registers, register, kept: (op, register, kept)


def _pair(op: str) -> Callable[[Registers, int, Any], tuple[Any, ...]]:
    return lambda registers, register, other: (op, register, registers.register(other))


def equal_exactly(left: Any, right: Any) -> bool:
    """Equality of constants by type and bits: 1 is not True, -0.0 is not 0.0, NaN is NaN."""
    if type(left) is not type(right):
        return False
    if isinstance(left, float):
        return struct.pack("d", left) == struct.pack("d", right)
    if isinstance(left, complex):
        return struct.pack("dd", left.real, left.imag) == struct.pack("dd", right.real, right.imag)
    if isinstance(left, tuple):
        return len(left) == len(right) and all(map(equal_exactly, left, right))
    return bool(left == right)


def _are_apart(left: Any, right: Any) -> bool:
    """Whether two arrays have no memory in common."""
    (begin, end), (first, last) = byte_bounds(left), byte_bounds(right)
    return begin == end or first == last or end <= first or last <= begin


@dataclass(frozen=True, slots=True)
class Outcome:
    """`value symbol other` is true or not: what a branch needs to know of a number."""

    symbol: str
    other: Any
    is_true: bool

    def __call__(self, value: Any) -> bool:
        return bool(COMPARISONS[self.symbol](value, self.other)) is self.is_true

    def __str__(self) -> str:
        return f"{'' if self.is_true else 'not '}{self.symbol} {shown(self.other)}"


MISSING = object()
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


TYPE = GuardKind(
    "TYPE", "type({x}) is {k}", "a {k} when compiled",
    lower=_simple("TYPE"), holds=lambda x, k: type(x) is k, capture=type,
    show=lambda k: k.__qualname__,
    differs=lambda x, k: f"is {a_kind(type(x))}, was {a_kind(k)} when compiled",
)  # fmt: skip
IS = GuardKind(
    "IS", "{x} is {k}", "{k} when compiled",
    lower=_simple("IS"), holds=lambda x, k: x is k,
    subsumes=frozenset({"TYPE", "EQUALS", "LENGTH"}),
)  # fmt: skip
EQUALS = GuardKind(
    "EQUALS", "{x} == {k}", "{k} when compiled",
    lower=_simple("EQUALS"), holds=equal_exactly, subsumes=frozenset({"TYPE"}),
)  # fmt: skip
LENGTH = GuardKind(
    "LENGTH", "len({x}) == {k}", "{k} items long when compiled",
    lower=_simple("LENGTH"), holds=lambda x, k: len(x) == k, capture=len,
    differs=lambda x, k: f"has {counted(len(x), 'item')}, had {k} when compiled",
)  # fmt: skip
KEYS = GuardKind(
    "KEYS", "list({x}) == {k}", "a mapping with keys {k} when compiled",
    lower=_simple("KEYS"), holds=lambda x, k: equal_exactly(tuple(x), k), capture=tuple,
    differs=lambda x, k: f"has the keys {tuple(x)}, had {k} when compiled",
    subsumes=frozenset({"LENGTH"}),
)  # fmt: skip
NO_KEY = GuardKind(
    "NO_KEY", "{k} not in {x}", "without the key {k} when compiled",
    lower=_simple("NO_KEY"), holds=lambda x, k: k not in x, many=True,
)  # fmt: skip
NO_OWN = GuardKind(
    "NO_OWN", "{k} not in vars({x})", "without the attribute {k} when compiled",
    lower=_simple("NO_OWN"), holds=lambda x, k: own_value(x, k, MISSING) is MISSING, many=True,
)  # fmt: skip
NO_ATTR = GuardKind(
    "NO_ATTR", "not hasattr({x}, {k})", "without the attribute {k} when compiled",
    lower=_simple("NO_ATTR"), holds=lambda x, k: not hasattr(x, k), many=True,
)  # fmt: skip
HAS_KEY = GuardKind(
    "HAS_KEY", "{k} in {x}", "a mapping with the key {k} when compiled",
    lower=lambda registers, register, key: ("CALL", register, _HasKey(key)),
    holds=lambda x, k: k in x, many=True,
)  # fmt: skip
INT_SYMBOL = GuardKind(
    "INT_SYMBOL", "type({x}) is int, called {k}", "an int of 64 bits when compiled",
    lower=lambda registers, register, symbol: ("INT", register, registers.slot(symbol)[0]),
    holds=lambda x, k: type(x) is int and -(2**63) <= x < 2**63, subsumes=frozenset({"TYPE"}),
)  # fmt: skip
TENSOR_MATCH_STATIC = GuardKind(
    "TENSOR_MATCH_STATIC", "{x} matches {k}", "{k} when compiled",
    lower=array_op, holds=array_holds, differs=array_was, show=str,
    subsumes=frozenset({"TYPE", "TENSOR_MATCH_DYNAMIC"}),
)  # fmt: skip
TENSOR_MATCH_DYNAMIC = GuardKind(
    "TENSOR_MATCH_DYNAMIC", "{x} matches {k}", "{k} when compiled",
    lower=array_op, holds=array_holds, differs=array_was, subsumes=frozenset({"TYPE"}), show=str,
)  # fmt: skip
SAME = GuardKind(
    "SAME", "{x} is {k}", "the same object as {k} when compiled",
    lower=_pair("SAME"), holds=lambda x, other: x is other, many=True, show=str,
)  # fmt: skip
NOT_ALIASED = GuardKind(
    "NOT_ALIASED", "{x} is not {k}", "another object than {k} when compiled",
    lower=_pair("NOT_ALIASED"), holds=lambda x, other: x is not other, many=True, show=str,
)  # fmt: skip
DISJOINT = GuardKind(
    "DISJOINT", "{x} and {k} share no memory", "disjoint from {k} in memory when compiled",
    lower=_pair("DISJOINT"), holds=_are_apart, many=True,
    subsumes=frozenset({"NOT_ALIASED"}), show=str,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Group:
    """Sources of things that must not alias: none of `changed` is any of the others."""

    changed: tuple[Source, ...]
    others: tuple[Source, ...]

    def __str__(self) -> str:
        changed, others = _listed(self.changed), _listed(self.others)
        return f"{changed} not aliased with one another nor with {others}"

    def pairs(self) -> Iterator[tuple[Source, Source]]:
        for index, one in enumerate(self.changed):
            for other in (*self.changed[index + 1 :], *self.others):
                yield one, other


def _listed(sources: tuple[Source, ...]) -> str:
    dots = ["…"] if len(sources) > MOST_SHOWN else []
    return ", ".join([str(source) for source in sources[:MOST_SHOWN]] + dots) or "nothing"


MOST_SHOWN = 6


def _group(of_arrays: bool) -> Callable[[Registers, int, Group], tuple[Any, ...]]:
    def lower(registers: Registers, register: int, group: Group) -> tuple[Any, ...]:
        changed, others = (
            tuple([registers.register(source) for source in sources])
            for sources in (group.changed, group.others)
        )
        return ("NO_ALIAS", of_arrays, changed, others)

    return lower


NO_ALIAS = GuardKind(
    "NO_ALIAS", "{k}", "not aliased when compiled", lower=_group(of_arrays=False),
    holds=lambda values, group: _hold(NOT_ALIASED, values, group), needs_value=False, show=str,
)  # fmt: skip
ALL_DISJOINT = GuardKind(
    "ALL_DISJOINT", "{k} in memory", "disjoint in memory when compiled",
    lower=_group(of_arrays=True), holds=lambda values, group: _hold(DISJOINT, values, group),
    needs_value=False, show=str,
)  # fmt: skip
BY_PAIRS = {NO_ALIAS: NOT_ALIASED, ALL_DISJOINT: DISJOINT}
"""Kind for a whole group → the kind that says the same of a pair."""


def _hold(kind: GuardKind, values: Any, group: Group) -> bool:
    return all(kind.holds(values[one], values[other]) for one, other in group.pairs())




@dataclass(frozen=True, slots=True)
class Specials:
    """The special methods that a class and its bases define."""

    kind: type
    names: frozenset[str]


def specials_of(kind: type) -> Specials:
    names = frozenset(
        name for base in kind.__mro__ if is_python_class(base) for name in vars(base)
        if len(name) > 4 and name[:2] == name[-2:] == "__" and name not in MADE_LATER
    )  # fmt: skip
    return Specials(kind, names)


MADE_LATER = ("__annotations__", "__annotations_cache__", "__doc__")
"""Python puts these into a class when somebody asks for them."""

SPECIALS = GuardKind(
    "SPECIALS", "{x} has its special methods", "another set of special methods when compiled",
    lower=lambda registers, register, k: ("SPECIALS", k.kind, k.names), capture=specials_of,
    holds=lambda x, k: specials_of(k.kind) == k, needs_value=False, show=str,
    differs=lambda x, k: "special methods were added or removed",
)  # fmt: skip
OUTCOME = GuardKind(
    "OUTCOME", "{x} {k}", "{k} when compiled",
    lower=_simple("CALL"), holds=lambda x, k: bool(k(x)), many=True, show=str,
)  # fmt: skip


def _phrase(condition: Any) -> str:
    """What a condition says of a value, by its name: `is empty`."""
    return str(condition.__name__.replace("_", " "))


CALL = GuardKind(
    "CALL", "{x}: {k}", "", lower=_simple("CALL"), holds=lambda x, k: bool(k(x)), many=True,
    show=_phrase, differs=lambda x, k: f"was so when compiled, and is not now: {_phrase(k)}",
)  # fmt: skip

@dataclass(frozen=True, slots=True)
class ModuleItem:
    """What a module holds under a name, compared by identity."""

    name: str
    value: Any

    def __str__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ModuleItem) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def is_in(self, namespace: dict[str, Any]) -> bool:
        return namespace.get(self.name, MISSING) is self.value


MISSING = object()


def _watch(registers: Registers, register: int, kept: tuple[Any, ModuleItem]) -> tuple[Any, ...]:
    """A byte that is set while the module's dict holds the object: the cheapest guard there is."""
    module, item = kept
    cell = watch_dict(vars(module), item.name)
    if not item.is_in(vars(module)):
        raise Unsupported(f"{module.__name__}.{item.name} changes meanwhile")
    return ("FLAG", cell)


UNCHANGED = GuardKind(
    "UNCHANGED", "{k} is unchanged", "another object when compiled",
    lower=_watch, holds=lambda x, k: k[1].is_in(vars(k[0])), many=True, needs_value=False,
    show=lambda k: f"{k[0].__name__}.{k[1]}",
    differs=lambda x, k: f"{k[1]} is another object than when compiled",
)  # fmt: skip

KINDS = {kind.name: kind for kind in list(globals().values()) if isinstance(kind, GuardKind)}


@dataclass(frozen=True, slots=True)
class _HasKey:
    """`key in mapping` as a call of one argument."""

    key: Any
    __name__ = "has_key"

    def __call__(self, mapping: Any) -> bool:
        return self.key in mapping
