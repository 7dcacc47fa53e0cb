"""Errors that the user asked for reach the user as they are, also where internal errors do not."""
import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.errors import (
    FullGraphRequired,
    MarkedDynamicSpecialized,
    RecompileForbidden,
    RecompileLimitExceeded,
)

X = np.arange(4.0)


def recompiles():
    compiled = dl.compile(lambda x: x + 1)
    compiled(X)
    with dl.no_recompile():
        compiled(X.astype("f4"))


def breaks():
    dl.compile(lambda x: (x + 1, print()), fullgraph=True)(X)


def specialises():
    x = np.arange(4.0)
    dl.mark_dynamic(x, 0)
    dl.compile(lambda x: x + 1 if x.shape[0] == 4 else x)(x)


def exceeds_the_limit():
    compiled = dl.compile(lambda x, k: {k: x + 1}, fullgraph=True)
    for index in range(20):
        compiled(X, str(index))


@pytest.mark.parametrize(("program", "error"), [
    (recompiles, RecompileForbidden), (breaks, FullGraphRequired),
    (specialises, MarkedDynamicSpecialized), (exceeds_the_limit, RecompileLimitExceeded),
])  # fmt: skip
def test_errors_reach_the_user(program, error):
    with dl.config.patch(strict=False), pytest.raises(error):
        program()


@pytest.mark.parametrize("program", [recompiles, breaks, specialises, exceeds_the_limit])
def test_their_tracebacks_end_at_the_call(program):
    """Nothing of the compiler stands between the user's line and the message."""
    with dl.config.patch(strict=False), pytest.raises(dl.errors.DynamoError) as caught:
        program()
    assert {str(entry.path) for entry in caught.traceback} == {__file__}
    assert caught.value.__suppress_context__ and caught.value.__cause__ is None
