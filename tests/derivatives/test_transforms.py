"""`grad` and the like: what they are given, what they give, and how they compose."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.ir.control import bodies, for_loop

from ..graphs import graph_of
from .checking import central, close

RNG = np.random.default_rng(1)
X = RNG.standard_normal(5)
W = RNG.standard_normal((3, 5))


def smooth(x):
    y = np.tanh(W @ x)
    y[0] *= x[0]
    return y * np.exp(-x[1:4])


def energy(x):
    return (np.sin(x) * x).sum()


def gradient_of_energy(x):
    return np.cos(x) * x + np.sin(x)


class Layer(NamedTuple):
    weight: np.ndarray
    bias: np.ndarray


def loss(layers, inputs, targets):
    h = inputs
    for layer in layers["all"]:
        h = np.tanh(h @ layer.weight + layer.bias)
    return ((h - targets) ** 2).mean()


def test_the_value_and_the_gradient():
    value, gradient = dl.value_and_grad(energy)(X)
    assert value == energy(X) and close(gradient, gradient_of_energy(X), 1e-12)
    assert close(dl.grad(energy)(X), gradient_of_energy(X), 1e-12)


def test_as_a_decorator():
    @dl.grad
    def slope(x):
        """Of a parabola."""
        return (x * x).sum()

    assert close(slope(X), 2 * X, 1e-15) and slope.__doc__ == "Of a parabola."


def test_numbers():
    assert dl.grad(lambda x: x ** 3)(2.0) == 12.0
    assert isinstance(dl.grad(lambda x: x * x)(2.0), np.float64)
    assert dl.grad(lambda x: x * x)(np.float32(2)).dtype == np.float32


def test_chosen_arguments_and_keywords():
    def function(a, b, *, scale):
        return scale * (a * b * b).sum()

    assert close(dl.grad(function, 1)(X, X, scale=2.0), 4 * X * X, 1e-12)
    first, second = dl.grad(function, argnums=(0, 1))(X, X, scale=1.0)
    assert close(first, X * X, 1e-12) and close(second, 2 * X * X, 1e-12)
    assert close(dl.grad(function, argnums=-1)(X, X, scale=1.0), 2 * X * X, 1e-12)


def test_what_else_a_function_gives():
    def function(x):
        return (x * x).sum(), {"doubled": x * 2}

    (value, extra), gradient = dl.value_and_grad(function, has_aux=True)(X)
    assert value == (X * X).sum() and close(extra["doubled"], 2 * X, 0) and close(gradient, 2 * X)
    gradient, extra = dl.grad(function, has_aux=True)(X)
    assert close(extra["doubled"], 2 * X, 0) and close(gradient, 2 * X)


def test_trees():
    layers = {"all": [Layer(RNG.standard_normal((5, 4)), np.zeros(4)),
                      Layer(RNG.standard_normal((4, 2)), np.ones(2))]}
    inputs, targets = RNG.standard_normal((7, 5)), RNG.standard_normal((7, 2))
    gradient = dl.grad(loss)(layers, inputs, targets)
    assert isinstance(gradient["all"][1], Layer)
    v = RNG.standard_normal((5, 4))

    def along(weight):
        first = Layer(weight, layers["all"][0].bias)
        return loss({"all": [first, layers["all"][1]]}, inputs, targets)

    expected = central(along, layers["all"][0].weight, v)
    assert close((gradient["all"][0].weight * v).sum(), expected)


def test_arguments_are_not_changed():
    def function(x):
        x *= 2
        x[0] = x[1] * x[2]
        return (x * x).sum()

    given = X.copy()
    gradient = dl.grad(function)(given)
    assert np.array_equal(given, X)
    v = RNG.standard_normal(5)
    assert close(gradient @ v, central(lambda x: function(x.copy()), X, v))


def test_gradients_are_arrays_of_their_own():
    first, second = dl.grad(lambda a, b: (a + b).sum(), (0, 1))(X, X)
    assert first.flags.writeable and second.flags.writeable and not np.shares_memory(first, second)
    unused = dl.grad(lambda a, b: a.sum(), 1)(X, X)
    assert unused.flags.writeable and not unused.any()


def test_views_share_what_is_written():
    def function(x):
        y = x * 1.0
        part = y.reshape(5, 1)[1:, 0]
        part *= part
        return (y[::-1] * x).sum()

    v = RNG.standard_normal(5)
    assert close(dl.grad(function)(X) @ v, central(function, X, v))


def test_memory_orders_of_cotangents_do_not_matter():
    def written(x):
        y = x + 0.5
        flat = y.reshape(-1)
        flat -= 0.7
        return (y.T.copy().T ** 2).sum() + (np.take(y, [1, 1, 3]) ** 2).sum()

    v = RNG.standard_normal((3, 5))
    assert close((dl.grad(written)(W) * v).sum(), central(written, W, v))


def test_pullbacks():
    value, pulled = dl.vjp(smooth, X)
    w = RNG.standard_normal(3)
    v = RNG.standard_normal(5)
    assert close(value, smooth(X), 1e-14) and close(pulled(w)[0] @ v, w @ central(smooth, X, v))
    value, pulled, extra = dl.vjp(lambda x: (x * 2, x), X, has_aux=True)
    assert close(extra, X, 0) and close(pulled(X)[0], 2 * X, 0)


def test_a_pullback_keeps_its_arguments():
    given = X.copy()
    _, pulled = dl.vjp(lambda x: x * x, given)
    given[:] = 0
    assert close(pulled(np.ones(5))[0], 2 * X, 0)


def test_tangents():
    v = RNG.standard_normal(5)
    value, tangent = dl.jvp(smooth, (X,), (v,))
    assert close(value, smooth(X), 1e-14) and close(tangent, central(smooth, X, v))
    value, tangent, extra = dl.jvp(lambda x, y: (x * y, x), (X, X), (v, v), has_aux=True)
    assert close(tangent, 2 * v * X, 1e-14) and close(extra, X, 0)


def test_jacobians_and_hessians():
    expected = np.stack([central(smooth, X, e) for e in np.eye(5)], axis=1)
    assert close(dl.jacobian(smooth)(X), expected)
    assert close(dl.jacobian(lambda x: np.stack([x, x * x]))(X)[1], np.diag(2 * X), 1e-14)
    trees = dl.jacobian(lambda p: {"sum": p[0] @ p[1]})([X, X])
    assert close(trees["sum"][0], X, 0) and trees["sum"][1].shape == (5,)
    hessian = dl.hessian(energy)(X)
    assert close(hessian, np.diag(2 * np.cos(X) - X * np.sin(X)), 1e-12)
    assert close(dl.hvp(energy, X, X), hessian @ X, 1e-12)


@pytest.mark.parametrize("transform", [dl.jacfwd, dl.jacrev])
def test_jacobians_in_one_direction(transform):
    expected = dl.jacobian(smooth)(X)
    assert close(transform(smooth)(X), expected, 1e-13)
    found, extra = transform(lambda x: (smooth(x), x.sum()), has_aux=True)(X)
    assert close(found, expected, 1e-13) and extra == X.sum()
    first, second = transform(lambda a, b: np.outer(a, b * b), (0, 1))(X, X[:2])
    assert close(first, np.einsum("ik,j->ijk", np.eye(5), X[:2] ** 2), 1e-13)
    assert close(second, np.einsum("i,jk->ijk", X, np.diag(2 * X[:2])), 1e-13)


def test_a_hessian_and_what_else_the_function_gives():
    found, extra = dl.hessian(lambda x: (energy(x), x * 2), has_aux=True)(X)
    assert close(found, dl.hessian(energy)(X), 1e-13) and close(extra, X * 2, 0)
    blocks = dl.hessian(lambda p: (p["a"] * p["b"] ** 2).sum())({"a": X, "b": X})
    assert close(blocks["a"]["b"], np.diag(2 * X), 1e-13)
    assert close(blocks["b"]["b"], np.diag(2 * X), 1e-13) and not blocks["a"]["a"].any()


def test_a_jacobian_computes_the_value_once():
    graph = graph_of(dl.jacobian(lambda x: np.tanh(W @ x)), X)
    nodes = [node.target for node in graph]
    inside = [node.target for loop in graph for body in bodies(loop) for node in body]
    assert nodes.count(np.tanh) == 1 and np.tanh not in inside and nodes.count(for_loop) == 1


def test_holomorphic_functions():
    z = X + 1j * X[::-1]
    assert dl.grad(lambda z: z * z, holomorphic=True)(1 + 2j) == 2 + 4j
    found = dl.grad(lambda z: np.sin(z).sum(), holomorphic=True)(z)
    assert close(found, np.cos(z), 1e-13)
    second = dl.hessian(lambda z: np.sin(z).sum(), holomorphic=True)(z)
    assert close(second, np.diag(-np.sin(z)), 1e-13)
    for function, given in ((np.sin, 2.0), (np.abs, 1j)):
        with pytest.raises(TypeError, match="holomorphic=True requires outputs with complex"):
            dl.grad(function, holomorphic=True)(given)
    with pytest.raises(TypeError, match="requires inputs with complex"):
        dl.grad(lambda x: x * 1j, holomorphic=True)(2.0)
    with pytest.raises(TypeError, match="scalar-output"):
        dl.grad(np.sin, holomorphic=True)(z)


def test_python_complex_numbers():
    assert close(dl.grad(abs)(3 + 4j), 0.6 - 0.8j, 1e-15)
    assert dl.grad(lambda z: np.real(z * z))(1 + 2j) == 2 + 4j


def test_places_of_numpys_integers():
    assert close(dl.grad(lambda a, b: (a * b * b).sum(), np.int64(1))(X, X), 2 * X * X, 1e-13)


def test_jacobians_of_complex_numbers():
    z = X + 1j * X[::-1]
    assert close(dl.jacobian(lambda z: z * z)(z), np.diag(2 * z), 1e-13)
    assert close(dl.jacobian(lambda x: x * 1j)(X), 1j * np.eye(5), 1e-13)
    assert close(dl.jacobian(lambda z: (z * np.conjugate(z)).real)(z), np.diag(2 * z.conj()), 1e-13)
    with pytest.raises(TypeError, match="jacrev requires real-valued outputs"):
        dl.jacrev(lambda x: x * 1j)(X)
    with pytest.raises(TypeError, match="jacfwd requires real-valued inputs"):
        dl.jacfwd(np.abs)(z)


def test_jacobians_of_a_second_length_and_no_more():
    function = dl.jacobian(lambda x: np.cumsum(np.sin(x)))
    function(X), function(RNG.standard_normal(7))
    with dl.no_recompile():
        x = RNG.standard_normal(11)
        assert close(function(x), np.tril(np.broadcast_to(np.cos(x), (11, 11))), 1e-13)


def test_jacobians_without_elements():
    assert dl.jacobian(np.sin)(np.zeros(0)).shape == (0, 0)
    assert dl.jacobian(lambda x: 2.0)(X).shape == (5,)


def test_jacobians_through_loops():
    def decayed(x):
        for _ in range(40):
            x = x + 0.1 * np.sin(x)
        return x

    steps = np.stack([central(decayed, X, e) for e in np.eye(5)], axis=1)
    assert close(dl.jacrev(decayed)(X), steps) and close(dl.jacfwd(decayed)(X), steps)


def test_derivatives_of_derivatives():
    def cubed(x):
        return x ** 3

    assert dl.grad(dl.grad(cubed))(2.0) == 12.0 and dl.grad(dl.grad(dl.grad(cubed)))(2.0) == 6.0
    inside = dl.grad(lambda x: x * dl.grad(lambda y: x * y * y)(2.0))
    assert inside(3.0) == 24.0  # what x does inside is not lost


def test_constants():
    gradient = dl.grad(lambda x: (dl.stop_gradient(x) * x).sum())(X)
    assert close(gradient, X, 0)
    tree = dl.stop_gradient({"a": X, "b": 2})
    assert close(tree["a"], X, 0) and tree["b"] == 2


def test_inside_of_compiled_functions():
    @dl.compile(fullgraph=True)
    def step(x):
        return x - 0.1 * dl.grad(energy)(x)

    assert close(step(X), X - 0.1 * gradient_of_energy(X), 1e-12)
    assert close(dl.compile(dl.grad(energy), backend="aot_eager")(X), gradient_of_energy(X), 1e-12)


def test_compiled_functions_are_followed():
    assert close(dl.grad(dl.compile(energy))(X), gradient_of_energy(X), 1e-12)


def test_a_second_length_and_no_more():
    function = dl.grad(energy)
    function(X), function(RNG.standard_normal(7))
    with dl.no_recompile():
        for n in (9, 12, 31):
            x = RNG.standard_normal(n)
            assert close(function(x), gradient_of_energy(x), 1e-12)


def test_without_elements():
    assert dl.grad(energy)(np.zeros(0)).shape == (0,)


@pytest.mark.parametrize("at, slope", [(0.0, 1.0), (-1.0, -1.0), (2.0, 1.0)])
def test_the_kink_of_a_magnitude(at, slope):
    assert dl.grad(abs)(at) == slope and dl.grad(np.abs)(np.float64(at)) == slope


def test_the_kinks_of_extrema():
    tied = np.array([1.0, 3.0, 3.0])
    assert list(dl.grad(np.max)(tied)) == [0.0, 0.5, 0.5]
    assert dl.grad(lambda x: np.maximum(x, 0.0))(0.0) == 0.5
    assert list(dl.grad(lambda x: np.minimum(x, 3.0).sum())(tied)) == [1.0, 0.5, 0.5]
    assert list(dl.grad(lambda x: np.clip(x, 1.0, 3.0).sum())(tied - 0.0)) == [0.5, 0.5, 0.5]
    assert list(dl.grad(lambda x: (np.sort(x) * tied).sum())(np.ones(3))) == [1.0, 3.0, 3.0]
    assert dl.grad(lambda x: np.hypot(x, 0.0))(0.0) == 0.5
    assert dl.grad(lambda x: np.logaddexp(x, 0.0))(np.inf) == 1.0
    assert dl.grad(lambda x: np.copysign(x, -2.0))(0.0) == -1.0
    assert dl.grad(lambda x: np.heaviside(0.0, x))(0.5) == 1.0


def test_nan_and_infinity():
    with np.errstate(all="ignore"):
        assert dl.grad(np.sqrt)(0.0) == np.inf and np.isnan(dl.grad(np.log)(np.nan))
        trap = dl.grad(lambda x: np.where(x > 0, np.sqrt(x), 0.0))(0.0)
    assert np.isnan(trap)  # 0 * inf, as JAX has it
    safe = dl.grad(lambda x: np.where(x > 0, np.sqrt(np.where(x > 0, x, 1.0)), 0.0))
    assert safe(0.0) == 0.0


def test_numpy_says_what_there_is_to_say():
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert dl.grad(lambda x: (1 / x).sum())(np.array([0.0, 1.0]))[1] == -1.0


def test_a_gradient_is_no_array_that_the_function_returned():
    def kept(x):
        y = np.exp(x)
        return y.sum(), y

    x = np.linspace(-1, 1, 5)
    (_, aux), gradient = dl.value_and_grad(kept, has_aux=True)(x)
    gradient[:] = 0
    assert np.allclose(aux, np.exp(x))


@pytest.mark.parametrize("function, gradient", [
    (lambda x: (2 * -x).mean(), lambda x: np.full_like(x, -2 / x.size)),
    (lambda x: (x / x.dtype.type(2)).sum(), lambda x: np.full_like(x, 0.5)),
    (lambda x: (x - x.mean()).sum() + x.std(), lambda x: (x - x.mean()) / x.std() / x.size),
    (lambda x: (1 / x).sum(), lambda x: -1 / x**2),
])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_the_same_cotangent_everywhere(function, gradient, dtype):
    x = np.linspace(1, 2, 7).astype(dtype)
    found = dl.grad(function)(x)
    assert found.dtype == x.dtype and np.allclose(found, gradient(x), rtol=1e-6, atol=1e-7)
