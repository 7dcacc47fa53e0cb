"""`np.errstate` inside of compiled functions: one graph, and what is reported is as in Python."""
import copy
import ctypes
import itertools
import operator
import warnings

import numpy as np
import pytest

import dynamo_lite as dl
from tests.oracle import Tolerance, differences, outcome, same

X = np.array([0.0, 1.0, -1.0, 4.0, np.inf, 1e200, 1e-300, 2.0])
Y = np.array([0.0, 0.0, 2.0, 1.0, np.inf, 1e200, 1e-300, -3.0])
AMBIENTS = [{}, {"all": "ignore"}, {"divide": "raise"}, {"all": "warn"}, {"invalid": "raise"}]


def ignoring(x, y):
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        r = np.where(y != 0, x / y, 0)
    return r * 2


def ignoring_only_divide(x, y):
    with np.errstate(divide="ignore"):
        return x / np.abs(y[1:4].sum() * y + 1e-5), np.log(np.abs(x))


def reported_after(x, y):
    with np.errstate(all="ignore"):
        r = x / y
    return r + 1 / (x + 1)


def reported_before(x, y):
    r = np.sqrt(x)
    with np.errstate(all="ignore"):
        return r / y


def raising(x, y):
    with np.errstate(divide="raise"):
        return x / y


def raising_what_is_fine(x, y):
    with np.errstate(all="raise"):
        return x[1:4] / 2 + np.exp(y[1:4])


def raising_underflow(x, y):
    with np.errstate(under="raise"):
        return np.exp(-x * 300)


def warning_inside_of_ignoring(x, y):
    with np.errstate(all="ignore"):
        a = np.log(x)
        with np.errstate(invalid="warn"):
            b = np.sqrt(np.abs(y))
        return a + b, np.log(-x)


def caught(x, y):
    try:
        with np.errstate(divide="raise", invalid="raise"):
            return x / y
    except FloatingPointError:
        return x


def early_return(x, y):
    with np.errstate(divide="ignore", invalid="ignore"):
        if x.ndim == 1:
            return x / y
    return x


def own_exception(x, y):
    try:
        with np.errstate(all="ignore"):
            z = x / y
            raise KeyError("own")
    except KeyError:
        return z, np.float64(1) / x[1]


def in_place(x, y):
    with np.errstate(all="ignore"):
        x /= y
        x[2:] *= 1e308
    y += 1
    return x


def of_externs(x, y):
    with np.errstate(all="ignore"):
        a = np.nanmean(x), np.percentile(x[:4], 30), np.cbrt(x), np.spacing(x)
        b = np.var(x / y), np.interp(x, [0, 1], [np.inf, 2])
    return a, b


def of_casts(x, y):
    with np.errstate(invalid="ignore", over="ignore"):
        return x.astype("f4"), x.astype("i4")[:4]


def of_products(x, y):
    with np.errstate(all="ignore"):
        return x @ y, np.outer(x, y), (x * 1e300).sum(), np.prod(y)


def in_a_loop(x, y):
    total = 0
    for k in range(3):
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            total = total + x / (y - k)
    return total


def from_outside(x, y):
    with STATES.pop():
        return x / y


STATES = [np.errstate(divide="ignore", invalid="ignore") for _ in range(200)]


@np.errstate(divide="ignore", invalid="ignore")
def decorated(x, y):
    return x / y


def calls_decorated(x, y):
    return decorated(x, y) + np.sqrt(np.abs(x))


def of_helpers(x, y):
    def ratio(a, b):
        with np.errstate(divide="ignore", invalid="ignore"):
            return a / b

    return ratio(x, y), ratio(y, x)


def broken_inside(x, y):
    with np.errstate(divide="ignore", invalid="ignore"):
        a = x / y
        print(a[3])
        b = y / x
    return a + b


def broken_inside_twice(x, y):
    with np.errstate(divide="ignore"):
        a = x / np.maximum(y, 0)[1:2]
        with np.errstate(invalid="ignore"):
            b = y / x
            print("inside", np.geterr())
        print("between", np.geterr())
    print("after", np.geterr())
    return a, b


def with_callback(x, y):
    seen = []
    with np.errstate(divide="call", call=lambda kind, flag: seen.append(kind)):
        a = x / y
    return a, seen


def printing(x, y):
    with np.errstate(all="print"):
        return x[1:4] / y[1:4]


def unknown_mode(x, y):
    with np.errstate(divide="nonsense"):
        return x / y


def entered_twice(x, y):
    state = np.errstate(divide="ignore")
    with state:
        with state:
            return x / y


def set_globally(x, y):
    old = np.seterr(divide="ignore", invalid="ignore")
    try:
        return x / y, sorted(old)
    finally:
        np.seterr(**old)


def looked_at(x, y):
    return x + 1, np.geterr()


def with_a_generator(x, y):
    def ratios():
        with np.errstate(divide="ignore", invalid="ignore"):
            yield x / y
            yield y / x

    return list(ratios())


ONE_GRAPH = [
    ignoring, ignoring_only_divide, reported_after, reported_before, raising, raising_what_is_fine,
    raising_underflow, warning_inside_of_ignoring, early_return, own_exception, in_place,
    of_externs, of_casts, of_products, in_a_loop, decorated, calls_decorated, of_helpers,
]
OTHERS = [
    caught, from_outside, broken_inside, broken_inside_twice, with_callback, printing, unknown_mode,
    entered_twice, set_globally, looked_at, with_a_generator,
]


@pytest.mark.parametrize("ambient", AMBIENTS, ids=str)
@pytest.mark.parametrize("function", ONE_GRAPH + OTHERS, ids=lambda f: f.__name__)
def test_reports_as_in_python(function, ambient, backend):
    compiled = dl.compile(function, backend=backend)
    for _ in range(3):
        for args in (X, Y), (X[1:4], Y[2:5]):
            expected = outcome(function, copy.deepcopy(args), **ambient)
            found = outcome(compiled, copy.deepcopy(args), **ambient)
            assert not differences(found, expected, Tolerance(relative=1e-15))


@pytest.mark.parametrize("function", ONE_GRAPH, ids=lambda f: f.__name__)
def test_is_one_graph(function):
    with np.errstate(all="ignore"):
        explained = dl.explain(function)(np.linspace(1, 2, 8), np.linspace(2, 3, 8))
    assert explained.graph_break_count == 0, explained.break_reasons
    assert explained.graph_count == 1


@pytest.mark.parametrize("function", [ignoring, in_a_loop, of_products, decorated])
def test_what_is_ignored_is_not_left_to_python(function):
    """Flags that the program ignores abandon nothing."""
    compiled = dl.compile(function)
    with np.errstate(all="warn", under="ignore"):
        for _ in range(4):
            compiled(X.copy(), Y.copy())
    assert sum(entry.bailouts for entry in compiled.entries()) == 0


def test_state_is_the_old_one_afterwards():
    before = np.geterr()
    for function in ONE_GRAPH + OTHERS:
        outcome(dl.compile(function), (X.copy(), Y.copy()))
        assert np.geterr() == before, function.__name__


def test_compiling_inside_a_ufunc_raises_no_flags():
    """NumPy reports the flags that are raised while a ufunc calls a Python function."""
    def raising(graph, example_inputs):
        ctypes.CDLL(None).feraiseexcept(1)  # FE_INVALID
        return graph

    compiled = dl.compile(lambda a: np.sqrt(a), backend=raising)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(np.frompyfunc(lambda a: compiled(a), 1, 1)(np.array([4.0, 9.0]))) == [2.0, 3.0]


NARROWING = (
    "np.conj(x, dtype='f4')", "np.positive(x, dtype='f4')", "np.abs(x, dtype='f4')",
    "np.maximum(x, 1, dtype='f4')", "np.asarray(x, dtype='f4')", "np.array(x, 'f2')",
    "x.astype('f4')", "np.sign(x, dtype='f4')", "np.full(3, x, 'f4')", "np.full_like(x, x, 'f4')",
    "np.concatenate([x, x], dtype='f4', casting='unsafe')", "(x * 1j).astype('c8')",
    "np.conj(x * 1j, dtype='c8')",
)  # fmt: skip


@pytest.mark.parametrize("expression", NARROWING)
def test_conversions_of_elements_that_nobody_reads_warn(expression):
    names = {"np": np}
    exec(f"def middle(x):\n    return ({expression})[1]", names)
    x = np.array([1e300, 1.0, 1e300])
    for function in names["middle"], dl.compile(names["middle"]):
        with pytest.warns(RuntimeWarning, match="overflow encountered in cast"):
            assert function(x).real in (0, 1)


@pytest.mark.parametrize("function", [
    lambda x, y: np.divide(x, y, out=np.zeros_like(x), where=y > 0),
    lambda x, y: np.divide(x[:, None], y[:, None], out=np.ones((9, 1)), where=y[:, None] != 0),
    lambda x, y: np.log(y, out=np.full(9, -1.0), where=y > 0),
    lambda x, y: np.sqrt(x, out=np.zeros(9), where=x >= 0),
    lambda x, y: np.reciprocal(y, out=y.copy(), where=y != 0),
    lambda x, y: np.floor_divide(7, y.astype(int), out=np.zeros(9, int), where=y.astype(int) != 0),
    lambda x, y: np.divide(x, y, out=x, where=y > 0),
])
def test_what_a_mask_leaves_out_reports_nothing(function):
    """And so no call is given to NumPy for it."""
    x, y = np.array([1.0, -1, 0, np.inf, np.nan, 2, 3, 0, 1]), np.arange(9.0) % 3
    given, expected = x.copy(), x.copy()
    compiled = dl.compile(function)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert same(compiled(given, y), function(expected, y)) and same(given, expected)
    (entry,) = compiled.entries()
    assert not entry.bailouts


def test_what_a_mask_lets_through_reports():
    def function(x, y, mask):
        return np.divide(x, y, out=np.zeros_like(x), where=mask)

    compiled = dl.compile(function)
    x, y = np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 0.0])
    compiled(x, y, np.array([False, True, False]))
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert same(compiled(x, y, np.array([True, True, False])), np.array([np.inf, 2.0, 0.0]))


@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul, operator.neg, abs])
@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint32, np.uint64])
def test_integers_of_numpy_wrap_where_overflow_is_ignored(operation, dtype):
    def wrapped(*numbers):
        with np.errstate(over="ignore"):
            return operation(*numbers) * dtype(1)

    compiled = dl.compile(wrapped, options={"compile_unprofitable": True})
    limits = np.iinfo(dtype)
    extremes = [dtype(value) for value in (limits.min, limits.max, limits.max // 2 + 1, 3, 0)]
    unary = operation in (operator.neg, abs)
    for numbers in itertools.product(extremes, repeat=1 if unary else 2):
        assert same(compiled(*numbers), wrapped(*numbers))
    assert not [cost for cost in dl.why(compiled).costs if cost.kind == "bail-out"]
