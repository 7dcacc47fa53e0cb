"""Functions over arrays that are larger than memory, block by block on threads of this process."""
from __future__ import annotations

import contextlib
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FunctionType
from typing import Any

import dask
import dask.array as da
import numpy as np
from dask.diagnostics import ProgressBar
from dask.utils import parse_bytes

from ..base.records import dataclass
from ..ir.graph import Graph
from ..ir.tree import leaves, map_leaves
from ..runtime.options import Options
from .block_sizes import bytes_per_block, rows_per_block
from .calls import Blockwise
from .partitions.blocks import in_blocks
from .partitions.sources import SMALL, BlockSource, cut_evenly, explicit, is_dataset
from .threads import on_threads

PLAIN = (np.ndarray, np.memmap)
"""Arrays that are nothing but their elements, as a masked array is not."""


@dataclass(frozen=True, slots=True)
class Streaming:
    """The backend "dask". A call with NumPy's arrays or with files is cut into blocks and computed
    at once; with arrays of Dask's alone its results are lazy.

    `chunks`: rows of a block, or a tuple with a number for each axis; without it, blocks
    are as large as caches, `threads` and the `memory_limit` (bytes, or a text such as "1GB") make
    best.
    Results go into `out`: an array, memmap, dataset, name of a new .npy file, or a tuple of these.
    """

    chunks: Any = None
    out: Any = None
    memory_limit: int | None = None
    threads: int = 0
    progress: bool | None = None

    def __call__(self, graph: Graph, inputs: Sequence[Any]) -> Callable[..., Any]:
        """As a backend: the graph over blocks of its inputs."""
        return graph

    def over_blocks(self, function: FunctionType, options: Options) -> Callable[..., Any]:
        return Streamed(function, options, self)

    @property
    def workers(self) -> int:
        return self.threads or len(os.sched_getaffinity(0))

    def sources(self, arguments: Any) -> dict[int, BlockSource]:
        """The arrays that are cut, by their identity."""
        found = {id(each): each for each in leaves(arguments)
                 if type(each) in PLAIN or is_dataset(each)}
        large = {key: each for key, each in found.items()
                 if each.ndim and each.dtype != object and self.is_cut(each)}
        sizes = [each.dtype.itemsize * math.prod(each.shape) for each in large.values()]
        target = bytes_per_block(sizes, self.workers, self.memory_limit)
        rows = rows_per_block(large.values(), target)
        return {key: BlockSource(each, self.cut(each, rows)) for key, each in large.items()}

    def is_cut(self, array: Any) -> bool:
        return is_dataset(array) or self.chunks is not None or array.nbytes > SMALL

    def cut(self, array: Any, rows: Any) -> tuple[tuple[int, ...], ...]:
        if self.chunks is not None:
            return explicit(array.shape, self.chunks)
        length, *others = array.shape
        return (cut_evenly(length, rows[length]), *((size,) for size in others))

    # -- results

    def computed(self, result: Any) -> Any:
        """The result with arrays in the place of lazy ones, which lie in `out` where that is
        given."""
        lazy = [each for each in leaves(result) if isinstance(each, da.Array)]
        if not lazy:
            return result
        with self.shown(), on_threads(self.workers) as how:
            done = self.stored(lazy, how) if self.out is not None else dask.compute(*lazy, **how)
        by_id = {id(each): value for each, value in zip(lazy, done)}
        return map_leaves(lambda leaf: by_id.get(id(leaf), leaf), result)

    @contextlib.contextmanager
    def shown(self) -> Iterator[None]:
        """A progress bar, on a terminal."""
        wanted = sys.stderr.isatty() if self.progress is None else self.progress
        with ProgressBar(minimum=1.0, out=sys.stderr) if wanted else contextlib.nullcontext():
            yield

    def stored(self, lazy: Sequence[Any], how: Mapping[str, Any]) -> list[Any]:
        places = self.out if isinstance(self.out, tuple) else (self.out,)
        if len(places) != len(lazy):
            raise ValueError(f"the function gives {len(lazy)} arrays, out has {len(places)} places")
        for array, place in zip(lazy, places):
            check(array, place)
        with contextlib.ExitStack() as stack:
            files = [stack.enter_context(staged(place)) for place in places]
            targets = [np.lib.format.open_memmap(file, "w+", array.dtype, array.shape)
                       for file, array in zip(files, lazy)]
            for file in (*files, *(place.filename for place in places if is_mapped(place))):
                reserve(file)
            da.store(list(lazy), targets, lock=False, **how)
            return [delivered(file, target, place)
                    for file, target, place in zip(files, targets, places)]


def check(array: Any, place: Any) -> None:
    """That a place can take a result, before anything is computed."""
    if isinstance(place, str | os.PathLike):
        return
    if tuple(place.shape) != array.shape:
        raise ValueError(f"out has the shape {tuple(place.shape)}, the result {array.shape}")
    if not np.can_cast(array.dtype, place.dtype, "same_kind"):
        raise TypeError(f"a result of {array.dtype} does not go into out of {place.dtype}")


@contextlib.contextmanager
def staged(place: Any) -> Iterator[str]:
    """The name of a file that results are written to first; it goes when something fails."""
    name = place if isinstance(place, str | os.PathLike) else getattr(place, "filename", None)
    folder = os.path.dirname(os.path.abspath(name)) if isinstance(name, str | os.PathLike) else None
    handle, file = tempfile.mkstemp(".npy.part", dir=folder)
    os.close(handle)
    try:
        yield file
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(file)


COPIED = 32 << 20
"""Bytes of a result that are copied at a time."""


def is_mapped(place: Any) -> bool:
    return isinstance(place, np.memmap) and place.filename is not None


def reserve(file: Any) -> None:
    """Have room on the disk for all of a file, or raise OSError: writing into the holes of a mapped
    file on a disk that is full would end the process."""
    with open(file, "r+b") as opened:
        os.posix_fallocate(opened.fileno(), 0, max(1, os.fstat(opened.fileno()).st_size))


def delivered(file: str, written: np.memmap, place: Any) -> Any:
    """The finished result where it belongs: a file by another name, else copied block by block."""
    written.flush()
    if isinstance(place, str | os.PathLike):
        os.replace(file, place)
        return np.lib.format.open_memmap(place, "r")
    if not written.ndim:
        place[...] = written
        return place
    row = max(1, written[:1].nbytes)
    step = max(1, COPIED // row)
    for start in range(0, len(written), step):
        place[start : start + step] = written[start : start + step]
    return place


@dataclass(eq=False, slots=True)
class Streamed:
    """A function over flat arguments, some of which are cut."""

    function: FunctionType
    options: Options
    streaming: Streaming
    run: Blockwise | None = None

    def __call__(self, *flat_args: Any) -> Any:
        if self.run is None:
            self.run = Blockwise(self.function, self.options)
        sources = self.streaming.sources(flat_args)
        given = map_leaves(lambda leaf: sources.get(id(leaf), unmapped(leaf)), flat_args)
        result = map_leaves(self.given_back, self.run(*given))
        if not sources and leaves(flat_args, da.Array) and self.streaming.out is None:
            return result
        return self.streaming.computed(result)

    def given_back(self, leaf: Any) -> Any:
        """What the function gives back of its arguments: the array itself, or its blocks for where
        results go."""
        if not isinstance(leaf, BlockSource):
            return leaf
        return leaf.array if self.streaming.out is None else in_blocks(leaf, leaf.chunks)


def unmapped(leaf: Any) -> Any:
    """A mapped array as a plain one, as tasks get those that are cut."""
    return np.asarray(leaf) if type(leaf) is np.memmap else leaf


def limit_of(text: Any) -> int | None:
    if text is None:
        return None
    if isinstance(text, bool) or not isinstance(text, int | float | str):
        raise TypeError(f"memory_limit is a number of bytes or a text like '1GB', not {text!r}")
    try:
        limit = int(parse_bytes(text))
    except ValueError:
        raise ValueError(f"memory_limit={text!r} is no number of bytes like '1GB'") from None
    if limit <= 0:
        raise ValueError(f"memory_limit={text!r} leaves no memory")
    return limit


def check_chunks(chunks: Any) -> None:
    """That chunks are numbers of elements."""
    for size in chunks if isinstance(chunks, tuple) else (chunks,):
        if size is not None and (isinstance(size, bool) or not isinstance(size, int)
                                 or (size < 1 and size != -1)):
            raise ValueError(f"chunks={chunks!r}: a number of rows, or a tuple with one for each "
                             "axis, -1 for all of it")


DEFAULT = Streaming()
