"""The entries of a function that earlier processes have kept on disk, and those that it keeps."""
from __future__ import annotations

import logging
import time
from types import FunctionType
from typing import Any

from ..base import logs
from ..base.config import config
from ..base.records import dataclass, field
from ..bytecode.resume import with_code
from ..codegen.bound import Bound, callable_of
from ..codegen.steps import in_steps
from ..errors import Unsupported
from ..guards.programs.flatten import FlatGuards
from ..guards.shapes.dynamic import SizeHistory, any_marks
from ..guards.shapes.shape_env import ShapeEnv
from ..native import CompiledFunction, Entry, drive
from ..stored import entries
from ..stored.entries import KeptEntry, Target, Texts
from .family import Family
from .options import Options
from .reporter import Reporter
from .stats import FrameRecord

DYNAMO = logs.logger("dynamo")
TOLD_WHILE_COMPILING = tuple(map(logs.logger, (
    "bytecode", "dynamic", "fusion", "graph_code", "guards", "output_code", "schedule",
    "side_effects", "trace_source", "validation",
)))  # fmt: skip
"""What only making an entry can tell."""
BACKENDS = ("auto", "llvm")
FIELDS = ("operations", "in_python", "cold_arms", "broke")
"""Those of a record that are kept."""


@dataclass(eq=False, slots=True)
class KeptEntries:
    """Those of one function; `untried` are those on disk that this process does not have."""

    function: FunctionType
    options: Options
    family: Family
    name: str | None = None
    untried: list[Texts] = field(default_factory=list)

    def forget(self) -> None:
        self.name, self.untried = None, []

    def fitting(self, flat_args: tuple[Any, ...]) -> KeptEntry | None:
        """One that a call meets, taken from those on disk."""
        if not may_keep(self.options):
            return None
        if self.name is None:
            self.name = name_of(self.function, self.options)
            self.untried = [*entries.stored(self.name)] if self.name else []
        found = entries.fitting(self.function, self.family, self.untried, flat_args)
        if found is None:
            return None
        texts, entry = found
        self.untried.remove(texts)
        return entry

    def keep(
        self, flat: FlatGuards, shapes: ShapeEnv, target: Target, record: FrameRecord,
        seen: dict[Any, Any],
    ) -> None:
        """Write an entry down, for other processes, where it means the same in those."""
        if not self.name or not may_keep(self.options):
            return
        kept = {name: getattr(record, name) for name in FIELDS}
        with record.stage("keeping"):
            try:
                texts = entries.texts_of(
                    self.function, self.family, flat, target,
                    entries.Told(flat.owners, shapes.infos), (kept, seen))
            except Unsupported as reason:
                DYNAMO.info("%s is not kept on disk: %s", record.name, reason)
                return
            others = [each for each in entries.stored(self.name) if each.guards != texts.guards]
            entries.keep(self.name, [*others, texts][-config.recompile_limit :])


def may_keep(options: Options) -> bool:
    """Whether nobody wants to see entries being made, and nothing that is known of objects of this
    process alone decides about them."""
    is_told = any(log.isEnabledFor(logging.INFO) for log in TOLD_WHILE_COMPILING)
    backend = config.backend if options.backend == "auto" else options.backend
    return (
        config.cache and config.keep_entries and backend in BACKENDS and not is_told
        and not options.is_explained and not config.trace and not config.validate
        and not any_marks()
    )  # fmt: skip


def is_kept(function: FunctionType, options: Options) -> bool:
    """Whether earlier processes have kept entries of a function."""
    name = name_of(function, options) if may_keep(options) else ""
    return bool(name and entries.stored(name))


def name_of(function: FunctionType, options: Options) -> str:
    """The file of a function; nothing where it has none."""
    try:
        return entries.name_of(function, (
            options.dynamic, options.fullgraph, options.settings, options.pure, options.may_raise,
            options.account is None,
        ))  # fmt: skip
    except Unsupported:
        return ""


def restored(
    kept: KeptEntry, function: FunctionType, compiled: CompiledFunction, report: Reporter,
    history: SizeHistory, began: float,
) -> Entry:
    """An entry of another process as one of this; when the search for it `began`."""
    record = report.begins()
    fields, seen = kept.fields
    for name, value in fields.items():
        setattr(record, name, value)
    kept.record = record
    made, is_driven = kept.target
    target = in_steps(callable_of(made if isinstance(made, Bound) else with_code(function, made)))
    history.observations.append(seen)
    entry = compiled.add_entry(kept.program, drive(target) if is_driven else target, kept)
    record.counts = entry.counts
    entry.leaves_arms = bool(record.cold_arms)
    record.stage_seconds["disk"] = time.perf_counter() - began
    report.restored(record)
    return entry
