"""Rebuilding Python values from trackers, as instructions of the replacement function.

Every tracker is built once: its value is kept in a temporary, so that what was one object while
tracing is one object again. Values that existed before are loaded from their sources.
"""
from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Sequence
from types import CellType, FunctionType
from typing import Any

from ..bytecode.assembling import Assembler, Label
from ..errors import Unsupported
from ..guards.sources import (
    SYMBOLS,
    AttrSource,
    CellContentsSource,
    CellSource,
    ConstSource,
    DependentSource,
    GlobalSource,
    ItemSource,
    LiteralSource,
    LocalSource,
    SizeSource,
    Source,
    TypeSource,
)
from ..ir.node import Node
from ..tracer.object_model.cells import CellVariable
from ..tracer.object_model.constants import ConstantVariable, NullVariable
from ..tracer.state.emitter import Push, Replay
from ..tracer.state.tracker import VariableTracker
from ..tracer.trackers.arrays.phi import node_of
from ..tracer.trackers.containers.sequences import SequenceVariable
from .stack_code import StackCode


class Reconstructor(StackCode):
    """Emits what pushes the values of trackers; `outputs` are the nodes that have to leave the
    graph.

    What a tracker's `reconstruct` may use: `load_const`, `load_source`,
    `load_output`, `build`, `emit`, `binary`, `call`, `choose`, `choose_value`, `is_changed`,
    `move_iterator`, `set_attribute`. `last` is what remains to be done when the effects have been
    replayed.
    """

    def __init__(
        self,
        assembler: Assembler,
        function: FunctionType,
        changed: Iterable[VariableTracker] = (),
    ) -> None:
        super().__init__(assembler, function)
        self.outputs: dict[Node, str] = {}
        self.last: list[Replay] = []
        self._changed = set(changed)
        self._built: dict[VariableTracker, str] = {}
        self._building: set[VariableTracker] = set()
        self._awaited: dict[VariableTracker, list[CellVariable]] = {}

    # -- what trackers use

    def load_source(self, source: Source) -> None:
        """Push the value found at a source, as it is before any side effect is replayed."""
        if (load := LOADS.get(type(source))) is None:
            raise Unsupported(f"loading {source} again")
        load(self, source)

    def load_output(self, node: Node) -> None:
        """Push what the graph computed."""
        if (slot := self.outputs.get(node)) is None:
            slot = self.outputs[node] = self.assembler.add_local("output")
        self.emit("LOAD_FAST", slot)

    def build(self, tracker: VariableTracker) -> None:
        """Push the value of a tracker; contents of an object are reached through the object."""
        tracker = getattr(tracker, "whole", None) or tracker
        if tracker.source is not None:
            self.load_source(tracker.source)
        elif type(tracker) is ConstantVariable:
            self.load_const(tracker.value)
        elif (node := node_of(tracker)) is not None:
            self.load_output(node)
        elif (slot := self._built.get(tracker)) is not None:
            self.emit("LOAD_FAST", slot)
        else:
            self._build_new(tracker)

    def choose(
        self, test: Node, true: Callable[[], None], false: Callable[[], None]
    ) -> None:
        """Push one of two values, as a number that the graph computes says.

        Both are built before, so that what is built in one arm is there in the other as well."""
        pushes = []
        for build in (true, false):
            build()
            pushes.append(self.hold_top())
        other, done = Label(), Label()
        self.load_output(test)
        self.assembler.test_truth()
        self.assembler.jump("POP_JUMP_IF_FALSE", other)
        depth = self.assembler.depth
        pushes[0]()
        self.assembler.jump("JUMP", done)
        self.assembler.place(other, depth)
        pushes[1]()
        self.assembler.place(done, depth + 1)

    def choose_value(
        self, test: Node, made: Node, choices: Sequence[VariableTracker | None]
    ) -> None:
        """Push one of two values; None is what the graph made of them."""
        self.choose(test, *(
            (lambda choice=choice: self.load_output(made) if choice is None
             else self.build(choice)) for choice in choices
        ))  # fmt: skip

    def is_at_hand(self, tracker: VariableTracker) -> bool:
        """Whether the value is there already: an outside object of its own, or one that is built.

        New sequences of outside objects are taken for them."""
        if tracker.source is not None:
            return not isinstance(tracker.source, (GlobalSource, ConstSource, DependentSource))
        if isinstance(tracker, SequenceVariable) and tracker not in self._built:
            items = [item for item in tracker.built_items() if type(item) is not ConstantVariable]
            return bool(items) and all(item.source is not None for item in items)
        return tracker in self._built or node_of(tracker) in self.outputs

    def is_changed(self, tracker: VariableTracker) -> bool:
        """Whether the tracker stands for an outside object that the effects will change."""
        return tracker in self._changed

    def move_iterator(self, position: int) -> None:
        """Have the topmost value, which stays, moved: once what it iterates over is complete."""
        self.emit("COPY", 1)
        iterator = self.hold_top()

        def move() -> None:
            iterator()
            self.emit("LOAD_ATTR", "__setstate__")
            self.load_const(position)
            self.call(1)
            self.emit("POP_TOP")

        self.last.append(move)

    def set_attribute(self, name: str, value: VariableTracker) -> None:
        """Set an attribute of the topmost value, which stays."""
        self.build(value)
        self.emit("COPY", 2)
        self.emit("STORE_ATTR", name)

    # -- what the replacement function uses

    def build_again(self, tracker: VariableTracker) -> None:
        """Push a new object with the final contents of an outside container."""
        tracker.reconstruct(self)

    def hold(self, tracker: VariableTracker) -> Push:
        """Build now; the result pushes the value later, when effects have been replayed."""
        if isinstance(tracker, NullVariable):
            return lambda: self.emit("PUSH_NULL")
        if type(tracker) is ConstantVariable and tracker.source is None:
            value = tracker.value
            return lambda: self.load_const(value)
        self.build(tracker)
        return self.hold_top()

    def _build_new(self, tracker: VariableTracker) -> None:
        if tracker in self._building:
            raise Unsupported(f"rebuilding {tracker.describe()}, which contains itself")
        if isinstance(tracker, CellVariable):
            return self._build_cell(tracker)
        self._building.add(tracker)
        tracker.reconstruct(self)
        self._building.discard(tracker)
        self.keep(tracker)
        for cell in self._awaited.pop(tracker, ()):
            self.emit("LOAD_FAST", self._built[cell])
            self.set_attribute("cell_contents", tracker)
            self.emit("POP_TOP")
        return None

    def keep(self, tracker: VariableTracker) -> None:
        """The topmost value is the tracker's: one that is kept early may be part of itself."""
        if tracker in self._built:
            return
        slot = self._built[tracker] = self.assembler.add_local("built")
        self.emit("COPY", 1)
        self.emit("STORE_FAST", slot)

    def _build_cell(self, cell: CellVariable) -> None:
        """Empty first: a function may be in a cell of its own closure."""
        self.load_const(CellType)
        self.call(0)
        self.keep(cell)
        if cell.bound in self._building and cell.bound not in self._built:
            self._awaited.setdefault(cell.bound, []).append(cell)
        elif cell.bound is not None:
            self.set_attribute("cell_contents", cell.bound)


# -- sources


def _load_local(code: Reconstructor, source: LocalSource) -> None:
    code.emit("LOAD_FAST", code.function.__code__.co_varnames[source.index])


def _load_global(code: Reconstructor, source: GlobalSource) -> None:
    namespace = source.namespace.value
    if namespace is code.function.__globals__:
        return code.emit("LOAD_GLOBAL", source.name)
    outer = namespace.get("__builtins__", builtins)
    found = namespace if source.name in namespace else outer
    code.load_const(found if isinstance(found, dict) else vars(found))
    code.load_const(source.name)
    return code.emit("BINARY_SUBSCR")


def _load_cell(code: Reconstructor, source: CellSource) -> None:
    code.emit("LOAD_CLOSURE", code.function.__code__.co_freevars[source.index])


def _load_contents(code: Reconstructor, source: CellContentsSource) -> None:
    if isinstance(source.base, CellSource):
        return code.emit("LOAD_DEREF", code.function.__code__.co_freevars[source.base.index])
    code.load_source(source.base)
    return code.emit("LOAD_ATTR", "cell_contents")


def _load_attribute(code: Reconstructor, source: AttrSource) -> None:
    code.load_source(source.base)
    code.emit("LOAD_ATTR", source.name)


def _load_item(code: Reconstructor, source: ItemSource) -> None:
    if not source.is_plain:
        code.load_const(source.getter)
    code.load_source(source.base)
    code.load_const(source.key)
    if source.is_plain:
        code.emit("BINARY_SUBSCR")
    else:
        code.call(2)


def _load_type(code: Reconstructor, source: TypeSource) -> None:
    code.load_const(type)
    code.load_source(source.base)
    code.call(1)


def _load_size(code: Reconstructor, source: SizeSource) -> None:
    code.load_source(source.base)
    code.emit("LOAD_ATTR", "shape" if source.fact == "size" else "strides")
    code.load_const(source.axis)
    code.emit("BINARY_SUBSCR")


def _load_dependent(code: Reconstructor, source: DependentSource) -> None:
    symbol = SYMBOLS.get(source.function.value) if len(source.operands) == 2 else None
    if symbol is None:
        code.load_const(source.function.value)
    for operand in source.operands:
        code.load_source(operand)
    if symbol is None:
        code.call(len(source.operands))
    else:
        code.binary(symbol)


LOADS: dict[type, Callable[[Reconstructor, Any], None]] = {
    LocalSource: _load_local,
    GlobalSource: _load_global,
    CellSource: _load_cell,
    CellContentsSource: _load_contents,
    ConstSource: lambda code, source: code.load_const(source.object.value),
    AttrSource: _load_attribute,
    ItemSource: _load_item,
    TypeSource: _load_type,
    SizeSource: _load_size,
    LiteralSource: lambda code, source: code.load_const(source.value),
    DependentSource: _load_dependent,
}
"""How each kind of source is loaded."""
