"""Reverse rules of Fourier transforms, which are symmetric matrices up to how they are cut."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..rules.layout import same
from ..rules.values import normal_axis
from .traced import Part, call, real_positions, step


def cut(g: Any, x: Any, axis: int) -> Any:
    """The cotangent of an axis that was padded or cut to another length."""
    size, length, facts = x.shape[axis], g.shape[axis], x.emit.facts
    if same(size, length, facts):
        return g
    at = (slice(None),) * normal_axis(axis, x.ndim)
    if facts.less(length, size):
        return Part((step(operator.getitem, (*at, slice(0, length))),), g)
    return g[(*at, slice(0, size))]


def symmetric(function: Any) -> Any:
    """Of a transform along one axis that is its own transpose."""

    def rule(g: Any, out: Any, x: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
        return cut(call(function, g, None, axis, norm), x, axis)

    return rule


def one_after_another(
    function: Any, last: Any = None, usual: Any = None, to_reals: bool = False
) -> Any:
    """What a transform along several axes means: along one after another, from the last to the
    first; along the last one by another function, which for a transform `to_reals` comes last."""

    def means(x: Any, s: Any = None, axes: Any = usual, norm: Any = None) -> Any:
        if axes is None:
            axes = range(x.ndim) if s is None else range(-len(s), 0)
        pairs = [(axis, None if s is None else s[place]) for place, axis in enumerate(axes)]
        order = pairs if to_reals else pairs[::-1]
        for axis, n in order:
            own = last if last is not None and axis == pairs[-1][0] else function
            x = call(own, x, n, axis, norm)
        return x

    return means


def hermitian(x: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
    return call(np.fft.irfft, np.conjugate(x), n, axis, OPPOSITE[norm])


def of_hermitian(x: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
    return np.conjugate(call(np.fft.rfft, x, n, axis, OPPOSITE[norm]))


def of_reals(
    g: Any, out: Any, x: Any, n: Any = None, axis: int = -1, norm: Any = None
) -> Any:
    """Each frequency that is not there is the conjugate of one that is."""
    size = x.shape[axis] if n is None else n
    return cut(np.fft.fft(g, size, axis, norm), x, axis)


def to_reals(
    g: Any, out: Any, x: Any, n: Any = None, axis: int = -1, norm: Any = None
) -> Any:
    """Frequencies between the first and the last count twice."""
    size = g.shape[axis]
    back: Any = np.conjugate(call(np.fft.rfft, g, None, axis, OPPOSITE[norm]))
    place = real_positions(back, axis)
    twice = np.where(np.logical_or(place == 0, place * 2 == size), 1.0, 2.0)
    return cut(back * twice, x, axis)


OPPOSITE = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}
"""Norms: the inverse is divided where the transform is not."""
