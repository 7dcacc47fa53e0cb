"""From a graph to machine code; imported only when a graph has to be compiled."""
from __future__ import annotations

import importlib
import logging
import time
from dataclasses import replace

from ...ir.facts import Facts
from ...ir.graph import Graph
from ...ir.passes import optimize
from ...logs import logger
from ...native import _core
from ..hints import hints_of
from ..lowering.lower import likely, lower
from ..needless import limited, why_needless
from ..printing import print_program
from ..program import Program
from . import cache
from .entry import EntryWriter
from .flags import inexact_flags, why_extern
from .image import Image
from .preferences import why_numpy
from .split import split_reductions
from .target import Target

OUTPUT_CODE, PERF = logger("output_code"), logger("perf")


def graph_image(graph: Graph, facts: Facts, target: Target) -> Image:
    functional = optimize(graph, facts)
    has_blas = _core.NativeEntry.has_blas
    hint = hints_of(functional.symbols, likely(functional))
    program = lower(
        functional, facts, blas=has_blas,
        why_extern=lambda node: why_extern(node) or why_numpy(node, hint),
    )
    image = program_image(limited(graph, program), target)
    return replace(image, needless=why_needless(graph, program))


def program_image(program: Program, target: Target) -> Image:
    program = split_reductions(program)
    code = EntryWriter(program, target).write()
    if OUTPUT_CODE.isEnabledFor(logging.INFO):
        OUTPUT_CODE.info("%s", print_program(program))
        OUTPUT_CODE.debug("%s", "\n".join(code.texts))
    objects = tuple(machine_code(text, target) for text in code.texts)
    return Image(
        objects, code.n_inputs, code.n_slots, code.n_outputs, code.constants, code.descrs,
        inexact_flags(program),
    )


def machine_code(text: str, target: Target) -> bytes:
    """A relocatable object: from the disk, or compiled."""
    name = cache.key(text, target)
    if (stored := cache.read(name)) is not None:
        PERF.info("machine code from the disk cache, %d bytes", len(stored))
        return stored
    # llvmlite takes long to import, and most processes find everything in the cache
    compiler = importlib.import_module(".compiler", __package__)
    begin = time.perf_counter()
    compiled: bytes = compiler.compile_text(text, target)
    PERF.info("LLVM took %.1f ms", 1e3 * (time.perf_counter() - begin))
    cache.write(name, compiled)
    return compiled
