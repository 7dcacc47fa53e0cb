"""Skipped tests by their reasons; those that `.ci/skips.toml` does not allow fail a run that asks.

`pytest --skips FILE` reads which reasons are allowed how often: a table for each Python, and "any".
A reason stands there as it begins.
"""
from __future__ import annotations

import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

PYTHON = "{}.{}".format(*sys.version_info)


def reasons(reports: list[Any]) -> Counter[str]:
    """How often each reason was given; of a report (file, line, "Skipped: why")."""
    return Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in reports)


def allowed(path: str) -> dict[str, int]:
    """How often each reason may be given on this Python."""
    tables = tomllib.loads(Path(path).read_text())
    return {**tables.get("any", {}), **tables.get(PYTHON, {})}


def excess(found: Counter[str], most: dict[str, int]) -> list[str]:
    """What is skipped more often than allowed, in words."""
    counts = Counter[str]()
    for reason, count in found.items():
        counts[next((known for known in most if reason.startswith(known)), reason)] += count
    return [f"{count} skipped, {most.get(reason, 0)} allowed on Python {PYTHON}: {reason}"
            for reason, count in sorted(counts.items()) if count > most.get(reason, 0)]
