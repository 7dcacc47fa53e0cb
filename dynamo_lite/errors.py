"""Every exception and warning class of dynamo_lite."""
from __future__ import annotations

from typing import Any


class DynamoError(Exception):
    """Base of every exception that dynamo_lite raises on purpose."""


class Unsupported(DynamoError):
    """Something cannot be compiled exactly; `str()` is the reason. Never reaches the user.

    `operations` is the number of array operations that were traced before, and run in Python.
    """

    operations: int = 0


class GraphBreak(Unsupported):
    """Tracing cannot go on past the current instruction.

    `location` is the user's line, innermost frame first asked; `root_steps` says after how many
    instructions of the root frame the analysis has to stop.
    """

    location: Any = None
    root_steps: int | None = None


class DataDependent(GraphBreak):
    """A question about a size that only the data of a call can answer."""


class FullGraphRequired(DynamoError):
    """`fullgraph=True`, and tracing had to stop; names the user's line and the reason."""


class RecompileLimitExceeded(DynamoError):
    """`fullgraph=True`, and a function has used up its `config.recompile_limit` entries."""


class RecompileForbidden(DynamoError):
    """Inside `no_recompile()` no entry accepted a call; names the guards that failed."""


class BackendError(DynamoError):
    """A backend could not compile a graph."""


class MarkedDynamicSpecialized(DynamoError):
    """A dimension that `mark_dynamic` names had to be fixed; names the line that asked for it."""


class DynamoWarning(UserWarning):
    """Something in dynamo_lite went wrong; the result is right, but it came from plain Python."""
