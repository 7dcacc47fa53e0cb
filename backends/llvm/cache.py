"""Compiled objects on disk, so that a second process needs neither LLVM nor time.

A file is `<sha256 of the object><object>`, named by everything that the machine code depends on.
Files are written whole and then moved into place; one that is damaged counts as absent and is
replaced.
"""
from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path

from ...config import config
from .target import Target

ABI = "1"  # of frames and of the run-time table
DIGEST = 32


def directory() -> Path:
    """`config.cache_dir`, or dynamo_lite's place among the user's cache files."""
    if config.cache_dir:
        return Path(config.cache_dir)
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base, "dynamo_lite")
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home()), "dynamo_lite", "cache")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "dynamo_lite"
    return Path.home() / ".cache" / "dynamo_lite"


@cache
def _generator() -> str:
    return f"{ABI} llvmlite {metadata.version('llvmlite')}"


def key(text: str, target: Target) -> str:
    """The name of the object of `text`: same text, machine level and LLVM."""
    return hashlib.sha256(f"{_generator()}\n{target}\n{text}".encode()).hexdigest()


def _path(name: str) -> Path:
    return directory() / "llvm" / name[:2] / f"{name}.o"


def read(name: str) -> bytes | None:
    """The object, or None when there is none that is whole."""
    if not config.cache:
        return None
    try:
        content = _path(name).read_bytes()
    except OSError:
        return None
    digest, code = content[:DIGEST], content[DIGEST:]
    return code if hashlib.sha256(code).digest() == digest else None


def write(name: str, code: bytes) -> None:
    """Keep an object; without a directory that can be written nothing is kept."""
    if not config.cache:
        return
    path = _path(name)
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        try:
            with open(handle, "wb") as file:
                file.write(hashlib.sha256(code).digest() + code)
            os.replace(temporary, path)
        except OSError:
            os.unlink(temporary)
            raise
