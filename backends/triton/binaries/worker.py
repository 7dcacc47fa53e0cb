"""A process that compiles kernels for another one, many at once.

It imports Triton once and forks a process for each kernel that is at work, so that neither the
program nor a second kernel pays for that import. It ends with the program, or after a time without
requests, which are `(number, kernel, aligned, capability)`; an answer is `(number, binary, error)`.
"""
from __future__ import annotations

import ctypes
import os
import signal
import sys
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Lock
from typing import Any, Union

from .binary import Binary
from .compiler import compile_kernel, target

IDLE = 60.0
"""Seconds without a request after which the process ends; a new one is started when needed."""


Answer = tuple[Union[Binary, None], str]


def compiled(kernel: Any, aligned: int, capability: int) -> Answer:
    """A binary, or what Triton says: its exceptions do not all go from process to process."""
    try:
        return compile_kernel(kernel, aligned, target(capability))[0], ""
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"


PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    """Let Linux end this process when its parent has ended, however that was."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def serve(program: Connection, processes: int) -> None:
    lock = Lock()

    def answer(number: int, done: Future[Answer]) -> None:
        with lock:
            program.send((number, *done.result()))

    context = get_context("fork")
    with ProcessPoolExecutor(processes, context, initializer=end_with_parent) as pool:
        while program.poll(IDLE):
            try:
                number, *request = program.recv()
            except EOFError:
                return
            done = pool.submit(compiled, *request)
            done.add_done_callback(lambda done, number=number: answer(number, done))  # type: ignore[misc]


def main(descriptor: str, processes: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is meant for the program
    os.dup2(2, 1)  # what Triton prints is no output of the program
    serve(Connection(int(descriptor)), int(processes))


if __name__ == "__main__":
    main(*sys.argv[1:])
