"""What machine code depends on beside the program: versions of everything that makes or runs it."""
from __future__ import annotations

import marshal
import os
import re
import sys
from _blake2 import blake2b
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from .... import ir
from ....native import _core
from ..builder.target import cpu_features

KNOWN = ("0.46", "0.47", "0.48", "0.49", "0.50")
"""Versions of llvmlite whose functions are those that the core calls (native/llvm_library)."""
FORMAT = 2  # of marshal: the last one in which equal values always give equal bytes
ABI = "9"  # of frames, of the run-time table and of files on disk


@cache
def llvm_version() -> str:
    """llvmlite's own note of its version, read without importing it."""
    spec = find_spec("llvmlite")
    if spec is None or spec.origin is None:
        return ""
    try:
        return Path(spec.origin).with_name("_version.py").read_text()
    except OSError:
        return repr(os.stat(spec.origin).st_mtime_ns)


@cache
def llvm_library() -> str | None:
    """Where llvmlite's library is, if the core knows its functions."""
    spec, version = find_spec("llvmlite"), re.search(r"version = '(\d+\.\d+)", llvm_version())
    if spec is None or spec.origin is None or version is None or version[1] not in KNOWN:
        return None
    return next(map(str, Path(spec.origin).parent.glob("binding/libllvmlite.*")), None)


STAMPS = ("file format", "Python", "NumPy", "llvmlite", "processor", "build of the native core",
          "build of the native core", "version of dynamo_lite's source files")
"""What the parts of `generator()` are."""


def generator() -> str:
    """This very code generator: any change to a source file makes another one.

    Constants are folded by NumPy, whose results depend on what it uses of the processor.
    """
    roots = (*ir.__path__, str(Path(__file__).parents[2]))
    files = sorted(stamp for root in roots for stamp in stamps(root))
    seen = blake2b(marshal.dumps(files, FORMAT), digest_size=16).hexdigest()
    core = os.stat(_core.__file__)
    return repr((
        ABI, sys.implementation.cache_tag, np.__version__, llvm_version(),
        sorted(name for name, is_there in cpu_features.items() if is_there),
        core.st_size, core.st_mtime_ns, seen,
    ))


@cache
def stamps(folder: str) -> tuple[tuple[str, int, int], ...]:
    """The name, size and time of each source file in a folder and those inside of it."""
    found: list[tuple[str, int, int]] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                stat = entry.stat()
                found.append((entry.name, stat.st_size, stat.st_mtime_ns))
            elif entry.is_dir() and entry.name != "__pycache__":
                found += stamps(entry.path)
    return tuple(found)


GENERATOR = generator()
"""Taken when the backend is loaded, so that what an edit leaves behind is never found again."""
