"""Ints that loops carry and that are never negative; loops that take digits from one until nothing
is left."""
import re
import signal

import numpy as np
import pytest
from dynamo_lite.backends.llvm.builder.target import host
from dynamo_lite.backends.llvm.objects.compiler import optimised
from dynamo_lite.backends.llvm.objects.compiler_marks import ALL_PASSES, passes_for

import dynamo_lite as dl

from ..oracle import check

TABLE = np.arange(100) * 3 - 50


def bits(x, n):
    total = 0
    for v in x:
        v = int(v)
        while v:
            v &= v - 1
            total += 1
    return total


def bits_of_one(x, n):
    v, count = abs(n) + 1, 0
    while True:
        v = (v - 1) & v
        count += 1
        if v == 0:
            break
    return count, v


def digits(x, n):
    found = []
    for i in range(abs(n)):
        v, total = i * i * 12345, 0
        while v != 0:
            total += v % 10 + int(x[v % 10])
            v //= 10
        found.append(total)
    return found


def halves(x, n):
    v, total = abs(n) << 20, 0
    while v:
        total ^= v
        v >>= 3
    return total


def collatz(x, n):
    v, steps = abs(n) + 27, 0
    while v != 1 and steps < 10_000:
        v = v // 2 if v % 2 == 0 else 3 * v + 1
        steps += 1
    return v, steps


def places(x, n):
    place, total = abs(n) % len(x), 0
    for i in range(500):
        total += int(x[place])
        place = (place * 31 + i) % len(x)
    return total


def becomes_negative(x, n):
    place, total = 5, 0
    for i in range(300):
        total += int(x[place])
        place = 7 - place if i % 3 else (place * 5 + 1) % 10
    return total


def one_of_two(x, n):
    left, right = 3, 11
    for i in range(200):
        left, right = right, left + int(x[i % len(x)]) % 7 - 3
        left, right = left % 50, right % 50 - 10
    return left, right, int(x[right])


PROGRAMS = (
    bits, bits_of_one, digits, halves, collatz, places, becomes_negative, one_of_two,
)  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_results_are_those_of_python(program):
    compiled, positive = dl.compile(program), TABLE + 50
    with dl.config.patch(strict=True):
        for n in (7, 200, -31, 0, 1):
            check(compiled, program, positive.copy(), n)
            if program is not bits:
                check(compiled, program, TABLE.copy(), n)


@pytest.mark.parametrize("start", [2**61 + 1, 2**62 + 1, 2**63 - 1, 2**63 - 29, 2**62, 2**63 - 28])
def test_what_does_not_fit_is_left_to_python(start):
    def program(v):
        steps = 0
        while v != 1:
            v = v // 2 if v % 2 == 0 else 3 * v + 1
            steps += 1
        return steps

    compiled = dl.compile(program)
    for v in (27, start):
        check(compiled, program, v)


def passed_on(caplog, program, *arguments):
    """What LLVM's passes make of the code of a program."""
    with caplog.at_level("DEBUG", logger="dynamo_lite.output_code"), dl.config.patch(cache=False):
        dl.compile(program)(*arguments)
    text = next(one for one in map(str, caplog.messages) if one.startswith(ALL_PASSES))
    return str(optimised(text, host(), passes_for(text)))


def test_bits_are_counted_at_once(caplog):
    assert re.search(r"call .*@llvm\.ctpop", passed_on(caplog, bits, TABLE + 50, 0))


@pytest.mark.parametrize("step", ["bits", "halves"])
def test_python_goes_on_with_a_negative_number_for_ever(step):
    def counted(v):
        total = 0
        while v:
            v &= v - 1
            total += 1
        return total

    def halved(v):
        total = 0
        while v:
            v >>= 1
            total += 1
        return total

    program = counted if step == "bits" else halved
    compiled = dl.compile(program)
    assert compiled(12345) == program(12345)

    def late(number, frame):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(TimeoutError):
            compiled(-12345)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
