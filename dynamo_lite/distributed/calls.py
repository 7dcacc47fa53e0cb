"""Calls of compiled functions with arrays in blocks.

The function is captured once, on stand-ins: arrays of the same types and sizes that cost no memory.
The guards of that capture hold for the arrays themselves, since nothing but types and sizes is ever
looked at. A call that they let through partitions the graph over the blocks at hand.
"""
from __future__ import annotations

import threading
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from dataclasses import replace
from types import FrameType, FunctionType, TracebackType
from typing import Any, NoReturn

import dask
import dask.array as da
import numpy as np
from dask.base import tokenize

from ..base import logs
from ..base.records import dataclass, field
from ..bytecode.resume import flat_code, with_code
from ..errors import FullGraphRequired, RecompileLimitExceeded, Unsupported
from ..ir.graph import Graph
from ..ir.node import Node
from ..ir.tree import map_leaves
from ..ir.types import Form
from ..native import CompiledFunction
from ..runtime.compile_frame import compiled_function
from ..runtime.options import Options
from ..runtime.stats import FrameRecord, registry
from .fallback import Left
from .partitions.blocks import in_blocks
from .partitions.cuts import Value, outside
from .partitions.expansion import optimized
from .partitions.partition import Scalar
from .partitions.program import Created, Note, NotInBlocks, Program
from .partitions.sources import BlockSource
from .partitions.stand_ins import memory_of, sizes, stand_in
from .rules.elementwise import in_one_block
from .rules.table import rule_for
from .tasks.dask_arrays import Weaver
from .tasks.layers import Layers

FUSION, GRAPH_BREAKS = map(logs.logger, ("fusion", "graph_breaks"))


def is_for_blocks(backend: Any) -> bool:
    """Whether it is the backend that cuts arrays itself."""
    return backend == "dask" or hasattr(backend, "over_blocks")


def check(array: Any) -> None:
    """That blocks of this kind can be computed with."""
    kind = type(getattr(array, "_meta", np.empty(0)))
    if not issubclass(kind, np.ndarray):
        raise TypeError(f"blocks are arrays of NumPy's, not {kind.__module__}.{kind.__qualname__}")
    if array.dtype.hasobject:
        raise TypeError("blocks of Python objects (dtype=object) cannot be computed with: "
                        "convert the array with astype first")
    if any(size != size for size in array.shape):
        raise ValueError("an array has blocks of unknown sizes: "
                         "call its method compute_chunk_sizes() first")


@dataclass(eq=False, slots=True)
class Run:
    """One call: which array each stand-in is of, and what became of it."""

    name: str
    arrays: dict[int, tuple[np.ndarray, Any]] = field(default_factory=dict)
    error: Exception | None = None
    weaver: Weaver | None = None
    notes: Sequence[Note] = ()

    def stand_in_for(self, leaf: Any) -> Any:
        """The stand-in of an array in blocks; anything else is itself."""
        if not isinstance(leaf, da.Array | BlockSource):
            return leaf
        check(leaf)
        made = stand_in(leaf.shape, leaf.dtype)
        self.arrays[id(made)] = made, leaf
        return made

    def array_of(self, leaf: Any) -> Any:
        """The array that a stand-in is of; NotInBlocks for what is made of one before the graph
        begins, as a field of records."""
        if id(leaf) not in self.arrays and isinstance(leaf, np.ndarray) and any(
            memory_of(leaf) is memory_of(made) for made, _ in self.arrays.values()
        ):
            raise NotInBlocks("it reads a part of an array that no operation of a graph gives")
        return self.arrays.get(id(leaf), (None, leaf))[1]


LAZY = frozenset({Form.ARRAY, Form.SCALAR})
"""What may be an array of Dask's; a number of Python's is one that the program goes on with."""
_running: ContextVar[Run] = ContextVar("dynamo_lite_blocks")


@dataclass(eq=False, slots=True)
class Partitioned:
    """What the backend makes of a graph: called with stand-ins, it gives arrays of Dask's."""

    graph: Graph
    options: Options
    token: str
    bails_out: bool = True
    """Not to be undone: it never raises and writes nothing."""

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        run = _running.get()
        try:
            return self.results(run, [*map(run.array_of, inputs)], inputs)
        except Unsupported as declined:
            run.error = NotInBlocks(str(declined))
        except Exception as error:  # which the call raises when it is back from the capture
            run.error = error
        return tuple(None if node.type.form in LAZY else 0 for node in self.graph.outputs)

    def results(
        self, run: Run, arrays: Sequence[Any], inputs: Sequence[Any]
    ) -> tuple[Any, ...]:
        """The outputs of the graph; NotInBlocks where it cannot be one over blocks."""
        token = tokenize(self.token, [*map(named, arrays)])
        layers = Layers(run.name, token, self.options)
        weaver = run.weaver = Weaver(layers)
        program = Program(self.graph, sizes(self.graph, inputs), rule_for, Left(layers),
                          layers.recut)
        results = tuple(in_one_block(each) if isinstance(each, Created) else each
                        for each in program.run([taken(each) for each in arrays]))
        run.notes = program.notes
        if self.graph.writes:
            raise NotInBlocks("it writes into its arguments")
        if not all(isinstance(result, Value) for result in results):
            raise NotInBlocks("a result is a number that the program itself goes on with")
        return tuple(numbers(weaver.woven(program.space.living, results), self.graph.outputs))


def numbers(lazy: Sequence[Any], nodes: Sequence[Node]) -> Sequence[Any]:
    """The results, with those computed that are numbers of Python's: the program goes on with
    them."""
    known = [at for at, node in enumerate(nodes) if node.type.form not in LAZY]
    found = dict(zip(known, dask.compute(*(lazy[at] for at in known)))) if known else {}
    return [nodes[at].type.dtype.type(found[at]).item() if at in found else each
            for at, each in enumerate(lazy)]


def named(value: Any) -> Any:
    """What tells an input from others; files and arrays in memory are not looked through."""
    if isinstance(value, BlockSource):
        return uuid.uuid4().hex
    return value.name if isinstance(value, da.Array) else value


def taken(value: Any) -> Any:
    """An input: an array in blocks, or a number that all tasks are given."""
    if isinstance(value, da.Array):
        whole = {axis: 1 for axis, size in enumerate(value.shape) if size == 1}
        return outside(value.rechunk(whole))  # an axis of one element may have empty blocks
    if isinstance(value, np.ndarray | BlockSource):
        return outside(value)
    return Scalar(value)


def of_program(error: BaseException) -> TracebackType | None:
    """The error's traceback as far as the last line that is not of Dask's own."""
    entries = [*tracebacks(error.__traceback__)]
    while len(entries) > 1 and is_of_dask(entries[-1].tb_frame):
        entries.pop()
        entries[-1].tb_next = None
    return entries[0] if entries else None


def tracebacks(entry: TracebackType | None) -> Iterator[TracebackType]:
    while entry is not None:
        yield entry
        entry = entry.tb_next


def is_of_dask(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] == "dask"


def type_of(leaf: Any) -> Any:
    """What decides, of an argument, which way a function takes: its type, or a flag itself."""
    if isinstance(leaf, bool | str | None):
        return leaf
    return type(leaf), getattr(leaf, "dtype", None), getattr(leaf, "ndim", None)


@dataclass(eq=False, slots=True)
class Blockwise:
    """A function whose arguments may be arrays in blocks, over its flat arguments."""

    function: FunctionType
    options: Options
    flat: FunctionType = field(init=False)
    captured: CompiledFunction = field(init=False)
    record: FrameRecord | None = None
    refusals: Counter[Any] = field(default_factory=Counter)
    """How often arguments of some types were left to Dask."""
    lock: Any = field(default_factory=threading.RLock)
    """While one thread captures the function, others' calls of it run in Python, with stand-ins."""

    def __post_init__(self) -> None:
        self.flat = with_code(self.function, flat_code(self.function.__code__))
        options = replace(self.options, backend=self.compile_graph, fullgraph=True,
                          account=None, pure=True, listener=self.hear)
        self.captured = compiled_function(self.flat, options)

    def compile_graph(self, graph: Graph, inputs: Sequence[Any]) -> Partitioned:
        optimised = optimized(graph)
        backend = "auto" if is_for_blocks(self.options.backend) else self.options.backend
        options = replace(self.options, backend=backend, listener=None, account=None,
                          is_explained=False, fullgraph=False, pure=False)
        return Partitioned(optimised, options, tokenize(str(graph)))

    def __call__(self, *flat_args: Any) -> Any:
        run, types = Run(self.name), tuple(map(type_of, flat_args))
        if not self.is_worth_a_try(types):
            return self.as_dask(flat_args)
        try:
            result = self.in_blocks(run, flat_args)
        except (FullGraphRequired, RecompileLimitExceeded) as refused:
            if self.options.fullgraph:
                raise
            if isinstance(refused, FullGraphRequired) and refused.record is not None:
                self.broke(refused.record)
            if isinstance(refused, FullGraphRequired) and refused.error is not None:
                self.told(f"NumPy raises an error: {refused}")
                self.raises(refused.error, flat_args, refused.record)
            self.refusals[types] += 1
            self.told(f"runs as Dask itself would: {refused}")
            return self.as_dask(flat_args)
        del self.refusals[types]
        if run.weaver is not None:
            self.told("\n".join([*run.weaver.report(), *map(str, run.notes)]))
        return result

    def is_worth_a_try(self, types: Any) -> bool:
        """What was refused is tried again at its second, fourth, eighth call, and so on: what the
        function reads may be another by then."""
        refused = self.refusals[types]
        if not refused or self.options.fullgraph or refused.bit_count() == 1:
            return True
        self.refusals[types] += 1
        return False

    def in_blocks(self, run: Run, flat_args: Any) -> Any:
        """The result as arrays of Dask's; FullGraphRequired where the function is no one graph."""
        given = map_leaves(run.stand_in_for, flat_args)
        with self.lock:
            token, in_python = _running.set(run), self.captured.unfit
            try:
                result = self.captured(*given)
            finally:
                _running.reset(token)
            if self.captured.unfit > in_python:
                raise FullGraphRequired("no graph of it fits, and none may be captured")
        if isinstance(run.error, NotInBlocks):
            raise FullGraphRequired(str(run.error))
        if run.error is not None:
            raise run.error
        try:
            return map_leaves(run.array_of, result)
        except NotInBlocks as error:
            raise FullGraphRequired(str(error)) from None

    def hear(self, record: FrameRecord) -> None:
        """Keep the record of the capture, to say there what became of its graph."""
        self.record = record
        if self.options.listener is not None:
            self.options.listener(record)

    def broke(self, record: FrameRecord) -> None:
        """Count the graph break for which the function is no one graph."""
        registry.records.append(record)
        if (broke := record.broke) is not None:
            GRAPH_BREAKS.info("%s\n  remedy: %s", broke, broke.remedy)
        self.hear(record)

    def told(self, text: str) -> None:
        """Tell those who asked how the call was cut into tasks."""
        FUSION.info("%s\n%s", self.name, text)
        if self.record is not None:
            self.record.blocks = text

    def as_dask(self, flat_args: Any) -> Any:
        """What Python makes of the function, with Dask's arrays in the place of all others that are
        cut."""
        given = map_leaves(
            lambda leaf: in_blocks(leaf, leaf.chunks) if isinstance(leaf, BlockSource) else leaf,
            flat_args)
        try:
            return self.flat(*given)
        except AttributeError as error:
            if isinstance(error.obj, da.Array) and not hasattr(np.ndarray, str(error.name)):
                error.args = (f"'numpy.ndarray' object has no attribute {error.name!r}",)
            raise

    def raises(self, error: Exception, flat_args: Any, record: FrameRecord) -> NoReturn:
        """What Python does until NumPy raises the error, from the line where Dask has one of its
        own; Dask finds some only when it computes."""
        try:
            self.as_dask(flat_args)
        except Exception as raised:
            raise error.with_traceback(of_program(raised)) from None
        if record.broke is not None:
            error.add_note(f"at {record.broke.location}")
        raise error

    @property
    def name(self) -> str:
        """As the dashboard shows it."""
        return (self.options.name or self.function.__name__).replace("_", "-").strip("-<>")
