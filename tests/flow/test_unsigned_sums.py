"""Sums of small unsigned integers of NumPy's: one check for all that is inside of one."""
import re

import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check


def rule(x, table):
    out = np.zeros(len(x), np.int64)
    for i in range(2, len(x)):
        out[i] = int(4 * x[i] + 2 * x[i - 1] + x[i - 2]) & 7
    return out


def stays_short(x, table):
    out = x.copy()
    for i in range(1, len(x)):
        out[i] = 3 * (x[i] + x[i - 1]) + 1
    return out


def parts_are_used(x, table):
    total = 0
    for i in range(1, len(x)):
        part = x[i] * 2 + x[i - 1]
        total += int(table[part]) if part < len(table) else 1
        whole = part + x[i]
        total += int(whole) - int(part)
    return total


def times_nothing(x, table):
    total = 0
    for i in range(1, len(x)):
        total += int((200 * x[i]) * 0 + x[i - 1])
    return total


def times_data(x, table):
    total = 0
    for i in range(1, len(x)):
        total += int((x[i] + x[i - 1]) * x[0])
    return total


def written_between(x, table):
    for i in range(1, len(x)):
        part = x[i] * 3 + x[i - 1]
        x[i] = 1
        x[i - 1] = part + x[i]
    return x


def in_one_arm(x, table):
    total = 0
    for i in range(1, len(x)):
        part = 5 * x[i]
        if x[i - 1] % 2:
            part = part + x[i - 1]
        total += int(part)
    return total


def many_times(x, table):
    total = 0
    for v in x:
        total += int(((((v * 200 + 1) * 250 + 1) * 250 + 1) * 250 + v) * 255 + 2)
    return total


PROGRAMS = (
    rule, stays_short, parts_are_used, times_nothing, times_data, written_between, in_one_arm,
    many_times,
)  # fmt: skip


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_results_and_warnings_are_those_of_python(program, dtype):
    compiled, table = dl.compile(program), np.arange(50)
    most = int(np.iinfo(dtype).max)
    few = np.arange(40) * 7 % 5
    with dl.config.patch(strict=True):
        check(compiled, program, few.astype(dtype), table)
        for large in (most // 7, most // 7 + 1, most // 4, most // 3, most // 2 + 1, most):
            for place in (2, 20, 39):
                values = few.astype(dtype)
                values[place] = large
                check(compiled, program, values, table, calls=1)


def test_one_check_is_left(caplog):
    with caplog.at_level("DEBUG", logger="dynamo_lite.schedule"), dl.config.patch(cache=False):
        dl.compile(rule)(np.arange(40, dtype=np.uint8) % 5, None)
    assert len(re.findall(r"check .*255", caplog.text)) == 1
