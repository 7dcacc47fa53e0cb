"""Programs that misuse functions, classes and objects of a user's, or Python's own syntax: Python's
exceptions with their words, wherever they are raised and caught.
"""
import random
import re
import textwrap
import warnings
from pathlib import Path

import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import outcome_of_copy
from . import refusing_prelude as prelude
from .seeds import chunks

PRELUDE = compile(Path(prelude.__file__).read_text(), prelude.__file__, "exec")
OBJECTS = """
    b = a * 2 + 1
    w, c, d, p, s = WithInit(1.5), Child(2), Data(1.0), Point(1, b), Slots(b)
    fz, h, t = Frozen(1), WithDescriptor(), Asked()
"""


FOUND = [
    "s.__slots__ = 3", "s.__init__ = 3", "del s.__slots__", "r = getattr(s, 'a', 1, 2)",
    "r = next(iter([]), 1, 2)", "r = sorted([3, 1], None)", "r = vars(lam, 1)",
    "r = {1, n}.add(1, 2)", "r = {1: n}.popitem(1)", "r = list.__eq__([1], [1], n)",
    "r = slice(1, 2, 3, 4)", "r = type(b, x=1)", "r = functools.reduce(lam, [1], 2, 3)",
    "r = np.ndarray.sum(2.5)", "r = np.ndarray.copy(np.uint16(1))", "r = b.squeeze(x=1)",
    "r = np.flip(b, out=b)", "r = np.asarray(b, (0, 0))", "r = np.split(1, 2)",
    "r = np.rollaxis([1, 2], [3])", "for q in Items(): r = q; break", "r = super()",
    "r = (lambda: super())()",
]  # fmt: skip
"""What once raised an error of ours, or nothing."""


def written(body):
    return (f"def function(a, n):{OBJECTS}{textwrap.indent(body, '    ')}\n"
            "    return b, r if not hasattr(r, '__next__') else list(r)\n")


def program(seed):
    """The text of a function; None where it is none of Python's."""
    r = random.Random(seed)
    parts = {"c": r.choice(prelude.CALLED), "g": r.choice(prelude.GIVEN),
             "n": r.choice(prelude.NAMES), "v": r.choice(prelude.VALUES),
             "u": r.choice(prelude.VALUES)}
    is_expression = r.random() < 0.65
    body = r.choice(prelude.EXPRESSIONS if is_expression else prelude.STATEMENTS).format(**parts)
    text = written(f"r = {body}" if is_expression else body)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return compile(text, f"<refused {seed}>", "exec"), text
        except SyntaxError:
            return None, text


def told(code, compiled):
    """All that a user could see of a call, in a world of its own, but addresses."""
    world = {"np": np, "__name__": "world"}
    exec(PRELUDE, world)
    exec(code, world)
    function = world["function"]
    found = outcome_of_copy(dl.compile(function) if compiled else function, (np.arange(6.0), 3))
    seen = (found.result, type(found.error).__name__, str(found.error), found.said, found.printed)
    return re.sub("0x[0-9a-f]+", "", repr(seen))


@pytest.mark.parametrize("seeds", chunks(900, 100, daily=1000))
def test_programs_that_are_refused(seeds):
    with dl.config.patch(strict=True, compile_unprofitable=True):
        for seed in seeds:
            code, text = program(seed)
            if code is not None and (found := told(code, True)) != (expected := told(code, False)):
                pytest.fail(f"seed {seed}\n{text}\n{found}\n{expected}")
        dl.reset()


@pytest.mark.parametrize("body", FOUND)
def test_what_was_found(body):
    code = compile(written(body), "<found>", "exec")
    with dl.config.patch(strict=True, compile_unprofitable=True):
        assert told(code, True) == told(code, False)
