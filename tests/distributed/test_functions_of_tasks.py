"""What tasks run is told apart by what it computes, and sent as it was written down before."""
import dask.array as da
import numpy as np
import pytest
from dask._task_spec import Task

import dynamo_lite as dl
from dynamo_lite.distributed.tasks.running import BlockFunction

X = np.arange(24.0) - 5
FACTORS = (1, 1.0, True, -1, 0, 0.0, -0.0, np.nan, 2**70)


def functions(lazy):
    """Those of the tasks of an array."""
    tasks = dict(lazy.__dask_graph__()).values()
    return {task.func for task in tasks if isinstance(task, Task)
            and isinstance(task.func, BlockFunction)}


def compiled_with(factor):
    @dl.compile
    def scaled(x):
        return np.copysign(1.0, x * factor + factor) * factor

    return scaled


def test_each_graph_has_functions_of_its_own():
    tokens = set()
    for factor in FACTORS:
        scaled = compiled_with(factor)
        (function,) = functions(scaled(da.from_array(X, chunks=5)))
        tokens.add(function.token)
        expected = np.copysign(1.0, X * factor + factor) * factor
        found = scaled(da.from_array(X, chunks=5)).compute()
        assert found.dtype == expected.dtype and np.array_equal(found, expected, equal_nan=True)
    assert len(tokens) == len(FACTORS)


@pytest.mark.parametrize("chunks", [5, 6, 24])
def test_a_program_that_is_called_again_sends_the_same(chunks):
    scaled = compiled_with(3.0)
    first, again = (functions(scaled(da.from_array(X + k, chunks=chunks))) for k in range(2))
    assert first and first == again
    assert {id(one.content) for one in first} == {id(one.content) for one in again}
