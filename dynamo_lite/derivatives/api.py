"""The derivatives of a function, as functions.

What is returned is compiled at its first call, as a whole: a graph break is an error. Where a call
bails out, NumPy runs the same graph and says what there is to say; where the function itself
raises, Python runs it, up to the first derivative.
"""
from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Literal, ParamSpec, TypeVar, Union, overload

import numpy as np

from ..api.directives import is_compiling
from ..base.pytrees import flatten, unflatten
from ..ir.pullback import detached
from ..runtime.compile import compile_whole
from . import other_data
from .coloured import as_sparse, coloured, coloured_jacobian, is_sparse
from .parameters import places_of, value_and_gradients
from .transforms import jacobian_of, value_and_gradient, value_and_pullback, value_and_tangent

Function = Callable[..., Any]
Argnums = Union[int, Sequence[int]]
P = ParamSpec("P")
R = TypeVar("R")


def value_and_grad(
    fun: Callable[P, R], argnums: Argnums | None = None, has_aux: bool = False,
    holomorphic: bool = False, *, wrt: Any = None,
) -> Callable[P, tuple[R, Any]]:
    """A function of the same arguments that gives `(value, gradient)`.

    `fun` gives a real number; with `has_aux`, a pair of it and anything else, which is the value
    then. The gradient is with respect to the positional argument `argnums`, the first one where
    nothing is said, a tree of arrays and numbers, and of its structure; with a sequence of places,
    a tuple of gradients. Arguments are not changed: where `fun` writes into one that derivatives
    are taken of, it writes into a copy. `holomorphic` says that `fun` is a complex function of
    complex numbers that is one.

    For a method, `wrt` is a tree of arrays that its object holds, or a function that gives it: the
    gradient is with respect to these, in all places that hold them, and has its structure.
    """
    if wrt is not None:
        return of_parameters(fun, argnums, wrt, has_aux, holomorphic)
    places = checked(argnums)

    def call(*args: Any, **kwargs: Any) -> Any:
        return value_and_gradient(fun, places, has_aux, holomorphic, args, kwargs)

    return transformed(call, fun, "value_and_grad")


@overload
def grad(
    fun: Callable[P, tuple[Any, R]], argnums: Argnums | None = ..., *, has_aux: Literal[True],
    holomorphic: bool = ..., wrt: Any = ...,
) -> Callable[P, tuple[Any, R]]: ...
@overload
def grad(
    fun: Callable[P, Any], argnums: Argnums | None = ..., has_aux: bool = ...,
    holomorphic: bool = ..., *, wrt: Any = ...,
) -> Callable[P, Any]: ...
def grad(
    fun: Function, argnums: Argnums | None = None, has_aux: bool = False,
    holomorphic: bool = False, *, wrt: Any = None,
) -> Function:
    """The gradient alone, as `value_and_grad` gives it; with `has_aux`, `(gradient, aux)`."""
    if wrt is not None:
        return without_value(of_parameters(fun, argnums, wrt, has_aux, holomorphic), has_aux)
    places = checked(argnums)

    def call(*args: Any, **kwargs: Any) -> Any:
        value, gradient = value_and_gradient(fun, places, has_aux, holomorphic, args, kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return transformed(call, fun, "grad")


def vjp(fun: Function, *primals: Any, has_aux: bool = False) -> Any:
    """`(fun(*primals), pullback)`: `pullback(cotangent)` gives a tuple of cotangents, one for each
    argument. With `has_aux`, `fun` gives a pair, and `(value, pullback, aux)` is returned."""
    if is_compiling():
        result, pulled = value_and_pullback(fun, primals, has_aux)
    else:
        primals = copied(primals)
        run, back = by_parts(fun, has_aux)
        result, pulled = run(*primals), functools.partial(back, primals)
    return (result[0], pulled, result[1]) if has_aux else (result, pulled)


def jvp(fun: Function, primals: Any, tangents: Any, has_aux: bool = False) -> Any:
    """`(fun(*primals), tangent)`: the derivative of the value along `tangents`, which are trees
    like `primals`. With `has_aux`, `fun` gives a pair, and `(value, tangent, aux)` is returned."""
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise TypeError("primals and tangents of jvp are tuples: one item for each argument")
    result, tangent = along(fun, has_aux)(tuple(primals), tuple(tangents))
    return (result[0], tangent, result[1]) if has_aux else (result, tangent)


def jacobian(
    fun: Function, argnums: Argnums = 0, has_aux: bool = False, *, sparsity: Any = None
) -> Function:
    """A function that gives all partial derivatives, of shape `value.shape + argument.shape`.

    They are computed backwards, a row at a time, where the value has fewer elements than the
    argument, and forwards, a column at a time, where it has not. Values and arguments may be trees.
    With `has_aux`, `fun` gives a pair, and a pair of its Jacobian and the other is returned.

    `sparsity` is a matrix that is zero where derivatives always are, with a row for each element of
    the value and a column for each of the argument, which are one array each: columns (or rows)
    that have nothing in common are computed together. Where it is one of scipy.sparse, so is the
    result.
    """
    if sparsity is not None:
        return sparse_jacobian(fun, argnums, sparsity)
    return rows_and_columns(fun, argnums, has_aux, None, "jacobian")


def jacfwd(fun: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """`jacobian`, forwards whatever the shapes are."""
    return rows_and_columns(fun, argnums, has_aux, False, "jacfwd")


def jacrev(fun: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """`jacobian`, backwards whatever the shapes are."""
    return rows_and_columns(fun, argnums, has_aux, True, "jacrev")


def hessian(
    fun: Function, argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False
) -> Function:
    """A function that gives the second derivatives of a number: forwards over backwards."""
    gradient = grad(fun, argnums, has_aux, holomorphic)
    return rows_and_columns(gradient, argnums, has_aux, False, "hessian")


def hvp(fun: Function, x: Any, v: Any) -> Any:
    """The Hessian of `fun` at `x` times `v`, at the cost of some gradients."""
    return along(gradient_of(fun), False)((x,), (v,))[1]


def stop_gradient(x: Any) -> Any:
    """The same tree, whose arrays are constants to derivatives."""
    leaves, shape = flatten(x)
    return unflatten(shape, tuple([
        detached(leaf) if isinstance(leaf, (np.ndarray, np.generic, float, complex)) else leaf
        for leaf in leaves
    ]))


def without_value(both: Function, has_aux: bool) -> Function:
    def call(*args: Any, **kwargs: Any) -> Any:
        value, gradient = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return call


def of_parameters(
    fun: Function, argnums: Argnums | None, wrt: Any, has_aux: bool, holomorphic: bool
) -> Function:
    """The value of a method, and its gradient with respect to arrays that its object holds."""
    if argnums is not None:
        raise TypeError(
            "argnums and wrt cannot both be given: the gradient is with respect to arguments or to "
            "what the object holds\n  remedy: hand over all the arrays as arguments")
    owner = getattr(fun, "__self__", None)
    if owner is None:
        raise TypeError(f"wrt= is for methods, whose objects hold arrays; {fun!r} is none")

    def call(places: Any, args: Any, kwargs: Any) -> Any:
        return value_and_gradients(fun, owner, places, has_aux, holomorphic, args, kwargs)

    compiled = transformed(call, fun, "value_and_grad")

    def value_and_tree(*args: Any, **kwargs: Any) -> Any:
        leaves, shape = flatten(wrt() if callable(wrt) else wrt)
        value, gradients = compiled(places_of(owner, leaves), args, kwargs)
        return value, unflatten(shape, gradients)

    return value_and_tree


def checked(argnums: Argnums | None) -> Union[int, tuple[int, ...]]:
    if argnums is None:
        return 0
    several = isinstance(argnums, Sequence)
    places = tuple(argnums) if isinstance(argnums, Sequence) else (argnums,)
    if not all(isinstance(place, (int, np.integer)) for place in places):
        raise TypeError(f"argnums is an int or a sequence of ints, not {argnums!r}")
    return tuple(map(int, places)) if several else int(places[0])


def copied(primals: Any) -> Any:
    """What a pullback works on, whatever becomes of the arrays until then."""
    leaves, shape = flatten(primals)
    return unflatten(shape, tuple(
        [leaf.copy() if isinstance(leaf, np.ndarray) else leaf for leaf in leaves]))


def rows_and_columns(
    fun: Function, argnums: Argnums, has_aux: bool, reverse: bool | None, name: str
) -> Function:
    places = checked(argnums)

    def call(*args: Any, **kwargs: Any) -> Any:
        return jacobian_of(fun, places, reverse, has_aux, args, kwargs)

    return transformed(call, fun, name)


def sparse_jacobian(fun: Function, argnums: Argnums, sparsity: Any) -> Function:
    place = checked(argnums)
    if not isinstance(place, int):
        raise TypeError("a Jacobian with sparsity= is of one argument")
    colouring = coloured(sparsity)

    def call(*args: Any, **kwargs: Any) -> Any:
        return coloured_jacobian(fun, place, colouring, args, kwargs)

    compiled = transformed(call, fun, "jacobian")

    def dense(*args: Any, **kwargs: Any) -> Any:
        values, shape = compiled(*args, **kwargs)
        found = np.zeros(colouring.shape)
        found[colouring.rows, colouring.columns] = values
        return np.reshape(found, shape)

    def sparse(*args: Any, **kwargs: Any) -> Any:
        return as_sparse(sparsity, compiled(*args, **kwargs)[0], colouring)

    return sparse if is_sparse(sparsity) else dense


def along(fun: Function, has_aux: bool) -> Function:
    """The function of primals and tangents that `jvp` calls."""
    if is_compiling():
        return lambda primals, tangents: value_and_tangent(fun, primals, tangents, has_aux)
    return kept_tangent(fun, has_aux)


@functools.lru_cache(256)
def kept_tangent(fun: Function, has_aux: bool) -> Function:
    def call(primals: Any, tangents: Any) -> Any:
        return value_and_tangent(fun, primals, tangents, has_aux)

    return transformed(call, fun, "jvp")


@functools.lru_cache(256)
def by_parts(fun: Function, has_aux: bool) -> tuple[Function, Function]:
    """The function alone, and the pullback that computes its value again."""

    def run(*primals: Any) -> Any:
        return value_and_pullback(fun, primals, has_aux)[0]

    def back(primals: Any, cotangent: Any) -> Any:
        return value_and_pullback(fun, primals, has_aux)[1](cotangent)

    return transformed(run, fun, "vjp"), transformed(back, fun, "vjp")


def gradient_of(fun: Function) -> Function:
    return grad(fun) if is_compiling() else kept_gradient(fun)


@functools.lru_cache(256)
def kept_gradient(fun: Function) -> Function:
    return grad(fun)


def transformed(call: Function, fun: Function, name: str) -> Function:
    """`call`, which is to be traced, as a function that is compiled; in a function that is being
    compiled, as it is."""
    if is_compiling():
        return call
    if not callable(fun):
        raise TypeError(f"{name} takes a function, not {fun!r}")
    title = f"{name}({getattr(fun, '__qualname__', repr(fun))})"

    def by_numpy(*args: Any, **kwargs: Any) -> Any:
        return call(*args, **kwargs)

    oracle = compile_whole(by_numpy, title, other_data.by_numpy)

    def derivative(*args: Any, **kwargs: Any) -> Any:
        if is_compiling():
            return call(*args, **kwargs)
        return other_data.run(oracle, call, args, kwargs)

    functools.update_wrapper(derivative, fun, NAMES, ())
    return compile_whole(derivative, title, compile_unprofitable=True)


NAMES = ("__module__", "__name__", "__qualname__", "__doc__")
