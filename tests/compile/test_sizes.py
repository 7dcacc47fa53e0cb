"""One compilation for every size that the same code can serve, zero and one included."""
import math

import numpy as np
import pytest
from sameness import check_same, same

import dynamo_lite as dl


def add(x):
    return x * 2 + 1


def total(x):
    return x.sum(axis=0), x.sum()


def differences(x):
    return x[1:] - x[:-1], x[1:-1] * 2


def joined(x):
    return np.concatenate([x, x * 2]), np.zeros((len(x) + 2, *x.shape[1:]))


def running(x):
    return np.cumsum(x, axis=0), np.sort(x, axis=-1), (x > 0).any()


def outer(x):
    return x[..., None] * np.arange(3.0), np.arange(len(x))


def written(x):
    y = x.copy()
    y[1:-1] = (x[2:] + x[:-2]) / 2
    return y


def norms(x):
    return x / np.sqrt((x * x).sum(axis=0)), np.where(x > 0, x, -x)


def sizes(x):
    return x.shape, len(x), x.size, x.nbytes, x.ndim


SHAPES = {"n": lambda n: (n,), "nx3": lambda n: (n, 3), "3xn": lambda n: (3, n)}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize(
    "function", [add, total, differences, joined, running, outer, written, norms, sizes]
)
def test_zero_one_and_large_sizes_take_two_compilations(function, dynamic, shape):
    compiled = dl.compile(function, dynamic=dynamic)
    rng = np.random.default_rng(0)
    for n in (0, 1, 2, 5, 1000, 1, 0, 3):
        check_same(compiled, function, rng.normal(size=SHAPES[shape](n)), calls=2, exact=False)
    assert len(compiled.entries()) <= 2


@pytest.mark.parametrize("order", [(5, 1, 0, 2, 7), (2, 0, 1, 9), (1, 0, 5)])
def test_sizes_that_were_large_first(order):
    compiled = dl.compile(total)
    for n in order:
        check_same(compiled, total, np.ones((n, 4)))
    assert len(compiled.entries()) == 2


def test_a_million(order=(0, 1, 2, 5, 10**6)):
    compiled = dl.compile(add)
    for n in order:
        assert same(compiled(np.ones(n)), np.full(n, 3.0))
    assert len(compiled.entries()) == 2


def test_strides_of_short_axes_are_those_of_numpy():
    def strides(x):
        return x.strides, x + 1

    compiled = dl.compile(strides)
    base = np.arange(64.0).reshape(8, 8)
    for rows in (5, 4, 1, 0, 2, 3):
        for x in (base[:rows], base[::2][:rows], base[:rows, ::2]):
            check_same(compiled, strides, x, calls=1)


def test_nothing_has_no_maximum():
    def largest(x):
        return x.max(axis=0), x.argmax(), np.ptp(x)

    compiled = dl.compile(largest)
    for n in (5, 7, 1, 0, 3, 0):
        check_same(compiled, largest, np.arange(float(n)))
    check_same(dl.compile(lambda x: x.mean(axis=0)), lambda x: x.mean(axis=0), np.ones((0, 3)))


def test_warnings_of_what_is_broadcast_to_nothing_are_kept():
    def ratio(a, b, z):
        return a / b + z

    compiled = dl.compile(ratio, dynamic=True)
    for m in (3, 4, 0, 2, 0):
        for divisor in (1.0, 0.0):
            check_same(compiled, ratio, np.ones((5, 1)), np.full((5, 1), divisor), np.ones((5, m)))


def test_a_view_of_what_is_contiguous_by_its_sizes_alone():
    """A row of one, or none, is contiguous however long its stride is: then `ravel` is a view."""
    def flat(x):
        return x.ravel()

    compiled = dl.compile(flat, dynamic=True)
    base = np.arange(40.0).reshape(5, 8)
    for rows in (5, 4, 1, 0, 2, 1):
        x = base[:rows, :3]
        assert same(compiled(x), flat(x))
        assert np.shares_memory(compiled(x), base) == np.shares_memory(flat(x), base)


# -- numbers that follow from sizes


NUMBERS = {
    "half": lambda x: x * (len(x) / 2),
    "inverse": lambda x: x * (1 / len(x)),
    "mean": lambda x: x.sum() / len(x),
    "square root": lambda x: x / math.sqrt(x.shape[-1]),
    "power": lambda x: x / len(x) ** 0.5,
    "squared": lambda x: x * len(x) ** 2,
    "two to the n": lambda x: x * 2 ** len(x),
    "float": lambda x: x * float(len(x)),
    "NumPy's float": lambda x: np.float64(len(x)) * x,
    "a fraction of": lambda x: x[int(len(x) * 0.5):],
    "rounded": lambda x: x[: round(len(x) / 3)],
    "divmod": lambda x: x * divmod(len(x), 3)[0] + divmod(len(x), 3)[1],
    "ceiling": lambda x: x * math.ceil(len(x) / 2) + math.floor(len(x) * 0.7),
    "logarithm": lambda x: x * math.log(len(x)),
    "shifts": lambda x: (x * (len(x) << 1), x * (len(x) >> 1), x * (len(x) & 3)),
    "bits": lambda x: x * len(x).bit_length(),
    "absolute": lambda x: x * abs(3 - len(x)),
    "extrema": lambda x: x[: min(len(x), 50)] * max(x.shape),
    "product": lambda x: x * math.prod(x.shape),
    "returned": lambda x: (len(x) / 2, 3 * len(x) - 1, x + 1),
    "compared": lambda x: x + 1 if len(x) * 0.5 > 1.2 else x,
    "asserted": lambda x: x.reshape(len(x), -1) if x.shape == (len(x),) else x,
    "negative": lambda x: x[-len(x) // 2 :],
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_that_follow_from_sizes_do_not_fix_them(name):
    function = NUMBERS[name]
    compiled = dl.compile(function, fullgraph=True)
    for n in (5, 6, 7, 12, 31):
        check_same(compiled, function, np.arange(1.0, n + 1), exact=False)
    assert len(compiled.entries()) <= 2


def test_numbers_that_follow_from_float_arguments():
    def step(x, rate, decay):
        return x - x * (rate * decay ** 2 / (1 + rate)) + math.exp(-rate)

    compiled = dl.compile(step, fullgraph=True)
    for k in range(6):
        check_same(compiled, step, np.arange(4.0), 0.1 * k, 0.9 - 0.01 * k)
    assert len(compiled.entries()) == 1


def test_what_raises_raises_in_the_users_line():
    def inverse(x, n):
        y = x + 1
        return y * (1 / n), y[:n]

    compiled = dl.compile(inverse)
    for n in (2, 3, 4, 0, 5, 0):
        check_same(compiled, inverse, np.ones(4), n)

    def power(x, a, b):
        return x * (a / 2) ** b

    compiled = dl.compile(power)
    for a, b in ((2.0, 3.0), (4.0, 0.5), (0.0, -1.0), (-4.0, 0.5), (1e300, 2.0), (2.0, 2.0)):
        check_same(compiled, power, np.ones(4), a, b)
