"""What each stage of the compiler makes of a program, as text."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from dynamo_lite.backends.hints import hints_of
from dynamo_lite.backends.llvm.builder.target import Target
from dynamo_lite.backends.llvm.entry.writer import write_entry
from dynamo_lite.backends.llvm.kernels.split import split_reductions
from dynamo_lite.backends.loop_ir.printing import print_program
from dynamo_lite.backends.loop_ir.program import Launch, Program, all_steps
from dynamo_lite.backends.lowering.lower import PASSES, likely, lower, lower_steps
from dynamo_lite.backends.triton import backend as triton
from dynamo_lite.backends.triton.kernels.emit import emit, why_not_triton

from dynamo_lite.ir.graph import Graph
from dynamo_lite.ir.passes import optimize

from ..graphs import graph_of

TARGET = Target("x86_64", "Linux", "x86-64-v3", 32, True)
"""The machine that LLVM text is for, whatever this one is."""

Stages = Iterator[tuple[str, str]]


def stages(function: Callable[..., Any], args: tuple[Any, ...]) -> Stages:
    """(stage, text) for all that a compilation makes; a pass that changes nothing is left out."""
    graph = graph_of(function, *args)
    yield "captured", graph.code
    passed: list[tuple[str, Graph]] = []
    functional = optimize(graph, observe=lambda name, result: passed.append((name, result)))
    yield from changes(graph.code, [(name, result.code) for name, result in passed])
    yield from loops(functional)
    yield from triton_kernels(functional)


def changes(before: str, passed: list[tuple[str, str]]) -> Stages:
    for name, text in passed:
        if text != before:
            yield name, text
        before = text


def loops(graph: Graph) -> Stages:
    """Lowered, after each pass over the program, and as text for LLVM."""
    hint, program = hints_of(graph.symbols, likely(graph)), lower_steps(graph, blas=True)
    text = print_program(program)
    yield "lowered", text
    passed = []
    for run in PASSES:
        program = run(program, hint)
        passed.append((run.__name__, print_program(program)))
    yield from changes(text, passed)
    yield "LLVM", llvm_text(program)


def llvm_text(program: Program) -> str:
    return "\n".join(write_entry(split_reductions(program), TARGET).texts)


def triton_kernels(graph: Graph) -> Stages:
    program = lower(graph, why_extern=triton.why_extern)
    for step in all_steps(program.steps):
        if isinstance(step, Launch):
            why = why_not_triton(step.kernel)
            yield "Triton", emit(step.kernel).source if why is None else f"none: {why}"
