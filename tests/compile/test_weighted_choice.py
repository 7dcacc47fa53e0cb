"""`choice` with probabilities: the draws, results, types and errors of NumPy's own."""
import numpy as np
import pytest

import dynamo_lite as dl
from tests.oracle import check

NAMES = np.array([0.5, 2.5, -1.0, 7.0])
GOOD = [
    np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.0, 1.0, 0.0, 0.0]), np.array([0.25] * 4),
    np.array([0.5, 0.0, 0.5, 0.0]), np.array([0.1, 0.2, 0.3, 0.4 + 1e-9]),
]
BAD = [
    np.array([0.5, 0.5, 0.5, 0.5]), np.array([-0.5, 0.5, 0.5, 0.5]),
    np.array([0.25, np.nan, 1, 1]), np.array([0.5, 0.5]), np.array([]), np.array([[0.5, 0.5]]),
    np.array([0.1, 0.2, 0.3, 0.4 + 1e-7]), np.array([0.25] * 4, np.float32),
    np.array([0, 0, 1, 0]), np.array([0.25 + 0j] * 4), np.array([-0.0, 1.0, 0.0, 0.0]),
    np.array([np.inf, 0.0, 0.0, 0.0]),
]


def number(p):
    return np.random.choice(4, p=p)


def number_of_data(p):
    return np.random.choice(p.size, None, True, p)


def of_array(p):
    return np.random.choice(NAMES, p=p)


def of_list(p):
    return np.random.choice([3, 1, 4, 1], p=p)


def of_texts(p):
    return np.random.choice(["a", "b", "c", "d"], p=p)


def by_list(p):
    return np.random.choice(NAMES, p=[0.1, 0.2, 0.3, 0.4]), np.random.choice(4, p=list(p))


def several(p):
    return np.random.choice(4, 3, p=p), np.random.choice(4, (2, 2), p=p)


def without_replacement(p):
    return np.random.choice(4, 2, False, p), np.random.choice(4, replace=False, p=p)


def by_state(p):
    state = np.random.RandomState(3)
    return state.choice(4, p=p), state.choice(NAMES, p=p), state.random()


def by_generator(p):
    generator = np.random.default_rng(3)
    return generator.choice(4, p=p), generator.choice(NAMES, p=p, shuffle=False), generator.random()


def shuffled(p):
    generator = np.random.default_rng(3)
    return generator.choice(4, shuffle=False), generator.choice(NAMES, 2, True, None, 0, True)


def of_state_with_axis(p):
    return np.random.choice(NAMES, axis=0)


def of_state_shuffled(p):
    return np.random.choice(4, shuffle=True)


def with_too_many(p):
    return np.random.choice(4, None, True, None, 0)


def with_an_unknown_one(p):
    return np.random.default_rng(3).choice(4, q=p)


def in_a_loop(p):
    counts, place = np.zeros(4), 0
    for k in range(50):
        place = np.random.choice(4, p=np.roll(p, place))
        counts[place] += 1
    return counts, place


def of_softmax(p):
    e = np.exp(p - p.max())
    return np.random.choice(len(e), p=e / e.sum())


def with_data_between(p):
    first = np.random.rand()
    chosen = np.random.choice(NAMES, p=p)
    return first, chosen, np.random.normal()


FUNCTIONS = [
    number, number_of_data, of_array, of_list, of_texts, by_list, several, without_replacement,
    by_state, by_generator, shuffled, of_state_with_axis, of_state_shuffled, with_too_many,
    with_an_unknown_one, in_a_loop, of_softmax, with_data_between,
]


def drawn(function):
    """The function with the same random numbers in each call, and what is drawn next."""

    def seeded(p):
        np.random.seed(11)
        try:
            return function(p), np.random.rand()
        except (ValueError, TypeError) as error:
            return repr(error), np.random.rand()

    return seeded


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("given", [GOOD, BAD, GOOD + BAD])
def test_what_is_chosen(function, given):
    compiled, plain = drawn(dl.compile(function)), drawn(function)
    for p in given:
        check(compiled, plain, p)


def test_each_place_is_chosen_as_often():
    compiled = dl.compile(number)
    for p in GOOD[:4]:
        both = []
        for function in (compiled, number):
            np.random.seed(5)
            both.append([function(p) for _ in range(300)])
        assert both[0] == both[1]


@pytest.mark.parametrize("function", [number, of_array, of_list, in_a_loop])
def test_it_is_part_of_the_graph(function):
    compiled = dl.compile(function)
    compiled(GOOD[0])
    assert dl.stats().graph_breaks == 0
