"""Suppressed warnings: those of code that the compiler runs itself, which no program is to see."""
from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from ..native import filters_version, set_filters_version


@contextmanager
def warnings_as(
    action: Literal["ignore", "error", "always"],
) -> Iterator[list[warnings.WarningMessage]]:
    """Ignore warnings, raise them, or collect them in the list.

    What the program was warned of before stays known: it is not shown again, as it is after
    `warnings.catch_warnings`.
    """
    version = filters_version()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter(action)
            yield caught
    finally:
        set_filters_version(version)
