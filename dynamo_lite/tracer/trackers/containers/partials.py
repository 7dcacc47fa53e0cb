"""`functools.partial` objects."""
from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from ....errors import GraphBreak
from ....guards.kinds import NO_ATTR
from ....guards.sources import AttrSource, Source
from ...object_model.attributes import python_method
from ...object_model.constants import ConstantVariable, observed
from ...rules.mro import answers
from ...state.tracker import Args, Kwargs, VariableTracker
from .dicts import DictVariable
from .sequences import TupleVariable

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx


Partial = functools.partial[Any]


class PartialVariable(VariableTracker):
    """A function with some of its arguments."""

    def __init__(
        self, function: VariableTracker, args: Args, kwargs: Kwargs, source: Source | None = None
    ) -> None:
        self.function = function
        self.args: VariableTracker = TupleVariable(tuple(args))
        self.kwargs = dict(kwargs)
        self.source = source
        self.attributes: dict[str, VariableTracker] = {}
        self.keywords: VariableTracker | None = None
        """The dict of the keywords, once it can be reached otherwise: it then has the last word."""
        self.outside: Partial | None = None

    def python_type(self) -> type:
        return functools.partial

    def truth(self, tx: Tx) -> bool:
        return True

    def named(self, tx: Tx) -> dict[str, VariableTracker]:
        """The arguments given by name, as they are now."""
        if self.keywords is None:
            return self.kwargs
        return {key.as_constant(tx): item for key, item in tx.pairs(self.keywords)}

    def call(self, tx: Tx, args: Args, kwargs: Kwargs) -> VariableTracker:
        args = (*self.args.iterate(tx), *args)
        return self.function.call(tx, args, {**self.named(tx), **kwargs})

    def setattr(self, tx: Tx, name: str, value: VariableTracker) -> None:
        if self.source is not None:
            raise GraphBreak(f"setting {name!r} of {self.describe()}")
        self.attributes[name] = value

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        if name in self.attributes:
            return self.attributes[name]
        if name == "func":
            return self.function
        if name == "args":
            return self.args
        if name == "keywords":
            if self.keywords is None:
                pairs = [(ConstantVariable(k), v) for k, v in self.kwargs.items()]
                self.keywords = DictVariable.of(tx, pairs)
            return self.keywords
        is_own = name not in vars(functools.partial)
        if self.outside is not None and self.source is not None and is_own:
            return self._own_attribute(tx, self.outside, self.source, name)
        return python_method(tx, self, name)

    def _own_attribute(
        self, tx: Tx, outside: Partial, source: Source, name: str
    ) -> VariableTracker:
        """What somebody has set on it; asking for its `__dict__` would give it one."""
        if hasattr(outside, name):
            return tx.wrap(getattr(outside, name), AttrSource(source, name))
        tx.guards.install(source, NO_ATTR, name, tx.location())
        return python_method(tx, self, name)

    def reconstruct(self, code: Emitter) -> None:
        code.load_const(_partial if self.keywords is None else _partial_over)
        code.build(self.function)
        code.build(self.args)
        if self.keywords is None:
            for name, value in self.kwargs.items():
                code.load_const(name)
                code.build(value)
            code.emit("BUILD_MAP", len(self.kwargs))
        else:
            code.build(self.keywords)
        code.call(3)
        for name, value in self.attributes.items():
            code.set_attribute(name, value)


def _partial(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return functools.partial(function, *args, **kwargs)


def _partial_over(function: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """A partial object whose keywords are this very dict."""
    made = functools.partial(function)
    made.__setstate__((function, args, keywords, None))  # type: ignore[attr-defined]
    return made


def make_partial(
    tx: Tx, function: VariableTracker, *args: VariableTracker, **kwargs: VariableTracker
) -> VariableTracker:
    if not answers(function.python_type(), "__call__"):
        raise observed(TypeError("the first argument must be callable"))
    if isinstance(function, PartialVariable) and not function.attributes:
        args = (*function.args.iterate(tx), *args)
        kwargs = {**function.named(tx), **kwargs}
        function = function.function
    return PartialVariable(function, args, kwargs)


def wrap_partial(tx: Tx, value: Partial, source: Source) -> PartialVariable:
    """An outside one, known by its parts: it is often made anew for each call."""
    made = PartialVariable(tx.wrap(value.func, AttrSource(source, "func")), (), {}, source)
    made.outside = value
    made.args = tx.wrap(value.args, AttrSource(source, "args"))
    made.keywords = tx.wrap(value.keywords, AttrSource(source, "keywords"))
    return made
