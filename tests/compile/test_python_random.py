"""Python's own random numbers: the same ones, and the same state afterwards."""
import math
import random

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.base.config import config
from dynamo_lite.runtime import random_states

X = np.arange(1.0, 4.0)
OWN = random.Random(1)


def many(x):
    found = [random.random(), random.gauss(0, 1), random.uniform(1, 2), random.normalvariate(0, 1)]
    found += [random.expovariate(1.5), random.triangular(0, 1, 0.5), random.betavariate(1, 2)]
    found += [random.gammavariate(1, 2), random.lognormvariate(0, 1), random.paretovariate(3)]
    return found, x * random.vonmisesvariate(0, 1), random.weibullvariate(1, 2)


def seeded(x):
    random.seed(7)
    return x * random.random(), random.gauss(0, 1)


def made(x):
    own = random.Random(5)
    return x * own.random(), own.gauss(0, 1), own.getstate()


def indexed(x):
    i = random.randint(0, 2)
    return x[i], i, random.randrange(10), x * random.randint(1, 6), np.zeros(i)


def looped(x): return [random.random() * x for _ in range(30)]
def branched(x): return x + 1 if random.random() > 0.5 else x - 1
def bailouts(x): return random.gauss(0, 1), np.log(x - 1), random.random(), OWN.gauss(0, 1)
def owned(x): return x * OWN.random() + OWN.uniform(2, 3), OWN.gauss(0.0, 2)


def refused(x):
    first = random.random()
    try:
        return random.expovariate(0.0), first
    except ZeroDivisionError as error:
        return str(error), first, x


def shuffled(x):
    items = [1, 2, 3, 4]
    first = random.random()
    random.shuffle(items)
    return items, random.choice(items), random.sample(items, 2), first, x * random.random()


def chosen_in_a_loop(x):
    place, steps = (3, 4), []
    for _ in range(40):
        i, j = place
        near = []
        if i > 0:
            near.append((i - 1, j))
        if j > 0:
            near.append((i, j - 1))
        near.append((i + 1, j + 1))
        place = random.choice(near)
        steps.append(place)
    return steps, random.random()


def shuffled_in_a_loop(x):
    total = 0.0
    for n in range(40):
        order = [n, n + 1]
        if total < 100:
            order.append(n * 2)
        random.shuffle(order)
        total += order[0] * 0.5 - order[-1]
    return total, random.random()


def chosen_from_nothing(x):
    total = 0
    for n in range(40):
        left = []
        if total < 20:
            left.append(n)
        total += random.choice(left)
    return total


def chosen(x):
    found = random.sample(range(3), 2), random.choices([1.5, 2.5], k=3), OWN.sample((4, 5), 2)
    return x * random.choice([1.0, 2.0]), x[random.choice(range(3))], OWN.choice((1, 2)), found


def bits(x): return x * random.getrandbits(8), random.getrandbits(0), OWN.getrandbits(62)


def drawn_in_a_loop(x):
    for _ in range(60):
        x = x + random.choice([1, 2, 4])
    return x


def not_of_numbers(x): return random.choice("abc"), random.choice([x, x + 1]), x * random.random()


def with_weights(x): return random.choices([1, 2], [0.1, 0.9], k=2), random.getrandbits(99), x


def too_many(x):
    try:
        return random.sample([1, 2], 5), x
    except ValueError as error:
        return str(error), random.random() * x


ONE_GRAPH = (many, seeded, indexed, looped, owned, chosen, bits, drawn_in_a_loop, chosen_in_a_loop,
             shuffled_in_a_loop)
PROGRAMS = (*ONE_GRAPH, made, branched, bailouts, refused, shuffled, not_of_numbers, with_weights,
            too_many)


def runs(function, calls=4):
    random.seed(3)
    OWN.seed(4)
    found = [repr(function(X)) for _ in range(calls)]
    return found, random.getstate(), OWN.getstate()


@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize("function", PROGRAMS)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_the_same_numbers_and_states(function, backend):
    with config.patch(strict=True):
        assert runs(dl.compile(function, backend=backend)) == runs(function)


def test_nothing_to_choose_from_is_an_error_of_python():
    for function in (chosen_from_nothing, dl.compile(chosen_from_nothing)):
        random.seed(2)
        with pytest.raises(IndexError, match="Cannot choose from an empty sequence"):
            function(X)
        assert random.random() == pytest.approx(after_choices(), abs=0)


def after_choices():
    """What is drawn behind the choices that `chosen_from_nothing` can make."""
    random.seed(2)
    for _ in range(7):
        random.choice([1])
    return random.random()


@pytest.mark.parametrize("function", ONE_GRAPH)
def test_one_graph(function):
    dl.compile(function, backend="eager", fullgraph=True)(X)


@pytest.mark.parametrize("layout_is_known", [True, False])
def test_a_call_that_bails_out_draws_once(layout_is_known, monkeypatch):
    """However the state is kept."""
    assert random_states.has_known_python_layout()
    monkeypatch.setattr(random_states, "has_known_python_layout", lambda: layout_is_known)
    with np.errstate(all="ignore"):
        compiled = dl.compile(lambda x: (random.gauss(0, 1), 1 / x, random.random()))
        compiled(X)
    random.seed(1)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        first, _, second = compiled(X * 0)
    random.seed(1)
    assert (first, second) == (random.gauss(0, 1), random.random())


class Constant(random.Random):
    def random(self): return 0.25


def test_classes_derived_from_it_are_left_to_python():
    own = Constant(3)
    compiled = dl.compile(lambda x: (x * own.random(), own.uniform(0, 4)), backend="eager")
    product, number = compiled(X)
    assert np.array_equal(product, X / 4) and number == 1.0 and math.isfinite(number)
