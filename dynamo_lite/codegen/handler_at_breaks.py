"""The exception handler of the instruction at which a frame is left."""
from __future__ import annotations

from collections.abc import Callable, Sequence

from ..bytecode.assembling import Label
from ..bytecode.reading import Handler, Instruction
from ..native import safepoint
from ..tracer.state.emitter import Push
from .reconstruct import Reconstructor


class HandlerAtBreak:
    """What Python runs of a frame is run inside of `handler`, a place of the original text, with
    the values below that it expects on the stack. `is_needed`: whether something was."""

    def __init__(
        self, code: Reconstructor, instructions: Sequence[Instruction], handler: Handler | None,
        stack: Sequence[Push],
    ) -> None:
        self.code, self.instructions, self.handler = code, instructions, handler
        self.stack = stack
        self.is_needed = False

    def push(self, kept: int) -> None:
        """What the handler expects to find, of the lowest `kept` values."""
        handler = self.handler
        for push in self.stack[: min(handler.depth, kept) if handler is not None else 0]:
            push()

    def guarded(self, run: Callable[[], None]) -> None:
        """Emit `run` inside of the handler."""
        handler, assembler = self.handler, self.code.assembler
        start, end = Label(), Label()
        assembler.place(start)
        if handler is not None:
            self.is_needed = True
            self.code.emit("NOP")
            target = self.instructions[handler.target].offset
            assembler.protect(start, end, target, handler.depth, handler.lasti)
        waits, assembler.has_safepoints = assembler.has_safepoints, True
        run()
        assembler.has_safepoints = waits
        assembler.place(end)

    def safepoint(self, is_value: Sequence[bool]) -> None:
        """Interrupts that have arrived are raised here, unless what the handler expects on the
        stack is gone."""
        handler = self.handler
        if handler is None or is_value[: handler.depth] != [True] * handler.depth:
            return
        self.push(len(self.stack))

        def call() -> None:
            self.code.load_const(safepoint)
            self.code.call(0)
            self.code.emit("POP_TOP")

        self.guarded(call)
        for _ in range(handler.depth):
            self.code.emit("POP_TOP")
