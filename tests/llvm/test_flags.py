"""Operations that raise no flag in the hardware unless they really run."""
import numpy as np
import pytest

import dynamo_lite as dl


@pytest.mark.parametrize("function", [
    lambda x: 1 / (x - x), lambda x: 1 / (x * 0), lambda x: 1 / (0 * x), lambda x: 1 / (x ^ x),
    lambda x: (x != x) / (x != x), lambda x: 1 / (x % 1), lambda x: 1 / (x[1] % 1),
    lambda x: 1 / (x[1] % -1), lambda x: 1 / (x[1] << 64), lambda x: 1 / (x[1] >> 70),
    lambda x: np.sqrt(x[1] | -1), lambda x: np.sqrt(np.minimum(x[1], -(2**63))),
    lambda x: 1 / (x[1].astype("u1") % 1), lambda x: np.sqrt(np.minimum(x[1], -(2**63)) // 2),
])
def test_integers_that_are_known_beforehand_still_raise_flags(function):
    with pytest.warns(RuntimeWarning):
        dl.compile(function)(np.arange(3))


@pytest.mark.parametrize("function", [
    lambda root, x: np.where(root > 1, x, x), lambda root, x: np.where(root > 1, 2, 2),
    lambda root, x: np.where(True, x, root), lambda root, x: np.where(False, root, x),
    lambda root, x: np.where((root > 1).any(), x, x),
    lambda root, x: np.where(x > 1, np.where(root > 1, 1, 1), 0),
    lambda root, x: np.logical_or(root > 1, True), lambda root, x: np.logical_and(False, root > 1),
    lambda root, x: (root > 1) | True, lambda root, x: (root > 1) & False,
    lambda root, x: np.logical_xor(root > 1, root > 1), lambda root, x: np.logical_xor(root, root),
    lambda root, x: np.logical_and(root, 0.0), lambda root, x: np.logical_or(2.0, root),
    lambda root, x: (root > 1).all() | True,
    lambda root, x: np.copyto(x, x, where=root > 1), lambda root, x: np.zeros_like(root),
])
@pytest.mark.parametrize("dynamic", [None, True])
def test_what_decides_nothing_still_reports(function, dynamic):
    compiled = dl.compile(lambda x: function(np.sqrt(x), x), backend="llvm", dynamic=dynamic)
    for _ in range(2):
        with pytest.warns(RuntimeWarning, match="invalid value encountered in sqrt"):
            compiled(np.linspace(5, -3, 15).reshape(5, 3))


@pytest.mark.parametrize("function", [
    lambda n: n - n, lambda n: n ^ n, lambda n: n * 0, lambda n: 0 & n, lambda n: n | -1,
    lambda n: n == n, lambda n: n < n, lambda n: np.logical_and(n, 0), lambda n: n**0,
    lambda n: n % 1,
])
def test_conversions_to_integers_that_do_not_matter_still_report(function):
    compiled = dl.compile(lambda x: function(x.astype(int)), backend="llvm")
    x = np.arange(15.0)
    np.testing.assert_array_equal(compiled(x), function(x.astype(int)))
    x[-1] = np.nan
    with pytest.warns(RuntimeWarning, match="invalid value encountered in cast"):
        compiled(x)


@pytest.mark.parametrize("function", [
    lambda x: (x + 1) / np.where(x == 0, 1, x), lambda x: x / np.where(x != 0, x, 1.0),
    lambda x: x * np.where(x > 2, 1.0, x), lambda x: x + np.where(x > 2, -0.0, x),
    lambda x: x - np.where(x > 2, 0.0, -x), lambda x: np.where(x < 2, x, 0) + x,
])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_what_a_selection_avoids_is_not_reported(function, dtype):
    """LLVM takes `x / where(c, 1, y)` for `where(c, x, x / y)`, and so for the other operations."""
    compiled, x = dl.compile(function, backend="llvm"), np.ones(32, dtype)
    x[:16:4], x[1:16:4] = 0, 0.75 * np.finfo(dtype).max
    for _ in range(2):
        with np.errstate(all="raise"):
            assert np.array_equal(compiled(x), function(x))
    assert not dl.why(compiled).costs


def divides(x, m, k):
    v = x + x[::-1]
    m[3, 2] = 2 / (1 // k[3])
    for i in range(45):
        if v[i % 8] > 1.2:
            break
    return i + 1


def test_a_number_that_is_written_last_reports_before_the_commit():
    x, m, k = np.linspace(-1, 3, 8), np.ones((5, 8)), np.arange(8) + 2
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in scalar divide"):
        dl.compile(divides, backend="llvm")(x, m, k)
