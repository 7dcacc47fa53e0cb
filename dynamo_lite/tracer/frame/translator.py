"""Frames under analysis: the Translator interprets canonical instructions over trackers."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import CO_GENERATOR
from types import CodeType
from typing import Any

from ...base.origins import code_name, is_library_file
from ...bytecode.reading import Instruction, read
from ...errors import GraphBreak, Unsupported
from ...ir.graph import Graph
from ...ir.node import Location
from ..calls.inlining import inline
from ..control_flow.loops import arrive
from ..object_model.cells import CellVariable
from ..object_model.constants import ConstantVariable
from ..opcodes import HANDLERS, coverage
from ..rules.trace_rules import OWN_FOLDERS
from ..state.trace import TraceState
from ..state.tracker import Args, Kwargs, ObservedException, VariableTracker
from ..state.unrolling import check_budget
from ..trackers.arrays.optional_numbers import read_all
from .language import FrameLanguage
from .loops import FrameLoops
from .values import FrameValues


class Translator(FrameValues, FrameLanguage, FrameLoops):
    """One frame: the root's or that of an inlined callee.

    `stack` holds trackers, with `NULL` where the interpreter keeps NULLs; `locals` maps the names
    of fast locals, cells and free variables to what they hold.
    """

    def __init__(
        self,
        state: TraceState,
        code: CodeType,
        globals_: dict[str, Any],
        locals_: dict[str, VariableTracker],
        closure: Sequence[CellVariable],
        parent: Translator | None = None,
    ) -> None:
        FrameLoops.__init__(self, code)
        self.state = state
        self.guards = state.guards
        self.shapes = state.shapes
        self.side_effects = state.side_effects
        self.inputs = state.inputs
        self.code = code
        self.globals = globals_
        self.locals = locals_
        self.closure = closure
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.instructions = read(code)
        self.index = 0
        self.current = self.instructions[0]
        self.stack: list[VariableTracker] = []
        self.handled: list[VariableTracker] = []
        self.returned: VariableTracker | None = None
        self.yielded: VariableTracker | None = None
        self.suspends = bool(code.co_flags & CO_GENERATOR)

    @property
    def graph(self) -> Graph:
        """Where nodes go."""
        return self.state.graph

    # -- the loop

    def run(self) -> VariableTracker:
        """Interpret until the frame returns."""
        while self.returned is None:
            self.step()
        return self.returned

    def step(self) -> None:
        """Interpret one instruction, and count it where it is one of the root frame."""
        self.interpret()

    def interpret(self) -> None:
        """Interpret one instruction; an exception it raises goes to its handler, if any."""
        if self.index in self.loops and arrive(self):
            return
        inst = self.current = self.instructions[self.index]
        self.index += 1
        self.state.steps += 1
        self.state.check_time()
        self.state.locate = self.location
        if self.state.lines is not None:
            self.state.lines.at(self, inst.line)
        try:
            self.execute(inst)
        except ObservedException as raised:
            if not self.unwind(inst, raised):
                raise
        except Unsupported as stop:
            if stop.location is None:
                stop.location = self.location()
            raise

    def execute(self, inst: Instruction) -> None:
        if (handler := HANDLERS.get(inst.opname)) is None:
            reason = coverage.reason_for(inst.opname) or "unknown"
            raise GraphBreak(f"the instruction {inst.opname}: {reason}")
        operands = self.popn(handler.taken(inst))
        if handler.on_arrays and not handler.takes_none:
            operands = read_all(self, operands)
        try:
            result = handler.function(self, inst, *operands)
        except ObservedException:
            self.stack += operands  # a handler's part of the stack may reach into them
            raise
        if result is None:
            return
        if type(result) is tuple:
            self.stack.extend(result)
        else:
            self.stack.append(result)

    @property
    def all_handled(self) -> list[VariableTracker]:
        """The exceptions being handled, those of callers first."""
        outer = self.parent.all_handled if self.parent is not None else []
        return outer + self.handled

    def unwind(self, inst: Instruction, raised: ObservedException) -> bool:
        """Go to the instruction's exception handler, as CPython's exception table says, if any."""
        if not raised.again:
            handled = self.all_handled
            raised.value.raised(handled[-1] if handled else None)
            raised.again = True
        if inst.handler is None:
            return False
        raised.__traceback__ = None  # whose frames keep what they refer to
        self.side_effects.touches("the exception that is handled")
        del self.stack[inst.handler.depth :]
        if inst.handler.lasti:
            self.stack.append(ConstantVariable(inst.index))
        self.stack.append(raised.value)
        self.index = inst.handler.target
        return True

    def resumed_by(self, caller: Any) -> None:
        """The frame, a generator's, goes on below `caller`."""
        self.parent, self.depth = caller, caller.depth + 1

    def may_catch(self) -> bool:
        """Whether an exception that is raised now may be handled in the trace."""
        if self.current.handler is not None:
            return True
        return self.parent is not None and self.parent.may_catch()

    # -- what handlers use

    def pop(self) -> VariableTracker:
        return self.stack.pop()

    def popn(self, count: int) -> list[VariableTracker]:
        """The `count` topmost values, the topmost last."""
        if not count:
            return []
        values = self.stack[-count:]
        del self.stack[-count:]
        return values

    def jump(self, target: int | None) -> None:
        assert target is not None
        if target <= self.current.index:
            check_budget(self)
        self.index = target

    def location(self) -> Location:
        """The current line; in code of ours (a polyfill, `dl.scan`) and of libraries that of the
        user's code that called it."""
        if self.parent is not None:
            file, outer = self.code.co_filename, self.parent.location()
            if file.startswith(OWN_FOLDERS):
                return outer
            if is_library_file(file) and not is_library_file(outer.filename) and (
                not outer.filename.startswith(OWN_FOLDERS)
            ):
                held = [getattr(cell.bound, "value", None) for cell in self.closure]
                return outer.into(code_name(self.code, self.globals, held))
        line = self.current.line or self.code.co_firstlineno
        return Location(self.code.co_filename, line, self.code.co_qualname)

    def first_argument(self) -> VariableTracker:
        """What `super()` binds to."""
        name = self.code.co_varnames[0]
        value = self.locals[name]
        return value.load(self, name, False) if isinstance(value, CellVariable) else value

    # -- other frames

    def inline(self, function: Any, args: Args, kwargs: Kwargs) -> VariableTracker:
        """Trace into a Python function."""
        return inline(self, function, args, kwargs, Translator)

    def class_namespace(
        self, body: Any, stored: Callable[[str, VariableTracker], VariableTracker] | None = None
    ) -> dict[str, VariableTracker]:
        """What the names of a class body are bound to at its end; `stored` says what becomes of
        a value when it is bound to a name."""
        code = body.code
        outer = {*code.co_freevars, *code.co_cellvars}
        if shared := outer.intersection(code.co_names):
            raise GraphBreak(f"a class body that binds {min(shared)!r}, a name from outside")
        frame = Translator(self.state, code, body.globals, {}, body.closure(self), self)
        while frame.returned is None:
            frame.step()
            if stored is not None and frame.current.opname == "STORE_NAME":
                name = frame.current.argval
                frame.locals[name] = stored(name, frame.locals[name])
        self.state.locate = self.location
        return {name: value for name, value in frame.locals.items() if name not in outer}
