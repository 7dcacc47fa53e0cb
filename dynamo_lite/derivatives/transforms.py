"""Transformations of functions, as the Python code that the tracer follows.

Each function here is what a transformed function does: it runs the user's function on variables and
asks for derivatives of what that gives. Everything is trees, as in `dynamo_lite.api.control_flow`.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.pytrees import are_alike, flatten, unflatten
from ..ir.pullback import independent, owned, pullback, pushforward

Function = Callable[..., Any]


def value_and_gradient(
    function: Function, argnums: Any, has_aux: bool, args: Any, kwargs: Any
) -> tuple[Any, Any]:
    """What the function gives, and the gradient of the number in it."""
    single = isinstance(argnums, int)
    chosen = (argnums,) if single else argnums
    variables, shape = variables_of(chosen_of(args, chosen))
    result = at_places(function, chosen, args, kwargs)(*inputs_of(variables, shape))
    value = main_of(result, has_aux)
    if not are_alike(flatten(value)[1], flatten(0.0)[1]):  # which asks for no type
        raise TypeError(
            "Gradient only defined for scalar-output functions. Output was of type "
            + type(value).__name__)
    gradients = unflatten(shape, pullback((value,), (None,), variables))
    return result, gradients[0] if single else gradients


def chosen_of(args: Any, places: Any) -> tuple[Any, ...]:
    """The arguments that derivatives are taken with respect to."""
    for place in places:
        if not -len(args) <= place < len(args):
            raise TypeError(
                f"argnums has {place}, and the call has {len(args)} positional arguments")
    return tuple([args[place] for place in places])


def main_of(result: Any, has_aux: bool) -> Any:
    """What derivatives are of."""
    if not has_aux:
        return result
    if not isinstance(result, tuple) or len(result) != 2:
        raise TypeError("with has_aux=True a function gives a pair: its value, and what else")
    return result[0]


def variables_of(tree: Any) -> tuple[Any, Any]:
    """New variables for the leaves of a tree, and its shape."""
    leaves, shape = flatten(tree)
    return tuple([independent(leaf) for leaf in leaves]), shape


def inputs_of(variables: Any, shape: Any) -> Any:
    """What a function is given for variables: it may write into it."""
    return unflatten(shape, tuple([owned(variable) for variable in variables]))


def at_places(function: Function, places: Any, args: Any, kwargs: Any) -> Function:
    """The function of some of its positional arguments; the others stay as they are."""

    def call(*chosen: Any) -> Any:
        given = list(args)
        for place, value in zip(places, chosen):
            given[place] = value
        return function(*given, **kwargs)

    return call


def value_and_pullback(
    function: Function, primals: Any, has_aux: bool = False
) -> tuple[Any, Function]:
    """What the function gives, and the function from cotangents of that to those of the
    arguments."""
    variables, shape = variables_of(primals)
    result = function(*inputs_of(variables, shape))
    outputs, structure = flatten(main_of(result, has_aux))

    def pulled(cotangent: Any) -> Any:
        given, found = flatten(cotangent)
        if not are_alike(found, structure) or shapes(given) != shapes(outputs):
            raise TypeError("the cotangent is not a tree of the same shapes as the value")
        check_kinds(given, "cotangent")
        return unflatten(shape, pullback(outputs, given, variables))

    return result, pulled


def value_and_tangent(
    function: Function, primals: Any, tangents: Any, has_aux: bool = False
) -> tuple[Any, Any]:
    """What the function gives, and the tangent of it."""
    variables, shape = variables_of(primals)
    given, found = flatten(tangents)
    if not are_alike(found, shape) or shapes(given) != shapes(variables):
        raise TypeError("the tangents are not trees of the same shapes as the arguments")
    check_kinds(given, "tangent")
    result = function(*inputs_of(variables, shape))
    outputs, structure = flatten(main_of(result, has_aux))
    return result, unflatten(structure, pushforward(outputs, given, variables))


def check_kinds(leaves: Any, what: str) -> None:
    for leaf in leaves:
        if np.result_type(leaf).kind not in "fc":
            raise TypeError(
                f"a {what} is of real or complex numbers, not of {np.result_type(leaf).name}")


def shapes(leaves: Any) -> list[Any]:
    return [np.shape(leaf) for leaf in leaves]


def jacobian_of(
    function: Function, argnums: Any, reverse: Any, args: Any, kwargs: Any
) -> Any:
    """For each array of the value, a tree like the argument of arrays with the axes of both."""
    single = isinstance(argnums, int)
    chosen = (argnums,) if single else argnums
    leaves, shape = flatten(chosen_of(args, chosen))
    call = at_places(function, chosen, args, kwargs)

    def of_leaf(place: int, value: Any) -> Any:
        given = leaves[:place] + (value,) + leaves[place + 1 :]
        return flatten(call(*unflatten(shape, given)))[0]

    outputs, structure = flatten(call(*inputs_of(variables_of(leaves)[0], shape)))
    found = []
    for at, output in enumerate(outputs):
        row = tuple([
            block(lambda x, place=place, at=at: of_leaf(place, x)[at], leaf, output, reverse)
            for place, leaf in enumerate(leaves)
        ])
        tree = unflatten(shape, row)
        found.append(tree[0] if single else tree)
    return unflatten(structure, tuple(found))


def block(function: Function, x: Any, y: Any, reverse: Any) -> Any:
    """The derivatives of one array by another one, a row or a column at a time."""
    rows, columns = np.size(y), np.size(x)
    by_rows = rows < columns if reverse is None else reverse
    found = np.zeros((rows, columns), np.result_type(x, y, 0.0))
    if by_rows:
        for i in range(rows):
            found[i] = np.ravel(pulled_back(function, x, i))
    else:
        for j in range(columns):
            found[:, j] = np.ravel(pushed_forward(function, x, j))
    return np.reshape(found, np.shape(y) + np.shape(x))


def pulled_back(function: Function, x: Any, i: Any) -> Any:
    """Row `i` of the Jacobian."""
    value, pulled = value_and_pullback(function, (x,))
    return pulled(unit(value, i))[0]


def pushed_forward(function: Function, x: Any, j: Any) -> Any:
    """Column `j` of the Jacobian."""
    return value_and_tangent(function, (x,), (unit(x, j),))[1]


def unit(like: Any, place: Any) -> Any:
    """1 at one element, 0 at the others."""
    dtype = np.result_type(like, 0.0) if not isinstance(like, np.ndarray) else like.dtype
    if np.ndim(like) == 0:
        return dtype.type(1)
    direction = np.zeros(np.size(like), dtype)
    direction[place] = 1
    return np.reshape(direction, np.shape(like))
