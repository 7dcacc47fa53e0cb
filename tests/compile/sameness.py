"""Comparing a compiled call with Python: values, kinds, memory, effects, exceptions, warnings."""
import copy
import warnings

import numpy as np

ULP = 4
"""Distance allowed where transcendental functions are involved."""


def same(found, expected, exact=True):
    """Whether two results are the same for a user."""
    if type(found) is not type(expected):
        return False
    if isinstance(expected, (np.ndarray, np.generic)):
        return same_array(found, expected, exact)
    if isinstance(expected, (list, tuple)):
        return len(found) == len(expected) and all(map(same, found, expected, [exact] * len(found)))
    if isinstance(expected, dict):
        return list(found) == list(expected) and all(
            same(found[key], expected[key], exact) for key in expected
        )
    if isinstance(expected, float):
        return found == expected or (found != found and expected != expected)
    if callable(expected) or hasattr(expected, "__dict__"):
        return same(vars(found), vars(expected), exact) if hasattr(found, "__dict__") else True
    return found == expected


def same_array(found, expected, exact):
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return False
    if found.dtype.kind in "fc" and not exact:
        eps = ULP * 4 * np.finfo(found.dtype).eps
        scale = np.abs(expected[np.isfinite(expected)]).max(initial=0) if expected.ndim else 0
        return bool(np.allclose(found, expected, rtol=eps, atol=eps * scale, equal_nan=True))
    return found.tobytes() == expected.tobytes() or np.array_equal(found, expected, equal_nan=True)


def outcome(function, args, kwargs):
    """What a call gives: the result or exception, warnings, and what became of the arguments."""
    args, kwargs = copy.deepcopy((args, kwargs))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result, error = function(*args, **kwargs), None
        except Exception as raised:
            result, error = None, (type(raised), str(raised))
    said = sorted({(w.category.__name__, str(w.message)) for w in caught})
    return result, error, said, args, kwargs


def check_same(compiled, function, *args, calls=3, exact=True, **kwargs):
    """`compiled` does what `function` does, in the call that compiles it and in later ones."""
    expected = outcome(function, args, kwargs)
    for call in range(calls):
        found = outcome(compiled, args, kwargs)
        for what, f, e in zip(("result", "error", "warnings", "args", "kwargs"), found, expected):
            assert same(f, e, exact), f"{what} of call {call}: {f!r}, expected {e!r}"
