"""Random programs of masks and counts, over dtypes and layouts: as eager, errors included."""
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dynamo_lite as dl
from tests.oracle import ROUNDED, outcome_of_copy, same


def assigned(x, m, value):
    y = x.copy()
    y[m] = value
    return y


def changed(x, m):
    y = x.copy()
    y[m] += y[m]
    return y


def reversed_parts(x, m):
    y = x.copy()
    y[m] = y[m][::-1]
    return y


def up_to_the_count(x, m):
    n = int(m.sum())
    return x[:n], x[n:], np.arange(n), np.zeros((n, 2), x.dtype)


def positive_only(x, m):
    if not m.any():
        raise ValueError("nothing is selected")
    return x[m].max()


OPERATIONS = {
    "select": lambda x, m: x[m],
    "compute": lambda x, m: x[m] + x[m],
    "first": lambda x, m: x[m][0],
    "part": lambda x, m: x[m][1:3],
    "column": lambda x, m: x[m][..., None] + x[m][..., None],
    "sum": lambda x, m: x[m].sum(),
    "total": lambda x, m: x[m].sum(axis=0),
    "mean": lambda x, m: x[m].mean(),
    "extremes": lambda x, m: (x[m].min(), x[m].argmax()),
    "positions": lambda x, m: (np.nonzero(m), np.argwhere(m), np.flatnonzero(m)),
    "of_numbers": lambda x, m: np.nonzero(x),
    "count": lambda x, m: (int(m.sum()), len(x[m]), np.count_nonzero(m), x[m].shape),
    "slices": up_to_the_count,
    "inverse": lambda x, m: x[~m],
    "both": lambda x, m: np.concatenate([x[m], x[~m]]),
    "three": lambda x, m: x[m] + np.ones(3),
    "zero": lambda x, m: assigned(x, m, 0),
    "one": lambda x, m: assigned(x, m, np.int8(1)),
    "parts": reversed_parts,
    "changed": changed,
    "unique": lambda x, m: np.unique(x[m], return_counts=True),
    "sorted": lambda x, m: np.sort(x[m], axis=0),
    "take": lambda x, m: x[np.nonzero(m)[0]],
    "rows": lambda x, m: x[m][m],
    "guarded": positive_only,
    "item": lambda x, m: x + x[m].sum().item(),
    "reshaped": lambda x, m: x[m].reshape(-1, 2),
    "tuple_in_key": lambda x, m: x[np.where(m)[:1], ...],
    "list_of_positions": lambda x, m: x[[np.nonzero(m)[0], np.nonzero(m)[-1]]],
    "ravel": lambda x, m: x[m].ravel() * 2,
}
DTYPES = ("f8", "f4", "i8", "i2", "u1", "?")


@st.composite
def arrays(draw):
    """An array of any layout, and a mask that usually fits."""
    shape = draw(st.sampled_from([(0,), (1,), (2,), (3,), (7,), (40,), (3, 4), (2, 0), (1, 5)]))
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    x = (rng.normal(size=shape) * 4).astype(dtype) if dtype.kind != "b" else rng.random(shape) > 0.5
    layout = draw(st.sampled_from(["C", "C", "step", "reversed", "F", "read-only"]))
    if layout == "step":
        x = np.repeat(x, 2, axis=0)[::2]
    elif layout == "reversed":
        x = x[::-1].copy()[::-1]
    elif layout == "F":
        x = np.asfortranarray(x)
    kind = draw(st.sampled_from(["random", "random", "none", "all", "rows", "short", "0-d"]))
    masks = {
        "random": lambda: rng.random(shape) > 0.5, "none": lambda: np.zeros(shape, bool),
        "all": lambda: np.ones(shape, bool), "rows": lambda: rng.random(shape[0]) > 0.5,
        "short": lambda: np.ones((shape[0] + 1,), bool), "0-d": lambda: np.array(True),
    }
    m = masks[kind]()
    if layout == "step" and m.ndim:
        m = np.repeat(m, 2, axis=0)[::2]
    if layout == "read-only":
        x.flags.writeable = m.flags.writeable = False
    return x, m


@pytest.mark.parametrize("backend", ["eager", "llvm"])
@given(st.lists(st.sampled_from(sorted(OPERATIONS)), min_size=1, max_size=3), st.data())
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_masks_do_what_numpy_does(backend, names, data):
    steps = [OPERATIONS[name] for name in names]

    def program(x, m):
        return [step(x, m) for step in steps]

    compiled = dl.compile(program, backend=backend, dynamic=True)
    for _ in range(3):
        args = data.draw(arrays())
        found, expected = outcome_of_copy(compiled, args), outcome_of_copy(program, args)
        assert same(found, expected, ROUNDED), (names, args)


@pytest.mark.parametrize("find", [np.nonzero, np.where, lambda m: (np.flatnonzero(m),)])
@pytest.mark.parametrize("shape", [(9,), (1,), (0,), (3, 4), (0, 3)])
def test_positions_are_columns_of_one_array(find, shape):
    """Which owns their memory, so that they cannot be resized."""
    mask = np.random.default_rng(1).random(shape) > 0.5
    compiled = dl.compile(lambda m: find(m))
    for some in mask, ~mask, mask & ~mask:
        for found, expected in zip(compiled(some), find(some), strict=True):
            assert same(found, expected)
            assert found.flags.owndata == expected.flags.owndata
            assert found.base.shape == expected.base.shape
            assert found.strides == expected.strides


def mask_of_its_own(b, m, other):
    b[m] = other[m][::-1]
    m[m] = b[m]


def moved_up(x, m, other):
    y = x * 2
    n = int(m.sum())
    y[m] = y.ravel()[:n].copy()
    x[m] = x.ravel()[:n].copy()
    return y


def found_before_it_changes(x, m, other):
    mine = x > 1
    places = np.nonzero(mine)
    mine[:1] = True
    return other[places], mine, x[places]


def several(x, m, other):
    x[m] *= 2
    other[m] = x[m] - 1
    x[~m] += other[~m]
    x[m] = 7
    x[m] = other[m][:1]


def converted(x, m, other):
    other[m] = x[m].astype("f8") / 3
    x[m] = other[m] > 1


IN_PLACE = [mask_of_its_own, moved_up, found_before_it_changes, several, converted]


@pytest.mark.parametrize("program", IN_PLACE)
@pytest.mark.parametrize("layout", ["C", "step", "reversed", "F", "2-d"])
def test_masked_assignments_into_arguments(program, layout):
    rng = np.random.default_rng(3)
    for dtype, n in [("f8", 0), ("f8", 40), ("f4", 7), ("i8", 40_000), ("u1", 33), ("?", 64),
                     ("i2", 16_385), ("c16", 50)]:  # fmt: skip
        shape = (n // 4, 4) if layout in ("F", "2-d") else (n,)
        made = [(rng.normal(size=shape) * 4).astype("i8").astype(dtype) for _ in range(2)]
        args = [made[0], rng.random(shape) > 0.5, made[1]]
        if layout == "step":
            args = [np.repeat(a, 2)[::2] for a in args]
        elif layout == "reversed":
            args = [a[::-1].copy()[::-1] for a in args]
        elif layout == "F":
            args = [np.asfortranarray(a) for a in args]
        compiled = dl.compile(program, dynamic=True)
        copies = [[np.copy(a, order="K") for a in args] for _ in range(2)]
        found, expected = outcome_of_copy(compiled, copies[0]), outcome_of_copy(program, copies[1])
        assert same(found, expected), (program, dtype, layout)
        for one, other in zip(*copies):
            assert one.tobytes() == other.tobytes()


def test_masks_of_what_was_computed_from_itself_again_and_again():
    """Which masks are equal is known without writing out what they were computed from."""
    again = "\n    ".join(["x = x * 0.5 + x * x"] * 25)
    names = {}
    exec(f"def function(x, y):\n    {again}\n    y[x > 0.1] += x[x > 0.1]\n    return y", names)
    function = names["function"]
    compiled = dl.compile(function)
    x = np.linspace(-0.5, 0.5, 40)
    assert same(compiled(x, x.copy()), function(x, x.copy()))
    assert len(compiled.entries()) == 1


def test_positions_as_where_gives_them_inside_of_a_key():
    """`np.where` gives a tuple, which is a list of positions there."""
    def into_the_box(pos, vel):
        for d in range(2):
            out = np.where(pos[:, d] < 0)
            pos[out, d] *= -1
            vel[out, d] *= -1
            out = np.where(pos[:, d] > 1)
            pos[out, d] = 1 - (pos[out, d] - 1)
        return pos, vel

    compiled = dl.compile(into_the_box, fullgraph=True)
    rng = np.random.default_rng(0)
    for n in 100, 7, 1, 0:
        arguments = rng.random((n, 2)) * 1.4 - 0.2, rng.random((n, 2))
        assert same(outcome_of_copy(compiled, arguments), outcome_of_copy(into_the_box, arguments))
