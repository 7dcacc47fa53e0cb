"""Array programs captured whole: one graph, the same results as NumPy, for several layouts."""
import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import same


def captured(function, *args, **options):
    """Run a function compiled as one graph, twice, and eagerly; return the compiled result."""
    compiled = dl.compile(function, backend=BACKEND, fullgraph=True, **options)
    for _ in range(2):
        ours = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
        theirs = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
        result = compiled(*ours)
        assert same(result, function(*theirs))
        assert same(ours, theirs)
    assert len(compiled.entries()) == 1
    return result


BACKEND = "eager"

A = np.linspace(0.5, 3, 20).reshape(4, 5)
B = np.arange(5.0) + 1
INTEGERS = np.arange(20).reshape(4, 5) - 7

EXPRESSIONS = {
    "operators": lambda a, b: (a + b, a - b, a * b, a / b, a // b, a % b, a**b, -a, +a, abs(a)),
    "reflected": lambda a, b: (2 + a, 2 - a, 2 * a, 2 / a, 2 // a, 2 % a, 2**a, 2.5 - a),
    "powers": lambda a, b: (a**2, a**0.5, a**-1, a**3, a**1.5, a**-2, a**0),
    "comparisons": lambda a, b: (a < b, a <= b, a == b, a != b, a > b, a >= b, 1 < a, a == 1),
    "logic": lambda a, b: ((a > 1) & (b > 2), (a > 1) | (b > 2), (a > 1) ^ (b > 2), ~(a > 1)),
    "ufuncs": lambda a, b: (np.sqrt(a), np.exp(a), np.maximum(a, b), np.hypot(a, b), np.sign(a)),
    "reductions": lambda a, b: (a.sum(), a.sum(axis=0), a.mean(axis=1, keepdims=True), a.max(),
                                np.min(a, axis=-1), a.std(), a.var(axis=0), a.prod(), np.any(a > 1),
                                (a > 0).all(), a.argmax(), a.argmin(axis=1), a.cumsum(axis=0)),
    "shapes": lambda a, b: (a.reshape(5, 4), a.reshape((2, 10)), a.reshape(-1), a.ravel(), a.T,
                            a.transpose(1, 0), a.flatten(), a.swapaxes(0, 1), a[:, None].squeeze(),
                            np.expand_dims(a, 0), np.broadcast_to(b, (3, 5))),
    "indexing": lambda a, b: (a[0], a[1:3], a[:, 0], a[-1, ::2], a[..., None], a[0, 0], a[::-1],
                              a[1:, 1:], b[1], a[[0, 2]], a[0:4:2, 1]),
    "facts": lambda a, b: (a.shape, a.ndim, a.size, a.dtype, a.itemsize, a.nbytes, len(a),
                           a.strides, np.shape(a), np.ndim(b), np.size(a), a.shape[0] * 2 + len(b)),
    "conversion": lambda a, b: (a.astype(np.float32), a.astype(int), a.copy(), np.array(a),
                                np.float32(a), a.astype("f4") + b),
    "creation": lambda a, b: (np.zeros(3), np.ones((2, 3), np.int32), np.full((2,), 7.5),
                              np.arange(5), np.zeros_like(a), np.array([1, 2, 3]), np.eye(3),
                              np.linspace(0, 1, 5), np.array([[1.0, 2], [3, 4]])),
    "joining": lambda a, b: (np.concatenate([a, a]), np.stack((b, b), axis=1), np.array([b, b * 2]),
                             np.hstack([b, b]), np.vstack([a, b]), np.split(b, [2, 3])),
    "scalars": lambda a, b: (a.sum() * 2, a.sum() + b.sum(), a[0, 0] / 3, -a.max(), a.mean() ** 2,
                             np.sqrt(a.sum()), a / a.sum(), np.float64(2) * a, np.float32(0.5) * a),
    "selection": lambda a, b: (np.where(a > 1, a, b), np.clip(a, 1, 2), a.clip(1, None),
                               a.take([0, 2])),
    "ufunc methods": lambda a, b: (np.add.reduce(a), np.multiply.outer(b, b), np.add.accumulate(b),
                                   np.maximum.reduce(a, axis=1)),
    "products": lambda a, b: (a @ b, a @ a.T, np.dot(a, b), a.dot(b), b @ b),
    "iteration": lambda a, b: [row * 2 for row in a] + [x + 1 for x in b],
    "unpacking": lambda a, b: (lambda p, q, r, s: p + q * r - s)(*a),
    "divmod": lambda a, b: divmod(a, b),
    "identity": lambda a, b: (np.asarray(a) is a, a is b, a.astype(float, copy=False) is a),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
@pytest.mark.parametrize("dynamic", [None, True])
def test_expressions(name, dynamic):
    captured(EXPRESSIONS[name], A, B, dynamic=dynamic)


@pytest.mark.parametrize("dtype", ["f4", "i8", "i2", "u1", "?", "c16"])
def test_dtypes(dtype):
    def function(a, b):
        return a + b, a * 2, a == b, np.maximum(a, b), a.sum()

    captured(function, INTEGERS.astype(dtype), INTEGERS[0].astype(dtype))


@pytest.mark.parametrize("layout", [
    lambda a: a.T, lambda a: a[::-1], lambda a: a[:, ::2], lambda a: np.asfortranarray(a),
    lambda a: a[1:, 1:], lambda a: np.broadcast_to(a[0], (4, 5)), lambda a: a[:0], lambda a: a[:1],
])  # fmt: skip
def test_layouts(layout):
    def function(a):
        return a * 2 + 1, a.sum(axis=0), a.T

    a = layout(A)
    compiled = dl.compile(function, backend="eager", fullgraph=True)
    assert same(compiled(a), function(a))
    assert same(compiled(a), function(a))
    assert len(compiled.entries()) == 1


# -- writes


def test_in_place_operators():
    def function(a, b):
        a += b
        a[0] = 5
        a[:, 1:3] *= 2
        c = a
        c -= 1
        np.multiply(a, 3, out=a)
        return a, c is a

    captured(function, A, B)


def test_a_view_of_an_input_is_written():
    def function(a):
        v = a[1:]
        v += a[:-1]
        return v.sum()

    captured(function, A)


def test_inputs_that_overlap_run_in_python():
    def function(a, b):
        a += b
        return a

    compiled = dl.compile(function, backend="eager")
    ours, theirs = np.arange(6.0), np.arange(6.0)
    assert same(compiled(ours[1:], ours[:-1]), function(theirs[1:], theirs[:-1]))
    assert same(ours, theirs)
    one, two = np.arange(6.0), np.ones(6)
    assert same(compiled(one, two), function(np.arange(6.0), two))
    ours, theirs = np.arange(6.0), np.arange(6.0)
    assert same(compiled(ours, ours), function(theirs, theirs))
    assert same(ours, theirs)


def test_overlap_after_compiling_for_apart():
    def function(a, b):
        a += b
        return a

    compiled = dl.compile(function, backend="eager")
    compiled(np.arange(5.0), np.ones(5))
    ours, theirs = np.arange(6.0), np.arange(6.0)
    assert same(compiled(ours[1:], ours[:-1]), function(theirs[1:], theirs[:-1]))
    assert same(ours, theirs)


@pytest.mark.parametrize("part", [
    lambda a: a[1:], lambda a: a.reshape(-1), lambda a: np.array_split(a, 2)[1],
    lambda a: np.split(a, [2])[0].ravel(),
])
def test_overlap_with_a_part_that_is_written(part):
    def function(a, b):
        part(a)[:2] = 9
        return b * 2

    compiled = dl.compile(function)
    for n in (5, 4):
        apart = np.arange(n), np.arange(n)[::-1]
        assert same(compiled(*apart), function(np.arange(n), apart[1]))
        ours, theirs = np.arange(n), np.arange(n)
        assert same(compiled(ours, ours[::-1]), function(theirs, theirs[::-1]))
        assert same(ours, theirs)


def test_too_many_indices_are_numpys_error():
    for function in (lambda a: a.reshape(())[..., 1:], lambda a: a[..., 1:, :2]):
        with pytest.raises(IndexError, match="too many indices for array: array is"):
            dl.compile(function)(np.ones(1))


@pytest.mark.parametrize("function", [
    lambda a: a.__setitem__(0, 1), lambda a: np.add(a, 1, out=a),
])  # fmt: skip
def test_read_only_arrays_are_never_written(function):
    a = np.ones(5)
    a.flags.writeable = False
    compiled = dl.compile(function, backend="eager")
    for _ in range(2):
        with pytest.raises(ValueError, match="read-only"):
            compiled(a)
    assert (a == 1).all()


# -- errors and data-dependent facts: eager's own behaviour


@pytest.mark.parametrize(("function", "error"), [
    (lambda a, b: a + b[:3], ValueError),
    (lambda a, b: a[7], IndexError),
    (lambda a, b: a.sum(axis=5), ValueError),
    (lambda a, b: a.reshape(3, 3), ValueError),
    (lambda a, b: a @ a, ValueError),
    (lambda a, b: a.nothing, AttributeError),
    (lambda a, b: np.concatenate([a, b]), ValueError),
    (lambda a, b: bool(a), ValueError),
    (lambda a, b: len(a.sum()), TypeError),
    (lambda a, b: {a: 1}, TypeError),
    (lambda a, b: a << 1, TypeError),
])  # fmt: skip
def test_errors_are_numpys(function, error):
    compiled = dl.compile(function, backend="eager")
    with pytest.raises(error) as expected:
        function(A, B)
    for _ in range(2):
        with pytest.raises(error) as found:
            compiled(A, B)
        assert type(found.value) is type(expected.value)
        assert str(found.value) == str(expected.value)


def test_python_may_need_a_value():
    def function(a):
        if a.sum() > 0:
            return a + 1
        return a - 1

    compiled = dl.compile(function, backend="eager")
    for sign in (1, -1, 1):
        assert same(compiled(sign * A), function(sign * A))


# -- numbers


def test_a_float_argument_needs_one_entry():
    def function(a, rate):
        return a - rate * a.sum()

    compiled = dl.compile(function, backend="eager", fullgraph=True)
    for rate in (0.1, 0.2, -0.0, float("inf")):
        assert same(compiled(A, rate), function(A, rate))
    assert len(compiled.entries()) == 1


def test_numpy_scalars_as_arguments():
    def function(a, s):
        return a * s, s + 1.5, s * s

    compiled = dl.compile(function, backend="eager", fullgraph=True)
    for s in (np.float64(2), np.float64(3)):
        assert same(compiled(A, s), function(A, s))
    assert len(compiled.entries()) == 1
    assert same(compiled(A, np.float32(3)), function(A, np.float32(3)))


def test_python_floats_keep_pythons_rules():
    def function(a, x, y):
        return a * (x / y)

    compiled = dl.compile(function, backend="eager")
    assert same(compiled(A, 1.0, 3.0), function(A, 1.0, 3.0))
    with pytest.raises(ZeroDivisionError):
        compiled(A, 1.0, 0.0)


def test_integers_become_symbols_at_the_second_value():
    def function(a, n):
        return a[:, :n] * n + n // 2

    compiled = dl.compile(function, backend="eager", fullgraph=True)
    a = np.ones((4, 60))
    for n in (5, 7, 20, 50):
        assert same(compiled(a, n), function(a, n))
    assert len(compiled.entries()) <= 2


# -- sizes


def test_twenty_lengths_need_two_entries():
    def function(x):
        y = np.sqrt(x) + len(x)
        return y.reshape(x.shape[0], 1) * np.ones(x.shape) / x.size

    compiled = dl.compile(function, backend="eager", fullgraph=True)
    for n in range(2, 22):
        assert same(compiled(np.arange(1.0, n + 1)), function(np.arange(1.0, n + 1)))
    assert len(compiled.entries()) == 2


def test_a_branch_on_a_size_is_guarded():
    def function(x):
        if x.shape[0] > 10:
            return x + 1
        return x - 1

    compiled = dl.compile(function, backend="eager", fullgraph=True, dynamic=True)
    for n in (5, 6, 20, 30, 7):
        assert same(compiled(np.ones(n)), function(np.ones(n)))
    assert len(compiled.entries()) == 2


def test_sizes_leave_the_graph():
    def function(x):
        return x * 2, x.shape[0] + 3, x.shape[0] * x.shape[1] // 2, x.size % 7

    compiled = dl.compile(function, backend="eager", fullgraph=True, dynamic=True)
    for n in (4, 5, 6):
        x = np.ones((n, n + 3))
        assert same(compiled(x), function(x))
    assert len(compiled.entries()) <= 1


def test_a_size_that_python_keeps_asking_for_breaks_the_graph():
    def function(x):
        names = ["n"] * (x.shape[0] ** 2 % 5)
        return x * 2 + len(names)

    compiled = dl.compile(function, backend="eager")
    for n in range(3, 15):
        assert same(compiled(np.ones(n)), function(np.ones(n)))
    assert len(compiled.entries()) <= 3


def test_a_float_that_python_keeps_asking_for_breaks_the_graph():
    def function(x, rate, p):
        return x * (1 - rate / 2) + x**p

    compiled = dl.compile(function, backend="eager")
    for rate in np.linspace(0.1, 1, 10).tolist():
        assert same(compiled(A, rate, rate + 3), function(A, rate, rate + 3))
    assert same(compiled(A, 0.5, 2.0), function(A, 0.5, 2.0))
    assert len(compiled.entries()) <= 4


@pytest.mark.parametrize("other", [
    np.array([1, "a", None], object), np.array(["a", "b"]), np.zeros(2, "M8[s]"),
    np.zeros(3, [("a", int), ("b", float)]), np.ma.array([1, 2]), np.arange(3).astype(">i4"),
])  # fmt: skip
def test_arrays_of_other_kinds_may_be_passed_along(other):
    def function(x, other):
        return x * 2, other, other[0]

    compiled = dl.compile(function, backend="eager")
    for _ in range(2):
        result = compiled(A, other)
        assert result[1] is other
        assert same(result[0], A * 2)
    plain = np.ones(3)
    assert same(compiled(A, plain), function(A, plain))


def test_linear_algebra_gives_named_tuples():
    def function(a):
        q, r = np.linalg.qr(a)
        symmetric = np.linalg.eigh(a @ a.T)
        return q, r, symmetric, symmetric.eigenvalues, np.linalg.slogdet(a)

    captured(function, np.random.default_rng(0).random((4, 4)))


def test_random_numbers_advance_the_global_state():
    def function(n):
        return np.random.normal(0, 1, (3, 4)), np.random.rand(5) * n

    compiled = dl.compile(function, backend="eager", fullgraph=True)
    for seed in range(3):
        np.random.seed(seed)
        expected, after = function(2.0), np.random.get_state()
        np.random.seed(seed)
        assert same(compiled(2.0), expected)
        assert np.array_equal(np.random.get_state()[1], after[1])


def test_a_branch_on_a_float_guards_the_answer_only():
    def function(x, rate):
        if rate > 0.5 and 2 >= rate:
            return x * rate
        return x + rate if rate else x

    compiled = dl.compile(function, backend="eager", fullgraph=True)
    for rate in (0.6, 0.7, 0.8, 2.0, 0.1, 0.2, float("nan"), 0.0, -0.0, 1.5, 7.0, 8.0):
        assert same(compiled(A, rate), function(A, rate))
    assert len(compiled.entries()) <= 6


def test_arrays_that_warn_when_written_are_left_to_python():
    import warnings

    first, second = np.broadcast_arrays(np.arange(3.0), np.ones((2, 1)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = dl.compile(lambda x, y: x + y, backend="eager")(first, second)
    assert np.array_equal(found, first + second)
