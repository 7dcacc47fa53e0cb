"""Several assignments to one array: what is overwritten is not stored, but still reports."""
import warnings

import numpy as np
import pytest

import dynamo_lite as dl
from tests.oracle import outcome_of_copy, same


def there_and_back(x, y):
    x += y
    x -= y


def overwritten(x, y):
    x[:] = x / y
    x[...] = y


def overwritten_in_part(x, y):
    x[1:] = x[1:] / y[1:]
    x *= 2
    x[::2] = y[::2]


def of_two_states(x, y):
    with np.errstate(all="ignore"):
        x /= y
    x += y


def of_two_states_the_other_way(x, y):
    x /= y
    with np.errstate(all="ignore"):
        x *= y
    x[:] = 1


def read_between(x, y):
    x *= y
    total = x[1] + 1
    x -= y
    return total, x.sum()


def masked_between(x, y):
    x += y
    x[x > 3] = 0
    x *= y
    x[:] = x + y


def of_the_result(x, y):
    z = x * y
    z += x
    z *= z
    return z, z[0]


def numbers_of_before(x, y):
    first, last = x[..., 0], x[(-1,) * x.ndim]
    x[..., 1:] += y[..., 1:]
    x[..., 0] = y[..., 1]
    return first, last, x.sum(), x[(0,) * x.ndim], x[..., 1:]


def numbers_of_before_a_loop(x, y):
    last = x[(-1,) * x.ndim]
    for k in range(len(x)):
        x[k] += y[k - 1]
    return last, x.max()


PROGRAMS = [there_and_back, overwritten, overwritten_in_part, of_two_states,
            of_two_states_the_other_way, read_between, masked_between, of_the_result,
            numbers_of_before, numbers_of_before_a_loop]
LAYOUTS = {
    "packed": np.copy, "step": lambda a: np.repeat(a, 2, -1)[..., ::2],
    "reversed": lambda a: a[..., ::-1].copy()[..., ::-1], "rows": lambda a: a.reshape(2, -1),
    "columns": lambda a: np.asfortranarray(a.reshape(2, -1)),
}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("state", ["warn", "raise", "ignore"])
def test_as_in_numpy(program, layout, state):
    compiled = dl.compile(program)
    for dtype, values in [("f8", [1.5, -2, 3, 4e10]), ("f8", [0, 1, -0.0, 2]), ("i4", [5, 1, 2, 7]),
                          ("f4", [1e30, -1e30, 0.0, np.nan]), ("f8", [1e308, np.inf, 0, 1])]:
        x, y = (LAYOUTS[layout](np.resize(v, 40).astype(dtype)) for v in (values, values[::-1]))
        results = []
        for run in (compiled, program):
            args = [x.copy(order="K"), y.copy(order="K")]
            base = np.zeros(160, dtype)
            if layout == "step":
                args[0] = base[:80:2]
                args[0][:] = x
            with np.errstate(all=state), warnings.catch_warnings():
                warnings.simplefilter("always")
                results.append((outcome_of_copy(run, args), args[0].tobytes(), base.tobytes()))
        (found, *memory), (expected, *expected_memory) = results
        assert same(found, expected), (dtype, values)
        assert memory == expected_memory, (dtype, values)
