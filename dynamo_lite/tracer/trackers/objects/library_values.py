"""Values of the standard library that never change: compiled patterns, matches, signatures."""
from __future__ import annotations

import inspect
import re
import types
from typing import TYPE_CHECKING, Any

from ....errors import GraphBreak
from ....guards.kinds import CALL
from ...object_model.constants import ConstantVariable, TypedConstant, builds, constant, observe
from ...polyfills.library import pattern_sub, pattern_subn
from ...state.tracker import Args, Kwargs, VariableTracker
from ..containers.dicts import DictVariable
from ..containers.iterators import ComputedIterator
from ..containers.mappings import MappingProxyVariable
from .functions import FunctionVariable

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx

REPLACING = {"sub": pattern_sub, "subn": pattern_subn}
"""Methods of patterns that may call a function for every match."""


class PatternVariable(TypedConstant):
    """A compiled pattern, or what one found."""

    def call_method(self, tx: Tx, name: str, args: Args, kwargs: Kwargs) -> VariableTracker:
        functions = [isinstance(arg, FunctionVariable) for arg in (*args, *kwargs.values())]
        if any(functions):
            is_replacing = name in REPLACING and isinstance(self.value, re.Pattern)
            if not is_replacing or not functions[0] or sum(functions) > 1:
                raise GraphBreak(f"a function given to {name!r} of {self.describe()}")
            return tx.known(REPLACING[name]).call(tx, (self, *args), kwargs)
        return super().call_method(tx, name, args, kwargs)

    def method___getitem__(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        return constant(observe(self.value.__getitem__, key.as_constant(tx)))

    def reconstruct(self, code: Emitter) -> None:
        """Patterns are kept by `re` itself, matches are made anew by every search."""
        if not isinstance(self.value, re.Pattern):
            raise GraphBreak("a match outlives the compiled part")
        code.load_const(self.value)


builds(re.Pattern, re.Match)(PatternVariable)


@builds(type(re.finditer("", "")))
def _matches(value: Any) -> VariableTracker:
    return ComputedIterator(iter([PatternVariable(match) for match in value]), type(value))


class Answers:
    """A guard: a pure function of the library still says the same about an object."""

    __name__ = "answers_alike"

    def __init__(self, function: Any, answer: Any) -> None:
        self.function = function
        self.answer = answer

    def __call__(self, value: Any) -> bool:
        try:
            return bool(self.function(value) == self.answer)
        except Exception:  # the user's own comparison of defaults, whatever it raises
            return False


def ask(tx: Tx, function: Any, about: VariableTracker) -> Any:
    """What `function` says about a function or class, guarded."""
    answer = observe(function, about.as_constant(tx))
    if about.source is not None:
        tx.guards.install(about.source, CALL, Answers(function, answer), tx.location())
    return answer


class SignatureVariable(TypedConstant):
    """An `inspect.Signature` or one of its parameters."""

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        value = observe(getattr, self.value, name)
        if isinstance(value, types.MappingProxyType):
            parameters = DictVariable.of(
                tx, [(ConstantVariable(key), SignatureVariable(v)) for key, v in value.items()]
            )
            return MappingProxyVariable(parameters)
        if callable(value) and not isinstance(value, type):
            return super().getattr(tx, name)
        return tx.known(value)

    def reconstruct(self, code: Emitter) -> None:
        raise GraphBreak(f"a {self.python_type().__name__} outlives the compiled part")


builds(inspect.Signature, inspect.Parameter)(SignatureVariable)
