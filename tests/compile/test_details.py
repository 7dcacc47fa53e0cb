"""What only a close look tells: the sign of zeros, the strides of arrays without elements."""
import enum
import itertools
import warnings

import numpy as np
import pytest

import dynamo_lite as dl
from tests.oracle import check

ZEROS = [0.0, -0.0, 1.0, -2.0, np.nan, np.inf]


def check_bits(function, *args):
    expected, found = function(*args), dl.compile(function)(*args)
    assert type(found) is type(expected)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    nan = np.isnan(expected)
    assert np.array_equal(nan, np.isnan(found))
    assert np.where(nan, 0, found).tobytes() == np.where(nan, 0, expected).tobytes()


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_clip_and_the_sign_of_zero(dtype):
    x = np.array(ZEROS, dtype)
    bounds = [0, -0.0, x.dtype.type(0), x.dtype.type(np.nan), 1.0, np.zeros(6, dtype), -x, x[:1]]
    for low, high in itertools.product(bounds, bounds):
        for operand in (x, x[::-1], x[1], x[:1], np.stack([x, x])):
            check_bits(lambda a, low=low, high=high: np.clip(a, low, high), operand)
            check_bits(lambda a, low, high: np.clip(a, low, high), operand, low, high)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("subscripts", ["i,i->i", "i,i->", "i,j->ij", "i,i,i->i", "i,j->i"])
def test_einsum_and_the_sign_of_zero(subscripts, dtype):
    x = np.array(ZEROS[:4], dtype)
    operands = [x, -np.zeros(4, dtype), x][: subscripts.count(",") + 1]
    check_bits(lambda *operands: np.einsum(subscripts, *operands), *operands)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (4, 0), (1, 0), (1, 3), (1, 1)])
@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("view", [
    lambda x: x[:0], lambda x: x[:0].reshape(2, -1), lambda x: x.ravel(), lambda x: x.T,
    lambda x: x.reshape(*x.shape, 1), lambda x: np.broadcast_to(x[:0], (7, *x[:0].shape)),
])
def test_strides_of_views_without_elements(view, shape, dynamic):
    x = np.empty(shape)
    found, expected = dl.compile(view, dynamic=dynamic)(x), view(x)
    assert found.shape == expected.shape
    assert found.strides == expected.strides


def test_long_doubles_are_written_to_an_output_of_doubles():
    x, y = np.arange(6, dtype=np.longdouble), np.zeros(6)

    @dl.compile
    def add(x, y):
        return np.add(x, 1, out=y)

    assert add(x, y) is y
    assert y.tolist() == [1, 2, 3, 4, 5, 6]


def store(array, number):
    array[1] = number
    return array


def store_in_a_copy(array, number):
    array = array * 1
    array[1] = number * 1
    return array


def outcome(call, *args):
    try:
        return call(*args).tolist()
    except (OverflowError, ValueError) as error:
        return type(error), str(error)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("function", [store, store_in_a_copy])
@pytest.mark.parametrize("dtype", list("bBhHiIlL"))
@pytest.mark.parametrize("errors", ["warn", "ignore"])
def test_numbers_that_do_not_fit_are_refused(function, dtype, errors):
    numbers = [
        np.uint64(2**64 - 1), np.uint64(7), np.int64(-1), np.int64(2**40), np.uint8(200),
        np.float64(np.nan), np.float64(np.inf), np.float64(-3.7), np.float64(3e9), np.float32(1e20),
    ]
    with np.errstate(all=errors):
        for number in numbers:
            array = np.zeros(3, dtype)
            expected = outcome(function, array.copy(), number)
            assert outcome(dl.compile(function), array, number) == expected


def test_written_out_numbers_that_do_not_fit_are_refused():
    compiled = dl.compile(lambda x: x + np.array([2**40], dtype="i4"))
    with pytest.raises(OverflowError, match="out of bounds for int32"):
        compiled(np.ones(1))


WITH_OUT = {
    "add": lambda x: np.add(x, 1, out=x),
    "by position": lambda x: np.add(x, 1, x),
    "where": lambda x: np.sqrt(x, where=x > 1, out=x),
    "sum": lambda x: np.sum(np.ones((2, 3)), axis=0, out=x),
    "method": lambda x: x.cumsum(out=x),
    "matmul": lambda x: np.matmul(np.eye(3), np.ones(3), out=x),
    "concatenate": lambda x: np.concatenate([x[:1], x[1:] * 2], out=x),
    "of two": lambda x: np.modf(x, out=(x, None))[0],
    "einsum": lambda x: np.einsum("ij,j->i", np.eye(3), np.ones(3), out=x),
}


@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize("name", WITH_OUT)
def test_what_is_written_into_is_what_is_returned(name, backend):
    def given(x):
        result = WITH_OUT[name](x)
        return result is x, result

    def made(x):
        x = x * 1.5
        result = WITH_OUT[name](x)
        return {id(result): 1} == {id(x): 1}, result is x, [result], x

    x = np.array([1.0, 2.0, 3.0])
    is_same, result = dl.compile(given, backend=backend)(x)
    assert is_same
    assert result is x
    _, is_same, (result,), x = dl.compile(made, backend=backend)(x)
    assert is_same
    assert result is x


class Axis(enum.IntEnum):
    ROW = 0
    COLUMN = 1


ONE = np.int64(1)


@pytest.mark.parametrize("read", [
    lambda x: x[Axis.COLUMN] * 2, lambda x: x[..., Axis.COLUMN] * 2, lambda x: x[: Axis.COLUMN] * 2,
    lambda x: x[Axis.COLUMN, ONE] * 2, lambda x: x[ONE:, Axis.ROW] * 2, lambda x: x[..., -ONE] * 2,
])
def test_other_integers_as_indices(read):
    x = np.arange(6.0).reshape(3, 2)
    check_bits(read, x)


@pytest.mark.parametrize("k", [Axis.COLUMN, ONE, np.uint8(1)], ids=repr)
def test_other_integers_as_places_to_write(k):
    def write(x):
        x[k] = 5
        x[..., k] += 2
        x[:k] *= 3
        return x

    x = np.arange(6.0).reshape(3, 2)
    expected = write(x.copy())
    assert np.array_equal(dl.compile(write)(x), expected)
    assert np.array_equal(x, expected)


def middle(x):
    return (x + 1)[::2].view("i4")


def changed(x):
    y = x.copy()
    y[1::3].view("i4")[...] += 5
    return y


def parts(x):
    y = (x + 1j)[::-3]
    y.real[...] = 5
    return np.array([y.real + 1, y.imag[::-1] * 2])


@pytest.mark.parametrize("function", [lambda x: middle(x) + 1, changed, parts, middle])
def test_views_of_parts_as_another_dtype(function):
    check_bits(function, np.arange(20.0, dtype="f4"))


def test_deprecated_names_of_dtypes():
    def names(x):
        return np.dtype("a3"), x.astype("a3")

    check(dl.compile(names), names, np.arange(3))


@pytest.mark.parametrize("function", [
    lambda x, y: np.logical_or(x, y), lambda x, y: np.logical_and(x, y),
    lambda x, y: np.logical_xor(y, x), lambda x, y: np.where(x, y, True),
])
@pytest.mark.parametrize("dtype", ["c8", "c16", "f2"])
def test_zeros_with_a_sign_are_false(function, dtype):
    x = np.array([0.0, -0.0, 1.0, np.nan, -0.0], dtype)
    if dtype != "f2":
        x.imag = [0.0, -0.0, 0.0, 0.0, 2.0]
    for y in (np.zeros(5, bool), np.ones(5, bool)):
        check_bits(function, x, y)


@pytest.mark.parametrize("function", [np.radians, np.degrees, np.deg2rad, np.rad2deg])
@pytest.mark.parametrize("options", [
    {}, {"dtype": "f4"}, {"casting": "same_kind"}, {"casting": "equiv"}, {"order": "F"},
    {"out": np.zeros(3), "where": np.array([True, False, True])},
])
def test_angles_with_further_arguments(function, options):
    check_bits(lambda x: function(x, **options), np.array([1.0, 90.0, -720.0], "f4"))


def test_equivalent_casting_of_python_numbers():
    def f(x, out):
        return np.fmax(2.0, x, out=out, casting="equiv")

    for function in (f, dl.compile(f)):
        with pytest.raises(TypeError, match="casting rule 'equiv'"):
            function(np.array([1.0 + 1j, 3.0]), np.zeros(2, "u8"))


def test_expand_dims_needs_an_axis():
    for function in (np.expand_dims, dl.compile(lambda a, axis: np.expand_dims(a, axis))):
        with pytest.raises(TypeError, match="'NoneType' object cannot be interpreted"):
            function(np.array(2), None)


def test_one_graph_where_it_is_wanted():
    """A large input that was written in part is read in a graph of its own, unless told not to."""

    def smooth(x):
        x[0] = x[-1] = 0.0
        return x[1:] + x[:-1]

    x = np.arange(100_000.0)
    check_bits(smooth, x.copy())
    compiled = dl.compile(smooth, fullgraph=True)
    assert np.array_equal(compiled(x.copy()), smooth(x.copy()))


@pytest.mark.parametrize("program", [
    lambda x: np.core.records.fromarrays(x.T, names="a, b"),
    lambda x: x if hasattr(np, "bytes") else x + 1,
])
def test_names_that_numpy_warns_of(program):
    compiled = dl.compile(program)
    for _ in range(3):
        texts = []
        for function in (program, compiled):
            with warnings.catch_warnings(record=True) as found:
                warnings.simplefilter("always")
                function(np.ones((2, 2)))
            texts.append([(w.category, str(w.message)) for w in found])
        assert texts[0] == texts[1] != []
