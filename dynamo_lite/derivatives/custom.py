"""Functions that bring their own derivatives, or that are computed again for theirs."""
from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..api.directives import is_compiling
from ..base.pytrees import flatten, unflatten
from ..ir.pullback import ruled_backwards, ruled_forwards, unknown
from .transforms import value_and_pullback

Function = Callable[..., Any]


class custom_vjp:
    """A function with its own pullback, which `defvjp` gives; also a decorator.

    Arguments in the places of `nondiff_argnums` have no derivatives. They come first in `bwd`.
    """

    def __init__(self, fun: Function, nondiff_argnums: Sequence[int] = ()) -> None:
        self.fun = fun
        self.nondiff_argnums = tuple(nondiff_argnums)
        self.fwd: Function | None = None
        self.bwd: Function | None = None
        named(self, fun)

    def defvjp(self, fwd: Function, bwd: Function) -> None:
        """`fwd(*args)` gives `(value, residuals)`; `bwd(residuals, cotangent)` gives a tuple of
        cotangents, one for each argument that has any, None for zero."""
        self.fwd, self.bwd = fwd, bwd

    def __call__(self, *args: Any) -> Any:
        fwd, bwd = self.fwd, self.bwd
        if fwd is None or bwd is None:
            raise TypeError("a custom_vjp function needs its rule: call defvjp(fwd, bwd) first")
        if not is_compiling():
            return self.fun(*args)
        fixed = tuple([args[place] for place in self.nondiff_argnums])
        free = tuple([arg for place, arg in enumerate(args) if place not in self.nondiff_argnums])
        value, residuals = fwd(*args)
        return with_pullback(value, free, lambda g: bwd(*fixed, residuals, g))


class custom_jvp:
    """A function with its own rule for tangents, which `defjvp` gives; also a decorator."""

    def __init__(self, fun: Function, nondiff_argnums: Sequence[int] = ()) -> None:
        self.fun = fun
        self.nondiff_argnums = tuple(nondiff_argnums)
        self.jvp: Function | None = None
        named(self, fun)

    def defjvp(self, jvp: Function) -> Function:
        """`jvp(primals, tangents)` gives `(value, tangent)`, linear in `tangents`."""
        self.jvp = jvp
        return jvp

    def __call__(self, *args: Any) -> Any:
        if self.jvp is None:
            raise TypeError("a custom_jvp function needs its rule: call defjvp(jvp) first")
        if not is_compiling():
            return self.fun(*args)
        fixed = tuple([args[place] for place in self.nondiff_argnums])
        free = tuple([arg for place, arg in enumerate(args) if place not in self.nondiff_argnums])
        leaves, shape = flatten(free)
        stand_ins = tuple([unknown(leaf) for leaf in leaves])
        value, tangent = self.jvp(*fixed, free, unflatten(shape, stand_ins))
        outputs, structure = flatten(value)
        given = flatten(tangent)[0]
        return unflatten(structure, ruled_forwards(outputs, leaves, stand_ins, given))


def checkpoint(fun: Function) -> Function:
    """The same function; for derivatives, what it computes is computed again instead of kept."""

    def call(*args: Any) -> Any:
        if not is_compiling():
            return fun(*args)

        def back(g: Any) -> Any:
            leaves, shape = flatten(args)
            again = unflatten(shape, tuple([another(leaf) for leaf in leaves]))
            return value_and_pullback(fun, again)[1](g)

        return with_pullback(fun(*args), args, back)

    if not is_compiling():
        named(call, fun)
    return call


def named(made: Any, fun: Function) -> None:
    """Name what is made of a function as that is, without telling the tracer to look behind it."""
    functools.update_wrapper(made, fun, ("__name__", "__qualname__", "__doc__"), ())
    del made.__wrapped__


def another(leaf: Any) -> Any:
    """An equal array, so that nothing computed of it is what was computed already."""
    return np.copy(leaf) if isinstance(leaf, np.ndarray) else leaf


def with_pullback(value: Any, arguments: Any, back: Function) -> Any:
    """A value whose cotangent goes back to arguments by a function."""
    leaves, _ = flatten(arguments)
    outputs, structure = flatten(value)
    stand_ins = tuple([unknown(output) for output in outputs])
    given = back(unflatten(structure, stand_ins))
    cotangents = []
    for argument, cotangent in zip(arguments, given):
        count = len(flatten(argument)[0])
        cotangents += [None] * count if cotangent is None else list(flatten(cotangent)[0])
    return unflatten(structure, ruled_backwards(outputs, leaves, stand_ins, tuple(cotangents)))
