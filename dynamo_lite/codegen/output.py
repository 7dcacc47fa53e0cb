"""From a trace to the target of a cache entry: the replacement function.

`plan(trace, …)` emits what happens after the graph and thereby finds out which nodes have to leave
it; `Plan.assemble(entry)` puts the call of the compiled graph in front. The replacement takes the
flat arguments. It does: call the graph; bail out if the graph did, before anything has happened;
rebuild values; replay side effects; and return. Where the trace stopped early it runs the
unsupported instruction, inside the exception handler it had, and calls a resume function for what
follows.
"""
from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from ..base.records import dataclass
from ..bytecode.assembling import Assembler, Label
from ..bytecode.resume import ResumePoint, flat_code, prologue, with_code
from ..guards.sources import LocalSource
from ..ir.node import Node
from ..native import BAILOUT
from ..native._core import NativeEntry
from ..tracer.state.emitter import Push
from ..tracer.state.trace import Returned, Trace
from ..tracer.state.tracker import VariableTracker
from ..tracer.trackers.containers.sequences import TupleVariable
from .bound import Bound
from .frames import Frames
from .graph_breaks import Leaving
from .reconstruct import Reconstructor
from .replay import prepare_effect

Entry = Callable[..., Any]


@dataclass(slots=True)
class Plan:
    """A replacement function without the call of its graph."""

    trace: Trace
    assembler: Assembler
    rebuilt: Reconstructor
    needs_body: bool
    points: tuple[ResumePoint, ...]
    """Where continuations of the frame begin."""
    is_continuation: bool = False

    @property
    def outputs(self) -> tuple[Node, ...]:
        """The nodes that leave the graph, in the order in which the entry is to return them."""
        return tuple(self.rebuilt.outputs)

    def assemble(self, entry: Entry | None) -> FunctionType | Bound:
        """What becomes the target; `entry` is None when the graph does nothing."""
        if isinstance(entry, NativeEntry) and (bound := self._entry_itself(entry)) is not None:
            return bound
        function = self.trace.function
        head = Assembler(flat_code(function.__code__), self.assembler.locals)
        prologue(head, self.is_continuation)
        if entry is not None:
            _call_graph(Reconstructor(head, function), self, entry)
        if self.is_continuation:
            head.take_over()
        head.append(self.assembler)
        return with_code(function, head.finish(body=self.needs_body))

    def _entry_itself(self, entry: NativeEntry) -> Bound | None:
        """The compiled graph with its inputs taken from the flat arguments, when that is all."""
        trace = self.trace
        if not isinstance(trace.end, Returned) or trace.side_effects.records:
            return None
        if not all(isinstance(source, LocalSource) for source in trace.inputs):
            return None
        returned, outputs = trace.end.value, self.outputs
        if outputs == (getattr(returned, "node", None),):
            entry = _single(entry)
        elif not _is_tuple_of(returned, outputs):
            return None
        indices = tuple(s.index for s in trace.inputs if isinstance(s, LocalSource))
        return Bound(entry, indices, flat_code(trace.function.__code__).co_argcount)


def _single(entry: NativeEntry) -> NativeEntry:
    """The same machine code, returning its only output bare."""
    return NativeEntry(
        entry.address, entry.owner, entry.n_inputs, entry.n_slots, entry.n_outputs,
        entry.constants, entry.descrs, True, entry.check_flags, entry.inexact_flags,
    )  # fmt: skip


def _is_tuple_of(value: VariableTracker, nodes: tuple[Node, ...]) -> bool:
    """Whether a new plain tuple of just these graph values, in this order, is returned."""
    if type(value) is not TupleVariable or value.kind is not tuple or value.source is not None:
        return False
    return [getattr(item, "node", None) for item in value.built_items()] == list(nodes)


def plan(trace: Trace, frames: Frames) -> Plan:
    """Emit everything that comes after the graph; Unsupported when that cannot be done exactly."""
    assembler = Assembler(flat_code(trace.function.__code__))
    code = Reconstructor(assembler, trace.function, trace.side_effects.changed())
    effects = [prepare_effect(code, record) for record in trace.side_effects.records]
    if isinstance(trace.end, Returned):
        _return(code, trace.end.value, effects)
        return Plan(trace, assembler, code, False, ())
    others = trace.end.others
    ways = [Leaving(code, end, frames) for end in (*(end for _, end in others), trace.end)]
    tests = [code.hold(truth) for truth, _ in others]
    leaves = [way.prepare() for way in ways]
    _replay(effects + code.last)
    for test, leave in zip(tests, leaves):
        _leave_if(code, test, leave)
    leaves[-1]()
    points = tuple(point for way in ways for point in way.points)
    needs_body = any(way.needs_body for way in ways)
    return Plan(trace, assembler, code, needs_body, points, trace.function is not frames.origin)


def _leave_if(code: Reconstructor, test: Push, leave: Callable[[], None]) -> None:
    """Go on at a place that is not the last one."""
    other = Label()
    test()
    code.assembler.test_truth()
    code.assembler.jump("POP_JUMP_IF_FALSE", other)
    depth = code.assembler.depth
    leave()
    code.assembler.place(other, depth)


def _return(
    code: Reconstructor, value: VariableTracker, effects: list[Callable[[], None]]
) -> None:
    code.build(value)
    if effects or code.last:
        push = code.hold_top()
        _replay(effects + code.last)
        push()
    code.emit("RETURN_VALUE")


def _replay(effects: list[Callable[[], None]]) -> None:
    for effect in effects:
        effect()


def _call_graph(code: Reconstructor, plan: Plan, entry: Entry) -> None:
    """Run the graph; return BAILOUT if it bailed out, else keep its outputs in their slots."""
    code.load_const(entry)
    for source in plan.trace.inputs:
        code.load_source(source)
    code.call(len(plan.trace.inputs))
    done = Label()
    code.emit("COPY", 1)
    code.load_const(BAILOUT)
    code.emit("IS_OP", 0)
    code.assembler.jump("POP_JUMP_IF_FALSE", done)
    code.emit("RETURN_VALUE")
    code.assembler.place(done, depth=1)
    slots = list(plan.rebuilt.outputs.values())
    if not getattr(entry, "single", False):
        code.emit("UNPACK_SEQUENCE", len(slots))
    for slot in slots:
        code.emit("STORE_FAST", slot)
