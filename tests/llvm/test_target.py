"""Which machine code is for."""
import numpy as np
import pytest
from dynamo_lite.backends.llvm.builder.target import LEVELS, host

import dynamo_lite as dl
from dynamo_lite.errors import BackendError

from ..oracle import ROUNDED, check

X = np.linspace(-3, 3, 37)


def function(x):
    return np.exp(x) * 2 + np.sqrt(abs(x)), x.sum()


def test_a_lower_level_can_be_asked_for():
    known = [level[2] for level in LEVELS if level[0] == host().machine]
    lower = known[known.index(host().cpu):]
    assert lower
    for cpu in lower:
        with dl.config.patch(cpu=cpu):
            assert host().cpu == cpu
            check(dl.compile(function, backend="llvm"), function, X, tolerance=ROUNDED)


def test_levels_that_this_machine_does_not_reach_are_refused():
    own = host().cpu
    with pytest.raises(BackendError, match=f"'i386'.*{own}"), dl.config.patch(cpu="i386"):
        host()
