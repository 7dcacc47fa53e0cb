"""Control flow inside a graph: nodes whose arguments hold sub-graphs, and what they mean.

A *body* is a graph of its own (`Graph.is_body`): it takes everything it reads as placeholders and
gives its outputs as a tuple, in which numbers may also stand as constants. Every function here runs
with Python, so a graph with bodies still prints, runs and can be compared.

`versions` is 0 in a graph as it was captured, where a body may write into the arrays it is given.
In a functional graph the last `versions` operands are arrays that the body gives a new version of:
these are its last outputs, and the last results of the node.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .node import AnyGraph, Node
from .tree import leaves

Body = Callable[..., Sequence[Any]]


def for_loop(
    start: int, stop: int, step: int, body: Body, carried: Sequence[Any],
    operands: Sequence[Any], versions: int = 0,
) -> tuple[Any, ...]:
    """`proceed, *results = body(index, *carried, *operands)` for each index of a range.

    The first results are carried into the next iteration; the others are those of the last one.
    An iteration whose `proceed` is false is the last.
    """
    results = (*carried, *operands[len(operands) - versions :])
    for index in range(start, stop, step):
        proceed, *made = body(index, *_arguments(results, carried, operands, versions))
        results = tuple(made)
        if not proceed:
            break
    return results


def while_loop(
    proceed: Any, body: Body, carried: Sequence[Any], operands: Sequence[Any], versions: int = 0
) -> tuple[Any, ...]:
    """`proceed, *results = body(*carried, *operands)` for as long as `proceed` is true."""
    results = (*carried, *operands[len(operands) - versions :])
    while proceed:
        proceed, *made = body(*_arguments(results, carried, operands, versions))
        results = tuple(made)
    return results


def _arguments(
    results: Sequence[Any], carried: Sequence[Any], operands: Sequence[Any], versions: int
) -> tuple[Any, ...]:
    newest = results[len(results) - versions :]
    return (*results[: len(carried)], *operands[: len(operands) - versions], *newest)


def cond(
    predicate: Any, true: Body, false: Body, operands: Sequence[Any], versions: int = 0
) -> tuple[Any, ...]:
    """The results of `true(*operands)` or `false(*operands)`; the other one does not run."""
    return tuple((true if predicate else false)(*operands))


def choose(predicate: Any, true: Any, false: Any) -> Any:
    """One of two numbers of the same type."""
    return true if predicate else false


def recursive(body: Body, operands: Sequence[Any]) -> tuple[Any, ...]:
    """The results of `body(*operands)`, a function that may `call_again` itself."""
    RUNNING.append((body, operands))
    try:
        return tuple(body(*operands))
    finally:
        RUNNING.pop()


def call_again(*arguments: Any, levels: int = 1) -> tuple[Any, ...]:
    """The results of the innermost `recursive` function that runs, of other arguments: its first
    operands. The program has `levels` more calls inside each other then."""
    body, operands = RUNNING[-1]
    return tuple(body(*arguments, *operands[len(arguments) :]))


RUNNING: list[tuple[Body, Sequence[Any]]] = []
"""The recursive functions that Python runs, with what they were first given."""

CONTROL = frozenset({for_loop, while_loop, cond, recursive})
"""The functions that take bodies."""
ONCE = frozenset({cond, recursive})
"""Those that hand nothing on from one run of a body to the next."""


def is_control(node: Node) -> bool:
    return node.op == "call_function" and node.target in CONTROL


def is_loop(node: Node) -> bool:
    return is_control(node) and node.target not in ONCE


def bodies(node: Node) -> Iterator[Any]:
    """The sub-graphs of a node."""
    return (leaf for leaf in leaves((node.args, node.kwargs)) if isinstance(leaf, AnyGraph))


def given(node: Node) -> tuple[Any, ...]:
    """What a node hands to its bodies: theirs are the last placeholders, one for each of these."""
    carried = () if node.target in ONCE else node.args[-2]
    return (*carried, *node.args[-1])


def all_graphs(graph: Any) -> Iterator[Any]:
    """A graph and the bodies in it."""
    yield graph
    for node in graph:
        for body in bodies(node) if is_control(node) else ():
            yield from all_graphs(body)


def all_nodes(graph: Any) -> Iterator[Node]:
    """The nodes of a graph and of the bodies in it."""
    for node in graph:
        yield node
        for body in bodies(node) if is_control(node) else ():
            yield from all_nodes(body)
