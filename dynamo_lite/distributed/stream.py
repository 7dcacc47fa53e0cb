"""`stream`: functions over arrays larger than memory. Dask is imported when it is called."""
from __future__ import annotations

import importlib
from typing import Any

from ..errors import BackendError
from ..runtime.compile import compile

ENGINE = "dynamo_lite.distributed.streaming"


def stream(
    fn: Any = None, *, chunks: Any = None, out: Any = None, memory_limit: Any = None,
    threads: int = 0, progress: bool | None = None, **options: Any,
) -> Any:
    """Compile a function that works through its arrays block by block, on threads.

    The arrays may be NumPy's, memmaps, datasets of Zarr or HDF5, or Dask's. `chunks`: the rows of a
    block, or a tuple with a number for each axis (-1: all of it); without it, blocks are as large
    as caches, threads and `memory_limit` (bytes, or a text such as "1GB") make best. Results are
    arrays in memory, or lie in `out`: an array, memmap, dataset, the name of a new .npy file, or a
    tuple with one for each result; nothing is there before all of it has been computed. `progress`:
    whether to show a bar; on a terminal without being asked. Other options are those of `compile`.
    """
    if fn is None:
        return lambda function: stream(
            function, chunks=chunks, out=out, memory_limit=memory_limit, threads=threads,
            progress=progress, **options)
    if "backend" in options:
        raise TypeError("stream cuts arrays into blocks itself: it takes no backend")
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 0:
        raise ValueError(f"threads is a number of threads, or 0 for all, not {threads!r}")
    engine = loaded()
    engine.check_chunks(chunks)
    backend = engine.Streaming(chunks, out, engine.limit_of(memory_limit), threads, progress)
    return compile(fn, backend=backend, **options)


def loaded() -> Any:
    """The module that streams; BackendError without Dask."""
    try:
        return importlib.import_module(ENGINE)
    except ModuleNotFoundError as error:
        raise BackendError(
            f"stream needs {error.name}: pip install 'dynamo-lite[dask]'") from error
