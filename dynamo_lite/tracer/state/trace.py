"""What one analysis of a frame produces, and the state that its translators share.

`translator.translate(function, flat_args, options)` gives a `Trace`. `compile`, `output` and the
guards only ever read it.
"""
from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from types import CodeType, FunctionType
from typing import Any, Protocol

from ...base.records import NamedTuple, dataclass, field
from ...bytecode.reading import Handler
from ...errors import NotWarm, OutOfTime, TooLarge
from ...guards.guard_set import GuardSet
from ...guards.shapes.dynamic import DynamicPolicy
from ...guards.shapes.shape_env import ShapeEnv
from ...guards.sources import Pinned, Source
from ...ir.errstates import Errstate
from ...ir.graph import Graph
from ...ir.node import Location, Node
from ...ir.numbering import Numbering
from ...ir.sizes import Size
from ...ir.types import ArrayType
from .fields import FieldName
from .side_effects import SideEffects
from .tracker import VariableTracker

PER_SOURCE = 8
"""Operations on one item of the arguments, as a rule."""
MOST_BUDGETS = 4
STEPS = 20
"""Instructions of one operation, as a rule."""

RECURSION = 30
"""Calls of one function inside each other that are followed: past it, it is a frame of its own."""


@dataclass(frozen=True, slots=True)
class TraceOptions:
    """What the caller decides about one analysis.

    `policy` says which sizes become symbols. `unroll_budget` is the number of traced operations
    that loops may add where the arguments are few. `prefix` is the number of instructions in front
    of a continuation's original text. `short_loops` has the loops of that text that tracing could
    not get through, by their heads, and why Python had better run them (or ""); it is None where no
    loop is left to Python for that. `whole`: one graph is wanted, also where two would be faster.
    After the `deadline` (`time.thread_time`), which is not reached before `earliest`
    (`time.monotonic`), the analysis raises NotWarm, and TooLarge when the graph has more than
    `most_operations`; it is given up at `until`, when the `seconds` are over, of which a loop that
    is unrolled may take half. `recursion` is how many calls of one
    function inside each other are followed. It is noted of branches on data whose arms cannot be
    merged where they first meet (`unmerged`), and of arms that raise, by their first instruction.
    `leaves_cold_arms`: `control_flow.cold_arms` are left to Python; `leaves_loops`: other arms that
    Python has to run may be `control_flow.side_exits` of the loop they are in. `recursions` has the
    functions that become nodes of the graph, by their code, or why they cannot. `binds`: data may
    decide whether a local has a value. `reads_rows`: the rows of lists from outside may be lists,
    since no list from outside changes.
    """

    policy: DynamicPolicy | None = None
    unroll_budget: int = 2000
    seconds: float = 20.0
    inline_depth: int = 100
    prefix: int = 0
    short_loops: dict[int, str] | None = None
    whole: bool = False
    deadline: float = math.inf
    earliest: float = math.inf
    until: float = math.inf
    most_operations: float = math.inf
    recursion: int = RECURSION
    loops: dict[tuple[CodeType, int], LoopPlan] = field(default_factory=dict)
    unmerged: set[tuple[CodeType, int]] = field(default_factory=set)
    raising: set[tuple[CodeType, int, int]] = field(default_factory=set)
    leaves_cold_arms: bool = False
    cold_arms: dict[tuple[CodeType, int, int], ColdArm] = field(default_factory=dict)
    leaves_loops: bool = False
    side_exits: dict[tuple[CodeType, int, int], ColdArm] = field(default_factory=dict)
    recursions: dict[CodeType, str] = field(default_factory=dict)
    binds: bool = True
    reads_rows: bool = True


class Progress(NamedTuple):
    """How far an analysis has come: nodes of the graph, instructions, numbers computed from
    arguments, and parts of the arguments and surroundings that were looked at."""

    nodes: int
    steps: int
    dependents: int
    sources: int


@dataclass(frozen=True, slots=True)
class ColdArm:
    """An arm of a branch that Python runs, with all of the call that takes it."""

    reason: str
    location: Location | None


@dataclass(frozen=True, slots=True)
class Appended:
    """A list from outside that a loop appends to: the types of an item's numbers, its layout, and
    how many types were `tried`."""

    list: Pinned
    source: Source
    kinds: tuple[ArrayType, ...]
    layout: tuple[str, tuple[Any, ...]] | None
    tried: int


@dataclass(frozen=True, slots=True)
class LoopPlan:
    """What an analysis has found out about a loop: it is unrolled for `reason`, or becomes a node
    of the graph after `peeled` iterations. Those in `unions` have one of two types, which are
    given, as data decides. `lists` are those that the loop changes: the name, the types of an
    item's numbers, its layout (`array_backed.layouts`), and whether it is passed to functions.
    `fields` are those of older objects and cells. In the variables `replaced` are objects, of which
    each iteration makes others; in `words` ints of 64 bits without a sign; `tables` are dicts and
    sets that the loop fills, with the kinds of what they hold; `rows` lists of lists that it
    indexes, with the type of their numbers; `appended` are lists from outside that only become
    longer; `bound` are numbers that variables without a value perhaps get in it, with their
    types; `joined` are arrays that it makes longer: along which axis, of how many."""

    reason: str = ""
    peeled: int = 0
    unions: frozenset[tuple[str, tuple[type, ...]]] = frozenset()
    lists: frozenset[
        tuple[str, tuple[ArrayType, ...], tuple[str, tuple[Any, ...]] | None, bool]] = frozenset()
    fields: frozenset[FieldName] = frozenset()
    replaced: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    tables: frozenset[tuple[str, Hashable]] = frozenset()
    rows: frozenset[tuple[str, ArrayType]] = frozenset()
    appended: frozenset[Appended] = frozenset()
    bound: frozenset[tuple[str, ArrayType]] = frozenset()
    joined: frozenset[tuple[str, int, int]] = frozenset()


@dataclass(frozen=True, slots=True)
class AliasInfo:
    """Why an array of the graph stands for more than one of the program's: `what` it is, after the
    loop or branch at `place` (as in `TraceOptions.loops`); a new array, or one of `sources`."""

    what: str
    place: tuple[CodeType, int]
    sources: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Returned:
    """The frame ran to its end; `value` is what it returns."""

    value: VariableTracker


@dataclass(frozen=True, slots=True)
class Ran:
    """The `iterations` of the loop at `head` before a side exit, or to its end (`is_over`), and the
    nanoseconds that each one saves."""

    iterations: VariableTracker
    saves: float
    head: int
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class Stopped:
    """Tracing ended just before the root frame's instruction number `index`.

    `stack` is bottom to top with `NULL` trackers where the interpreter keeps NULLs; `locals` maps
    each bound fast local, by name, to its tracker (cells are `CellVariable`s; unbound names are
    absent). `is_sound`: nothing is wrong with the instruction. `handler`: where interrupts go
    there, if not where the instruction's own exceptions do. `in_python`: Python runs the frame
    from here on. `operations` is how many operations on arrays this leaves to Python.
    `others` are places where the frame goes on instead, each with the truth that the graph says
    when it does: the first that is true. `ran` is what was gained before that. `error` is what
    NumPy raises for the instruction, where it is known to.
    """

    index: int
    reason: str
    location: Location
    stack: tuple[VariableTracker, ...]
    locals: dict[str, VariableTracker]
    operations: int = 0
    is_sound: bool = False
    handler: Handler | None = None
    in_python: bool = False
    others: tuple[tuple[VariableTracker, Stopped], ...] = ()
    ran: Ran | None = None
    error: Exception | None = None

    @property
    def values(self) -> Iterator[VariableTracker]:
        """All that is found there, and what decides about it."""
        yield from (*self.stack, *self.locals.values())
        if self.ran is not None:
            yield self.ran.iterations
        for truth, other in self.others:
            yield truth
            yield from other.values


@dataclass(eq=False, slots=True)
class IdKeys:
    """Whether ids were keys, and whether keys from outside were met that may be ids."""

    used: bool = False
    met: bool = False


class Suspended(Protocol):
    """A generator that the frame began and has not ended."""

    name: str
    finished: bool

    def closes_silently(self) -> bool: ...


class EnteredErrstate(Protocol):
    """An error state of NumPy that the frame is in."""

    is_left: bool

    @property
    def errstate(self) -> Errstate: ...


@dataclass(frozen=True, slots=True)
class Counter:
    """The index of a loop whose body is `graph`: what it is at least and at most."""

    graph: Graph
    least: int
    most: Size


@dataclass(eq=False, slots=True)
class TraceState:
    """Shared by the root translator and those of inlined callees.

    Of sizes that depend on data, `lengths` tells which axis of which node shows them (None: the
    node is the value); `positions` has what `np.nonzero` gives for a mask, by its value number.
    `graph` is where nodes go: `root_graph`, or the graph of a loop's or branch's body. `may_alias`
    are arrays that may or may not be the same as others, which are `sources`; `consumed` are those
    whose memory a loop has taken for its own; `list_lengths` are the lengths of lists whose items
    are in arrays, and `in_arrays` says that those of any container are; `reads_lists`: lists are
    rows of lists from outside that were read; `left_arms` are the cold ones that it came past;
    `keys` are the outside objects that were looked up by their identity.
    `written` has the placeholders that bodies write into, `elements` those of long values from
    outside, and what dicts from outside hold, as arrays. `recursions` are the functions whose
    bodies are being traced (`control_flow.recursion`), `replanned` are lists that wait for the
    next analysis, and the loops whose plans have them now. `self_calls` counts the calls that
    functions make of themselves, `dependents` the numbers computed from arguments, and
    `read_unbound` are locals that were read while they had no value.
    """

    function: FunctionType
    flat_args: Sequence[Any]
    options: TraceOptions
    graph: Graph
    guards: GuardSet
    shapes: ShapeEnv
    side_effects: SideEffects
    inputs: list[tuple[Source, Node]] = field(default_factory=list)
    input_sources: set[Source] = field(default_factory=set)
    tracked: dict[int, VariableTracker] = field(default_factory=dict)
    empty: dict[int, dict[Any, VariableTracker]] = field(default_factory=dict)
    keep_alive: list[Any] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    placeholders: dict[int, VariableTracker] = field(default_factory=dict)
    class_attributes: dict[tuple[type, str], VariableTracker] = field(default_factory=dict)
    functions: dict[FunctionType, tuple[Any, dict[str, VariableTracker]]] = field(
        default_factory=dict
    )
    suspended: list[Suspended] = field(default_factory=list)
    errstates: list[EnteredErrstate] = field(default_factory=list)
    numberings: dict[Graph, Numbering] = field(default_factory=dict)
    inferred: dict[Hashable, Any] = field(default_factory=dict)
    lengths: dict[str, tuple[Node, int | None]] = field(default_factory=dict)
    positions: dict[Hashable, list[VariableTracker]] = field(default_factory=dict)
    computed: dict[Hashable, VariableTracker] = field(default_factory=dict)
    list_lengths: dict[str, VariableTracker] = field(default_factory=dict)
    in_arrays: bool = False
    reads_lists: bool = False
    keys: dict[VariableTracker, None] = field(default_factory=dict)
    written: dict[Graph, set[Node]] = field(default_factory=dict)
    elements: dict[Hashable, Any] = field(default_factory=dict)
    counters: dict[Node, Counter] = field(default_factory=dict)
    ids: IdKeys = field(default_factory=IdKeys)
    root_steps: int = 0
    steps: int = 0
    dependents: int = 0
    locate: Callable[[], Location | None] = lambda: None
    lines: Any = None
    root_graph: Graph = field(default_factory=Graph)
    left_arms: dict[tuple[CodeType, int, int], ColdArm] = field(default_factory=dict)
    may_alias: dict[Node, AliasInfo] = field(default_factory=dict)
    sources: dict[Node, AliasInfo] = field(default_factory=dict)
    consumed: dict[Node, AliasInfo] = field(default_factory=dict)
    recursions: list[Any] = field(default_factory=list)
    replanned: dict[VariableTracker, tuple[CodeType, int]] = field(default_factory=dict)
    self_calls: dict[CodeType, int] = field(default_factory=dict)
    read_unbound: set[tuple[CodeType, str]] = field(default_factory=set)

    @property
    def budget(self) -> int:
        """The number of operations that loops may add: more of them where they go through lists of
        the caller's, which guards are about item by item."""
        few = self.options.unroll_budget
        return min(few + PER_SOURCE * self.guards.sources, MOST_BUDGETS * few)

    def check_time(self) -> None:
        """Asked wherever an analysis may stay for long: at instructions, nodes and items."""
        options, now = self.options, time.monotonic()
        if len(self.root_graph.nodes) > options.most_operations:
            raise TooLarge
        if now > options.earliest and time.thread_time() > options.deadline:
            raise NotWarm
        if now > options.until:
            longer = f"{options.seconds:g} seconds (config.trace_seconds)"
            raise OutOfTime(f"tracing takes longer than {longer}")

    def placeholder_for(self, made: object, tracker: VariableTracker) -> None:
        """From here on `made`, which a class of the frame holds, is known as the tracker."""
        self.placeholders[id(made)] = tracker
        self.keep_alive.append(made)

    def close(self) -> None:
        """Let go of the program's objects: they are to live no longer than without an analysis."""
        self.shapes.end_trace()
        for tracker in self.tracked.values():
            tracker.let_go()
        self.flat_args, self.locate = (), lambda: None
        for known in (self.tracked, self.empty, self.placeholders, self.class_attributes,
                      self.keep_alive, self.suspended, self.errstates, self.positions,
                      self.functions, self.keys, self.numberings, self.written,
                      self.elements):  # fmt: skip
            known.clear()


@dataclass(frozen=True, slots=True)
class Trace:
    """One analysed frame: `inputs[i]` is the source of the graph's placeholder `i`.

    The graph has no output node yet: `output` decides which nodes have to leave it. `root_steps`
    counts the root frame's instructions taken; `translate(..., stop_at=n)` with a smaller number
    stops earlier.
    """

    function: FunctionType
    graph: Graph
    inputs: list[Source]
    guards: GuardSet
    shapes: ShapeEnv
    side_effects: SideEffects
    end: Returned | Stopped
    steps: int = 0
    restarts: int = 0
    break_reasons: tuple[str, ...] = ()
    root_steps: int = 0
    cold_arms: tuple[ColdArm, ...] = ()
