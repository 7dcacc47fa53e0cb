"""Frames under analysis: the Translator interprets canonical instructions over trackers."""
from __future__ import annotations

import builtins
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import CO_GENERATOR
from types import CodeType
from typing import Any

import numpy as np

from ...base.origins import code_name, is_library_file
from ...bytecode.flow import Loop, shape_of
from ...bytecode.raising import expected_outcome
from ...bytecode.reading import Instruction, read
from ...errors import GraphBreak, LoopBreak, PlanLoop
from ...guards.kinds import IS, NO_KEY, SAME
from ...guards.sources import CellSource, ConstSource, GlobalSource, Pinned, Source
from ...ir.graph import Graph
from ...ir.node import Location
from ...ir.sizes import Size
from ..calls import dispatch as calls
from ..calls.inlining import inline
from ..control_flow.exits import Exit
from ..control_flow.growing import plan_list
from ..control_flow.loops import arrive
from ..object_model.attributes import store
from ..object_model.cells import CellVariable
from ..object_model.class_attributes import has_own_class
from ..object_model.constants import ATOMS, ConstantVariable, constant, observed
from ..object_model.refusals import name_in_c
from ..opcodes import HANDLERS, coverage
from ..python import comparisons, iteration
from ..rules.mro import MISSING, lookup
from ..rules.trace_rules import OWN_FOLDER
from ..state.side_effects import DeleteGlobal, StoreGlobal
from ..state.trace import STEPS, TraceState
from ..state.tracker import Args, Kwargs, ObservedException, VariableTracker
from ..trackers.arrays.sizes import size_tracker
from ..trackers.containers.exceptions import note_owner
from ..trackers.containers.instance_dicts import InstanceDictVariable
from ..trackers.containers.iterators import IteratorVariable
from ..trackers.objects.objects import ObjectVariable
from .wrap import wrap


class Translator:
    """One frame: the root's or that of an inlined callee.

    `stack` holds trackers, with `NULL` where the interpreter keeps NULLs; `locals` maps the names
    of fast locals, cells and free variables to what they hold. `region` is the innermost loop whose
    body is being traced as a graph of its own, `proceed` whether that goes on when the end of an
    iteration has been reached, and `exits` where a loop is left, by its head: the instruction and
    the height of the stack, there and behind what only leaves the loop. An arm of a branch that is
    being traced ends at one of the `stops`, or in one of several exits that are `pending`.
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
        self.loops = shape_of(code).loops
        self.arrivals: dict[int, int] = {}
        self.sizes: dict[int, tuple[int, int]] = {}
        self.region: Loop | None = None
        self.proceed: VariableTracker | None = None
        self.exits: dict[int, tuple[int, int, tuple[int, int]]] = {}
        self.stops: frozenset[int] = frozenset()
        self.pending: list[Exit] = []
        self.yielded: VariableTracker | None = None

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
        try:
            self.execute(inst)
        except ObservedException as raised:
            if not self.unwind(inst, raised):
                raise
        except GraphBreak as stop:
            if stop.location is None:
                stop.location = self.location()
            raise

    def execute(self, inst: Instruction) -> None:
        if (handler := HANDLERS.get(inst.opname)) is None:
            reason = coverage.reason_for(inst.opname) or "unknown"
            raise GraphBreak(f"the instruction {inst.opname}: {reason}")
        operands = self.popn(handler.pops + (inst.arg if handler.variadic else 0))
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
            self.check_budget()
        self.index = target

    def check_budget(self) -> None:
        """A loop iterates again: it may only add so much to the graph."""
        state, options = self.state, self.state.options
        if max(state.steps / STEPS, len(state.graph.nodes)) > state.budget:
            many = f"{state.budget} operations (config.unroll_budget)"
            raise self.too_long(f"the loop adds more than {many}")
        if time.monotonic() - state.started > options.seconds / 2:
            longer = f"half of {options.seconds:g} seconds (config.trace_seconds)"
            raise self.too_long(f"tracing takes longer than {longer}")

    def too_long(self, reason: str) -> LoopBreak:
        """The loop that iterates again cannot be unrolled; nor be a node, for a known reason."""
        place = self.code, self.current.target or 0
        plans, loop = self.state.options.loops, self.loops.get(place[1])
        plan = plans.get(place)
        while loop is not None and not self.code.co_flags & CO_GENERATOR:
            if (self.code, loop.head) not in plans:
                raise PlanLoop((self.code, loop.head))
            loop = shape_of(self.code).around(loop)
        why = plan.reason if plan is not None else ""
        found = LoopBreak(f"{reason}; it is not compiled as a loop: {why}" if why else reason)
        found.location = self.location()
        return found

    def plan_list(self, value: VariableTracker, item: VariableTracker | None) -> None:
        """A list that a loop of the graph uses like an array may become one."""
        plan_list(self, value, item)

    def location(self) -> Location:
        """The current line; in code of ours (a polyfill, `dl.scan`) and of libraries that of the
        user's code that called it."""
        if self.parent is not None:
            file, outer = self.code.co_filename, self.parent.location()
            if file.startswith(OWN_FOLDER):
                return outer
            if is_library_file(file) and not is_library_file(outer.filename):
                return outer._replace(inside=(*outer.inside, code_name(self.code, self.globals)))
        line = self.current.line or self.code.co_firstlineno
        return Location(self.code.co_filename, line, self.code.co_qualname)

    # -- values

    def wrap(self, value: Any, source: Source) -> VariableTracker:
        """The tracker of a value that existed before the frame."""
        return wrap(self, value, source)

    def known(self, value: Any) -> VariableTracker:
        """The tracker of an object that the trace itself fixes: a class, a module, a function."""
        if type(value) in ATOMS:
            return constant(value)
        name = getattr(value, "__qualname__", None) or type(value).__name__
        return wrap(self, value, ConstSource(Pinned(value), str(name)))

    def outside(
        self, value: Any, source: Source, make: Callable[[Any, Source], VariableTracker]
    ) -> Any:
        """One tracker for one outside object, however it is reached; of an array without elements
        one for each source: it holds nothing to share, and what starts as one array parts."""
        state = self.state
        if type(value) is np.ndarray and not value.size and (seen := state.tracked.get(id(value))):
            return self.same_nothing(value, source, seen, make)
        if (seen := state.tracked.get(id(value))) is not None:
            place = seen.place if isinstance(seen, InstanceDictVariable) else seen.source
            if place != source and place is not None:
                self.same_object(value, source, place)
                self.state.shapes.policy.observe_again(source, value)
            return seen
        tracker = state.tracked[id(value)] = make(value, source)
        state.keep_alive.append(value)
        return tracker

    def same_nothing(
        self, value: Any, source: Source, seen: VariableTracker, make: Callable[[Any, Source], Any]
    ) -> Any:
        """The tracker of an empty array that was reached before, maybe by another source."""
        aliases = self.state.empty.setdefault(id(value), {seen.source: seen})
        if source not in aliases:
            aliases[source] = make(value, source)
        return aliases[source]

    def same_object(self, value: Any, source: Source, other: Source) -> None:
        """Rely on two sources reaching one object; a function's own cells never change."""
        if isinstance(source, CellSource):
            source, other = other, source
        if isinstance(other, CellSource):
            self.guards.install(source, IS, value, self.location())
        else:
            self.guards.install(source, SAME, other, self.location())

    def load_global(self, name: str) -> VariableTracker:
        """A global or builtin name, with this trace's own stores to it."""
        if (stored := self.stored_global(self.globals, name)) is not None:
            return stored
        namespace = self.globals
        if name not in namespace:
            namespace = vars(builtins)
            found = self.globals.get("__builtins__", builtins)
            namespace = found if isinstance(found, dict) else vars(found)
            if name not in namespace:
                raise self.absent(name, self.globals, namespace)
        return self.wrap(namespace[name], GlobalSource(Pinned(self.globals), name))

    def absent(self, name: str, *namespaces: Mapping[str, Any]) -> ObservedException:
        """The NameError of a name that none of the namespaces has, in later calls neither."""
        for namespace in namespaces:
            source = ConstSource(Pinned(namespace), namespace.get("__name__", "globals"))
            self.guards.install(source, NO_KEY, name, self.location())
        return observed(NameError(f"name {name!r} is not defined", name=name))

    def stored_global(self, namespace: dict[str, Any], name: str) -> VariableTracker | None:
        row = self.side_effects.global_row(Pinned(namespace), name)
        if isinstance(row, DeleteGlobal):
            raise GraphBreak(f"the deleted global {name!r}")
        return row.value if isinstance(row, StoreGlobal) else None

    def first_argument(self) -> VariableTracker:
        """What `super()` binds to."""
        name = self.code.co_varnames[0]
        value = self.locals[name]
        return value.load(self, name, False) if isinstance(value, CellVariable) else value

    def size(self, size: Size) -> VariableTracker:
        """The tracker of a size: a constant, or an int that is an expression of symbols."""
        return size_tracker(self, size)

    # -- operations of Python

    def getattr(self, value: VariableTracker, name: str) -> VariableTracker:
        if name == "__class__" and not has_own_class(value.python_type()):
            return self.known(value.python_type())
        try:
            return value.getattr(self, name)
        except ObservedException as raised:
            note_owner(raised.value, value, name)
            raise

    def store_attribute(self, owner: ObjectVariable, name: str, value: VariableTracker) -> None:
        """`object.__setattr__`."""
        store(self, owner, owner, name, value, plain=True)

    def truth(self, value: VariableTracker) -> bool:
        """`bool(value)`; where one answer only leads to a `raise`, data is expected to give the
        other one, which the graph checks."""
        try:
            return value.truth(self)
        except GraphBreak:
            outcome = expected_outcome(self.instructions, self.current)
            if outcome is None or not value.in_graph:
                raise
            value.expect(self, outcome)
            return outcome

    def is_equal(self, left: VariableTracker, right: VariableTracker) -> bool:
        return comparisons.is_equal(self, left, right)

    def is_less(self, left: VariableTracker, right: VariableTracker) -> bool:
        return self.truth(comparisons.compare(self, "<", left, right))

    def apply(self, function: VariableTracker, args: Args, kwargs: Kwargs) -> VariableTracker:
        """`function(*args, **kwargs)`."""
        kind = function.python_type()
        if lookup(kind, "__call__") is MISSING:
            raise observed(TypeError(f"{name_in_c(kind)!r} object is not callable"))
        return function.call(self, args, kwargs)

    def call(
        self, function: VariableTracker, *args: VariableTracker, **kwargs: VariableTracker
    ) -> VariableTracker:
        return self.apply(function, args, kwargs)

    def call_method(
        self, owner: VariableTracker, name: str, *args: VariableTracker
    ) -> VariableTracker:
        return owner.call_method(self, name, args, {})

    def call_builtin(self, function: Any, *args: VariableTracker) -> VariableTracker:
        return calls.dispatch(self, None, function, args, {})

    def dispatch(
        self, tracker: VariableTracker | None, function: Any, args: Args, kwargs: Kwargs
    ) -> VariableTracker:
        """Call an outside callable by the rule that applies to it."""
        return calls.dispatch(self, tracker, function, args, kwargs)

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

    def iterator(self, value: VariableTracker) -> IteratorVariable:
        """`iter(value)`."""
        return iteration.iterator(self, value)

    def iterate(self, value: VariableTracker) -> Iterator[VariableTracker]:
        """The items of any iterable."""
        return iteration.iterator(self, value).iterate(self)

    def collect(self, value: VariableTracker) -> Iterator[VariableTracker]:
        """The items of any iterable, as a list or tuple is made of them."""
        return iteration.collected(self, value)

    def pairs(
        self, mapping: VariableTracker, kind: type = dict
    ) -> Iterator[tuple[VariableTracker, VariableTracker]]:
        """Keys and values of a mapping, or of an iterable of pairs, for a `kind` of dict."""
        return iteration.pairs(self, mapping, kind)

    def import_module(self, name: str, level: int, names: Any) -> VariableTracker:
        """What an import statement binds when the module is loaded already."""
        return calls.import_module(self, name, level, names)

