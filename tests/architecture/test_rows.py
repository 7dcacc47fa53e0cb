"""What is known about an operation stands in its row: nothing else tells NumPy's functions apart.

A fact about an operation is a NumPy callable in a table, a comparison, a decorator, or a statement
of a module. To make a call of one, for a graph or at once, is none.
"""
import ast

import numpy as np
import pytest
from dynamo_lite.backends.lowering import lower  # noqa: F401  (lowerings register)
from dynamo_lite.backends.lowering.context import LOWERINGS

from dynamo_lite.ir.row import ROWS
from tests.architecture.test_layers import ROOT

ROWS_LIVE_IN = ("dynamo_lite/ir/ops/", "dynamo_lite/ir/rules/", "dynamo_lite/ir/definitions/",
                "dynamo_lite/ir/derivatives/rows.py", "dynamo_lite/ir/derivatives/partials.py",
                "dynamo_lite/tracer/polyfills/")
NO_OPERATION = "answered while tracing, from types or constants: no node of a graph"
NO_ROW = "np.asfortranarray is a conversion that a graph has no operation for"
EXCEPTIONS = {
    "dynamo_lite/runtime/random_states.py:LEGACY_STATE": "what the functions of np.random share",
    "dynamo_lite/tracer/numpy/creation.py:UNNAMED": NO_ROW,
    "dynamo_lite/tracer/numpy/creation.py:as_array": NO_ROW,
    "dynamo_lite/tracer/numpy/facts.py:ATTRIBUTES": NO_OPERATION,
    "dynamo_lite/tracer/numpy/facts.py:BY_TYPE": NO_OPERATION,
    "dynamo_lite/tracer/numpy/facts.py:BY_VALUE": NO_OPERATION,
    "dynamo_lite/tracer/numpy/making.py:is_unusual": NO_ROW,
    "dynamo_lite/tracer/numpy/making.py:made": NO_ROW,
    "dynamo_lite/tracer/rules/trace_rules.py:TABLE": "what no graph may call, with the reason",
}
"""Where one may stand all the same, and why. This list only gets shorter."""


def callable_named(text):
    """The function or ufunc that `np.x` is; None for types, constants and what is not NumPy's."""
    head, *rest = text.split(".")
    if head != "np":
        return None
    found = np
    for part in rest:
        found = getattr(found, part, None)
    is_type = isinstance(found, type) or found in (np, np.typing.DTypeLike)
    return None if is_type or not callable(found) else found


def dotted(node):
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (base := dotted(node.value)) is not None:
        return f"{base}.{node.attr}"
    return None


DISPLAYS = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Compare, ast.MatchValue)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def facts(node, counts, inside=False):
    """The NumPy callables in a tree that are not just called; `counts`: whether those at its root
    are facts, `inside`: whether it is part of a function, where arguments of calls are none."""
    if isinstance(node, ast.Attribute) and (name := dotted(node)) is not None:
        if counts and callable_named(name) is not None:
            yield name
        return
    if isinstance(node, FUNCTIONS):
        for one in getattr(node, "decorator_list", ()):
            yield from facts(one, True)
        body = node.body if isinstance(node.body, list) else [node.body]
        for one in body:
            yield from facts(one, False, True)
        return
    if isinstance(node, ast.AnnAssign):
        yield from facts(node.value, counts, inside) if node.value is not None else ()
        return
    if isinstance(node, ast.Call) and is_no_fact(node):
        return
    counts = isinstance(node, DISPLAYS) or (counts and not (inside and isinstance(node, ast.Call)))
    for one in ast.iter_child_nodes(node):
        yield from facts(one, counts, inside)


def is_no_fact(call):
    """A call of one of NumPy's functions, and the type that they have."""
    return callable_named(dotted(call.func) or "") is not None or dotted(call.func) == "type"


def name_of(statement):
    """What a statement of a module defines."""
    if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
        return statement.name
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    return dotted(targets[0]) or "(statement)" if targets[0] is not None else "(statement)"


def facts_outside():
    """File and definition → the callables that it tells apart."""
    found = {}
    for top in ("dynamo_lite", "guards", "backends"):
        for path in sorted((ROOT / top).rglob("*.py")):
            file = path.relative_to(ROOT).as_posix()
            if file.startswith(ROWS_LIVE_IN):
                continue
            for statement in ast.parse(path.read_text()).body:
                if names := sorted(set(facts(statement, True))):
                    found.setdefault(f"{file}:{name_of(statement)}", []).extend(names)
    return found


FOUND = facts_outside()


@pytest.mark.parametrize("place", sorted(FOUND))
def test_facts_about_operations_stand_in_rows(place):
    assert place in EXCEPTIONS, f"{', '.join(FOUND[place])}: give the rows a column for it"


def test_exceptions_are_needed():
    assert sorted(EXCEPTIONS.keys() - FOUND.keys()) == []


# -- what rows name in the backends


def test_rows_and_rules_for_blocks_name_each_other():
    rules = pytest.importorskip("dynamo_lite.distributed.rules", exc_type=ImportError)
    assert {row.blocks for row in ROWS.values()} - {None} == rules.BY_NAME.keys()


def test_rows_and_lowerings_name_each_other():
    assert {row.lowering for row in ROWS.values()} - {None} == LOWERINGS.keys()
