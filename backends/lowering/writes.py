"""Writes: functional updates of arrays, and the final contents of written inputs.

An update of an array that nothing else reads happens in its memory. The new contents of inputs are
computed into fresh memory, for the written regions only; after the commit they are copied.
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...ir import core
from ...ir.errstates import AMBIENT, Errstate
from ...ir.node import Node
from ...ir.sizes import Size, SizeExpr, product
from ...ir.tree import leaves
from ...ir.types import Form
from .. import affine, rewrite, simplify
from ..fusion import Access
from ..loops import Buffer, Check, Const, Expr, Gather, Load, Scalar, Store
from ..program import Commit
from ..simplify import Inexact, const
from .context import Lowering, is_size, lowers, packed, reads_buffer
from .masks import deposit, deposited_by
from .pointwise import compare, operand_at, require_native
from .rehearsal import can_repeat, rehearse, tried_out
from .scatters import checked_key, set_aside, store_at, windows_of
from .selections import moves, selection
from .values import NATIVE, CannotLower, Value, load_of
from .views import position_in, slice_start, spelled_out
from .windows import ViewSteps, region, view_shape


@lowers(core.update, reads=Access.REST)
def update(low: Lowering, node: Node, base: Any, view: ViewSteps, value: Any) -> Value:
    """The array `base` after an assignment, in the memory of `base` when only this reads it."""
    if not isinstance(base, Value):
        raise CannotLower("an update of a constant")
    require_native(base.dtype, *([value.dtype] if isinstance(value, Value) else ()))
    if not isinstance(value, (Value, SizeExpr, *NUMBERS)):
        raise CannotLower("an assignment of a sequence or a complex number")
    if any(map(moves, view)):
        return moved(low, node, base, view, check_number(low, value, base.dtype))
    view_shape(low, base, windows_of(view))
    value = check_number(low, value, base.dtype)
    if is_everything(view) and is_passed_on(low, node) and value.shape == base.shape:
        return replace(value, type=node.type, expr=simplify.convert(value.expr, base.dtype),
                       array=None, fresh=True)
    if windows_of(view) is not view:
        if not low.may_change(node.args[0], base, node):
            base = low.owned(low.materialise(base, f"{node.name} changes it", layout=node.type))
        place(low, node, base, view, value)
        return replace(base, type=node.type)
    if isinstance(value, Value) and value.shape and low.is_owned(base) and (
        reads_buffer(value.expr, load_of(base).buffer)
    ):
        value = low.computed(value)
    if not low.may_change(node.args[0], base, node):
        base = rest_of(low, node, replace(base, type=node.type), view)
    assign(low, region(low, base, view), value)
    return low.owned(replace(base, type=node.type))


def moved(low: Lowering, node: Node, base: Value, view: ViewSteps, value: Any) -> Value:
    """An assignment at positions that are computed."""
    if any(function is not operator.getitem for function, _, _ in view):
        raise CannotLower("an assignment through a view at computed positions")
    if isinstance(value, Value) and value.shape and base.is_loaded and (
        reads_buffer(value.expr, load_of(base).buffer)
    ):
        value = low.computed(value)
    if not low.may_change(node.args[0], base, node):
        base = low.owned(low.materialise(base, f"{node.name} changes it", layout=node.type))
    base = replace(base, type=node.type)
    target = selection(low, base, view)
    expr = operand_at(low, squeezed(low, value, len(target.shape)), target.axes, target.dtype)
    place = target.expr
    assert isinstance(place, (Gather, Load))
    indices = place.indices if isinstance(place, Gather) else ()
    low.launch(target.axes, Store(place.buffer, place.offset, expr, indices))
    return low.owned(base)


def check_number(low: Lowering, value: Any, dtype: np.dtype) -> Any:
    """NumPy stores a number in an array of integers by way of a Python int, which must fit."""
    if not isinstance(value, Value) or value.type.form is Form.ARRAY or dtype.kind not in "iu":
        return value
    number = low.broadcast(value, ())
    for name, bound in bounds_of(number.dtype, dtype):
        low.launch((), Check(compare(name, number, const(bound, number.dtype))))
    return replace(value, type=replace(value.type, form=Form.SCALAR))


def bounds_of(source: np.dtype, target: np.dtype) -> list[tuple[str, Any]]:
    """What numbers of one dtype must fulfil to be numbers of an integer dtype."""
    limits = np.iinfo(target)
    if source.kind == "f":
        lowest, highest = source.type(limits.min), source.type(limits.max)
        if int(highest) > limits.max:
            highest = np.nextafter(highest, source.type(0))
        return [("greater_equal", lowest), ("less_equal", highest)]
    if source.kind not in "iu":
        return []
    own = np.iinfo(source)
    found: list[tuple[str, Any]] = []
    if own.min < limits.min:
        found.append(("greater_equal", limits.min))
    if own.max > limits.max:
        found.append(("less_equal", limits.max))
    return found


def rest_of(low: Lowering, node: Node, base: Value, view: ViewSteps) -> Value:
    """New memory that holds `base`, at least where the assignment does not replace it."""
    box = box_of(low, base, view)
    if box is None or product_hint(low, base.shape) < LARGE > product_hint(low, box[1]):
        return low.owned(low.materialise(base, f"{node.name} changes it"))
    kind = packed(node.type, base.shape, base.dtype)
    made = low.memory_value(kind, low.allocate(kind))
    for starts, sizes in slabs(base.shape, *box):
        low.store(part_of(low, made, starts, sizes), part_of(low, base, starts, sizes))
    return made


NUMBERS = (int, float, np.bool_, np.integer, np.floating)
LARGE = 4096
"""Below so many elements one kernel that copies everything is better than one for each border."""
Box = tuple[list[Size], list[Size]]


def product_hint(low: Lowering, shape: Sequence[Size]) -> int:
    return low.hint(product(shape))


def box_of(low: Lowering, base: Value, view: ViewSteps) -> Box | None:
    """Where the assigned elements begin and how many they are, along each dimension; None when they
    are not a box of neighbours."""
    if not view:
        return [0] * len(base.shape), list(base.shape)
    ((function, args, _), *more) = view
    if more or function is not operator.getitem:
        return None
    key = args[0] if isinstance(args[0], tuple) else (args[0],)
    items = spelled_out(key, len(base.shape))
    steps = [item.step for item in items if isinstance(item, slice)]
    if None in items or any(step not in (None, 1) for step in steps):
        return None
    lengths = iter(view_shape(low, base, view))
    starts: list[Size] = []
    sizes: list[Size] = []
    for item, size in zip(items, base.shape):
        whole = isinstance(item, slice)
        starts.append(
            slice_start(low, item.start, size, 1) if whole else position_in(low, item, size)
        )
        sizes.append(next(lengths) if whole else 1)
    return starts, sizes


def slabs(shape: Sequence[Size], starts: list[Size], sizes: list[Size]) -> Iterator[Box]:
    """Boxes that together are everything outside of one box."""
    for dim, size in enumerate(shape):
        after = starts[dim] + sizes[dim]
        for start, length in ((0, starts[dim]), (after, size - after)):
            if not affine.is_zero(length):
                before = [0] * (len(shape) - dim - 1)
                yield (
                    [*starts[:dim], start, *before],
                    [*sizes[:dim], length, *shape[dim + 1 :]],
                )


def part_of(low: Lowering, value: Value, starts: Sequence[Size], sizes: Sequence[Size]) -> Value:
    """The box of `value` with these first elements and sizes."""
    axes = low.axes(sizes)
    index = [
        affine.plus(affine.along(axis), affine.Offset(start)) for axis, start in zip(axes, starts)
    ]
    return low.view(replace(value.type, shape=tuple(sizes)), value, axes, index)


def place(low: Lowering, node: Node, target: Value, view: ViewSteps, value: Any) -> None:
    """Assign at positions from integer arrays."""
    if deposited_by(low, node) is not None:
        value = set_aside(low, value, target.dtype, {load_of(target).buffer})
        if deposit(low, node, target, value):
            return
    store_at(low, target, view, value)


def assign(low: Lowering, target: Value, value: Any) -> None:
    """Store a value, of a shape that broadcasts, with the conversion of an assignment."""
    value = squeezed(low, value, len(target.shape))
    expr = operand_at(low, value, target.axes, target.dtype)
    place = load_of(target)
    low.launch(target.axes, Store(place.buffer, place.offset, expr))


def squeezed(low: Lowering, value: Any, ndim: int) -> Any:
    """Assignment drops leading dimensions of one element that the target does not have."""
    if not isinstance(value, Value) or len(value.shape) <= ndim:
        return value
    extra = len(value.shape) - ndim
    type_ = replace(value.type, shape=value.shape[extra:])
    return replace(value, type=type_, axes=value.axes[extra:])


Piece = tuple[ViewSteps, Any, Errstate, Node]
"""What is assigned where; the error state of that; and the node."""


def pieces(low: Lowering, node: Node, placeholder: Node) -> list[Piece] | None:
    """The assignments that lead from a placeholder to its final contents, in order; None when they
    are not all assignments to windows."""
    found: list[Piece] = []
    while node is not placeholder:
        if node.op != "call_function" or node.target is not core.update:
            return None
        base, view, value = node.args
        try:
            view_shape(low, low.values[placeholder], windows_of(view))
        except CannotLower:
            return None
        if not is_storable(value, placeholder.type.dtype):
            return None
        found.append((view, value, node.errstate, node))
        node = base
    return found[::-1]


def is_storable(value: Any, dtype: np.dtype) -> bool:
    """Whether a kernel can store the value: converted between native dtypes, or as it is."""
    if not isinstance(value, Node):
        return dtype in NATIVE and _is_exact(value, dtype)
    if dtype in NATIVE:
        return value.type.dtype in NATIVE
    return value.type.form is Form.ARRAY and value.type.dtype == dtype


def _is_exact(value: Any, dtype: np.dtype) -> bool:
    """Whether NumPy stores a constant in arrays of this dtype without a word."""
    if is_size(value):
        return not isinstance(value, int) or -(2**63) <= value < 2**63
    try:
        return isinstance(value, NUMBERS) and const(value, dtype) is not None
    except Inexact:
        return False


def only_pieces(low: Lowering) -> set[Node]:
    """Updates of written placeholders that nothing reads: their full contents are never needed."""
    graph = low.graph
    unread: set[Node] = set()
    for placeholder, final in graph.writes:
        if pieces(low, final, placeholder) is None:
            continue
        chain = _chain(final, placeholder)
        for node in chain:
            if _is_read(graph, node, chain):
                break  # what it builds on is needed as well
            unread.add(node)
    return unread


def is_passed_on(low: Lowering, node: Node) -> bool:
    """Whether an update is one of those that lead to the final contents of an input, with a value
    that is evaluated in any case, and in the same error state as what reads it."""
    value = node.args[2]
    states = {user.errstate for user in low.users.get(node, [])} | {node.errstate}
    if not isinstance(value, Node) or states != {value.errstate}:
        return False
    return any(
        pieces(low, final, placeholder) is not None and node in _chain(final, placeholder)
        for placeholder, final in low.graph.writes
    )


def _chain(final: Node, placeholder: Node) -> list[Node]:
    """The updates that lead to the final contents, the last one first."""
    chain = []
    while final is not placeholder:
        chain.append(final)
        final = final.args[0]
    return chain


def _is_read(graph: Any, node: Node, chain: list[Node]) -> bool:
    for user in graph.calls:
        if user in chain and user.args[0] is node and not _mentions(user.args[1:], node):
            continue
        if _mentions((user.args, user.kwargs), node):
            return True
    return any(output is node for output in graph.outputs)


def _mentions(tree: Any, node: Node) -> bool:
    return any(leaf is node for leaf in leaves(tree))


def write_inputs(low: Lowering) -> None:
    """Compute what is written to inputs, commit, and copy it there."""
    written = {load_of(low.values[p]).buffer for p, _ in low.graph.writes}
    copies: list[Callable[[], None]] = []
    for placeholder, final in low.graph.writes:
        target = low.values[placeholder]
        chain = pieces(low, final, placeholder)
        lasting = [] if chain is None else not_overwritten(low, target, chain)
        whole = [((), final, AMBIENT, final)]
        for view, value, low.errstate, node in whole if chain is None else lasting:
            operand = low.values[value] if isinstance(value, Node) else value
            part = region(low, target, windows_of(view))
            operand = check_number(low, operand, part.dtype)
            if windows_of(view) is view:
                ready = prepared(low, part, operand, written, alone=len(lasting) == 1)
                copies.append(partial(assign, low, part, ready))
            elif deposited_by(low, node) is not None:
                ready = set_aside(low, operand, part.dtype, written)
                copies.append(partial(place, low, node, target, view, ready))
            else:
                key = checked_key(low, view[-1][1][0], part.shape, written)
                steps = (*windows_of(view), (operator.getitem, (key,), {}))
                ready = set_aside(low, operand, part.dtype, written)
                copies.append(partial(store_at, low, target, steps, ready))
    if low.graph.writes:
        low.steps.append(Commit())
    for copy in copies:
        copy()


def not_overwritten(low: Lowering, target: Value, chain: list[Piece]) -> list[Piece]:
    """The assignments without those that a later one replaces as a whole; what these would report
    is found out."""
    last = max((k for k, (view, *_) in enumerate(chain) if is_everything(view)), default=0)
    if last == 0:
        return chain
    kept = chain[last:]
    evaluated = {(chain[last][2], part) for part in parts_of(low, target, chain[last])}
    for piece in reversed(chain[:last]):
        view, value, low.errstate, _ = piece
        if windows_of(view) is not view:
            kept.insert(0, piece)
            continue
        part = target if is_everything(view) else region(low, target, view)
        operand = low.values.get(value, value)
        check_number(low, operand, part.dtype)
        element = operand_at(low, squeezed(low, operand, len(part.shape)), part.axes, part.dtype)
        if (low.errstate, element) not in evaluated and not tried_out(low, part, element):
            kept.insert(0, piece)
        if is_everything(view):
            evaluated |= {(low.errstate, part) for part in parts_of(low, target, piece)}
    return kept


def parts_of(low: Lowering, target: Value, piece: Piece) -> set[Expr]:
    """Everything that an assignment to the whole array computes for each element."""
    value = squeezed(low, low.values.get(piece[1], piece[1]), len(target.shape))
    return set(rewrite.walk((operand_at(low, value, target.axes, target.dtype),)))


def is_everything(view: ViewSteps) -> bool:
    """Whether a chain selects the whole array."""
    keys = [args[0] for function, args, _ in view if function is operator.getitem]
    everything = (Ellipsis, slice(None))
    return len(keys) == len(view) and all(
        isinstance(key, (slice, type(Ellipsis))) and key in everything for key in keys
    )


def prepared(
    low: Lowering, target: Value, value: Any, written: set[Buffer], alone: bool
) -> Any:
    """The value in memory that the copies do not touch, already of the target's dtype; or as it is,
    when it may be computed in place and is all that is written there."""
    if not isinstance(value, Value):
        return value
    value = squeezed(low, value, len(target.shape))
    expr = simplify.convert(value.expr, target.dtype)
    if isinstance(expr, (Const, Scalar)):
        return replace(value, expr=expr)
    if isinstance(expr, Load) and expr.buffer not in written:
        return value
    element = operand_at(low, value, target.axes, target.dtype)
    if alone and can_repeat(target, element, written):
        rehearse(low, target, element)
        return value
    type_ = replace(value.type, dtype=target.dtype, shape=value.shape, form=Form.ARRAY)
    return low.materialise(replace(value, expr=expr, type=type_), "it is written to an input")
