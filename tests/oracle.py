"""The oracle of the tests: what a call did, and in what two calls differ that a program could see.

`check(compiled, function, *args)` is the usual way in; `outcome` and `differences` are its halves,
for tests that make their arguments themselves, and `same` compares two values.

Compared are types down to the last item, values to the bit (but for what a `Tolerance` allows, and
NaNs are equal), dtypes, shapes, strides, writeability, which arrays share memory and where, which
objects are one, exceptions with all that they are chained to, warnings in their order, what was
printed, and what became of the arguments.
"""
from __future__ import annotations

import collections
import contextlib
import copy
import dataclasses
import io
import types
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Outcome:
    """What one call did."""

    result: Any
    error: BaseException | None
    said: list[tuple[str, str]]
    printed: str
    args: Any

    @property
    def value(self) -> Any:
        """The result, or the exception."""
        return self.result if self.error is None else self.error


@dataclass(frozen=True)
class Tolerance:
    """How far floating-point values may be apart; nothing by default. `units` counts those in the
    last place of a value, `largest` those of the largest one beside it."""

    relative: float = 0.0
    absolute: float = 0.0
    signed_zeros: bool = True
    units: int = 0
    largest: int = 0

    def bound(self, expected: np.ndarray) -> Any:
        """The distance that is allowed for each finite value; None where none is."""
        if not (self.relative or self.absolute or self.units or self.largest):
            return None
        size, unit = np.abs(expected.astype(wide(expected))), np.finfo(expected.dtype).eps
        largest = size[np.isfinite(size)].max(initial=0)
        far = (self.relative + self.units * unit) * size
        return self.absolute + far + self.largest * unit * largest


EXACT = Tolerance()
CLOSE = Tolerance(1e-12, 1e-12, False)
ROUNDED = Tolerance(signed_zeros=False, units=16, largest=16)
"""Where transcendental functions are involved."""


def outcome(
    function: Callable[..., Any], args: Any = (), kwargs: Any = (), **errstate: Any
) -> Outcome:
    """Call `function`; its result or exception, warnings and output, and the arguments after."""
    text, kwargs = io.StringIO(), dict(kwargs)
    result, error = None, None
    with (
        warnings.catch_warnings(record=True) as caught,
        contextlib.redirect_stdout(text),
        np.errstate(**errstate),
    ):
        warnings.simplefilter("always")
        try:
            result = function(*args, **kwargs)
        except Exception as raised:
            error = raised
    said = [(w.category.__name__, str(w.message)) for w in caught]
    return Outcome(result, error, said, text.getvalue(), (args, kwargs) if kwargs else args)


def outcome_of_copy(function: Callable[..., Any], args: Any, kwargs: Any = ()) -> Outcome:
    """The same with a deep copy of the arguments."""
    return outcome(function, *copy.deepcopy((args, dict(kwargs))))


def differences(found: Outcome, expected: Outcome, tolerance: Tolerance = EXACT) -> list[str]:
    """What is not the same, as sentences; nothing when a user could not tell the two apart."""
    comparison = Comparison(tolerance)
    comparison.compare(found.error, expected.error, "error")
    if comparison.problems:
        return comparison.problems
    if found.said != expected.said:
        comparison.problems.append(f"warned {found.said}, expected {expected.said}")
    if found.printed != expected.printed:
        comparison.problems.append(f"printed {found.printed!r}, expected {expected.printed!r}")
    for where in "result", "args":
        comparison.compare(getattr(found, where), getattr(expected, where), where)
    return comparison.problems or memory_differences(
        leaves((found.args, found.result)), leaves((expected.args, expected.result))
    )


def difference(found: Any, expected: Any, tolerance: Tolerance = EXACT) -> list[str]:
    """In what two values differ, as sentences."""
    comparison = Comparison(tolerance)
    comparison.compare(found, expected, "it")
    return comparison.problems


def same(found: Any, expected: Any, tolerance: Tolerance = EXACT) -> bool:
    """Whether two values, or outcomes of calls, are the same for a user."""
    if isinstance(expected, Outcome):
        return not differences(found, expected, tolerance)
    return not (
        difference(found, expected, tolerance)
        or memory_differences(leaves(found), leaves(expected))
    )


def check(compiled: Callable[..., Any], function: Callable[..., Any], *args: Any, calls: int = 3,
          tolerance: Tolerance = EXACT, **kwargs: Any) -> None:
    """`compiled` does what `function` does, in the call that compiles it and in later ones."""
    for call in range(calls):
        expected = outcome_of_copy(function, args, kwargs)
        problems = differences(outcome_of_copy(compiled, args, kwargs), expected, tolerance)
        assert not problems, f"call {call}: {problems}"


def check_anew(compiled: Callable[..., Any], function: Callable[..., Any], make: Callable[[], Any],
               calls: int = 3, tolerance: Tolerance = CLOSE) -> None:
    """The same where `make()` gives the arguments, afresh for each call; making them may warn."""
    for call in range(calls):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ours, theirs = make(), make()
        expected = outcome(function, theirs)
        problems = differences(outcome(compiled, ours), expected, tolerance)
        assert not problems, f"call {call}: {problems}"


# -- values


@dataclass
class Comparison:
    """Two values side by side, all the way down; `problems` are sentences."""

    tolerance: Tolerance
    problems: list[str] = field(default_factory=list)
    met: dict[int, Any] = field(default_factory=dict)
    """What stands for an object on the other side, both ways, and keeps it alive."""

    def compare(self, found: Any, expected: Any, where: str) -> None:
        if found is expected:
            return
        if self.has_been_met(found, expected, where):
            return
        if not same_class(type(found), type(expected)):
            self.differs(f"{type(found).__name__} {found!r}",
                         f"{type(expected).__name__} {expected!r}", where)
            return
        for kinds, compare in KINDS:
            if isinstance(expected, kinds):
                compare(self, found, expected, where)
                return
        compare_objects(self, found, expected, where)

    def differs(self, found: Any, expected: Any, where: str) -> None:
        self.problems.append(f"{where} is {found}, expected {expected}")

    def has_been_met(self, found: Any, expected: Any, where: str) -> bool:
        """Whether either is known already; then the other has to be its counterpart."""
        if not is_mutable(found) or not is_mutable(expected):
            return False
        for one, other in (found, expected), (expected, found):
            if id(one) in self.met:
                if self.met[id(one)] is not other:
                    self.problems.append(f"{where} is another object than expected")
                return True
        self.met[id(found)], self.met[id(expected)] = expected, found
        return False

    def each(self, found: Iterable[Any], expected: Iterable[Any], where: str) -> None:
        found, expected = list(found), list(expected)
        if len(found) != len(expected):
            self.differs(f"of {len(found)} items", len(expected), where)
            return
        for i, (one, other) in enumerate(zip(found, expected)):
            self.compare(one, other, f"{where}[{i}]")


def is_mutable(value: Any) -> bool:
    return isinstance(value, list | dict) or (
        hasattr(value, "__dict__") and not isinstance(value, np.ndarray | type | types.FunctionType)
    )


def same_class(found: type, expected: type) -> bool:
    """Classes that a call, or running a module's text again, defines anew are equal by name."""
    return found is expected or (
        (found.__module__, found.__qualname__) == (expected.__module__, expected.__qualname__)
    )


def compare_arrays(self: Comparison, found: Any, expected: Any, where: str) -> None:
    for fact in "dtype", "shape":
        if getattr(found, fact) != getattr(expected, fact):
            self.differs(getattr(found, fact), getattr(expected, fact), f"{fact} of {where}")
            return
    if isinstance(expected, np.ndarray):
        compare_layouts(self, found, expected, where)
    if expected.dtype.kind in "fc":
        equal = close(np.asarray(found), np.asarray(expected), self.tolerance)
    elif expected.dtype.hasobject:
        return self.each(found.ravel().tolist(), expected.ravel().tolist(), where)
    else:
        equal = found.tobytes() == expected.tobytes()
    if not equal:
        self.differs(repr(found), repr(expected), where)


def compare_layouts(self: Comparison, found: np.ndarray, expected: np.ndarray, where: str) -> None:
    if layout(found) != layout(expected):
        self.differs(found.strides, f"{expected.strides} (shape {expected.shape})",
                     f"strides of {where}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # looking at some arrays' flags warns
        if found.flags.writeable != expected.flags.writeable:
            self.problems.append(f"{where} is writeable: {found.flags.writeable}")


def layout(array: np.ndarray) -> tuple[int, ...]:
    """Strides; those of axes that have no second item mean nothing."""
    if array.size == 0:
        return ()
    return tuple(s for s, n in zip(array.strides, array.shape) if n > 1)


def close(found: np.ndarray, expected: np.ndarray, tolerance: Tolerance) -> bool:
    if expected.dtype.kind == "c":
        return close(found.real, expected.real, tolerance) and close(
            found.imag, expected.imag, tolerance
        )
    with np.errstate(all="ignore"):
        equal = (found == expected) | (np.isnan(found) & np.isnan(expected))
        if tolerance.signed_zeros:
            equal &= ~((found == 0) & (expected == 0) & (np.signbit(found) != np.signbit(expected)))
        if (bound := tolerance.bound(expected)) is not None:
            finite = np.isfinite(found) & np.isfinite(expected)
            equal |= finite & (found != expected) & (
                np.abs(found.astype(wide(found)) - expected.astype(wide(expected))) <= bound
            )
        return bool(equal.all())


def wide(array: np.ndarray) -> np.dtype:
    """A dtype in which differences are exact enough."""
    return np.result_type(array.dtype, np.float64)


def compare_floats(self: Comparison, found: Any, expected: Any, where: str) -> None:
    compare_arrays(self, np.asarray(found), np.asarray(expected), where)


def compare_sequences(self: Comparison, found: Any, expected: Any, where: str) -> None:
    """Their own items, whatever a class derived from them says."""
    base = next(kind for kind in (list, tuple, collections.deque) if isinstance(expected, kind))
    self.each(base.__iter__(found), base.__iter__(expected), where)
    compare_attributes(self, found, expected, where)


def compare_dicts(self: Comparison, found: Any, expected: Any, where: str) -> None:
    keys, others = list(dict.keys(found)), list(dict.keys(expected))
    self.each(keys, others, f"keys of {where}")
    if len(keys) == len(others):
        for key, other in zip(keys, others):
            self.compare(dict.__getitem__(found, key), dict.__getitem__(expected, other),
                         f"{where}[{key!r}]")
    compare_attributes(self, found, expected, where)


def compare_exceptions(self: Comparison, found: Any, expected: Any, where: str) -> None:
    """Arguments, text and notes, and all of what they are chained to."""
    if str(found) != str(expected):
        self.differs(repr(found), repr(expected), where)
    if (found.__traceback__ is None) != (expected.__traceback__ is None):
        self.differs(found.__traceback__, expected.__traceback__, f"traceback of {where}")
    for name in ("args", "__notes__", "__suppress_context__", "__cause__", "__context__"):
        self.compare(getattr(found, name, None), getattr(expected, name, None), f"{where}.{name}")


def compare_functions(self: Comparison, found: Any, expected: Any, where: str) -> None:
    if found.__code__ is not expected.__code__:
        self.differs(found, expected, where)


def compare_methods(self: Comparison, found: Any, expected: Any, where: str) -> None:
    self.compare(found.__self__, expected.__self__, f"{where}.__self__")
    if found.__name__ != expected.__name__:
        self.differs(found, expected, where)


def compare_classes(self: Comparison, found: Any, expected: Any, where: str) -> None:
    if not same_class(found, expected):
        self.differs(found, expected, where)


def compare_objects(self: Comparison, found: Any, expected: Any, where: str) -> None:
    """By attributes where equality is that of objects; else by their own equality, with care."""
    by_parts = type(expected).__eq__ is object.__eq__ or dataclasses.is_dataclass(expected)
    if by_parts or isinstance(expected, collections.UserList | collections.UserDict):
        compare_attributes(self, found, expected, where)
        return
    try:
        equal = bool(found == expected) or bool(found != found)
    except Exception:
        equal = True
    if not equal:
        self.differs(repr(found), repr(expected), where)


def compare_attributes(self: Comparison, found: Any, expected: Any, where: str) -> None:
    if hasattr(expected, "__dict__"):
        self.compare(dict(vars(found)), dict(vars(expected)), f"vars({where})")


KINDS: tuple[tuple[Any, Callable[[Comparison, Any, Any, str], None]], ...] = (
    (np.ndarray | np.generic, compare_arrays),
    (list | tuple | collections.deque, compare_sequences),
    (dict, compare_dicts),
    (float | complex, compare_floats),
    (BaseException, compare_exceptions),
    (types.FunctionType, compare_functions),
    (types.MethodType | types.BuiltinMethodType, compare_methods),
    (type, compare_classes),
)


# -- memory


def leaves(value: Any) -> list[tuple[str, Any]]:
    return list(_leaves(value, "", set()))


def _leaves(value: Any, where: str, within: set[int]) -> Iterator[tuple[str, Any]]:
    if isinstance(value, list | tuple | dict):
        if id(value) in within:  # a list may contain itself
            return
        items = dict.items(value) if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            yield from _leaves(item, f"{where}[{key!r}]", {*within, id(value)})
    else:
        yield where, value


def memory_differences(found: list[tuple[str, Any]], expected: list[tuple[str, Any]]) -> list[str]:
    """Which pairs of arrays share memory, and which are one object."""
    problems = []
    arrays = [i for i, (_, value) in enumerate(expected) if isinstance(value, np.ndarray)]
    pairs = [(i, j) for i in arrays for j in arrays if j < i]
    for i, j in pairs[:400]:
        (place, a), (_, x) = found[i], expected[i]
        (other, b), (_, y) = found[j], expected[j]
        if (a is b) != (x is y):
            problems.append(f"{place} is {other}: {a is b}, expected {x is y}")
        if shares(a, b) != (expectation := shares(x, y)):
            problems.append(f"{place} shares memory with {other}: {not expectation}")
        elif expectation and offset(a, b) != offset(x, y):
            problems.append(f"{place} lies {offset(a, b)} from {other}, expected {offset(x, y)}")
    return problems


def shares(a: np.ndarray, b: np.ndarray) -> bool:
    try:
        return np.shares_memory(a, b, max_work=10000)
    except Exception:
        return np.may_share_memory(a, b)


def offset(a: np.ndarray, b: np.ndarray) -> int:
    return a.__array_interface__["data"][0] - b.__array_interface__["data"][0]
