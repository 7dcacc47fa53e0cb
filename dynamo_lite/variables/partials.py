"""`functools.partial` objects."""
from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import GraphBreak
from ..guards.sources import AttrSource, Source
from .base import VariableTracker
from .constants import ConstantVariable
from .dicts import DictVariable
from .object_model import python_method
from .sequences import TupleVariable

if TYPE_CHECKING:
    from ..reconstruct import Reconstructor
    from ..translator import Translator


class PartialVariable(VariableTracker):
    """A function with some of its arguments."""

    def __init__(
        self,
        function: VariableTracker,
        args: Sequence[VariableTracker],
        kwargs: Mapping[str, VariableTracker],
        source: Source | None = None,
    ) -> None:
        self.function = function
        self.args = tuple(args)
        self.kwargs = dict(kwargs)
        self.source = source
        self.attributes: dict[str, VariableTracker] = {}
        self.outside: dict[str, VariableTracker] = {}

    def python_type(self) -> type:
        return functools.partial

    def truth(self, tx: Translator) -> bool:
        return True

    def call(
        self,
        tx: Translator,
        args: Sequence[VariableTracker],
        kwargs: Mapping[str, VariableTracker],
    ) -> VariableTracker:
        return self.function.call(tx, (*self.args, *args), {**self.kwargs, **kwargs})

    def setattr(self, tx: Translator, name: str, value: VariableTracker) -> None:
        if self.source is not None:
            raise GraphBreak(f"setting {name!r} of {self.describe()}")
        self.attributes[name] = value

    def getattr(self, tx: Translator, name: str) -> VariableTracker:
        if name in self.attributes:
            return self.attributes[name]
        if name == "func":
            return self.function
        if name in self.outside:
            return self.outside[name]
        if name == "args":
            return TupleVariable(self.args)
        if name == "keywords":
            return DictVariable.of(tx, [(ConstantVariable(k), v) for k, v in self.kwargs.items()])
        return python_method(tx, self, name)

    def reconstruct(self, code: Reconstructor) -> None:
        code.load_callable(_partial)
        code.build(self.function)
        code.build(TupleVariable(self.args))
        for name, value in self.kwargs.items():
            code.load_const(name)
            code.build(value)
        code.emit("BUILD_MAP", len(self.kwargs))
        code.call(3)
        for name, value in self.attributes.items():
            code.set_attribute(name, value)


def _partial(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return functools.partial(function, *args, **kwargs)


def make_partial(
    tx: Translator, function: VariableTracker, *args: VariableTracker, **kwargs: VariableTracker
) -> VariableTracker:
    if isinstance(function, PartialVariable):
        args, kwargs = (*function.args, *args), {**function.kwargs, **kwargs}
        function = function.function
    return PartialVariable(function, args, kwargs)


def wrap_partial(tx: Translator, value: functools.partial[Any], source: Source) -> PartialVariable:
    """An outside one; its parts can only change through `__setstate__`."""
    function = tx.wrap(value.func, AttrSource(source, "func"))
    args = tx.wrap(value.args, AttrSource(source, "args"))
    keywords = tx.wrap(value.keywords, AttrSource(source, "keywords"))
    named = {key.as_constant(tx): item for key, item in tx.pairs(keywords)}
    made = PartialVariable(function, list(args.iterate(tx)), named, source)
    made.outside = {"args": args, "keywords": keywords}
    return made
