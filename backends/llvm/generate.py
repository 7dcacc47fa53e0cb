"""From a graph to machine code; imported only when a graph has to be compiled."""
from __future__ import annotations

import logging
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
from . import formulas
from .entry import EntryWriter
from .flags import inexact_flags, why_extern
from .image import Image
from .objects import Objects
from .preferences import why_numpy
from .split import split_reductions
from .target import Target

OUTPUT_CODE = logger("output_code")


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
    image = program_image(limited(graph, program), target, objects)
    return replace(image, needless=why_needless(graph, program))


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
