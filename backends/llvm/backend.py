"""The LLVM backend: from a graph to one native entry."""
from __future__ import annotations

import importlib
import logging
import time
from collections.abc import Callable, Sequence
from typing import Any

from ...errors import BackendError
from ...ir.facts import graph_facts
from ...ir.graph import Graph
from ...ir.passes import optimize
from ...logs import logger
from ...native import _core
from ..lowering.lower import lower
from ..printing import print_program
from ..program import Program
from . import cache
from .entry import EntryCode, EntryWriter
from .flags import inexact_flags
from .split import split_reductions
from .target import Target, host

OUTPUT_CODE, PERF = logger("output_code"), logger("perf")


def compile_graph(graph: Graph, example_inputs: Sequence[Any]) -> Callable[..., Any]:
    """A native entry: called with the placeholders' values it gives the outputs, or ABANDONED."""
    if foreign := {node.type.library for node in graph.placeholders} - {"numpy"}:
        raise BackendError(f"backend 'llvm' does not take arrays of {', '.join(sorted(foreign))}")
    facts = graph_facts(graph)
    return compile_program(lower(optimize(graph, facts), facts, blas=True))


def compile_program(program: Program, *, single: bool = False) -> _core.NativeEntry:
    """The entry of a lowered program; `single`: it returns its one output bare."""
    target = host()
    program = split_reductions(program)
    code = EntryWriter(program, target).write()
    if OUTPUT_CODE.isEnabledFor(logging.INFO):
        OUTPUT_CODE.info("%s", print_program(program))
        OUTPUT_CODE.debug("%s", code.text)
    address, owner = machine_code(code, target)
    return _core.NativeEntry(
        address,
        owner,
        code.n_inputs,
        code.n_slots,
        code.n_outputs,
        code.constants,
        code.descrs,
        single,
        inexact_flags=inexact_flags(program),
    )


def machine_code(code: EntryCode, target: Target) -> tuple[int, object]:
    """The address of the entry function and what keeps it mapped: from the disk, or compiled."""
    name = cache.key(code.text, target)
    stored = cache.read(name)
    if stored is not None and (found := _loaded(stored)):
        PERF.info("machine code from the disk cache, %d bytes", len(stored))
        return found
    # llvmlite takes long to import, and most processes find everything in the cache
    compiler = importlib.import_module(".compiler", __package__)
    begin = time.perf_counter()
    compiled = stored if stored is not None else compiler.compile_text(code.text, target)
    PERF.info("LLVM took %.1f ms", 1e3 * (time.perf_counter() - begin))
    if stored is None:
        cache.write(name, compiled)
    return _loaded(compiled) or compiler.link(compiled, "entry")


def _loaded(code: bytes) -> tuple[int, object] | None:
    """Map an object without LLVM, where the core can."""
    image = _core.load_object(code)
    if image is None or "entry" not in image:
        return None
    return image["entry"], image
