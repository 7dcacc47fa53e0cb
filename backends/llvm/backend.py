"""The LLVM backend: from a graph to one native entry."""
from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...base import loading, work
from ...base.config import config
from ...base.logs import logger
from ...errors import BackendError
from ...ir.control import all_graphs
from ...ir.facts import RecordedFacts, graph_facts
from ...ir.graph import Graph
from ...native import _core
from ..registry import Unprofitable
from .builder.target import Target, host
from .objects import graph_cache
from .objects.image import Image, Kept

if TYPE_CHECKING:
    from ..loop_ir.program import Program

PERF = logger("perf")
MAKING = [logger(artifact) for artifact in ("output_code", "fusion", "schedule")]
"""What only making a graph's code can tell."""


def compile_graph(graph: Graph, example_inputs: Sequence[Any]) -> Callable[..., Any]:
    """A native entry: called with the placeholders' values it gives the outputs, or BAILOUT."""
    if foreign := {node.type.library for node in graph.placeholders} - {"numpy"}:
        raise BackendError(f"backend 'llvm' does not take arrays of {', '.join(sorted(foreign))}")
    target = replace(host(), math=config.math)
    key = graph_cache.key(graph, target)
    if key is None:
        return loaded(generated(graph, target)[0], graph)
    if not any(log.isEnabledFor(logging.INFO) for log in MAKING):
        if (stored := graph_cache.read(key, graph, graph_facts(graph))) is not None:
            PERF.info("the compiled graph comes from the disk cache")
            return loaded(stored[0], graph, stored[1])
    image, facts = generated(graph, target)
    return loaded(image, graph, graph_cache.write(key, graph, facts.answers, image))


def loaded(image: Image, graph: Graph, kept: Kept | None = None) -> Callable[..., Any]:
    """The entry of an image, marked where Python is as fast."""
    entry = image.load(places=graph_cache.locations(graph), kept=kept)
    return Unprofitable(entry, image.unprofitable) if image.unprofitable else entry


def compile_program(program: Program, *, single: bool = False) -> _core.NativeEntry:
    """The entry of a lowered program; `single`: it returns its one output bare."""
    generate = _generate()
    image: Image = generate.program_image(program, host(), generate.Objects(host()))
    return image.load(single=single)


def generated(graph: Graph, target: Target) -> tuple[Image, RecordedFacts]:
    """The image of a graph, and what was asked about its sizes to make it."""
    facts = RecordedFacts(graph_facts(graph))
    before = {one: one.facts for one in all_graphs(graph)}
    for one in before:
        one.facts = facts
    work.done.generated += 1
    try:
        return _generate().graph_image(graph, facts, target), facts
    finally:
        for one, known in before.items():
            one.facts = known


def _generate() -> Any:
    """The code generator; most processes find everything on disk and never import it."""
    return loading.loaded(".generate", __package__)
