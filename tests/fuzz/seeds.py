"""Which seeds the random tests run: the same ones every time.

`DYNAMO_FUZZ_DAY=20261122` adds some that the day chooses, for a job that looks for what nobody has
seen yet: it must not fail who has changed something else. The id of a test is how to repeat it:
`seed=20261122000,count=50` is run again, on any day, by
`DYNAMO_FUZZ_SEED=20261122000 DYNAMO_FUZZ_COUNT=50 python -m pytest TEST`. Where `DYNAMO_FUZZ_SEED`
is given, these seeds are all there are.
"""
from __future__ import annotations

import os
from typing import Any

import pytest

DAY = int(os.environ.get("DYNAMO_FUZZ_DAY", 0)) * 1000
"""Where the day's seeds begin; 0 for none."""


def chunks(always: int, chunk: int, daily: int = 100) -> list[Any]:
    """Ranges of at most `chunk` seeds: `always` many from 0 on and `daily` many of a day, if
    one is given."""
    first, count = (os.environ.get(f"DYNAMO_FUZZ_{name}") for name in ("SEED", "COUNT"))
    begin = int(first or 0)
    wanted = [range(begin, begin + int(count or always))]
    if first is None and DAY:
        wanted.append(range(DAY, DAY + daily))
    return [
        pytest.param(part, id=f"seed={part.start},count={len(part)}")
        for seeds in wanted
        for part in (seeds[at : at + chunk] for at in range(0, len(seeds), chunk))
    ]
