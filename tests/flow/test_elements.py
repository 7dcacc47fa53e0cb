"""Loops over texts, bytes and long lists of the caller's: their elements are data."""
import numpy as np
import pytest

import dynamo_lite as dl
from benchmarks.part_programs import adler_of_bytes, word_count

from ..oracle import check


def changes(text):
    last, count, vowels = "a", 0, 0
    for i, c in enumerate(text):
        if c != last:
            count += i
        if c in "aeiou":
            vowels += 1
        if c not in ("b", " ", "cc"):
            vowels -= 2
        last = c
    return count, vowels, last


def states(text):
    state, seen = "a", 0
    for c in text:
        if state == "a" and c == " ":
            state = "b"
        elif state == "b" and "a" <= c < "c":
            state, seen = "a", seen + ord(c)
    return state, seen


def common(text):
    other = text[::-1]
    d = np.zeros((len(text) + 1, len(text) + 1), dtype=int)
    for i in range(1, len(text) + 1):
        for j in range(1, len(text) + 1):
            if text[i - 1] == text[j - len(text) - 1]:
                d[i, j] = d[i - 1, j - 1] + 1
            else:
                d[i, j] = max(d[i - 1, j], d[i, j - 1])
    return d[-1, -1], other


def by_index(data):
    crc = 0xFFFF
    for i in range(len(data)):
        crc ^= data[-i]
        for _ in range(8):
            crc = (crc >> 1) ^ 0xA001 if crc & 1 else crc >> 1
    return crc


def squares(values):
    total, positive = 0, 0
    for v, w in zip(values, values):
        total += v * w
        if w > 0:
            positive += 1
    return total, positive


TEXTS = ["ab c" * 20, "be a\n" * 30, "a\u00e9\u65e5 \U0001f600" * 12, "abc", "", "x" * 33]
DATA = [bytes(range(256)), b"ab" * 40, b"", b"\xff"]
NUMBERS = [
    [0.25 * i for i in range(60)], list(range(-40, 40)), (1.5, 2.0) * 20, [1, 2.5] * 20, [],
    [2**70] * 40, [True] * 40, [np.nan] * 40, [np.float64(1)] * 40, ["a"] * 3,
]


@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize("function, values", [
    (word_count, TEXTS), (changes, TEXTS), (states, TEXTS), (common, TEXTS), (adler_of_bytes, DATA),
    (by_index, DATA), (squares, NUMBERS),
], ids=lambda value: getattr(value, "__name__", ""))
def test_elements_of_any(function, values, backend):
    compiled = dl.compile(function, backend=backend, recompile_limit=40)
    for value in values:
        check(compiled, function, value)


@pytest.mark.parametrize("function, first, second", [
    (word_count, TEXTS[0], TEXTS[1]), (changes, TEXTS[0], TEXTS[1]), (states, *TEXTS[:2]),
    (adler_of_bytes, *DATA[:2]), (by_index, *DATA[:2]), (squares, [0.5] * 50, [0.5] * 60),
], ids=lambda value: getattr(value, "__name__", ""))
def test_code_is_for_all_of_them(function, first, second):
    """A second length makes sizes dynamic; nothing else is compiled again."""
    compiled = dl.compile(function, fullgraph=True)
    for value in (first, second, first[:40], second[:35], first[1:]):
        check(compiled, function, value)
    assert dl.stats().recompiles <= 1


def out_of_range(text):
    count = 0
    for i in range(len(text) + 1):
        count += text[i] == "a"
    return count


def changed_meanwhile(values):
    for v in values:
        if v > 30:
            values.append(v - 31)
    return values


def of_other_kinds(text):
    count = 0
    for c in text:
        count += (c == 1) + (c != None) + (c == "ab")  # noqa: E711
    return count


def ordered_by_length(text):
    return [c for c in text if c < "ab"]


@pytest.mark.parametrize("function, value", [
    (out_of_range, "abc" * 20), (changed_meanwhile, list(range(50))), (of_other_kinds, "ab" * 20),
    (ordered_by_length, "abc" * 20),
])
def test_what_python_does(function, value):
    check(dl.compile(function), function, value)
