"""What a graph is made of: nodes, the user's lines they came from, and where symbols are found."""
from __future__ import annotations

from typing import Any

from ..base.cells import cell_of
from ..base.records import NamedTuple, dataclass, field
from .errstates import AMBIENT, Errstate
from .sizes import Size
from .tree import leaves, map_leaves


class Location(NamedTuple):
    """The user's line that asked for a node; `inside` are the functions of libraries that were on
    the way from there."""

    filename: str
    line: int
    function: str
    inside: tuple[str, ...] = ()

    def __str__(self) -> str:
        """`f.py:3 in f → numpy.matrix.T`; a cell of a notebook as `Cell In[3], line 2 in f`."""
        return " → ".join((f"{self.place} in {self.function}", *self.inside))

    @property
    def called(self) -> str:
        """The function of a library that the line calls, where it goes on into one."""
        return self.inside[0] if self.inside else ""

    def into(self, function: str) -> Location:
        """The same line, where it goes on into a function of a library; a closure that passes the
        call on, as wrappers do, is left out, or told by the name of what it calls."""
        way = [name for name in self.inside if "<locals>" not in name]
        return self._replace(inside=(*way, function) if way[-1:] != [function] else (*way,))

    @property
    def place(self) -> str:
        """`f.py:3`, or `Cell In[3], line 2`."""
        if (cell := cell_of(self.filename)) is not None:
            return f"Cell {cell}, line {self.line}"
        return f"{self.filename}:{self.line}"


class AnyGraph:
    """What `Graph` is, for those modules that it is made of."""

    __slots__ = ()


@dataclass(eq=False, slots=True)
class Node:
    """One step: `op` is placeholder, call_function, get_attr or output.

    `args` and `kwargs` are pytrees (tuple, list, dict, slice) of nodes and constants. `type` is an
    ArrayType, a tuple or list of types for functions with several results, or None for no value.
    A size inside `args` (int or SizeExpr) may be symbolic. `errstate` is what the program says
    about floating-point reports at this place.
    """

    op: str
    name: str
    target: Any
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    type: Any = None
    location: Location | None = None
    errstate: Errstate = AMBIENT

    def __repr__(self) -> str:
        return self.name

    @property
    def operands(self) -> list[Node]:
        """The nodes that it refers to."""
        return leaves((self.args, self.kwargs), Node)


@dataclass(frozen=True, slots=True)
class Unbacked:
    """A symbol that stands for a size or an int that the graph computes.

    The first node whose type has it, as one of its sizes or as the value of a Python int, and which
    does not take it from its operands, binds it. `hint` is a guess, for decisions of cost.
    """

    what: str
    location: Location | None
    hint: int


class Assertion(NamedTuple):
    """`left relation right` (`==`, `<=` or `<`) must hold when the graph runs: where it does not,
    the call bails out, and the user's own code raises what NumPy raises."""

    relation: str
    left: Size
    right: Size
    location: Location | None = None

    def __str__(self) -> str:
        return f"{self.left} {self.relation} {self.right}"


@dataclass(frozen=True, slots=True)
class SymbolOrigin:
    """Where a symbol's value is found at run time: a fact of one placeholder.

    `fact` is "size", "stride" (bytes) or "value" (a Python int placeholder itself); `axis` is the
    dimension for the first two. `hint` is a likely value; a size is at least `least`. A "total" is
    the `sum` of symbols that come before it.
    """

    placeholder: int
    fact: str
    axis: int
    hint: int
    least: int = 2
    sum: Size = 0


def typed(tree: Any) -> Any:
    """The tree with types in the places of nodes."""
    return map_leaves(lambda leaf: leaf.type if isinstance(leaf, Node) else leaf, tree)
