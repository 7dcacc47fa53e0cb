"""Transformations of functions, as the Python code that the tracer follows.

Each function here is what a transformed function does: it runs the user's function on variables and
asks for derivatives of what that gives. Everything is trees, as in `dynamo_lite.api.control_flow`.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.pytrees import are_alike, flatten, unflatten
from ..ir.ops.libraries import ARRAY_CLASSES
from ..ir.pullback import independent, owned, pullback, pullbacks, pushforward, pushforwards

Function = Callable[..., Any]


def value_and_gradient(
    function: Function, argnums: Any, has_aux: bool, holomorphic: bool, args: Any, kwargs: Any
) -> tuple[Any, Any]:
    """What the function gives, and the gradient of the number in it."""
    single = isinstance(argnums, int)
    chosen = (argnums,) if single else argnums
    variables, shape = variables_of(chosen_of(args, chosen))
    result = at_places(function, chosen, args, kwargs)(*inputs_of(variables, shape))
    found = gradients_of(main_of(result, has_aux), variables, holomorphic)
    gradients = unflatten(shape, found)
    return result, gradients[0] if single else gradients


def gradients_of(value: Any, variables: Any, holomorphic: bool) -> Any:
    """Those of a number."""
    if not are_alike(flatten(value)[1], flatten(0.0)[1]):  # which asks for no type
        raise TypeError(
            "Gradient only defined for scalar-output functions. Output was of type "
            + type(value).__name__)
    start = complex_one(value, variables) if holomorphic else None
    return pullback((value,), (start,), variables)


def complex_one(value: Any, variables: Any) -> Any:
    """The cotangent of a complex number that is computed from complex ones."""
    for each, name in ((value, "outputs"), *[(variable, "inputs") for variable in variables]):
        if np.result_type(each).kind != "c":
            raise TypeError(f"grad with holomorphic=True requires {name} with complex dtype, "
                            f"but got {np.result_type(each).name}")
    if np.ndim(value):
        raise TypeError("Gradient only defined for scalar-output functions. Output had shape: "
                        f"{np.shape(value)}")
    return np.ones_like(value)


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
    return tuple([independent(number(leaf)) for leaf in leaves]), shape


def number(leaf: Any) -> Any:
    """What a variable is made of; Python's complex numbers become NumPy's."""
    if isinstance(leaf, complex) and not isinstance(leaf, np.generic):
        return np.complex128(leaf)
    if not is_array(leaf) and not isinstance(leaf, (np.generic, float, int)):
        raise TypeError("grad requires real- or complex-valued inputs (arrays and numbers), "
                        f"but got a {type(leaf).__name__}")
    return leaf


def is_array(value: Any) -> bool:
    """Whether it is one of NumPy or of CuPy."""
    kind = type(value)
    return isinstance(value, np.ndarray) or (kind.__module__, kind.__qualname__) in ARRAY_CLASSES


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


def check_no_texts(leaves: Any, what: str) -> None:
    for leaf in leaves:
        if isinstance(leaf, (str, bytes)):
            raise TypeError(
                f"a {what} is of real or complex numbers, not a {type(leaf).__name__}")


def check_kinds(leaves: Any, what: str) -> None:
    check_no_texts(leaves, what)
    for leaf in leaves:
        if np.result_type(leaf).kind not in "fc":
            raise TypeError(
                f"a {what} is of real or complex numbers, not of {np.result_type(leaf).name}")


def shapes(leaves: Any) -> list[Any]:
    return [np.shape(leaf) for leaf in leaves]


def jacobian_of(
    function: Function, argnums: Any, reverse: Any, has_aux: bool, args: Any, kwargs: Any
) -> Any:
    """For each array of the value, a tree like the argument of arrays with the axes of both."""
    single = isinstance(argnums, int)
    chosen = (argnums,) if single else argnums
    variables, shape = variables_of(chosen_of(args, chosen))
    result = at_places(function, chosen, args, kwargs)(*inputs_of(variables, shape))
    outputs, structure = flatten(main_of(result, has_aux))
    found = partials_of(outputs, variables, reverse)
    rows = [unflatten(shape, tuple([found[at, place] for place in range(len(variables))]))
            for at in range(len(outputs))]
    tree = unflatten(structure, tuple([row[0] if single else row for row in rows]))
    return (tree, result[1]) if has_aux else tree


def partials_of(outputs: Any, variables: Any, reverse: Any) -> dict[tuple[int, int], Any]:
    """The derivatives of each output by each variable, by their places: backwards all those of an
    output at once, forwards all those by a variable."""
    check_no_texts(outputs, "value that has derivatives")
    back = {(at, place) for at, y in enumerate(outputs) for place, x in enumerate(variables)
            if is_backwards(y, x, reverse)}
    found = {}
    for at, y in enumerate(outputs):
        places = [place for place in range(len(variables)) if (at, place) in back]
        if places:
            rows = pullbacks(y, units(y), tuple([variables[place] for place in places]))
            for place, row in zip(places, rows):
                found[at, place] = np.reshape(row, np.shape(y) + np.shape(variables[place]))
    for place, x in enumerate(variables):
        ats = [at for at in range(len(outputs)) if (at, place) not in back]
        if ats:
            columns = pushforwards(tuple([outputs[at] for at in ats]), units(x), x)
            for at, column in zip(ats, columns):
                found[at, place] = np.reshape(
                    np.moveaxis(column, 0, -1), np.shape(outputs[at]) + np.shape(x))
    return found


def is_backwards(y: Any, x: Any, reverse: Any) -> bool:
    """Whether the derivatives of one array by another one are computed a row at a time: those of
    real numbers by complex ones, and of fewer by more."""
    kinds = np.result_type(y, 0.0).kind, np.result_type(x, 0.0).kind
    if kinds[0] == kinds[1]:
        return np.size(y) < np.size(x) if reverse is None else reverse
    if reverse is not None and reverse != (kinds[0] == "f"):
        raise TypeError(REFUSED[reverse])
    return kinds[0] == "f"


REFUSED = {
    True: "jacrev requires real-valued outputs of real-valued inputs, but got complex ones\n"
          "  remedy: dl.jacfwd",
    False: "jacfwd requires real-valued inputs of real-valued outputs, but got complex ones\n"
           "  remedy: dl.jacrev",
}


def units(like: Any) -> Any:
    """The directions along single elements, along a first axis."""
    dtype = like.dtype if isinstance(like, np.ndarray) else np.result_type(like, 0.0)
    return np.reshape(np.eye(np.size(like), dtype=dtype), (np.size(like), *np.shape(like)))
