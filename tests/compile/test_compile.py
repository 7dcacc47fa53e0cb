"""`compile` on every kind of callable, its options, and what happens when something goes wrong."""
import functools
import gc
import inspect
import pickle
import threading
import warnings
import weakref

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite import errors
from dynamo_lite.runtime.eviction import PATIENCE
from tests.oracle import same

X = np.arange(4.0)


def module_function(x, k=2, *, shift=0.0):
    """Documented."""
    return x * k + shift


compiled_module_function = dl.compile(module_function)


class Model:
    scale = 3

    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return x * self.w

    @dl.compile(backend="eager")
    def method(self, x):
        return x + self.w

    @staticmethod
    @dl.compile(backend="eager")
    def static(x):
        return x - 1

    @dl.compile(backend="eager")
    @classmethod
    def of_class(cls, x):
        return x * cls.scale

    def plain(self, x):
        return x / self.w

    @property
    @dl.compile(backend="eager")
    def doubled(self):
        return self.w * 2


def test_decorator_forms():
    plain = dl.compile(module_function)
    called = dl.compile()(module_function)
    configured = dl.compile(backend="eager", dynamic=True)(module_function)
    for function in (plain, called, configured):
        assert same(function(X, 3, shift=1.0), module_function(X, 3, shift=1.0))


def test_looks_like_the_function():
    compiled = dl.compile(module_function)
    assert compiled.__name__ == "module_function" and compiled.__doc__ == "Documented."
    assert inspect.signature(compiled) == inspect.signature(module_function)
    assert compiled.__wrapped__ is module_function


def test_pickles_by_name():
    function = module_function
    globals()["module_function"] = dl.compile(function, backend="eager")
    try:
        again = pickle.loads(pickle.dumps(module_function))
        assert again is module_function
    finally:
        globals()["module_function"] = function


def test_methods():
    model = Model(np.full(4, 2.0))
    assert same(model.method(X), X + 2)
    assert same(Model.static(X), X - 1) and same(model.static(X), X - 1)
    assert same(Model.of_class(X), X * 3) and same(model.of_class(X), X * 3)
    assert same(model.doubled, np.full(4, 4.0))
    bound = dl.compile(model.plain, backend="eager")
    assert bound.__self__ is model and same(bound(X), X / 2)


def test_callable_objects():
    model = Model(2.0)
    compiled = dl.compile(model, backend="eager")
    assert same(compiled(X), X * 2)
    model.w = 5.0
    assert same(compiled(X), X * 5) and compiled.w == 5.0
    assert dl.stats().graphs >= 1


def test_partial_functions():
    compiled = dl.compile(functools.partial(module_function, k=5), backend="eager")
    assert same(compiled(X, shift=1.0), X * 5 + 1.0)


def test_functions_written_in_c():
    assert same(dl.compile(np.sin, backend="eager")(X), np.sin(X))
    assert same(dl.compile(np.add, backend="eager")(X, X), X + X)
    assert same(dl.compile(np.linalg.norm, backend="eager")(X), np.linalg.norm(X))
    assert dl.compile(len)([1, 2]) == 2


@pytest.mark.parametrize("wrong", [Model, 3, "f", None.__class__])
def test_what_cannot_be_compiled_says_so(wrong):
    with pytest.raises(TypeError, match="compile takes a function"):
        dl.compile(wrong)


def test_compiling_twice_takes_the_new_options():
    once = dl.compile(module_function, backend="eager")
    assert dl.compile(once, backend="llvm").__wrapped__ is module_function


def test_disable_gives_the_function_back():
    assert dl.compile(module_function, disable=True) is module_function
    with dl.config.patch(disable=True):
        assert dl.compile(module_function) is module_function


@pytest.mark.parametrize("options, error, words", [
    ({"backend": "nothing"}, errors.BackendError, "eager"),
    ({"backend": 3}, TypeError, "backend"),
    ({"mode": "fastest"}, ValueError, "max-autotune"),
    ({"mode": "default", "options": {}}, ValueError, "not both"),
    ({"options": {"no_such": 1}}, ValueError, "no_such"),
    ({"options": {"recompile_limit": "8"}}, TypeError, "recompile_limit"),
    ({"options": {"threads": 1}}, ValueError, "threads"),
])  # fmt: skip
def test_wrong_options(options, error, words):
    with pytest.raises(error, match=words):
        dl.compile(module_function, **options)


def test_argument_errors_are_pythons():
    compiled = dl.compile(module_function, backend="eager")
    for args, kwargs in [((), {}), ((X, 1, 2), {}), ((X,), {"nothing": 1})]:
        with pytest.raises(TypeError) as plain:
            module_function(*args, **kwargs)
        with pytest.raises(TypeError) as found:
            compiled(*args, **kwargs)
        assert str(found.value) == str(plain.value)


def test_generators_and_coroutines_run_in_python():
    @dl.compile(backend="eager")
    def numbers(x):
        for i in range(3):
            yield x + i

    @dl.compile(backend="eager")
    async def later(x):
        return x + 1

    assert same(list(numbers(X)), [X, X + 1, X + 2])
    with pytest.raises(StopIteration) as done:
        later(X).send(None)
    assert same(done.value.value, X + 1)


def test_a_backend_of_ones_own():
    seen = []

    def backend(graph, example_inputs):
        seen.append((len(graph.calls), [type(value) for value in example_inputs]))
        return graph

    compiled = dl.compile(lambda x, y: x * y + 1, backend=backend)
    assert same(compiled(X, X.copy()), X * X + 1)
    assert seen == [(2, [np.ndarray, np.ndarray])]
    dl.register_backend(backend, name="mine")
    assert "mine" in dl.list_backends()
    assert same(dl.compile(lambda x: x - 1, backend="mine")(X), X - 1)
    assert len(seen) == 2


def failing(graph, example_inputs):
    raise RuntimeError("out of registers")


@pytest.mark.parametrize("backend, words", [
    (failing, "out of registers"), (lambda graph, inputs: 3, "gave 3, which is no callable"),
])
def test_a_failing_backend_never_reaches_the_user(backend, words):
    with dl.config.patch(strict=False):
        compiled = dl.compile(module_function, backend=backend)
        with pytest.warns(errors.DynamoWarning, match=words):
            assert same(compiled(X), X * 2)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert same(compiled(X), X * 2)
    assert dl.stats().errors == 1


def test_strict_mode_raises():
    with pytest.raises(RuntimeError, match="out of registers"):
        dl.compile(module_function, backend=failing)(X)


def test_a_backend_that_fails_late_leaves_no_trace():
    """What it wrote into its input before is undone, and then the function runs."""

    def backend(graph, example_inputs):
        def run(x):
            x += 100
            raise RuntimeError("late")

        return run

    def f(x):
        x += 1
        return x * 2

    x = X.copy()
    assert same(dl.compile(f, backend=backend)(x), (X + 1) * 2)
    assert same(x, X + 1)


def test_recompile_limit():
    compiled = dl.compile(lambda x, n: x + len(n), backend="eager",
                          options={"recompile_limit": 3})  # fmt: skip
    with pytest.warns(errors.DynamoWarning, match=r"n is 'aaa', was 'aa' .*recompile_limit"):
        for n in range(6):
            assert same(compiled(X, "a" * n), X + n)
    assert len(compiled.entries()) == 3
    strict = dl.compile(lambda x, n: x + len(n), backend="eager", fullgraph=True)
    with dl.config.patch(recompile_limit=2):
        for n in range(2):
            strict(X, "a" * n)
        for n in range(2, 6):
            with pytest.raises(errors.RecompileLimitExceeded, match="n is '"):
                strict(X, "a" * n)


@pytest.mark.parametrize("vary, remedy", [
    (lambda k: (X.astype("bhilfd"[k]), None), "convert to one dtype"),
    (lambda k: (X, [int, str, float, bytes, list, dict][k]()), "pass arguments of one type"),
])  # fmt: skip
def test_the_limit_is_told_once_with_a_remedy(vary, remedy):
    def f(x, other):
        return x + len(list(other)) if isinstance(other, dict) else x + (other is None)

    compiled = dl.compile(f, backend="eager", options={"recompile_limit": 2})
    calls = [vary(k) for k in range(6)]
    with pytest.warns(errors.DynamoWarning, match=remedy) as told:
        for arguments in calls:
            assert same(compiled(*arguments), f(*arguments))
    assert len(told) == 1


def test_variants_of_no_more_use_give_way():
    compiled = dl.compile(lambda x, n: x + len(n), backend="eager",
                          options={"recompile_limit": 2})  # fmt: skip
    with pytest.warns(errors.DynamoWarning):
        for n in (1, 2, 3):
            compiled(X, "a" * n)
    compiled(X, "a")
    for _ in range(20):
        assert same(compiled(X, "aaaa"), X + 4)
    assert [entry.hits for entry in compiled.entries()] == [20 - PATIENCE, 2]


def test_a_limit_of_none_leaves_the_function_to_python():
    compiled = dl.compile(lambda x: x + 1, backend="eager", options={"recompile_limit": 0})
    for _ in range(3):
        assert same(compiled(X), X + 1)
    assert compiled.entries() == []
    assert "recompile_limit" in compiled.disabled


def test_a_storm_of_variants_is_compiled_seldom():
    compiled = dl.compile(lambda x, n: x + len(n), backend="eager",
                          options={"recompile_limit": 2})  # fmt: skip
    before = dl.stats().graphs
    with pytest.warns(errors.DynamoWarning):
        for n in range(200):
            assert same(compiled(X, "a" * n), X + n)
    assert dl.stats().graphs - before < 8


def test_globals_and_closures_are_guarded():
    k = 2

    @dl.compile(backend="eager")
    def f(x):
        return x * k + OFFSET

    global OFFSET
    OFFSET = 1
    assert same(f(X), X * 2 + 1)
    k = 3
    assert same(f(X), X * 3 + 1)
    OFFSET = np.ones(4)
    assert same(f(X), X * 3 + 1.0)


def test_kinds_of_arguments_get_entries_of_their_own():
    compiled = dl.compile(lambda x: x + 1, backend="eager", options={"recompile_limit": 12})
    for value in (X, X.astype("f4"), X[None], 3, 2.5, np.float64(2), True, X > 1, np.array(3)):
        assert same(compiled(value), value + 1)
        assert same(compiled(value), value + 1)
    for other in ("a", None, [1]):
        with pytest.raises(TypeError):
            compiled(other)


def test_subclasses_and_masked_arrays_run_in_python():
    matrix, masked = np.matrix([[1, 2], [3, 4]]), np.ma.array([1.0, 2.0], mask=[0, 1])
    compiled = dl.compile(lambda x: x * x, backend="eager")
    assert type(compiled(matrix)) is np.matrix and (compiled(matrix) == matrix * matrix).all()
    assert type(compiled(masked)) is np.ma.MaskedArray and compiled(masked).mask.tolist() == [0, 1]


def test_recursion():
    @dl.compile(backend="eager")
    def power(x, n):
        return x if n == 0 else power(x, n - 1) * x

    assert same(power(X, 4), X**5)


def test_threads_share_one_function():
    compiled = dl.compile(lambda x, n: x * 2 + n, backend="eager")
    wrong = []

    def work(n):
        for _ in range(50):
            if not same(compiled(X, n), X * 2 + n):
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_compiled_functions_are_collected():
    def make():
        big = np.zeros(10)

        def f(x):
            y = x + big
            dl.graph_break()
            return y * 2

        compiled = dl.compile(f, backend="eager")
        compiled(np.zeros(10))
        return weakref.ref(compiled), weakref.ref(f)

    references = make()
    gc.collect()
    assert [reference() for reference in references] == [None, None]


def test_reset_compiles_again():
    compiled = dl.compile(module_function, backend="eager")
    compiled(X)
    assert dl.stats().graphs == 1
    dl.reset()
    assert dl.stats().graphs == 0 and compiled.entries() == []
    compiled(X)
    assert dl.stats().graphs == 1


def test_random_numbers_in_a_function_that_bails_out(backend):
    """The state is what it would be had the function run once."""

    def f(x):
        noise = np.random.random(4)
        return noise / x

    compiled = dl.compile(f, backend=backend)
    with np.errstate(divide="ignore"):
        compiled(X)
    results = []
    for function in (f, compiled):
        np.random.seed(3)
        with np.errstate(divide="warn"), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            results.append((function(X), np.random.random(), len(caught)))
    assert same(results[0], results[1])
