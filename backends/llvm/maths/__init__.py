"""Elementary functions as inline polynomials over vectors, for float32 and float64."""
from __future__ import annotations

from collections.abc import Callable, Mapping

from ..emit import Value

FUNCTIONS: Mapping[str, Callable[..., Value]] = {}
