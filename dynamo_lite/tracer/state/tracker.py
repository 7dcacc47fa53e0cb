"""VariableTracker: what the translator knows about one Python value.

A tracker stands for a value while a frame is analysed. It answers Python's own questions
(attribute, item, call, iteration, truth) with further trackers. Whatever fact it gives away it
guards first: reading a fact is what specialises the trace to it, and what is never read is never
guarded. A method that cannot answer exactly raises `GraphBreak` with a reason the user can act on.
"""
from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...base.classes import what_it_is
from ...base.origins import full_name
from ...base.signatures import check_call_of_method, mismatch
from ...errors import GraphBreak, Unsupported
from ...guards.sources import Source, in_users_words
from ..rules.operator_rows import SAID

if TYPE_CHECKING:
    from .emitter import Emitter
    from .tx import Tx


class ObservedException(Exception):
    """The program being traced raised `value`, the tracker of an exception object.

    `again`: it is on its way already; the exception that is being handled is not its context.
    """

    def __init__(self, value: VariableTracker, again: bool = False) -> None:
        super().__init__()
        self.value = value
        self.again = again


COUNTER = itertools.count()


Args = Sequence["VariableTracker"]
Kwargs = Mapping[str, "VariableTracker"]
"""What a call is given."""


class VariableTracker:
    """One value. `source` says where it came from, or is None when the frame made it.

    Trackers are compared by identity: one tracker per Python object, so `x is y` is tracker
    identity for objects made in the frame. Mutable kinds change in place and log it with
    `tx.side_effects.mutates(self)`.
    """

    source: Source | None = None
    contents: VariableTracker | None = None
    """What an object of a class derived from one of Python's own holds as a dict, list, str, …"""
    in_graph: bool = False
    """Whether the value is computed by the graph: `tracer.numpy` then does its operators."""
    born: int
    """Trackers are numbered in the order in which they are made."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        self = object.__new__(cls)
        self.born = next(COUNTER)
        return self

    def python_type(self) -> type:
        """The exact type of the value (guarded when the tracker was made)."""
        raise NotImplementedError

    def snapshot(self) -> Any:
        """What a mutable container holds now, in its own form: for comparing later."""
        raise NotImplementedError

    def is_constant(self) -> bool:
        """Whether `as_constant` works without further guards failing to express it."""
        return False

    def as_constant(self, tx: Tx) -> Any:
        """The Python value itself; from here on the trace is specialised to it."""
        raise GraphBreak(f"Python needs the value of {self.describe()}")

    def refusal(self, what: str) -> Unsupported:
        """What to raise where the graph cannot go on for `what` is asked of the value."""
        return GraphBreak(what)

    def as_argument(self, tx: Tx) -> Any:
        """The value as an argument of a graph node: a Node, constant, size or pytree of them."""
        return self.as_constant(tx)

    def truth(self, tx: Tx) -> bool:
        """`bool(value)`, consumed by Python."""
        return bool(self.as_constant(tx))

    def expect(self, tx: Tx, outcome: bool) -> None:
        """Let the graph check that the truth of a value that it computes is `outcome`."""
        raise GraphBreak(f"the truth of {self.describe()} depends on its contents")

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        what = SAID.get(name) or f"attribute {name!r}"
        raise GraphBreak(f"{what} of {self.describe()}")

    def setattr(self, tx: Tx, name: str, value: VariableTracker) -> None:
        raise GraphBreak(f"setting attribute {name!r} of {self.describe()}")

    def delattr(self, tx: Tx, name: str) -> None:
        raise GraphBreak(f"deleting attribute {name!r} of {self.describe()}")

    def call(self, tx: Tx, args: Args, kwargs: Kwargs) -> VariableTracker:
        """Calling the value."""
        raise GraphBreak(f"calling {self.describe()}")

    def call_method(self, tx: Tx, name: str, args: Args, kwargs: Kwargs) -> VariableTracker:
        """`value.name(*args, **kwargs)`; a method `method_<name>` of the tracker answers."""
        if (method := getattr(self, f"method_{name}", None)) is not None:
            return call_own_method(tx, self, method, name, args, kwargs)
        return self.getattr(tx, name).call(tx, args, kwargs)

    def special_method(self, tx: Tx, name: str) -> VariableTracker:
        """`type(value).name` bound to the value, as the interpreter looks it up."""
        return self.getattr(tx, name)

    def iterate(self, tx: Tx) -> Iterator[VariableTracker]:
        """The items in order, all known now."""
        raise GraphBreak(f"iterating over {self.describe()}")

    def reconstruct(self, code: Emitter) -> None:
        """Emit instructions that push the value; only for values without a source."""
        raise GraphBreak(f"rebuilding {self.describe()} after the compiled part")

    def hash_key(self, tx: Tx) -> Hashable:
        """What stands for the value as a dict key or set member: equal keys, equal values."""
        key: Hashable = self.as_constant(tx)
        return key

    def raised(self, context: VariableTracker | None) -> None:
        """Raising the value changes it; `context` is the exception that is being handled."""

    def let_go(self) -> None:
        """The analysis is over: nothing of the program's is kept that it would not keep itself."""

    def describe(self) -> str:
        """How reasons name the value: `x (a list)`."""
        kind, name = what_it_is(self.python_type()), in_users_words(self.source)
        return f"{name} ({kind})" if name else kind


def call_own_method(
    tx: Tx, owner: VariableTracker, handler: Callable[..., VariableTracker], name: str,
    args: Args, kwargs: Kwargs,
) -> VariableTracker:
    """Answer a call of a method that the owner's class has from C by its handler."""
    check_call_of_method(owner.python_type(), name, args, kwargs)
    return call_handler(tx, handler, args, kwargs, f"{owner.describe()}.{name}")


def call_handler(
    tx: Tx, handler: Callable[..., VariableTracker], args: Args, kwargs: Kwargs, called: Any
) -> VariableTracker:
    """Answer a call by a handler, whose signature says which arguments are understood; `called` is
    the function, or its name."""
    try:
        return handler(tx, *args, **kwargs)
    except TypeError:
        if (why := mismatch(handler, (tx, *args), kwargs)) is not None:
            name = called if isinstance(called, str) else full_name(called)
            why = why.replace("got an unexpected keyword argument", "with the argument")
            raise GraphBreak(f"calling {name} in a form that is not followed: {why}") from None
        raise
