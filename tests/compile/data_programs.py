"""Programs in which sizes and ints depend on data.

They are in no test module, since pytest rewrites the asserts of those.
"""
import numpy as np

import dynamo_lite as dl

PROGRAMS = []


def program(function):
    """A program that is one graph, for whatever the data selects."""
    PROGRAMS.append(function)
    return function


@program
def selected(x):
    m = x > 0
    return x[m] * 2 + x[m], len(x[m]) + 1, np.nonzero(m)


@program
def selected_twice_by_equal_masks(x):
    y = x * 2
    return x[x > 0] + y[x > 0]


@program
def mask_that_is_changed_between(x):
    m = x > 0
    first = x[m]
    m[:1] = True
    return first, x[m], first.size, x[m].size


@program
def assigned_number(x):
    y = x.copy()
    y[y > 0] = 0
    return y


@program
def assigned_to_input(x):
    x[x > 0] = -1
    return x.sum()


@program
def assigned_number_of_another_dtype(x):
    y = np.arange(len(x))
    y[x > 0] = np.float64(3.75)
    return y


@program
def assigned_array(x):
    y = x.copy()
    y[y > 0] = y[y > 0] * 2
    return y


@program
def changed_in_place(x):
    x[x > 0] *= 2
    x[x < 0] += 1
    return x


@program
def positions(x):
    return np.where(x > 0), np.flatnonzero(x > 0), np.argwhere(x > 0), np.nonzero(x)


@program
def other_names_of_masks(x):
    m = x > 0
    return np.compress(m, x), x.compress(m), np.extract(m, x), np.delete(x, m)


@program
def sets(x):
    r = x.round()
    return (np.unique(r), np.union1d(r, 2 * r), np.intersect1d(r, -r), np.setdiff1d(r, -r),
            np.setxor1d(r, -r), np.isin(r, -r))


@program
def unique_with_options(x):
    r = x.round()
    return (
        np.unique(r, return_index=True), np.unique(r, return_counts=True),
        np.unique(r, return_index=True, return_inverse=True, return_counts=True),
    )


@program
def counted(x):
    n = np.abs(x).astype(int)
    return np.repeat(x, n), np.bincount(n), np.bincount(n, minlength=7), np.bincount(n, x)


@program
def joined(x):
    m, k = x > 0, x < 0.5
    return np.concatenate([x[m], x[k]]), np.concatenate([x[k], [1.0]])


@program
def with_new_axes(x):
    y = x[x > 0]
    return y[:, None] * np.ones(3), y.reshape(-1, 1), y.reshape(1, -1), y.T, y.shape, y.size


@program
def count_as_a_size(x):
    n = int((x > 0).sum())
    return np.zeros(n), np.arange(n), x[:n], x[n:], x[-n:], np.full((n, 2), n)


@program
def count_of_numpys_as_a_size(x):
    n = (x > 0).sum()
    return np.zeros(n), x[:n], np.ones((n, 2)), n


@program
def filled_by_what_was_counted(x):
    y = np.empty(np.count_nonzero(x > 0))
    y[:] = x[x > 0]
    return y


@program
def any_int_as_a_bound(x):
    n = int(x.sum())
    return x[:n], x[n:], x[n::2], x[n::-1], x + n, n


@program
def float_of_a_mean(x):
    r = x.round()
    return x[x == x] - float(r.sum()), float(r.mean())


@program
def truth_that_is_returned(x):
    return bool((x > 0).any()), len(x[x > 0]) > 3


@program
def matrices(x):
    y = np.outer(x, x)
    return y[y > 0], y[x > 0], y[:, x > 0], y[x > 0][:, x > 0], y[..., x > 0], y[x > 0, None]


@program
def changed_matrices(x):
    y = np.outer(x, x)
    y[x > 0] = 1
    y[y < 0] *= 2
    return y


@program
def reduced(x):
    y = x[x > 0]
    return y.sum(), np.cumsum(y), np.diff(y), y @ y, np.outer(y, y), np.sort(y)


@program
def two_dtypes(x):
    return x.astype(np.float32)[x > 0], x.astype(np.int8)[x > 0], (x > 1)[x > 0]


# -- tests that only guard against an error


def rejects_empty(x):
    n = np.count_nonzero(x > 0)
    if n == 0:
        raise ValueError(f"nothing is positive in {len(x)}")
    return x[x > 0] / n


def rejects_nan(x):
    if np.isnan(x).any():
        raise ValueError("nan")
    return x * 2


def asserts(x):
    assert (x < 3).all() and len(x[x > 0]) > 1, "too big"
    return x[x > 0].max()


def mean_of_the_positive(x):
    return x[x > 0].mean()


def wrong_size(x):
    return x[x > 0] + np.ones(3)


def out_of_bounds(x):
    return x[x > 0][2], x[int(x[0])]


def wrong_shape(x):
    return x[x > 0].reshape(-1, 2)


def checked(x):
    n = int(x[0])
    dl.check(n >= 0, "negative")
    dl.check(n <= 4, lambda: f"{n} is too large")
    return x[:n], np.zeros(n)


def negative_size(x):
    return np.zeros(int(x[0]))


GUARDED = [rejects_empty, rejects_nan, asserts, mean_of_the_positive, wrong_size, out_of_bounds,
           wrong_shape, checked, negative_size]
