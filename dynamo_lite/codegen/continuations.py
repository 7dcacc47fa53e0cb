"""Returning a continuation of the frame: a resume function and its arguments, which
`native.drive` calls next."""
from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..bytecode.reading import read
from ..bytecode.resume import ResumePoint, flat_code, is_second_half, own_cells, prefix_length
from ..ir.sizes import SizeExpr
from ..native import CONTINUATION
from ..tracer.object_model.lazy import LazyVariable
from ..tracer.state.emitter import Push
from ..tracer.state.trace import Stopped
from ..tracer.state.tracker import VariableTracker
from ..tracer.trackers.arrays.array_iterators import ArrayIterator, Standing
from ..tracer.trackers.arrays.arrays import ArrayVariable
from ..tracer.trackers.arrays.sizes import SizeVariable
from ..tracer.trackers.containers.iterators import StepVariable
from ..tracer.trackers.containers.outside_iterators import RangeIterator
from .frames import Frames
from .locals_at_breaks import LocalsAtBreak
from .reconstruct import Reconstructor

Stack = Sequence[tuple[bool, Push]]
"""What pushes each item, and whether it is a value or a NULL."""


class Continuations:
    """Those of a frame whose trace stopped, with its values `held`."""

    def __init__(
        self, code: Reconstructor, stopped: Stopped, frames: Frames, locals: LocalsAtBreak,
        held: Sequence[Push],
    ) -> None:
        self.code, self.stopped, self.frames, self.locals = code, stopped, frames, locals
        self.original = flat_code(code.function.__code__)
        self.prefix = prefix_length(code.function, frames.origin)
        self.held = dict(zip(held, stopped.stack))
        self.points: list[ResumePoint] = []

    def resume(
        self, index: int, stack: Stack, changing: Push | None = None, waits: bool = False,
        is_short: bool = False,
    ) -> None:
        """Go on at instruction `index`. If a number, the value on the stack that is `changing` is
        another one each time. A continuation that `waits` has Python run some iterations first, one
        that `is_short` what is left of this one."""
        following = read(self.original)[index]
        if following.opname == "PUSH_NULL" and is_second_half(self.original, following):
            index, stack = index + 1, [*stack, (False, push_nothing)]
        shape = tuple(is_value for is_value, _ in stack)
        point = ResumePoint(
            index - self.prefix, shape, self.locals.names, self.locals.unbound)
        self.points.append(point)
        self.code.load_const(CONTINUATION)
        if self.stopped.in_python:
            self.code.load_const(self.frames.continuation_in_python(point))
        elif waits:
            self.code.load_const(self.frames.iterations_in_python(point))
        elif is_short:
            facts = self._symbolic(stack, changing)
            self.code.load_const(self.frames.rest_in_python(point, facts))
        else:
            self.code.load_const(self.frames.resume(point, self._symbolic(stack, changing)))
        count = self._push_arguments(stack)
        self.code.emit("BUILD_TUPLE", count + 2)
        self.code.emit("RETURN_VALUE")

    def _push_arguments(self, stack: Stack) -> int:
        """Push the locals, cells and values that a resume function takes; how many they are."""
        names, cells = self.locals.variables, own_cells(self.original)
        for name in names:
            if name in self.locals.names or name in self.locals.kept_alive:
                self.code.emit("LOAD_FAST", name)
            else:
                self.code.load_const(None)
        for name in cells:
            self.code.emit("LOAD_CLOSURE", name)
        pushes = [push for is_value, push in stack if is_value]
        for push in pushes:
            push()
        return len(names) + len(cells) + len(pushes)

    def _symbolic(self, stack: Stack, changing: Push | None) -> Iterator[tuple[int, str, int]]:
        """The sizes, strides and ints that are symbols, as facts of the arguments."""
        names, cells = self.locals.variables, own_cells(self.original)
        for index, name in enumerate(names):
            if name in self.locals.names and name in self.stopped.locals:
                yield from _symbols(index, self.stopped.locals[name])
        pushes = [push for is_value, push in stack if is_value]
        for index, push in enumerate(pushes, len(names) + len(cells)):
            if push in self.held:
                yield from _symbols(index, self.held[push])
            if push is changing:
                yield index, "value", 0


def _symbols(index: int, value: VariableTracker) -> Iterator[tuple[int, str, int]]:
    """The facts of one argument that are symbols."""
    value = value.realised or value if isinstance(value, LazyVariable) else value
    if isinstance(value, SizeVariable):
        yield index, "value", 0
    if isinstance(value, StepVariable | RangeIterator | ArrayIterator | Standing):
        for which in range(value.facts if isinstance(value, ArrayIterator | Standing) else 1):
            yield index, "bound", which
    if isinstance(value, ArrayVariable):
        kind = value.array_type
        for fact, sizes in (("size", kind.shape), ("stride", kind.strides)):
            for axis, size in enumerate(sizes):
                if isinstance(size, SizeExpr):
                    yield index, fact, axis


def push_nothing() -> None:
    """The push of a NULL, which no resume function is passed."""
