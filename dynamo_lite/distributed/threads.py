"""How tasks run on threads of this process: how many at once, in which order, and with how many
threads of kernels and of BLAS each."""
from __future__ import annotations

import contextlib
import contextvars
import importlib.util
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from dask.callbacks import Callback

from ..base.records import dataclass, field
from ..native import share_threads

WAITING = 2
"""Tasks that each thread has, with the one that it runs: it need not wait for the scheduler, which
is a thread too, before it begins the next."""


@contextlib.contextmanager
def on_threads(count: int) -> Iterator[dict[str, Any]]:
    """What Dask's `compute` is told for it to run on so many threads."""
    pool = ThreadPoolExecutor(count, initializer=share_threads, initargs=(count,))
    try:
        with blas.shared_by(count):
            yield {"scheduler": "threads", "pool": Queues(pool, WAITING * count),
                   "callbacks": [*Callback.active, InOrder().callbacks]}
    finally:
        pool.shutdown(cancel_futures=True)


@dataclass(eq=False, slots=True)
class Queues:
    """An executor that is given more tasks at a time than it has threads."""

    pool: ThreadPoolExecutor
    _max_workers: int

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        """Call it as the caller would: `np.errstate` belongs to the context."""
        return self.pool.submit(contextvars.copy_context().run, function, *arguments)


@dataclass(eq=False, slots=True)
class InOrder:
    """Has tasks that can be begun at the same moment begun in the order in which what they compute
    lies in its array, so that files are read from their beginning to their end.

    Dask's own order among tasks that are alike differs from run to run. Its state has a list of the
    tasks that are ready, the next one last; the first `known` of them stand where they belong.
    """

    known: int = 0

    @property
    def callbacks(self) -> tuple[Callable[..., None] | None, ...]:
        """What Dask calls at the start, with the state, before and after a task, at the end."""
        return (None, lambda graph, state: self.arrange(state),
                lambda key, graph, state: self.count(state),
                lambda key, result, graph, state, worker: self.arrange(state), None)

    def count(self, state: Mapping[str, Any]) -> None:
        self.known = len(state["ready"])

    def arrange(self, state: Mapping[str, Any]) -> None:
        """Put those that have come to be ready in order; they go before all others."""
        ready, readers = state["ready"], state["dependents"]
        if len(ready) > self.known + 1:
            ready[self.known :] = sorted(
                ready[self.known :], key=lambda key: place(key, readers[key]), reverse=True)
        self.count(state)


def place(key: Any, readers: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Where the first of what is computed from a task's result lies, and where the result does."""
    return min(map(indices, readers), default=()), indices(key)


def indices(key: Any) -> tuple[int, ...]:
    """Of the block that a task computes."""
    return tuple(each for each in key[1:] if type(each) is int) if type(key) is tuple else ()


@dataclass(eq=False, slots=True)
class Blas:
    """The threads of the BLAS libraries of this process. Tasks that run side by side share the
    processor: with all its cores for each of them, threads would wait for one another, spinning."""

    lock: Any = field(default_factory=threading.Lock)
    sharing: int = 0
    limits: Any = None

    @contextlib.contextmanager
    def shared_by(self, tasks: int) -> Iterator[None]:
        """As many threads for each of some tasks as the processor has for it; as before when all
        that asked for it are done."""
        self.begin(max(1, (os.cpu_count() or 1) // tasks))
        try:
            yield
        finally:
            self.end()

    def begin(self, threads: int) -> None:
        with self.lock:
            self.sharing += 1
            if self.sharing == 1 and importlib.util.find_spec("threadpoolctl") is not None:
                control = importlib.import_module("threadpoolctl")
                self.limits = control.threadpool_limits(threads, user_api="blas")

    def end(self) -> None:
        with self.lock:
            self.sharing -= 1
            if not self.sharing and self.limits is not None:
                self.limits.unregister()
                self.limits = None


blas = Blas()
