"""Long programs with state do what they do in Python, in every call of a sequence.

`seeds` says which, and how to repeat those of a test; `python -m tests.fuzz.stateful SEED` prints one.
"""
from __future__ import annotations

import contextlib
import io
import warnings

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.errors import DynamoWarning

from .describing import describe
from .seeds import chunks
from .stateful import CALLS, PRELUDE, arguments, begin, namespace, source

FEW = 2


def after(scope, function, state, call):
    """All that there is to see after a call, as lines."""
    args, said = arguments(scope, state, *call), io.StringIO()
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(said):
        warnings.simplefilter("always")
        try:
            result = function(*args)
        except Exception as error:
            result = error
    messages = [(w.category.__name__, str(w.message)) for w in caught
                if w.category is not DynamoWarning]
    counts = {name: (scope[name].made, scope[name].scale) for name in ("Grid", "Damped")}
    return describe(
        result, args, scope["LOG"], scope["TICKS"], counts, messages, said.getvalue(),
        np.random.get_state()[1:3],
    )


def problem(seed, backend):
    """What differs, as text, or None."""
    text = source(seed)
    scopes = namespace(text, f"{seed} plain"), namespace(text, f"{seed}")
    functions = scopes[0]["program"], dl.compile(scopes[1]["program"], backend=backend)
    states, chance = [*map(begin, scopes)], [np.random.get_state()] * 2
    for number, call in enumerate(CALLS):
        seen = []
        for i in range(2):
            np.random.set_state(chance[i])
            seen.append(after(scopes[i], functions[i], states[i], call))
            chance[i] = np.random.get_state()
        for expected, found in zip(*seen):
            if expected != found:
                return f"seed {seed}, {backend}, call {number}\n{found}\nnot\n{expected}"
        if len(seen[0]) != len(seen[1]):
            return f"seed {seed}, {backend}, call {number}: {len(seen[1])} objects, not {len(seen[0])}"
    return None


def backend_of(seed):
    """Machine code is made of some: most of what can go wrong here is Python's."""
    return "eager" if seed % 4 else "llvm"


def limit_of(seed):
    """Every other program has a variant for each call, or too few."""
    return FEW if seed % 2 else len(CALLS)


@pytest.mark.parametrize("seeds", chunks(20, 10, daily=20))
def test_programs_with_state_equal_python(seeds):
    problems = []
    for seed in seeds:
        with dl.config.patch(strict=True, recompile_limit=limit_of(seed)):
            if (wrong := problem(seed, backend_of(seed))) is not None:
                problems.append(f"{source(seed).removeprefix(PRELUDE)}\n{wrong}")
        dl.reset()
    assert not problems, "\n\n".join(problems)
