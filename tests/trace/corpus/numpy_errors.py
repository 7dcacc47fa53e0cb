"""Errors of NumPy that the program catches, and outputs that come back as the arrays they are."""
# ruff: noqa: E701, E704, E731
import contextlib

import numpy as np

from .programs import program

X = np.arange(4.0)
CALLS = (
    lambda x: x.reshape(3, 5),
    lambda x: x + np.arange(7.0),
    lambda x: x[10],
    lambda x: x[0, 0],
    lambda x: x @ np.ones(3),
    lambda x: np.concatenate([x, x[None]]),
    lambda x: x.sum(axis=4),
    lambda x: np.stack([x, x[:2]]),
    lambda x: x.astype("u1") + 300,
    lambda x: (x > 1) - (x > 2),
    lambda x: np.broadcast_to(x, (3,)),
    lambda x: x.transpose(1, 0),
    lambda x: np.split(x, 3),
    lambda x: np.max(x[:0]),
    lambda x: x.item(),
    lambda x: np.broadcast_to(x, (2, 4)).fill(1),
)


@program(X)
def wrong_calls(x):
    found = []
    for call in CALLS:
        try: found.append(call(x))
        except Exception as error: found.append((type(error).__name__, str(error), error.args))
    return found


@program(X)
def wrong_writes(x):
    found = []

    def parts(): x[:] = np.arange(3.0)
    def outside(): x[9] = 1
    def added(): x[1:3] += np.ones(3)
    def output(): np.add(x, 1, out=np.zeros(3))

    for call in (parts, outside, added, output):
        x[0] += 1
        try: call()
        except (ValueError, IndexError) as error: found.append((str(error), error.__context__))
    return found, x


@program(X, X[:3])
def chained_errors(x, y):
    try:
        try: x + y
        except ValueError: x.reshape(9)
    except ValueError as error:
        return str(error), str(error.__context__), error.__cause__, error.__suppress_context__


@program(X, X[:3])
def error_as_cause(x, y):
    try:
        try: return x + y
        except ValueError as error: raise RuntimeError("sizes") from error
    except RuntimeError as error:
        return str(error.__cause__), error.__context__ is error.__cause__


@program(X)
def axis_error(x):
    try: return x.sum(axis=3)
    except np.exceptions.AxisError as error:
        return error.axis, error.ndim, isinstance(error, IndexError), isinstance(error, ValueError)


@program(X)
def suppressed_error(x):
    y = 0
    with contextlib.suppress(ValueError):
        x += 1
        y = x + np.ones(3)
    return x, y


@program(X)
def effects_in_finally(x):
    try:
        try: x.reshape(7)
        finally: x += 1
    except ValueError: x *= 2
    return x


def shaped(x, shape):
    try: return x.reshape(shape)
    except ValueError: return None


@program(X)
def errors_of_callees(x): return [shaped(x, shape) for shape in (2, 4, (2, 2))]


@program(X)
def return_instead_of_error(x):
    try: return x[7]
    finally: return x + 1  # noqa: B012


@program(X, missing="numpy.linalg.inv: NumPy refuses it for other contents")
def error_where_contents_decide(x):
    try: return np.linalg.inv(x)
    except np.linalg.LinAlgError: return x


@program(X)
def truth_of_arrays(x):
    found = []
    for compare in (lambda: bool(x), lambda: 0 < x < 2, lambda: [x] == [x + 0], lambda: x in [x + 0]):
        try: found.append(compare())
        except ValueError as error: found.append(str(error))
    return found


# -- outputs


@program(X)
def outputs_are_given_back(x):
    a, b = np.empty(4), np.empty(4)
    parts, total = np.modf(x, a, b), np.empty(())
    added = np.add(x, 1, out=(a,))
    added += 1
    return (
        parts[0] is a, parts[1] is b, added is a, a, b, x.sum(out=total) is total,
        x.cumsum(out=a) is a, np.add(x, x, a) is a, x.clip(1, 2, a) is a,
    )  # fmt: skip


@program(X)
def output_where(x):
    out = np.full(4, 7.0)
    return np.sqrt(x, out=out, where=x > 1) is out, out


@program(X, missing="irfft2, which forgets its output")
def forgotten_output(x):
    out = np.zeros((4, 2))
    return np.fft.irfft2(x.reshape(2, 2), out=out) is out, out


@program(X)
def errors_in_place_of_others(x):
    found = []
    for again in (False, True):
        try:
            if again: raise KeyError("handled")
            np.split(x, 3)
        except (ValueError, KeyError) as first:
            try: np.split(x, 3)
            except ValueError as error:
                before = error.__context__
                found.append((str(before), str(before.__context__), before.__context__ is first))
    return found
