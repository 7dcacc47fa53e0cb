"""Leaving compiled code in the middle of a frame: a graph break.

After the graph and the side effects, the replacement function puts locals and stack in place. Then
it runs the unsupported instruction and returns a *continuation*: a resume function and its
arguments, which `native.drive` calls next, so that a loop with a break in it does not nest. Where
that cannot be expressed, what follows in the original text runs right there.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping

from ..bytecode.assembling import Label
from ..bytecode.liveness import handles_exception, live_locals, sees_variables
from ..bytecode.reading import CALLABLE_FIRST, positions, read
from ..bytecode.resume import ResumePoint, flat_code, is_second_half
from ..bytecode.splitting import EMULATED, JUMPS_IF, STACK_EFFECTS
from ..errors import Unsupported
from ..tracer.object_model.constants import NullVariable
from ..tracer.state.emitter import Push
from ..tracer.state.trace import Ran, Stopped
from .calls_at_breaks import CallAtBreak
from .continuations import Continuations, push_nothing
from .frames import Frames
from .handler_at_breaks import HandlerAtBreak
from .locals_at_breaks import LocalsAtBreak
from .reconstruct import Reconstructor
from .short_arms import is_short


class EXHAUSTED:
    """What an iterator gives when there is nothing left: this class itself."""


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
        self.jumps_into_body = False
        self.is_value = [not isinstance(item, NullVariable) for item in stopped.stack]

    def prepare(self) -> Callable[[], None]:
        """Build every value that is needed later; the result emits what follows."""
        if (reason := self.why_not()) is not None:
            raise Unsupported(reason)
        self.assembler.at(positions(self.original, self.instruction))
        self.stack: list[Push] = [self.code.hold(item) for item in self.stopped.stack]
        handler = self.stopped.handler or self.instruction.handler
        self.at_handler = HandlerAtBreak(self.code, self.instructions, handler, self.stack)
        call = CallAtBreak(
            self.code, self.frames, self.instruction, self.stopped.stack, self.stack
        )
        self.closure_call = call.of_closure()
        self.operands = call.operands()
        if (ran := self.stopped.ran) is not None:
            self.iterations = self.code.hold(ran.iterations)
        locals = LocalsAtBreak(
            self.code, self.stopped.locals, self.original, self.frames.origin, self._live())
        self.continuations = Continuations(
            self.code, self.stopped, self.frames, locals, self.stack)

        def finish() -> None:
            locals.put_in_place()
            self.at_handler.safepoint(self.is_value)
            self._leave()

        return finish

    @property
    def points(self) -> list[ResumePoint]:
        """Where continuations of the frame begin."""
        return self.continuations.points

    @property
    def needs_body(self) -> bool:
        """Whether the original text has to follow what is emitted."""
        return self.jumps_into_body or self.at_handler.is_needed

    def _live(self) -> frozenset[str]:
        """The variables that are read behind the break."""
        live = live_locals(self.original, self.instruction.index) | {*self.original.co_cellvars}
        if self.stopped.handler is not None:
            live |= live_locals(self.original, self.stopped.handler.target)
        return frozenset(live)

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

    # -- what follows

    def _leave(self) -> None:
        if self.stopped.ran is not None:
            self._leave_loop(self.stopped.ran)
        elif self.stopped.is_sound or self.stopped.in_python:
            self.continuations.resume(self.instruction.index, self._stack(len(self.stack)))
        else:
            leave_by(self.instruction.opname)(self)

    def _stack(self, count: int) -> list[tuple[bool, Push]]:
        """The lowest items."""
        return [*zip(self.is_value[:count], self.stack)]

    def _jump(self) -> None:
        self.continuations.resume(self._target(), self._stack(len(self.stack)))

    def _target(self) -> int:
        assert self.instruction.target is not None
        return self.instruction.target

    def _leave_loop(self, ran: Ran) -> None:
        """Go on behind a loop; at a side exit in Python for a while, where it is left so often that
        it does not pay."""
        index, other, stack = self.instruction.index, Label(), self._stack(len(self.stack))
        balance = self.frames.balance(ran.head - self.continuations.prefix)
        self.code.load_const(balance.earned if ran.is_over else balance.pays)
        self.iterations()
        self.code.load_const(ran.saves)
        self.code.call(2)
        if ran.is_over:
            self.code.emit("POP_TOP")
            return self.continuations.resume(index, stack)
        self.assembler.jump("POP_JUMP_IF_FALSE", other)
        depth, values = self.assembler.depth, self.stopped.locals
        is_in_python = is_short(self.code.function, index, ran.head, values)
        self.continuations.resume(index, stack, is_short=is_in_python)
        self.assembler.place(other, depth)
        return self.continuations.resume(index, stack, waits=True)

    def _go_on_in_python(self) -> None:
        """Put the stack in place and jump to the instruction in the original text."""
        self.jumps_into_body = True
        pushes = self.stack
        if is_second_half(self.original, self.instruction):
            pushes = pushes[:-1]  # the NULL that the instruction itself pushes
        for push in pushes:
            push()
        self.code.drop_temporaries()
        self.assembler.jump("JUMP", Label(self.instruction.offset))

    def _run_and_resume(self) -> None:
        pops, pushes = STACK_EFFECTS[self.instruction.opname](self.instruction)
        kept = len(self.stack) - pops
        if (call := self.closure_call) is not None:
            self.at_handler.push(kept)
            self.at_handler.guarded(lambda: call(self.stack[:kept]))
        else:
            self._push_operands(kept)
            self.at_handler.guarded(lambda: self._run(pushes - pops))
        results = [self.code.hold_top() for _ in range(pushes)][::-1]
        following = self.instruction.index + 1
        stack = [*self._stack(kept), *((True, push) for push in results)]
        if self.instruction.opname == "LOAD_METHOD":
            stack.insert(len(stack) - (0 if CALLABLE_FIRST else 1), (False, push_nothing))
        self.continuations.resume(following, stack)

    def _run(self, effect: int) -> None:
        instruction = self.instruction
        if instruction.opname not in EMULATED:
            return self.assembler.copy_original(instruction.offset, instruction.end, effect)
        opname = "LOAD_ATTR" if instruction.opname == "LOAD_METHOD" else instruction.opname
        return self.code.emit(opname, instruction.argval)

    def _branch(self) -> None:
        """Test the value in Python; each arm is a resume function."""
        jumps_if, keeps = JUMPS_IF[self.instruction.opname]
        *kept, (_, value) = self._stack(len(self.stack))
        self._push_operands(len(kept), keeps)
        jumps, depth = Label(), self.assembler.depth - 1

        def test() -> None:
            self.assembler.test_truth()
            self.assembler.jump("POP_JUMP_IF_TRUE" if jumps_if else "POP_JUMP_IF_FALSE", jumps)

        self.at_handler.guarded(test)
        self.continuations.resume(self.instruction.index + 1, kept)
        self.assembler.place(jumps, depth)
        self.continuations.resume(self._target(), [*kept, (True, value)] if keeps else kept)

    def _iterate(self) -> None:
        """One step of a loop over an iterator that is not traced."""
        *kept, (_, iterator) = self._stack(len(self.stack))
        self.code.load_const(next)
        iterator()
        self.code.load_const(EXHAUSTED)
        self.code.drop_temporaries(self.stack)
        self.at_handler.guarded(lambda: self.code.call(2))
        item = self.code.hold_top()
        item()
        self.code.load_const(EXHAUSTED)
        self.code.emit("IS_OP", 0)
        ended = Label()
        depth = self.assembler.depth - 1
        self.assembler.jump("POP_JUMP_IF_TRUE", ended)
        self.continuations.resume(
            self.instruction.index + 1, [*kept, (True, iterator), (True, item)], item)
        self.assembler.place(ended, depth)
        self.continuations.resume(self._target(), kept)

    def _push_operands(self, kept: int, keeps: bool = False) -> None:
        """What the instruction takes, above what its exception handler expects to find.

        Nothing else refers to it then, unless the instruction `keeps` it."""
        self.at_handler.push(kept)
        for push in self.operands[kept:]:
            push()
        self.code.drop_temporaries(self.stack if keeps else self.stack[:kept])

LEAVE_BY: Mapping[str, Callable[[Leaving], None]] = {
    **dict.fromkeys(JUMPS_IF, Leaving._branch),
    "FOR_ITER": Leaving._iterate,
    "JUMP": Leaving._jump,
}


def leave_by(opname: str) -> Callable[[Leaving], None]:
    """What is done at the instruction of a break: Python runs it alone, or in the original text."""
    if opname in STACK_EFFECTS:
        return Leaving._run_and_resume
    return LEAVE_BY.get(opname, Leaving._go_on_in_python)
