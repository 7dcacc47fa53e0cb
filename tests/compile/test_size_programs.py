"""Programs with sizes and counts that follow from a length: two compilations for every length."""
import math

import numpy as np
import pytest
from data_programs import PROGRAMS as DATA_PROGRAMS
from dynamo_lite.backends.registry import lookup_backend
from test_sizes import NUMBERS

import dynamo_lite as dl
from tests.oracle import ROUNDED, check

LENGTHS = (7, 12, 0, 1, 2, 31, 3, 64, 100, 5, 1009, 1)


def pad_to_eights(x):
    return np.pad(x, (0, -len(x) % 8)).reshape(-1, 8).sum(axis=1)


def pad_to_a_power_of_two(x):
    return np.pad(x, (0, (1 << (max(len(x), 1) - 1).bit_length()) - len(x)))


def pad_both_ends(x):
    return np.pad(x, ((len(x) + 1) // 2, len(x) // 2), mode="edge") if len(x) else x


def spectrum(x):
    n = 2 ** math.ceil(math.log2(max(len(x), 1)))
    return np.abs(np.fft.rfft(x, n)), np.fft.fftfreq(len(x) + 1, 0.1)


def windowed(x):
    return x * np.hanning(len(x)), np.blackman(len(x) + 1)


def triangle(x):
    n = len(x) % 40
    rows, columns = np.tril_indices(n)
    packed = np.empty(n * (n + 1) // 2)
    packed[:] = x[rows] * x[columns]
    square = np.zeros((n, n))
    square[np.triu_indices(n, 1)] = 1
    return packed, square, np.tri(n), np.triu_indices(n, -1)[0], np.tril_indices(n, 2)[1]


def square(x):
    k = math.isqrt(len(x))
    return x[: k * k].reshape(k, k).sum(axis=0), np.diag(x[:k], 1)


def histogram(x):
    return np.histogram(x, bins=max(1, int(math.sqrt(len(x)))), range=(0, 1))


def tens(x):
    """Sizes of results that do not follow from those of arguments."""
    return np.histogram(x, bins=10, range=(0, 1)), np.vander(x, 6)


def counted_by_data(x):
    return np.linspace(0, 1, np.count_nonzero(x > 0.5)), np.histogram(x[x > 0.5], 7, (0, 1))


def repeated(x):
    n = len(x) % 20
    return np.repeat(x, 2), np.tile(x, 3), np.repeat(x[:3], n), np.repeat(x[None], n, axis=0)


def resized(x):
    return np.resize(x, 2 * len(x) + 1), np.roll(x, len(x) // 2), np.indices((len(x) % 9, 3))


def parts(x):
    return [part.sum() for part in np.array_split(x, 3)]


def interleaved(x):
    y = np.empty(2 * len(x))
    y[::2], y[1::2] = x, -x
    return y, x[::3], x[::-1][: len(x) // 2], np.flip(x)


def largest(x):
    k = min(5, len(x))
    return np.sort(x)[-k:], np.partition(x, len(x) // 2) if len(x) > 0 else x


def grid(x):
    rows, columns = np.mgrid[: len(x) % 30, : len(x) % 7]
    return rows * columns


PROGRAMS = [
    pad_to_eights, pad_to_a_power_of_two, pad_both_ends, spectrum, windowed, triangle, square,
    histogram, tens, counted_by_data, repeated, resized, parts, interleaved, largest, grid,
]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_two_compilations_serve_every_length(function):
    compiled = dl.compile(function, fullgraph=True)
    for n in LENGTHS:
        check(compiled, function, np.random.default_rng(n).random(n), calls=2, tolerance=ROUNDED)
    branches = function in (pad_both_ends, largest)
    assert len(compiled.entries()) <= 2 + branches
    assert not any(entry.retired for entry in compiled.entries())


def smooth(x):
    return np.lib.stride_tricks.sliding_window_view(x * 2, 3).sum(axis=1)


def through_a_function(x):
    return smooth(x + 1) * 2


def checked(x):
    if len(x) < 3:
        raise ValueError("too short")
    return x * 2


def after_a_check(x):
    return checked(x + 1) + 1


def by_fours(x):
    return (x * 2).reshape(-1, 4).sum(axis=0)


def one_element(x):
    y = x * 2
    return y[3] + 1


def maximum(x):
    return (x * 2).max() + 1


def transformed(x):
    return np.abs(np.fft.fft(x * 2))


REFUSING = [smooth, through_a_function, after_a_check, by_fours, one_element, maximum, transformed]


@pytest.mark.parametrize("function", REFUSING, ids=lambda f: f.__name__)
@pytest.mark.parametrize("lengths", [(8, 12, 2, 0), (0, 2, 8), (2, 8, 0)])
def test_lengths_that_are_refused_leave_the_others_alone(function, lengths):
    """The call that raises breaks the graph for lengths like its own only."""
    compiled = dl.compile(function)
    for n in lengths:
        check(compiled, function, np.ones(n), calls=2)
    before = len(compiled.entries())
    check(compiled, function, np.ones(16))
    assert len(compiled.entries()) == before and compiled.entries()[0].info.record.broke is None


@pytest.mark.parametrize(
    "function", [*PROGRAMS, *DATA_PROGRAMS, *NUMBERS.values()], ids=lambda f: f.__name__
)
def test_only_the_trace_adds_guards(function):
    """Passes, lowering and code generator find the same relations that they leave behind."""
    relations = []

    def watched(graph, inputs):
        before = [*graph.facts.relations]
        entry = lookup_backend("llvm")(graph, inputs)
        relations.append((before, [*graph.facts.relations]))
        return entry

    compiled = dl.compile(function, backend=watched, dynamic=True)
    for n in (9, 20):
        compiled(np.random.default_rng(n).random(n))
    assert relations and all(before == after for before, after in relations)
    for entry in compiled.entries():
        assert all(relation.location is not None for relation in entry.info.shapes.relations)


FROM_THE_END = {
    "from": lambda x, k: x[-k:] * 1,
    "to": lambda x, k: x[:-k] + 1,
    "largest": lambda x, k: np.sort(x)[-min(5, len(x)) :],
    "steps": lambda x, k: (x[-k::2], x[-k::-1], x[-k : len(x) - 1].sum()),
    "difference": lambda x, k: x[k - len(x) :] - 1,
    "from or to": lambda x, k: x[3 - k : 5] * 2,
    "written": lambda x, k: np.copyto((y := x.copy())[-k:], 7) or y,
}


@pytest.mark.parametrize("name", FROM_THE_END)
def test_bounds_that_count_from_the_end(name):
    """Whether a bound is negative is found out in each call where its sign is not known."""
    compiled = dl.compile(FROM_THE_END[name], fullgraph=True)
    for n, k in ((7, 2), (12, 3), (12, 5), (3, 1), (3, 9), (0, 2), (1, 1), (40, 0), (6, -9)):
        check(compiled, FROM_THE_END[name], np.arange(float(n)), k, calls=2)
    assert len(compiled.entries()) <= 3
    assert [entry.bailouts for entry in compiled.entries()] == [0] * len(compiled.entries())


def middle(x):
    y = np.sort(x, axis=0)
    y[10:-10] = 0
    return np.sort(y, axis=0), y


def behind(x):
    y = np.sort(x, axis=0)
    y[7:5, 1:] = x[7:5, 1:] - 1
    y[30:] = -1
    return y


@pytest.mark.parametrize("function", [middle, behind])
def test_parts_that_are_empty_in_short_arrays(function):
    compiled = dl.compile(function, dynamic=True)
    for n in (3000, 0, 1, 3, 9, 10, 11, 19, 20, 21, 22, 2000):
        x = np.random.default_rng(n).random((n, 3))
        assert repr(compiled(x)) == repr(function(x))
