"""Objects loaded from bytes: they run, they stay mapped while needed, damage is refused."""
from __future__ import annotations

import ctypes
import gc
import platform
import random
import sys
from typing import Any

import numpy as np
import pytest

from dynamo_lite.native import _core

from .machine_code import assemble

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="loads x86-64 ELF objects"
)

# Uses a constant table, a writable counter, a pointer table and functions of the C library.
PROGRAM = """
@table = private constant [4 x double] [double 1.0, double 2.0, double 4.0, double 8.0]
@counter = internal global i64 40
@functions = internal constant [2 x ptr] [ptr @step, ptr @other]
declare double @fmod(double, double)
declare ptr @memcpy(ptr, ptr, i64)

define internal double @step(double %x, i64 %i) noinline {
  %p = getelementptr [4 x double], ptr @table, i64 0, i64 %i
  %t = load volatile double, ptr %p
  %r = fmul double %x, %t
  ret double %r
}
define internal double @other(double %x, i64 %i) noinline {
  %r = call double @fmod(double %x, double 3.0)
  ret double %r
}
define i32 @entry(ptr %f) {
  %x = call ptr @input(ptr %f, i64 0)
  %p = call ptr @data(ptr %x)
  %v = load double, ptr %p
  %old = load volatile i64, ptr @counter
  %new = add i64 %old, 1
  store volatile i64 %new, ptr @counter
  %parity = and i64 %new, 1
  %fp = getelementptr [2 x ptr], ptr @functions, i64 0, i64 %parity
  %fn = load volatile ptr, ptr %fp
  %r = call double %fn(double %v, i64 3)
  %d = call ptr @constant(ptr %f, i64 0)
  %out = call ptr @new_1d(ptr %f, i64 0, ptr %d, i64 1)
  %tmp = alloca double
  store double %r, ptr %tmp
  %ignored = call ptr @memcpy(ptr %out, ptr %tmp, i64 8)
  ret i32 0
}
"""


@pytest.fixture(scope="module")
def program() -> bytes:
    return assemble(PROGRAM)


def load(data: bytes) -> Any:
    symbols = _core.load_object(data)
    descrs = (np.dtype(np.float64),)
    return _core.NativeEntry(symbols["entry"], symbols, 1, 1, 1, (), descrs, True)


def test_a_loaded_object_runs(program: bytes) -> None:
    entry = load(program)
    gc.collect()
    x = np.array([7.0])
    assert [entry(x).item() for _ in range(4)] == [1, 56, 1, 56]


def test_each_load_has_its_own_data(program: bytes) -> None:
    first, second = load(program), load(program)
    x = np.array([7.0])
    assert [first(x).item(), second(x).item(), first(x).item()] == [1, 1, 56]


def test_only_global_symbols_are_exported(program: bytes) -> None:
    symbols = _core.load_object(program)
    assert isinstance(symbols, dict) and list(symbols) == ["entry"]


def mappings() -> int:
    with open("/proc/self/maps") as maps:
        return sum("r-xp 00000000 00:00 0" in line for line in maps)


def test_code_is_unmapped_with_its_owner(program: bytes) -> None:
    load(program)
    before = mappings()
    entries = [load(program) for _ in range(5)]
    assert mappings() > before
    del entries
    gc.collect()
    assert mappings() <= before


def test_code_is_not_writable(program: bytes) -> None:
    symbols = _core.load_object(program)
    with open("/proc/self/maps") as maps:
        for line in maps:
            span, permissions = line.split()[:2]
            start, end = (int(address, 16) for address in span.split("-"))
            if start <= symbols["entry"] < end:
                assert permissions == "r-xp"


def test_unknown_externals_are_refused() -> None:
    assert _core.load_object(assemble("""
        declare i32 @system(ptr)
        define i32 @entry(ptr %f) {
          %r = call i32 @system(ptr null)
          ret i32 %r
        }
    """)) is None


def test_an_object_calls_another_one() -> None:
    kernel = _core.load_object(assemble("define i32 @kernel() { ret i32 7 }"))
    assert kernel is not None
    caller = assemble("""
        declare i32 @kernel()
        define i32 @entry(ptr %f) {
          %r = call i32 @kernel()
          ret i32 %r
        }
    """)
    symbols = _core.load_object(caller, kernel)
    assert symbols is not None
    assert ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(symbols["entry"])(None) == 7
    unusable: tuple[Any, ...] = ({}, {"kernel": 0}, {"kernel": -1}, {"kernel": "7"})
    assert [_core.load_object(caller, known) for known in unusable] == [None] * len(unusable)
    with pytest.raises(TypeError):
        _core.load_object(caller, None)


def test_thread_local_data_is_refused() -> None:
    assert _core.load_object(assemble("""
        @state = thread_local global i32 1
        define i32 @entry(ptr %f) {
          %r = load volatile i32, ptr @state
          ret i32 %r
        }
    """)) is None


@pytest.mark.parametrize("data", [b"", b"\x7fELF", b"\x7fELF" + bytes(60), bytes(4096)])
def test_what_is_no_object_is_refused(data: bytes) -> None:
    assert _core.load_object(data) is None


def test_only_bytes_are_loaded() -> None:
    with pytest.raises(TypeError):
        _core.load_object("text")


def test_truncated_objects_are_refused(program: bytes) -> None:
    assert [_core.load_object(program[:n]) for n in range(0, len(program), 7)] == [None] * len(
        range(0, len(program), 7)
    )


def test_damaged_objects_never_crash(program: bytes) -> None:
    chance = random.Random(0)
    for _ in range(4000):
        damaged = bytearray(program)
        for _ in range(chance.choice((1, 2, 8))):
            damaged[chance.randrange(len(damaged))] = chance.choice((0, 1, 0x7F, 0x80, 0xFF))
        symbols = _core.load_object(bytes(damaged))
        assert symbols is None or isinstance(symbols, dict)
