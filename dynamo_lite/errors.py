"""Every exception and warning class of dynamo_lite."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class DynamoError(Exception):
    """Base of every exception that dynamo_lite raises on purpose."""


class Unsupported(DynamoError):
    """Something cannot be compiled exactly; `str()` is the reason. Never reaches the user.

    `operations` is the number of array operations that were traced before, and run in Python;
    `location` is the user's line; `error` is what NumPy raises there for these types and sizes,
    where it is known to.
    """

    operations: int = 0
    location: Any = None
    error: Exception | None = None


class GraphBreak(Unsupported):
    """Tracing cannot go on past the current instruction.

    `location` is that of the innermost frame; `root_steps` says after how many instructions of the
    root frame the analysis has to stop. `is_sound`: there is nothing wrong with the instruction
    there: the continuation begins with it. `refused`: NumPy raises for these very sizes, and
    `asked` has the relations that say so, which other sizes may not fulfil. `stands` has what
    guards need to be installed (source, kind, value, location) without which there might be no
    break.
    """

    root_steps: int | None = None
    is_sound = False
    refused = False
    asked: Sequence[Any] = ()
    stands: Sequence[Any] = ()


class LoopBreak(GraphBreak):
    """A loop is too long to unroll: stop before it begins."""


class UntouchedBreak(GraphBreak):
    """The root frame's instruction has done nothing yet: the analysis can end before it."""


class InterruptBreak(GraphBreak):
    """The end of a `try` that handles interrupts: those that have arrived are raised in it."""

    is_sound = True


class DataDependent(GraphBreak):
    """A question about a size that only the data of a call can answer."""


class EffectBreak(GraphBreak):
    """Python has to run something that has effects outside of the program."""


class Replan(Unsupported):
    """The analysis has to start again, now that more is known."""


class PlanColdArm(Replan):
    """The arm of a branch at `place` (a code object, the index of the branch and of the arm's first
    instruction) stays out of the graph: Python runs the calls that take it."""

    def __init__(self, place: Any, reason: str, location: Any) -> None:
        super().__init__(reason)
        self.place = place
        self.location = location


class PlanSideExit(PlanColdArm):
    """The same for an arm inside of a loop: only the rest of that iteration is Python's."""


class PlanLoop(Replan):
    """What is known now is about the loop at `place` (a code object and the index of an
    instruction): the `plan`, a `LoopPlan`, is what becomes of it."""

    def __init__(self, place: Any, plan: Any) -> None:
        super().__init__(plan.reason or "the loop becomes a node of the graph")
        self.place = place
        self.plan = plan


class PlanRecursion(Replan):
    """The function with this code calls itself so often that it becomes a node of the graph."""

    def __init__(self, code: Any) -> None:
        super().__init__(f"{code.co_qualname} becomes a function of the graph")
        self.code = code


class NotWarm(DynamoError):
    """The analysis of a frame takes longer than the frame ran so far: it is not worth it yet."""


class TooLarge(NotWarm):
    """The graph of a frame becomes too large for what the frame ran so far."""


class OutOfTime(DynamoError):
    """The analysis of a frame has taken as long as it may: it is given up, whatever it is at."""


class FullGraphRequired(DynamoError):
    """`fullgraph=True`, and tracing had to stop; names the user's line and the reason. `record` is
    what was known about the frame until then; `error` is what NumPy raises at that line for these
    types and sizes, where it is known to."""

    def __init__(
        self, message: str, record: Any = None, error: Exception | None = None
    ) -> None:
        super().__init__(message)
        self.record, self.error = record, error


class RecompileLimitExceeded(DynamoError):
    """`fullgraph=True`, and a function has used up its `config.recompile_limit` entries."""


class RecompileForbidden(DynamoError):
    """Inside `no_recompile()` no entry accepted a call; names the guards that failed."""


class NotDifferentiable(DynamoError, TypeError):
    """A derivative that was asked for does not exist, or no rule gives it: which, and where."""


class DataDiffers(DynamoError):
    """Data is not as a graph relies on it to be, so that Python has to run the call. Who computes
    arrays in blocks is told so, with the line."""


class BackendError(DynamoError):
    """A backend could not compile a graph."""


class MarkedDynamicSpecialized(DynamoError):
    """A dimension that `mark_dynamic` names had to be fixed; names the line that asked for it."""


class ValidationError(DynamoError):
    """`config.validate`: a step of reasoning about sizes is wrong, or z3 is missing."""


class DynamoWarning(UserWarning):
    """Something is not as it was meant to be: an error in dynamo_lite, a limit, a request without
    effect. Results are right all the same."""


def defect(error: Exception) -> str:
    """What users are told of an exception that should not have come."""
    return (f"This is a defect of dynamo_lite: {type(error).__name__}. Please report it with the "
            f"traceback that DYNAMO_STRICT=1 shows: {error}")
