"""What a compiled function promises whatever it computes."""
from __future__ import annotations

import asyncio
import copy
import functools
import gc
import inspect
import multiprocessing
import os
import pickle
import threading
import warnings
import weakref

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite import errors

from ..oracle import check_anew

X = np.arange(1.0, 7.0)


@pytest.fixture(params=["eager", "llvm"])
def backend(request):
    return request.param


# -- kinds of callables

class Model:
    factor = 2.0

    def __init__(self, bias):
        self.bias = bias
        self.seen = []

    def method(self, x):
        self.seen.append(x.shape)
        self.last = x * self.factor
        return self.last + self.bias

    @classmethod
    def of_class(cls, x):
        return x * cls.factor

    @staticmethod
    def static(x):
        return x + 1

    @property
    def doubled(self):
        return self.bias * 2

    def uses_property(self, x):
        return x * self.doubled

    def __call__(self, x):
        return x - self.bias


def test_methods(backend):
    compile_ = functools.partial(dl.compile, backend=backend)

    class Compiled(Model):
        method = compile_(Model.method)
        of_class = classmethod(compile_(Model.of_class.__func__))
        static = staticmethod(compile_(Model.static))
        uses_property = compile_(Model.uses_property)

    class Stacked(Model):
        of_class = compile_(Model.__dict__["of_class"])
        static = compile_(Model.__dict__["static"])

    for cls in Compiled, Stacked:
        plain, made = Model(3.0), cls(3.0)
        for value in X, X, X[:3], X.reshape(2, 3):
            for name in "method", "of_class", "static", "uses_property":
                assert np.array_equal(getattr(made, name)(value), getattr(plain, name)(value))
            assert np.array_equal(cls.static(value), Model.static(value))
            assert np.array_equal(cls.of_class(value), Model.of_class(value))
        assert made.seen == plain.seen and np.array_equal(made.last, plain.last)
        cls.factor, plain_factor = 5.0, 5.0
        assert np.array_equal(cls.of_class(X), X * plain_factor)
        del cls.factor
    bound = compile_(Model(1.0).method)
    assert np.array_equal(bound(X), X * 2 + 1)
    instance = compile_(Model(1.0))
    assert np.array_equal(instance(X), X - 1) and instance.bias == 1.0


def test_closures_see_their_cells(backend):
    scale = 2.0

    def change(value):
        nonlocal scale
        scale = value

    @dl.compile(backend=backend)
    def scaled(x):
        return x * scale

    for value in (2.0, 3.0, 2.0, np.arange(6.0), 4, 5, 6, 7):
        change(value)
        assert np.array_equal(scaled(X), X * value)


def test_globals_and_defaults_may_change(backend):
    namespace = {"np": np, "__name__": "user"}
    exec("def f(x, k=1.0, *, m=K0) :\n    return x * G + k + m + H(x)".replace("K0", "1.0"), namespace)
    namespace["G"], namespace["H"] = 2.0, lambda x: x
    function = namespace["f"]
    compiled = dl.compile(function, backend=backend)
    assert np.array_equal(compiled(X), X * 2 + 2 + X)
    namespace["G"] = 3.0
    assert np.array_equal(compiled(X), X * 3 + 2 + X)
    namespace["H"] = lambda x: x * 10
    assert np.array_equal(compiled(X), X * 3 + 2 + X * 10)
    function.__defaults__ = (5.0,)
    assert np.array_equal(compiled(X), X * 3 + 6 + X * 10)
    function.__kwdefaults__ = {"m": 0.5}
    assert np.array_equal(compiled(X), X * 3 + 5.5 + X * 10)
    del namespace["G"]
    with pytest.raises(NameError, match="name 'G' is not defined"):
        compiled(X)
    namespace["G"] = np.float32(2)
    assert np.array_equal(compiled(X), X * 2 + 5.5 + X * 10)


def test_code_may_be_replaced(backend):
    def function(x):
        return x + 1

    compiled = dl.compile(function, backend=backend)
    assert np.array_equal(compiled(X), X + 1)
    function.__code__ = (lambda x: x + 2).__code__
    assert np.array_equal(compiled(X), X + 2)


def test_compiled_functions_call_each_other_and_themselves(backend):
    @dl.compile(backend=backend)
    def inner(x):
        return x * 2

    @dl.compile(backend=backend)
    def outer(x):
        return inner(x) + inner(x[:3]).sum()

    @dl.compile(backend=backend)
    def power(x, n):
        return x if n == 0 else power(x * 2, n - 1)

    @dl.compile(backend=backend)
    def endless(x):
        return endless(x + 1)

    for _ in range(3):
        assert np.array_equal(outer(X), X * 2 + (X[:3] * 2).sum())
        assert np.array_equal(power(X, 5), X * 32)
    with pytest.raises(RecursionError):
        endless(X)


# -- the order of what happens

def test_effects_before_an_exception_stay(backend):
    def function(x, log, table):
        log.append("begin")
        table["sum"] = x.sum()
        x += 1
        log.append(x.shape)
        if x.shape[0] > 2:
            raise KeyError("in the middle", x.shape)
        log.append("never")

    def index_error(x, log, table):
        log.append(1)
        table["a"] = x * 2
        y = x[100]
        table["b"] = y

    def from_numpy(x, log, table):
        log.append(1)
        x *= 2
        y = x @ np.ones((7, 7))
        log.append(y)

    for f in function, index_error, from_numpy:
        check_anew(dl.compile(f, backend=backend), f, lambda: [X.copy(), [], {}])


def test_mutations_are_replayed_in_order(backend):
    class Box:
        pass

    def function(x, items, table, box):
        items.append(x * 2)
        items.insert(0, "first")
        items.extend([1, 2])
        items.pop()
        table["a"] = items
        table.setdefault("b", []).append(x.sum())
        del table["old"]
        box.value = x + 1
        box.value += 1
        box.items = items
        items[1] = table
        table.update(c=3, a=4)
        items.reverse()
        return items, table, box.value

    compiled = dl.compile(function, backend=backend)
    for _ in range(3):
        results = []
        for f in function, compiled:
            items, table, box = [0], {"old": 1, "kept": 2}, Box()
            found = f(X, items, table, box)
            assert found[0] is items and found[1] is table and box.items is items
            assert found[2] is box.value and list(table) == ["kept", "a", "b", "c"]
            assert table in [item for item in items if isinstance(item, dict)]
            results.append((len(items), table["b"][0], box.value.tolist(), list(vars(box))))
        assert results[0] == results[1]


def test_printing_in_the_middle(backend, capsys):
    @dl.compile(backend=backend)
    def function(x):
        y = x * 2
        print("y is", y.shape, float(y.sum()))
        z = y + 1
        print("z is", z[0])
        return z.sum()

    for _ in range(3):
        assert function(X) == (X * 2 + 1).sum()
        assert capsys.readouterr().out == "y is (6,) 42.0\nz is 3.0\n"


def test_branches_on_data(backend):
    def function(x):
        y = x * 2
        if y.sum() > 10:
            y = y - 1
        else:
            y = y + 1
        while y[0] < 20:
            y = y * 3
        return y if (y > 30).all() else -y

    check_anew(dl.compile(function, backend=backend), function, lambda: [X.copy()])
    compiled = dl.compile(function, backend=backend)
    for value in X, X * 0.1, X - 3, X * 100, X:
        if value[0] > 0:
            assert np.array_equal(compiled(value), function(value))


def test_try_and_with(backend):
    def function(x, log):
        try:
            y = x.reshape(4, 4)
        except ValueError as error:
            log.append(str(error))
            y = x
        finally:
            log.append("finally")
        with np.errstate(divide="ignore"):
            z = y / 0
        try:
            with np.errstate(all="raise"):
                y / 0
        except FloatingPointError as error:
            log.append(str(error))
        return z

    check_anew(dl.compile(function, backend=backend), function, lambda: [X.copy(), []])


def test_generators_and_coroutines(backend):
    @dl.compile(backend=backend)
    def generator(x):
        for k in range(3):
            got = yield x * k
            if got:
                return got

    @dl.compile(backend=backend)
    async def coroutine(x):
        await asyncio.sleep(0)
        return x * 2

    @dl.compile(backend=backend)
    async def stream(x):
        yield x + 1

    assert [part.sum() for part in generator(X)] == [0, 21, 42]
    assert inspect.isgenerator(generator(X))
    running = generator(X)
    next(running)
    with pytest.raises(StopIteration, match="done"):
        running.send("done")
    assert np.array_equal(asyncio.run(coroutine(X)), X * 2)

    async def collect():
        return [part async for part in stream(X)]

    assert np.array_equal(asyncio.run(collect())[0], X + 1)


def test_generators_inside(backend):
    def function(x):
        def parts(n):
            for k in range(n):
                yield x * k

        return sum(parts(4)), [p.sum() for p in parts(2)], max(p[0] for p in parts(3))

    check_anew(dl.compile(function, backend=backend), function, lambda: [X.copy()])


# -- threads, processes, memory

def test_threads_with_different_shapes(backend):
    def function(x, y):
        return (x * 2 + y).sum(axis=0), x - y

    compiled = dl.compile(function, backend=backend)
    wrong = []

    def work(number):
        rng = np.random.default_rng(number)
        for turn in range(40):
            x = rng.standard_normal((number + 1, 1 + turn % 7))
            found, expected = compiled(x, x[0]), function(x, x[0])
            if not all(np.allclose(f, e, rtol=1e-12) for f, e in zip(found, expected)):
                wrong.append((number, turn))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def in_child(queue, compiled):
    queue.put(float(compiled(X).sum()))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_fork(backend):
    big = np.ones(2_000_000)

    @dl.compile(backend=backend)
    def function(x):
        return x * 2 + 1

    function(X), function(big)
    context = multiprocessing.get_context("fork")
    for argument in X, np.ones((3, 3)), big:
        queue = context.SimpleQueue()
        process = context.Process(
            target=lambda value=argument: queue.put(float(function(value).sum()))
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            process.start()
        process.join(60)
        assert process.exitcode == 0
        assert queue.get() == float((argument * 2 + 1).sum())


def test_compiled_functions_are_collected(backend):
    big = np.ones(1000)

    def make():
        def function(x):
            function.calls = 1
            return x * 2

        return dl.compile(function, backend=backend)

    compiled = make()
    compiled(big)
    dead, argument = weakref.ref(compiled), weakref.ref(big)
    del compiled, big
    gc.collect()
    assert dead() is None and argument() is None


def module_level(x, y: float = 2.0, *, z=1):
    """Doc."""
    return x * y + z


compiled_module_level = dl.compile(module_level)
original, module_level = module_level, compiled_module_level


def test_a_compiled_function_looks_like_the_function():
    compiled = compiled_module_level
    assert inspect.signature(compiled) == inspect.signature(original)
    assert (compiled.__name__, compiled.__doc__, compiled.__module__) == (
        "module_level", "Doc.", __name__,
    )  # fmt: skip
    assert compiled.__wrapped__ is original and inspect.unwrap(compiled) is original
    assert compiled.__annotations__ == original.__annotations__
    assert inspect.getsource(compiled) == inspect.getsource(original)
    assert callable(compiled) and inspect.isroutine(original)
    assert pickle.loads(pickle.dumps(compiled)) is compiled
    assert copy.deepcopy(compiled) is compiled and copy.copy(compiled) is compiled
    compiled.note = 1
    assert compiled.note == 1 and weakref.ref(compiled)() is compiled
    assert "module_level" in repr(compiled)
    assert len({compiled, compiled}) == 1


def test_partial_and_wraps(backend):
    compiled = dl.compile(original, backend=backend)
    part = functools.partial(compiled, y=3.0)
    assert np.array_equal(part(X), X * 3 + 1)
    assert np.array_equal(dl.compile(functools.partial(original, y=3.0), backend=backend)(X), X * 3 + 1)

    @functools.wraps(compiled)
    def wrapper(*args, **kwargs):
        return compiled(*args, **kwargs) * 2

    assert np.array_equal(wrapper(X), (X * 2 + 1) * 2) and wrapper.__name__ == "module_level"
    again = dl.compile(wrapper, backend=backend)
    assert np.array_equal(again(X, z=5), (X * 2 + 5) * 2)
    cached = functools.lru_cache(dl.compile(lambda n: np.arange(n) * 2, backend=backend))
    assert cached(3) is cached(3)


# -- random numbers

def test_the_random_state_advances_as_in_python(backend):
    def legacy(x):
        return x + np.random.rand(6) * np.random.normal(size=6), np.random.randint(10)

    def generator(x, rng):
        return x * rng.standard_normal(6) + rng.random()

    def may_fail(x, rng):
        y = x * rng.standard_normal(6)
        return y / 0

    compiled = dl.compile(legacy, backend=backend)
    states = []
    for function in legacy, compiled:
        np.random.seed(7)
        found = [function(X) for _ in range(4)]
        states.append((found, np.random.get_state()[1].tolist(), np.random.get_state()[2]))
    assert np.array_equal(states[0][0][3][0], states[1][0][3][0])
    assert states[0][1:] == states[1][1:]
    for function in generator, may_fail:
        compiled = dl.compile(function, backend=backend)
        check_anew(compiled, function, lambda: [X.copy(), np.random.default_rng(3)])
        one, two = np.random.default_rng(5), np.random.default_rng(5)
        with np.errstate(all="ignore"):
            for _ in range(4):
                assert np.array_equal(compiled(X, one), function(X, two))
        assert one.bit_generator.state == two.bit_generator.state


# -- the public functions

def test_disable(backend):
    seen = []

    @dl.disable
    def plain(x):
        seen.append(type(x))
        return x + dl.is_compiling()

    @dl.compile(backend=backend)
    def function(x):
        return plain(x * 2) * 3

    for _ in range(3):
        assert np.array_equal(function(X), X * 6)
    assert seen == [np.ndarray] * 3
    assert dl.compile(original, disable=True) is original


def test_fullgraph_refuses_with_reason_and_line(backend):
    @dl.compile(backend=backend, fullgraph=True)
    def function(x):
        y = x * 2
        print("no")
        return y

    line = function.__code__.co_firstlineno + 3
    with pytest.raises(errors.DynamoError) as caught:
        function(X)
    assert isinstance(caught.value, errors.FullGraphRequired)
    assert "print" in str(caught.value) and str(line) in str(caught.value)
    assert os.path.basename(__file__) in str(caught.value)
    good = dl.compile(lambda x: x * 2, backend=backend, fullgraph=True)
    assert np.array_equal(good(X), X * 2)


def test_explain_stats_reset(backend):
    def function(x):
        y = np.sin(x) * 2
        print(end="")
        return y + 1

    told = dl.explain(function, backend=backend)(X)
    assert np.allclose(told.result, function(X))
    assert told.graph_count == 2 and told.graph_break_count == 1 and told.op_count == 3
    assert "print" in told.break_reasons[0] and "print" in str(told)
    dl.reset()
    assert dl.stats().graphs == 0
    compiled = dl.compile(lambda x: x * 2 + 1, backend=backend)
    for n in range(2, 22):
        compiled(np.ones(n))
    found = dl.stats()
    assert found.graphs == 2 and found.recompiles == 1 and found.graph_breaks == 0
    assert found.coverage == 1.0 and found.compile_seconds > 0 and found.errors == 0
    dl.reset()
    assert dl.stats().graphs == 0 and compiled(X)[0] == 3


# -- backends

def test_a_backend_that_fails_makes_the_function_run_in_python():
    def broken(graph, example_inputs):
        raise RuntimeError("the backend is broken")

    dl.register_backend(broken, name="broken-for-this-test")
    assert "broken-for-this-test" in dl.list_backends()
    compiled = dl.compile(lambda x: x * 2, backend="broken-for-this-test")
    with dl.config.patch(strict=False), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for value in X, X, X[:3], X.reshape(2, 3):
            assert np.array_equal(compiled(value), value * 2)
    said = [w for w in caught if issubclass(w.category, errors.DynamoWarning)]
    assert len(caught) == len(said) == 1 and "the backend is broken" in str(said[0].message)


def test_a_backend_may_return_the_graph():
    graphs = []

    def identity(graph, example_inputs):
        graphs.append((graph, [np.array(value) for value in example_inputs]))
        return graph

    def function(x, y):
        return np.exp(x) + y, x[::2]

    compiled = dl.compile(function, backend=identity)
    check_anew(compiled, function, lambda: [X.copy(), X.copy()])
    graph, inputs = graphs[0]
    found = graph(*inputs)
    assert np.array_equal(found[0], np.exp(inputs[0]) + inputs[1])
    scope = {"np": np}
    exec(str(graph), scope)
    assert np.array_equal(scope["graph"](*inputs)[0], found[0])


def test_a_compiled_graph_that_fails_runs_in_python():
    def backend(graph, example_inputs):
        def run(*inputs):
            raise RuntimeError("at run time")

        return run

    compiled = dl.compile(lambda x: x * 2, backend=backend)
    for _ in range(20):
        assert np.array_equal(compiled(X), X * 2)


def test_wrong_uses_of_compile():
    with pytest.raises(errors.DynamoError, match="no-such-backend"):
        dl.compile(original, backend="no-such-backend")
    with pytest.raises(ValueError):
        dl.compile(original, mode="fastest")
    with pytest.raises(TypeError):
        dl.compile(3)
    with pytest.raises(TypeError):
        dl.compile(original, backend=3)


def test_views_of_arguments_are_views(backend):
    def function(x):
        return x, x[1:], x.reshape(2, 3), x.T, np.asarray(x), x.ravel(), x[...], x[None]

    found = dl.compile(function, backend=backend)(X)
    assert found[0] is X and found[4] is X
    assert all(np.shares_memory(part, X) for part in found)


def test_results_are_fresh(backend):
    """What one call returned is not changed by the next."""
    compiled = dl.compile(lambda x: (x * 2, np.zeros(3), np.arange(4), x.sum()), backend=backend)
    first = compiled(X)
    kept = copy.deepcopy(first)
    for array in compiled(X)[:3]:
        array += 100
    compiled(X + 1)
    assert all(np.array_equal(one, two) for one, two in zip(first, kept))
    assert all(np.array_equal(one, two) for one, two in zip(compiled(X), kept))
