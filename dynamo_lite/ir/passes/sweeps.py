"""Sweeps over a graph that is differentiated: back, from cotangents of outputs to those of
variables, and forth, from tangents of variables to those of outputs.

The rows have reverse rules. A cotangent is a linear function of the one that a rule is given, so
that the sweep back over what a rule has made of an unknown one is the rule of the tangents.
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...base.signatures import positional_names
from ...errors import NotDifferentiable, Unsupported
from ..control import is_control
from ..derivatives.traced import Part, Traced, bare, counted, traced
from ..facts import Facts
from ..node import Node
from ..pullback import RULED, detached, independent, ruled_backwards
from ..row import ROWS, Op, row_of
from ..tree import leaves, map_leaves
from ..types import ArrayType
from .decompose import NodeEmit
from .fitting import (
    dense,
    fitted,
    formed,
    is_continuous,
    retyped,
    scaled,
    stripped,
    together,
    unknown_of,
    wide,
)
from .rebuild import Rebuild
from .scopes import SILENT, check_repeatable, leading_to, silent_emit

Pairs = Iterator[tuple[Node, Any]]
"""Operands of a call, and their cotangents."""
ADJOINTS: dict[Any, Callable[..., Pairs]] = {}
"""What control nodes do to cotangents; `adjoints` fills it."""
TANGENTS: dict[Any, Callable[..., Any]] = {}
"""What they do to tangents; `tangents` fills it."""


class Sweep:
    """Goes over the nodes that a graph under construction has from place `start` on, and adds to
    it."""

    def __init__(
        self, new: Rebuild, variables: Sequence[Node], facts: Facts, start: int = 0
    ) -> None:
        self.new = new
        self.facts = facts
        self.nodes = new.graph.nodes[start:]
        self.active = dependent_on(variables, self.nodes)

    def emit(self, node: Node) -> NodeEmit:
        """Makes calls on behalf of a node, which report nothing."""
        return silent_emit(self.new, node, self.facts)

    def matter(self, tree: Any) -> list[Node]:
        """The nodes of an argument that have derivatives."""
        return [node for node in leaves(tree, Node) if node in self.active]

    def contributions(self, node: Node, g: Any, emit: NodeEmit) -> Pairs:
        """(operand, its cotangent) for each place where a call has an operand that matters."""
        if is_control(node):
            return ADJOINTS[node.target](self, node, g, emit)
        if node.target is ruled_backwards:
            return self.by_pullback(node, g, emit)
        if node.target in RULED:
            return self.by_tangents(node, g, emit)
        row = row_of(node.target)
        if row is None:
            raise without_rule(node)
        if row.means is not None:
            return self.through(row.means, node, g, emit)
        return self.by_rules(row, node, g, emit)

    def by_rules(self, row: Op, node: Node, g: Any, emit: NodeEmit) -> Pairs:
        """A rule for each argument."""
        rules = row.partials or row.vjp
        seen = counted if row.partials else traced
        args, kwargs = map_leaves(lambda leaf: seen(emit, leaf), (node.args, node.kwargs))
        out, g = map_leaves(lambda leaf: None if leaf is None else Traced(emit, leaf), (node, g))
        for place, arg in self.placed(node):
            if not (operands := self.matter(arg)):
                continue
            if place >= len(rules) or (rule := rules[place]) is None:
                raise without_rule(node)
            try:
                found = by_partial(emit, g, rule, (out, *args[: len(rules)])) if row.partials else (
                    rule(g, out, *args, **kwargs))
            except Unsupported as unsupported:
                raise without_rule(node, str(unsupported)) from None
            pairs = zip(arg, found) if isinstance(arg, (tuple, list)) else ((arg, found),)
            yield from ((each, stripped(value)) for each, value in pairs
                        if value is not None and isinstance(each, Node) and each in operands)

    def placed(self, node: Node) -> Iterator[tuple[int, Any]]:
        """The arguments of a call, and which of its parameters each is."""
        yield from enumerate(node.args)
        for name, arg in node.kwargs.items():
            names = positional_names(node.target) if self.matter(arg) else ()
            if name in names:
                yield names.index(name), arg
            elif self.matter(arg):
                raise without_rule(node, f"{name}=")

    def by_pullback(self, node: Node, g: Any, emit: NodeEmit) -> Pairs:
        """The program's own rule: what it computes of unknown cotangents, of these."""
        arguments, unknowns, cotangents = node.args[1:]
        became: dict[Node, Any] = {
            each: emit(np.zeros_like, each) if given is None else given
            for each, given in zip(unknowns, g)}
        needed = leading_to(cotangents, self.nodes)
        check_repeatable(needed - leading_to(node.args[0], self.nodes))
        late = self.only_for(cotangents, node)
        for each in self.nodes:
            if each in needed and each not in became and (each in late or any(
                    operand in became for operand in each.operands)):
                args, kwargs = map_leaves(
                    lambda leaf: became.get(leaf, leaf) if isinstance(leaf, Node) else leaf,
                    (each.args, each.kwargs))
                became[each] = emit.new.call(each.target, args, kwargs, each.type, emit.node)
        for argument, value in zip(arguments, cotangents):
            if value is not None and argument in self.active:
                yield argument, became.get(value, value)

    def only_for(self, cotangents: Sequence[Any], ruled: Node) -> set[Node]:
        """The calls that are made for the cotangents of a rule alone: they can wait for it, and are
        no memory until then."""
        users: dict[Node, set[Node]] = {}
        for node in self.new.graph.nodes:
            for operand in node.operands:
                users.setdefault(operand, set()).add(node)
        wanted, late = {each for each in cotangents if isinstance(each, Node)}, set[Node]()
        for node in reversed(self.nodes):
            others = users.get(node, set()) - late - {ruled}
            if any(each is node for each in ruled.args[0]):
                continue
            if node.op == "call_function" and node.target is not independent and not others and (
                    node in wanted or (node in users and users[node] & late)):
                late.add(node)
                node.errstate = SILENT  # dropped, unless somebody turns out to read it
        return late

    def by_tangents(self, node: Node, g: Any, emit: NodeEmit) -> Pairs:
        """The program's own rule for tangents, transposed."""
        arguments, unknowns, tangents = node.args[1:]
        sweep = ReverseSweep(self.new, unknowns, self.facts)
        for value, given in zip(tangents, g):
            if given is not None and isinstance(value, Node) and value in sweep.active:
                sweep.add(value, given, emit)
        sweep.run()
        yield from ((argument, sweep.cotangents.get(each))
                    for argument, each in zip(arguments, unknowns)
                    if each in sweep.cotangents and argument in self.active)

    def through(self, means: Any, node: Node, g: Any, emit: NodeEmit) -> Pairs:
        """The same for a call that means other ones."""
        start = len(self.new.graph.nodes)
        operands = dict.fromkeys(self.matter((node.args, node.kwargs)))
        args, kwargs = map_leaves(lambda leaf: traced(emit, leaf), (node.args, node.kwargs))
        try:
            found = means(*args, **kwargs)
        except Unsupported as unsupported:
            raise without_rule(node, str(unsupported)) from None
        sweep = ReverseSweep(self.new, [*operands], self.facts, start)
        several = isinstance(found, tuple)
        for value, given in zip(found, g) if several else ((found, g),):
            if value is not None and given is not None and bare(value) in sweep.active:
                sweep.add(bare(value), fitted(emit, given, value.type), emit)
        sweep.run()
        yield from ((each, sweep.cotangents.get(each)) for each in operands
                    if each in sweep.cotangents)


class ReverseSweep(Sweep):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.cotangents: dict[Node, Any] = {}
        self.parts: dict[Node, dict[int, Any]] = {}
        """Cotangents of calls with several results."""
        self.pieces: dict[Node, list[Part]] = {}
        """Cotangents of parts of what is not reached yet."""

    def run(self) -> None:
        for node in reversed(self.nodes):
            if node not in self.active or node.op != "call_function":
                continue
            g = self.cotangent(node) if isinstance(node.type, ArrayType) else self.of(node)
            if g is not None and self.matter((node.args, node.kwargs)):
                self.step(node, g)
        for node in [*self.pieces]:
            self.cotangent(node)

    def cotangent(self, node: Node) -> Any:
        """All that is known of it: pieces of the same elements are added first."""
        pieces = self.pieces.pop(node, ())
        if pieces:
            emit = self.emit(node)
            for piece in together(emit, pieces, self.cotangents.get(node)):
                known = self.cotangents.get(node)
                self.cotangents[node] = dense(emit, piece, node, known)
        return self.cotangents.get(node)

    def of(self, node: Node) -> Any:
        """The cotangents of several results, None for those that nothing depends on."""
        parts = self.parts.get(node)
        return None if parts is None else tuple(map(parts.get, range(len(node.type))))

    def step(self, node: Node, g: Any) -> None:
        """Hand the cotangent of a result on to the operands."""
        if is_item(node):
            parts = self.parts.setdefault(node.args[0], {})
            known = parts.get(node.args[1])
            parts[node.args[1]] = g if known is None else self.emit(node)(np.add, known, g)
            return
        emit = self.emit(node)
        if isinstance(node.type, ArrayType):
            g = formed(emit, g, node.type)
        for operand, value in self.contributions(node, g, emit):
            if isinstance(value, Part):
                kept = value._replace(value=retyped(emit, value.value, operand.type.dtype))
                self.pieces.setdefault(operand, []).append(kept)
            else:
                self.add(operand, fitted(emit, value, operand.type), emit)

    def add(self, node: Node, value: Any, emit: NodeEmit) -> None:
        known = self.cotangents.get(node)
        self.cotangents[node] = value if known is None else emit(np.add, known, value)


class ForwardSweep(Sweep):
    """`tangents` has those of the variables; a number that is no node is a constant one."""

    def __init__(self, new: Rebuild, tangents: dict[Node, Any], facts: Facts) -> None:
        super().__init__(new, list(tangents), facts)
        self.tangents = tangents
        self.items: set[tuple[Node, Any]] = set()
        """Which results of calls that have several matter."""

    def run(self, outputs: Sequence[Any]) -> None:
        needed = leading_to(outputs, self.nodes)
        self.items = {(node.args[0], node.args[1]) for node in needed if is_item(node)}
        for node in self.nodes:
            if node in needed and node in self.active and node not in self.tangents:
                self.step(node)

    def step(self, node: Node) -> None:
        known = [each for each in node.operands if each in self.tangents]
        if is_item(node):
            parts = self.tangents.get(node.args[0])
            if parts is not None and parts[node.args[1]] is not None:
                self.tangents[node] = parts[node.args[1]]
        elif known:
            emit = self.emit(node)
            if is_control(node):
                found = TANGENTS[node.target](self, node, emit)
            elif (row := row_of(node.target)) is not None and row.partials:
                found = self.by_partials(node, emit)
            else:
                found = self.by_transposing(node, emit)
            if found is not None:
                self.tangents[node] = found

    def by_partials(self, node: Node, emit: NodeEmit) -> Any:
        """Element by element: the sum over the operands."""
        partials, total = ROWS[node.target].partials, None
        given = map_leaves(lambda leaf: counted(emit, leaf), (node, *node.args[: len(partials)]))
        for place, operand in enumerate(node.args):
            tangent = self.tangents.get(operand) if isinstance(operand, Node) else None
            if tangent is None:
                continue
            part = bare(by_partial(emit, Traced(emit, tangent), partials[place], given))
            if part is not None:
                total = part if total is None else emit(np.add, total, part)
        return None if total is None else wide(emit, total, node)

    def by_transposing(self, node: Node, emit: NodeEmit) -> Any:
        """The transposed rule, transposed."""
        start = len(self.new.graph.nodes)
        single = isinstance(node.type, ArrayType)
        kinds = (node.type,) if single else tuple(node.type)
        unknown = [unknown_of(emit, kind) if single or (node, place) in self.items else None
                   for place, kind in enumerate(kinds)]
        pairs = list(self.contributions(node, unknown[0] if single else tuple(unknown), emit))
        pairs = [(each, dense(emit, value, each) if isinstance(value, Part) else
                  fitted(emit, value, each.type)) for each, value in pairs]
        sweep = ReverseSweep(self.new, [*filter(None, unknown)], self.facts, start)
        for operand, value in pairs:
            tangent = self.tangents.get(operand)
            if tangent is not None and isinstance(value, Node) and value in sweep.active:
                sweep.add(value, tangent, emit)
        sweep.run()
        found = tuple(None if each is None else sweep.cotangents.get(each) for each in unknown)
        if all(each is None for each in found):
            return None
        return found[0] if single else found


def by_partial(
    emit: NodeEmit, g: Traced, partial: Callable[..., Any], given: Sequence[Any]
) -> Any:
    """The cotangent of an operand, by a rule for the partial derivative."""
    nodes = emit.new.graph.nodes
    start = len(nodes)
    found = partial(*given)
    return scaled(g, found, isinstance(found, Traced) and found.value in nodes[start:])


def without_rule(node: Node, reason: str = "") -> NotDifferentiable:
    name = getattr(node.target, "__qualname__", None) or getattr(node.target, "__name__", "a call")
    return NotDifferentiable(
        f"{name} has no derivative here{reason and f' ({reason})'}\n  at {node.location}\n"
        "  remedy: dl.stop_gradient makes its operands constants, dl.custom_vjp gives it a rule")


def is_item(node: Node) -> bool:
    """Whether a node is one of the results of a call that has several."""
    return node.target is operator.getitem and not isinstance(node.args[0].type, ArrayType)


def dependent_on(variables: Sequence[Node], nodes: Sequence[Node]) -> set[Node]:
    """What is computed from variables and may vary continuously with them."""
    active = set(variables)
    for node in nodes:
        if node in active or node.op != "call_function" or node.target is detached:
            continue
        if is_continuous(node.type) and any(operand in active for operand in node.operands):
            active.add(node)
    return active
