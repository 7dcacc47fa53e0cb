"""Slices along axes that are cut: one exchange of margins a step, and writes of parts."""
import numpy as np
import pytest

import dynamo_lite as dl

da = pytest.importorskip("dask.array")

U = np.random.default_rng(0).random((40, 30))


def heat(u, steps):
    for _ in range(steps):
        new = u.copy()
        inner = u[1:-1, 1:-1]
        new[1:-1, 1:-1] = inner + 0.1 * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * inner)
        u = new
    return u


def wave(u, before, steps):
    for _ in range(steps):
        after = np.zeros_like(u)
        after[1:-1] = 2 * u[1:-1] - before[1:-1] + 0.2 * (u[2:] - 2 * u[1:-1] + u[:-2])
        before, u = u, after
    return u


def blur(x):
    return (x[:-2] + x[1:-1] + x[2:]) / 3


def borders(u):
    u = u.copy()
    u[0] = 0
    u[-1] = 1.5
    u[1:3] = u[4:6]
    u[5:9] += 1
    u[:, 0] = u[:, 1]
    return u


def differences(x):
    return np.diff(x, axis=0) * 2 - x[1:]


@pytest.mark.parametrize("chunks", [(10, 30), (40, 7), (13, 11), (1, 30)])
@pytest.mark.parametrize("program, arguments", [
    (heat, (U, 2)), (wave, (U, U.copy(), 2)), (blur, (U,)), (borders, (U,)), (differences, (U,))])
def test_stencils_have_numpys_bits(program, arguments, chunks):
    lazy = [da.from_array(a, chunks) if isinstance(a, np.ndarray) else a for a in arguments]
    found = dl.compile(program)(*lazy)
    assert isinstance(found, da.Array)
    np.testing.assert_array_equal(found.compute(scheduler="sync"), program(*arguments))


def test_a_step_is_one_task_a_block_and_two_margins():
    x = da.from_array(U, (10, 30))
    one, two = (len(dl.compile(heat)(x, steps).__dask_graph__()) for steps in (1, 2))
    assert two - one == 4 + 6
