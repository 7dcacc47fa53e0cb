"""Lists that are longer at each call: the last variant knows their lengths no more."""
import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import difference, outcome_of_copy

USES = (
    "np.array(rows).sum()",
    "np.asarray(rows, dtype=float).mean()",
    "np.sum(rows), len(rows)",
    "np.vstack(rows).shape",
    "np.concatenate(rows).sum()",
    "[row for row in rows], len(rows)",
    "sorted(rows, key=len)",
    "np.array(rows)[:, 0] @ np.ones(len(rows))",
    "np.ones(2) + rows",
    "np.max(rows), np.mean(rows, axis=0)",
    "tuple(rows)[-1], sum(map(len, rows)), len(rows)",
)
CHANGES = ("rows.append([t % 7, i])", "rows += [[t % 7, i]]", "rows.insert(0, [t % 7, i])")
ROWS = {
    "ints": lambda i: [i, 1],
    "ints of either kind": lambda i: [np.int64(i), 1] if i % 3 else [3, 1],
    "arrays": lambda i: np.arange(2) + i,
    "tuples": lambda i: (float(i), 2.0),
}
MOST = dl.config.recompile_limit + 3


def program(change, use):
    scope = {"np": np}
    source = f"def program(rows, t, i):\n    {change}\n    return {use}\n"
    exec(compile(source, f"<{change}; {use}>", "exec"), scope)
    return scope["program"]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("rows", ROWS)
def test_what_is_added_to_a_list_of_any_length(rows, use):
    change = CHANGES[(list(ROWS).index(rows) + USES.index(use)) % len(CHANGES)]
    function = program(change, use)
    compiled = dl.compile(function)
    for n in range(1, MOST):
        args = [ROWS[rows](i) for i in range(n)], np.int64(5 * n), n
        found, expected = (outcome_of_copy(each, args) for each in (compiled, function))
        for what in ("result", "error", "args"):
            assert not difference(getattr(found, what), getattr(expected, what)), (n, what)


def test_a_list_that_is_too_long_to_be_followed():
    function = program("rows.append([t % 7, i])", "np.array(rows).sum()")
    args = [[i, 1] for i in range(10_001)], np.int64(5), 3
    found, expected = (outcome_of_copy(each, args) for each in (dl.compile(function), function))
    assert found.result == expected.result and len(found.args[0]) == 10_002
