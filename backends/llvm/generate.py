"""From a graph to machine code; imported only when a graph has to be compiled."""
from __future__ import annotations

import logging
from dataclasses import replace

from ...base.logs import logger
from ...ir.facts import Facts
from ...ir.graph import Graph
from ...ir.passes import optimize
from ...native import _core
from ..hints import hints_of
from ..loop_ir.printing import print_program, print_schedule, summary
from ..loop_ir.program import Program
from ..lowering.lower import likely, lower
from ..unprofitable import limited, why_unprofitable
from .builder import formulas
from .builder.target import Target
from .entry.writer import EntryWriter
from .kernels.flags import inexact_flags, why_extern
from .kernels.split import split_reductions
from .objects.image import Image
from .objects.modules_on_disk import Objects
from .preferences import why_numpy

OUTPUT_CODE, FUSION, SCHEDULE = map(logger, ("output_code", "fusion", "schedule"))


def graph_image(graph: Graph, facts: Facts, target: Target) -> Image:
    objects = Objects(target)
    objects.start()
    functional = optimize(graph, facts)
    has_blas = _core.NativeEntry.has_blas
    hint = hints_of(functional.symbols, likely(functional))
    program = lower(
        functional, facts, blas=has_blas,
        why_extern=lambda node: (
            why_extern(node) or formulas.why_extern(node, target, functional.symbols)
            or why_numpy(node, hint)
        ),
    )
    _tell(functional, program)
    image = program_image(limited(graph, program), target, objects)
    return replace(image, unprofitable=why_unprofitable(graph, program))


def _tell(graph: Graph, program: Program) -> None:
    if FUSION.isEnabledFor(logging.INFO):
        head = f"{len(graph.calls)} operations become {summary(program)}"
        FUSION.info("%s", "\n".join([head, *(f"  {note}" for note in program.notes)]))
    if SCHEDULE.isEnabledFor(logging.INFO):
        SCHEDULE.info("%s", print_schedule(program))


def program_image(program: Program, target: Target, objects: Objects) -> Image:
    program = split_reductions(program)
    code = EntryWriter(program, target, objects.add).write()
    if OUTPUT_CODE.isEnabledFor(logging.INFO):
        OUTPUT_CODE.info("%s", print_program(program))
        OUTPUT_CODE.debug("%s", "\n".join(code.texts))
    return Image(
        objects.all(), code.n_inputs, code.n_slots, code.n_outputs, code.constants, code.descrs,
        inexact_flags(program),
    )
