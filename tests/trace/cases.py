"""Comparing a compiled function with plain Python: results, arguments, output, exceptions."""
import collections
import contextlib
import copy
import dataclasses
import io
import types

import numpy as np

import dynamo_lite as dl
from dynamo_lite.base.config import config
from dynamo_lite.tracer.frame.root import translate
from dynamo_lite.tracer.state.trace import Returned


def same(left, right, seen=None):
    """Equal in type, value, shape and attributes, all the way down."""
    seen = {} if seen is None else seen
    if id(left) in seen:
        return seen[id(left)] is right
    if isinstance(left, list | dict) or hasattr(left, "__dict__"):
        seen[id(left)] = right

    def both(mine, theirs):
        return same(mine, theirs, seen)

    if type(left) is not type(right):
        # Classes that a call defines anew are equal by name.
        if type(left).__qualname__ != type(right).__qualname__ or not isinstance(left, object):
            return False
    if isinstance(left, np.ndarray | np.generic):
        return left.dtype == right.dtype and np.array_equal(left, right, equal_nan=_is_float(left))
    if isinstance(left, list | tuple | collections.deque | dict) and hasattr(left, "__dict__"):
        if not both(vars(left), vars(right)):
            return False
    if isinstance(left, list | tuple | collections.deque):
        mine, theirs = (list(type(s).__mro__[-2].__iter__(s)) for s in (left, right))
        return len(mine) == len(theirs) and all(map(both, mine, theirs))
    if isinstance(left, dict):
        mine, theirs = list(dict.items(left)), list(dict.items(right))
        return len(mine) == len(theirs) and all(
            both(k, other) and both(v, value) for (k, v), (other, value) in zip(mine, theirs)
        )
    if isinstance(left, BaseException):
        return same_exception(left, right)
    if isinstance(left, types.FunctionType):
        return left.__code__ is right.__code__
    if dataclasses.is_dataclass(left) or type(left).__eq__ is object.__eq__ or isinstance(
        left, collections.UserList | collections.UserDict
    ):
        return left is right or both(vars(left), vars(right)) if hasattr(left, "__dict__") else True
    return left == right or left != left


def same_exception(left, right, depth=0):
    """Equal in type, arguments, text and notes, and so is all of what they are chained to."""
    if left is None or right is None or depth > 9:
        return left is right or depth > 9
    alike = type(left).__qualname__ == type(right).__qualname__ and same(left.args, right.args)
    if not alike or str(left) != str(right):
        return False
    if getattr(left, "__notes__", None) != getattr(right, "__notes__", None):
        return False
    if (left.__traceback__ is None) != (right.__traceback__ is None):
        return False
    return left.__suppress_context__ == right.__suppress_context__ and all(
        same_exception(getattr(left, name), getattr(right, name), depth + 1)
        for name in ("__cause__", "__context__")
    )


def _is_float(array):
    return array.dtype.kind in "fc"


def outcome(function, args):
    """What a call did: result or exception, arguments afterwards, text printed."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        try:
            result = function(*args)
        except Exception as error:
            result = error
    return result, args, text.getvalue()


def check(function, *args, captured=True, calls=2):
    """Compiled equals plain Python, in every call; `captured`: as one graph without a break."""
    with config.patch(strict=True):
        compiled = dl.compile(function, backend="eager")
        for _ in range(calls):
            expected = outcome(function, copy.deepcopy(args))
            actual = outcome(compiled, copy.deepcopy(args))
            assert same(actual, expected), f"{actual} is not {expected}"
    if captured:
        trace = translate(function, flat(function, copy.deepcopy(args)))
        assert isinstance(trace.end, Returned), f"{trace.end.reason} at {trace.end.location}"
        return trace
    return None


def flat(function, args):
    """Flat arguments as the compiled callable passes them (defaults filled in)."""
    code = function.__code__
    count = code.co_argcount
    values = list(args[:count])
    defaults = function.__defaults__ or ()
    values += defaults[len(defaults) - (count - len(values)) :] if len(values) < count else ()
    values += [(function.__kwdefaults__ or {})[n] for n in code.co_varnames[count : count + code.co_kwonlyargcount]]
    if code.co_flags & 4:
        values.append(tuple(args[count:]))
    if code.co_flags & 8:
        values.append({})
    return values


def case(*args, captured=True):
    """Make the decorated function the test: it is called with `args`, compiled and not."""

    def make_test(function):
        def test():
            check(function, *args, captured=captured)

        test.__doc__ = function.__doc__
        return test

    return make_test
