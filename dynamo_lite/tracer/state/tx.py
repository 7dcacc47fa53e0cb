"""What trackers and handlers may ask of the frame that is analysed (`frame.translator` answers)."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from types import CodeType

    from ...bytecode.flow import Loop
    from ...bytecode.reading import Instruction
    from ...guards.guard_set import GuardSet
    from ...guards.shapes.shape_env import ShapeEnv
    from ...guards.sources import Source
    from ...ir.graph import Graph
    from ...ir.node import Location, Node
    from ...ir.sizes import Size
    from .side_effects import SideEffects
    from .trace import Progress, TraceState
    from .tracker import Args, Kwargs, ObservedException, VariableTracker

class Analysis(Protocol):
    """What the frames of one analysis share."""

    state: TraceState
    guards: GuardSet
    shapes: ShapeEnv
    side_effects: SideEffects
    inputs: list[tuple[Source, Node]]

    @property
    def graph(self) -> Graph:
        """Where nodes go."""
        ...

    def location(self) -> Location:
        """The user's current line."""
        ...


class Values(Protocol):
    """From Python's objects to trackers."""

    def wrap(self, value: Any, source: Source) -> VariableTracker:
        """The tracker of a value that existed before the frame."""
        ...

    def known(self, value: Any) -> VariableTracker:
        """The tracker of an object that the trace itself fixes: a class, a module, a function."""
        ...

    def size(self, size: Size) -> VariableTracker:
        """The tracker of a size: a constant, or an int that is an expression of symbols."""
        ...

    def outside(
        self, value: Any, source: Source, make: Callable[[Any, Source], VariableTracker]
    ) -> Any:
        """One tracker for one outside object, however it is reached."""

    def load_global(self, name: str) -> VariableTracker:
        """A global or builtin name, with this trace's own stores to it."""
        ...

    def stored_global(self, namespace: dict[str, Any], name: str) -> VariableTracker | None: ...

    def absent(self, name: str, *namespaces: Mapping[str, Any]) -> ObservedException:
        """The NameError of a name that none of the namespaces has, in later calls neither."""
        ...

    def import_module(self, name: str, level: int, names: Any) -> VariableTracker:
        """What an import statement binds when the module is loaded already."""
        ...


class Language(Protocol):
    """Python's operations on any values."""

    def getattr(self, value: VariableTracker, name: str) -> VariableTracker: ...

    def store_attribute(self, owner: Any, name: str, value: VariableTracker) -> None:
        """`object.__setattr__`."""

    def truth(self, value: VariableTracker) -> bool:
        """`bool(value)`."""
        ...

    def is_equal(self, left: VariableTracker, right: VariableTracker) -> bool: ...

    def is_less(self, left: VariableTracker, right: VariableTracker) -> bool: ...

    def apply(self, function: VariableTracker, args: Args, kwargs: Kwargs) -> VariableTracker:
        """`function(*args, **kwargs)`."""
        ...

    def call(
        self, function: VariableTracker, *args: VariableTracker, **kwargs: VariableTracker
    ) -> VariableTracker: ...

    def call_method(
        self, owner: VariableTracker, name: str, *args: VariableTracker
    ) -> VariableTracker: ...

    def call_builtin(self, function: Any, *args: VariableTracker) -> VariableTracker: ...

    def dispatch(
        self, tracker: VariableTracker | None, function: Any, args: Args, kwargs: Kwargs
    ) -> VariableTracker:
        """Call an outside callable by the rule that applies to it."""
        ...

    def inline(self, function: Any, args: Args, kwargs: Kwargs) -> VariableTracker:
        """Trace into a Python function."""
        ...

    def class_namespace(
        self, body: Any, stored: Callable[[str, VariableTracker], VariableTracker] | None = None
    ) -> dict[str, VariableTracker]:
        """What the names of a class body are bound to at its end."""
        ...

    def iterator(self, value: VariableTracker) -> Any:
        """`iter(value)`."""

    def iterate(self, value: VariableTracker) -> Iterator[VariableTracker]:
        """The items of any iterable."""
        ...

    def collect(self, value: VariableTracker) -> Iterator[VariableTracker]:
        """The items of any iterable, as a list or tuple is made of them."""
        ...

    def pairs(
        self, mapping: VariableTracker, kind: type = dict
    ) -> Iterator[tuple[VariableTracker, VariableTracker]]:
        """Keys and values of a mapping, or of an iterable of pairs, for a `kind` of dict."""
        ...


class Frame(Protocol):
    """The frame itself: its code, its variables, its stack, and where it is."""

    code: CodeType
    globals: dict[str, Any]
    locals: dict[str, VariableTracker]
    depth: int
    instructions: tuple[Instruction, ...]
    index: int
    current: Instruction
    stack: list[VariableTracker]
    handled: list[VariableTracker]
    returned: VariableTracker | None
    yielded: VariableTracker | None
    suspends: bool
    """Whether it is the frame of a generator whose items are asked for one by one."""

    @property
    def parent(self) -> Tx | None:
        """The frame that calls this one, where it is an inlined callee."""
        ...

    @property
    def closure(self) -> Sequence[VariableTracker]:
        """The cells of the function."""
        ...

    @property
    def all_handled(self) -> list[VariableTracker]:
        """The exceptions being handled, those of callers first."""
        ...

    def run(self) -> VariableTracker:
        """Interpret until the frame returns."""
        ...

    def step(self) -> None:
        """Interpret one instruction, and count it where it is one of the root frame."""

    def interpret(self) -> None:
        """Interpret one instruction; an exception it raises goes to its handler, if any."""

    def resumed_by(self, caller: Any) -> None:
        """The frame, a generator's, goes on below `caller`."""

    def may_catch(self) -> bool:
        """Whether an exception that is raised now may be handled in the trace."""
        ...

    def unwind(self, inst: Instruction, raised: ObservedException) -> bool:
        """Go to the instruction's exception handler, if any."""
        ...

    def first_argument(self) -> VariableTracker:
        """What `super()` binds to."""
        ...

    def pop(self) -> VariableTracker: ...

    def popn(self, count: int) -> list[VariableTracker]:
        """The `count` topmost values, the topmost last."""
        ...

    def jump(self, target: int | None) -> None: ...


class Loops(Protocol):
    """The frame's loops, and the one whose body is being traced as a graph of its own."""

    loops: dict[int, Loop]
    arrivals: dict[int, int]
    sizes: dict[int, Progress]
    depths: dict[int, int]
    region: Loop | None
    proceed: VariableTracker | None
    exits: dict[int, tuple[int, int, tuple[int, int]]]
    stops: frozenset[int]
    pending: list[Any]
    side_exits: Any

    def plan_list(
        self, value: VariableTracker, item: VariableTracker | None, *, waits: bool = False
    ) -> bool:
        """A list that a loop of the graph uses like an array may become one."""

    def is_unshared(self, value: VariableTracker) -> bool:
        """Whether no variable leads to what is put into a list just now."""

    def plan_joined(self, value: Any, axis: int, settles: bool) -> None:
        """An array that a loop of the graph joins others to may become one that has room."""

    def may_join(self, value: VariableTracker, name: str) -> bool:
        """Whether the array that an instruction makes longer has one name, which is the
        result's."""
        ...

    def plan_table(
        self, container: VariableTracker, key: VariableTracker, value: VariableTracker | None
    ) -> None:
        """A dict or set that a loop of the graph fills, by keys that data decides, may become one
        of arrays."""

    def answer(
        self, method: str, values: VariableTracker, *operands: VariableTracker
    ) -> VariableTracker | None:
        """What Python answers about a long list of numbers from outside; None of other lists."""

    def look_up(self, container: VariableTracker, key: VariableTracker) -> Any:
        """What the graph finds where data decides the key; None where it cannot look for it."""


class Tx(Analysis, Values, Language, Frame, Loops, Protocol):
    """One frame under analysis."""
