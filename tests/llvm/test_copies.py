"""Copies of packed rows: the same elements whoever copies them, and made where they are needed."""
from __future__ import annotations

import numpy as np
import pytest

import dynamo_lite as dl


def joined(x, y):
    return np.concatenate([x, y], axis=1)


def written(x, y):
    out = np.zeros((x.shape[0], x.shape[1] + 3), x.dtype)
    out[::-1, 3:] = x
    out[:, :3] = y[:, :3] + 1
    return out


def copied_and_used(x, y):
    """What the kernel of the copy computes for itself is used by others as well."""
    return np.concatenate([x, y], axis=1), np.concatenate([x, y], axis=1) + 1, x.sum(axis=1)


LAYOUTS = {
    "rows": lambda x: x,
    "columns": np.asfortranarray,
    "every other row": lambda x: np.repeat(x, 2, axis=0)[::2],
    "rows backwards": lambda x: x[::-1],
    "columns backwards": lambda x: x[:, ::-1],
}


@pytest.mark.parametrize("function", [joined, written, copied_and_used])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dynamic", [False, True])
def test_rows_of_all_sizes(function, layout, dynamic):
    compiled = dl.compile(function, dynamic=dynamic)
    rng = np.random.default_rng(0)
    sizes = [(2, 3), (40, 700), (3, 200_000), (20_000, 4), (1, 9000), (0, 5000), (7, 511)]
    for rows, width in sizes if dynamic else sizes[1:3]:
        x, y = LAYOUTS[layout](rng.normal(size=(rows, width))), rng.normal(size=(rows, 5))
        np.testing.assert_equal(compiled(x, y), function(x, y))
