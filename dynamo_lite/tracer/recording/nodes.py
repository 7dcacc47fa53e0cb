"""Recording: how a call becomes a node of the graph, and a node a tracker.

The kinds of graph values (`arrays`, `numbers`) register themselves in `RESULTS` by form, so that a
result of any operation finds its tracker.
"""
from __future__ import annotations

import operator
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...base.config import config
from ...base.origins import module_of_ufunc, public_name
from ...errors import GraphBreak, NotDifferentiable, PlanLoop, Unsupported
from ...guards.shapes.symbols import DataResult
from ...guards.sources import Source
from ...ir import core, memory
from ...ir.fake_arrays import concrete, provoke, run_silently
from ...ir.graph import Graph
from ...ir.node import Node, SymbolOrigin, typed
from ...ir.numbering import Numbering, frozen
from ...ir.ops.columns import says
from ...ir.ops.inference import accepts, infer
from ...ir.row import row_of
from ...ir.sizes import Size, SizeExpr, symbols, weight
from ...ir.tree import leaves, map_leaves
from ...ir.types import ArrayType, Form
from ..object_model.constants import NONE, context_of, observed
from ..rules.trace_rules import Action, rule_for
from ..state.trace import LoopPlan
from ..state.tracker import ObservedException, VariableTracker
from ..trackers.containers.lists import ListVariable
from ..trackers.containers.sequences import TupleVariable
from ..trackers.objects.errstates import current
from .out_arguments import with_named_out
from .unbacked import found_in, naming
from .weak_ints import narrow

if TYPE_CHECKING:
    from ..state.tx import Tx

RESULTS: dict[Form, Callable[[Node], VariableTracker]] = {}
"""Form of a type → tracker of a node of that type."""

CONVERSIONS = (bool, int, float, complex)

REFUSALS = (TypeError, ValueError, IndexError, ArithmeticError, MemoryError)
"""What NumPy raises for a wrong call; eager raises it again, from the user's own line."""


def record(
    tx: Tx,
    target: Callable[..., Any],
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
) -> VariableTracker:
    """Append `target(*args, **kwargs)`, given as graph arguments, and track its result."""
    tx.state.check_time()
    name = name_of(target)
    if (row := row_of(target)) is None:
        rule = rule_for(target)
        left = rule.action is Action.SKIP
        told = f"calling {name}: {rule.reason}" if left else ""
        raise GraphBreak(told or f"{name} is not an operation of the graph")
    if target in CONVERSIONS and not config.capture_scalar_outputs:
        raise GraphBreak(f"{name} of what the graph computes (config.capture_scalar_outputs)")
    args, kwargs = with_named_out(target, args, kwargs or {})
    for place, dtype in tuple(narrow(target, args, kwargs)):
        fitting = record(tx, core.fitting, (args[place], dtype)).as_argument(tx)
        args = (*args[:place], fitting, *args[place + 1 :])
    is_named = not tx.graph.is_body or says(target, "binds") == "lengths"
    tx.shapes.call = naming(lambda: numbering(tx), args) if is_named else equal_to_nothing
    if tx.state.consumed:
        check_not_consumed(tx, (args, kwargs))
    known = len(tx.shapes.data)
    try:
        kind = inferred(tx, target, tuple(args), dict(kwargs or {}))
    except Unsupported as unsupported:
        raise GraphBreak(f"{name}: {unsupported}") from None
    except NotDifferentiable:
        raise
    except REFUSALS as error:
        reason = f"{name} raises {type(error).__name__}: {error}"
        broken = GraphBreak(reason)
        broken.refused = True
        if is_own(error, args, kwargs):
            if tx.may_catch():
                raise refused(tx, target, args, kwargs, error) or broken from None
            assert row.infer is not None  # which has refused it
            broken.error = error if accepts(row.infer, len(args), tuple(kwargs)) else None
        raise broken from None
    if any(weight(size) > HEAVIEST for size in _symbolic_sizes(kind)):
        raise GraphBreak(f"the sizes of what {name} gives have become a long expression")
    if tx.graph.is_body and not says(target, "binds"):
        kind = without_symbols(kind, [*tx.shapes.data][known:])
    if _discards_imaginary_parts(target, args, kwargs or {}, kind):
        raise GraphBreak(f"{name} casts complex values to real ones, which NumPy warns about")
    for written in memory.places(target, args, kwargs or {}):
        writes(tx, written)
        if says(target, "reads_late"):
            read = _nodes(tuple(args[1:] if written in args[:1] else args))
            if any(owner_of(tx, node) is owner_of(tx, written) for node in read):
                raise GraphBreak(f"{name} reads the array that it writes")
    node = tx.graph.call_function(
        target, tuple(args), dict(kwargs or {}), type=kind, location=tx.location(),
        errstate=current(tx),
    )
    return result_of(tx, node)


def inferred(
    tx: Tx, target: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The type of a call. Equal calls of operands of equal types have equal types, where no symbol
    stands for data: questions about sizes have been answered once they have been asked."""
    given = typed((args, tuple(sorted(kwargs.items()))))
    if (key := frozen((target, given))) is None:
        return infer(target, args, kwargs, tx.shapes)
    if (known := tx.state.inferred.get(key)) is not None:
        return known
    asked = tx.shapes.asked_of_data
    kind = infer(target, args, kwargs, tx.shapes)
    if tx.shapes.asked_of_data == asked and not isinstance(kind, list):
        tx.state.inferred[key] = kind
    return kind


HEAVIEST = 200
"""Symbols and numbers of the longest size of an array: the continuation of a frame has new
symbols."""


def _symbolic_sizes(kind: Any) -> Iterator[SizeExpr]:
    for type_ in leaves(kind):
        if isinstance(type_, ArrayType):
            yield from (size for size in type_.shape if isinstance(size, SizeExpr))


def refused(
    tx: Tx, target: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any],
    error: Exception,
) -> ObservedException | None:
    """NumPy's own error for a wrong call, as the program sees it, which may catch it: as it is for
    values of these very types, where they are small enough to be made."""
    given = map_leaves(lambda leaf: _settled(tx, leaf), (tuple(args), dict(kwargs)))
    tx.guards.reads_flags = True
    try:
        run_silently(target, *concrete(given, tx.shapes))
    except REFUSALS as raised:
        return observed(raised) if is_own(raised, args, kwargs) else None
    except Unsupported:
        return observed(error)
    return None


def is_own(error: Exception, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether an error that NumPy raises for fake values is the one for the program's own."""
    if isinstance(error, TypeError) and isinstance(context_of(error), TypeError):
        return False  # a function of NumPy's has tried twice, which the method does not do
    kinds = [getattr(leaf, "type", leaf) for leaf in leaves((tuple(args), dict(kwargs)))]
    return not any(  # the error may name the value of a number
        isinstance(kind, ArrayType) and kind.form is not Form.ARRAY for kind in kinds)


def provoked(
    tx: Tx, reason: str, target: Callable[..., Any], args: tuple[Any, ...]
) -> GraphBreak | ObservedException:
    """What to raise for a call of no rule's, with arguments of such types, that NumPy refuses."""
    broken = GraphBreak(reason)
    if tx.may_catch():
        args = map_leaves(lambda leaf: _settled(tx, leaf), args)
    tx.guards.reads_flags = True
    try:
        provoke(target, args, {}, tx.shapes)
    except REFUSALS as error:
        if tx.may_catch():
            return observed(error)
        broken.error = error
    except Unsupported:
        pass
    return broken


def _settled(tx: Tx, leaf: Any) -> Any:
    """The type of an argument, with sizes that are fixed from here on: messages name them."""
    kind = leaf.type if isinstance(leaf, Node) else leaf
    if isinstance(kind, SizeExpr):
        return tx.shapes.specialize(kind)
    if not isinstance(kind, ArrayType):
        return kind
    shape = tuple(tx.shapes.specialize(size) for size in kind.shape)
    return replace(kind, shape=shape, strides=tuple(map(tx.shapes.specialize, kind.strides)))


@contextmanager
def adding_to(tx: Tx, graph: Graph) -> Iterator[None]:
    """Nodes go to a graph that has been traced."""
    state = tx.state
    outer, state.graph = state.graph, graph
    try:
        yield
    finally:
        state.graph = outer


DEPENDS_ON_DATA = "a size that depends on data, in a loop or branch"


def equal_to_nothing(role: str, of: tuple[int, ...]) -> DataResult:
    """What depends on data in the body of a loop or branch is equal to nothing else."""
    return DataResult(object(), f"the number of {role}" if role else "a value")


def without_symbols(kind: Any, made: Sequence[str]) -> Any:
    """A type that a body can have: an int that it computes is a number, and no size of an array."""
    if isinstance(kind, ArrayType) and kind.form is Form.PYTHON:
        return replace(kind, value=None)
    for one in leaves(kind):
        sizes = one.shape if isinstance(one, ArrayType) else ()
        if any(not set(made).isdisjoint(symbols(size)) for size in sizes):
            raise GraphBreak(DEPENDS_ON_DATA)
    return kind


def check_not_consumed(tx: Tx, tree: Any) -> None:
    for leaf in leaves(tree):
        if isinstance(leaf, Node) and (alias := tx.state.consumed.get(owner_of(tx, leaf))):
            raise PlanLoop(alias.place, LoopPlan(f"the program goes on to use {alias.what}"))


def _discards_imaginary_parts(
    target: Any, args: Sequence[Any], kwargs: Mapping[str, Any], kind: Any
) -> bool:
    """Whether NumPy's cast warns, in every call: no use in compiling it."""
    if target is operator.setitem:
        source, result = args[2], args[0].type
    elif says(target, "casts") or "dtype" in kwargs:
        source, result = args[0] if args else None, kind
    else:
        return False
    return (
        isinstance(source, Node)
        and source.type.dtype.kind == "c"
        and isinstance(result, ArrayType)
        and result.dtype.kind in "iuf"
    )


def result_of(tx: Tx, node: Node) -> VariableTracker:
    """The tracker of what a node returns; results of several values are taken apart."""
    kind = node.type
    if kind is None:
        return NONE
    if isinstance(kind, ArrayType):
        if tx.graph.is_body:
            return RESULTS[kind.form](node)
        found_in(tx, node)
        if kind.value is not None:
            return tx.size(kind.value)
        return RESULTS[kind.form](node)
    items = [
        result_of(tx, tx.graph.call_function(operator.getitem, (node, index), type=item))
        for index, item in enumerate(kind)
    ]
    if isinstance(kind, list):
        return ListVariable(items)
    return TupleVariable(items, kind=type(kind))


def name_of(target: Callable[..., Any]) -> str:
    """How reasons name a callable: `numpy.sum`, `operator.getitem`."""
    name = str(getattr(target, "__qualname__", None) or getattr(target, "__name__", repr(target)))
    owner = getattr(target, "__objclass__", None) or type(getattr(target, "__self__", None))
    module = getattr(target, "__module__", None) or (
        "random" if issubclass(owner, random.Random) else module_of_ufunc(target)
    )
    is_users = module == "__main__" or name.endswith(" (vectorized)")  # as np.frompyfunc says
    return name if is_users else public_name(module, name)


def numbering(tx: Tx) -> Numbering:
    """The value numbers of the graph at hand, as long as it is written."""
    if tx.graph not in tx.state.numberings:
        begin_numbering(tx)
    return tx.state.numberings[tx.graph]


def begin_numbering(tx: Tx, outer: Numbering | None = None, repeats: bool = False) -> None:
    known, nodes = tx.state.numberings, tx.graph.nodes
    known[tx.graph] = Numbering(nodes, lambda node: owner_of(tx, node), outer, repeats)


# -- inputs


def placeholder(tx: Tx, source: Source, kind: ArrayType) -> Node:
    """A new input of the graph; symbols that it brings along are found in it at run time."""
    name = re.sub(r"\W+", "_", str(source)).strip("_") or "input"
    node = tx.state.root_graph.placeholder(name if name[0].isalpha() else f"_{name}", kind)
    tx.inputs.append((source, node))
    tx.state.input_sources.add(source)
    return node


def declare_symbols(tx: Tx, names: Iterator[str]) -> None:
    """Say in the graph where the symbols of the newest placeholder are found."""
    for name in names:
        info = tx.shapes.infos[name]
        origin = SymbolOrigin(len(tx.inputs) - 1, info.fact, info.axis, info.hint)
        tx.state.root_graph.symbols.setdefault(name, origin)


# -- writes


def _nodes(tree: Any) -> list[Node]:
    return leaves(tree, Node)


def writes(tx: Tx, node: Node) -> None:
    """A node's memory is about to be written: guard what makes that safe to do in the graph."""
    *parts, owner = memory.views(node, tx.shapes)
    noted = [*map(tx.state.may_alias.get, (owner, *parts)), tx.state.sources.get(owner)]
    for alias in filter(None, noted):
        raise GraphBreak(f"writing into {alias.what}")
    if owner.op == "get_attr":
        raise GraphBreak("writing into an array that is a constant of the graph")
    if owner.op != "placeholder" or all(owner is not found for _, found in tx.inputs):
        return
    source = next(source for source, found in tx.inputs if found is owner)
    if overlaps_itself(tx, owner.type):
        raise GraphBreak(f"writing into {source}, whose elements overlap in memory")
    tx.guards.write_array(source, tx.location())


def owner_of(tx: Tx, node: Node) -> Node:
    """The node whose memory `node` is a view of, or may be."""
    return memory.owner_of(node, tx.shapes)


def overlaps_itself(tx: Tx, kind: ArrayType) -> bool:
    """Whether two elements may share memory: each stride must step over all the smaller ones."""
    if kind.is_c_contiguous:
        return False
    axes = [(s, n) for s, n in zip(kind.strides, kind.shape) if n != 1]
    steps = sorted((abs(tx.shapes.hint(stride)), index) for index, (stride, _) in enumerate(axes))
    reach: Size = kind.dtype.itemsize
    for hint, index in steps:
        stride, size = axes[index]
        step = stride if tx.shapes.hint(stride) >= 0 else -stride
        if hint == 0 or not tx.shapes.less_equal(reach, step):
            return True
        reach = reach + step * (size - 1)
    return False
