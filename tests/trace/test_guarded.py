"""What a trace relied on changes between calls: the result is that of plain Python each time."""
import copy
import functools
import itertools
import math
import types

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.base.config import config

from ..oracle import differences, outcome, outcome_of_copy, same

X = np.arange(12.0).reshape(3, 4)


def follow(function, *calls, change=None):
    """Call with each argument tuple, after `change(i)`, compiled and plain."""
    with config.patch(strict=True):
        compiled = dl.compile(function, backend="eager")
        for index, args in enumerate(calls):
            if change is not None:
                change(index)
            expected = outcome_of_copy(function, args)
            problems = differences(outcome_of_copy(compiled, args), expected)
            assert not problems, f"call {index}: {problems}"


class Layer:
    scale = 2

    def __init__(self, w=1.0):
        self.w = w

    @property
    def double(self):
        return self.w * 2

    def apply(self, x):
        return x * self.w + self.scale


class Special(Layer):
    pass


def test_names_of_the_library_that_are_replaced(monkeypatch):
    def f(x):
        return np.sum(x) + math.floor(2.5) + np.linalg.norm(x) + math.pi

    def change(index):
        if index == 1:
            monkeypatch.setattr(np, "sum", lambda x: 5)
        if index == 2:
            monkeypatch.setattr(math, "floor", lambda x: X)
            monkeypatch.setattr(math, "pi", 3.0)
        if index == 3:
            monkeypatch.setattr(np.linalg, "norm", lambda x: print("norm") or 0.5)
        if index == 4:
            monkeypatch.undo()

    follow(f, *[(X,)] * 6, change=change)


def test_python_arguments():
    def f(x, n, flag=True, name="a", seq=(1, 2)):
        return x * n if flag else [x, name, len(seq), seq[0]]

    follow(f, (X, 2), (X, 3), (X, 2.5), (X, True), (X, 2, False), (X, 2, False, "b"),
           (X, 2, False, "b", (3,)), (X, 2, False, "b", [3, 4, 5]), (X, -0.0), (X, 0.0), (X, 2**70))


def test_containers():
    def f(x, d, items):
        return x + d["a"], list(d), d.get("b"), [item * 2 for item in items], len(d)

    follow(f, (X, {"a": 1}, [1]), (X, {"a": 2}, [1]), (X, {"a": 1, "b": 2}, [1, 2]),
           (X, {"b": 1, "a": 2}, []), (X, {"a": X}, [X, 1]), (X, {"a": 1, "b": None}, ["s"]))


def test_aliases():
    def f(x, a, b):
        a.append(len(b))
        return a is b, len(b), x

    one = [1]
    follow(f, (X, [1], [1]), (X, one, one), (X, [1], [2]), (X, one, one))


def test_array_aliases():
    def f(x, y):
        x += 1
        return x is y, y * 2

    follow(f, (X.copy(), X.copy()))
    same_array = X.copy()
    follow(f, (same_array, same_array), (X.copy(), X.copy()))


def test_objects():
    def f(x, layer):
        return layer.apply(x), layer.double, hasattr(layer, "extra"), type(layer).__name__

    changed, extra = Layer(3.0), Layer()
    changed.w, extra.extra = 4.0, 1
    shadowing, method = Layer(), Layer()
    shadowing.scale = 7
    method.apply = lambda x: x - 1
    follow(f, (X, Layer()), (X, Layer(3.0)), (X, Special()), (X, changed), (X, extra),
           (X, shadowing), (X, method), (X, Layer(X)))


def test_class_attributes():
    layer = Layer()

    def f(x):
        return layer.apply(x), layer.double

    def change(index):
        if index == 1:
            Layer.scale = 5
        if index == 2:
            Layer.apply = lambda self, x: x * 100
        if index == 3:
            Layer.double = 11
        if index == 4:
            layer.scale = 1
            layer.apply = lambda x: x

    saved = dict(scale=2, apply=Layer.apply, double=vars(Layer)["double"])
    try:
        with config.patch(strict=True):
            compiled = dl.compile(f, backend="eager")
            for index in range(5):
                change(index)
                assert same(compiled(X), f(X)), index
    finally:
        for name, value in saved.items():
            setattr(Layer, name, value)


def test_subclass_overrides_later():
    item = Special()

    def f(x):
        return item.apply(x) + item.scale

    compiled = dl.compile(f, backend="eager")
    assert same(compiled(X), f(X))
    Special.scale = 50
    try:
        assert same(compiled(X), f(X))
    finally:
        del Special.scale


FACTOR, TABLE, LIST = 2, {"k": 1}, [1, 2]
MODULE = types.ModuleType("fake")
MODULE.value, MODULE.function = 1, lambda x: x + 1


def helper(x):
    return x + 1


def test_globals():
    def f(x):
        return helper(x) * FACTOR + TABLE["k"] + sum(LIST) + MODULE.value, MODULE.function(x)

    def change(index):
        module = globals()
        if index == 1:
            module["FACTOR"] = 3
        if index == 2:
            TABLE["k"] = 5
        if index == 3:
            LIST.append(9)
        if index == 4:
            module["helper"] = lambda x: x - 1
        if index == 5:
            MODULE.value, MODULE.function = 4, lambda x: x
        if index == 6:
            module["sum"] = lambda items: 1000

    try:
        with config.patch(strict=True):
            compiled = dl.compile(f, backend="eager")
            for index in range(7):
                change(index)
                assert same(compiled(X), f(X)), index
    finally:
        globals().pop("sum", None)


def test_closures_and_defaults():
    scale, items = 1, [1]

    def inner(x, k=2, *, m=3):
        return x * k * m + scale + len(items)

    def f(x):
        return inner(x)

    with config.patch(strict=True):
        compiled = dl.compile(f, backend="eager")
        for step in range(5):
            if step == 1:
                scale = 5
            if step == 2:
                items.append(1)
            if step == 3:
                inner.__defaults__ = (7,)
            if step == 4:
                inner.__kwdefaults__ = {"m": 1}
            assert same(compiled(X), f(X)), step


def test_functions_as_arguments():
    def make(k):
        return lambda x: x * k

    def f(x, g):
        return g(x)

    with config.patch(strict=True):
        compiled = dl.compile(f, backend="eager")
        for g in (make(2), make(3), np.sin, np.cos, math.floor if False else np.abs, helper, Layer().apply):
            assert same(compiled(X, g), f(X, g))


def test_growing_list_is_compiled_once():
    def f(x, log):
        log.append(1)
        return x * 2

    compiled, log = dl.compile(f, backend="eager"), []
    dl.reset()
    for _ in range(20):
        compiled(X, log)
    assert log == [1] * 20
    assert len(compiled.entries()) == 1


def test_counter_attribute():
    class Counter:
        def __init__(self):
            self.n = 0

    def f(x, c):
        c.n += 1
        return x * 2, c.n

    compiled, mine, plain = dl.compile(f, backend="eager"), Counter(), Counter()
    for _ in range(15):
        assert same(compiled(X, mine), f(X, plain))
    assert mine.n == plain.n


def test_shapes_and_dtypes():
    def f(x, y=1):
        return x.sum() + y, x.shape[0] * 2, x.reshape(-1), len(x), x[: x.shape[0] // 2]

    follow(f, *((np.ones(n, dtype=d),) for d in ("f8", "f4", "i8") for n in (1, 2, 3, 7, 8, 9)))


def test_mutated_sets():
    def f(x, s):
        return sorted(s), 3 in s, len(s), x

    follow(f, (X, {1, 2}), (X, {1, 3}), (X, {1.0, 2.0}), (X, set()), (X, frozenset({1})))


def test_nested_compiled_functions():
    @dl.compile(backend="eager")
    def inner(x):
        return x + 1

    def f(x):
        return inner(x) * 2

    follow(f, (X,), (X,))


def test_exceptions_reach_the_caller():
    def f(x, n):
        if n == 1:
            raise ValueError("one", n)
        if n == 2:
            return x @ x
        if n == 3:
            return [1, 2][n]
        return {}[n]

    follow(f, (X, 1), (X, 2), (X, 3), (X, 4))


def flagged(x):
    return x


def test_attributes_that_appear_and_go():
    """Also where the trace only saw that there is none."""
    module = types.ModuleType("module")

    def f(x):
        found = hasattr(flagged, "flag"), hasattr(module, "flag"), getattr(flagged, "flag", None)
        return x + sum(found[:2]), found

    def change(index):
        if index == 1:
            flagged.flag = 1
        if index == 2:
            module.flag = 1
        if index == 3:
            del flagged.flag, module.flag

    follow(f, *[(X,)] * 4, change=change)


def test_names_that_numpy_gets():
    def f(x):
        return np.own_sum(x) if hasattr(np, "own_sum") else x

    def change(index):
        if index == 1:
            np.own_sum = np.sum
        if index == 2:
            del np.own_sum

    follow(f, *[(X,)] * 3, change=change)


def reloaded(x, k=2):
    return x + k


def test_functions_that_get_other_code():
    """As when a module is loaded again."""
    before = reloaded.__code__

    def change(index):
        reloaded.__code__ = (lambda x, k: x * k).__code__ if index == 1 else before

    follow(lambda x: reloaded(x), *[(X,)] * 3, change=change)


def counted(x):
    counted.calls += 1
    return x * counted.calls


def test_attributes_of_functions_are_set():
    def f(x):
        first = counted(x)
        counted.last = x
        return first + counted(x), counted.last is x, counted.calls

    def start(function):
        counted.__dict__.clear()
        counted.calls = 0
        return [outcome(function, (X,)) for _ in range(4)], dict(vars(counted))

    def g(x):
        names = vars(counted)
        counted.extra = x
        return counted(x), sorted(names)

    assert same(start(dl.compile(f, backend="eager", fullgraph=True)), start(f))
    assert same(start(dl.compile(g, backend="eager")), start(g))


def test_parts_of_partials_are_the_same_objects():
    part = functools.partial(reloaded, k=[1])
    compiled = dl.compile(lambda x: (part.keywords, part.args, x), backend="eager", fullgraph=True)
    assert compiled(X)[0] is part.keywords and compiled(X)[0]["k"] is part.keywords["k"]


class Restarting:
    def __init__(self, n): self.n = n
    def __iter__(self):
        self.i = 0
        return self

    def __next__(self):
        self.i += 1
        if self.i > self.n:
            raise StopIteration
        return self.i


def test_a_starred_name_asks_the_iterator_again():
    """As CPython does, which makes a list of it."""

    def f(x):
        a, *b = Restarting(4)
        a, c, *d = iter([1, 2, 3])
        return a, b, c, d, x

    follow(f, (X,), (X,))


class Behind:
    """What the dict of an object holds under names that properties of its class have."""

    def __init__(self, v): vars(self).update(v=v, w=v * 2)

    @property
    def v(self): return vars(self)["v"]

    @property
    def w(self): return -vars(self)["w"]


class Pair(tuple):
    def __new__(cls, a, b, **rest): return super().__new__(cls, (a, b))
    def __init__(self, a, b, **rest): self.__dict__.update(rest)

    @property
    def df(self): return self.__dict__["df"]


def test_values_that_a_property_hides():
    def made(x):
        one, two = Behind(x + 1), Pair(x, x * 2, df=x - 1)
        return one.v, one.w, vars(one), two, vars(two), two.df

    def read(one, x):
        return one.v, one.w, dict(vars(one)), vars(one)["w"] * x

    def written(one, x):
        vars(one)["v"] = x * 5
        one.__dict__["w"] = vars(one)["w"] * 2
        one.__dict__.pop("v")
        return one, vars(one), one.w

    follow(made, (X,), (X,))
    follow(read, (Behind(2), X), (Behind(3), X))
    follow(written, (Behind(2), X), (Behind(3), X))


@pytest.mark.parametrize("function", [
    lambda x, k: ([0] * k, x), lambda x, k: (k * (1, 2), x), lambda x, k: ("ab" * k, x),
    lambda x, k: (list(enumerate("abc", k)), x),
    lambda x, k: (list(itertools.islice(itertools.count(k), 3)), x),
    lambda x, k: (list(itertools.islice(range(9), k)), x),
    lambda x, k: (list(itertools.islice(range(9), k, None, 2)), x),
    lambda x, k: (list(itertools.islice(range(9), 0, None, k)), x),
    lambda x, k: np.zeros(k), lambda x, k: np.ones((2, k)), lambda x, k: np.eye(k),
    lambda x, k: np.repeat(x, k), lambda x, k: np.tile(x, k), lambda x, k: x.reshape(k, -1),
])
def test_numbers_as_counts(function):
    """Floats are none, nor is True for NumPy's sizes; for Python's own it is 1."""
    follow(function, *[(np.ones(3), k) for k in (0.5, 2, 1.0, True, 3, -1, False, math.inf)])


class Sized:
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n


@pytest.mark.parametrize("function", [
    lambda x, k: x[0] if x[0] > 0 else k, lambda x, k: [k, x[1]][int(x[0] > 0)],
    lambda x, k: complex(x[0], x[1]) * k, lambda x, k: complex(x[0], k),
    lambda x, k: (len(Sized(k)), x * 2), lambda x, k: x * 2 if Sized(k) else x,
    lambda x, k: (len(Sized(int(x.sum()))), k),
])
@pytest.mark.parametrize("change", [lambda k: k, float])
def test_numbers_that_meet_data(function, change):
    arrays = np.array([1.0, 2, -1]), np.array([-1.0, 2, 1]), np.array([-3.0, 1, 1])
    follow(function, *[(x, change(k)) for k in (3, 0, 7, -1) for x in arrays])


def test_attributes_that_an_object_of_c_keeps_in_its_own_way():
    lapack = pytest.importorskip("scipy.linalg.lapack")
    routine = lapack.get_lapack_funcs("gelsd_lwork", dtype=float)
    follow(lambda x: (getattr(routine, "int_dtype", None), getattr(routine, "none", 1), x + 1), (X,))


class classproperty(property):
    def __get__(self, owner, kind=None):
        return self.fget(type(owner) if kind is None else kind)


class Ten:
    def __get__(self, owner, kind=None):
        return 10, owner is None, kind.__name__


class Letters:
    ten = Ten()

    @classproperty
    def letters(cls):
        return {"a", *cls.ends}

    @classproperty
    def ends(cls):
        return "*"


class MoreLetters(Letters):
    @classproperty
    def letters(cls):
        return super(MoreLetters, cls).letters | {"b"}

    @classproperty
    def ends(cls):
        return "-"

    @classmethod
    def tens(cls):
        return super().ten, cls.ten, super(MoreLetters, cls()).ten


@pytest.mark.parametrize("function", [
    lambda x: (sorted(MoreLetters.letters), len(MoreLetters().letters), x + 1),
    lambda x: (sorted(super(MoreLetters, MoreLetters).letters), len(Letters.ends), x + 1),
    lambda x: (MoreLetters.tens(), Letters.ten, Letters().ten, x + 1),
])  # fmt: skip
def test_descriptors_of_classes_are_asked_with_the_class_that_is_asked(function):
    follow(function, (X,), (X,))
