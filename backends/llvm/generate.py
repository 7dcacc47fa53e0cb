"""From a graph to machine code; imported only when a graph has to be compiled."""
from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from ...base.counting import counted
from ...base.logs import logger
from ...ir.facts import Facts
from ...ir.graph import Graph, Location
from ...ir.passes import optimize
from ...native import _core
from ..hints import Hint, hints_of
from ..loop_ir.printing import print_program, print_schedule, summary
from ..loop_ir.products import Product
from ..loop_ir.program import Extern, Launch, Program, Step
from ..lowering.lower import likely, lower
from ..lowering.provenance import operations_of
from ..passes.memory import bytes_made
from ..unprofitable import limited, why_unprofitable
from .builder import formulas
from .builder.target import Target
from .entry.carried_elements import carry_elements
from .entry.late_operands import with_late_operands_last
from .entry.writer import write_entry
from .kernels.flags import inexact_flags, why_extern
from .kernels.split import split_reductions
from .objects.graph_cache import locations
from .objects.image import CountedStep, Image
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
        functional, facts, blas=has_blas, in_order=True, functions=True,
        why_extern=lambda node: (
            why_extern(node) or formulas.why_extern(node, target, functional.symbols)
            or why_numpy(node, hint)
        ),
    )
    _tell(functional, program, hint)
    image = program_image(limited(graph, program), target, objects, numbered(graph), hint)
    return replace(image, unprofitable=why_unprofitable(graph, program))


def _tell(graph: Graph, program: Program, hint: Hint) -> None:
    if FUSION.isEnabledFor(logging.INFO):
        head = f"{counted(len(graph.calls), 'operation')} in {summary(program)}"
        FUSION.info("%s", "\n".join([head, *(f"  {note}" for note in program.notes)]))
    if SCHEDULE.isEnabledFor(logging.INFO):
        SCHEDULE.info("%s\na call makes at most %s bytes of memory",
                      print_schedule(program), f"{bytes_made(program, hint):,}")


def numbered(graph: Graph) -> dict[Location | None, int]:
    """The user's lines in a graph, in the order in which they come up."""
    return {location: number for number, location in enumerate(locations(graph))}


def program_image(
    program: Program, target: Target, objects: Objects,
    places: Mapping[Location | None, int] = MappingProxyType({}), hint: Hint | None = None,
) -> Image:
    hint = hint or hints_of(program.symbols, program.unbacked)
    memory = bytes_made(program, hint)
    program = with_late_operands_last(carry_elements(split_reductions(program)))
    code = write_entry(program, target, objects.add)
    if OUTPUT_CODE.isEnabledFor(logging.INFO):
        OUTPUT_CODE.info("%s", print_program(program))
        OUTPUT_CODE.debug("%s", "\n".join(code.texts))
    steps, flags = counted_steps(program, code.counted, places, hint), inexact_flags(program)
    return Image(  # what could be told while LLVM was at work is told by now
        objects.all(), code.n_inputs, code.n_slots, code.n_outputs, code.constants, code.descrs,
        steps, flags, memory,
    )


def counted_steps(
    program: Program, counted: Sequence[Step], places: Mapping[Location | None, int], hint: Hint,
) -> tuple[CountedStep, ...]:
    """What the numbers stand for that the entry says when it begins a step."""
    done_by = operations_of(program, hint)
    done = [done_by(step) for step in counted]
    told = {
        key: tuple((one.name, places.get(one.location), one.share) for one in operations)
        for key, operations in {id(each): each for each in done}.items()
    }
    return tuple((type(step).__name__, step_name(step), told[id(each)])
                 for step, each in zip(counted, done))


def step_name(step: Step) -> str:
    match step:
        case Launch():
            return step.kernel.name
        case Extern():
            return str(getattr(step.target, "__name__", step.target))
        case Product():
            return step.routine
    return ""
