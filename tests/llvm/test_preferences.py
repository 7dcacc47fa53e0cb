"""Where NumPy's own loop is faster the program calls it, and gives the same."""
import numpy as np
import pytest
from dynamo_lite.backends.hints import hints_of
from dynamo_lite.backends.llvm.preferences import why_numpy
from dynamo_lite.backends.loop_ir.program import Extern
from dynamo_lite.backends.lowering.lower import lower

import dynamo_lite as dl
from dynamo_lite.ir.passes import optimize

R = np.random.default_rng(0)
FLOATS, BYTES = R.random((300, 400), np.float32), R.integers(0, 99, (300, 400)).astype(np.uint8)
BOOLS, ROWS = R.random((300, 400)) < 0.1, R.integers(-300, 300, 500)
PLACES = R.integers(0, 99, 20_000)
FEW = slice(0, 3)


# function, arguments, whether NumPy does it
CASES = [
    (lambda a: np.argmax(a, axis=1) + 1, (FLOATS,), True),
    (lambda a: a.argmin() + 1, (FLOATS,), True),
    (lambda a: a[::2].argmin() + 1, (FLOATS,), False),
    (lambda a: np.argmax(a * 2, axis=1) + 1, (FLOATS,), False),
    (lambda a: np.argmax(a, axis=0) + 1, (FLOATS[FEW],), False),
    (lambda a: np.argmax(a, axis=1) + 1, (BOOLS,), True),
    (lambda a: (a @ a.T) ^ True, (BOOLS,), True),
    (lambda a: (a @ a.T) ^ True, (BOOLS[:8, :8].copy(),), False),
    (lambda a: (a @ a.T) ^ True, (BYTES[:8, :8].astype(int),), False),
    (lambda a, i: np.take(a, i, axis=0) + 1, (BYTES, ROWS), True),
    (lambda a, i: a[i] + 1, (BYTES, ROWS), True),
    (lambda a, i: a[i] + 1, (FLOATS, ROWS), False),
    (lambda a, i: np.take(a, i) * 2, (FLOATS[0], PLACES), True),
    (lambda a, i: np.take(a, i, mode="clip") * 2, (FLOATS[0], PLACES), True),
    (lambda a, i: np.take(a, i) * 2, (FLOATS[0], PLACES[:9]), False),
]


@pytest.mark.parametrize("function, args, called", CASES)
def test_who_computes(function, args, called):
    steps = []

    def lowered(graph, inputs):
        functional = optimize(graph)
        hint = hints_of(functional.symbols)
        program = lower(functional, blas=True, why_extern=lambda node: why_numpy(node, hint))
        steps.extend(program.steps)
        return graph

    dl.compile(function, backend=lowered, dynamic=False)(*args)
    assert any(isinstance(step, Extern) for step in steps) is called
    with dl.config.patch(strict=True):
        found, expected = dl.compile(function)(*args), function(*args)
    assert np.asarray(found).dtype == np.asarray(expected).dtype
    np.testing.assert_array_equal(found, expected)


def test_positions_out_of_range_are_numpys_errors():
    compiled = dl.compile(lambda a, i: np.take(a, i, axis=0) + 1)
    compiled(BYTES, ROWS)
    with pytest.raises(IndexError, match="out of bounds"):
        compiled(BYTES, np.where(ROWS == ROWS[5], 300, ROWS))
