"""Compiled code on disk, whole or absent.

A file is `<checksum of the content><content>`. It is written under another name and then moved into
place, so that processes may share a directory; one that is damaged counts as absent and is
replaced. Where the files get larger together than `config.cache_size_limit`, those that were not
used for longest are removed.
"""
from __future__ import annotations

import os
import sys
import threading
import time
import zlib
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG

from ..base.config import config

HEADER = 16
SHARE = 16  # the part of the limit that may be written, or is made free, at a time
PATIENCE = 600  # seconds after which a process that makes room is taken for dead
OFTEN = 3600  # seconds in which the files are counted once, unless a process writes very much
LOOKED = "looked.lock"  # changed when they were
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
    path = directory() / name
    try:
        stored = path.read_bytes()
    except OSError:
        return None
    with suppress(OSError):
        os.utime(path)  # it was used just now
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
        _growth.note(len(content))


class Growth:
    """What this process has written since it last looked at the size of the whole directory."""

    def __init__(self) -> None:
        self.written: int | None = None

    def note(self, size: int) -> None:
        if self.written is None and looked_lately(directory()):
            self.written = 0
        self.written = None if self.written is None else self.written + size
        if self.written is None or self.written > config.cache_size_limit // SHARE:
            self.written = 0
            evict(directory(), config.cache_size_limit)


_growth = Growth()


def looked_lately(root: Path) -> bool:
    """Whether some process has counted the files: of many, that takes longer than compiling."""
    try:
        return 0 <= time.time() - (root / LOOKED).stat().st_mtime < OFTEN
    except OSError:
        return False


def evict(root: Path, limit: int) -> None:
    """Remove what was not used for longest until there is room again.

    One process at a time does so. The lock of one that died is taken over; two at once would only
    remove a little more."""
    lock = root / "eviction.lock"
    try:
        os.close(os.open(lock, NEW, 0o600))
    except FileExistsError:
        if time.time() - lock.stat().st_mtime < PATIENCE:
            return
        os.utime(lock)
    try:
        (root / LOOKED).touch()
        _remove_oldest(root, limit)
    finally:
        lock.unlink(missing_ok=True)


def _remove_oldest(root: Path, limit: int) -> None:
    found = []
    for path in root.rglob("*"):
        with suppress(OSError):  # another process has removed it
            status = path.stat()
            if S_ISREG(status.st_mode) and path.suffix != ".lock":
                found.append((status.st_mtime_ns, status.st_size, path))
    total = sum(size for _, size, _ in found)
    if total <= limit:
        return
    for _, size, path in sorted(found):
        if total <= limit - limit // SHARE:
            break
        with suppress(OSError):
            path.unlink()
            total -= size
