"""What a task runs: the compiled function of its partition, made once a process."""
from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from multiprocessing import parent_process
from typing import Any

import cloudpickle
import numpy as np
from dask.base import tokenize

from ...base.config import config
from ...base.records import dataclass
from ...errors import DataDiffers
from ...ir.graph import Graph
from ...ir.tree import map_leaves
from ...native import CompiledFunction, set_num_threads
from ...runtime.options import Options
from ...runtime.other_data import told
from ..partitions.files import root_of
from ..partitions.sources import Piece
from .definitions import Definition, Gives, Takes, identity
from .packed import packed
from .size_hints import Hints

_runners: dict[str, Runner] = {}
_written: dict[str, BlockFunction] = {}
MOST = 64
"""Functions of blocks that are kept to be sent again."""
_making = threading.Lock()


@dataclass(eq=False, slots=True)
class Content:
    """A definition, written down when it is first sent; what was received is read when needed."""

    definition: Definition | None
    written: bytes = b""

    def __reduce__(self) -> Any:
        self.written = self.written or cloudpickle.dumps(self.definition)
        return Content, (None, self.written)

    def read(self) -> Definition:
        if self.definition is None:
            self.definition = cloudpickle.loads(self.written)
        return self.definition


@dataclass(frozen=True, slots=True)
class BlockFunction:
    """What every task of a partition has, and is sent with.

    `token` tells it from all others; `constants` stand in the place of its last parameters.
    """

    token: str
    content: Content
    constants: tuple[tuple[str, Any], ...] = ()

    def with_constants(self, constants: tuple[tuple[str, Any], ...]) -> BlockFunction:
        if not constants:
            return self
        return BlockFunction(f"{self.token}-{constants}", self.content, constants)

    def __call__(self, *arguments: Any) -> Any:
        runner = _runners.get(self.token)
        return (self.runner() if runner is None else runner)(arguments)

    def runner(self) -> Runner:
        """Of this process, for all tasks of the kind."""
        with _making:
            if self.token not in _runners:
                share_cores()
                definition = self.content.read()
                _runners[self.token] = Runner(
                    definition.compiled(dict(self.constants)), definition.takes, definition.gives,
                    definition.reads_unaligned)
            return _runners[self.token]


@dataclass(frozen=True, slots=True)
class Runner:
    """Takes the arguments of a task apart, and its results; see `Definition`."""

    compiled: CompiledFunction
    takes: tuple[Takes, ...]
    gives: tuple[Gives, ...]
    reads_unaligned: bool

    def __call__(self, arguments: Sequence[Any]) -> Any:
        inputs: list[Any] = []
        for argument, takes in zip(arguments, self.takes):
            inputs += self.inputs(argument, takes)
        return self.results(inputs)

    @property
    def alike(self) -> Callable[[Any], Any]:
        """What blocks go through, for one compiled function to serve for all."""
        return unaligned if self.reads_unaligned else aligned

    def inputs(self, argument: Any, takes: Takes) -> Iterable[Any]:
        """What the compiled function is given for an argument."""
        if type(argument) is Piece:
            return (self.alike(argument.read()),)
        if not takes:
            return (self.alike(argument),)
        if isinstance(takes, tuple):
            return map(self.alike, stacked(argument, *takes))
        return map(self.alike, argument[0].of(argument[1:]))

    def results(self, inputs: Sequence[Any]) -> Any:
        """What a task gives for these."""
        try:
            results = self.compiled(*inputs)
        except DataDiffers as differs:
            raise DataDiffers(told(differs, NO_EXCEPTION)) from None
        results = [*map(compact, results)]
        for result in results:
            with_flags(result)
        if self.gives == ONE:
            return results[0]
        ports = [map_leaves(results.__getitem__, port) for port in self.gives]
        return ports[0] if len(ports) == 1 else tuple(ports)


ONE: tuple[Gives, ...] = (0,)
NO_EXCEPTION = "of arrays in blocks only tasks know that, which do not run the function"


def aligned(value: Any) -> Any:
    """Blocks that came from other processes cannot be written, and lie anywhere in a message: with
    all read-only and aligned, one compiled function serves for all."""
    if type(value) is not np.ndarray:
        return value
    flags = value.flags
    if not flags.aligned:
        value = value.copy(order="K")
    elif flags.writeable:
        value = value.view()
    value.flags.writeable = False
    return value


def unaligned(value: Any) -> Any:
    """The same where it makes no difference to compiled code: all are said not to be aligned."""
    if type(value) is np.ndarray:
        value = value.view()
        value.setflags(write=False, align=False)
    return value


def compact(result: Any) -> Any:
    """A copy, laid out alike, of a view of less than half of a block, all of which would stay in
    memory with it."""
    if type(result) is np.ndarray and 2 * result.nbytes < root_of(result).nbytes:
        return result.copy(order="K")
    return result


def with_flags(result: Any) -> None:
    """Of a view of a block, those of the block itself."""
    if type(result) is not np.ndarray:
        return
    for flag in "writeable", "aligned":
        if not getattr(result.flags, flag):
            with contextlib.suppress(ValueError):
                setattr(result.flags, flag, True)


def share_cores() -> None:
    """In a worker process: as many threads as Dask gives libraries there, where the program does
    not say how many; there is a process for each of the others."""
    given = os.environ.get("OMP_NUM_THREADS", "")
    is_worker = "distributed.worker" in sys.modules and parent_process() is not None
    if is_worker and config.threads == 0 and given.isdecimal():
        set_num_threads(max(1, int(given)))


def stacked(parts: Sequence[Any], fold: int, count: int) -> list[np.ndarray]:
    """The arrays at each place of the tuples for one combination, one above the other."""
    return [np.stack([part[fold][at] for part in parts]) for at in range(count)]


def block_function(
    graph: Graph, name: str, options: Options, takes: tuple[Takes, ...], gives: tuple[Gives, ...],
    hints: Hints, known: str | None = None,
) -> BlockFunction:
    """The function of a finished graph, with its output; `known` is its identity, where that is
    known. A program that is called again sends what was written down for the same graph before."""
    told = repr((takes, gives, hints))
    token: str = tokenize(known or identity(graph), options.backend, options.settings, told)
    if (found := _written.get(token)) is None:
        if len(_written) == MOST:
            _written.clear()
        definition = Definition(name, packed(graph), options, takes, gives, hints)
        found = _written[token] = BlockFunction(token, Content(definition))
    return found
