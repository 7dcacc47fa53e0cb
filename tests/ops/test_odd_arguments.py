"""Arguments that NumPy refuses, or takes for something else than they seem to be."""
import collections
import enum
import types

import numpy as np
import pytest

import dynamo_lite as dl


class Axis(enum.IntEnum):
    SECOND = 2


Pair = collections.namedtuple("Pair", "left right")
VALUES = (
    2, -1, True, 2.0, 1j, 2**63, 2**64, -(2**63) - 1, None, "a", b"ab", [1, 2], (1, 2), [[1], [2]],
    {1}, {"k": 1}, collections.OrderedDict(k=1), collections.deque([1]), range(3), slice(1, 2), ...,
    np.int64(2), np.float32(2), np.array(2), np.ones(2), np.ones(0), Axis.SECOND, Pair(1, 2), float,
    np.dtype("f4"), list[int], types, len,
)  # fmt: skip
EXPRESSIONS = """
np.zeros(2, dtype=a); np.asarray(x, a); x.astype(a); x.view(a); np.full(2, a); np.zeros(a)
np.arange(a); np.zeros_like(a); np.ones_like(a); np.full_like(x, a); np.add.outer(x, a)
np.multiply.outer(a, x); np.add.outer(f, a); np.sum(x, keepdims=a); x.any(keepdims=a)
np.sum(x, axis=a); x.mean(a); np.sort(x, a); x.clip(a); np.clip(x, a); np.clip(x, a, 2)
x.clip(max=a); x.clip(a_min=a); x.clip(0, a_max=a)
x.clip(1, max=a); np.clip(x, 1, min=a); a == x; a != x; x == a; a < x; x + a; f + a
a - f; np.maximum(f, a); np.where(x > 1, a, f); np.linspace(0, 1, a); np.eye(a); np.var(x, ddof=a)
np.roll(x, a); np.expand_dims(x, a); x.item(a); np.block([x, a]); np.stack([x, a])
np.reshape(x, a); np.repeat(x, a); np.round(x, a); np.take(x, a); np.arange(a, None)
np.arange(a, None, 2); np.arange(1, a, None); np.arange(start=a)
np.arange(stop=a, step=2); np.arange(start=None, stop=a); x.all(0, a); x.any(None, a, None)
x.var(correction=a); x.std(None, None, None, a)
x.conj(a); f.conjugate(a); x[:1].reshape(); f.conj(a, a); (x.__setitem__(..., a), x)[1]
(x.__setitem__(..., [a]), x)[1]; (x.__setitem__(slice(1), [a]), x)[1]; (x.__setitem__(0, [a]), x)[1]
(f.__setitem__([0, 1], [a]), f)[1]; (f.__setitem__(f > 0, [a]), f)[1]; (x.__setitem__(0, a), x)[1]
(f.__setitem__(f > 0, np.ones((1, 1))), f)[1]; (f.__setitem__(f > 0, a), f)[1]
np.dot(x, a, out=np.ones(6)[::2]); x.compress(x[None] > 0)
f.astype(a, copy=False); f.astype(copy=False); f.view(None); np.zeros_like(x, subok=a)
np.array(f, ndmin=a); np.array(f, subok=a); np.nonzero([1, 0, 2]); np.argwhere((1, 0, 2))
np.concatenate([x, f], casting="no"); np.stack([f, x[:2]], casting="equiv")
np.sum(a, out=np.ones(())); np.round(a, 1, out=np.ones(())); np.any(f[0], out=np.ones(()))
np.asfortranarray(f[0]) * 2; np.asfortranarray(x.sum(), 'f4'); np.squeeze(x[None], a)
np.split(x, a); np.array_split(x, a); np.hsplit(x, a); np.tile(x, a)
np.compress(x[:, None] > 0, x); np.logical_or(x.astype("g"), a); np.logical_not(x.astype("g"))
""".replace("\n", ";").split(";")  # fmt: skip


@pytest.mark.parametrize("expression", [e.strip() for e in EXPRESSIONS if e.strip()])
@pytest.mark.filterwarnings("ignore")
def test_results_and_refusals_are_numpys(expression):
    names = dict(globals())
    exec(
        f"def answer(x, f, a):\n    y = x * 2\n    try:\n        r = {expression}\n"
        "    except Exception as error:\n        r = type(error), str(error)\n"
        "    return y, r\n",
        names,
    )
    answer = names["answer"]
    compiled = dl.compile(answer)
    with dl.config.patch(recompile_limit=len(VALUES)):
        for value in VALUES:
            given = np.arange(3.0), np.ones(2, "f4"), value
            expected, found = answer(*given)[1], compiled(*given)[1]
            assert type(found) is type(expected), (value, found, expected)
            assert getattr(found, "dtype", None) == getattr(expected, "dtype", None), value
            assert repr(found) == repr(expected), value


@pytest.mark.parametrize("expression", [
    "np.zeros((1,) * 65)", "np.full([1] * 65, 2)", "np.expand_dims(x, tuple(range(70)))",
    "x[(None,) * 70]", "np.broadcast_to(x, (1,) * 70 + (3,))", "np.zeros((2**40, 2**40))",
    "np.add.outer(np.zeros((1,) * 40), np.zeros((1,) * 40))", "np.empty((0, 2**62, 8))",
])  # fmt: skip
@pytest.mark.parametrize("use", ["", "y = "])
def test_arrays_that_cannot_be_are_refused_where_python_makes_them(expression, use):
    names = dict(globals())
    exec(
        f"def answer(x):\n    y = x * 2\n    try:\n        {use}{expression}\n"
        "    except Exception as error:\n        return type(error), str(error), y\n"
        "    return y, None, x\n",
        names,
    )
    x = np.arange(3.0)
    expected, found = names["answer"](x), dl.compile(names["answer"])(x)
    assert expected[1] is not None and found[:2] == expected[:2]
    assert found[2].tolist() == [0, 2, 4]
