"""Polyfills of what `sum` does with floats, to be traced in its place."""
from __future__ import annotations

import math
import sys
from typing import Any

COMPENSATES = sys.version_info >= (3, 12)
"""Whether `sum` of floats adds up what rounding loses, and adds that in the end."""


def plain_sum(values: Any, total: Any) -> Any:
    for value in values:
        total += value
    return total


def compensated_sum(values: Any, total: Any) -> Any:
    """Of floats, by the method of Neumaier (1974) that CPython has from 3.12 on."""
    lost = 0.0
    for value in values:
        more = total + value
        if abs(total) >= abs(value):
            lost += (total - more) + value
        else:
            lost += (value - more) + total
        total = more
    if lost and math.isfinite(lost):
        return total + lost
    return total


float_sum = compensated_sum if COMPENSATES else plain_sum


# -- of numbers from outside, which `sum` itself adds up


def joined(values: Any, value: Any) -> Any:
    return (*values, value)
