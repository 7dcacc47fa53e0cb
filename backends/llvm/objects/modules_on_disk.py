"""The machine code of modules: from the disk, or made while the next ones are written."""
from __future__ import annotations

import time
from typing import Any

from ....base.loading import loaded
from ....base.logs import logger
from ....native import _core
from ..builder.target import Target
from . import cache
from .compiler_marks import QUICK, passes_for
from .version import llvm_library

PERF = logger("perf")


class Objects:
    """LLVM works in a thread without Python, where llvmlite is one that the core knows; it is
    loaded from `start` on."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.found: list[tuple[str, bytes | None]] = []
        self.compiler: Any = None

    def start(self) -> None:
        """Modules are about to come that are not likely to be on the disk."""
        if (library := llvm_library()) is not None:
            self.compiler = _core.ObjectCompiler(library, self.target.cpu)
        else:
            compiler = loaded(".compiler", __package__)
            self.compiler = compiler.InPython(self.target)

    def add(self, text: str) -> None:
        """A module; compiled where the disk does not have it."""
        name = cache.key(text, self.target)
        stored = cache.read(name)
        self.found.append((name, stored))
        if stored is not None:
            PERF.info("machine code from the disk cache, %d bytes", len(stored))
            return
        if self.compiler is None:
            self.start()
        effort = 0 if text.startswith(QUICK) else 2
        self.compiler.add(text, effort, passes_for(text))

    def all(self) -> tuple[bytes, ...]:
        """Relocatable objects, in the order of their modules."""
        begin = time.perf_counter()
        made = iter(self.compiler.objects() if self.compiler is not None else ())
        PERF.info("LLVM took %.1f ms more", 1e3 * (time.perf_counter() - begin))
        return tuple(
            self._stored(name, next(made)) if stored is None else stored
            for name, stored in self.found
        )

    def _stored(self, name: str, code: bytes) -> bytes:
        cache.write(name, code)
        return code
