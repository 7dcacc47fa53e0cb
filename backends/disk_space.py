"""How much lies on disk: where files get larger together than `config.cache_size_limit`, those that
were not used for longest are removed.

Folders are open: nothing outside of them is removed, whatever lies at a path by now.
"""
from __future__ import annotations

import contextlib
import importlib
import os
import time
from collections.abc import Iterator
from stat import S_ISREG

from ..base.config import config
from ..base.records import NamedTuple

SHARE = 16  # the part of the limit that may be written, or is made free, at a time
OFTEN = 3600  # seconds in which the files are counted once, unless a process writes very much
LOOKED = "looked.lock"  # changed when they were
LOCK = "eviction.lock"
LATER = 60  # seconds by which the clocks of machines that share a folder may differ


class File(NamedTuple):
    """A file that was used last at a time, in nanoseconds; `path` is within the folder."""

    used: int
    size: int
    path: str


class Growth:
    """What this process has written since it last looked at the size of the whole directory."""

    def __init__(self) -> None:
        self.written: int | None = None

    def note(self, folder: int, root: str, size: int) -> None:
        if self.written is None and looked_lately(folder):
            self.written = 0
        self.written = None if self.written is None else self.written + size
        if self.written is None or self.written > config.cache_size_limit // SHARE:
            self.written = 0
            evict(folder, root, config.cache_size_limit)


def looked_lately(folder: int) -> bool:
    """Whether some process has counted the files: of many, that takes longer than compiling."""
    try:
        return 0 <= time.time() - os.stat(LOOKED, dir_fd=folder).st_mtime < OFTEN
    except OSError:
        return False


def files(folder: int) -> Iterator[File]:
    """Everything in an open folder but locks."""
    for place, _, names, at in os.fwalk(dir_fd=folder):
        for name in names:
            with contextlib.suppress(OSError):  # another process has removed it
                status = os.stat(name, dir_fd=at, follow_symlinks=False)
                if S_ISREG(status.st_mode) and not name.endswith(".lock"):
                    path = os.path.normpath(os.path.join(place, name))
                    yield File(status.st_mtime_ns, status.st_size, path)


def evict(folder: int, root: str, limit: int) -> None:
    """Remove what was not used for longest until there is room again; one process at a time."""
    os.close(os.open(LOOKED, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600, dir_fd=folder))
    os.utime(LOOKED, dir_fd=folder)
    if sum(file.size for file in files(folder)) <= limit:
        return
    filelock = importlib.import_module("filelock")
    with contextlib.suppress(filelock.Timeout):
        with filelock.FileLock(os.path.join(root, LOCK), timeout=0, mode=0o600):
            _remove_oldest(folder, limit)


def _remove_oldest(folder: int, limit: int) -> None:
    now = time.time_ns() + LATER * 1_000_000_000
    found = sorted(files(folder), key=lambda file: (min(file.used, now), -file.size))
    total = sum(file.size for file in found)
    for file in found:
        if total <= limit - limit // SHARE:
            break
        with contextlib.suppress(OSError):
            os.unlink(file.path, dir_fd=folder)
            total -= file.size
    for file in found:
        if file.used > now:  # a clock was wrong: from now on it gets older like others
            with contextlib.suppress(OSError):
                os.utime(file.path, dir_fd=folder, follow_symlinks=False)


def clear(folder: int) -> int:
    """Remove every file; how many there were."""
    found = list(files(folder))
    for file in found:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(file.path, dir_fd=folder)
    return len(found)
