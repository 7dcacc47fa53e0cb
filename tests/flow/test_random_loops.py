"""Random loops do what Python does: results, arguments, errors, warnings, who shares memory.

`fuzz.seeds` says which, and how to repeat those of a test.
"""
import copy
import warnings

import numpy as np
import pytest

import dynamo_lite as dl

from ..fuzz.seeds import chunks
from .random_loops import ListWriter, Writer, program


def outcome(function, arguments):
    """Everything that a caller can see."""
    arguments = copy.deepcopy(arguments)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            result = function(*arguments)
        except Exception as error:
            result = type(error), str(error)
    return shown(result, arguments), [shown(a, []) for a in arguments], sorted(
        {(w.category.__name__, str(w.message)) for w in said}
    )


def shown(value, arguments):
    """A value with type, bits, and the arguments that it is or shares memory with."""
    if type(value) in (tuple, list):
        return type(value), [shown(item, arguments) for item in value]
    if isinstance(value, np.ndarray):
        shares = [value is a or (isinstance(a, np.ndarray) and np.shares_memory(value, a))
                  for a in arguments]
        return str(value.dtype), value.shape, value.tobytes(), shares
    if isinstance(value, (float, complex, np.floating)):
        return type(value), np.asarray(value).tobytes()
    return type(value), value


def problems(seed, backend, writer=Writer):
    function, text, arguments = program(seed, writer)
    expected = outcome(function, arguments)
    compiled = dl.compile(function, backend=backend)
    for call in range(2):
        found = outcome(compiled, arguments)
        if found != expected:
            return f"seed {seed}, {backend}, call {call}\n{text}\n{found}\nexpected\n{expected}"
    return None


@pytest.mark.parametrize("seeds", chunks(200, 20, daily=20))
@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize("writer", [Writer, ListWriter])
def test_random_loops(writer, backend, seeds):
    with dl.config.patch(strict=True):
        for seed in seeds:
            if (found := problems(seed, backend, writer)) is not None:
                pytest.fail(found)
            dl.reset()
