"""Functions of numbers that call themselves: functions of machine code, with Python's results."""
import _thread
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import dynamo_lite as dl
from benchmarks.part_programs import place
from dynamo_lite.ir import control
from dynamo_lite.ir.control import all_nodes
from tests.flow.random_recursion import recursive_program
from tests.fuzz.seeds import chunks
from tests.graphs import graph_of
from tests.oracle import differences, outcome


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def ones(n):
    if n < 2:
        return 1.0
    return ones(n - 1) + ones(n - 2)


def gcd(a, b):
    if b == 0:
        return a
    return gcd(b, a % b)


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def power(x, n):
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    return half * half * x if n % 2 else half * half


def bell(x):
    return np.exp(-x * x)


def adaptive(f, a, b, whole, eps):
    m = (a + b) / 2
    left, right = (m - a) / 2 * (f(a) + f(m)), (b - m) / 2 * (f(m) + f(b))
    if abs(left + right - whole) <= eps:
        return left + right
    return adaptive(f, a, m, left, eps / 2) + adaptive(f, m, b, right, eps / 2)


def polynomial(x):
    return x * x - 2 * x + 1 / (x + 3)


def hanoi(n, a, b, c):
    if n == 0:
        return 0
    return hanoi(n - 1, a, c, b) + 1 + hanoi(n - 1, c, b, a)


def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


def doubled(n, x):
    return x if n == 0 else doubled(n - 1, x + x)


def fractions(n, x):
    return x if n == 0 else 1 / fractions(n - 1, x - 1)


def refuses(n, x):
    if x < 0:
        raise ValueError("negative")
    return x if n == 0 else refuses(n - 1, x - 1) + 1


def grows(n, x):
    return x if n == 0 else grows(n - 1, x * x)


def changes_type(n, x):
    return x if n == 0 else changes_type(n - 1, x / 2)


def in_a_loop(n):
    total = 0
    for i in range(n):
        total += fib(i % 12)
    return total


def of_a_closure(n, step):
    def walk(i):
        return 0 if i <= 0 else walk(i - step) + walk(i - 2) + 1

    return walk(n)


def of_elements(x, n):
    total = 0.0
    for i in range(len(x)):
        total += power(float(x[i]), n)
    return total


PROGRAMS = [
    (fib, [(15,), (16,), (1,), (0,), (20,)]), (ones, [(9,), (12,), (1,)]),
    (gcd, [(1071, 462), (2**40, 3**20), (7, 0), (0, 7), (-4, 6)]),
    (ackermann, [(2, 3), (1, 5), (2, 4), (0, 1)]),
    (power, [(1.5, 10), (0.5, 31), (2.0, 0), (1e200, 9), (float("nan"), 3)]),
    (place, [(0, 5, 0, 0, 0), (0, 6, 0, 0, 0), (0, 4, 0, 0, 0)]),
    (adaptive, [(polynomial, 0.0, 4.0, 1.0, 1e-4), (polynomial, -1.0, 4.0, 1.0, 1e-6),
                (polynomial, -3.0, 4.0, 1.0, 1e-6)]),
    (hanoi, [(6, 0, 1, 2), (7, 0, 1, 2), (3, 2, 1, 0)]),
    (is_even, [(9,), (10,), (33,), (0,)]),
    (doubled, [(5, 3), (60, 1), (64, 1), (70, -1), (63, 1)]),
    (fractions, [(3, 2.5), (4, 7.0), (3, 3.0), (2, 2.0)]),
    (refuses, [(3, 5), (5, 3), (2, 2)]), (grows, [(3, 1.5), (20, 1.5), (20, 2.5), (4, -0.0)]),
    (changes_type, [(3, 5), (4, 5), (4, 5.0)]),
    (in_a_loop, [(30,), (31,), (0,)]), (of_a_closure, [(9, 1), (9, 3), (10, 2)]),
    (of_elements, [(np.linspace(-2, 2, 9), 5), (np.linspace(-2, 3, 9), 6)]),
]


@pytest.mark.parametrize("function, arguments", PROGRAMS, ids=[one.__name__ for one, _ in PROGRAMS])
@pytest.mark.parametrize("backend", ["llvm", "eager"])
def test_results(function, arguments, backend):
    compiled = dl.compile(function, backend=backend)
    for args in [*arguments, *arguments]:
        assert not differences(outcome(compiled, args), outcome(function, args)), args


@pytest.mark.parametrize("function, args, others", [
    (fib, (15,), (16,)), (ones, (9,), (12,)), (place, (0, 6, 0, 0, 0), (0, 7, 0, 0, 0)),
    (in_a_loop, (30,), (31,)), (of_elements, (np.linspace(-2, 2, 9), 5), (np.ones(9), 6)),
    (adaptive, (polynomial, 0.0, 4.0, 1.0, 1e-6), (polynomial, 0.5, 4.0, 1.0, 1e-6)),
])
def test_it_is_one_function_of_the_graph(function, args, others):
    graph = graph_of(function, *others)
    assert any(node.target is control.recursive for node in all_nodes(graph))
    compiled = dl.compile(function, fullgraph=True)
    for each in (args, others, args):
        compiled(*each)


def test_what_is_not_of_numbers_is_followed():
    def halves(x):
        return x.sum() if len(x) < 2 else halves(x[: len(x) // 2]) * 2 + halves(x[len(x) // 2 :])

    x = np.arange(16.0)
    assert dl.compile(halves, fullgraph=True)(x) == halves(x)


def test_python_raises_where_calls_are_too_deep():
    compiled = dl.compile(depth)
    for n in (100, 101, 700, 100):
        assert compiled(n) == n
    with pytest.raises(RecursionError):
        compiled(100_000)
    assert compiled(102) == 102


def at_depth(levels, call):
    return call() if levels == 0 else at_depth(levels - 1, call)


def test_calls_around_count():
    compiled = dl.compile(depth)
    assert compiled(100) == compiled(101) - 1 == 100
    room = sys.getrecursionlimit()
    with pytest.raises(RecursionError):
        at_depth(room // 2, lambda: depth(room // 2 + 20))
    with pytest.raises(RecursionError):
        at_depth(room // 2, lambda: compiled(room // 2 + 20))


def test_a_higher_limit_is_used():
    compiled, limit = dl.compile(depth), sys.getrecursionlimit()
    compiled(100), compiled(101)
    sys.setrecursionlimit(20_000)
    try:
        assert compiled(5_000) == 5_000
    finally:
        sys.setrecursionlimit(limit)


def test_threads_have_room():
    compiled, found = dl.compile(depth), []
    compiled(100), compiled(101)
    thread = threading.Thread(target=lambda: found.append(compiled(750)))
    thread.start()
    thread.join()
    assert found == [750]


def test_another_function_takes_its_name(monkeypatch):
    compiled = dl.compile(fib)
    assert [compiled(10), compiled(11)] == [55, 89]
    monkeypatch.setitem(globals(), "fib", lambda n: 1000)
    assert compiled(10) == 2000


def test_an_interrupt_is_raised():
    def slow(n):
        return n if n < 2 else slow(n - 1) + slow(n - 2)

    compiled = dl.compile(slow)
    compiled(18), compiled(19)
    threading.Timer(0.3, _thread.interrupt_main).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        compiled(60)
    assert time.monotonic() - began < 30


def test_numpy_integers_warn():
    def doubled(n, x):
        return x if n == 0 else doubled(n - 1, x + x)

    compiled = dl.compile(doubled)
    for n in (3, 4, 10, 70):
        with warnings.catch_warnings(record=True) as expected:
            warnings.simplefilter("always")
            result = doubled(n, np.int64(3))
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            found = compiled(n, np.int64(3))
        assert found == result and type(found) is type(result)
        assert [str(one.message) for one in seen] == [str(one.message) for one in expected]


def test_derivatives_follow_every_call():
    def cubed(x, n):
        return 1.0 if n == 0 else x * cubed(x, n - 1)

    assert dl.grad(cubed)(2.0, 3) == 12.0


@pytest.mark.parametrize("seeds", chunks(20, 10, daily=400))
@pytest.mark.parametrize("backend", ["eager", "llvm"])
def test_random_functions(backend, seeds):
    with dl.config.patch(strict=True, recompile_limit=64):
        for seed in seeds:
            function, text, arguments = recursive_program(seed)
            compiled = dl.compile(function, backend=backend)
            for args in [*arguments, *arguments]:
                expected = outcome(function, args)
                wrong = differences(outcome(compiled, args), expected)
                assert not wrong, f"seed {seed}, {args}\n{text}\n{wrong}"
            dl.reset()
