"""The disk cache: compiled code, whole or absent, and nobody's but this user's.

A file is `<checksum of its name and content><content>`. It is written under another name and then
moved into place, so that processes may share a directory; one that is damaged, or that bears
another one's name, counts as absent and is replaced. What others could have written is not read
(`base.private_files`). Whatever is wrong with the directory, programs run: one line says what
cannot be kept.
"""
from __future__ import annotations

import importlib
import os
import zlib
from pathlib import Path

from ..base import private_files
from ..base.config import config
from ..base.logs import logger
from .disk_space import Growth

FORMAT = "v1"
"""The folder of what this version reads and writes; those of other versions lie beside it."""
HEADER = 16

LOG = logger("cache")
_told: set[tuple[str, str]] = set()
_growth = Growth()


def home() -> Path:
    """`config.cache_dir`, or dynamo_lite's place among the user's cache files."""
    if config.cache_dir:
        return Path(os.path.abspath(config.cache_dir))
    path: Path = importlib.import_module("platformdirs").user_cache_path("dynamo_lite", False)
    if not path.is_absolute():
        raise OSError("this user has no home folder")
    return path


def directory() -> Path:
    """Where the files of this version lie."""
    return home() / FORMAT


def checksum(name: str, content: bytes) -> bytes:
    """Two sums and the length: this is about damage, and hashlib takes milliseconds to import."""
    start = zlib.crc32(name.encode())
    numbers = zlib.crc32(content, start), zlib.adler32(content), len(content)
    return b"".join(n.to_bytes(size, "little") for n, size in zip(numbers, (4, 4, 8)))


def read(name: str) -> bytes | None:
    """The content of a file (a path relative to the directory), or None when none is whole."""
    if not config.cache:
        return None
    try:
        with private_files.opened(str(directory())) as folder:
            stored = private_files.read(folder, name)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        _tell(error)
        return None
    header, content = stored[:HEADER], stored[HEADER:]
    if checksum(name, content) != header:
        LOG.info("%s is damaged, and made anew", name)
        return None
    return content


def write(name: str, content: bytes) -> None:
    """Keep a file; without a directory that can be written nothing is kept."""
    if not config.cache:
        return
    try:
        root = str(directory())
        with private_files.opened(root, make=True) as folder:
            private_files.write(folder, name, checksum(name, content) + content)
            _growth.note(folder, root, len(content))
    except (OSError, ValueError) as error:
        _tell(error)


def why_off() -> str | None:
    """Why nothing is kept on disk, or None where the directory is fit for use."""
    if not config.cache:
        return "config.cache is off"
    try:
        with private_files.opened(str(directory()), make=True) as folder:
            private_files.write(folder, "probe", b"")
            os.unlink("probe", dir_fd=folder)
    except (OSError, ValueError) as error:
        return str(error)
    return None


def _tell(error: Exception) -> None:
    """One line for each directory and reason."""
    place = config.cache_dir or "the cache folder"
    reason = getattr(error, "strerror", None) or str(error)
    if (place, reason) not in _told:
        _told.add((place, reason))
        LOG.error("compiled code is not kept on disk in %s: %s", place, reason)
