"""What README.md begins with: an installed package compiles, and gives what NumPy gives."""
import importlib.metadata
from importlib.util import find_spec

import numpy as np

import dynamo_lite as dl


def assign(X, means):
    return np.argmin(np.linalg.norm(X - means[:, None], axis=2), axis=0)


points = np.random.default_rng(0).random((10_000, 2))
compiled = dl.compile(assign)
np.testing.assert_array_equal(compiled(points, points[:5]), assign(points, points[:5]))
assert compiled.entries()[0].hits == 1, dl.stats()
assert importlib.metadata.version("dynamo-lite") == dl.__version__
assert find_spec("rich") is None and "site-packages" in (dl.__file__ or "")
print("compiled:", dl.stats())
