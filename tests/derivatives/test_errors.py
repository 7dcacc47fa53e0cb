"""What has no derivative is refused at the call, with the line and a remedy."""
from __future__ import annotations

import numpy as np
import pytest

import dynamo_lite as dl

X = np.arange(3.0)


def test_a_value_that_is_no_number():
    with pytest.raises(TypeError, match=r"scalar-output functions.*\(3,\)"):
        dl.grad(lambda x: x * x)(X)


@pytest.mark.parametrize("given", [3, True, np.int32(1), np.arange(3), np.zeros(2, bool)],
                         ids=["int", "bool", "int32", "array", "mask"])
def test_arguments_of_integers(given):
    with pytest.raises(TypeError, match="real- or complex-valued inputs"):
        dl.grad(lambda x: np.sum(x * 1.0))(given)


@pytest.mark.parametrize("given", ["text", object(), {"a": X, "b": "text"}],
                         ids=["text", "object", "tree"])
def test_arguments_that_are_no_numbers(given):
    with pytest.raises(TypeError, match="valued inputs .arrays and numbers., but got a (str|obj)"):
        dl.grad(lambda x: 1.0)(given)


@pytest.mark.parametrize("value", [None, [1.0], (1.0, 2.0)], ids=["None", "list", "tuple"])
def test_values_that_are_no_numbers(value):
    with pytest.raises(TypeError, match=f"scalar-output.*of type {type(value).__name__}"):
        dl.grad(lambda x: value)(X)


@pytest.mark.parametrize("value", [3, True])
def test_values_that_are_not_real(value):
    with pytest.raises(TypeError, match=f"real-valued outputs.*{type(value).__name__}"):
        dl.grad(lambda x: value)(X)


@pytest.mark.parametrize("function", [np.argmax, np.any, len, lambda x: x.astype(int).sum()])
def test_values_of_integers(function):
    with pytest.raises(TypeError, match="real-valued outputs.*but got (int64|bool)"):
        dl.grad(lambda x: function(x))(X)


def test_of_no_elements():
    with pytest.raises(ValueError, match="zero-size array to reduction"):
        dl.grad(lambda x: x.max())(np.zeros(0))
    assert dl.grad(lambda x: np.prod(x))(np.zeros((0, 2))).shape == (0, 2)
    assert dl.grad(lambda x: (x.T @ x).sum())(np.zeros((0, 2))).shape == (0, 2)
    assert dl.grad(lambda x: (np.append(x, 2.0) ** 2).sum())(np.zeros(0)).shape == (0,)


@pytest.mark.parametrize("place", [1, -2, (0, 3)])
def test_arguments_that_are_not_there(place):
    with pytest.raises(TypeError, match="1 positional arguments"):
        dl.grad(np.sum, argnums=place)(X)
    with pytest.raises(TypeError, match="1 positional arguments"):
        dl.jacobian(np.sin, argnums=place)(X)


def test_has_aux_without_a_pair():
    with pytest.raises(TypeError, match="gives a pair"):
        dl.value_and_grad(np.sum, has_aux=True)(X)


def test_derivatives_of_integers():
    ints = np.ones(3, int)
    with pytest.raises(TypeError, match="a tangent is of real or complex numbers, not of int64"):
        dl.jvp(np.sin, (X,), (ints,))
    with pytest.raises(TypeError, match="a cotangent is of real or complex numbers, not of int64"):
        dl.vjp(np.sin, X)[1](ints)


@pytest.mark.parametrize("given", ["text", b"text"])
def test_texts(given):
    kind = type(given).__name__
    for call in (
        lambda: dl.grad(lambda x: given)(X), lambda: dl.value_and_grad(lambda x: given)(X),
        lambda: dl.jvp(lambda x: given, (X,), (X,)), lambda: dl.jacobian(lambda x: given)(X),
        lambda: dl.vjp(lambda x: given, X)[1](1.0), lambda: dl.vjp(np.sum, X)[1](given),
        lambda: dl.jvp(np.sum, (1.0,), (given,)), lambda: dl.grad(lambda x: 1.0)(given),
        lambda: dl.grad(lambda x: x[0])([X[0], given]),
    ):
        with pytest.raises(TypeError, match=f"a {kind}"):
            call()
    value, _ = dl.value_and_grad(lambda x: (x.sum(), given), has_aux=True)(X)
    assert value[1] == given and dl.grad(lambda x, text: x.sum())(X, given).tolist() == [1, 1, 1]


def test_primals_are_tuples():
    with pytest.raises(TypeError, match="are tuples"):
        dl.jvp(np.sin, X, X)


def test_a_complex_value():
    with pytest.raises(TypeError, match="real-valued outputs"):
        dl.grad(lambda x: (x * 1j).sum())(X)


def test_what_has_no_rule_names_the_line():
    def function(x):
        return np.spacing(x).sum()

    with pytest.raises(dl.errors.NotDifferentiable) as caught:
        dl.grad(function)(X)
    line = function.__code__.co_firstlineno + 1
    assert f"test_errors.py:{line} in" in str(caught.value)
    assert "spacing" in str(caught.value) and "remedy" in str(caught.value)


def test_a_graph_break_is_an_error():
    def function(x):
        print("here")
        return x.sum()

    with pytest.raises(dl.errors.FullGraphRequired, match="print"):
        dl.grad(function)(X)


def test_a_graph_break_in_code_without_a_file_names_its_line():
    scope = {}
    text = "def program(x):\n    y = x * 2\n    print(y)\n    return y.sum()\n"
    exec(compile(text, "<made>", "exec"), scope)
    with pytest.raises(dl.errors.FullGraphRequired, match="at <made>:3 in program"):
        dl.grad(scope["program"])(X)


def test_without_the_compiler():
    with dl.set_stance("force_eager"), pytest.raises(TypeError, match="switched off"):
        dl.grad(np.sum)(X)


def test_trees_of_other_shapes():
    with pytest.raises((TypeError, dl.errors.FullGraphRequired), match="same shapes"):
        dl.jvp(np.sin, (X,), (np.zeros(2),))
    with pytest.raises((TypeError, dl.errors.FullGraphRequired), match="same shapes"):
        dl.vjp(np.sin, X)[1](np.zeros(2))


@pytest.mark.parametrize("transform", [dl.grad, dl.jacobian, dl.hessian])
def test_what_is_no_function(transform):
    with pytest.raises(TypeError, match="takes a function"):
        transform(3)


@pytest.mark.parametrize("places", ["x", 1.5, (0, None)])
def test_places_are_ints(places):
    with pytest.raises(TypeError, match="argnums"):
        dl.grad(np.sum, argnums=places)


# -- what the function itself raises, and what NumPy says of it, names the user's line


def logarithm(x):
    y = np.log(x)
    return (y * y).sum()


def in_a_loop(x):
    total = 0.0
    for i in range(len(x)):
        total = total + np.sqrt(x[i])
    return total


def refuses(x, name="no"):
    if name == "long":
        raise ValueError("too long")
    if name == "key":
        return x.sum() * {"no": 1.0}[name]
    return x[7] if name == "index" else (x + np.ones(5)).sum()


@pytest.mark.parametrize(("function", "x", "said", "line"), [
    (logarithm, np.array([0.0, 1.0]), "divide by zero encountered in log", 1),
    (in_a_loop, np.array([1.0, -1.0, 2.0]), "invalid value encountered in sqrt", 3)])
@pytest.mark.parametrize("transform", [dl.grad, dl.value_and_grad])
def test_warnings_name_the_line(transform, function, x, said, line):
    with pytest.warns(RuntimeWarning) as caught:
        transform(function)(x)
    places = [(str(one.message), one.filename, one.lineno) for one in caught]
    assert places[0] == (said, __file__, function.__code__.co_firstlineno + line)
    assert {filename for _, filename, _ in places} == {__file__}


def test_reports_that_are_raised_name_the_line():
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError) as caught:
        dl.grad(logarithm)(np.array([0.0, 1.0]))
    assert caught.traceback[-1].name == "logarithm"
    assert caught.traceback[-1].lineno == logarithm.__code__.co_firstlineno


TRANSFORMS = {
    "grad": lambda f: dl.grad(f)(X), "jacobian": lambda f: dl.jacobian(f)(X),
    "hessian": lambda f: dl.hessian(f)(X), "jvp": lambda f: dl.jvp(f, (X,), (X,)),
    "vjp": lambda f: dl.vjp(f, X), "hvp": lambda f: dl.hvp(f, X, X),
    "inside": lambda f: dl.compile(lambda x: dl.grad(f)(x))(X),
}


@pytest.mark.parametrize(("name", "kind", "said"), [
    ("long", ValueError, "too long"), ("key", KeyError, "'key'"),
    ("index", IndexError, "index 7 is out of bounds"), ("sizes", ValueError, "broadcast")])
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_a_function_that_raises(transform, name, kind, said):
    def function(x):
        return refuses(x, name)

    for _ in range(2):
        with pytest.raises(kind, match=said) as caught:
            TRANSFORMS[transform](function)
        assert caught.traceback[-1].name == "refuses"


@pytest.mark.parametrize("backend", ["auto", "aot_eager"])
def test_a_function_that_raised_has_derivatives_all_the_same(backend):
    with dl.config.patch(backend=backend):
        gradient = dl.grad(lambda x, name: refuses(x, name) if name else (x * x).sum())
        for _ in range(2):
            with pytest.raises(ValueError, match="too long"):
                gradient(X, "long")
            assert gradient(X, "").tolist() == [0.0, 2.0, 4.0]
        with pytest.raises(TypeError, match="of type NoneType"):
            dl.grad(lambda x: None)(X)
        assert dl.grad(lambda x: (x * x).sum())(X).tolist() == [0.0, 2.0, 4.0]
