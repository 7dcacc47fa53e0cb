"""Leaving compiled code in the middle of a frame: a graph break.

After the graph and the side effects, the replacement function puts locals and stack in place. Then
it runs the unsupported instruction and returns a *continuation*: a resume function and its
arguments, which `native.drive` calls next, so that a loop with a break in it does not nest. Where
that cannot be expressed, what follows in the original text runs right there.
"""
from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from typing import Any

from ..bytecode.assembling import Label
from ..bytecode.liveness import handles_exception, live_locals, sees_variables
from ..bytecode.reading import CALLABLE_FIRST, positions, read
from ..bytecode.resume import ResumePoint, flat_code, is_second_half, own_cells
from ..bytecode.splitting import EMULATED, JUMPS_IF, STACK_EFFECTS
from ..errors import Unsupported
from ..guards.sources import LocalSource
from ..ir.sizes import SizeExpr
from ..native import CONTINUATION, safepoint
from ..tracer.object_model.constants import ATOMS, NullVariable
from ..tracer.object_model.lazy import LazyVariable
from ..tracer.state.trace import Ran, Stopped
from ..tracer.state.tracker import VariableTracker
from ..tracer.trackers.arrays.arrays import ArrayVariable
from ..tracer.trackers.arrays.sizes import SizeVariable
from ..tracer.trackers.arrays.unions import UnionNumber
from ..tracer.trackers.containers.iterators import StepVariable
from ..tracer.trackers.containers.outside_iterators import RangeIterator
from .calls_at_breaks import CallAtBreak
from .closures import ClosureCall
from .frames import Frames
from .reconstruct import Push, Reconstructor

_EXHAUSTED = object()


class Leaving:
    """Emits the end of a replacement function whose trace stopped."""

    def __init__(self, code: Reconstructor, stopped: Stopped, frames: Frames) -> None:
        self.code = code
        self.assembler = code.assembler
        self.stopped = stopped
        self.frames = frames
        self.original = flat_code(code.function.__code__)
        self.instructions = read(self.original)
        self.instruction = self.instructions[stopped.index]
        self.handler = stopped.handler or self.instruction.handler
        self.needs_body = False
        self.points: list[ResumePoint] = []
        self.stack: list[Push] = []
        self.closure_call: ClosureCall | None = None
        self.operands: list[Push] = []
        self.iterations: Push = _nothing
        self.names: frozenset[str] = frozenset()
        self.kept_alive: frozenset[str] = frozenset()
        self.unbound: frozenset[str] = frozenset()
        self.is_value = [not isinstance(item, NullVariable) for item in stopped.stack]

    def prepare(self) -> Callable[[], None]:
        """Build every value that is needed later; the result emits what follows."""
        if (reason := self.why_not()) is not None:
            raise Unsupported(reason)
        self.assembler.at(positions(self.original, self.instruction))
        live = live_locals(self.original, self.instruction.index) | {*self.original.co_cellvars}
        if self.stopped.handler is not None:
            live |= live_locals(self.original, self.stopped.handler.target)
        self.stack = [self.code.hold(item) for item in self.stopped.stack]
        call = CallAtBreak(
            self.code, self.frames, self.instruction, self.stopped.stack, self.stack
        )
        self.closure_call = call.of_closure()
        self.operands = call.operands()
        if (ran := self.stopped.ran) is not None:
            self.iterations = self.code.hold(ran.iterations)
        restore = [
            (name, self.code.hold(value))
            for name, value in self.stopped.locals.items()
            if name in live and not self._in_place(name, value)
        ]
        missing = live - {*self.stopped.locals}
        unbound = [name for name in self._parameters() if name in missing]
        known = {*self.frames.origin.__code__.co_varnames, *self.original.co_cellvars}
        self.names = frozenset(live.intersection(self.stopped.locals, known))
        self.unbound = missing.intersection(self.frames.origin.__code__.co_varnames)
        alive = dict(self._seen_outside(live))
        self.kept_alive = frozenset(alive)
        restore += [(name, push) for name, push in alive.items() if push is not None]
        in_place = {name for name in live if name in self.stopped.locals}.union(alive)
        gone = {*self._filled()} - in_place - {*unbound}

        def finish() -> None:
            for name in gone:
                self.code.emit("DELETE_FAST", name)
            for name, push in restore:
                push()
                self.code.emit("STORE_FAST", name)
            for name in unbound:
                self.code.emit("DELETE_FAST", name)
            self._leave()

        return finish

    def why_not(self) -> str | None:
        """Why the frame cannot be split here, or None."""
        if sees_variables(self.original):
            return "it may look at its own variables"
        if handles_exception(self.original, self.instruction.index):
            return "it is inside an exception handler"
        missing = {*self.original.co_cellvars} - {*self.stopped.locals}
        if missing:
            return f"the cells of {', '.join(sorted(missing))} do not exist yet"
        if is_second_half(self.original, self.instruction) and not self._is_call_of_global():
            return f"{self.instruction.opname} is half of an instruction"
        return None

    def _is_call_of_global(self) -> bool:
        return self.instruction.opname == "LOAD_GLOBAL"

    def _in_place(self, name: str, value: VariableTracker) -> bool:
        """Whether a local still is the argument that its slot holds."""
        source = value.source
        return (
            isinstance(source, LocalSource)
            and self.original.co_varnames[source.index] == name
            and name not in self.original.co_cellvars
        )

    def _seen_outside(self, live: Container[str]) -> Iterator[tuple[str, Push | None]]:
        """Locals that are not read any more, but whose values the program would see ending.

        What pushes a value is None where it is in place."""
        for name, value in self.stopped.locals.items():
            if name in live or name not in self.frames.origin.__code__.co_varnames:
                continue
            if isinstance(value, UnionNumber):  # which is no object that anybody has seen
                continue
            if self._in_place(name, value):
                yield name, None
            elif value.python_type() not in ATOMS and self.code.is_at_hand(value):
                yield name, self.code.hold(value)

    def _filled(self) -> tuple[str, ...]:
        """The slots that a call of the function fills."""
        cells = {*self.original.co_cellvars}
        return tuple(name for name in self._parameters() if name not in cells)

    def _parameters(self) -> tuple[str, ...]:
        return self.original.co_varnames[: self.original.co_argcount]

    # -- what follows

    def _safepoint(self) -> None:
        """Interrupts that have arrived are raised here, inside the exception handler, unless what
        it expects on the stack is gone."""
        handler = self.handler
        if handler is None or self.is_value[: handler.depth] != [True] * handler.depth:
            return
        self._push_for_handler(len(self.stack))

        def call() -> None:
            self.code.load_callable(safepoint)
            self.code.call(0)
            self.code.emit("POP_TOP")

        self._guarded(call)
        for _ in range(handler.depth):
            self.code.emit("POP_TOP")

    def _leave(self) -> None:
        self._safepoint()
        opname = self.instruction.opname
        stack = [*zip(self.is_value, self.stack)]
        if (ran := self.stopped.ran) is not None:
            self._leave_loop(ran, stack)
        elif self.stopped.is_sound or self.stopped.in_python:
            self._resume(self.instruction.index, stack)
        elif opname == "JUMP":
            assert self.instruction.target is not None
            self._resume(self.instruction.target, stack)
        elif opname == "FOR_ITER":
            self._iterate()
        elif opname in JUMPS_IF:
            self._branch(*JUMPS_IF[opname])
        elif opname in STACK_EFFECTS:
            self._run_and_resume(*STACK_EFFECTS[opname](self.instruction))
        else:
            self._go_on_in_python()

    def _leave_loop(self, ran: Ran, stack: list[tuple[bool, Push]]) -> None:
        """Go on behind a loop; at a side exit in Python, where it is left so often that it does not
        pay."""
        index, other = self.instruction.index, Label()
        balance = self.frames.balance(ran.head - self.frames.prefix)
        self.code.load_callable(balance.earned if ran.is_over else balance.pays)
        self.iterations()
        self.code.load_const(ran.saves)
        self.code.call(2)
        if ran.is_over:
            self.code.emit("POP_TOP")
            return self._resume(index, stack)
        self.assembler.jump("POP_JUMP_IF_FALSE", other)
        depth = self.assembler.depth
        self._resume(index, stack)
        self.assembler.place(other, depth)
        return self._resume(index, stack, in_python=True)

    def _go_on_in_python(self) -> None:
        """Put the stack in place and jump to the instruction in the original text."""
        self.needs_body = True
        pushes = self.stack
        if is_second_half(self.original, self.instruction):
            pushes = pushes[:-1]  # the NULL that the instruction itself pushes
        for push in pushes:
            push()
        self.code.drop_temporaries()
        self.assembler.jump("JUMP", Label(self.instruction.offset))

    def _run_and_resume(self, pops: int, pushes: int) -> None:
        kept = len(self.stack) - pops
        if (call := self.closure_call) is not None:
            self._push_for_handler(kept)
            self._guarded(lambda: call(self.stack[:kept]))
        else:
            self._push_operands(kept)
            self._guarded(lambda: self._run(pushes - pops))
        results = [self.code.hold_top() for _ in range(pushes)][::-1]
        following = self.instruction.index + 1
        stack = [*zip(self.is_value[:kept], self.stack), *((True, push) for push in results)]
        if self.instruction.opname == "LOAD_METHOD":
            stack.insert(len(stack) - (0 if CALLABLE_FIRST else 1), (False, _nothing))
        self._resume(following, stack)

    def _run(self, effect: int) -> None:
        instruction = self.instruction
        if instruction.opname not in EMULATED:
            return self.assembler.copy_original(instruction.offset, instruction.end, effect)
        opname = "LOAD_ATTR" if instruction.opname == "LOAD_METHOD" else instruction.opname
        return self.code.emit(opname, instruction.argval)

    def _branch(self, jumps_if: bool, keeps: bool) -> None:
        """Test the value in Python; each arm is a resume function."""
        *kept, (_, value) = zip(self.is_value, self.stack)
        self._push_operands(len(kept), keeps)
        jumps, depth = Label(), self.assembler.depth - 1

        def test() -> None:
            self.assembler.test_truth()
            self.assembler.jump("POP_JUMP_IF_TRUE" if jumps_if else "POP_JUMP_IF_FALSE", jumps)

        self._guarded(test)
        self._resume(self.instruction.index + 1, kept)
        self.assembler.place(jumps, depth)
        assert self.instruction.target is not None
        self._resume(self.instruction.target, [*kept, (True, value)] if keeps else kept)

    def _iterate(self) -> None:
        """One step of a loop over an iterator that is not traced."""
        *kept, (_, iterator) = zip(self.is_value, self.stack)
        self.code.load_callable(next)
        iterator()
        self.code.load_const(_EXHAUSTED)
        self.code.drop_temporaries(self.stack)
        self._guarded(lambda: self.code.call(2))
        item = self.code.hold_top()
        item()
        self.code.load_const(_EXHAUSTED)
        self.code.emit("IS_OP", 0)
        ended = Label()
        depth = self.assembler.depth - 1
        self.assembler.jump("POP_JUMP_IF_TRUE", ended)
        self._resume(self.instruction.index + 1, [*kept, (True, iterator), (True, item)], item)
        self.assembler.place(ended, depth)
        assert self.instruction.target is not None
        self._resume(self.instruction.target, kept)

    def _push_operands(self, kept: int, keeps: bool = False) -> None:
        """What the instruction takes, above what its exception handler expects to find.

        Nothing else refers to it then, unless the instruction `keeps` it."""
        self._push_for_handler(kept)
        for push in self.operands[kept:]:
            push()
        self.code.drop_temporaries(self.stack if keeps else self.stack[:kept])

    def _push_for_handler(self, kept: int) -> None:
        handler = self.handler
        for push in self.stack[: min(handler.depth, kept) if handler is not None else 0]:
            push()

    def _guarded(self, run: Callable[[], None]) -> None:
        """Emit `run` inside the exception handler of the original instruction."""
        handler = self.handler
        start, end = Label(), Label()
        self.assembler.place(start)
        if handler is not None:
            self.needs_body = True
            self.code.emit("NOP")
            target = self.instructions[handler.target].offset
            self.assembler.protect(start, end, target, handler.depth, handler.lasti)
        waits, self.assembler.has_safepoints = self.assembler.has_safepoints, True
        run()
        self.assembler.has_safepoints = waits
        self.assembler.place(end)

    def _resume(
        self, index: int, stack: list[tuple[bool, Push]], changing: Push | None = None,
        in_python: bool = False,
    ) -> None:
        """Return the continuation of the frame, from instruction `index` on. If a number, the value
        on the stack that is `changing` is another one each time."""
        following = self.instructions[index]
        if following.opname == "PUSH_NULL" and is_second_half(self.original, following):
            index, stack = index + 1, [*stack, (False, _nothing)]
        shape = tuple(is_value for is_value, _ in stack)
        point = ResumePoint(index - self.frames.prefix, shape, self.names, self.unbound)
        names = self.frames.origin.__code__.co_varnames
        self.points.append(point)
        frames = self.frames
        cells = own_cells(self.original)
        self.code.load_const(CONTINUATION)
        if in_python or self.stopped.in_python:
            self.code.load_callable(frames.continuation_in_python(point))
        else:
            symbolic = self._symbolic(len(cells), stack, changing)
            self.code.load_callable(frames.resume(point, symbolic))
        for name in names:
            if name in self.names or name in self.kept_alive:
                self.code.emit("LOAD_FAST", name)
            else:
                self.code.load_const(None)
        for name in cells:
            self.code.emit("LOAD_CLOSURE", name)
        for is_value, push in stack:
            if is_value:
                push()
        count = len(names) + len(cells) + sum(shape)
        self.code.emit("BUILD_TUPLE", count + 2)
        self.code.emit("RETURN_VALUE")

    def _symbolic(
        self, cells: int, stack: list[tuple[bool, Push]], changing: Push | None
    ) -> Iterator[Any]:
        """The sizes, strides and ints that are symbols, as facts of the continuation's
        arguments."""
        names = self.frames.origin.__code__.co_varnames
        for index, name in enumerate(names):
            if name in self.names and name in self.stopped.locals:
                yield from _symbols(index, self.stopped.locals[name])
        held = dict(zip(self.stack, self.stopped.stack))
        pushes = [push for is_value, push in stack if is_value]
        for index, push in enumerate(pushes, len(names) + cells):
            if push in held:
                yield from _symbols(index, held[push])
            if push is changing:
                yield index, "value", 0


def _symbols(index: int, value: VariableTracker) -> Iterator[tuple[int, str, int]]:
    """The facts of one argument that are symbols."""
    value = value.realised or value if isinstance(value, LazyVariable) else value
    if isinstance(value, SizeVariable):
        yield index, "value", 0
    if isinstance(value, StepVariable | RangeIterator):
        yield index, "bound", 0
    if isinstance(value, ArrayVariable):
        kind = value.array_type
        for fact, sizes in (("size", kind.shape), ("stride", kind.strides)):
            for axis, size in enumerate(sizes):
                if isinstance(size, SizeExpr):
                    yield index, fact, axis


def _nothing() -> None:
    """The push of a NULL, which no resume function is passed."""
