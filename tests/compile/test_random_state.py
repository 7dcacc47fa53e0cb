"""The random state after a compiled call is Python's, also after a call that bailed out."""
import copy
import pickle
import threading

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.ir.random_memory import learn_layouts
from dynamo_lite.native import BAILOUT, KeptStates


def uniform(state, x):
    return state.rand(3), state.randint(0, 5, 4), state.permutation(5), np.log(x)


def normal(state, x):
    return state.randn(3), state.rand(1), np.log(x)


def global_uniform(_, x):
    return np.random.rand(3), np.random.randint(0, 5, 4), np.log(x)


def global_normal(_, x):
    return np.random.randn(3), np.random.rand(1), np.log(x)


def numbers(call, x, state):
    """What three calls draw, and the numbers after them."""
    np.random.seed(1)
    for source in (state, np.random):
        source.randn()  # leaves a second normal number behind
    drawn = [part for _ in range(3) for part in call(state, x)]
    return [*drawn, state.randn(2), state.rand(2), np.random.randn(2), np.random.rand(2)]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("function", [uniform, normal, global_uniform, global_normal])
@pytest.mark.parametrize("x", [np.ones(2), np.zeros(2)], ids=["runs", "bails_out"])
def test_what_is_drawn(function, x):
    expected = numbers(function, x, np.random.RandomState(4))
    found = numbers(dl.compile(function), x, np.random.RandomState(4))
    for got, want in zip(found, expected, strict=True):
        np.testing.assert_array_equal(got, want)


def test_a_state_with_another_generator():
    def draw(state, x):
        return state.rand(3), np.log(x)

    compiled = dl.compile(draw)
    for generator in (np.random.MT19937, np.random.PCG64):
        states = [np.random.RandomState(generator(3)) for _ in range(2)]
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            found, expected = (c(s, np.zeros(2)) for c, s in zip((compiled, draw), states))
        np.testing.assert_array_equal(found[0], expected[0])
        assert states[0].rand() == states[1].rand()


KINDS = [np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.Philox, np.random.SFC64]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("x", [np.ones(2), np.zeros(2)], ids=["runs", "bails_out"])
def test_generators_of_every_kind(x):
    def draw(state, x):
        return state.integers(9, size=3, dtype="u4"), state.normal(size=2) + x, np.log(x)

    compiled = dl.compile(draw)
    for kind in [*KINDS, *KINDS]:
        states = [np.random.Generator(kind(3)) for _ in range(2)]
        for _ in range(3):
            found, expected = (call(state, x) for call, state in zip((compiled, draw), states))
            for got, want in zip(found, expected, strict=True):
                np.testing.assert_array_equal(got, want)
        assert str(states[0].bit_generator.state) == str(states[1].bit_generator.state)


DTYPES = {
    "positional": lambda rng, x: rng.standard_normal(3, "f"),
    "named": lambda rng, x: rng.random(3, dtype="f") + 1,
    "size named": lambda rng, x: rng.standard_exponential(size=3, dtype="f"),
    "parameters": lambda rng, x: rng.standard_gamma(x, dtype="f"),
    "integers": lambda rng, x: rng.integers(0, 9, (2, 3), "u1"),
    "no size": lambda rng, x: (rng.integers(0, 9, None, "i2"), rng.integers(0, x, dtype="i4")),
}


@pytest.mark.parametrize("name", DTYPES)
def test_dtypes_of_random_numbers(name):
    """The call runs as it was typed: it is not abandoned because NumPy made another dtype."""
    compiled = dl.compile(DTYPES[name], fullgraph=True)
    x = np.ones(3)
    found, expected = (call(np.random.default_rng(1), x) for call in (compiled, DTYPES[name]))
    for got, want in zip(found, expected, strict=True):
        np.testing.assert_array_equal(got, want)
        assert got.dtype == want.dtype
    assert [entry.bailouts for entry in compiled.entries()] == [0]


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_attributes_that_a_generator_does_not_have(make):
    def ask(generator, x):
        try:
            generator.unheard_of
        except AttributeError as error:
            told = str(error)
        known = [hasattr(generator, name) for name in ("unheard_of", "normal", "__deepcopy__")]
        return told, known, copy.deepcopy(generator).normal(), generator.normal(), x + 1

    expected, found = ask(make(5), np.ones(2)), dl.compile(ask)(make(5), np.ones(2))
    assert found[:4] == expected[:4]


def of_a_range(state, x):
    n = len(x)
    return x[state.permutation(n)], state.choice(n), state.choice(n, n, p=x), state.choice(n, 20)


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_numbers_below_a_size_that_varies(make):
    compiled = dl.compile(of_a_range)
    for n in (50, 60, 23, 31):
        found, expected = (c(make(n), np.full(n, 1 / n)) for c in (compiled, of_a_range))
        for got, want in zip(found, expected, strict=True):
            assert type(got) is type(want)
            np.testing.assert_array_equal(got, want, strict=True)
    assert not dl.explain(of_a_range)(make(3), np.full(40, 1 / 40)).break_reasons
    assert dl.stats().graphs <= 3


@pytest.mark.parametrize("call", ["chisquare(2, size=2.0)", "normal(0, 1, size='a')", "power(-1)"])
def test_wrong_arguments_get_the_generators_error(call):
    names = {}
    exec(f"def ask(generator, x):\n    return x + 1, generator.{call}", names)
    for make in np.random.default_rng, np.random.RandomState:
        refusals = []
        for function in names["ask"], dl.compile(names["ask"]):
            with pytest.raises((TypeError, ValueError)) as refused:
                function(make(5), np.ones(2))
            refusals.append((refused.type, str(refused.value)))
        assert refusals[0] == refusals[1]


def generators():
    """One of each class, with all parts of its state in use."""
    made = [np.random.Generator(kind(3)) for kind in KINDS]
    for generator in made:
        generator.integers(9, size=3, dtype="u4")
    states = [np.random.RandomState(3), np.random.RandomState(np.random.PCG64(3))]
    for state in states:
        state.randn(3)
    return [*made, *states, *map(copy.deepcopy, made), pickle.loads(pickle.dumps(states[0]))]


def refuse(*_):
    raise AssertionError("its memory is not known")


@pytest.mark.parametrize("at", range(len(generators())))
def test_the_memory_of_a_state_is_restored(at):
    """The native core does it, without asking NumPy for the state."""
    generator, twin = generators()[at], generators()[at]
    learn_layouts()

    def draw(state):
        state.normal(size=3), state.bytes(5), state.uniform(size=700)
        return BAILOUT

    for _ in range(3):
        assert KeptStates(draw, (0,), refuse, refuse)(generator) is BAILOUT
        assert generator.normal(size=3).tolist() == twin.normal(size=3).tolist()


class Mine(np.random.PCG64):
    """A bit generator of a program's own."""


class MyState(np.random.RandomState):
    """A class of a program's own."""


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("make", [lambda: np.random.Generator(Mine(3)), lambda: MyState(3),
                                  lambda: MyState(Mine(3))])
def test_generators_of_a_programs_own_classes(make):
    def draw(state, x):
        return state.normal(size=3) + x, np.log(x)

    compiled, one, two = dl.compile(draw), make(), make()
    for x in (np.ones(3), np.zeros(3), np.ones(3)):
        for got, want in zip(compiled(one, x), draw(two, x), strict=True):
            np.testing.assert_array_equal(got, want)
    assert one.normal() == two.normal()


def test_a_generator_that_another_thread_draws_from():
    """Python runs the call, which waits for the other thread; nothing is drawn twice."""
    state, calls = np.random.default_rng(3), []
    kept = KeptStates(lambda *_: calls.append(1), (state,), refuse, refuse)
    entered, leave = threading.Event(), threading.Event()

    def hold():
        with state.bit_generator.lock:
            entered.set()
            leave.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    entered.wait()
    assert kept() is BAILOUT and not calls
    leave.set()
    thread.join()
    assert kept() is None and calls


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_threads_that_share_a_generator_draw_different_numbers():
    @dl.compile
    def draw(state, x):
        return np.sort(state.random(20000)), np.log(x)

    state, found = np.random.default_rng(3), []

    def work():
        for k in range(20):
            found.append(draw(state, np.full(20, float(k % 3)))[0].sum())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == len(found) == 80
