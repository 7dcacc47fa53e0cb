"""`config.jit_dump`: the code of kernels for profilers, read back as perf reads it."""
import ctypes
import os
import struct
import subprocess
import sys

import numpy as np
import pytest
from dynamo_lite.backends.llvm.objects import jit_dump

import dynamo_lite as dl

CODE_LOAD, DEBUG_INFO = 0, 2


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(jit_dump, "FOLDER", str(tmp_path))
    jit_dump.dump_of.cache_clear()
    yield tmp_path
    jit_dump.dump_of.cache_clear()


def several(x):
    return np.exp(x).sum(), np.sort(x) * 2


def records(folder):
    """The kinds, times and contents of the records of the one dump, whose header is checked."""
    (path,) = folder.glob("jit-*.dump")
    data = path.read_bytes()
    magic, version, start, machine, _, pid, time, flags = struct.unpack_from("<IIIIIIQQ", data)
    assert (magic, version, start, flags) == (0x4A695444, 1, 40, 0) and time > 0
    assert machine == {"x86_64": 62, "aarch64": 183}[os.uname().machine]
    assert path.name == f"jit-{pid}.dump"
    while start < len(data):
        kind, size, time = struct.unpack_from("<IIQ", data, start)
        yield kind, time, data[start + 16 : start + size]
        start += size
    assert start == len(data)


def code_of(content):
    """The name, address and code of a function."""
    pid, thread, memory, address, size, number = struct.unpack_from("<IIQQQQ", content)
    name, code = content[40:].split(b"\0", 1)
    assert memory == address and len(code) == size and pid and thread
    return name.decode(), address, code, number


def test_functions_of_kernels_have_names_lines_and_code(folder):
    with dl.config.patch(jit_dump=True):
        compiled = dl.compile(several)
        compiled(np.random.rand(1000))
    found = [*records(folder)]
    loads = [code_of(content) for kind, _, content in found if kind == CODE_LOAD]
    lines = [content for kind, _, content in found if kind == DEBUG_INFO]
    assert [kind for kind, *_ in found] == [DEBUG_INFO, CODE_LOAD] * len(loads)
    assert any("kernel" in name and "several" in name for name, *_ in loads)
    assert sum(name.startswith("entry of ") for name, *_ in loads) == 1
    assert [number for *_, number in loads] == [*range(len(loads))]
    assert all(ctypes.string_at(address, len(code)) == code for _, address, code, _ in loads)
    times = [time for _, time, _ in found]
    assert times == sorted(times)
    for content, (_, address, *_) in zip(lines, loads):
        assert struct.unpack_from("<QQQII", content) == (
            address, 1, address, several.__code__.co_firstlineno + 1, 0)
        assert content[32:] == __file__.encode() + b"\0"


def test_a_recording_sees_the_file_mapped(folder):
    with dl.config.patch(jit_dump=True):
        dl.compile(several)(np.random.rand(1000))
    (path,) = folder.glob("jit-*.dump")
    maps = [line.split() for line in open("/proc/self/maps") if line.rstrip().endswith(str(path))]
    assert [parts[1] for parts in maps] == ["r-xp"]


FORKS = """
import os, sys
import numpy as np, dynamo_lite as dl
from dynamo_lite.backends.llvm.objects import jit_dump
jit_dump.FOLDER = sys.argv[1]
dl.compile(lambda x: x + 1)(np.ones(100))
if (child := os.fork()) == 0:
    dl.compile(lambda x: x * 3)(np.ones(100))
    os._exit(0)
os.waitpid(child, 0)
"""


def test_a_fork_has_a_file_of_its_own(tmp_path):
    subprocess.run([sys.executable, "-c", FORKS, str(tmp_path)], check=True,
                   env={**os.environ, "DYNAMO_JIT_DUMP": "1", "DYNAMO_COMPILE_UNPROFITABLE": "1"})
    assert len([*tmp_path.glob("jit-*.dump")]) == 2
