"""Random programs over random blocks against NumPy: the same values, types and shapes."""
import random

import numpy as np
import pytest

import dynamo_lite as dl

da = pytest.importorskip("dask.array")

SHAPE = (12, 9)
UNARY = ("np.abs({})", "-{}", "{} * 2", "({} > 0.5)", "{}.astype('f4')", "np.sqrt(np.abs({}))",
         "np.where({0} > 0, {0}, 1)", "{}.copy()")
BINARY = ("{} + {}", "{} * {}", "np.maximum({}, {})", "{} - {}", "np.where({0} > 0.3, {0}, {1})")
TO_ROW = ("{}.sum(axis=0)", "{}.max(axis=0)", "{}.mean(axis=0)", "{}[3]", "{}.argmin(axis=0)",
          "({} > 0.2).any(axis=0)")
TO_COLUMN = ("{}.sum(axis=1, keepdims=True)", "{}.min(axis=1)[:, None]", "{}[:, 2:3]",
             "{}.std(axis=1)[:, None]", "{}.argmax(axis=1)[:, None]")
TO_NUMBER = ("{}.sum()", "{}.max()", "{}.mean()", "{}.T.ravel()[5]", "{}.argmax()", "{}.argmin()")
MADE = ("np.arange(9.0)", "np.arange(12)[:, None]",
        "(np.arange(12)[:, None] * 2 - np.ones(9)[None])")
SAME = ("np.cumsum({}, axis=0)", "np.cumsum({}, axis=1)", "np.concatenate([{0}[5:], {0}[:5]])",
        "np.concatenate([{0}[1:] - {0}[:-1], {0}[:1]])", "{}.T.copy().T", "{}[::-1]",
        "np.roll({}, 2, axis=1)", "{}[:, ::-1]", "({0} @ {0}.T) @ {0}", "np.roll({}, -1, axis=0)",
        "np.pad({}, 1, mode='edge')[2:, 1:-1]", "np.pad({}, 2, mode='symmetric')[:12, 3:12]",
        "np.sort({}, axis=0)", "np.maximum.accumulate({}, axis=1)",
        "{}.reshape(4, 27).reshape(12, 9)", "{0} - np.median({0}, axis=1, keepdims=True)",
        "np.interp({}, np.arange(4.0), np.arange(4.0))",
        "np.cumsum({}).reshape(12, 9)", "np.arange(5.0)[np.clip({}.astype(int), 0, 4)]",
        "np.take_along_axis({0}, np.argsort({0}, axis=0), axis=0)")


def program(rng):
    """The text of a function of two arrays and a number."""
    lines, whole = [], ["x", "y"]
    for number in range(rng.randint(2, 7)):
        name = f"v{number}"
        kind = rng.choice(("unary", "binary", "fold", "same", "write"))
        base = rng.choice(whole)
        if kind == "unary":
            text = rng.choice(UNARY).format(base)
        elif kind == "binary":
            text = rng.choice(BINARY).format(base, rng.choice([*whole, "n", *MADE]))
        elif kind == "fold":
            fold = rng.choice((*TO_ROW, *TO_COLUMN, *TO_NUMBER)).format(f"({base} * 1.0)")
            text = f"{rng.choice(whole)} * 0.5 + {fold}"
        elif kind == "same":
            text = rng.choice(SAME).format(f"({base} * 1.0)")
        else:
            lines.append(f"{name} = {base} * 1.0")
            low, high = sorted(rng.sample(range(SHAPE[0] + 1), 2))
            text = rng.choice((f"{rng.choice(whole)}[{low}:{high}]", "n", "0.25"))
            lines.append(rng.choice((
                f"{name}[{low}:{high}] = {text}", f"{name}[{name} > 0.3] += 0.5",
                f"{name}[{base}[:, 1] > 0.2] *= 2", f"{name}[{name} < 0.1] = 0")))
            whole.append(name)
            continue
        lines.append(f"{name} = {text}")
        whole.append(name)
    results = f"{whole[-1]}, {rng.choice(whole)} * 1.0, ({whole[-1]} * 1.0).sum(axis=0)"
    body = "\n    ".join(lines)
    return f"def program(x, y, n):\n    {body}\n    return {results}\n"


def chunks(rng):
    return tuple(rng.choice((1, 2, 3, 4, 5, size)) for size in SHAPE)


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed):
    rng = random.Random(seed)
    text, scope = program(rng), {"np": np}
    exec(text, scope)
    data = np.random.default_rng(seed)
    x, y = data.random(SHAPE), data.random(SHAPE) - 0.5
    expected = scope["program"](x, y, 2)
    lazy = dl.compile(scope["program"])(
        da.from_array(x, chunks(rng)), da.from_array(y, chunks(rng)), 2)
    for found, value in zip(lazy, expected, strict=True):
        computed = found.compute(scheduler="sync")
        assert (computed.dtype, computed.shape) == (value.dtype, value.shape), text
        assert (found.dtype, found.shape) == (value.dtype, value.shape), text
        np.testing.assert_allclose(computed, value, rtol=1e-5, atol=1e-6, err_msg=text)


@pytest.mark.parametrize("seed", range(30))
def test_random_streams(seed):
    """The same of arrays whose blocks tasks read themselves, more than once where that is cheap."""
    rng = random.Random(1000 + seed)
    text, scope = program(rng), {"np": np}
    exec(text, scope)
    data = np.random.default_rng(seed)
    x, y = data.random(SHAPE), data.random(SHAPE) - 0.5
    expected = scope["program"](x, y, 2)
    stream = dl.stream(scope["program"], chunks=chunks(rng), threads=2)
    for found, value in zip(stream(x, y, 2), expected, strict=True):
        assert (found.dtype, found.shape) == (value.dtype, value.shape), text
        np.testing.assert_allclose(found, value, rtol=1e-5, atol=1e-6, err_msg=text)
