"""C's methods of Python's containers, called on a container or an object derived from one.

`list.append(x, 1)`, `super().__setitem__(key, value)`: the tracker of the contents answers.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ...base.signatures import check_call
from ...errors import GraphBreak
from ..object_model.constants import NONE, NOT_IMPLEMENTED, constant, observe
from ..object_model.refusals import check_handed_over, sample
from ..python.comparisons import structural_rule
from ..python.operators import as_seen_by_c
from ..rules.mro import lookup
from ..rules.operator_rows import COMPARISONS, OPERATOR_METHODS
from ..state.tracker import Args, Kwargs, ObservedException, VariableTracker, call_handler
from ..trackers.containers.dicts import DictVariable
from ..trackers.containers.lists import ListVariable
from ..trackers.containers.sequences import SequenceVariable
from ..trackers.containers.sets import SetVariable
from .text import display_of

if TYPE_CHECKING:
    from ..state.tx import Tx

Container = ListVariable | DictVariable | SetVariable | SequenceVariable


def call(tx: Tx, function: Any, args: Args, kwargs: Kwargs) -> VariableTracker:
    """`function(*args, **kwargs)`, a method descriptor of a container's type."""
    name, kind = function.__name__, function.__objclass__
    if not args or not issubclass(args[0].python_type(), kind):
        observe(function, *[sample(arg.python_type()) for arg in args])
    owner, *rest = args
    check_call(function, rest, kwargs)
    contents = owner.contents or owner
    if isinstance(contents, DictVariable) and lookup(contents.kind, name) is not function:
        raise GraphBreak(f"{function.__qualname__} of {owner.describe()}, which has its own")
    given, rest = rest, [as_seen_by_c(contents, arg) for arg in rest]
    for value in (contents, *rest):
        is_of_kind = issubclass(value.python_type(), kind)
        if is_of_kind and not isinstance(value.contents or value, Container):
            raise GraphBreak(f"{function.__qualname__} of {value.describe()}")
    if (special := SPECIAL.get(name)) is not None:
        return special(tx, contents, *rest, **kwargs)
    handler = getattr(contents, f"method_{name}", None)
    if handler is None:
        raise GraphBreak(f"{function.__qualname__} of {owner.describe()}")
    try:
        result = call_handler(tx, handler, rest, kwargs, function.__qualname__)
    except ObservedException as raised:
        return missing(tx, owner, name, rest, raised)
    if result is NOT_IMPLEMENTED and name in OPERATOR_METHODS:
        check_handed_over(function, given)
    return owner if result is contents else result


def missing(
    tx: Tx, owner: VariableTracker, name: str, args: Args, raised: ObservedException
) -> VariableTracker:
    """`dict.__getitem__` asks a derived class's `__missing__`."""
    method = lookup(owner.python_type(), "__missing__")
    if name != "__getitem__" or not isinstance(method, FunctionType):
        raise raised
    if not issubclass(raised.value.python_type(), KeyError):
        raise raised
    return owner.call_method(tx, "__missing__", args, {})


def _compare(symbol: str) -> Callable[..., VariableTracker]:
    def compare(
        tx: Tx, contents: VariableTracker, other: VariableTracker
    ) -> VariableTracker:
        other = other.contents or other
        rule = structural_rule(symbol, contents, other)
        if rule is None or getattr(other, "base", None) is not getattr(contents, "base", None):
            return NOT_IMPLEMENTED
        return rule(tx, symbol, contents, other)

    return compare


def _display(tx: Tx, contents: VariableTracker) -> VariableTracker:
    if (text := display_of(tx, contents)) is None:
        raise GraphBreak(f"repr() of {contents.describe()}")
    return constant(text)


def _initialise(
    tx: Tx, contents: Any, *args: VariableTracker, **kwargs: VariableTracker
) -> VariableTracker:
    if isinstance(contents, DictVariable):
        if contents.kind.__name__ == "defaultdict" and args:
            contents.factory, *rest = args
            args = tuple(rest)
        contents.method_update(tx, *args, **kwargs)
    elif isinstance(contents, ListVariable | SetVariable):
        if len(args) > 1 and isinstance(contents, SetVariable) and contents.whole is not None:
            raise GraphBreak(f"making {contents.whole.describe()} of {len(args)} arguments")
        if len(args) > 1:
            observe(list if isinstance(contents, ListVariable) else set, *map(id, args))
        contents.call_method(tx, "clear", (), {})
        for each in args:
            contents.call_method(
                tx, "extend" if isinstance(contents, ListVariable) else "update", (each,), {}
            )
    return NONE


def _reversed(tx: Tx, contents: VariableTracker) -> VariableTracker:
    return tx.call_builtin(reversed, contents)


SPECIAL: Mapping[str, Callable[..., VariableTracker]] = {
    **{row.method: _compare(row.symbol) for row in COMPARISONS},
    "__repr__": _display,
    "__str__": _display,
    "__init__": _initialise,
    "__reversed__": _reversed,
    "__hash__": lambda tx, contents: tx.call_builtin(hash, contents),
}
