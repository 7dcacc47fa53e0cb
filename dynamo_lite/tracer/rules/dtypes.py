"""What NumPy understands as a dtype."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...base.suppressed import warnings_as
from ...errors import GraphBreak


def as_dtype(value: Any) -> np.dtype:
    """`np.dtype(value)`; what is none NumPy refuses, or warns of, where Python runs the call."""
    try:
        with warnings_as("error"):
            return np.dtype(value)
    except (TypeError, ValueError, Warning) as error:
        raise GraphBreak(f"{value!r} as a dtype: {error}") from None
