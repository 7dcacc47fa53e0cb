"""Arms that store the same element of an array: both are computed, and nothing is read that is not
there or stored that Python would not store."""
import ctypes
import mmap

import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check

PAGE = mmap.PAGESIZE


def common_subsequence(x, y):
    table = np.zeros((len(x) + 1, len(y) + 1), dtype=x.dtype)
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            if x[i - 1] == y[j - 1]:
                table[i, j] = table[i - 1, j - 1] + 1
            else:
                table[i, j] = max(table[i - 1, j], table[i, j - 1])
    return table


def of_what_was_read_before(x, y):
    """Conditions on numbers of the loop, in whose arms something is known of them."""
    n, out = len(x), np.zeros(len(x), dtype=x.dtype)
    for i in range(n):
        a = x[i]
        if a < y[i]:
            out[i] = a + y[i]
        else:
            out[i] = out[i - 1] - a
    return out


def behind_what_it_asks(x, y):
    n, out = len(x), np.zeros(len(x), dtype=x.dtype)
    for i in range(n):
        k = int(x[i])
        if 0 <= k and k < n:
            out[i] = y[k] + 1
        else:
            out[i] = y[i] + 2
    return out


def beside_the_ends(x, y):
    n = len(x)
    for i in range(n):
        if i + 1 < n and y[i] > 3:
            y[i] = x[i + 1] + 1
        else:
            y[i] = x[i] + 2
    return y


def reads_what_it_stored(x, y):
    last = 0
    for i in range(len(x)):
        if x[i] > y[i]:
            y[i] = x[i] + last
            last = y[i] - 1
        else:
            y[i] = x[i] - last
            last = y[i - 1] + 1
    return y, last


def two_at_a_time(x, y):
    out = np.zeros((2, len(x)), dtype=x.dtype)
    other = np.zeros(len(x), dtype=x.dtype)
    for i in range(len(x)):
        if x[i] & 1:
            out[0, i] = x[i] + y[i]
            other[i] = y[i] * 3
        else:
            out[0, i] = y[i] - x[i]
            other[i] = x[i] * 5
    return out, other


def of_different_elements(x, y):
    out = np.zeros(len(x), dtype=x.dtype)
    for i in range(len(x) - 1):
        if x[i] & 1:
            out[i] = x[i] + 1
        else:
            out[i + 1] = y[i] + 2
    return out


def stores_twice(x, y):
    for i in range(len(x)):
        if x[i] & 1:
            y[0] = y[0] + x[i]
            y[i] = y[0] + 1
        else:
            y[i] = x[i] + 2
    return y


def overflows(x, y):
    for i in range(len(x)):
        if y[i] & 1:
            y[i] = x[i] * 3
        else:
            y[i] = x[i] - 1
    return y


PROGRAMS = [
    common_subsequence, of_what_was_read_before, behind_what_it_asks, beside_the_ends,
    reads_what_it_stored, two_at_a_time, of_different_elements, stores_twice, overflows,
]  # fmt: skip
each = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)


def numbers(n, dtype, seed=0):
    return np.random.default_rng(seed).integers(0, 9, n).astype(dtype)


@each
@pytest.mark.parametrize("dtype", ["i8", "i4", "i2", "u1"])
def test_as_python(program, dtype):
    compiled = dl.compile(program)
    for n in (40, 41, 57, 1, 0):
        check(compiled, program, numbers(n, dtype), numbers(n, dtype, 1), calls=1)
    check(compiled, program, numbers(50, dtype) * 20, numbers(50, dtype, 1), calls=1)


@each
def test_views_and_the_same_array_twice(program):
    compiled = dl.compile(program)
    x = numbers(80, "i8")
    for arguments in ((x, x), (x[::-1], x), (x[:-1], x[1:]), (x[::2], x[1::2])):
        check(compiled, program, *arguments, calls=1)


@each
def test_at_the_limits_of_integers(program):
    compiled = dl.compile(program)
    for extreme in (np.iinfo("i8").max, np.iinfo("i8").min, np.iinfo("i8").max // 3 + 1):
        for place in (0, 3, 39):
            x, y = numbers(40, "i8"), numbers(40, "i8", 1)
            x[place] = extreme
            check(compiled, program, x, y, calls=1)


def between_closed_pages(array):
    """A copy at the end of pages, with one before and one behind that nobody may read."""
    pages = -(-array.nbytes // PAGE)
    memory = mmap.mmap(-1, (pages + 2) * PAGE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    libc = ctypes.CDLL(None, use_errno=True)
    for place in (start, start + (pages + 1) * PAGE):
        assert libc.mprotect(ctypes.c_void_p(place), PAGE, 0) == 0
    copy = np.frombuffer(memory, array.dtype, len(array), (pages + 1) * PAGE - array.nbytes)
    copy[:] = array
    return copy


@pytest.mark.parametrize("program", [of_what_was_read_before, behind_what_it_asks, beside_the_ends])
@pytest.mark.parametrize("n", [PAGE // 8, 500])
def test_nothing_is_read_that_is_not_there(program, n):
    compiled = dl.compile(program)
    x, y = numbers(n, "i8"), numbers(n, "i8", 1)
    x[::7] = 10**15
    for _ in range(2):
        found = compiled(between_closed_pages(x), between_closed_pages(y))
        assert np.array_equal(found, program(x, y.copy()))


@pytest.mark.parametrize(("program", "chooses"), [
    (common_subsequence, True), (two_at_a_time, True), (behind_what_it_asks, False),
    (of_different_elements, False), (stores_twice, False),
], ids=lambda value: getattr(value, "__name__", str(value)))  # fmt: skip
def test_which_branches_are_choices(program, chooses, caplog):
    with caplog.at_level("DEBUG", logger="dynamo_lite.output_code"), dl.config.patch(cache=False):
        dl.compile(program)(numbers(40, "i8"), numbers(40, "i8", 1))
    assert ("if n" not in caplog.text) == chooses
