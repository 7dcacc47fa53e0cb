"""What is compiled along with a frame: its continuations and the functions that it calls."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from types import CodeType, FunctionType
from typing import Any, Protocol

from ..base.records import dataclass, field
from ..bytecode.liveness import deletes_free_variables, sees_variables
from ..bytecode.one_iteration import rest_of_iteration
from ..bytecode.resume import ResumePoint, lifted_function, own_cells, resume_function
from ..guards.shapes.dynamic import SizeHistory
from ..native import CompiledFunction
from ..tracer.rules.trace_rules import Action, rule_for
from .options import Options
from .side_exits import AT_ONCE, Balance

Callees = dict[FunctionType | CodeType, CompiledFunction]
_ASYNCHRONOUS = 0x80 | 0x200  # CO_COROUTINE, CO_ASYNC_GENERATOR
_GENERATOR = 0x20 | _ASYNCHRONOUS  # CO_GENERATOR


def is_async(function: FunctionType) -> bool:
    return bool(function.__code__.co_flags & _ASYNCHRONOUS)


def is_generator(function: FunctionType) -> bool:
    return bool(function.__code__.co_flags & _GENERATOR)


class Compile(Protocol):
    """`compile_frame.compiled_function`."""

    def __call__(
        self, function: FunctionType, options: Options, family: Family | None = None, *,
        callees: Callees | None = None, history: SizeHistory | None = None,
        in_python: FunctionType | None = None,
    ) -> CompiledFunction: ...


@dataclass(eq=False, slots=True)
class Family:
    """The `codegen.frames.Frames` of a function: its beginning and its continuations share what is
    compiled along with them, and what was found out about its loops and arms."""

    origin: FunctionType
    options: Options
    compile: Compile
    callees: Callees = field(default_factory=dict)
    continuations: dict[ResumePoint, CompiledFunction] = field(default_factory=dict)
    variants: dict[str, set[Any]] = field(default_factory=dict)
    """Texts, lengths of lists and keys of dicts that it was compiled for, by their sources."""
    short_loops: dict[int, str] = field(default_factory=dict)
    balances: dict[int, Balance] = field(default_factory=dict)
    leaves_cold_arms: bool = True
    operations: int = 0
    """Those in graphs of continuations."""
    beginning: Callable[[], CompiledFunction | None] = lambda: None

    def forget(self) -> None:
        """Start afresh; what loops and arms cost stays known."""
        self.callees, self.continuations, self.variants, self.short_loops = {}, {}, {}, {}
        self.operations = 0

    def resume(
        self, point: ResumePoint, symbolic: Iterable[tuple[int, str, int]] = ()
    ) -> CompiledFunction:
        """The compiled continuation of the frame, made once for each point."""
        if point not in self.continuations:
            continuation = resume_function(self.origin, point)
            history = SizeHistory(symbolic=frozenset(symbolic))
            rest = rest_of_iteration(self.origin, point, self.resume)
            self.continuations[point] = self.compile(
                continuation, self.options, self, history=history, in_python=rest)
        return self.continuations[point]

    def continuation_in_python(self, point: ResumePoint) -> FunctionType:
        """The continuation of the frame, where compiling it gains nothing."""
        return resume_function(self.origin, point)

    def iterations_in_python(self, point: ResumePoint) -> FunctionType:
        """The same for `AT_ONCE` iterations of the loop around it, behind which the frame is
        compiled again."""
        def resume(there: ResumePoint) -> CompiledFunction:
            code = self.origin.__code__
            iterator = len(code.co_varnames) + len(own_cells(code)) + len(there.stack) - 1
            return self.resume(there, [(iterator, "bound", 0)])

        rest = rest_of_iteration(self.origin, point, resume, AT_ONCE)
        return rest or self.continuation_in_python(point)

    def balance(self, index: int) -> Balance:
        """The account of a loop with side exits, the same for all continuations."""
        return self.balances.setdefault(index, Balance())

    def callee(self, function: FunctionType) -> Callable[..., object]:
        """The compiled form of a user's function that was not traced into.

        There is one for all callers in a tree of calls, so that recursion ends where it began.
        """
        if rule_for(function).action is not Action.INLINE or is_generator(function):
            return function
        if self.options.account is not None:
            return function  # all functions of the program are candidates
        if function is self.origin and (own := self.beginning()) is not None:
            return own
        if function not in self.callees:
            self.callees[function] = self._compiled(function)
        return self.callees[function]

    def lifted(self, function: FunctionType) -> Callable[..., object] | None:
        """The compiled form of the closures of one code object; None where Python runs them."""
        code = function.__code__
        if rule_for(function).action is not Action.INLINE or is_generator(function):
            return None
        if "__class__" in code.co_freevars:  # super() finds it among the free variables
            return None
        if sees_variables(code):
            return None
        if deletes_free_variables(code):
            return None  # reading it then says that it is a free variable
        if code not in self.callees:
            self.callees[code] = self._compiled(lifted_function(function))
        return self.callees[code]

    def _compiled(self, function: FunctionType) -> CompiledFunction:
        """The name that was asked for is that of the family alone."""
        options = replace(self.options, name="") if self.options.name else self.options
        return self.compile(function, options, callees=self.callees)
