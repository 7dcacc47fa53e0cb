"""What every stage of the compiler makes of a few programs, kept as text beside this file.

A change of them is looked at like one of code: `python -m pytest tests/golden --accept` writes what
is made now, and `git diff` shows in what it differs.
"""
import re
from pathlib import Path

import numpy as np
import pytest

from .programs import PROGRAMS
from .stages import stages

FOLDER = Path(__file__).parent
LOCATION = re.compile(r" (?:·|at) \S*programs\.py:\d+ in \w+")


def text_of(name):
    function, args = PROGRAMS[name]
    with np.errstate(all="ignore"):
        parts = [f"== {stage}\n{text.strip()}\n" for stage, text in stages(function, args)]
    return LOCATION.sub("", "\n".join(parts))


@pytest.mark.parametrize("name", PROGRAMS)
def test_stages(name, accept):
    path, found = FOLDER / f"{name}.txt", text_of(name)
    if accept:
        path.write_text(found)
    kept = path.read_text() if path.exists() else ""
    assert found.splitlines() == kept.splitlines(), "see the first lines of this file"


def test_every_text_is_of_a_program():
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(PROGRAMS)
