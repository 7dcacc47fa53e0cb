"""Calls of functions of the program that `functools.lru_cache` wraps: what the cache holds is used.

Looking a result up is no call: the trace takes what the cache holds for the arguments, guards see
that it still does, and the call itself is replayed, so that the cache's counts, and the order in
which it forgets, are Python's. Where it holds nothing the call is a graph break, which stands as
long as the cache holds nothing. Only keys of which nothing of the program computes the hash are
looked up.
"""
from __future__ import annotations

import ctypes
import functools
import gc
from collections.abc import Hashable, Mapping
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ...base.origins import full_name
from ...base.records import dataclass
from ...errors import GraphBreak
from ...guards.kinds import OUTCOME
from ...guards.sources import ConstSource, Pinned
from ..rules.mro import lookup
from ..state.side_effects import CallForRecords
from ..state.tracker import Args, Kwargs, VariableTracker
from ..trackers.containers.known import known_value

if TYPE_CHECKING:
    from ..rules.trace_rules import Rule
    from ..state.tx import Tx

CachedFunction = type(functools.lru_cache(len))


class Miss:
    """There is no result in a cache."""


@functools.lru_cache(1)
def _probe(*args: Any, **kwargs: Any) -> Any:
    return object()


PROBED = _probe(probed=1)
PARTS = 6
"""What the wrapper refers to at last: the cache, the function, the mark between positional and
keyword arguments, the type of links, that of `cache_info()`, and its attributes."""
CACHE, FUNCTION, MARK, LINK = range(-PARTS, 2 - PARTS + 2)
RESULT = 6 * ctypes.sizeof(ctypes.c_void_p)
"""Where a link of a cache of limited size holds its result."""


def _parts(function: Any) -> list[Any]:
    return gc.get_referents(function)[-PARTS:]


def result_in(link: Any) -> ctypes.c_void_p:
    """The place of a link that says where the result is."""
    return ctypes.c_void_p.from_address(id(link) + RESULT)


@functools.cache
def is_layout_known() -> bool:
    """Whether caches are made as this module takes them to be."""
    parts = _parts(_probe)
    if len(parts) < PARTS or type(parts[CACHE]) is not dict or len(parts[CACHE]) != 1:
        return False
    ((key, link),) = parts[CACHE].items()
    if key != (parts[MARK], "probed", 1) or type(link) is not parts[LINK]:
        return False
    room = type(link).__basicsize__ >= RESULT + ctypes.sizeof(ctypes.c_void_p)
    return room and result_in(link).value == id(PROBED)


@dataclass(frozen=True, slots=True)
class Memory:
    """The cache of one function."""

    results: dict[Hashable, Any]
    link: type
    mark: object
    is_typed: bool

    def key(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Hashable:
        """As functools makes it: keyword arguments count in their order."""
        if not self.is_typed and not kwargs and len(args) == 1 and type(args[0]) in (int, str):
            return args[0]
        named = (self.mark, *(part for item in kwargs.items() for part in item)) if kwargs else ()
        types = (*map(type, args), *map(type, kwargs.values())) if self.is_typed else ()
        return (*args, *named, *types)

    def holds(self, key: Hashable) -> CacheHolds:
        """What is in the cache now, as a guard."""
        found = self.results.get(key, Miss)
        return CacheHolds(self.results, key, found, type(found) is self.link)


class CacheHolds:
    """A guard: what a cache holds for a key, if anything, is still the same."""

    def __init__(
        self, results: dict[Hashable, Any], key: Hashable, found: Any, links: bool,
    ) -> None:
        self.results, self.key, self.found = results, key, found
        self.place = result_in(found) if links else None
        self.result = found
        if self.place is not None:
            self.result = ctypes.cast(self.place, ctypes.py_object).value
        self.address = id(self.result)

    def __str__(self) -> str:
        return f"{'without a' if self.found is Miss else 'with this'} result for {self.key!r}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CacheHolds) and self.results is other.results and (
            self.key == other.key and self.found is other.found
        )

    def __hash__(self) -> int:
        return hash((id(self.results), self.key))

    def __call__(self, function: object) -> bool:
        if self.results.get(self.key, Miss) is not self.found:
            return False
        return self.place is None or self.place.value == self.address


def memory_of(function: Any) -> Memory | None:
    """Where a function keeps its results; None where that is not known for sure."""
    parts = _parts(function)
    if not is_layout_known() or len(parts) < PARTS or parts[MARK] is not _parts(_probe)[MARK]:
        return None
    inner, attributes = parts[FUNCTION], parts[-1]
    if type(inner) is not FunctionType or "cache_parameters" in inner.__dict__:
        return None  # the attributes of the function were copied over those of its cache
    parameters = attributes.get("cache_parameters") if type(attributes) is dict else None
    if type(parameters) is not FunctionType or parameters.__code__ not in PARAMETERS:
        return None
    is_typed = dict(zip(parameters.__code__.co_freevars, parameters.__closure__ or ()))["typed"]
    return Memory(parts[CACHE], parts[LINK], parts[MARK], bool(is_typed.cell_contents))


PARAMETERS = tuple(
    cached.cache_parameters.__code__
    for cached in (functools.lru_cache(_parts), functools.lru_cache()(_parts))
)
"""Of the functions that tell how a cache was made."""


def call_cached(
    tx: Tx, tracker: Any, function: Any, args: Args, kwargs: Kwargs, rule: Rule
) -> VariableTracker:
    """The result that the cache holds."""
    name = full_name(function)
    memory = memory_of(function) if type(function) is CachedFunction else None
    if memory is None or any(arg.in_graph for arg in (*args, *kwargs.values())):
        raise GraphBreak(f"calling {name}: {rule.reason}")
    purpose = f"a cached call of {name}: the value"
    values = tuple(known_value(tx, arg, purpose) for arg in args)
    named = {key: known_value(tx, arg, purpose) for key, arg in kwargs.items()}
    if not all(map(is_plain_key, (*values, *named.values()))):
        raise GraphBreak(f"calling {name}: {rule.reason}")
    held = memory.holds(memory.key(values, named))
    source = ConstSource(Pinned(function), name)
    if held.found is Miss:
        stop = GraphBreak(
            f"calling {name}: its cache has no result for these arguments; "
            f"dl.assume_constant_result says that its results may be constants"
        )
        stop.stands = ((source, OUTCOME, held, tx.location()),)
        raise stop
    call = CallForRecords(functools.partial(function, *values, **named))
    tx.side_effects.repeats(call, f"the records of {name}")
    tx.guards.install(source, OUTCOME, held, tx.location())
    return tx.known(held.result)


PLAIN_KEYS = frozenset({type(None), bool, int, str, bytes, type(Ellipsis)})


def is_plain_key(value: Any) -> bool:
    """Whether nothing of the program runs when a value is looked up, and equal ones are alike."""
    kind = type(value)
    if kind is tuple:
        return all(map(is_plain_key, value))
    if kind is float:
        return bool(value == value)
    by_identity = object.__hash__, object.__eq__
    return kind in PLAIN_KEYS or (lookup(kind, "__hash__"), lookup(kind, "__eq__")) == by_identity
