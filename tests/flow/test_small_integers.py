"""Python ints beside small integers of NumPy's, in loops: promotion, warnings, errors."""
import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check

BYTES = (np.arange(400) * 37 % 256).astype(np.uint8)


def crc16(data, poly=0x8408):
    crc = 0xFFFF
    for b in data:
        byte = 0xFF & b
        for _ in range(8):
            if (crc & 1) ^ (byte & 1):
                crc = (crc >> 1) ^ poly
            else:
                crc >>= 1
            byte >>= 1
    crc = ~crc & 0xFFFF
    return ((crc << 8) | ((crc >> 8) & 0xFF)) & 0xFFFF


def stored(data):
    total = 0
    for i in range(len(data)):
        total = (total * 31 + int(data[i])) % 251
        data[i] = total
        data[i - 1] += total % 3
    return data, total


def pairs(data):
    table = np.zeros((20, 20), np.int32)
    for i in range(18, -1, -1):
        for j in range(i + 1, 20):
            table[i, j] = max(table[i, j], table[i + 1, j - 1] + int(data[i] + data[j] > 200))
    return table


def shifted(data):
    total = 1
    for b in data:
        total = ((total << 5) ^ (total >> 2) ^ int(b)) & 0xFFFFFFFF
    return total, ~total


@pytest.mark.parametrize("function", [crc16, stored, pairs, shifted], ids=lambda f: f.__name__)
@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize("dtype", ["u1", "u2", "i4", "i8", "u8"])
def test_one_graph(function, backend, dtype):
    given = BYTES.astype(dtype)
    if function is pairs:
        given = given // 2
    compiled = dl.compile(function, fullgraph=True, backend=backend)
    with dl.config.patch(strict=True):
        check(compiled, function, given, calls=2)


def too_large(data):
    for i in range(len(data)):
        data[i] = i


def sum_too_large(data):
    for i in range(len(data)):
        data[i] = data[i] + i


def overflowing(data):
    total = data[0]
    for i in range(len(data)):
        total = total + (i & 7)
    return total


def bits_lost(data):
    total = 1
    for b in data:
        total = (total << 3) + int(b)
    return total


def negative_shift(data):
    total = 1
    for b in data:
        total = total << (int(b) - 1)
    return total


def magnitudes(data):
    total = 0
    for b in data:
        total += abs(b)
    return total


@pytest.mark.parametrize("function", [
    too_large, sum_too_large, overflowing, bits_lost, negative_shift, magnitudes,
], ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", ["u1", "i1", "i8"])
def test_what_python_says(function, dtype):
    check(dl.compile(function), function, BYTES.view(np.int8).astype(dtype), calls=2)
