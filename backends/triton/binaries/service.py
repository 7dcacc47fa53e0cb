"""Kernels are compiled in other processes, many at once, while this one goes on.

One helper (`worker`) serves the whole process. It is started when the first kernel is asked for
that is not on the disk.
"""
from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import Future
from multiprocessing import Pipe

from ....base.config import config
from ....errors import BackendError
from ..kernels.kernels import TritonKernel
from .binary import Binary

MOST = 8
"""Processes at once, unless the settings say otherwise."""


def how_many() -> int:
    return config.compile_processes or min(MOST, len(os.sched_getaffinity(0)))


class Helper:
    """A running helper, and what was asked of it."""

    def __init__(self, processes: int) -> None:
        self.owner = os.getpid()
        self.lock = threading.Lock()
        self.asked: dict[int, Future[Binary]] = {}
        self.count = 0
        self.connection, other = Pipe()
        with other:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", f"{__package__}.worker", str(other.fileno()),
                 str(processes)],
                pass_fds=[other.fileno()], stdin=subprocess.DEVNULL, start_new_session=True,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )  # fmt: skip
        threading.Thread(target=self._listen, name="dynamo_lite-kernels", daemon=True).start()

    @property
    def is_usable(self) -> bool:
        """Not in a forked child, whose answers its parent would get."""
        return self.owner == os.getpid() and self.process.poll() is None

    def ask(self, kernel: TritonKernel, aligned: int, capability: int) -> Future[Binary]:
        """The binary to come; OSError when the helper is gone."""
        with self.lock:
            self.count += 1
            self.connection.send((self.count, kernel, aligned, capability))
            found = self.asked[self.count] = Future()
        return found

    def _listen(self) -> None:
        while True:
            try:
                number, binary, error = self.connection.recv()
            except (EOFError, OSError):
                break
            with self.lock:
                asked = self.asked.pop(number)
            if binary is not None:
                asked.set_result(binary)
            else:
                asked.set_exception(BackendError(f"Triton does not compile a kernel: {error}"))
        self.process.wait()
        with self.lock:
            left, self.asked = self.asked, {}
        for asked in left.values():
            asked.set_exception(OSError("the process that compiles kernels has ended"))


class Service:
    """The helper of this process, made anew when it is gone."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.helper: Helper | None = None

    @property
    def is_running(self) -> bool:
        return self.helper is not None and self.helper.is_usable

    def ask(self, kernel: TritonKernel, aligned: int, capability: int) -> Future[Binary]:
        """The binary to come; OSError where no process can be started."""
        with self.lock:
            if self.helper is None or not self.helper.is_usable:
                self.helper = Helper(how_many())
            return self.helper.ask(kernel, aligned, capability)


SERVICE = Service()
