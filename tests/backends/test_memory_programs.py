"""Views and writes at random: results, inputs and what shares memory are as in Python.

`fuzz.seeds` says which, and how to repeat those of a test. Most are only rewritten by the passes
and run with NumPy; one of `NATIVE` becomes machine code.
"""
import os
import time

import numpy as np
import pytest
from dynamo_lite.backends.loop_ir.program import Allocate
from dynamo_lite.backends.lowering.lower import lower

import dynamo_lite as dl
from dynamo_lite.ir.passes import optimize

from ..fuzz.seeds import chunks
from ..oracle import differences, outcome
from .memory_programs import program

NATIVE = int(os.environ.get("DYNAMO_FUZZ_NATIVE", "25"))


def rewritten(graph, inputs):
    return optimize(graph)


def problems(function, build, backend="llvm"):
    expected = outcome(function, build())
    return differences(outcome(dl.compile(function, backend=backend), build()), expected)


@pytest.mark.parametrize("seeds", chunks(2000, 100))
def test_random_views_and_writes(seeds):
    wrong = []
    for seed in seeds:
        made = program(seed)
        backend = rewritten if seed % NATIVE else "llvm"
        if found := problems(made.function, made.build, backend):
            wrong.append("\n".join([f"backend {backend}", str(made), *found]))
        dl.reset()
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.parametrize("seeds", chunks(200, 100, daily=50))
def test_calls_that_bail_out_leave_no_trace(seeds):
    """Native code that gives up after it wrote into inputs; Python then does what it does."""
    wrong = []
    for seed in seeds:
        made = program(seed).failing()
        mode = ("warn", "raise", "ignore")[seed % 3]
        with np.errstate(all=mode, under="ignore"):
            if found := problems(made.function, made.build):
                wrong.append("\n".join([f"errstate {mode}", str(made), *found]))
        dl.reset()
    assert not wrong, "\n\n".join(wrong)


COPY_MODES = np._CopyMode.ALWAYS, np._CopyMode.IF_NEEDED, np._CopyMode.NEVER


def array():
    return np.arange(12.0).reshape(3, 4)


@pytest.mark.parametrize("function", [
    lambda x: (x, np.asarray(x), np.ascontiguousarray(x), np.asfortranarray(x)),
    lambda x: (x, x.astype(float, copy=False), x.astype(np.float32, copy=False), x.astype(float)),
    lambda x: (x, np.real(x), x.real, np.atleast_1d(x), np.atleast_2d(x), np.squeeze(x)),
    lambda x: (x[1:], np.array(x[1:], copy=None), np.array(x, copy=False), x[...], x.view()),
    lambda x: [np.array(x, copy=mode) for mode in COPY_MODES[:2]],
    lambda x: [np.asarray(x, np.float64, copy=mode) for mode in COPY_MODES],
    lambda x: np.array(x, np.float32, copy=COPY_MODES[1]),
    lambda x: [x.astype(float, copy=mode) for mode in COPY_MODES[:2]],
    lambda x: (x, np.squeeze(x[:1]), np.broadcast_to(x, (3, 4)), np.reshape(x, (3, 4)), +x),
])
@pytest.mark.parametrize("writes", [False, True])
def test_functions_that_hand_back_their_argument(function, writes):
    def program(x):
        if writes:
            x[0] += 1
        return x.T, *function(x)

    assert not problems(program, lambda: [array()])


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_numbers_that_nobody_reads_are_computed_for_their_reports(shape):
    def program(a):
        made = np.where(a > 2, a, a.T)
        np.sqrt(a - 100)
        np.add(made, made.T, out=made[...])
        made[::-1 if shape else ...] = made * 2

    expected = outcome(program, [np.full(shape, 1.0)])
    assert expected.said
    compiled = dl.compile(program, backend="llvm")
    assert not differences(outcome(compiled, [np.full(shape, 1.0)]), expected)


@pytest.mark.parametrize("array", [
    np.broadcast_to(np.ones(7), (3, 7)), np.broadcast_to(np.ones(7), (2, 7)),
    np.ones((2, 8))[:, :5], np.ones((5, 8))[:, :5], np.ones((2, 1)),
])
@pytest.mark.parametrize("dynamic", [None, True])
def test_arrays_with_one_row_are_contiguous(array, dynamic):
    def program(x):
        part = x[1:]
        return part, np.ascontiguousarray(part)

    expected = outcome(program, [array])
    compiled = dl.compile(program, backend="llvm", dynamic=dynamic)
    for x in np.ones((4, 4)).T, array:
        found = outcome(compiled, [x])
    assert not differences(found, expected)


@pytest.mark.parametrize("write", [
    lambda x: np.place(x, x, x), lambda x: np.place(x, x > 0, x[::-1]),
    lambda x: np.concatenate([x[1:], x[:1]], out=x), lambda x: np.put(x, x, x[::-1], mode="wrap"),
    lambda x: np.putmask(x, x[::-1], x),
    lambda x: np.stack([x[3:6], x[:3]], out=x[:6].reshape(2, 3)),
])
def test_functions_that_read_what_they_write(write):
    def program(x):
        write(x)
        return x + 1

    assert not problems(program, lambda: [np.array([3, -1, 0, 2, 5, -2, 7, 1])])


def test_parts_of_a_split_are_written():
    def program(x):
        first = np.array_split(x, 2)[0]
        np.maximum(first, 3.5, out=first[::-1])
        return first

    assert not problems(program, lambda: [array()])


@pytest.mark.parametrize("dtype", ["f8", "i8", "?", "f4"])
@pytest.mark.parametrize("items", [[1], [1, 0, 2, 3], (5,), [[2], [0], [1]], [True], []])
def test_sequences_are_assigned(dtype, items):
    def program(x):
        x[:2, ::-1] = items[:1]
        x[...] = items
        return x.T

    assert not problems(program, lambda: [array().astype(dtype)])


def test_a_list_of_computed_numbers_is_assigned():
    def program(x):
        x[0, :3] = [x[1, 2], x.sum(), 2]
        return x

    assert not problems(program, lambda: [array()])


@pytest.mark.parametrize("named", [
    {"subok": True}, {"copy": True}, {"copy": None}, {"copy": False}, {"order": "K"},
    {"order": "F"}, {"ndmin": 3},
    {"dtype": "f4"}, {"dtype": "u1", "copy": COPY_MODES[0]}, {"copy": COPY_MODES[2]},
])
def test_numbers_that_are_written_out(named):
    def program(x):
        made = np.array([[1, 2, 3, 4]], **named)
        made += 1
        return made, x + made

    assert not problems(program, lambda: [array()])


def test_masked_calls_convert_what_out_holds():
    def program(x, out):
        return np.add(x, 1, out=out, where=x > 2)

    assert not problems(program, lambda: [np.arange(4), np.full(4, 1j)])
    assert not problems(program, lambda: [np.arange(4), np.array([1.0, np.nan, 2.0, 3.0])])


POSITIONS = (
    [3, -1, 3], [], [10], [0, -11], [[1, 2], [3, 4]],
)  # fmt: skip


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("dtype", ["f8", "i4", "?"])
def test_assignment_at_positions_that_are_data(positions, dtype):
    def program(x, i):
        made = np.zeros(10)
        made[i] = x[i] * 2
        x[i] = 1
        x[::-1][i] += x[i]
        x[0] = 5
        return made, x[::2]

    index = np.array(positions, int)
    assert not problems(program, lambda: [np.arange(10).astype(dtype), index])


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("positions", [[0, 2, 4], [0, 2, 5], [1, 1, 1]])
def test_assignment_at_positions_in_matrices(order, positions):
    def program(x, i):
        x[i, 1:] = x[:3, 1:]
        x[:, i] = 3
        x[0, i] = x[1, :3]
        x[i, i] += 1
        i[:2] = i[1:]
        x.T[i] = 7
        return x[None, i]

    def build():
        return [np.arange(25.0).reshape(5, 5, order=order), np.array(positions)]

    assert not problems(program, build)


def test_values_are_converted_before_the_commit():
    def program(x, i, value):
        x[0] = 9
        x[i] = value
        return x

    large = np.float64(1e300)
    for value in (1e300, large, np.array([large, 1.0]), np.float64(np.nan), np.ones((1, 2))):
        for dtype in ("f4", "f8", "i8"):
            def build(dtype=dtype, value=value):
                return [np.arange(5).astype(dtype), np.array([1, 2]), value]

            assert not problems(program, build)


def test_few_positions_of_a_large_array_take_little_time():
    """The array is not copied: writing to it through an index does not depend on its size."""
    def program(x, i):
        x[i] = 1.0

    x, i = np.zeros(1 << 22), np.arange(5)
    compiled = dl.compile(program, backend="llvm")
    compiled(x, i)
    begin = time.perf_counter()
    for _ in range(20):
        compiled(x, i)
    assert time.perf_counter() - begin < 0.02


def added(x, y):
    x += y


def added_to_a_part(x, y):
    x[1:, ::-1] += y[1:]
    return x * 2


def divided_by_itself(x, y):
    x /= x
    y -= x


def scaled_by_its_sum(x, y):
    x *= x.sum(axis=0)
    y[...] = x.T


def reversed_and_shifted(x, y):
    x += x[::-1]
    y[1:] -= y[:-1]


@pytest.mark.parametrize("program", [
    added, added_to_a_part, divided_by_itself, scaled_by_its_sum, reversed_and_shifted,
])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4", "u1"])
@pytest.mark.parametrize("value", [0, 1, 3, 1e308])
def test_inputs_change_in_place_or_not_at_all(program, dtype, value):
    """Warnings, and exceptions where `np.errstate` asks for them, leave the inputs alone."""
    def build():
        with np.errstate(all="ignore"):
            x = np.full((5, 5), value).astype(dtype)
            return [x, (x * np.arange(5)).astype(x.dtype)]

    with np.errstate(over="ignore", invalid="ignore"):
        assert not problems(program, build)
    with np.errstate(all="raise", under="ignore"):
        assert not problems(program, build)
    assert not problems(program, build)


def test_no_memory_is_needed_to_write_to_an_input():
    programs = []

    def keep(graph, inputs):
        programs.append(lower(optimize(graph)))
        return graph

    dl.compile(added, backend=keep)(np.ones((5, 5)), np.ones((5, 5)))
    assert [s.type.shape for s in programs[0].steps if isinstance(s, Allocate)] == [()]


@pytest.mark.parametrize("dtype", ["f8", "f4", "i2", "?", "c16"])
@pytest.mark.parametrize("columns", [1, 7, 8, 37])
def test_rows_are_looked_up(columns, dtype):
    def program(x, i):
        return x[i], x[i, ::-1], x[i, ::3], np.take(x, i, axis=0), x.T[:, i]

    def build():
        return [np.arange(9 * columns).reshape(9, columns).astype(dtype), np.array([3, -9, 8, 3])]

    assert not problems(program, build)
