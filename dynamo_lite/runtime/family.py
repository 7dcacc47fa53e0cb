"""What is compiled along with a frame: its continuations and the functions that it calls."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import BuiltinMethodType, CellType, CodeType, FunctionType
from typing import Any, Protocol

from ..base.records import dataclass, field
from ..bytecode.liveness import deletes_free_variables, sees_variables
from ..bytecode.one_iteration import changing_nothing, rest_of_iteration
from ..bytecode.resume import ResumePoint, lifted_function, own_cells, resume_function
from ..guards.shapes.dynamic import SizeHistory
from ..native import Arm, Balance, CompiledFunction, KeptStates
from ..tracer.rules.trace_rules import Action, rule_for
from .options import Options
from .random_states import LEGACY_STATE, keep_random_state

Facts = tuple[int, str, int]
"""A size, stride or int: of which argument, which fact, and of which axis."""
Callees = dict[FunctionType | CodeType, CompiledFunction]
_ASYNCHRONOUS = 0x80 | 0x200  # CO_COROUTINE, CO_ASYNC_GENERATOR
_GENERATOR = 0x20 | _ASYNCHRONOUS  # CO_GENERATOR


def is_async(function: FunctionType) -> bool:
    return bool(function.__code__.co_flags & _ASYNCHRONOUS)


def is_generator(function: FunctionType) -> bool:
    return bool(function.__code__.co_flags & _GENERATOR)


AT_ONCE = 1_000
"""Iterations that Python runs where it goes on behind a side exit that does not pay: entering
compiled code again takes a hundredth of their time, and the loop is soon native where it is not
left so often any more."""


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
    spent: float = 0.0
    """Seconds that compiling has taken."""
    beginning: Callable[[], CompiledFunction | None] = lambda: None
    in_loops: set[ResumePoint] = field(default_factory=set)
    """Where continuations begin inside of loops, and"""
    unvisited: set[CompiledFunction] = field(default_factory=set)
    """those behind parts without operations that were not called yet."""
    ways: dict[Any, tuple[Any, ...]] = field(default_factory=dict)
    """What was asked for here, by what came of it."""

    def forget(self) -> None:
        """Start afresh; what loops and arms cost stays known."""
        self.callees, self.continuations, self.variants, self.short_loops = {}, {}, {}, {}
        self.operations, self.spent, self.ways = 0, 0.0, {}
        self.in_loops, self.unvisited = set(), set()

    def expect(self, points: Iterable[ResumePoint], operations: int) -> None:
        """Continuations of a part of the frame were made, which has so many operations; where a
        loop has any, is known by then."""
        if self.operations and not operations:
            self.unvisited.update(
                self.continuations[point] for point in points if point in self.in_loops)

    def visits(self, compiled: CompiledFunction) -> bool:
        """Whether a continuation is called for the first time, where Python does as well: there are
        arms of loops that run once, and have one break behind the other."""
        is_first = compiled in self.unvisited
        self.unvisited.discard(compiled)
        return is_first

    def told(self, value: Any) -> tuple[Any, ...] | None:
        """How another process asks for the same."""
        if isinstance(value, BuiltinMethodType) and isinstance(value.__self__, Balance):
            index = next(k for k, each in self.balances.items() if each is value.__self__)
            return "balance", index, value.__name__
        if isinstance(value, KeptStates):
            return "kept states", value.run, value.generators
        if value is LEGACY_STATE:
            return ("legacy state",)
        if value is self.origin or (value is not None and value is self.beginning()):
            return ("origin",) if value is self.origin else ("beginning",)
        is_known = isinstance(value, (Arm, CompiledFunction, FunctionType))
        return self.ways.get(value) if is_known else None

    def asked(self, kind: str, *rest: Any) -> Any:
        return ASKED[kind](self, *rest)

    def _noted(self, made: Any, *way: Any) -> Any:
        self.ways[made] = way
        return made

    def resume(
        self, point: ResumePoint, symbolic: Iterable[Facts] = ()
    ) -> CompiledFunction:
        """The compiled continuation of the frame, made once for each point."""
        if point not in self.continuations:
            continuation = resume_function(self.origin, point)
            history = SizeHistory(symbolic=frozenset(symbolic))
            rest = rest_of_iteration(self.origin, point, self.resume)
            compiled = self.compile(
                continuation, self.options, self, history=history, in_python=rest)
            self.continuations[point] = self._noted(compiled, "resume", point, history.symbolic)
            if rest is not None:
                self.in_loops.add(point)
        return self.continuations[point]

    def continuation_in_python(self, point: ResumePoint) -> FunctionType:
        """The continuation of the frame, where compiling it gains nothing."""
        function: FunctionType = self._noted(
            resume_function(self.origin, point), "continuation_in_python", point)
        return function

    def iterations_in_python(self, point: ResumePoint) -> FunctionType:
        """The same for `AT_ONCE` iterations of the loop around it, behind which the frame is
        compiled again."""
        rest = rest_of_iteration(self.origin, point, self._next(()), AT_ONCE)
        if rest is None:
            return self.continuation_in_python(point)
        function: FunctionType = self._noted(rest, "iterations_in_python", point)
        return function

    def rest_in_python(
        self, point: ResumePoint, symbolic: Iterable[Facts]
    ) -> Callable[..., Any]:
        """The same for what is left of the iteration: there is nothing to compile in it."""
        known = frozenset(symbolic)
        if (arm := changing_nothing(self.origin, point)) is not None:
            function, there = arm
            following = self._next(known)(there)
            made = Arm(function, following, following.__code__.co_argcount)
            self.ways[made] = "rest_in_python", point, known
            return made
        rest = rest_of_iteration(self.origin, point, self._next(known))
        if rest is None:
            return self.resume(point, known)
        self.ways[rest] = "rest_in_python", point, known
        return rest

    def _next(self, symbolic: Iterable[Facts]) -> Callable[[ResumePoint], CompiledFunction]:
        """The next iterations of a loop over an iterator."""
        def resume(there: ResumePoint) -> CompiledFunction:
            code = self.origin.__code__
            iterator = len(code.co_varnames) + len(own_cells(code)) + len(there.stack) - 1
            facts = {each for each in symbolic if each[0] <= iterator}
            return self.resume(there, facts | {(iterator, "bound", 0)})

        return resume

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
            compiled = self._compiled(function)
            self.callees[function] = self._noted(compiled, "callee", function)
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
            compiled = self._compiled(lifted_function(function))
            self.callees[code] = self._noted(
                compiled, "lifted", code, function.__globals__, function.__name__,
                function.__qualname__, function.__module__)
        return self.callees[code]

    def lifted_like(
        self, code: CodeType, names: dict[str, Any], name: str, qualname: str, module: str
    ) -> Callable[..., object] | None:
        """The same, asked for by what all of the closures have in common."""
        closure = tuple(CellType() for _ in code.co_freevars)
        function = FunctionType(code, names, name, closure=closure)
        function.__qualname__, function.__module__ = qualname, module
        return self.lifted(function)

    def _compiled(self, function: FunctionType) -> CompiledFunction:
        """The name that was asked for is that of the family alone."""
        options = replace(self.options, name="") if self.options.name else self.options
        return self.compile(function, options, callees=self.callees)


ASKED: Mapping[str, Callable[..., Any]] = {
    "resume": Family.resume,
    "continuation_in_python": Family.continuation_in_python,
    "iterations_in_python": Family.iterations_in_python,
    "rest_in_python": Family.rest_in_python,
    "callee": Family.callee,
    "lifted": Family.lifted_like,
    "origin": lambda family: family.origin,
    "beginning": lambda family: family.beginning(),
    "kept states": lambda family, run, owners: keep_random_state(run, owners),
    "legacy state": lambda family: LEGACY_STATE,
    "balance": lambda family, index, name: getattr(family.balance(index), name),
}
"""How to ask for what is compiled along with a frame."""
