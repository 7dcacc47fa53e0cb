"""Programs with a cost planted at the line that ends in `# here`, and without it.

`plant` names the remedy's row in `dynamo_lite.base.remedies` and says what the reason has to tell;
the function after it, marked `fixes`, is what the remedy makes of the program.
"""
import csv
import datetime
import decimal
import enum
import functools
import hashlib
import inspect
import io
import json
import logging
import math
import os
import statistics
import struct
import time
import types
import warnings
from types import SimpleNamespace

import numpy as np
import platformdirs
from numpy._core._rational_tests import rational

import dynamo_lite as dl

X = np.arange(6.0)
Z = np.array([1.0, 0.0, 2.0])
M = np.arange(12.0).reshape(3, 4)
LOGGER = logging.getLogger("planted")
LOGGER.addHandler(logging.NullHandler())
LOGGER.propagate = False
PLANTS = []


def plant(remedy, reason, calls=((X,),), kind="graph break", fixed_calls=None, options=None,
          fixed_options=None, alike=True, marked=None):
    """A program and the calls that show its cost; `marked` has the line where it is another
    function's."""
    def add(function):
        lines, first = inspect.getsourcelines(marked or function)
        here = [first + at for at, line in enumerate(lines) if line.rstrip().endswith("# here")]
        PLANTS.append(SimpleNamespace(
            cause=function, fixed=None, remedy=remedy, reason=reason, calls=calls,
            kind=kind, line=here[0], fixed_calls=fixed_calls or calls,
            options=options or {}, fixed_options=fixed_options or options or {}, alike=alike))
        return function
    return add


def fixes(function):
    PLANTS[-1].fixed = function
    return function


def outcome(function, arguments):
    """The result, or what is raised in its place."""
    try:
        return function(*arguments)
    except (AssertionError, IndexError, np.linalg.LinAlgError) as error:
        return repr(error)


def mends(name):
    """The program stays as it is: calls or options mend it."""
    PLANTS[-1].fixed = PLANTS[-1].cause


# -- effects and libraries

@plant("printing", "calling print: it has effects")
def prints(x):
    y = x + 1
    print(end="")  # here
    return y * 2


@fixes
def _(x):
    return (x + 1) * 2


@plant("files", "calling io.open")
def opens(x):
    y = x + 1
    open(os.devnull).close()  # here
    return y * 2


@fixes
def _(x):
    return (x + 1) * 2


@plant("files", "numpy.save: it reads or writes files")
def saves(x):
    y = x + 1
    np.save(os.devnull, y)  # here
    return y


@fixes
def _(x):
    return x + 1


@plant("files", "numpy.loadtxt: it reads or writes files", alike=False)
def loads(x):
    return x + np.loadtxt(os.devnull, ndmin=1).sum()  # here


@fixes
def _(x, loaded=np.zeros(0)):
    return x + loaded.sum()


@plant("library-calls", "calling time.perf_counter: the standard library", alike=False)
def timed(x):
    start = time.perf_counter()  # here
    return x + 1, start


@fixes
def _(x, start=0.0):
    return x + 1, start


@plant("library-calls", "calling time.sleep")
def sleeps(x):
    y = x + 1
    time.sleep(0)  # here
    return y * 2


@fixes
def _(x):
    return (x + 1) * 2


@plant("library-calls", "calling json.dumps")
def text_of_settings(x):
    return x + len(json.dumps({"a": 1}))  # here


@dl.assume_constant_result
def settings_text():
    return json.dumps({"a": 1})


@fixes
def _(x):
    return x + len(settings_text())


@plant("files", r"calling (io\.)?StringIO")
def rows_of_text(x):
    rows = csv.reader(io.StringIO("1,2"))  # here
    return x + 1, list(rows)


@dl.assume_constant_result
def read_rows():
    return list(csv.reader(io.StringIO("1,2")))


@fixes
def _(x):
    return x + 1, [["1", "2"]]


@plant("library-calls", "calling os.getpid")
def asks_the_system(x):
    return x * 0 + os.getpid()  # here


@dl.assume_constant_result
def process():
    return os.getpid()


@fixes
def _(x):
    return x * 0 + process()


@plant("library-calls", "calling os._Environ.__setitem__")
def sets_environment(x):
    y = x + 1
    os.environ["A_VALUE"] = "1"  # here
    return y * 2


@fixes
def _(x):
    return (x + 1) * 2


@plant("library-calls", "calling warnings.warn")
def warns(x):
    y = x + 1
    warnings.warn("old", stacklevel=1)  # here
    return y * 2


@fixes
def _(x):
    return (x + 1) * 2


@plant("imports", "importing wave")
def imports_late(x):
    import wave  # here
    return x + 1, wave.__name__


@fixes
def _(x):
    return x + 1, "wave"


@plant("effects", "calling eval")
def evaluates(x):
    return x + eval("1 + 1")  # here


@fixes
def _(x):
    return x + 2


@plant("effects", "calling exec")
def executes(x):
    y = x + 1
    exec("a = 1")  # here
    return y * 2


@fixes
def _(x):
    return (x + 1) * 2


@plant("namespaces", "namespace as a dict")
def looks_at_locals(x):
    y = x + 1
    return locals()["y"] * 2  # here


@fixes
def _(x):
    y = x + 1
    return y * 2


@plant("namespaces", r"globals\(\)")
def looks_at_globals(x):
    return x * globals()["M"][0, 1]  # here


@fixes
def _(x):
    return x * M[0, 1]


@functools.lru_cache
def slow(n):
    return n * 2


@plant("caches", "calling slow: only what its cache holds", ((X, 3.0),))
def cached(x, n):
    return x * slow(n)  # here


@fixes
def _(x, n):
    return x * (n * 2)


@plant("error-state", "error state")
def sets_error_state(x):
    np.seterr(divide="ignore")  # here
    y = 1 / (x + 1)
    np.seterr(divide="warn")
    return y


@fixes
def _(x):
    with np.errstate(divide="ignore"):
        return 1 / (x + 1)


@plant("added-dtypes", "which numpy adds to NumPy's", ((np.arange(6).astype(rational),),),
       fixed_calls=((np.arange(6),),), alike=False)
def doubles_rationals(x):
    return x * 2  # here


@fixes
def _(x):
    return x * 2


@plant("text-of-arrays", "shows arrays as text")
def sets_print_options(x):
    y = x + 1
    np.set_printoptions(precision=8)  # here
    return y * 2


@fixes
def _(x):
    return (x + 1) * 2


# -- what the program asked for

@dl.disable(reason="it is being changed")
def off(x):
    return x * 2


@plant("disabled", "calling off: it is marked with disable: it is being changed")
def calls_disabled(x):
    y = x + 1
    return off(y)  # here


@fixes
def _(x):
    return (x + 1) * 2


@plant("asked-for", "the program asks for a graph break")
def asks_for_a_break(x):
    y = x + 1
    dl.graph_break()  # here
    return y * 2


@fixes
def _(x):
    return (x + 1) * 2


def deeper(x):
    return deepest(x) + 1


def deepest(x):
    return x * 2


@plant("printing", "calling print")
def breaks_in_a_callee(x):
    def inner(x):
        print(end="")  # here
        return x * 2
    return inner(x) + 1


@fixes
def _(x):
    return deeper(x)


@plant("printing", "calling print")
def breaks_in_try(x):
    try:
        y = x + 1
        print(end="")  # here
    except ValueError:
        y = x
    return y


@fixes
def _(x):
    try:
        y = x + 1
    except ValueError:
        y = x
    return y


# -- arrays as text, lists and elements

@plant("text-of-arrays", r"str\(\) of")
def formats(x):
    y = x + 1
    return y, f"{y}"  # here


@fixes
def _(x):
    return x + 1, "[1. 2. 3. 4. 5. 6.]"


@plant("text-of-arrays", "format of a float64")
def formats_a_number(x):
    y = x.sum()
    return x * 2, f"{y:.1f}"  # here


@fixes
def _(x):
    return x * 2, "15.0"


@plant("lists-of-elements", "gets the elements themselves")
def lists(x):
    y = np.outer(x, x)
    return y * len(y.tolist())  # here


@fixes
def _(x):
    y = np.outer(x, x)
    return y * len(y)


@plant("lists-of-elements", "gets the elements themselves")
def bytes_of(x):
    y = x + 1
    return y * len(y.tobytes())  # here


@fixes
def _(x):
    y = x + 1
    return y * y.nbytes


@plant("elements", "views of single elements")
def iterates(x):
    total = 0.0
    for item in np.nditer(x):  # here
        total = total + item
    return total


@fixes
def _(x):
    total = 0.0
    for item in x.flat:
        total = total + item
    return total


@plant("python-functions", "np.vectorize is followed")
def by_elements(x):
    f = np.frompyfunc(lambda v: v + 1, 1, 1)  # here
    return f(x).astype(float)


@fixes
def _(x):
    return np.vectorize(lambda v: v + 1)(x)


@plant("windows", "sliding_window_view is followed")
def windows(x):
    y = x + 1
    return np.lib.stride_tricks.as_strided(y, (4, 3), (8, 8)).sum(axis=1)  # here


@fixes
def _(x):
    y = x + 1
    return np.lib.stride_tricks.sliding_window_view(y, 3).sum(axis=1)


@plant("eigenvalues", "whether its results are complex", alike=False)
def eigenvalues(x):
    y = np.outer(x, x) + np.eye(6)
    return np.linalg.eigvals(y)  # here


@fixes
def _(x):
    y = np.outer(x, x) + np.eye(6)
    return np.linalg.eigvalsh(y)


@plant("unsupported-numpy", "numpy.busday_count is not supported")
def business_days(x):
    return x + np.busday_count("2011-01", "2011-02")  # here


@fixes
def _(x, days=21):
    return x + days


@plant("unsupported-numpy", "unique along an axis")
def unique_rows(x):
    return np.unique(x[None] + M[0, 0], axis=0) + 1  # here


@fixes
def _(x):
    return x[None] + M[0, 0] + 1


# -- kinds of arrays

@plant("object-arrays", "dtype object", ((np.array([1, 2, 3], object),),),
       fixed_calls=((np.array([1, 2, 3]),),), alike=False)
def objects(x):
    return x + 1  # here


mends("the array is converted before")


@plant("byte-order", "byte-swapped dtype >f8", ((X.astype(">f8"),),), fixed_calls=((X,),),
       alike=False)
def swapped(x):
    return x + 1  # here


mends("the array is converted before")


@plant("dates", r"datetime64\[D\]", ((np.array(["2020-01-01"], "M8[D]"),),),
       fixed_calls=((np.array([18262]),),), alike=False)
def dates(x):
    return x + 1  # here


mends("dates are passed as numbers")


@plant("masked-arrays", "numpy.ma.MaskedArray.__add__: masked arrays",
       ((np.ma.array([1.0, 2.0], mask=[0, 1]),),),
       fixed_calls=((np.array([1.0, 2.0]),),), alike=False)
def masked(x):
    return x + 1  # here


mends("plain arrays are passed")


@plant("subclasses", "matrix", ((np.ones((2, 2)).view(np.matrix),),),
       fixed_calls=((np.ones((2, 2)),),), alike=False)
def matrices(x):
    return x.T + 1  # here


mends("plain arrays are passed")


class Quantity(np.ndarray):
    """A class of arrays with an attribute."""


@plant("subclasses", "Quantity", ((X.view(Quantity),),), fixed_calls=((X,),), alike=False)
def quantities(x):
    return x + 1  # here


mends("plain arrays are passed")


@plant("texts", "numpy.strings.upper: .* text", ((np.array(["a", "b"]), X),),
       fixed_calls=((0, X),), alike=False)
def texts(names, x):
    upper = names if isinstance(names, int) else np.strings.upper(names)  # here
    return x + 1, upper


mends("the text stays outside")


# -- values that data decides

@plant("tables", "Python needs .*the value of sum")
def item_of_a_list(x):
    n = int(x.sum())
    return x * [1.0, 2.0, 3.0][n % 3]  # here


@fixes
def _(x):
    n = int(x.sum())
    return x * np.array([1.0, 2.0, 3.0])[n % 3]


@plant("tables", "Python needs the value of")
def item_of_a_dict(x):
    n = int(x.max())
    return x * {5: 2.0}[n]  # here


@fixes
def _(x):
    n = int(x.max())
    return x * np.where(n == 5, 2.0, 1.0)


@plant("tables", "getitem of an int64")
def name_of_the_largest(x):
    i = x.argmax()
    return x + 1, "abcdef"[i]  # here


@fixes
def _(x):
    return x + 1, "f"


@plant("branches", "in one arm of a branch on data")
def branch_of_two_types(x):
    if x.sum() > 0:  # here
        y = x
    else:
        y = "none"
    return y


@fixes
def _(x):
    return np.where(x.sum() > 0, x, np.nan)


@plant("branches", "in one arm of a branch on data")
def branch_of_two_shapes(x):
    if x.sum() > 100:  # here
        y = x[:2]
    else:
        y = x
    return y * 2


@fixes
def _(x):
    return np.where(x.sum() > 100, 0.0, x) * 2


@plant("growing", "whether .* depends on data")
def as_many_as_data_says(x):
    out = []
    for i in range(int(x.max())):  # here
        out.append((i, x * i))
    return out[-1][1]


@fixes
def _(x):
    out = np.empty((6, 6))
    for i in range(6):
        out[i] = x * i
    return out[4]


@plant("growing", "loop whose end depends on data", alike=False)
def grows(x):
    out = []
    while x.sum() < 100:  # here
        x = x * 2
        out.append(x)
    return out


@fixes
def _(x):
    out = np.empty((8, 6))
    n = 0
    while x.sum() < 100:
        x = x * 2
        out[n] = x
        n += 1
    return out


@plant("comparing", "on the truth of less")
def sorts(x):
    return sorted([x.sum(), x.mean()])[0]  # here


@fixes
def _(x):
    return np.sort(np.array([x.sum(), x.mean()]))[0]


@plant("tables", "Python needs the value of", alike=False)
def set_of_numbers(x):
    return x * len({float(x[0]), float(x[1])})  # here


@fixes
def _(x):
    return x * len(np.unique(x[:2]))


# -- calls that bail out

@plant("divide", "divide reports 'divide by zero'", ((Z,), (Z,)), kind="bail-out")
def divides(x):
    y = x + 1
    return y / x  # here


@fixes
def _(x):
    with np.errstate(divide="ignore"):
        return (x + 1) / x


@plant("invalid", "sqrt reports 'invalid value'", ((-X,),), kind="bail-out")
def roots(x):
    return np.sqrt(x) + 1  # here


@fixes
def _(x):
    with np.errstate(invalid="ignore"):
        return np.sqrt(x) + 1


@plant("overflow", "exp reports 'overflow'", ((X * 1000,),), kind="bail-out")
def exponentials(x):
    return np.exp(x) + 1  # here


@fixes
def _(x):
    with np.errstate(over="ignore"):
        return np.exp(x) + 1


@plant("underflow", "multiply reports 'underflow'", ((X + 1e-300,),), kind="bail-out")
def products(x):
    with np.errstate(under="warn"):
        return x * 1e-300 + 1  # here


@fixes
def _(x):
    with np.errstate(under="ignore"):
        return x * 1e-300 + 1


@plant("divide", "log reports 'divide by zero'", ((X,),), kind="bail-out",
       alike=False)  # within an ulp of NumPy's
def logarithms(x):
    return np.log(x) + 1  # here


@fixes
def _(x):
    with np.errstate(divide="ignore"):
        return np.log(x) + 1


@plant("invalid", "reports 'invalid value'", ((np.array([np.inf, 1.0]),),), kind="bail-out")
def differences(x):
    return x - x + 1  # here


@fixes
def _(x):
    with np.errstate(invalid="ignore"):
        return x - x + 1


@plant("exceptions", "mean warns: Mean of empty slice", ((X,),), kind="bail-out", alike=False)
def mean_of_nothing(x):
    return x[:0].mean() + x  # here


@fixes
def _(x):
    return np.nan + x


@plant("divide", "divide reports 'divide by zero'", ((Z,),), kind="bail-out")
def divides_in_a_loop(x):
    total = np.zeros(3)
    for i in range(1, 500):
        total = total + i / x  # here
    return total


@fixes
def _(x):
    total = np.zeros(3)
    with np.errstate(divide="ignore", invalid="ignore"):
        for i in range(1, 500):
            total = total + i / x
    return total


# -- guards that fail: the function is compiled again

@plant("dtypes", "dtype float32, was float64", ((X,), (X.astype("f4"),)), kind="recompile",
       fixed_calls=((X,), (X.astype("f4").astype("f8"),)), alike=False)
def two_dtypes(x):
    return x + 1  # here


mends("one dtype")


@plant("dimensions", "ndim 2, was 1", ((X,), (M,)), kind="recompile",
       fixed_calls=((X,), (M.reshape(-1)[:6],)), alike=False)
def two_ranks(x):
    return x + 1  # here


mends("one number of dimensions")


@plant("shapes", r"shape\[0\] 5, was 6", ((X,), (X[:5],)), kind="recompile",
       fixed_options={"dynamic": True})
def two_sizes(x):
    return x + 1  # here


mends("dynamic=True")


@plant("layouts", "order|strides|layout|contiguous", ((M,), (np.asfortranarray(M),)),
       kind="recompile", fixed_calls=((M,), (M.copy(),)), alike=False)
def two_orders(x):
    return x + 1  # here


mends("one memory order")


@plant("types", "type|float|list", ((X, 1.0), (X, X)), kind="recompile",
       fixed_calls=((X, X * 0 + 1.0), (X, X)), alike=False)
def two_types(x, k):
    return x + k  # here


mends("one type")


@plant("values", "mode is 'b', was 'a'", ((X, "a"), (X, "b")), kind="recompile",
       fixed_calls=((X, 1.0), (X, 2.0)), alike=False)
def two_texts(x, mode):
    return x + 1 if mode == "a" else x + 2  # here


@fixes
def _(x, k):
    return x + k


@plant("lengths", "was|had", ((X, [1.0]), (X, [1.0, 2.0])), kind="recompile",
       fixed_calls=((X, np.ones(2)), (X, np.ones(2))), alike=False)
def two_lengths(x, items):
    return x + len(items)  # here


@fixes
def _(x, items):
    return x + len(items)


@plant("mapping-keys", "key|had|was", ((X, {"a": 1.0}), (X, {"b": 2.0})),
       kind="recompile", fixed_calls=((X, {"a": 1.0}), (X, {"a": 2.0})), alike=False)
def two_mappings(x, options):
    for name in options:  # here
        x = x + len(name)
    return x


mends("the same keys")


@plant("identity", "was", ((X, lambda v: v * 2), (X, lambda v: v + 2)), kind="recompile",
       fixed_calls=((X, off), (X, off)), alike=False)
def two_functions(x, f):
    return f(x) + 1  # here


@fixes
def _(x, f):
    return x + 1


@plant("sizes", "failed", ((np.ones(8),), (np.ones(12),), (np.ones(7),)), kind="recompile",
       options={"dynamic": True})
def even_or_odd(x):
    return x * 2 if x.shape[0] % 2 == 0 else x * 3  # here


@fixes
def _(x):
    return x * (2 + x.shape[0] % 2)


# -- more of each

@plant("generator", "generators and coroutines", kind="in Python", alike=False)  # here
def generates(x):
    yield x * 2


@fixes
def _(x):
    return [x * 2]


@plant("async", "async functions run in Python", kind="in Python", alike=False)  # here
async def waits(x):
    return x * 2


@fixes
def _(x):
    return x * 2


SHARED = np.arange(8.0)


@plant("overlap", "disjoint|overlap|memory", ((X.copy(), X.copy()), (SHARED[2:], SHARED[:-2])),
       kind="recompile", fixed_calls=((X.copy(), X.copy()), (X.copy(), X.copy())), alike=False)
def writes(x, y):
    x[:] = y * 2  # here
    return x + 1


mends("arrays that do not overlap")

LIST = [1.0]


@plant("aliases", "alias|was", (([1.0], [1.0], X), (LIST, LIST, X)), kind="recompile",  # here
       fixed_calls=(([1.0], [1.0], X), ([1.0], [1.0], X)), alike=False)
def appends(one, other, x):
    one[0] = 2.0
    return x + other[0]


mends("two lists")


@plant("attributes", "without the attribute 'scale'",
       ((SimpleNamespace(), X), (SimpleNamespace(scale=2.0), X)), kind="recompile", alike=False,
       fixed_calls=((SimpleNamespace(scale=1.0), X), (SimpleNamespace(scale=2.0), X)))
def scaled(settings, x):
    return x * getattr(settings, "scale", 1.0)  # here


mends("all objects have the attribute")


@plant("values", "n is 2, was 1|failed", ((X, 1), (X, 2), (X, 3)), kind="recompile", alike=False,
       fixed_calls=((X, 1.0), (X, 2.0), (X, 3.0)))
def repeats(x, n):
    return x + len("ab" * n)  # here


@fixes
def _(x, n):
    return x + 2 * n


@plant("values", "flag is False, was True", ((X, True), (X, False)), kind="recompile", alike=False,
       fixed_calls=((X, np.True_), (X, np.False_)))
def two_flags(x, flag):
    return x + 1 if flag else x + 2  # here


mends("a NumPy bool is data")


@plant("values", "was", ((X, "f8"), (X, "f4")), kind="recompile", alike=False,
       fixed_calls=((X, 1.0), (X, 2.0)))
def two_kinds(x, kind):
    return x.astype(kind) + 1  # here


@fixes
def _(x, kind):
    return x + kind


@plant("types", "was", ((X, None), (X, X)), kind="recompile", alike=False,
       fixed_calls=((X, X * 0), (X, X)))
def maybe_nothing(x, y):
    return x if y is None else x + y  # here


mends("zeros instead of None")


@plant("lengths", "items|length|had", ((X, (1.0,)), (X, (1.0, 2.0))), kind="recompile",
       fixed_calls=((X, (1.0, 0.0)), (X, (1.0, 2.0))), alike=False)
def sums(x, terms):
    for term in terms:  # here
        x = x + term
    return x


mends("tuples of one length")


@plant("values", "was", ((SimpleNamespace(mode="a"), X), (SimpleNamespace(mode="b"), X)),
       kind="recompile", alike=False,
       fixed_calls=((SimpleNamespace(mode=1.0), X), (SimpleNamespace(mode=2.0), X)))
def mode_of_an_object(settings, x):
    return x + 1 if settings.mode == "a" else x + 2  # here


@fixes
def _(settings, x):
    return x + settings.mode


@plant("random", "seed", alike=False)
def random_each_time(x):
    generator = np.random.default_rng()  # here
    return x + generator.normal(size=6)


@fixes
def _(x, generator=np.random.default_rng(3)):
    return x + generator.normal(size=6)


@plant("logging", "the logger .* reports")
def logs(x):
    y = x + 1
    LOGGER.error("value")  # here
    return y * 2


@fixes
def _(x):
    return (x + 1) * 2


@plant("exceptions", "raises IndexError: index 7 is out of bounds", ((X, np.array([7])),),
       kind="bail-out", alike=False)
def beyond_the_end(x, i):
    return x[i] * 2  # here


@fixes
def _(x, i):
    return x[np.minimum(i, 5)] * 2


@plant("exceptions", "inv raises LinAlgError: Singular matrix", ((np.zeros((3, 3)),),),
       kind="bail-out", alike=False)
def inverts(x):
    return np.linalg.inv(x) + 1  # here


@fixes
def _(x):
    return np.linalg.inv(x + np.eye(3)) + 1


@plant("divide", "floor_divide reports 'divide by zero'", ((np.array([3, 4]), np.array([0, 2])),),
       kind="bail-out", alike=False)
def whole_numbers(x, y):
    return x // y + 1  # here


@fixes
def _(x, y):
    return x // np.where(y == 0, 1, y) + 1


@plant("invalid", "arcsin reports 'invalid value'", ((X,),), kind="bail-out")
def angles(x):
    return np.arcsin(x) + 1  # here


@fixes
def _(x):
    with np.errstate(invalid="ignore"):
        return np.arcsin(x) + 1


@plant("invalid", "astype reports 'invalid value'", ((np.array([np.nan, 1.0]),),), kind="bail-out")
def casts(x):
    return x.astype(np.int64) + 1  # here


@fixes
def _(x):
    with np.errstate(invalid="ignore"):
        return x.astype(np.int64) + 1


@plant("overflow", "power reports 'overflow'", ((X * 1e200,),), kind="bail-out")
def powers(x):
    return x ** 2.5 + 1  # here


@fixes
def _(x):
    with np.errstate(over="ignore"):
        return x ** 2.5 + 1


def normalised(x):
    with np.errstate(invalid="ignore"):
        return x / x.sum()


@plant("invalid", "divide reports 'invalid value'", ((X * 0,),), kind="bail-out")
def normalises_in_a_callee(x):
    def inner(x):
        return x / x.sum()  # here
    return inner(x) * 2


@fixes
def _(x):
    return normalised(x) * 2


# -- what surprised new users

PERCENT = "%.3f"


@plant("text-of-arrays", "formatting with % of a float64", alike=False)
def formats_with_percent(x):
    return x + 1, PERCENT % x.sum()  # here


@fixes
def _(x):
    return x + 1, x.sum()


@plant("recursion", "calls itself")
def recurses(x):
    def down(x, n):
        return x if n == 0 else down(x, n - 1) + 1  # here
    return down(x, 40)


@fixes
def _(x):
    for _ in range(40):
        x = x + 1
    return x


@plant("exceptions", "what this line requires of its values does not hold", ((X - 9,),),
       kind="bail-out", alike=False)
def asserts(x):
    assert x.sum() > 0  # here
    return x * 2


@fixes
def _(x):
    return x * 2


@plant("leading-zeros", "leading zeros, and data decides how many", ((X, X + 1),),
       kind="bail-out", alike=False)
def multiplies_polynomials(x, y):
    return np.polymul(x, y) * 2  # here


@fixes
def _(x, y):
    return np.convolve(x, y) * 2


def is_small(each):
    return each < 9


@plant("comparing", "truth of less")
def compares_each(x):
    return x * 2, all(map(is_small, x))  # here


@fixes
def _(x):
    return x * 2, bool(np.all(x < 9))


@plant("branches", "the truth of x .* depends on its contents", ((X[:1],),))
def chooses(x):
    return (x and x * 2) or x - 1  # here


@fixes
def _(x):
    return np.where(x != 0, x * 2, x - 1)


@plant("object-arrays", "numpy.array of dtype object", alike=False)
def of_objects(x):
    return np.array([x, x * 2], object)  # here


@fixes
def _(x):
    return np.array([x, x * 2], float)


@plant("types", "k is a float, was 1", ((X, 1), (X, 2.0)), kind="recompile",
       fixed_calls=((X, 1.0), (X, 2.0)), alike=False)
def whole_or_not(x, k):
    return x * k  # here


mends("one type")


@plant("lengths", "length keeps changing", tuple((X, [1.0] * n) for n in range(1, 6)),
       fixed_calls=tuple((X, np.ones(n)) for n in range(1, 6)), options={"recompile_limit": 2})
def counts_more(x, more):
    return x + len(more)  # here


mends("arrays")


@plant("unsupported-numpy", "in one arm of a branch on data")
def by_a_class_of_numpys(x):
    return np.poly1d([1, 2])(x)  # here


@fixes
def _(x):
    return np.polyval([1, 2], x)


@plant("unsupported-numpy", r"method 'resize' of copy \(an array")
def resizes(x):
    y = x.copy()
    y.resize(3)  # here
    return y


@fixes
def _(x):
    return x[:3].copy()


@plant("dates", r"^indexing of x \(ndarray: an array of dtype datetime64",
       ((X.astype("M8[D]"),),), fixed_calls=((X.astype("i8"),),), alike=False)
def first_days(x):
    return x[1:]  # here


mends("numbers")


class Reading:
    def __array__(self, dtype=None, copy=None):
        return X


@plant("objects", r"needs the value of reading \(a Reading\)", ((Reading(),),),
       fixed_calls=((X,),))
def of_a_reading(reading):
    return np.sum(reading)  # here


mends("the array itself")


# -- kinds of arrays, libraries and effects that are met now and then

RECORDS = np.array([(1, 2.0), (3, 4.0)], [("a", "i4"), ("b", "f8")])


@plant("subclasses", r"attribute 'b' of r \(recarray: a subclass of ndarray",
       ((RECORDS.view(np.recarray),),), fixed_calls=((RECORDS["b"],),), alike=False)
def of_records(r):
    return (r if r.dtype.names is None else r.b) * 2  # here


mends("of_records")


class Overriding(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *args, **options):
        return getattr(ufunc, method)(*map(np.asarray, args), **options)


@plant("subclasses", r"x \(an Overriding, a subclass of ndarray\)", ((X.view(Overriding),),),
       fixed_calls=((X,),))
def by_its_own_rules(x):
    return np.add(x, 1)  # here


mends("by_its_own_rules")


@plant("subclasses", "calling warnings.warn", ((np.eye(2).view(np.matrix),),),
       fixed_calls=((np.eye(2),),), alike=False)
def matrix_products(m):
    return m * m  # here


mends("matrix_products")


@plant("masked-arrays", "numpy.ma.masked_where", alike=False)
def masks_inside(x):
    return np.ma.masked_where(x > 2, x).mean()  # here


@fixes
def _(x):
    return np.mean(x, where=~(x > 2))


@plant("complex", "casts complex values to real ones", ((X + 1j,),))
def drops_imaginary_parts(x):
    return x.astype(float) * 2  # here


@fixes
def _(x):
    return x.real * 2


@plant("files", "calling numpy.ndarray.tofile: it reads or writes files")
def writes_to_a_file(x):
    y = x + 1
    y.tofile(os.devnull)  # here
    return y


@fixes
def _(x):
    return x + 1


@plant("filters", "calling warnings.catch_warnings", ((Z,),))
def filters_warnings(x):
    with warnings.catch_warnings():  # here
        warnings.simplefilter("ignore")
        return np.sqrt(x) + 1


@fixes
def _(x):
    with np.errstate(divide="ignore"):
        return np.sqrt(x) + 1


@plant("iterators", r"taking the next item of items \(a map\)", ((X, map(abs, [X, X])),),
       fixed_calls=((X, [X, X]),), alike=False)
def from_an_iterator(x, items):
    return x + sum(items)  # here


mends("from_an_iterator")


@plant("library-calls", r"calling hashlib\.\w+: the standard library")
def hashes(x):
    y = x + 1
    return y * len(hashlib.md5(b"a").digest())  # here


@fixes
def _(x, length=16):
    return (x + 1) * length


@plant("objects", r"'\+' of d \(Decimal: its class is not written in Python\)",
       ((X, decimal.Decimal(1)),), fixed_calls=((X, 1.0),), alike=False)
def of_decimals(x, d):
    return x * float(d + 1)  # here


mends("of_decimals")


@plant("keys", "a set has members|an intermediate value .a set. has members", alike=False)
def set_of_an_array(x):
    return x * 2, len(set(x))  # here


@fixes
def _(x):
    return x * 2, len(np.unique(x))


@plant("selecting", "a branch on data changes a list", ((M,),))
def selects_rows(rows):
    out = []
    for row in rows:
        if row[0] > 0:
            out.append(row)  # here
    return np.array(out)


@fixes
def _(rows):
    return rows[rows[:, 0] > 0]


@plant("mapping-keys", r"d: has the keys \('b',\), had \('a',\) when", (({"a": X},), ({"b": X},)),
       kind="recompile", fixed_calls=(({"a": X},), ({"a": X + 1},)), alike=False)
def dict_of_arrays(d):
    return sum(each * 2 for each in d.values())  # here


mends("dict_of_arrays")


@plant("divide", "divide reports 'divide by zero'", ((Z,),), kind="bail-out", alike=False)
def divides_where_it_is_told_not_to(x):
    return 1 / x  # here


@fixes
def _(x):
    return 1 / np.where(x == 0, 1, x)


# -- what programs with objects, text and records do

class Unit(enum.Enum):
    METRE = 1.0
    MILE = 1609.0


@plant("identity", "unit is Unit.MILE, was Unit.METRE", ((X, Unit.METRE), (X, Unit.MILE)),
       kind="recompile", alike=False, fixed_calls=((X, 1.0), (X, 1609.0)))
def by_unit(x, unit):
    return x * (2.0 if unit is Unit.METRE else 3.0)  # here


@fixes
def _(x, factor):
    return x * factor


@plant("layouts", "order is not C", ((X,), (np.arange(12.0)[::2],)), kind="recompile",
       fixed_calls=((X,), (np.ascontiguousarray(np.arange(12.0)[::2]),)))
def every_other(x):
    return x + 1  # here


mends("one memory order")

RECORDS = np.array([(2, 1.0), (1, 2.0)], [("id", "i4"), ("weight", "f8")])


@plant("records", r"an operation of NumPy on r \(ndarray: an array of dtype \[", ((RECORDS,),))
def sorts_records(r):
    return np.sort(r, order="id")["weight"] * 2  # here


@fixes
def _(r):
    return r["weight"][np.argsort(r["id"])] * 2


class Guarded:
    """It is told when it ends."""

    def __init__(self, items):
        self.items = items

    def __iter__(self):
        return iter(self.items)

    def __del__(self):
        pass


@plant("finalizers", "objects of Guarded have a __del__")
def makes_guarded(x):
    for n in Guarded([1.0, 2.0]):  # here
        x = x + n
    return x


@fixes
def _(x):
    for n in [1.0, 2.0]:
        x = x + n
    return x


@plant("python-numbers", r"math\.isclose of a float64", alike=False)
def is_near(x):
    return x * 2, math.isclose(x[0], 0.0)  # here


@fixes
def _(x):
    return x * 2, np.isclose(x[0], 0.0)


@plant("selecting", "a branch of a generator that depends on data", alike=False)
def sums_some(x):
    def large():
        for each in x:
            if each > 2:
                yield each  # here
    return sum(large())


PLANTS[-1].line -= 1  # the branch


@fixes
def _(x):
    return x[x > 2].sum()


@plant("tables", "needs the value of an item at .*, which depends on data")
def key_of_text(x):
    pieces = {f"k{n}": x * n for n in range(6)}
    return pieces[f"k{int(x[1])}"]  # here


@fixes
def _(x):
    return (x * np.arange(6)[:, None])[int(x[1])]


@plant("caches", "calling missing: its cache has no result")
def not_in_a_cache(x):
    return x * missing(3.0)  # here


@functools.lru_cache
def missing(n):
    return n * 2


@fixes
def _(x):
    return x * 6.0


@plant("selecting", "a branch on data changes a list", alike=False)
def picks(x):
    return [(x * each, each) for each in x if each > 2]  # here


@fixes
def _(x):
    return x * x[x > 2][:, None]


@plant("library-calls", "calling os._Environ.__getitem__")
def asks_environment(x):
    return x * float(os.environ.get("A_SCALE", 2))  # here


@fixes
def _(x, scale=2.0):
    return x * scale


@plant("python-numbers", "method 'as_integer_ratio' of a float64", alike=False)
def mean_in_python(x):
    return x - statistics.mean(x)  # here


@fixes
def _(x):
    return x - x.mean()


@plant("libraries", "standard library runs in Python", alike=False)
def asks_a_library(x):
    return x * len(platformdirs.user_cache_dir("planted"))  # here


@dl.assume_constant_result
def folder():
    return platformdirs.user_cache_dir("planted")


@fixes
def _(x):
    return x * len(folder())


@plant("dates", "numpy.timedelta64 of the constant 1, the constant 'D'", alike=False)
def in_days(x):
    return x * 2, np.timedelta64(1, "D")  # here


@fixes
def _(x):
    return x * 2, 1


# -- values that are not there, sizes of one, numbers in place of arrays

@plant("mapping-keys", "p has no key 'a', had it when compiled",
       ((X, {"a": 1.0}), (X, {"b": 1.0})), kind="recompile",
       fixed_calls=((X, {"a": 1.0}), (X, {"a": 2.0})))
def has_a_default(x, p):
    return x * p.get("a", 2.0)  # here


mends("the same keys")


@plant("attributes", "reading has no attribute 'gain', had it when compiled",
       ((X, SimpleNamespace(gain=1.0)), (X, SimpleNamespace())), kind="recompile",
       fixed_calls=((X, SimpleNamespace(gain=1.0)), (X, SimpleNamespace(gain=2.0))))
def maybe_an_attribute(x, reading):
    return x * getattr(reading, "gain", 2.0)  # here


mends("the same attributes")


@plant("broadcasting", r"x: shape\[0\] 2, was 1 when compiled",
       ((M[:1],), (M[:2],)), kind="recompile", fixed_calls=((M[:2],), (M[:3],)), alike=False,
       options={"dynamic": True})
def of_one_row(x):
    return x.sum(axis=0) + 1  # here


mends("more than one row")


@plant("numbers-and-arrays", "x: is a float64, was an ndarray when compiled",
       ((X,), (np.float64(3.0),)), kind="recompile",
       fixed_calls=((X[:1],), (np.atleast_1d(np.float64(3.0)),)), alike=False)
def of_numbers_too(x):
    return x * 2 + 1  # here


mends("an array of one number")


@plant("overflow", "add reports 'overflow'", ((np.int8(100), np.arange(3, dtype=np.int8)),) * 2,
       kind="bail-out")
def wraps(k, x):
    total = k + np.int8(100)  # here
    return x + total


@fixes
def _(k, x):
    with np.errstate(over="ignore"):
        total = k + np.int8(100)
    return x + total


@plant("library-calls", "struct.pack of a float")
def packs(x):
    return x * len(struct.pack("d", float(x[0])))  # here


@fixes
def _(x):
    return x * 8


@plant("divide", "reports 'divide by zero'", ((Z + 1,), (Z,)), kind="bail-out")
def divides_beside_a_rare_arm(x):
    y = 1 / x  # here
    if y.sum() < 0:
        print("negative")
    return y + 1


@fixes
def _(x):
    with np.errstate(divide="ignore"):
        y = 1 / x
    if y.sum() < 0:
        print("negative")
    return y + 1


@plant("library-calls", "calling datetime.datetime.now: the standard library", alike=False)
def at_what_time(x):
    return x + 1, datetime.datetime.now()  # here


@fixes
def _(x, now=None):
    return x + 1, now


def scaled_by(k):
    def scale(x):
        return x * k  # here
    return scale


@plant("types", "k of f: is an int, was a float when compiled",
       ((X, scaled_by(1.5)), (X, scaled_by(2))), kind="recompile",
       fixed_calls=((X, scaled_by(1.5)), (X, scaled_by(2.0))), marked=scaled_by)
def applies(x, f):
    return f(x) + 1


mends("one type")


@plant("branches", "the constant 'none' in one arm of a branch on data, and an int in the other")
def first_above(x):
    for i, each in enumerate(x):
        if each > 3:  # here
            return i
    return "none"


@fixes
def _(x):
    return int(np.argmax(x > 3))


@plant("exceptions", "this line requires 0 < the number of nonzero elements",
       ((X, 9.0),) * 2, kind="bail-out", alike=False)
def mean_of_few(x, least):
    found = x[x > least]
    return found.mean()  # here


@fixes
def _(x, least):
    taken = x > least
    return np.where(taken, x, 0).sum() / np.maximum(taken.sum(), 1)


@plant("exceptions", "UFuncTypeError: Cannot cast ufunc 'add'", ((np.arange(6), X),))
def adds_in_place(n, x):
    total = n.copy()
    try:
        total += x  # here
    except TypeError:
        total = total + x
    return total


@fixes
def _(n, x):
    return n + x


@plant("records", "a list as a dtype")
def makes_records(x):
    found = np.zeros(6, dtype=[("a", float)])  # here
    found["a"] = x
    return found["a"] * 2


@fixes
def _(x):
    return x * 2


LATE = types.ModuleType("late")
LATE.__getattr__ = {"scale": 2.0}.__getitem__


@plant("imports", "scale of the module late, which is found by its __getattr__")
def asks_a_module(x):
    return x * LATE.scale  # here


@fixes
def _(x, scale=LATE.scale):
    return x * scale


@plant("text-of-arrays", r"'\+' of a str that data decides", alike=False)
def joins_texts(x):
    sign = "+" if x.sum() > 1 else "-"
    return x * 2, "sign " + sign  # here


@fixes
def _(x):
    return x * 2, x.sum() > 1


@plant("text-of-arrays", "calling numpy.printoptions: it shows arrays as text", alike=False)
def shows_few_digits(x):
    with np.printoptions(precision=3):  # here
        return x * 2


@fixes
def _(x):
    return x * 2


@plant("texts", "numpy.array: arrays of text", alike=False)
def names_rows(x):
    names = np.array([f"row {i}" for i in range(6)])  # here
    return x * 2, names


@fixes
def _(x):
    return x * 2


@plant("texts", "numpy.random.Generator.choice: it returns an array of dtype <U1", alike=False)
def draws_words(x, generator=np.random.default_rng(0)):
    return x * 2, generator.choice(["a", "b"], 6)  # here


@fixes
def _(x, generator=np.random.default_rng(0)):
    return x * 2, generator.integers(0, 2, 6)


@plant("data-sizes", "a size that depends on data, in a loop or branch", alike=False)
def different_values(x):
    total = 0.0
    while x.sum() > 1:
        x = x / 2
        total += np.unique(x).sum()  # here
    return total


@fixes
def _(x):
    total = 0.0
    while x.sum() > 1:
        x = np.sort(x / 2)
        is_new = np.concatenate([x[:1] == x[:1], x[1:] != x[:-1]])
        total += np.where(is_new, x, 0).sum()
    return total


@plant("values", "numpy.sum: an argument is a number that may change", ((M, 0), (M, 1)),
       fixed_calls=((M,),))
def along_an_axis(x, axis):
    return x.sum(axis=axis) * 2  # here


@fixes
def _(x):
    return x.sum(axis=0) * 2


class Measure:
    __array_priority__ = 100

    def __rmul__(self, x):
        return np.asarray(x) * 1000.0


KILO = Measure()


@plant("objects", r"'\*' of KILO \(a Measure\) beside an array", alike=False)
def in_units(x):
    return x * KILO + 1  # here


@fixes
def _(x):
    return x * 1000.0 + 1


@plant("invalid", "remainder reports 'invalid value'", ((Z,),), kind="bail-out")
def remainders(x):
    return 5.0 % x + 1  # here


@fixes
def _(x):
    with np.errstate(invalid="ignore"):
        return 5.0 % x + 1


@plant("divide", "remainder reports 'divide by zero'", ((Z.astype(int),),), kind="bail-out")
def remainders_of_integers(n):
    return 5 % n + 1  # here


@fixes
def _(n):
    with np.errstate(divide="ignore"):
        return 5 % n + 1
