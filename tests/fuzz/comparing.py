"""Comparing a compiled call with Python in everything that a program can see."""
from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Tolerance:
    """How far floating-point values may be apart; nothing by default."""

    relative: float = 0.0
    absolute: float = 0.0
    signed_zeros: bool = True


def outcome(function: Callable[..., Any], args: Any, kwargs: Any = (), **errstate: str) -> Outcome:
    """Call `function`; its result or exception, warnings and output, and the arguments after."""
    text = io.StringIO()
    result, error = None, None
    with (
        warnings.catch_warnings(record=True) as caught,
        contextlib.redirect_stdout(text),
        np.errstate(**errstate),
    ):
        warnings.simplefilter("always")
        try:
            result = function(*args, **dict(kwargs))
        except Exception as raised:
            error = raised
    said = [(w.category.__name__, str(w.message)) for w in caught]
    return Outcome(result, error, said, text.getvalue(), args)


def differences(found: Outcome, expected: Outcome, tolerance: Tolerance = Tolerance()) -> list[str]:
    """What is not the same, as sentences; nothing when a user could not tell the two apart."""
    if type(found.error) is not type(expected.error) or str(found.error) != str(expected.error):
        return [f"raised {found.error!r}, expected {expected.error!r}"]
    problems = []
    if found.said != expected.said:
        problems.append(f"warned {found.said}, expected {expected.said}")
    if found.printed != expected.printed:
        problems.append(f"printed {found.printed!r}, expected {expected.printed!r}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # looking at some arrays' flags warns
        problems += compare(found.result, expected.result, "result", tolerance)
        problems += compare(found.args, expected.args, "args", tolerance)
    if not problems:
        problems += memory_differences(
            leaves((found.args, found.result)), leaves((expected.args, expected.result))
        )
    return problems


def compare(found: Any, expected: Any, where: str, tolerance: Tolerance) -> list[str]:
    """Type, dtype, shape, layout and value, all the way down."""
    if found is expected:
        return []
    if type(found) is not type(expected):
        return [f"{where} is {type(found).__name__} {found!r}, "
                f"expected {type(expected).__name__} {expected!r}"]  # fmt: skip
    if isinstance(expected, (np.ndarray, np.generic)):
        return compare_arrays(found, expected, where, tolerance)
    if isinstance(expected, (list, tuple)):
        if len(found) != len(expected):
            return [f"{where} has {len(found)} items, expected {len(expected)}"]
        pairs = zip(found, expected)
        return [p for i, (f, e) in enumerate(pairs) for p in compare(f, e, f"{where}[{i}]", tolerance)]
    if isinstance(expected, dict):
        if list(found) != list(expected):
            return [f"{where} has keys {list(found)}, expected {list(expected)}"]
        return [p for k, e in expected.items() for p in compare(found[k], e, f"{where}[{k!r}]", tolerance)]
    if isinstance(expected, (float, complex)):
        return compare_arrays(np.asarray(found), np.asarray(expected), where, tolerance)
    if isinstance(expected, BaseException):
        return [] if str(found) == str(expected) else [f"{where} is {found!r}, expected {expected!r}"]
    if type(expected).__eq__ is object.__eq__:  # made anew for each call
        return []
    try:
        equal = bool(found == expected)
    except Exception:
        equal = True
    return [] if equal or found != found else [f"{where} is {found!r}, expected {expected!r}"]


def compare_arrays(found: Any, expected: Any, where: str, tolerance: Tolerance) -> list[str]:
    for fact in "dtype", "shape":
        if getattr(found, fact) != getattr(expected, fact):
            return [f"{fact} of {where} is {getattr(found, fact)}, expected {getattr(expected, fact)}"]
    problems = []
    if isinstance(expected, np.ndarray):
        if _layout(found) != _layout(expected):
            problems.append(f"strides of {where} are {found.strides}, expected {expected.strides}"
                            f" (shape {expected.shape})")  # fmt: skip
        if found.flags.writeable != expected.flags.writeable:
            problems.append(f"{where} is writeable: {found.flags.writeable}")
    if expected.dtype.hasobject or expected.dtype.kind not in "fc":
        equal = found.tobytes() == expected.tobytes() if not expected.dtype.hasobject else (
            repr(found) == repr(expected))  # fmt: skip
    else:
        equal = close(np.asarray(found), np.asarray(expected), tolerance)
    return problems if equal else [*problems, f"{where} is {found!r}, expected {expected!r}"]


def _layout(array: np.ndarray) -> tuple[int, ...]:
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
        same = (found == expected) | (np.isnan(found) & np.isnan(expected))
        if tolerance.relative:
            finite = np.isfinite(found) & np.isfinite(expected)
            wide = np.result_type(expected.dtype, np.float64)
            error = np.abs(found.astype(wide) - expected.astype(wide))
            bound = tolerance.absolute + tolerance.relative * np.abs(expected.astype(wide))
            return bool((same | (finite & (error <= bound))).all())
        if tolerance.signed_zeros:
            zeros = (found == 0) & (np.signbit(found) != np.signbit(expected))
            same &= ~zeros
        return bool(same.all())


def leaves(value: Any) -> list[tuple[str, Any]]:
    return list(_leaves(value, ""))


def _leaves(value: Any, where: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            yield from _leaves(item, f"{where}[{i}]")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, f"{where}[{key!r}]")
    else:
        yield where, value


def memory_differences(found: list[tuple[str, Any]], expected: list[tuple[str, Any]]) -> list[str]:
    """Which pairs share memory, and which are one object."""
    problems = []
    pairs = [(i, j) for i in range(len(found)) for j in range(i)]
    for i, j in pairs[:400]:
        (place, a), (_, x) = found[i], expected[i]
        (other, b), (_, y) = found[j], expected[j]
        if not isinstance(x, np.ndarray) or not isinstance(y, np.ndarray):
            continue
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


