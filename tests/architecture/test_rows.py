"""What is known about an operation stands in its row: nothing else tells NumPy's functions apart.

A fact about an operation is a NumPy callable in a table, a comparison, a decorator, or a statement
of a module, whatever the file calls NumPy and its modules. To make a call of one, for a graph or at
once, is none.
"""
import ast
import functools

import numpy as np
import pytest
from dynamo_lite.backends.lowering import lower  # noqa: F401  (lowerings register)
from dynamo_lite.backends.lowering.state.context import LOWERINGS

from dynamo_lite.ir.ops import bfloat16
from dynamo_lite.ir.row import ROWS
from tests.architecture.numpy_names import FUNCTIONS, Names, texts
from tests.architecture.test_layers import ROOT, parsed

ROWS_LIVE_IN = ("dynamo_lite/ir/ops/", "dynamo_lite/ir/rules/", "dynamo_lite/ir/definitions/",
                "dynamo_lite/tracer/polyfills/")
NO_OPERATION = "answered while tracing, from types or constants: no node of a graph"
NO_ROW = "np.asfortranarray is a conversion that a graph has no operation for"
OF_ERRSTATE = "what np.errstate calls: no operation on arrays"
EXCEPTIONS = {
    "dynamo_lite/tracer/numpy/creation.py:UNNAMED": NO_ROW,
    "dynamo_lite/tracer/numpy/creation.py:as_array": NO_ROW,
    "dynamo_lite/tracer/numpy/facts.py:ATTRIBUTES": NO_OPERATION,
    "dynamo_lite/tracer/numpy/facts.py:BY_TYPE": NO_OPERATION,
    "dynamo_lite/tracer/numpy/facts.py:BY_VALUE": NO_OPERATION,
    "dynamo_lite/tracer/numpy/making.py:is_unusual": NO_ROW,
    "dynamo_lite/tracer/numpy/making.py:made": NO_ROW,
    "dynamo_lite/tracer/rules/trace_rules.py:TABLE": "what no graph may call, with the reason",
    "dynamo_lite/tracer/trackers/objects/errstates.py:describe_state": OF_ERRSTATE,
    "dynamo_lite/tracer/trackers/objects/errstates.py:make_state": OF_ERRSTATE,
}
"""Where one may stand all the same, and why. This list only gets shorter."""


COMPUTED = {
    "backends/triton/devices/interpreted.py": "NumPy's namesakes of functions of the GPU's library",
    "dynamo_lite/tracer/numpy/cupy.py": "NumPy's namesakes of CuPy's functions",
    "dynamo_lite/tracer/rules/trace_rules.py": "whether a ufunc is of numpy.strings alone",
}
"""Files that ask NumPy for what it has under a name that only a run knows, and why."""


def name_of(statement):
    """What a statement of a module defines."""
    if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
        return statement.name
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    return ast.unparse(targets[0]) if targets[0] is not None else "(statement)"


def trees_outside():
    for top in ("dynamo_lite", "guards", "backends"):
        for path in sorted((ROOT / top).rglob("*.py")):
            file = path.relative_to(ROOT).as_posix()
            if not file.startswith(ROWS_LIVE_IN):
                yield file, parsed(path)


@functools.cache
def facts_outside():
    """File and definition → the callables that it tells apart; and the files that ask NumPy for
    what has a name that only a run knows."""
    found, computed = {}, set()
    for file, tree in trees_outside():
        names = Names(tree)
        if not names.known:
            continue
        for statement in tree.body:
            if facts := sorted(set(names.facts(statement))):
                found.setdefault(f"{file}:{name_of(statement)}", []).extend(facts)
        computed |= {file for node in ast.walk(tree) if names.is_computed(node)}
    return found, computed


def test_facts_about_operations_stand_in_rows():
    found, _ = facts_outside()
    loose = {place: facts for place, facts in found.items() if place not in EXCEPTIONS}
    assert loose == {}, "give the rows a column for it"


def test_exceptions_are_needed():
    found, _ = facts_outside()
    assert sorted(EXCEPTIONS.keys() - found.keys()) == []


def test_names_of_operations_are_looked_up_in_rows():
    _, computed = facts_outside()
    assert computed == COMPUTED.keys()


@pytest.mark.parametrize("text", [
    "import numpy as np\nTABLE = {np.hypot: 1}",
    "import numpy\nTABLE = (numpy.linalg.norm,)",
    "import numpy.linalg as algebra\nTABLE = [algebra.norm]",
    "from numpy import hypot as far\ndef is_it(f): return f is far",
    "import numpy as np\nfft = np.fft\nTABLE = {fft.fft}",
    "import numpy as np\nHYPOT = getattr(np, 'hypot')",
    "import numpy as np\ndef is_it(f): return f in (getattr(np.linalg, 'norm'), len)",
    "import numpy as np\n@handles(np.add.reduce)\ndef handle(): pass",
])  # fmt: skip
def test_facts_are_found_under_any_name(text):
    tree = ast.parse(text)
    assert [fact for statement in tree.body for fact in Names(tree).facts(statement)]


@pytest.mark.parametrize("text", [
    "import numpy as np\ndef hypot(x): return np.hypot(x, getattr(np, 'pi'))",
    "import numpy as np\ndef emitted(emit, x): return emit(np.hypot, x)",
    "import numpy as np\nKINDS = {np.float64: np.pi}\nRESULT = type(np.sum)",
])  # fmt: skip
def test_calls_are_no_facts(text):
    tree = ast.parse(text)
    assert [fact for statement in tree.body for fact in Names(tree).facts(statement)] == []


# -- names of scalar operations, as the loop IR has them

KNOWN_EVERYWHERE = {
    *"logical_and logical_or logical_xor logical_not maximum minimum fmax fmin floor".split()}
"""Beside Python's operators, what the loop IR simplifies, folds and reasons with."""


def names_of_operations():
    """Those that only a row is to name: ufuncs that are no operators or methods of Python, and C's
    functions."""
    ufuncs = [row for row in ROWS.values() if isinstance(row.target, np.ufunc)]
    names = {row.name for row in ufuncs if not (row.operators or row.method)}
    return (names | {name for row in ROWS.values() for name in row.c.values()}) - {
        *KNOWN_EVERYWHERE, "pow"}


def test_names_of_operations_stand_in_rows():
    names, found = names_of_operations(), {}
    for file, tree in trees_outside():
        for statement in tree.body:
            if facts := names.intersection(texts(statement)):
                found[f"{file}:{name_of(statement)}"] = facts
    assert found == {}, "give the rows a column for it"


def test_names_are_found():
    tree = ast.parse("TABLE = {'hypot': f}\ndef g(op): return op == 'cbrt' or op in ('exp', 'x')")
    assert {*texts(tree)} == {"hypot", "cbrt", "exp", "x"}
    assert {*texts(ast.parse("NAMES = frozenset('hypot cbrt'.split())"))} == {"hypot", "cbrt"}
    assert {*texts(ast.parse("g('hypot', {1: 'exp'})"))} == set()


# -- what rows name in the backends


def test_rows_and_rules_for_blocks_name_each_other():
    rules = pytest.importorskip("dynamo_lite.distributed.rules.table", exc_type=ImportError)
    assert {row.blocks for row in ROWS.values()} - {None} == rules.BY_NAME.keys()


def test_rows_say_of_bfloat16_what_is_known_of_calls():
    assert {row.bfloat16 for row in ROWS.values()} - {None} == {"moved", *bfloat16.WHY_NOT}


def test_rows_and_lowerings_name_each_other():
    assert {row.lowering for row in ROWS.values()} - {None} == LOWERINGS.keys()
