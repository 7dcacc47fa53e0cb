"""Derivatives against central differences, and forwards against backwards."""
from __future__ import annotations

import numpy as np

import dynamo_lite as dl

STEP = 1e-6


def central(function, x, v, step=STEP):
    """The derivative of `function` at `x` along `v`, of arrays."""
    return (function(x + step * v) - function(x - step * v)) / (2 * step)


def direction(rng, like):
    """A random array of the same shape and dtype."""
    v = rng.standard_normal(np.shape(like))
    if np.iscomplexobj(like):
        v = v + 1j * rng.standard_normal(np.shape(like))
    return np.asarray(v, np.asarray(like).dtype)[()]


def close(found, expected, relative=1e-6):
    """Whether two derivatives are as near as `relative` of the largest one."""
    found, expected = np.asarray(found), np.asarray(expected)
    bound = relative * max(1.0, float(np.max(np.abs(expected), initial=0)))
    return found.shape == expected.shape and bool(np.all(np.abs(found - expected) <= bound))


def pairing(a, b):
    """What a cotangent and a tangent are together: without conjugation, as JAX has it. Its real
    part counts, as derivatives of functions do that are not analytic."""
    return np.real(np.sum(np.asarray(a) * np.asarray(b)))


def check(function, x, seed=0, second=True):
    """First derivatives of a function of one array, forwards and backwards, and second ones."""
    rng = np.random.default_rng(seed)
    v = direction(rng, x)
    value, tangent = dl.jvp(function, (x,), (v,))
    assert close(value, function(x), 1e-12)
    assert close(tangent, central(function, x, v)), (tangent, central(function, x, v))
    w = direction(rng, value)
    (cotangent,) = dl.vjp(function, x)[1](w)
    assert np.shape(cotangent) == np.shape(x) and cotangent.dtype == np.asarray(x).dtype
    assert close(pairing(cotangent, v), pairing(w, tangent), 1e-9)
    if second and not np.iscomplexobj(x):
        check_second(function, x, v, w)


def check_second(function, x, v, w):
    def total(x):
        return np.real(np.sum(function(x) * w))

    gradient = dl.grad(total)
    found = dl.hvp(total, x, v)
    assert close(found, central(gradient, x, v), 1e-4), (found, central(gradient, x, v))
