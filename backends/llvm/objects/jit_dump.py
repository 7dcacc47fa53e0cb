"""The machine code of kernels for profilers: `jit-PID.dump`, in the format jitdump, version 1.

With `config.jit_dump`; `perf record -k mono python program.py`, then `perf inject --jit -i
perf.data -o jitted.data` makes an ELF file of each function, which `perf report`, `perf annotate`
and what imports perf's data show with its instructions and the user's line. The format is described
in Linux's `tools/perf/Documentation/jitdump-specification.txt`.
"""
from __future__ import annotations

import ctypes
import functools
import itertools
import mmap
import os
import struct
import threading
import time
from collections.abc import Iterable

from ....base.logs import logger
from .loaded_functions import LoadedFunction

FOLDER = "/tmp"
MAGIC, VERSION = 0x4A695444, 1
HEADER = struct.Struct("<6I2Q")
"""Magic number, version, size of the header, ELF machine, padding, process, time, flags."""
RECORD = struct.Struct("<2IQ")
"""Kind, size with what follows, time."""
LOAD, CODE_LOAD = struct.Struct("<2I4Q"), 0
"""Process, thread, address twice, size, number; then the name and the code."""
LINES, DEBUG_INFO, LINE = struct.Struct("<2Q"), 2, struct.Struct("<Q2I")
"""Address and number of lines; of each its address, line and discriminator, then the file."""
MACHINES = {"x86_64": 62, "aarch64": 183}

LOG = logger("perf")


class Dump:
    """The file of a process, and the mapping of it by which a recording learns of it."""

    def __init__(self, process: int) -> None:
        self.process = process
        self.file = open(f"{FOLDER}/jit-{process}.dump", "w+b")
        machine = MACHINES.get(os.uname().machine, 0)
        self.file.write(HEADER.pack(
            MAGIC, VERSION, HEADER.size, machine, 0, process, time.monotonic_ns(), 0))
        self.file.flush()
        self.numbers = itertools.count()
        self.seen = mmap.mmap(self.file.fileno(), HEADER.size, mmap.MAP_PRIVATE,
                              mmap.PROT_READ | mmap.PROT_EXEC)

    def add(self, function: LoadedFunction) -> None:
        """Its line, if it has one, and its code."""
        address, size, place = function.address, function.size, function.place
        if place is not None:
            line = LINE.pack(address, place.line, 0) + text(place.filename)
            self.write(DEBUG_INFO, LINES.pack(address, 1) + line)
        load = LOAD.pack(self.process, threading.get_native_id(), address, address, size,
                         next(self.numbers))
        self.write(CODE_LOAD, load + text(function.name) + ctypes.string_at(address, size))

    def write(self, kind: int, content: bytes) -> None:
        size = RECORD.size + len(content)
        self.file.write(RECORD.pack(kind, size, time.monotonic_ns()) + content)


def text(value: str) -> bytes:
    return value.encode(errors="replace") + b"\0"


@functools.cache
def dump_of(process: int) -> Dump:
    return Dump(process)


def note(functions: Iterable[LoadedFunction]) -> None:
    try:
        dump = dump_of(os.getpid())
        for function in functions:
            dump.add(function)
        dump.file.flush()
    except OSError as error:
        LOG.error("the code of kernels is not written for profilers: %s", error)
