"""Ints of 64 bits without a sign: what a mask or remainder keeps of longer ones is computed in
loops of the graph, and is Python's int."""
import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check

X = np.round(np.sin(np.arange(50.0) * 5) * 64) / 64
DATA = bytes((7 * i * i + 3) % 256 for i in range(300))
TEXT = "the quick brown fox jumps over the lazy dog" * 3
MASK = 0xFFFFFFFFFFFFFFFF


def fnv(data):
    h = 0xcbf29ce484222325
    for b in data:
        h ^= b
        h = (h * 0x100000001b3) & MASK
    return h


def fnv_in_one_line(data):
    h = 0xcbf29ce484222325
    for b in data:
        h = ((h ^ b) * 0x100000001b3) % 2**64
    return h, h % 10, h >> 60


def congruential(n):
    state, total, seen = 12345, 0.0, []
    for _ in range(n):
        state = (6364136223846793005 * state + 1442695040888963407) % 2**64
        total += state / 2**64
        seen.append(state >> 33)
    return total, state, seen


def xorshift(n):
    x, odd = 88172645463325252, 0
    for _ in range(n):
        x ^= (x << 13) & MASK
        x ^= x >> 7
        x ^= (x << 17) & MASK
        odd += x & 1
    return x, odd


def splitmix(n):
    x, found = 7, 0
    for _ in range(n):
        x = (x + 0x9E3779B97F4A7C15) & MASK
        z = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        found ^= z ^ (z >> 31)
    return found


def rotated(n):
    h, least, most, equal = 1, MASK, 0, 0
    for i in range(n):
        h = (h * 0xC2B2AE3D27D4EB4F + i) & MASK
        h = ((h << 31) | (h >> 33)) & MASK
        if h < least:
            least = h
        if h > most:
            most = h
        if h == i or h != h:
            equal += 1
        if h > 2**63:
            equal += 2
    return h, least, most, equal


def remainders(n):
    h, total = 1, 0
    for i in range(n):
        h = (h * 0xC2B2AE3D27D4EB4F + i) & MASK
        total += h % 10 + h % 1000003 + h % 2**40 + (~h & 0xFF) + (-h & 0xF)
    return total


def murmur(n):
    mixed = 0
    for k in range(n):
        h = k ^ (k >> 16)
        h = (h * 0x85ebca6b) & 0xffffffff
        h ^= h >> 13
        h = (h * 0xc2b2ae35) & 0xffffffff
        mixed = (mixed * 31 + (h << 40) - h) % 2**32
    return mixed


def of_a_text(text):
    h = 5381
    for c in text:
        h = ((h << 5) + h + ord(c)) & 0xFFFFFFFFFF
    return h


def in_branches(n):
    h, steps = 1, 0
    for i in range(n):
        if i % 3 == 0:
            h = (h * 0xC2B2AE3D27D4EB4F) & MASK
        elif i % 3 == 1:
            h = i
        if h & 4:
            h >>= 1
            steps += 1
    return h, steps


class Generator:
    def __init__(self, seed): self.state = seed

    def draw(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & MASK
        return (self.state >> 11) * 2.0**-53


def of_an_object(n):
    source, total = Generator(42), 0.0
    for _ in range(n):
        total += source.draw()
    return total, source.state


def negative(n):
    h = 3
    for i in range(n):
        h = ((h ^ (5 - i)) * 3) & MASK
        h = ((h | (i << 70)) + (i - 50)) % 2**64
    return h


PROGRAMS = [
    (fnv, DATA), (fnv_in_one_line, DATA), (congruential, 200), (xorshift, 200), (splitmix, 200),
    (rotated, 200), (remainders, 100), (murmur, 300), (of_a_text, TEXT), (in_branches, 200),
    (of_an_object, 200), (negative, 100),
]


@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize("program, argument", PROGRAMS)
def test_ints_of_64_bits(program, argument, backend):
    compiled = dl.compile(program, backend=backend)
    check(compiled, program, argument, calls=2)
    assert program is negative or not any(entry.bailouts for entry in compiled.entries())


@pytest.mark.parametrize("program, argument", [one for one in PROGRAMS if one[0] is not negative])
def test_they_are_compiled_as_one_loop(program, argument):
    dl.reset()
    check(dl.compile(program), program, argument, calls=1)
    assert dl.stats().graphs == 1 and not dl.stats().break_reasons


def too_long(n):
    h, sums = 1, 0
    for i in range(n):
        h = (h * 0xC2B2AE3D27D4EB4F + i) & MASK
        sums += h
    return sums, h


def negated(n):
    h = -5
    for i in range(n):
        h = (h * 0xC2B2AE3D27D4EB4F + i) & MASK
    return h


@pytest.mark.parametrize("program", [too_long, negated])
def test_others_are_pythons(program):
    check(dl.compile(program), program, 60, calls=2)
