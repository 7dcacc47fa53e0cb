"""The Triton backend: from a graph of CuPy arrays to a launch plan."""
from __future__ import annotations

import functools
import logging
import operator
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import BuiltinFunctionType, MappingProxyType
from typing import Any

import numpy as np

from ...base.config import config
from ...base.logs import logger
from ...errors import BackendError, Unsupported
from ...ir.control import all_nodes, is_control
from ...ir.facts import graph_facts
from ...ir.graph import Graph
from ...ir.node import Node, SymbolOrigin
from ...ir.passes import optimize
from ...ir.passes.single import in_single
from ...ir.row import Kind, row_of
from ...ir.rules.pointwise import resolve
from ...ir.rules.values import as_type
from ...ir.sizes import product
from ...ir.tree import leaves
from ...ir.types import ArrayType, Form, is_half
from ...native import why_no_cuda
from ..hints import goes_forward, hints_of
from ..loop_ir.loops import Buffer, Kernel
from ..loop_ir.printing import print_program
from ..loop_ir.program import Launch, Program, all_steps
from ..lowering.lower import lower
from ..lowering.state.values import NATIVE as NATIVE_OF_ALL
from ..passes.memory import bytes_made
from .binaries.build import INSTALL
from .devices.device import CuPyDevice, Device, is_installed
from .devices.host import HostDevice
from .devices.host_kernels import HostKernel
from .devices.round_trips import GpuForNumPy
from .devices.transfers import MovedPlan
from .kernels.emit import TritonKernel, emit
from .kernels.merge import merge_kernels
from .kernels.pairs import FORMULAS, PARTS
from .kernels.scalars import TYPES, template_of
from .kernels.split import split_folds
from .plans.fused import with_products
from .plans.places import host_numbers, is_of_numbers, on_one_side, with_numbers
from .plans.plan import PlanWriter
from .plans.replay import Recorder, ReplayedPlan, can_replay

OUTPUT_CODE = logger("output_code")
NATIVE = NATIVE_OF_ALL | TYPES.keys()
"""Element types that kernels have; NumPy runs those that turn out to be of complex numbers."""
LOOPS = frozenset({(name, "c") for name in FORMULAS})


def compile_graph(graph: Graph, example_inputs: Sequence[Any]) -> Callable[..., Any]:
    """A launch plan: called with the placeholders' values it gives the outputs, or BAILOUT."""
    is_moved = config.device == "cuda" and not has_cupy(graph)
    if is_for_host(graph):
        return compile_for(graph, HostDevice(), is_moved)
    if obstacles := why_not_here(graph, () if is_moved else example_inputs):
        raise BackendError(f"backend 'triton' cannot run here: {'; '.join(obstacles)}")
    return compile_for(graph, GpuForNumPy() if is_moved else CuPyDevice(), is_moved)


def has_cupy(graph: Graph) -> bool:
    return any(node.type.library == "cupy" for node in graph.placeholders)


def is_for_host(graph: Graph) -> bool:
    """Whether kernels are to be interpreted, as the settings or Triton's own variable ask."""
    asked = config.interpret or os.environ.get("TRITON_INTERPRET", "") in ("1", "true", "on")
    return asked and not has_cupy(graph)


def compile_for(graph: Graph, device: Device, is_moved: bool = False) -> Callable[..., Any]:
    """The launch plan on a device; Unsupported when a part of the graph has no exact form. With
    `is_moved` it is called with NumPy arrays, whatever the arrays of the device are."""
    facts = graph_facts(graph)
    functional = in_single(optimize(graph, facts), facts)
    for node in () if device.reports else all_nodes(functional):
        if (why := why_not_node(node)) is not None:
            raise Unsupported(why)
    on_host = device.array is np.ndarray
    reason = functools.partial(why_extern, symbols=functional.symbols)
    program = lower(
        functional, facts, blas=on_host, why_extern=reason, native=NATIVE, loops=LOOPS)
    plan = compile_program(program, device)
    if not is_moved:
        return plan
    written = [functional.placeholders.index(node) for node, _ in functional.writes]
    fixed = [i for i, output in enumerate(program.outputs)
             if output.type.form is Form.ARRAY and not output.type.writeable]
    return MovedPlan(plan, device, written, fixed)


def compile_program(program: Program, device: Device) -> LaunchPlan:
    """The launch plan of a lowered program."""
    numbers = host_numbers(replace(program, steps=tuple(on_one_side(program.steps))))
    program = replace(program, steps=tuple(on_one_side(program.steps, numbers)))
    if device.processors > 1:
        program = split_folds(program, device.processors)
    program = merge_kernels(program)
    program, fused = with_products(program) if config.autotune and device.times else (program, {})
    launched = [step.kernel for step in all_steps(program.steps) if isinstance(step, Launch)]
    kernels = {kernel: made_for(kernel, numbers) for kernel in launched
               if all(axis.extent != 0 for axis in kernel.axes)}
    emitted = tuple(one for one in kernels.values() if isinstance(one, TritonKernel))
    device.prepare([kernel.narrow or kernel for kernel in emitted])
    writer = PlanWriter(program, device, kernels, numbers, fused)
    text = writer.write()
    if OUTPUT_CODE.isEnabledFor(logging.INFO):
        OUTPUT_CODE.info("%s", print_program(program))
        for kernel in emitted:
            OUTPUT_CODE.info("%s", kernel.source)
        OUTPUT_CODE.info("%s", text)
    run = writer.function(text)
    if config.cuda_graphs and writer.launches_only and can_replay(program):
        recorder = Recorder(device)
        run = ReplayedPlan(run, writer.function(text, recorder.names), recorder)
    memory = bytes_made(program, hints_of(program.symbols, program.unbacked))
    return LaunchPlan(run, text, (*emitted, *fused.values()), memory)


def made_for(kernel: Kernel, numbers: frozenset[Buffer]) -> TritonKernel | HostKernel:
    """What runs a kernel: the GPU, or NumPy where it is about numbers or has no Triton form."""
    if is_of_numbers(kernel, numbers):
        return HostKernel(kernel)
    try:
        return emit(with_numbers(kernel, numbers))
    except Unsupported as reason:
        return HostKernel(kernel, str(reason))


class LaunchPlan:
    """A compiled graph; `text` is what a call does, `kernels` are those of the GPU, `memory` the
    bytes that a call makes."""

    bails_out = True
    """A call that fails has had no effect and says BAILOUT; nobody need undo anything."""

    def __init__(
        self, run: Callable[..., Any], text: str, kernels: tuple[TritonKernel, ...],
        memory: int = 0,
    ) -> None:
        self.run = run
        self.text = text
        self.kernels = kernels
        self.memory = memory

    def __call__(self, *inputs: Any) -> Any:
        return self.run(*inputs)


# -- what cannot be


def why_not_here(graph: Graph, example_inputs: Sequence[Any]) -> list[str]:
    """Everything that keeps the backend from running these arguments on this machine."""
    obstacles = [why] if (why := why_no_cuda()) is not None else []
    if not is_installed("cupy"):
        obstacles.append(f"CuPy is not installed ({INSTALL})")
    for node, value in zip(graph.placeholders, example_inputs):
        if node.type.form is Form.ARRAY and node.type.library != "cupy":
            kind = type(value)
            obstacles.append(
                f"it takes CuPy arrays, and argument {node.name!r} is a {kind.__module__}."
                f"{kind.__qualname__}: pass cupy.asarray({node.name}), or leave backend= out to "
                "compile for the CPU, or run the kernels in Triton's interpreter with "
                "options={'interpret': True}"
            )
            break
    return obstacles


def why_not_node(node: Node) -> str | None:
    """Why a GPU, which raises no floating-point flags, cannot compute a number; None if it can, or
    for arrays. Checks tell what Python's operators refuse."""
    numbers = [kind for kind in leaves(node.type)
               if isinstance(kind, ArrayType) and kind.form is not Form.ARRAY]
    if not numbers or node.op != "call_function" or is_control(node):
        return None
    row = row_of(node.target)
    is_python = node.target in PYTHON_OPERATORS or (row is not None and row.kind is Kind.EXTERN)
    if is_python or (row is not None and not row.flags):
        return None
    is_float = all(kind.form is Form.PYTHON and kind.dtype == np.float64 for kind in numbers)
    if is_float and row is not None and row.never_reports:
        return None
    return f"{node.name} is a number, of which NumPy may report something and a GPU does not"


PYTHON_OPERATORS = frozenset(
    function for function in vars(operator).values() if isinstance(function, BuiltinFunctionType))


NONE: Mapping[str, SymbolOrigin] = MappingProxyType({})


def why_extern(node: Node, symbols: Mapping[str, SymbolOrigin] = NONE) -> str | None:
    """Why a node is a call of CuPy rather than part of a kernel, or None."""
    row = row_of(node.target)
    if is_control(node) or (row is not None and row.kind is Kind.VIEW):
        return None
    types = [
        kind for kind in leaves((node.type, [_type_of(leaf) for leaf in leaves(node.args)]))
        if isinstance(kind, ArrayType)
    ]  # fmt: skip
    known = {*TYPES, *PARTS}
    if odd := next((kind.dtype for kind in types if kind.dtype not in known), None):
        return f"dtype {odd} has no Triton type"
    is_complex = any(kind.dtype in PARTS for kind in types)
    if is_complex and (why := why_not_complex(node, types, symbols)):
        return why
    if any(is_half(kind.dtype) for kind in types) and (why := why_not_halves(node)):
        return why
    if row is not None and row.kind is Kind.SCAN and node.type.library == "cupy":
        return why_not_scan(node)
    if row is not None and row.kind is Kind.POINTWISE and isinstance(node.target, np.ufunc):
        operands = [as_type(_type_of(value)) for value in node.args[: node.target.nin]]
        loop = resolve(node.target, operands, [None] * node.target.nout)[0]
        is_known = row.name in FORMULAS if loop in PARTS else template_of(row.name, loop)
        if node.target.nout > 1 or not is_known:
            return f"{row.name} of {loop} has no Triton form"
    return None


def why_not_complex(
    node: Node, types: Sequence[ArrayType], symbols: Mapping[str, SymbolOrigin]
) -> str | None:
    """Why a call of complex numbers is not for kernels, or None."""
    row = row_of(node.target)
    is_product = row is not None and row.kind is Kind.SCAN and row.fold != "add"
    if row is None or is_product or row.kind in (Kind.MATMUL, Kind.EXTERN):
        return "products of matrices of complex numbers, and running ones, are the library's"
    if row.kind is Kind.SCAN:
        return None
    if node.type.library == "cupy" or row.formula is None:
        return None
    if not all(goes_forward(kind, symbols) for kind in types):
        return "NumPy has another formula for complex numbers in reverse order"
    return None


LONG_LINE = 65536
FEW_LINES = 128


def why_not_scan(node: Node) -> str | None:
    """Why a running fold is not for a kernel, in which one program has a line, or None."""
    shape = _type_of(node.args[0]).shape
    given = [*node.args[1:2], node.kwargs.get("axis")]
    axis = next((one for one in given if one is not None), None)
    length, lines = product(shape), product(())
    if axis is not None:
        length = shape[axis]
        lines = product(size for dim, size in enumerate(shape) if dim != axis % len(shape))
    is_long = not isinstance(length, int) or length > LONG_LINE
    is_few = isinstance(lines, int) and lines < FEW_LINES
    return "CuPy has all processors work on a long line" if is_long and is_few else None


def why_not_halves(node: Node) -> str | None:
    """Why a call of half precision is not for kernels, which round each number once, or None."""
    row = row_of(node.target)
    if row is None or row.kind in (Kind.SCAN, Kind.MATMUL, Kind.EXTERN):
        return "halves are added up in single precision, or not, as the library does it"
    if row.fold in ("add", "multiply") and node.type.dtype == np.float16:
        return None if node.type.library == "cupy" else "NumPy rounds each sum of halves"
    return None


def _type_of(leaf: Any) -> Any:
    return leaf.type if isinstance(leaf, Node) else leaf
