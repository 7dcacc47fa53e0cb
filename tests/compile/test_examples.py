"""The numbered examples: one graph each, no breaks, NumPy's results; each runs as a script."""
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dynamo_lite as dl

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("0*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_is_one_graph_and_equals_numpy(path):
    example = runpy.run_path(str(path))
    function, arguments = example["function"], example["inputs"]()
    explanation = dl.explain(function)(*arguments)
    assert (explanation.graph_count, len(explanation.breaks)) == (1, 0)
    expected, found = function(*arguments), dl.compile(function)(*arguments)
    pairs = zip(expected, found) if isinstance(expected, tuple) else [(expected, found)]
    for want, got in pairs:
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        tolerance = 1e-4 if want.dtype == np.float32 else 1e-11
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_as_a_script(path):
    done = subprocess.run([sys.executable, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert "Warning" not in done.stderr
