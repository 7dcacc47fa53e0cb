"""Random states that a graph advances: recorded before a call, restored when it bails out.

The native core copies the memory in which a state lies, where it is known (`ir/random_memory.py`).
"""
from __future__ import annotations

import ctypes
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..ir.control import bodies, given, is_control
from ..ir.graph import Graph
from ..ir.node import Node
from ..ir.random_memory import PYTHON_BYTES, has_known_python_layout, learn_layouts
from ..ir.row import Effect, row_of
from ..ir.types import OBJECT
from ..native import KeptStates

RandomOwner = np.random.RandomState | np.random.Generator | random.Random
LEGACY_STATE = getattr(np.random.get_state, "__self__", None)


def save(owner: Any) -> Any:
    """The state of a generator whose memory is not known."""
    if isinstance(owner, np.random.Generator):
        return owner.bit_generator.state
    if isinstance(owner, np.random.RandomState):
        return owner.get_state(legacy=False)
    if not has_known_python_layout():
        return owner.getstate()
    return ctypes.string_at(id(owner) + object.__basicsize__, PYTHON_BYTES), owner.gauss_next


def put_back(owner: Any, state: Any) -> None:
    """Restore what `save` gave."""
    if isinstance(owner, np.random.Generator):
        owner.bit_generator.state = state
    elif isinstance(owner, np.random.RandomState):
        owner.set_state(state)
    elif not has_known_python_layout():
        owner.setstate(state)
    else:
        ctypes.memmove(id(owner) + object.__basicsize__, state[0], PYTHON_BYTES)
        owner.gauss_next = state[1]


def random_owners(graph: Graph) -> list[RandomOwner | int]:
    """The random states and generators from outside that running a graph advances; those that are
    inputs by their position."""
    places = {node: index for index, node in enumerate(graph.placeholders)}
    return list({id(owner): owner for owner in _advanced(graph, places)}.values())


def _advanced(graph: Graph, places: Mapping[Node, int]) -> Iterator[RandomOwner | int]:
    """The same, given which placeholders of a body are which inputs."""
    for node in graph.calls:
        if is_control(node):
            for body in bodies(node):
                yield from _advanced(body, _places_inside(node, body, places))
        elif (owner := _owner(node, places)) is not None:
            yield owner


def _places_inside(node: Node, body: Graph, places: Mapping[Node, int]) -> dict[Node, int]:
    operands = given(node)
    inside = body.placeholders[len(body.placeholders) - len(operands) :]
    return {own: places[leaf] for own, leaf in zip(inside, operands)
            if isinstance(leaf, Node) and leaf in places}


def _owner(node: Node, places: Mapping[Node, int]) -> RandomOwner | int | None:
    """What a call draws from; None for a generator that the graph itself makes."""
    owner = getattr(node.target, "__self__", None)
    if isinstance(owner, RandomOwner):
        return owner
    row = row_of(node.target)
    if row is None or row.effect is not Effect.RANDOM:
        return None
    learn_layouts()  # for the draws of compiled code from generators that the graph makes, too
    first = node.args[0] if node.args else None
    if isinstance(first, Node) and first.type == OBJECT:
        return places.get(first)
    return LEGACY_STATE  # a plain function of numpy.random


def keep_random_state(
    run: Callable[..., Any], owners: Sequence[RandomOwner | int]
) -> Callable[..., Any]:
    """`run`, with the random states restored when it bails out."""
    learn_layouts()
    return KeptStates(run, tuple(owners), save, put_back)
