"""Calling outside callables: a handler answers, or the rule that applies decides."""
from __future__ import annotations

import dataclasses
import functools
import reprlib
import sys
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base import work
from ...base.classes import a_kind
from ...base.origins import full_name
from ...base.signatures import check_names
from ...errors import EffectBreak, GraphBreak
from ...guards.kinds import CALL
from ...ir.row import row_of
from .. import numpy as numpy_calls
from ..builtins import HANDLERS, container_methods
from ..numpy.calls import python_code_of
from ..object_model.constants import constant, run
from ..object_model.dependent import dependent
from ..polyfills.numpy import POLYFILLS
from ..rules.trace_rules import Action, Rule, rule_for
from ..state.tracker import Args, Kwargs, ObservedException, VariableTracker, call_handler
from ..trackers.arrays.optional_numbers import read_all
from ..trackers.containers.known import known_value
from ..trackers.objects.classes import ClassVariable
from ..trackers.objects.functions import UserFunctionVariable
from .cached import call_cached

if TYPE_CHECKING:
    from ..state.tx import Tx


def dispatch(
    tx: Tx, tracker: VariableTracker | None, function: Any, args: Args, kwargs: Kwargs
) -> VariableTracker:
    """`function(*args, **kwargs)`; `tracker` is the function's own, where it has one."""
    if (handler := _in(HANDLERS, function)) is not None:
        check_names(function, kwargs)
        return call_handler(tx, handler, read_all(tx, args), kwargs, function)
    if (polyfill := _in(POLYFILLS, function)) is not None:
        check_names(function, kwargs)
        return tx.known(polyfill).call(tx, read_all(tx, args), kwargs)
    rule = rule_for(function)
    if rule.action is not Action.INLINE:
        args = read_all(tx, args)
    if isinstance(tracker, ClassVariable) and is_made_by_tracing(function, rule):
        return tracker.make(tx, args, kwargs)
    return ACTIONS[rule.action](tx, tracker, function, args, kwargs, rule)


KNOWN = Rule("own-answer", Action.FOLD, "compiled code knows what it does")
FOLLOWED = Rule("own-polyfill", Action.INLINE, "Python code that does the same is followed")
UNANSWERED = Rule("numpy-skip", Action.SKIP,
                  "it is written in C, and nothing stands for it in a graph")
FROM_NUMPY = Rule("numpy-inline", Action.INLINE, "NumPy's own Python code is followed")
NO_NUMBER = Rule("numpy-no-number", Action.SKIP, "it makes no number that a graph computes with")
USER_CLASS = Rule("user-class", Action.INLINE, "making an object follows the methods of its class")


def rule_of_call(function: Any) -> Rule:
    """The rule by which `dispatch` decides."""
    if _in(HANDLERS, function) is not None:
        return KNOWN
    if _in(POLYFILLS, function) is not None:
        return FOLLOWED
    rule = rule_for(function)
    if rule.id == "numpy" and is_no_number(function):
        return NO_NUMBER
    if rule.id == "numpy" and not numpy_answers(function):
        return FROM_NUMPY if python_code_of(function) is not None else UNANSWERED
    return USER_CLASS if is_made_by_tracing(function, rule) else rule


def is_no_number(function: Any) -> bool:
    """Whether it is a type such as `np.datetime64`."""
    if not isinstance(function, type) or not issubclass(function, np.generic):
        return False
    is_number = issubclass(function, np.number | np.bool_ | np.object_)
    return function is np.timedelta64 or not is_number


def numpy_answers(function: Any) -> bool:
    """Whether calls become nodes; types and methods are asked for their objects."""
    is_bound = hasattr(function, "__objclass__") or isinstance(
        getattr(function, "__self__", None), np.ufunc)
    return (is_bound or isinstance(function, type) or row_of(function) is not None
            or numpy_calls.handles(function))


def _in(table: Mapping[Any, Any], function: Any) -> Any:
    try:
        return table.get(function)
    except TypeError:
        return None


def is_user_class(kind: Any) -> bool:
    """Exceptions and classes written in Python are made by tracing their methods."""
    if not isinstance(kind, type):
        return False
    return bool(kind.__flags__ & 1 << 9) or issubclass(kind, BaseException)


def is_made_by_tracing(kind: Any, rule: Rule) -> bool:
    """Classes of the user's, and those of NumPy's that are written in Python."""
    if rule.id == "numpy":
        return is_user_class(kind) and not numpy_calls.handles(kind)
    return rule.action is Action.SKIP and is_user_class(kind)


def _inline(
    tx: Tx, tracker: Any, function: Any, args: Any, kwargs: Any, rule: Any
) -> VariableTracker:
    if getattr(function, "__code__", None) is SINGLE_DISPATCH and args:
        return _single_dispatch(tx, tracker, function, args, kwargs)
    if getattr(function, "__code__", None) is DISPATCH and len(args) == 1:
        return tx.known(implementation_for(tx, tracker, function, args[0].as_constant(tx)))
    if not isinstance(function, FunctionType):
        raise GraphBreak(f"calling {function!r}")
    if function.__code__ in ASIDE_FROM_RECURSION:
        return tx.known(wrapped_in(function)).call(tx, args, kwargs)
    if not isinstance(tracker, UserFunctionVariable):
        tracker = UserFunctionVariable(function)
    return tx.inline(tracker, args, kwargs)


_GENERIC: Any = functools.singledispatch(lambda value: value)
SINGLE_DISPATCH, DISPATCH = _GENERIC.__code__, _GENERIC.dispatch.__code__


def _recursive_reprs() -> Iterator[CodeType]:
    """Wrappers of `__repr__` that only matter for objects that contain themselves."""
    for make in (reprlib.recursive_repr(), getattr(dataclasses, "_recursive_repr", None)):
        if make is not None:
            yield make(lambda self: "").__code__


ASIDE_FROM_RECURSION = frozenset(_recursive_reprs())


def wrapped_in(function: FunctionType) -> Any:
    """The function of the user's inside such a wrapper."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    return cells["user_function"].cell_contents


class Dispatches:
    """A guard: a generic function still has this implementation for a class."""

    def __init__(self, kind: type, implementation: Any) -> None:
        self.kind = kind
        self.implementation = implementation
        self.__name__ = f"has the same function for {a_kind(kind)}"

    def __call__(self, function: Any) -> bool:
        return getattr(function, "dispatch", function)(self.kind) is self.implementation


def _single_dispatch(
    tx: Tx, tracker: Any, function: Any, args: Any, kwargs: Any
) -> VariableTracker:
    """`functools.singledispatch` looks at the first argument's class."""
    implementation = implementation_for(tx, tracker, function.dispatch, args[0].python_type())
    return tx.known(implementation).call(tx, args, kwargs)


def implementation_for(tx: Tx, tracker: Any, dispatch: Any, kind: type) -> Any:
    """What a generic function does for a class, guarded."""
    implementation = dispatch(kind)
    if tracker.source is not None:
        guard = Dispatches(kind, implementation)
        tx.guards.install(tracker.source, CALL, guard, tx.location())
    return implementation


def _skip(
    tx: Tx, tracker: Any, function: Any, args: Any, kwargs: Any, rule: Any
) -> VariableTracker:
    if isinstance(wrapped := getattr(function, "__wrapped__", None), FunctionType) and (
        type(function).__module__.startswith("dynamo_lite")
    ):
        return UserFunctionVariable(wrapped).call(tx, args, kwargs)
    kind = EffectBreak if rule.id in EFFECTS else GraphBreak
    is_object = getattr(function, "__name__", "") == "__call__" and args
    called = args[0].describe() if is_object else full_name(function)
    raise kind(f"calling {called}: {rule.reason}")


EFFECTS = ("effect-builtin", "numpy-text", "numpy-file", "stdlib-skip")
"""Rules for functions that show or keep something, mostly."""


def _graph(
    tx: Tx, tracker: Any, function: Any, args: Any, kwargs: Any, rule: Any
) -> VariableTracker:
    """NumPy's own Python code is followed where no operation stands for the function."""
    function = numpy_calls.numpy_counterpart(function, args, kwargs)
    if isinstance(function, FunctionType) and not numpy_calls.handles(function):
        return _inline(tx, tracker, function, args, kwargs, rule)
    return numpy_calls.call(tx, function, args, kwargs)


def _fold(
    tx: Tx, tracker: Any, function: Any, args: Any, kwargs: Any, rule: Any
) -> VariableTracker:
    if numpy_calls.handles(function) and any(arg.in_graph for arg in args):
        return numpy_calls.call(tx, function, args, kwargs)
    if not kwargs and (made := dependent(tx, function, args)) is not None:
        return made
    name = getattr(function, "__qualname__", repr(function))
    held = list(args)
    if rule.id == "pure-method" and name not in ASKING_CLASSES:
        held = [arg.contents or arg for arg in args]
    said = full_name(function)
    known = [known_value(tx, arg, said, exhausts=name in EXHAUSTING) for arg in held]
    named = {key: known_value(tx, arg, said) for key, arg in kwargs.items()}
    try:
        return run(function, known, named)
    except ObservedException:
        if held != list(args):  # it may say which class it was given
            raise GraphBreak(f"{said} of {args[-1].describe()}") from None
        raise


EXHAUSTING = frozenset({"fsum"})
"""Functions that take all that an iterator has."""
ASKING_CLASSES = frozenset({
    "str.__mod__", "str.format", "str.format_map", "str.translate", "str.maketrans",
})  # fmt: skip
"""Methods of values that call methods of their arguments' classes."""


def _method(
    tx: Tx, tracker: Any, function: Any, args: Any, kwargs: Any, rule: Any
) -> VariableTracker:
    return container_methods.call(tx, function, args, kwargs)



def _constant(
    tx: Tx, tracker: Any, function: Any, args: Any, kwargs: Any, rule: Any
) -> VariableTracker:
    if rule.id == "user-is-compiling":
        return constant(True)
    work.done.found_here += 1
    known = [arg.as_constant(tx) for arg in args]
    named = {name: value.as_constant(tx) for name, value in kwargs.items()}
    return tx.known(function(*known, **named))


ACTIONS = {
    Action.INLINE: _inline,
    Action.SKIP: _skip,
    Action.GRAPH: _graph,
    Action.FOLD: _fold,
    Action.METHOD: _method,
    Action.CACHED: call_cached,
    Action.CONSTANT: _constant,
}


def import_module(tx: Tx, name: str, level: int, names: Any) -> VariableTracker:
    """What `import name` gives; a module that is not loaded yet is imported by Python."""
    if level:
        package = tx.globals.get("__package__") or ""
        for _ in range(level - 1):
            package = package.rpartition(".")[0]
        name = f"{package}.{name}" if name else package
    top = name if names or level else name.partition(".")[0]
    if name not in sys.modules or top not in sys.modules:
        raise GraphBreak(f"importing {name}")
    if missing := [part for part in names or () if f"{name}.{part}" not in sys.modules
                   and part not in vars(sys.modules[top])]:  # fmt: skip
        raise GraphBreak(f"importing {missing[0]} from {name}")
    work.done.found_here += 1
    return tx.known(sys.modules[top])
