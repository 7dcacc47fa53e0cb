"""Functions that bring their own derivatives, or that are computed again for theirs."""
from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..api.directives import is_compiling
from ..base.pytrees import flatten, unflatten
from ..ir.pullback import ruled_backwards, ruled_forwards, unknown
from .transforms import value_and_pullback

Function = Callable[..., Any]


class Ruled:
    """A function that brings a rule. Arguments in the places of `nondiff_argnums` have no
    derivatives."""

    def __init__(self, fun: Function, nondiff_argnums: Sequence[int] = ()) -> None:
        self.fun = fun
        self.nondiff_argnums = tuple(nondiff_argnums)
        self.parameters = parameters_of(fun)
        self.depth = 0
        named(self, fun)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        given = self.by_position(args, kwargs)
        self.check()
        if not is_compiling() or self.depth == DEEPEST:
            return self.fun(*given)
        self.depth += 1  # a rule may call the function, of which second derivatives are by the rule
        found = self.ruled(given)
        self.depth -= 1
        return found

    def check(self) -> None:
        """TypeError where there is no rule yet."""

    def ruled(self, args: Any) -> Any:
        """The value, with derivatives by the rule."""

    def by_position(self, args: Any, kwargs: Any) -> tuple[Any, ...]:
        """The arguments as rules are given them: keywords and defaults in their places."""
        found, names = list(args), []
        for name, default in self.parameters[len(args) :]:
            if name not in kwargs and default is inspect.Parameter.empty:
                break
            names.append(name)
            found.append(kwargs[name] if name in kwargs else default)
        for name in kwargs:
            if name not in names:
                raise TypeError(f"a function with a rule has no place for the keyword {name!r}")
        return tuple(found)

    def parts(self, args: Any) -> tuple[Any, Any]:
        """The arguments without derivatives, and those that have them."""
        fixed = tuple([args[place] for place in self.nondiff_argnums])
        free = tuple([arg for place, arg in enumerate(args) if place not in self.nondiff_argnums])
        return fixed, free


DEEPEST = 3
"""How often rules that call their own function are followed."""


def parameters_of(fun: Function) -> tuple[tuple[str, Any], ...]:
    """Names and defaults of those that may be given by position; of a function of C, none."""
    try:
        known = inspect.signature(fun).parameters.values()
    except ValueError:
        return ()
    return tuple((each.name, each.default) for each in known
                 if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD))


class custom_vjp(Ruled):
    """A function with its own pullback, which `defvjp` gives; also a decorator.

    Arguments in the places of `nondiff_argnums` have no derivatives. They come first in `bwd`.
    """

    fwd: Function | None = None
    bwd: Function | None = None

    def defvjp(self, fwd: Function, bwd: Function) -> None:
        """`fwd(*args)` gives `(value, residuals)`; `bwd(residuals, cotangent)` gives a tuple of
        cotangents, one for each argument that has any, None for zero."""
        self.fwd, self.bwd = fwd, bwd

    def check(self) -> None:
        if self.fwd is None or self.bwd is None:
            raise TypeError("a custom_vjp function needs its rule: call defvjp(fwd, bwd) first")

    def ruled(self, args: Any) -> Any:
        fixed, free = self.parts(args)
        value, residuals = self.fwd(*args)  # type: ignore[misc]
        return with_pullback(
            value, free, lambda g: self.bwd(*fixed, residuals, g))  # type: ignore[misc]


class custom_jvp(Ruled):
    """A function with its own rule for tangents, which `defjvp` gives; also a decorator."""

    jvp: Function | None = None

    def defjvp(self, jvp: Function) -> Function:
        """`jvp(primals, tangents)` gives `(value, tangent)`, linear in `tangents`."""
        self.jvp = jvp
        return jvp

    def defjvps(self, *rules: Function | None) -> None:
        """A rule for each argument, `rule(tangent, value, *primals)`; None for zero."""

        def jvp(primals: Any, tangents: Any) -> Any:
            value = self(*primals)
            parts = [rule(tangent, value, *primals)
                     for rule, tangent in zip(rules, tangents) if rule is not None]
            return value, sum(parts[1:], parts[0]) if parts else np.zeros_like(value)

        self.jvp = jvp

    def check(self) -> None:
        if self.jvp is None:
            raise TypeError("a custom_jvp function needs its rule: call defjvp(jvp) first")

    def ruled(self, args: Any) -> Any:
        fixed, free = self.parts(args)
        leaves, shape = flatten(free)
        stand_ins = tuple([unknown(leaf) for leaf in leaves])
        value, tangent = self.jvp(  # type: ignore[misc]
            *fixed, free, unflatten(shape, stand_ins))
        outputs, structure = flatten(value)
        given = flatten(tangent)[0]
        return unflatten(structure, ruled_forwards(outputs, leaves, stand_ins, given))


def checkpoint(fun: Function, *, static_argnums: Any = ()) -> Function:
    """The same function; for derivatives, what it computes is computed again instead of kept.

    `static_argnums` are JAX's; here whatever is no real or complex number is constant anyway.
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        if not is_compiling():
            return fun(*args, **kwargs)
        leaves, shape = flatten((args, kwargs))
        varying = [place for place, leaf in enumerate(leaves) if is_continuous(leaf)]

        def of_varying(*values: Any) -> Any:
            given = list(leaves)
            for place, value in zip(varying, values):
                given[place] = value
            again, names = unflatten(shape, tuple(given))
            return fun(*again, **names)

        def back(g: Any) -> Any:
            again = tuple([another(leaves[place]) for place in varying])
            return value_and_pullback(of_varying, again)[1](g)

        return with_pullback(
            fun(*args, **kwargs), tuple([leaves[place] for place in varying]), back)

    if not is_compiling():
        named(call, fun)
    return call


def is_continuous(leaf: Any) -> bool:
    """Whether a leaf is real or complex numbers."""
    if isinstance(leaf, np.ndarray | np.generic):
        return leaf.dtype.kind in "fc"
    return isinstance(leaf, float | complex)


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
