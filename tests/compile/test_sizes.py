"""One compilation for every size that the same code can serve, zero and one included."""
import math
import types
from functools import reduce

import numpy as np
import pytest

import dynamo_lite as dl
from tests.oracle import ROUNDED, check, same


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
        check(compiled, function, rng.normal(size=SHAPES[shape](n)), calls=2, tolerance=ROUNDED)
    assert len(compiled.entries()) <= 2


@pytest.mark.parametrize("order", [(5, 1, 0, 2, 7), (2, 0, 1, 9), (1, 0, 5)])
def test_sizes_that_were_large_first(order):
    compiled = dl.compile(total)
    for n in order:
        check(compiled, total, np.ones((n, 4)))
    assert len(compiled.entries()) == 2


@pytest.mark.parametrize("first", [0, 1, 2, 5, 10**6])
@pytest.mark.parametrize("down", [False, True])
def test_a_million(first, down):
    sizes = sorted({0, 1, 2, 5, 10**6} - {first}, reverse=down)
    compiled = dl.compile(add)
    for n in (first, *sizes):
        assert same(compiled(np.ones(n)), np.full(n, 3.0))
    assert len(compiled.entries()) == 1 + (first != 0)


def appended(kept, x):
    kept.values = np.append(kept.values, x)
    return kept.values * 2, kept.values[1:] - kept.values[:-1], kept.values[-3:]


def rows(kept, x):
    kept.rows = np.vstack([kept.rows, x[:3]])
    return kept.rows - kept.rows.mean(axis=0), kept.rows @ kept.rows.T


def columns(kept, x):
    kept.columns = np.concatenate([kept.columns, x[:2, None]], axis=1)
    return kept.columns / kept.columns.sum(axis=1, keepdims=True)


def attended(kept, x):
    kept.cache = np.concatenate([kept.cache, x[None, :, None].repeat(2, 0)], axis=2)
    weights = np.exp(kept.cache - kept.cache.max(axis=2, keepdims=True))
    return weights / weights.sum(axis=2, keepdims=True) * kept.cache


def both(kept, x):
    kept.values = np.concatenate([kept.values, x])
    kept.others = np.concatenate([kept.others, x * 2])
    return kept.values.max(), kept.others.argmax(), kept.values + kept.others


def distinct(kept, x):
    kept.values = np.unique(np.concatenate([kept.values, x]))
    return kept.values, kept.values[kept.values > 1.5]


@pytest.mark.parametrize("step", [appended, rows, columns, attended, both, distinct])
def test_what_starts_empty_takes_one_compilation(step):
    """Also where one empty array is the start of two that part."""
    compiled, states = dl.compile(step, fullgraph=True), []
    for _ in range(2):
        values = np.empty(0)
        states.append(types.SimpleNamespace(
            values=values, others=values, rows=np.empty((0, 3)), columns=np.empty((2, 0)),
            cache=np.empty((2, 4, 0)),
        ))  # fmt: skip
    for n in range(6):
        x = np.random.default_rng(n).random(4)
        assert same(compiled(states[0], x), step(states[1], x), ROUNDED)
        assert same(*states, ROUNDED)
    assert len(compiled.entries()) == 1


def test_empty_arrays_keep_their_identity():
    def shared(x, y):
        return x is y, x + 1

    def written(x, y):
        x[:] = 1
        return x, y, y + 1

    empty = np.empty(0)
    for function in (shared, written):
        compiled = dl.compile(function)
        for x, y in ((empty, empty), (empty, np.empty(0)), (np.ones(2), np.ones(2)), (empty,) * 2):
            found, expected = compiled(x, y), function(x, y)
            assert same(found, expected) and (found[0] is x) == (expected[0] is x)
            assert (found[1] is y) == (expected[1] is y)
        x = np.ones(2)
        assert same(compiled(x, x), function(x, x))


def test_strides_of_short_axes_are_those_of_numpy():
    def strides(x):
        return x.strides, x + 1

    compiled = dl.compile(strides)
    base = np.arange(64.0).reshape(8, 8)
    for rows in (5, 4, 1, 0, 2, 3):
        for x in (base[:rows], base[::2][:rows], base[:rows, ::2]):
            check(compiled, strides, x, calls=1)


def test_nothing_has_no_maximum():
    def largest(x):
        return x.max(axis=0), x.argmax(), np.ptp(x)

    compiled = dl.compile(largest)
    for n in (5, 7, 1, 0, 3, 0):
        check(compiled, largest, np.arange(float(n)))
    check(dl.compile(lambda x: x.mean(axis=0)), lambda x: x.mean(axis=0), np.ones((0, 3)))


def test_warnings_of_what_is_broadcast_to_nothing_are_kept():
    def ratio(a, b, z):
        return a / b + z

    compiled = dl.compile(ratio, dynamic=True)
    for m in (3, 4, 0, 2, 0):
        for divisor in (1.0, 0.0):
            check(compiled, ratio, np.ones((5, 1)), np.full((5, 1), divisor), np.ones((5, m)))


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


FLAT = {
    "rows": lambda x, k: x[k:].ravel(),
    "columns": lambda x, k: x[:, k:].reshape(-1),
    "turned": lambda x, k: x[:, k:].T.ravel(),
    "a corner": lambda x, k: x[:k, :k].ravel(),
    "regrouped": lambda x, k: x[:, k:].reshape(x.shape[1] - k if k < x.shape[1] else 0, -1),
    "one of a row": lambda x, k: x[0, k // 2 :: 2].ravel(),
}


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("name", FLAT)
def test_parts_that_are_contiguous_by_their_sizes_alone(name, dynamic):
    """What is written into them, in the graph and afterwards, is in the array itself."""
    def written(x, k):
        part = FLAT[name](x, k)
        part += 1
        return part

    options = {"recompile_limit": 16}
    compiled = [dl.compile(f, dynamic=dynamic, options=options) for f in (FLAT[name], written)]
    for order in "CF":
        for shape, k in (((5, 4), 2), ((3, 3), 0), ((2, 2), 1), ((2, 1), 0), ((3, 3), 1),
                         ((1, 4), 3), ((1, 1), 0), ((4, 2), 1)):  # fmt: skip
            arrays = [np.arange(np.prod(shape) * 1.0).reshape(shape, order=order) for _ in range(2)]
            for function, x in zip((compiled[0], FLAT[name]), arrays):
                function(x, k)[:1] = 9
            results = [function(x, k) for function, x in zip((compiled[1], written), arrays)]
            assert same(*results) and same(*arrays), (shape, k, order)


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
    "in a list": lambda x: np.maximum([len(x), 2 * len(x) - 1], 7 + 0 * x[:2]),
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
        check(compiled, function, np.arange(1.0, n + 1), tolerance=ROUNDED)
    assert len(compiled.entries()) <= 2


GROWING = {
    "half and all": ("n = len(x)", "n = (n // 2 + n) % 1000 + 1", "np.zeros(n)"),
    "squared": ("n = len(x)", "n = (n * n + n) % 1000", "np.zeros(n)"),
    "at most": ("n = len(x)", "n = min(n, max(n // 2, 3))", "x[:n]"),
    "roots": ("n = len(x) / 3", "n = math.sqrt(n) + n / 2", "x * n"),
    "an argument": ("n = k", "n = n // 2 + n % 7", "x[: n % 3 + 1]"),
    "data": ("n = int(x.sum())", "n = n // 2 + n % 7", "x[: n % 3 + 1]"),
    "lengths": ("y = x", "y = np.concatenate([y[: len(y) // 2], y[len(y) // 3 :]])", "y"),
}
"""A number, what becomes of it 14 times, and what is made of it: each time it is read twice."""


@pytest.mark.parametrize("name", GROWING)
def test_numbers_that_are_made_of_themselves(name):
    """As an expression of the sizes at the start each would have 16,000 parts."""
    start, again, result = GROWING[name]
    names = {"np": np, "math": math}
    exec("\n ".join(["def function(x, k):", start, *[again] * 14, f"return {result}"]), names)
    compiled = dl.compile(names["function"])
    for n in (200, 190, 77):
        check(compiled, names["function"], np.arange(1.0, n + 1), n + 1000, tolerance=ROUNDED)


def test_numbers_that_follow_from_float_arguments():
    def step(x, rate, decay):
        return x - x * (rate * decay ** 2 / (1 + rate)) + math.exp(-rate)

    compiled = dl.compile(step, fullgraph=True)
    for k in range(6):
        check(compiled, step, np.arange(4.0), 0.1 * k, 0.9 - 0.01 * k)
    assert len(compiled.entries()) == 1


def test_what_raises_raises_in_the_users_line():
    def inverse(x, n):
        y = x + 1
        return y * (1 / n), y[:n]

    compiled = dl.compile(inverse)
    for n in (2, 3, 4, 0, 5, 0):
        check(compiled, inverse, np.ones(4), n)

    def power(x, a, b):
        return x * (a / 2) ** b

    compiled = dl.compile(power)
    for a, b in ((2.0, 3.0), (4.0, 0.5), (0.0, -1.0), (-4.0, 0.5), (1e300, 2.0), (2.0, 2.0)):
        check(compiled, power, np.ones(4), a, b)


LARGE = {
    "product": lambda x, n: x * (n * n * n * n),
    "sum": lambda x, n: x * (n + n),
    "shift": lambda x, n: x * (n << 40),
    "returned": lambda x, n: (n * n * n, x.sum()),
    "shape": lambda x, n: np.zeros(n) + 1,
    "square": lambda x, n: np.zeros((n * n, 2)) * 2,
    "range": lambda x, n: np.arange(n) * 2,
    "slice": lambda x, n: x[: n * n],
    "slices": lambda x, n: (x[n:] + 1, x[-n:]),
    "reshape": lambda x, n: x.reshape(n, -1),
    "smaller": lambda x, n: x * min(n, 5),
    "quotient": lambda x, n: x * (n / 3),
    "branch": lambda x, n: x + 1 if n * n > 10 else x * 2,
}


@pytest.mark.parametrize("name", LARGE)
def test_ints_have_no_limit_and_negative_sizes_are_errors(name):
    function = LARGE[name]
    compiled = dl.compile(function, options={"recompile_limit": 32})
    large = (2**62, 2**63 - 1, -(2**63), 2**31, -(2**40), 2**70, -(2**70), 10**6)
    large = large if name != "range" else (-5, 0)
    for n in (1, 3, 2, *large[: 3 if name == "shape" else None], -1, 0, 3):
        check(compiled, function, np.arange(6.0), n, calls=2)


STEPS = {
    "read": lambda x, n: (x[::n] * 2, x[3::n].sum(), x[1:-1:n]),
    "two axes": lambda x, n: np.outer(x, x)[1::n, ::n] + 1,
    "bounds": lambda x, n: x[n::n] - x[: -n : n].sum(),
    "computed": lambda x, n: (x[:: len(x) // n + 1], x[:: n * 2] + x[0]),
    "of a quotient": lambda x, n: x[::n][:, None] * x[::n],
}


def stepped_writes(x, n):
    x[2::n] += 1
    x[::n] = x[: len(x[::n])] * 2
    return x * 2


@pytest.mark.parametrize("function", [*STEPS.values(), stepped_writes], ids=[*STEPS, "written"])
def test_steps_of_slices_are_symbols(function):
    """A positive step is compiled once; others, and those that no array needs, are exact, too."""
    compiled = dl.compile(function, options={"recompile_limit": 32})
    for size in (20, 7):
        for n in (2, 3, 4, 5, 7, 6):
            check(compiled, function, np.arange(float(size)), n)
    assert len(compiled.entries()) <= 5
    for n in (-1, -3, 0, 1, 2**62, 2**63 - 1, -(2**63), 2**70, -(2**70)):
        for size in (20, 1, 0):
            check(compiled, function, np.arange(float(size)), n, calls=2)


# -- the controls


def test_ints_can_be_compiled_in():
    compiled = dl.compile(lambda x, n: x * n, options={"specialize_int": True})
    for n in range(2, 6):
        assert same(compiled(np.ones(3), n), np.full(3, float(n)))
    assert len(compiled.entries()) == 4


@pytest.mark.parametrize("backoff", [2, 3, 4])
def test_the_nth_value_that_python_needs_breaks_the_graph(backoff):
    def f(x, n):
        return [0] * n, x + n

    dl.reset()
    compiled = dl.compile(f, dynamic=True, options={"specialization_backoff": backoff})
    for n in (2, 3, 4, 5, 6, 7, 2):
        check(compiled, f, np.ones(4), n, calls=1)
    assert len(compiled.entries()) == backoff
    assert any("keeps changing" in reason for reason in dl.stats().break_reasons)


NEEDED = {
    "rows": lambda x, n: [x * i for i in range(n)],
    "stacked": lambda x, n: np.stack([x * i for i in range(n)]) + 1,
    "joined": lambda x, n: reduce(lambda a, i: np.append(a, i), range(n), x),
    "items": lambda x, n: (list(range(0, 3 * n, 2)), x + 1),
    "repeated": lambda x, n: x + sum([1] * n) + len((0,) * n),
    "text": lambda x, n: (f"{n} of {x.shape}", x + len("a" * n)),
    "printed": lambda x, n: print(f"step {n}: {x.sum()}") or x * n,
}


@pytest.mark.parametrize("name", NEEDED)
def test_numbers_that_python_keeps_needing_are_no_storm(name):
    """Neither where they are asked for nor in the rests of the frame, which get what was made."""
    dl.reset()
    compiled = dl.compile(NEEDED[name])
    for n in range(2, 30):
        check(compiled, NEEDED[name], np.ones(4), n, calls=1)
    assert len(compiled.entries()) <= 3 and dl.stats().recompiles <= 8


def test_rounds_that_are_not_all_taken_fix_nothing():
    def f(x, n):
        for i in range(n):
            x = np.append(x, i)
            if i == 2:
                return x
        return -x

    compiled = dl.compile(f, dynamic=True)
    for n in (5, 9, 7, 12, 3):
        check(compiled, f, np.ones(2), n, calls=1)
    assert len(compiled.entries()) == 1


MARKS = {
    "mark_static": lambda x: dl.mark_static(x, 0),
    "mark_dynamic": lambda x: dl.mark_dynamic(x, 0),
    "maybe_mark_dynamic": lambda x: dl.maybe_mark_dynamic(x, 0),
    None: lambda x: None,
}
ENTRIES = {
    ("mark_static", None): 3, ("mark_static", True): 3, ("mark_static", False): 3,
    ("mark_dynamic", None): 1, ("mark_dynamic", True): 1, ("mark_dynamic", False): 1,
    ("maybe_mark_dynamic", None): 1, ("maybe_mark_dynamic", True): 1,
    ("maybe_mark_dynamic", False): 1,
    (None, None): 2, (None, True): 1, (None, False): 3,
}  # fmt: skip
"""How many compilations three sizes take: the table of docs/shapes.md."""


@pytest.mark.parametrize(("mark", "dynamic"), ENTRIES)
def test_which_control_wins(mark, dynamic):
    compiled = dl.compile(lambda x: x * 2, dynamic=dynamic)
    for n in (5, 6, 7):
        x = np.ones(n)
        MARKS[mark](x)
        assert same(compiled(x), np.full(n, 2.0))
    assert len(compiled.entries()) == ENTRIES[mark, dynamic]


@pytest.mark.parametrize(("assume_static", "automatic", "entries"), [
    (True, True, 2), (True, False, 3), (False, True, 1), (False, False, 1),
])  # fmt: skip
def test_settings_decide_where_nothing_else_does(assume_static, automatic, entries):
    settings = {
        "assume_static_by_default": assume_static, "automatic_dynamic_shapes": automatic,
    }
    with dl.config.patch(**settings):
        compiled = dl.compile(lambda x: x * 2)
        for n in (5, 6, 7):
            compiled(np.ones(n))
    assert len(compiled.entries()) == entries


@pytest.mark.parametrize(("first", "second"), [("mark_static", "mark_dynamic"),
                                               ("mark_dynamic", "mark_static")])
def test_contradictory_marks_are_refused(first, second):
    x = np.ones(3)
    MARKS[first](x)
    with pytest.raises(ValueError, match="both static and dynamic"):
        MARKS[second](x)
    y = np.ones(3)
    dl.mark_static(y, 0)
    with pytest.raises(ValueError, match="both static and unbacked"):
        dl.mark_unbacked(y, 0)


@pytest.mark.parametrize("strong", ["mark_static", "mark_dynamic"])
@pytest.mark.parametrize("first", [True, False])
def test_the_stronger_of_two_marks_holds(strong, first):
    compiled = dl.compile(lambda x: x * 2)
    for n in (5, 6, 7):
        x = np.ones(n)
        for mark in (strong, "maybe_mark_dynamic") if first else ("maybe_mark_dynamic", strong):
            MARKS[mark](x)
        compiled(x)
    assert len(compiled.entries()) == ENTRIES[strong, None]


@pytest.mark.parametrize("mark", [*MARKS, "mark_unbacked"])
@pytest.mark.parametrize("dynamic", [None, True, False])
def test_marks_and_the_option_come_before_the_settings(mark, dynamic):
    for settings in ((True, False), (False, True), (False, False)):
        names = "assume_static_by_default", "automatic_dynamic_shapes"
        with dl.config.patch(**dict(zip(names, settings))):
            compiled = dl.compile(lambda x: x * 2, dynamic=dynamic)
            for n in (5, 6, 7):
                x = np.ones(n)
                if mark is not None:
                    getattr(dl, mark)(x, 0)
                assert same(compiled(x), np.full(n, 2.0))
        expected = {"mark_static": 3, None: {None: 1 + 2 * settings[0], True: 1, False: 3}[dynamic]}
        assert len(compiled.entries()) == expected.get(mark, 1)


@pytest.mark.parametrize(("call", "error"), [
    (lambda: dl.mark_dynamic(np.ones(3), 0, min=5), ValueError),
    (lambda: dl.mark_dynamic(np.ones(3), 0, max=2), ValueError),
    (lambda: dl.mark_dynamic(np.ones(3), 0, min=4, max=2), ValueError),
    (lambda: dl.mark_dynamic(np.ones(3), 2), IndexError),
    (lambda: dl.mark_dynamic([1, 2], 0), TypeError),
    (lambda: dl.mark_static(5), TypeError),
    (lambda: dl.maybe_mark_dynamic("x", 0), TypeError),
    (lambda: dl.mark_unbacked(None, 0), TypeError),
    (lambda: dl.mark_dynamic(np.ones(3), 1.5), TypeError),
    (lambda: dl.mark_dynamic(np.ones(3), 0, min=2.5), TypeError),
    (lambda: dl.mark_dynamic(np.array(1.0), 0), IndexError),
    (lambda: dl.mark_static(np.ones(3), "a"), TypeError),
    (lambda: dl.mark_unbacked(np.ones(3), [0, 0.5]), TypeError),
    (lambda: dl.maybe_mark_dynamic(np.ones(3), [0, -2]), IndexError),
    (lambda: dl.compile(add, dynamic="yes"), TypeError),
    (lambda: dl.compile(add, dynamic=2), TypeError),
])  # fmt: skip
def test_bad_marks_are_errors_at_the_call(call, error):
    with pytest.raises(error):
        call()


def test_the_log_says_what_became_of_each_size(capsys):
    from dynamo_lite.base import logs

    logs.configure("dynamic")
    try:
        compiled = dl.compile(lambda x: x * 2 if x.shape[0] == 6 else x, dynamic=None)
        for n in (5, 6):
            compiled(np.ones((n, 3)))
    finally:
        logs.configure("")
    said = capsys.readouterr().err
    assert "s0 = x.shape[0], now 6 (seen: 5, 6), between 0 and no limit" in said
    assert "s0 (x.shape[0]) is specialised to 6 at" in said and "test_sizes.py" in said


RANGES = [
    lambda k: range(k, 5), lambda k: range(k), lambda k: range(k, k + 3),
    lambda k: range(10, k, -1), lambda k: range(0, 10, abs(k) + 1), lambda k: range(-k, k),
    lambda k: range(k, 12, 3),
]  # fmt: skip


@pytest.mark.parametrize("make", RANGES)
def test_ranges_with_ends_that_change(make):
    def taken(x, k):
        return list(make(k)), [i * x for i in make(k)], len(make(k)), 4 in make(k)

    compiled = dl.compile(taken)
    for k in (1, 2, 3, 4, 2, 0, 5, 7, -1):
        assert same(compiled(np.ones(2), k), taken(np.ones(2), k))


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
def test_products_of_short_vectors_keep_the_sign_of_zero(dtype):
    """One compilation for vectors of any length, of which NumPy's own are of two kinds."""
    def product(x, y):
        return x @ y

    compiled = dl.compile(product)
    for n in (5, 7, 1, 0, 2):
        for a, b in ((0.0, -1.0), (-0.0, 0.0), (1.5, -2.0)):
            x, y = np.full(n, a, dtype), np.full(n, b, dtype)
            found, expected = compiled(x, y), product(x, y)
            assert type(found) is type(expected) and found.tobytes() == expected.tobytes()
    assert len(compiled.entries()) == 2


@pytest.mark.parametrize("other", ["mark_dynamic", "maybe_mark_dynamic"])
@pytest.mark.parametrize("first", [True, False])
def test_unbacked_is_the_stronger_mark(other, first):
    """Of a size that is only marked dynamic a needed value is an error, or compiled in."""
    def branches(x):
        return x * 2 if x.shape[0] == 3 else x + 1

    compiled = dl.compile(branches)
    for n in (3, 4, 3):
        x = np.ones(n)
        for mark in (dl.mark_unbacked, MARKS[other])[:: 1 if first else -1]:
            mark(x, 0) if mark is dl.mark_unbacked else mark(x)
        assert same(compiled(x), branches(x))
    assert len(compiled.entries()) == 1


@pytest.mark.parametrize("dynamic", [None, True, False])
@pytest.mark.parametrize("assume_static", [True, False])
@pytest.mark.parametrize(("specialize", "entries"), [(True, 3), (False, None)])
def test_ints_are_compiled_in_whatever_else_is_set(dynamic, assume_static, specialize, entries):
    settings = {"specialize_int": specialize, "assume_static_by_default": assume_static}
    with dl.config.patch(**settings):
        compiled = dl.compile(lambda x, n: x * n, dynamic=dynamic)
        for n in (3, 5, 6):
            assert same(compiled(np.ones(2), n), np.full(2, float(n)))
    symbolic = 1 if dynamic or (dynamic is None and not assume_static) else 2
    assert len(compiled.entries()) == (entries or (3 if dynamic is False else symbolic))


def test_an_argument_that_is_an_int_now_and_a_float_then():
    def window(x, k):
        return np.zeros(max(int(k), 1)), x * max(k, 0), np.arange(min(k, 3))

    compiled = dl.compile(window)
    for k in (2, 3, 1.0, 2, 2.5, -1, 5, True, 0.0, 4):
        assert same(compiled(np.ones(2), k), window(np.ones(2), k))


LONG = {
    "a factor": lambda x: x * (len(x) * 2**62),
    "a divisor": lambda x: x / ((len(x) + 10**5) * (len(x) + 2 * 10**5) ** 3),
    "an item": lambda x: np.array([len(x) * 2**62, 0]).tolist(),
    "a start": lambda x: np.arange(len(x) * 2**62, len(x) * 2**62 + 3).tolist(),
    "stored": lambda x: x.__setitem__(0, len(x) * 2**62) or x,
    "compared": lambda x: x < len(x) * 2**62 // 3,
    "an index": lambda x: x[[len(x) * 2**62 % 2**63, 0]],
    "in a loop": lambda x: [x * (len(x) * 2**62 + k) for k in range(3)],
}


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("name", LONG)
def test_sizes_that_are_used_as_numbers_may_have_more_than_64_bits(name, dynamic):
    compiled = dl.compile(LONG[name], dynamic=dynamic)
    for n in (1, 2, 3, 4, 8, 5):
        check(compiled, LONG[name], np.arange(1.0, n + 1))


PICKED = {
    "a range": lambda x: x[range(len(x) - 1, 0, -2)],
    "ranges": lambda x: np.outer(x, x)[range(len(x)), range(len(x))],
    "a list": lambda x: x[[0, len(x) - 1, len(x) // 2]],
    "lists": lambda x: np.outer(x, x)[[0, len(x) - 1], [0, -len(x)]],
    "data": lambda x: x[[x.argmax(), x.argmin()]],
    "stored": lambda x: x.__setitem__([0, len(x) - 1], 7.0) or x,
    "unravelled": lambda x: np.unravel_index(x.argmax() + len(x), (2, len(x))),
    "ravelled": lambda x: np.ravel_multi_index((1, 0), (2, len(x))),
    "a power of two": lambda x: np.zeros(2 ** int(np.ceil(np.log2(len(x))))),
}


@pytest.mark.parametrize("name", PICKED)
def test_positions_that_follow_from_sizes_stay_in_the_graph(name):
    compiled = dl.compile(PICKED[name], fullgraph=True)
    for n in (8, 9, 16, 2, 33, 1000):
        check(compiled, PICKED[name], np.random.default_rng(n).random(n))
    assert len(compiled.entries()) == 2


@pytest.mark.parametrize("name", PICKED)
def test_positions_that_do_not_exist_are_as_in_numpy(name):
    compiled = dl.compile(PICKED[name])
    for n in (3, 1, 4, 0, 2):
        check(compiled, PICKED[name], np.random.default_rng(n).random(n))


def test_fits_of_any_length_say_nothing(capfd):
    def fitted(y):
        return np.polyfit(np.arange(len(y)), y, 2)

    compiled = dl.compile(fitted, fullgraph=True, dynamic=True)
    for n in (8, 20):
        assert same(compiled(np.arange(n) ** 2.0), fitted(np.arange(n) ** 2.0), ROUNDED)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("dynamic", [None, True])
def test_what_is_broadcast_from_columns_has_the_layout_of_numpy(dynamic):
    def pairs(x):
        return x[:, None, :] * x[None]

    compiled = dl.compile(pairs, dynamic=dynamic)
    for rows, columns in ((6, 7), (3, 5)):
        for x in (np.ones((rows, columns)), np.ones((columns, rows)).T):
            assert compiled(x).strides == pairs(x).strides


@pytest.mark.parametrize("first", [np.ones((1, 7)), np.ones((6, 1)).T, np.ones((0, 7))])
def test_the_layout_of_an_unbacked_size_is_not_that_of_a_small_one(first):
    def columns(x):
        return np.asfortranarray(x), np.where(x > 0, x, -x)

    compiled = dl.compile(columns)
    for x in (first, np.ones((6, 7)), np.ones((7, 6)).T):
        dl.mark_unbacked(x, 0)
        for got, expected in zip(compiled(x), columns(x)):
            assert got.strides == expected.strides or 1 in x.shape or not x.size
            assert np.shares_memory(got, x) == np.shares_memory(expected, x) or 1 in x.shape


@pytest.mark.parametrize("function", [np.tril, np.triu, np.take, np.roll, np.diag])
@pytest.mark.parametrize("n", [2**31, 2**63, -2**63, -2**63 - 1, 2**64])
def test_ints_that_numpy_cannot_take_are_errors_of_numpy(function, n):
    def program(x, n):
        return function(x, n)

    compiled = dl.compile(program)
    for k in (1, n, 2, n):
        check(compiled, program, np.arange(12.0).reshape(4, 3), k)


@pytest.mark.parametrize("function", [
    lambda x, n: x[np.argmax(x[:, 0]), :n] * 2,
    lambda x, n: x[np.array([1, 2]), :n] * 2,
    lambda x, n: (x[np.array([1, 2]), 1:n], x[np.array([0, 1]), n::-1]),
    lambda x, n: (x[:n, np.array([1, 2])], x[:n, np.argmax(x[0])], x[-n:, np.array([0])]),
])
def test_slices_beside_computed_positions_may_end_at_a_symbol(function):
    x = np.random.default_rng(0).standard_normal((5, 6))
    compiled = dl.compile(function)
    for n in (1, 2, 3, 5, 6, 0, 7, -1, -2):
        check(compiled, function, x, n, calls=1)


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
def test_what_nothing_has_is_refused_where_nobody_reads_it(name):
    def unread(x):
        getattr(np, name)(x, axis=1)
        return x * 2

    compiled = dl.compile(unread)
    for n in (5, 7, 0, 3):
        check(compiled, unread, np.ones((2, n)), calls=1)


def test_numpys_integers_index_beside_symbols():
    def picked(x, y):
        return np.linspace(0, 1, x.shape[0]), y[np.int64(0)], y[np.int8(-1):]

    compiled = dl.compile(picked, dynamic=True)
    for n in (5, 3, 7):
        check(compiled, picked, np.ones(n), np.arange(3.0 * n).reshape(n, 3), calls=1)


def states(x):
    kept = [np.zeros(3)]
    for row in x:
        kept.append(0.5 * kept[-1] + row)
    return np.stack(kept)


def test_a_function_without_breaks_has_a_variant_for_each_length_that_it_needs():
    compiled = dl.compile(states, fullgraph=True, recompile_limit=4)
    for n in (5, 7, 9, 6, 5, 9):
        x = np.arange(3.0 * n).reshape(n, 3)
        assert same(compiled(x), states(x))
    with pytest.raises(dl.errors.RecompileLimitExceeded):
        compiled(np.ones((8, 3)))
