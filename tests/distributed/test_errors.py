"""Wrong calls of functions of arrays in blocks: NumPy's own error, from the user's own line."""
import traceback

import numpy as np
import pytest

import dynamo_lite as dl

da = pytest.importorskip("dask.array")

WRONG = """
    x[2 * len(x)]
    (x + 1)[7:][2 * len(x)] * 2
    x[0, 0, 0]
    x[np.ones(3, bool)]
    x.sum(axis=5)
    np.cumsum(x, axis=4)
    np.roll(x, 1, axis=4)
    np.swapaxes(x, 0, 7)
    np.expand_dims(x, 9)
    np.squeeze(x, axis=0)
    np.flip(x, 4)
    x.transpose(0, 2)
    x.reshape(3, 7)
    x + np.ones(7)
    x[1:] + x[:-2]
    np.where(x > 0, x, np.ones(3))
    np.stack([x, np.ones((2, 2))])
    np.concatenate([x, np.ones(3)])
    np.broadcast_to(x, (4, 3))
    x @ np.ones((3, 2))
    np.dot(x, np.ones(5))
    np.einsum("ij,jk->ik", x, np.ones((3, 2)))
    x[:0].max()
    x[:0].max(axis=0)
    x[:0].argmax()
    ~x
    x & 1
    x << 2
    -(x > 0)
    (x > 0) - (x > 1)
    -(x > 0) + 1
    float(x)
    1 if x > 0 else 2
    np.sum(x, nonsense=3)
    np.percentile(x, 101)
    np.percentile(x, [5, -1], axis=0)
    np.nanquantile(x, 1.5, axis=0)
    np.percentile(x, 30, method="wrong")
    np.quantile(x, 0.3, 0, None, False, "wrong")
    np.nanpercentile(x, 30, axis=1, method="wrong")
    np.repeat(x, float("nan"))
    np.repeat(x, -1.5, axis=0)
    np.repeat(x, [1, 2, 3], axis=1)
    np.repeat(x, [1, -2], axis=1)
    x.repeat([1, 2], axis=0)
""".strip().splitlines()

FUNCTIONS = {}
for wrong in map(str.strip, WRONG):
    exec(f"def function(x):\n    return {wrong}\n", scope := {"np": np})
    FUNCTIONS[wrong] = scope["function"]

SIZES = {"few rows": 1000, "more than are tried out": 1 << 20}


def raised_by(function, *args):
    with pytest.raises((TypeError, ValueError, IndexError)) as raised:
        function(*args)
    return type(raised.value), str(raised.value)


@pytest.mark.parametrize("rows", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("wrong", FUNCTIONS)
def test_wrong_calls_raise_numpys_error(wrong, rows):
    x, function = np.zeros((rows, 2)), FUNCTIONS[wrong]
    expected = raised_by(function, x)
    assert raised_by(dl.compile(function), da.from_array(x, (rows // 3, 2))) == expected
    assert raised_by(dl.stream(function, chunks=rows // 3), x) == expected


def test_attributes_that_no_array_has():
    def program(x):
        return (x + 1).nonsense

    x = np.zeros((1000, 2))
    with pytest.raises(AttributeError) as expected:
        program(x)
    for call in (lambda: dl.compile(program)(da.from_array(x, 300)),
                 lambda: dl.stream(program, chunks=300)(x)):
        with pytest.raises(AttributeError) as raised:
            call()
        assert str(raised.value) == str(expected.value)
        assert traceback.extract_tb(raised.tb)[-1].line == "return (x + 1).nonsense"


def test_attributes_that_an_object_of_the_program_has_not():
    class Model:
        rate = 2

    def program(x, model):
        return x.sum() * model.speed

    with pytest.raises(AttributeError, match="^'Model' object has no attribute 'speed'$"):
        dl.compile(program)(da.ones((1000, 2), chunks=300), Model())


@pytest.mark.parametrize("wrong", ["~x", "x.sum(axis=5)", "x[:0].max(axis=0)"])
def test_they_raise_it_however_often_they_are_made(wrong):
    x, function = np.zeros((1000, 2)), FUNCTIONS[wrong]
    expected, compiled, blocks = raised_by(function, x), dl.compile(function), da.from_array(x, 300)
    assert [raised_by(compiled, blocks) for _ in range(6)] == [expected] * 6


@pytest.mark.parametrize("rows", SIZES.values(), ids=SIZES)
def test_programs_catch_them(rows):
    def program(x):
        try:
            return x[2 * len(x)]
        except IndexError as error:
            return x.sum() + len(str(error))

    x = np.ones((rows, 2))
    assert dl.compile(program)(da.from_array(x, (rows // 3, 2))).compute() == program(x)


def test_the_error_comes_from_the_users_line():
    def mixed(x):
        y = x * 2
        return y + np.ones(7)

    with pytest.raises(ValueError) as raised:
        dl.compile(mixed)(da.ones((1000, 2), chunks=300))
    last = traceback.extract_tb(raised.value.__traceback__)[-1]
    assert (last.name, last.line) == ("mixed", "return y + np.ones(7)")


def test_the_users_line_where_dask_raises_nothing():
    def largest(x):
        return x[:0].max(axis=0)

    with pytest.raises(ValueError) as raised:
        dl.compile(largest)(da.ones((1000, 2), chunks=300))
    line = largest.__code__.co_firstlineno + 1
    (note,) = raised.value.__notes__
    assert note.startswith(f"at {__file__}:{line} in ")


def test_what_dask_alone_offers_is_left_to_it():
    x = da.from_array(np.arange(12.0), 4)
    assert dl.compile(lambda x: x.sum(split_every=2) + 1)(x).compute() == 67
    assert dl.compile(lambda x: x.rechunk(3) * 2)(x).compute().sum() == 132


def test_effects_before_the_error():
    seen = []

    def program(x):
        seen.append(x.shape)
        return x[2000]

    with pytest.raises(IndexError, match="^index 2000 is out of bounds for axis 0 with size 12$"):
        dl.compile(program)(da.from_array(np.arange(12.0), 4))
    assert seen == [(12,)]
