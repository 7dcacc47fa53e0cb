"""Compiled objects on disk by their text, so that equal kernels are compiled once.

A file is named by everything that the machine code depends on.
"""
from __future__ import annotations

import hashlib

from ... import disk
from ..builder.target import Target
from .version import ABI, llvm_version


def key(text: str, target: Target) -> str:
    """The name of the object of `text`: same text, machine level and LLVM."""
    return hashlib.sha256(f"{ABI} {llvm_version()}\n{target}\n{text}".encode()).hexdigest()


def _path(name: str) -> str:
    return f"llvm/{name[:2]}/{name}.o"


def read(name: str) -> bytes | None:
    """The object, or None when there is none that is whole."""
    return disk.read(_path(name))


def write(name: str, code: bytes) -> None:
    """Keep an object; without a directory that can be written nothing is kept."""
    disk.write(_path(name), code)
