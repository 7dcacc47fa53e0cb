"""Functions and methods called with arguments that they do not take, or not so: NumPy's own errors.

Each callable is tried with a few of the endings, others on each day (`fuzz.seeds`).
"""
import random

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.ir.ops import topics  # noqa: F401
from dynamo_lite.ir.row import row_of

from .seeds import DAY

X = np.arange(6.0).reshape(2, 3)
ENDINGS = [
    "{}, qq=1", "{}" + ", None" * 12, "", "{}, a=3", "{}, axis=9", "{}, dtype='nope'",
    "{}, out=3", "{}, size='q'", "{}, shuffle=False", "{}, axis=0", "{}, replace=False",
    "{}, p=None", "{}, endpoint=True", "{}, keepdims=True", "{}, casting=3", "{}, method=None",
    "{}, initial=3", "{}, side=1", "{}, copy=1", "{}, subok=False", "{}, order=2",
    "{}, order='q'", "3, size=2, foo=3", "{}, {}, {}, {}, {}, {}",
]
EACH = 6
EFFECTS = frozenset({
    "seed", "set_state", "get_state", "bytes", "tofile", "dump", "dumps", "fromfile", "load",
    "save", "empty", "empty_like", "default_rng", "RandomState", "spawn", "resize", "setflags",
})
"""What is not called: it tells of memory that nobody wrote, or changes more than the result."""
SPACES = {
    "np": np, "np.linalg": np.linalg, "np.fft": np.fft, "np.random": np.random,
    "x": np.ndarray, "np.random.default_rng(1)": np.random.Generator,
    "np.random.RandomState(1)": np.random.RandomState,
}


def calls(space):
    """Of all callables of a space that have a row."""
    r = random.Random(f"{space}{DAY}")
    given = "x" if space.count("(") == 0 and "random" not in space else "x[0]"
    for name in dir(SPACES[space]):
        target = getattr(SPACES[space], name)
        if name.startswith("_") or name in EFFECTS or not callable(target):
            continue
        if space.startswith(("np.linalg", "np.fft")) or row_of(target) is not None:
            for ending in r.sample(ENDINGS, EACH):
                text = ending.replace("{}", given)
                yield f"{space}.{name}({text.removeprefix('x, ') if space == 'x' else text})"


def outcome(function):
    np.random.seed(0)
    with np.errstate(all="ignore"):
        try:
            return repr(function(X.copy()))
        except Exception as error:
            return f"{type(error).__name__}: {error}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("space", SPACES)
def test_arguments_that_are_not_taken(space):
    wrong = {}
    for count, call in enumerate(calls(space)):
        scope = {"np": np}
        exec(f"def function(x):\n    return {call}", scope)
        expected = outcome(scope["function"])
        found = outcome(dl.compile(scope["function"]))
        if found != expected and " at 0x" not in expected and "ator(" not in expected:
            wrong[call] = expected, found
        if count % 50 == 0:
            dl.reset()
    assert not wrong


@pytest.mark.parametrize("name", ["ranf", "sample", "random_sample", "random"])
def test_all_names_of_a_function(name):
    scope = {"np": np}
    exec(f"def function(x):\n    return np.random.{name}() + x, np.random.{name}(3)", scope)
    assert outcome(dl.compile(scope["function"])) == outcome(scope["function"])
