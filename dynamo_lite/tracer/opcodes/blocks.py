"""Exceptions and `with`."""
from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import GraphBreak
from ..object_model.constants import NONE, constant, observed
from ..object_model.refusals import name_in_c
from ..polyfills.language import match_group, to_reraise
from ..rules.mro import MISSING, is_subtype, lookup
from ..state.tracker import ObservedException, VariableTracker
from ..trackers.containers.exceptions import ExceptionVariable
from ..trackers.objects.classes import ClassVariable
from .table import handles

if TYPE_CHECKING:
    from ...bytecode.reading import Instruction
    from ..state.tx import Tx


@handles("RAISE_VARARGS")
def raise_varargs(tx: Tx, inst: Instruction, *parts: VariableTracker) -> None:
    if not parts:
        if not tx.all_handled:
            raise observed(RuntimeError("No active exception to reraise"))
        raise ObservedException(tx.all_handled[-1], again=True)
    error = as_exception(tx, parts[0])
    if len(parts) == 2:
        text = "exception causes must derive from BaseException"
        cause = parts[1] if parts[1] is NONE else as_exception(tx, parts[1], text)
        error.setattr(tx, "__cause__", cause)
    raise ObservedException(error)


NO_EXCEPTION = "exceptions must derive from BaseException"


def as_exception(
    tx: Tx, value: VariableTracker, refusal: str = NO_EXCEPTION
) -> VariableTracker:
    """What `raise` takes: an exception, or a class to make one of."""
    if isinstance(value, ClassVariable) and issubclass(value.value, BaseException):
        value = value.call(tx, (), {})
    if not issubclass(value.python_type(), BaseException):
        raise observed(TypeError(refusal))
    if not isinstance(value, ExceptionVariable):
        raise GraphBreak(f"raising {value.describe()}")
    return value


@handles("RERAISE")
def reraise(tx: Tx, inst: Instruction, error: VariableTracker) -> None:
    """Below the exception lies the `lasti` that the table asked for, when `arg` says so."""
    raise ObservedException(error, again=True)


@handles("PUSH_EXC_INFO")
def push_exc_info(
    tx: Tx, inst: Instruction, error: VariableTracker
) -> tuple[VariableTracker, ...]:
    previous = tx.handled[-1] if tx.handled else NONE
    tx.handled.append(error)
    return previous, error


@handles("POP_EXCEPT")
def pop_except(tx: Tx, inst: Instruction, previous: VariableTracker) -> None:
    tx.handled.pop()


@handles("CHECK_EXC_MATCH")
def check_exc_match(
    tx: Tx, inst: Instruction, error: VariableTracker, classes: VariableTracker
) -> tuple[VariableTracker, ...]:
    known = classes.as_constant(tx)
    each = known if isinstance(known, tuple) else (known,)
    if not all(isinstance(k, type) and issubclass(k, BaseException) for k in each):
        text = "catching classes that do not inherit from BaseException is not allowed"
        raise observed(TypeError(text))
    return error, constant(any(is_subtype(error.python_type(), k) for k in each))


@handles("CHECK_EG_MATCH")
def check_eg_match(
    tx: Tx, inst: Instruction, error: VariableTracker, classes: VariableTracker
) -> tuple[VariableTracker, ...]:
    """Push what the clause leaves of the exception, and what it handles."""
    check_exc_match(tx, inst, error, classes)
    known = classes.as_constant(tx)
    each = known if isinstance(known, tuple) else (known,)
    if any(issubclass(k, BaseExceptionGroup) for k in each):
        text = "catching ExceptionGroup with except* is not allowed. Use except instead."
        raise observed(TypeError(text))
    if error is NONE:
        return NONE, NONE
    matching, rest = tx.call(tx.known(match_group), error, classes).iterate(tx)
    if matching is not NONE:
        tx.handled[-1] = matching
    return rest, matching


@handles("PREP_RERAISE_STAR")
def prep_reraise_star(
    tx: Tx, inst: Instruction, error: VariableTracker, results: VariableTracker
) -> VariableTracker:
    return tx.call(tx.known(to_reraise), error, results)


@handles("LOAD_ASSERTION_ERROR")
def load_assertion_error(tx: Tx, inst: Instruction) -> VariableTracker:
    return tx.known(AssertionError)


@handles("BEFORE_WITH", pushes=2)
def before_with(
    tx: Tx, inst: Instruction, context: VariableTracker
) -> tuple[VariableTracker, ...]:
    """Push the bound `__exit__` and what `__enter__` gives; both are looked up on the class."""
    kind = context.python_type()
    for name, missed in (("__enter__", ""), ("__exit__", " (missed __exit__ method)")):
        if lookup(kind, name) is MISSING:
            text = f"{name_in_c(kind)!r} object does not support the context manager protocol"
            raise observed(TypeError(f"{text}{missed}"))
    leave = context.special_method(tx, "__exit__")
    return leave, context.call_method(tx, "__enter__", (), {})


@handles("WITH_EXCEPT_START")
def with_except_start(
    tx: Tx,
    inst: Instruction,
    leave: VariableTracker,
    lasti: VariableTracker,
    previous: VariableTracker,
    error: VariableTracker,
) -> tuple[VariableTracker, ...]:
    """Call `__exit__(type, error, traceback)`."""
    details = (tx.known(error.python_type()), error, tx.getattr(error, "__traceback__"))
    result = leave.call(tx, details, {})
    return leave, lasti, previous, error, result
