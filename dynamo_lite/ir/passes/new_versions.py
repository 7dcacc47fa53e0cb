"""What a node that writes makes of the array: its next version, by the kind of writing."""
from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import Unsupported
from .. import core
from ..node import Assertion, Node
from ..ops.inference import infer
from ..row import ROWS, row_of
from ..rules.layout import same_shape
from ..rules.writes import is_rounded_otherwise
from ..tree import map_leaves
from ..types import ArrayType, Form
from .decompose import NodeEmit
from .merge import frozen

if TYPE_CHECKING:
    from .functionalise import Alias, Functionaliser


def _assigned(run: Functionaliser, node: Node) -> Node:
    """`base[key] = value`."""
    base, key, value = node.args
    if _is_there(run, base, key, value):
        return base
    if isinstance(key, Node) and key.type.dtype == bool:
        value = _cast(run, run.value(value), base.type.dtype, node)
        run.update(base, (), _masked(run, _over(run, key, base, node), value, base, node), node)
        return base
    key, value = map_leaves(run.value, (key, value))
    if isinstance(value, (tuple, list)):
        value = _array_of(run, value, base.type.dtype, node)
    run.update(base, ((operator.getitem, (key,), {}),), value, node)
    return base


def _cast(run: Functionaliser, value: Any, dtype: np.dtype, node: Node) -> Any:
    """A number as it is assigned to an array of this dtype; Python's are left, which are weak."""
    weak = not isinstance(value, (Node, np.generic)) or (
        isinstance(value, Node) and value.type.form is Form.PYTHON
    )
    if weak or (value.type if isinstance(value, Node) else value).dtype == dtype:
        return value
    return NodeEmit(run.new, node, run.facts)(np.ndarray.astype, value, dtype)


def _over(run: Functionaliser, mask: Node, base: Node, node: Node) -> Node:
    """A mask of the first axes, with axes of one element for the others."""
    found: Node = run.value(mask)
    missing = base.type.ndim - mask.type.ndim
    if not missing:
        return found
    key = (Ellipsis, *(None,) * missing)
    made: Node = NodeEmit(run.new, node, run.facts)(operator.getitem, found, key)
    return made


def _is_there(run: Functionaliser, base: Node, key: Any, value: Any) -> bool:
    """`x[1:] += y` assigns the part that was changed in place to itself."""
    held = run.aliases.get(value) if isinstance(value, Node) else None
    target = run.aliases[base]
    if held is None or held.storage is not target.storage:
        return False
    key = map_leaves(run.value, key)
    part = _frozen_chain((*target.chain, (operator.getitem, (key,), {})))
    return part is not None and part == _frozen_chain(held.chain)


def _frozen_chain(chain: core.Chain) -> Any:
    return frozen(tuple((step, args, tuple(sorted(named.items()))) for step, args, named in chain))


def _array_of(run: Functionaliser, value: Any, dtype: np.dtype, node: Node) -> Any:
    """The array that NumPy makes of a sequence to assign it, where its type can be known."""
    try:
        return NodeEmit(run.new, node, run.facts)(np.array, value, dtype)
    except Unsupported:
        return value


def _copied(run: Functionaliser, node: Node) -> Node:
    """`np.copyto(dst, src)`, with or without a mask."""
    target, source = node.args[:2]
    mask = node.kwargs.get("where", True)
    if len(node.args) > 2:
        return performed(run, node)
    value = run.value(source)
    if mask is not True:
        value = _masked(run, run.value(mask), value, target, node)
    run.update(target, (), value, node)
    return target


def _masked(run: Functionaliser, mask: Any, value: Any, target: Node, node: Node) -> Node:
    """`value` where the mask holds, the old contents elsewhere."""
    args = (mask, value, run.value(target))
    kind = infer(np.where, args, {}, run.facts)
    return run.new.call(np.where, args, {}, kind, node)


def _harmless(
    run: Functionaliser, node: Node, args: tuple[Any, ...], mask: Any
) -> tuple[Any, ...]:
    """The operands, with 1 where a mask does not hold: there NumPy computes nothing, which may be
    why the program has the mask."""
    last = args[-1]
    row = row_of(node.target)
    if row is None or not isinstance(last, Node) or (
        last.type.dtype.kind not in row.harmless_at_one
    ):
        return args
    chosen = mask, last, 1
    kind = infer(np.where, chosen, {}, run.facts)
    if kind.dtype != last.type.dtype:
        return args
    return *args[:-1], run.new.call(np.where, chosen, {}, kind, node)


def _in_place(run: Functionaliser, node: Node) -> Node:
    """`x += y` and the like."""
    target, ufunc = node.args[0], ROWS[node.target].using["ufunc"]
    _check_factors(run, ufunc, target, node.args)
    if _is_single(run, ufunc, target):
        run.perform(target, 0, node.args[1:], {}, node)
        return target
    args = tuple(map(run.value, node.args))
    kind = infer(ufunc, args, {}, run.facts)
    run.replace(target, run.new.call(ufunc, args, {}, kind, node), node)
    return target


def _alike(left: ArrayType, right: ArrayType) -> bool:
    return (left.form, left.dtype, left.shape, left.strides) == (
        right.form, right.dtype, right.shape, right.strides
    )


def _is_same(left: Alias, right: Alias) -> bool:
    """Whether two views can be seen to be the same part of a storage."""
    if left is right:
        return True
    chains = [
        [(function, frozen((args, sorted(kwargs.items())))) for function, args, kwargs in one.chain]
        for one in (left, right)
    ]
    return chains[0] == chains[1] and all(parts is not None for _, parts in chains[0])


def _check_factors(
    run: Functionaliser, ufunc: Any, out: Node, args: tuple[Any, ...]
) -> None:
    """NumPy rounds a product otherwise that it writes between the elements of a factor."""
    if not is_rounded_otherwise(ufunc, out.type):
        return
    own = run.aliases[out]
    for alias in (run.aliases.get(arg) for arg in args if isinstance(arg, Node)):
        if alias is not None and alias.storage is own.storage and not _is_same(alias, own):
            raise Unsupported("a complex product written into other memory of a factor")


def _is_single(run: Functionaliser, ufunc: Any, out: Node) -> bool:
    """Whether NumPy itself has to write a product into one element that is also a factor. Where the
    size is not known, a call with one element bails out."""
    if not is_rounded_otherwise(ufunc, out.type):
        return False
    if isinstance(out.type.size, int):
        return out.type.size == 1
    graph = run.new.graph
    graph.assertions = [*graph.assertions, Assertion("<", 1, out.type.size)]
    return False


def performed(run: Functionaliser, node: Node) -> Node:
    """Any other writing function: a ufunc with `out=` is computed, the rest is left to NumPy.

    Where there is a mask NumPy also converts what `out` holds, and may warn about that.
    """
    out = node.kwargs.get("out")
    out = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    rest = {name: value for name, value in node.kwargs.items() if name != "out"}
    if out is None:
        run.perform(node.args[0], 0, node.args[1:], rest, node)
        first: Node = node.args[0]
        return first
    if not isinstance(out, Node):
        raise Unsupported("several outputs given with out=")
    mask = rest.pop("where", True) if isinstance(node.target, np.ufunc) else True
    fits = _fits(run, node, rest, out) or (mask is True and _is_elementwise(node, rest))
    _check_factors(run, node.target, out, node.args)
    aliases = [run.aliases.get(arg) if isinstance(arg, Node) else None for arg in node.args]
    own = [alias is not None and alias.storage is run.aliases[out].storage for alias in aliases]
    if any(own) and _is_single(run, node.target, out):
        factor = node.args[-1 if own[0] else 0]
        run.perform(out, 0, (factor,), {}, node, operator.imul)
    elif fits:
        args, kwargs = map_leaves(run.value, (node.args, rest))
        if mask is not True:
            args = _harmless(run, node, args, run.value(mask))
        value = NodeEmit(run.new, node, run.facts)(node.target, *args, **kwargs)
        if mask is not True:
            value = _masked(run, run.value(mask), value, out, node)
        run.replace(out, value, node)
    else:
        rest |= {} if mask is True else {"where": mask}
        run.perform(out, "out", node.args, rest, node)
    return out


def _is_elementwise(node: Node, rest: dict[str, Any]) -> bool:
    """A ufunc computes in the dtypes of its inputs and casts what it stores."""
    ufunc = node.target
    plain = isinstance(ufunc, np.ufunc) and ufunc.nout == 1 and ufunc.signature is None
    return plain and not rest


def _fits(run: Functionaliser, node: Node, rest: dict[str, Any], out: Node) -> bool:
    """The result without `out=` has the dtype and shape of the array that is to be written; that
    of a ufunc is broadcast."""
    args, kwargs = map_leaves(run.value, (node.args, rest))
    try:
        kind = infer(node.target, args, kwargs, run.facts)
    except Unsupported:
        return False
    return isinstance(kind, ArrayType) and kind.dtype == out.type.dtype and (
        _is_elementwise(node, rest) or same_shape(kind.shape, out.type.shape, run.facts)
    )


WRITERS: Mapping[str, Callable[[Functionaliser, Node], Node]] = {
    "assigned": _assigned, "copied": _copied, "in_place": _in_place,
}
"""How a row says that it makes versions → the function that does so."""
