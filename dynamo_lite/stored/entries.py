"""One file for each function: its entries, as far as another process can have them.

An entry is kept as three texts: the guards, the target with the compiled graphs that it calls, and
what is told of it later (lines that asked for guards, what a miss is explained by), which is read
when somebody asks. A file counts for the very code, options and versions that it was made for.
"""
from __future__ import annotations

import marshal
import pickle
from collections.abc import Sequence
from dataclasses import fields
from functools import cache, cached_property
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from ..backends import disk
from ..backends.llvm.objects import graph_cache
from ..backends.llvm.objects.image import Kept
from ..backends.llvm.objects.version import FORMAT, GENERATOR, stamps
from ..base.config import Config, config
from ..base.records import NamedTuple
from ..codegen.bound import Bound
from ..errors import Unsupported
from ..guards.programs.flatten import FlatGuards
from ..guards.shapes.shape_env import ShapeEnv
from ..native import GuardProgram, NativeEntry
from . import guards, references
from .fingerprints import digest, of_code
from .references import Frames, Surroundings

OF_NO_MATTER = frozenset({
    "disable", "strict", "suppress_errors", "recompile_limit", "retire_after", "warm_seconds",
    "compile_share", "trace_seconds", "compile_watched", "cache", "cache_dir", "cache_size_limit",
    "keep_entries", "threads", "logs", "progress_seconds", "perf_map", "jit_dump", "trace",
})  # fmt: skip
"""Settings that change nothing about an entry."""


class Target(NamedTuple):
    """What an entry calls: a compiled graph or a replacement's code, and whether it is the first of
    several parts of a frame."""

    made: Bound | CodeType
    is_driven: bool


class Texts(NamedTuple):
    """What a file has of an entry: `graphs` are the files of compiled graphs, a sum of the key that
    each was kept for, whether it gives its one output bare, and the user's lines in it."""

    guards: bytes
    graphs: tuple[tuple[str, str, bool, bytes], ...]
    target: bytes
    record: bytes
    told: bytes


class Told(NamedTuple):
    """What misses are explained by: the owners of an entry's ops, and its symbols."""

    owners: tuple[Any, ...]
    infos: dict[str, Any]


class KeptEntry:
    """An entry of another process that fits a call of this one; what its `info` is here."""

    def __init__(
        self, texts: Texts, around: Surroundings, ops: tuple[Any, ...], program: GuardProgram
    ) -> None:
        self.around, self.ops, self.program = around, ops, program
        self._told_text = texts.told
        around.graphs += [loaded(*graph) for graph in texts.graphs]
        self.target: Target = references.read(texts.target, around)
        self.fields: Any = references.read(texts.record, around)
        self.record: Any = None

    @cached_property
    def _told(self) -> Told:
        told: Told = references.read(self._told_text, self.around)
        return told

    @property
    def flat(self) -> FlatGuards:
        return FlatGuards(self.program, self.ops, self._told.owners)

    @property
    def shapes(self) -> ShapeEnv:
        shapes = ShapeEnv()
        shapes.infos.update(self._told.infos)
        shapes.hints.update({name: info.hint for name, info in self._told.infos.items()})
        return shapes


def loaded(path: str, sum_of_key: str, single: bool, places: bytes) -> NativeEntry:
    kept = Kept(path, sum_of_key)
    if (image := graph_cache.image_in(kept)) is None:
        raise Unsupported("a compiled graph that is not on disk any more")
    return image.load(single=single, places=pickle.loads(places), kept=kept)


def name_of(function: FunctionType, options: Sequence[Any]) -> str:
    """The file of a function; Unsupported for code that cannot be told in another process."""
    values = tuple((name, getattr(config, name)) for name in settings())
    parts = (PACKAGE, of_code(function.__code__), function.__module__,
             function.__qualname__, values, tuple(options))
    return f"entries/{digest(repr(parts).encode())}.bin"


@cache
def settings() -> tuple[str, ...]:
    return tuple(each.name for each in fields(Config) if each.name not in OF_NO_MATTER)


PACKAGE = digest(marshal.dumps((GENERATOR, sorted(stamps(str(Path(__file__).parents[1])))), FORMAT))
"""This very compiler, taken when it is loaded: any change to a source file makes another one."""


def stored(name: str) -> tuple[Texts, ...]:
    if (content := disk.read(name)) is None:
        return ()
    return tuple(Texts(*each) for each in marshal.loads(content))


def fitting(
    function: FunctionType, frames: Frames, known: Sequence[Texts], flat_args: tuple[Any, ...]
) -> tuple[Texts, KeptEntry] | None:
    """The first of a function's entries that a call meets."""
    for texts in known:
        around = Surroundings(function, frames)
        try:
            ops = guards.read(texts.guards, around, flat_args)
            if (program := guards.fits(ops, around, flat_args)) is not None:
                return texts, KeptEntry(texts, around, ops, program)
        except Unsupported:
            continue
    return None


def texts_of(
    function: FunctionType, frames: Frames, flat: FlatGuards, target: Target, told: Told,
    record: Any,
) -> Texts:
    """An entry as texts; Unsupported where a part of it means nothing in another process."""
    around = Surroundings(function, frames)
    conditions = guards.written(flat, around)
    body = references.written(target, around)
    graphs = tuple(map(_graph, around.graphs))
    return Texts(conditions, graphs, body, references.written(record, around, mutable=True),
                 references.written(told, around, mutable=True))


def _graph(graph: NativeEntry) -> tuple[str, str, bool, bytes]:
    if (kept := getattr(graph.owner, "kept", None)) is None:
        raise Unsupported("a compiled graph that is not on disk")
    return *kept, graph.single, pickle.dumps(graph.owner.places)


def keep(name: str, known: Sequence[Texts]) -> None:
    """Write the entries of a function, the newest last."""
    disk.write(name, marshal.dumps(tuple(map(tuple, known)), FORMAT))
