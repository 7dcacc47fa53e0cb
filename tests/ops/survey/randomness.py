"""Random sampling: the numbers and the state afterwards."""
# ruff: noqa
import numpy as np

from .entries import M, V, survey


@survey(V)
def seeded_generator(x):
    rng = np.random.default_rng(3)
    return rng.standard_normal(4) + x[:4], rng.random(), rng.integers(0, 9, 3), rng.uniform(0, 2, (2, 2))


@survey(np.random.default_rng(5), V)
def generator_argument(rng, x): return rng.normal(size=12) * x, rng.normal(1.0, 2.0, 3), rng.random((2, 3)), rng.exponential(2.0, 4), rng.integers(5)


@survey(np.random.default_rng(5), V)
def generator_choices(rng, x): return rng.permutation(x), rng.choice(x, 3), rng.permutation(5), rng.choice(5, 2, replace=False)


@survey(np.random.default_rng(5), V, breaks=1, why="not an operation of the graph")
def generator_shuffle(rng, x):
    x = x.copy()
    rng.shuffle(x)
    return x, rng.permuted(x)


@survey(np.random.default_rng(5), M)
def generator_families(rng, m): return rng.poisson(3.0, 5), rng.binomial(10, 0.5, 4), rng.gamma(2.0, size=3), rng.beta(1.0, 2.0, 3), rng.dirichlet([1.0, 2.0], 2), rng.multivariate_normal(m[0, :2], np.eye(2), 3)


@survey(np.random.default_rng(5), V)
def generator_of_arrays(rng, x): return rng.normal(x, 1.0), rng.uniform(0, np.abs(x)), rng.poisson(np.abs(x))


@survey(np.random.RandomState(5), V)
def random_state(state, x): return state.rand(3), state.randn(2, 2), state.randint(0, 9, 4), state.normal(0, 1, 12) + x, state.permutation(4), state.choice(5, 3)


@survey(V)
def seeded_state(x):
    state = np.random.RandomState(11)
    return state.uniform(size=12) * x, state.standard_normal(3)


@survey(V)
def legacy_functions(x):
    np.random.seed(4)
    return np.random.rand(3), np.random.randn(12) + x, np.random.randint(5, size=4), np.random.uniform(0, 1, 2), np.random.normal(size=(2, 2)), np.random.random(3)


@survey(V)
def legacy_choices(x):
    np.random.seed(4)
    return np.random.permutation(x), np.random.choice(x, 4), np.random.choice(3), np.random.random_sample(2)


@survey(V)
def monte_carlo(x):
    rng = np.random.default_rng(0)
    points = rng.uniform(-1, 1, size=(200, 2))
    return 4 * np.mean((points**2).sum(axis=1) < 1) + x[0]


@survey(np.random.default_rng(1), V)
def dropout(rng, x):
    mask = rng.random(x.shape) < 0.5
    return np.where(mask, x / 0.5, 0.0)
