"""Compiled code on disk, whole or absent.

A file is `<sha256 of the content><content>`. It is written under another name and then moved into
place; one that is damaged counts as absent and is replaced.
"""
from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from ..config import config

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


def read(name: str) -> bytes | None:
    """The content of a file (a path relative to the directory), or None when none is whole."""
    if not config.cache:
        return None
    try:
        stored = (directory() / name).read_bytes()
    except OSError:
        return None
    digest, content = stored[:DIGEST], stored[DIGEST:]
    return content if hashlib.sha256(content).digest() == digest else None


def write(name: str, content: bytes) -> None:
    """Keep a file; without a directory that can be written nothing is kept."""
    if not config.cache:
        return
    path = directory() / name
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        try:
            with open(handle, "wb") as file:
                file.write(hashlib.sha256(content).digest() + content)
            os.replace(temporary, path)
        except OSError:
            os.unlink(temporary)
            raise
