"""Compiled code on disk, whole or absent.

A file is `<checksum of the content><content>`. It is written under another name and then moved into
place, so that processes may share a directory; one that is damaged counts as absent and is
replaced.
"""
from __future__ import annotations

import os
import sys
import threading
import zlib
from contextlib import suppress
from pathlib import Path

from ..config import config

HEADER = 16
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


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


def checksum(content: bytes) -> bytes:
    """Two sums and the length: this is about damage, and hashlib takes milliseconds to import."""
    numbers = zlib.crc32(content), zlib.adler32(content), len(content)
    return b"".join(n.to_bytes(size, "little") for n, size in zip(numbers, (4, 4, 8)))


def read(name: str) -> bytes | None:
    """The content of a file (a path relative to the directory), or None when none is whole."""
    if not config.cache:
        return None
    try:
        stored = (directory() / name).read_bytes()
    except OSError:
        return None
    header, content = stored[:HEADER], stored[HEADER:]
    return content if checksum(content) == header else None


def write(name: str, content: bytes) -> None:
    """Keep a file; without a directory that can be written nothing is kept."""
    if not config.cache:
        return
    path = directory() / name
    temporary = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}.tmp")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            handle = os.open(temporary, NEW, 0o600)
            with open(handle, "wb") as file:
                file.write(checksum(content) + content)
            os.replace(temporary, path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
