"""A part of the variants of each test: `pytest --part 2/3`.

Most tests of many variants, such as a list of programs times a list of data, show the same on all
Pythons. Where one Python runs all of them, each other one runs a part, and another part each.
Tests of few variants run whole.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from zlib import crc32

FEW = 8


def chosen(ids: Sequence[str], part: str) -> list[bool]:
    """Of each test, by its id, whether it belongs to a part. It is drawn by the whole id, so that a
    part has variants of all kinds, whichever way the parameters are nested."""
    number, parts = map(int, part.split("/"))
    variants = Counter(map(function_of, ids))
    return [
        variants[function_of(one)] <= FEW or crc32(one.encode()) % parts == number - 1
        for one in ids
    ]


def function_of(test: str) -> str:
    return test.partition("[")[0]
