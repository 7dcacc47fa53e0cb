"""NumPy's error state: `np.errstate` sets a context variable, and so do the decorators it makes.

NumPy's own Python code is followed down to the variable. What the program has set is kept by the
trace (`TraceState.errstates`) and recorded with every node. Where the trace ends inside, the state
is entered for real.
"""
from __future__ import annotations

import functools
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Any

from numpy._core import umath

from ....errors import GraphBreak
from ....guards.sources import Source
from ....ir.errstates import AMBIENT, Errstate, changed
from ...object_model.constants import NONE, observe
from ...object_model.methods import BuiltinMethodVariable
from ...state.tracker import Args, Kwargs, VariableTracker
from .functions import UserFunctionVariable
from .opaque import OpaqueVariable

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx

VARIABLE: ContextVar[Any] = umath._extobj_contextvar
make_state: Any = umath._make_extobj
describe_state: Any = umath._get_extobj_dict


def current(tx: Tx) -> Errstate:
    """What the program has set so far."""
    entered = tx.state.errstates
    return entered[-1].errstate if entered else AMBIENT


class ErrorStateVariable(VariableTracker):
    """The context variable itself."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def python_type(self) -> type:
        return ContextVar

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        return BuiltinMethodVariable(self, name)

    def method_set(self, tx: Tx, state: VariableTracker) -> VariableTracker:
        if not isinstance(state, StateVariable):
            raise GraphBreak("setting NumPy's error state to one from before")
        token = TokenVariable(state)
        tx.state.errstates.append(token)
        tx.side_effects.enters(token)
        return token

    def method_reset(self, tx: Tx, token: VariableTracker) -> VariableTracker:
        entered = tx.state.errstates
        if not entered or entered[-1] is not token:
            raise GraphBreak("leaving an error state of NumPy that was entered before")
        entered.pop().is_left = True
        tx.side_effects.leaves(token)
        return NONE


class StateVariable(VariableTracker):
    """What NumPy makes of the arguments of `np.errstate`, on top of what holds by then."""

    def __init__(self, modes: dict[str, Any], errstate: Errstate) -> None:
        self.modes = modes
        self.errstate = errstate

    def python_type(self) -> type:
        return object

    def reconstruct(self, code: Emitter) -> None:
        code.load_const(functools.partial(make_state, **self.modes))
        code.call(0)


class TokenVariable(VariableTracker):
    """What brings the state back that held before; to rebuild one is to enter the state."""

    is_left = False

    def __init__(self, state: StateVariable) -> None:
        self.state = state
        self.errstate = state.errstate

    def python_type(self) -> type:
        return Token

    def truth(self, tx: Tx) -> bool:
        return True

    def reconstruct(self, code: Emitter) -> None:
        if self.is_left:
            code.load_const(used_token)
            code.call(0)
            return
        code.load_const(VARIABLE.set)
        code.build(self.state)
        code.call(1)


def used_token() -> Token[Any]:
    """A token that has been reset already."""
    token = VARIABLE.set(VARIABLE.get())
    VARIABLE.reset(token)
    return token


def error_state(tx: Tx, function: Any, args: Args, kwargs: Kwargs) -> VariableTracker:
    """NumPy's own function behind `np.errstate`: modes by keyword, None for those that stay."""
    modes = {name: _known(tx, name, value) for name, value in kwargs.items()}
    observe(make_state, *[value.as_constant(tx) for value in args], **modes)
    return StateVariable(modes, changed(current(tx), modes))


def _known(tx: Tx, name: str, value: VariableTracker) -> Any:
    if name == "bufsize":
        raise GraphBreak("the size of NumPy's buffers is changed")
    if name == "call" and isinstance(value, UserFunctionVariable):
        return value.value
    return value.as_constant(tx)


def looked_at(tx: Tx, function: Any, args: Args, kwargs: Kwargs) -> VariableTracker:
    raise GraphBreak("the program looks at NumPy's error state")


def wrap_context_variable(
    tx: Tx, value: ContextVar[Any], source: Source
) -> VariableTracker:
    if value is VARIABLE:
        return ErrorStateVariable(source)
    return OpaqueVariable(value, source, "a context variable")
