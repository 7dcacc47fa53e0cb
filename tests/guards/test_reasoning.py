"""Answers of sympy about sizes: tried with values that the search has not looked at."""
import random

import pytest
import sympy
from dynamo_lite.guards.shapes import reasoning

from dynamo_lite.ir.sizes import (
    evaluate,
    floordiv,
    maximum,
    minimum,
    modulo,
    symbol,
)
from dynamo_lite.ir.symbolic import expression

NAMES = ("s0", "s1", "u0")
OPERATORS = (
    lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, minimum, maximum,
    lambda a, b: floordiv(a, b * b + 1), lambda a, b: modulo(a, b * b + 1),
    lambda a, b: floordiv(a, 3), lambda a, b: modulo(a, 4), lambda a, b: floordiv(a, -2),
)


def random_size(numbers, depth):
    if depth == 0 or numbers.random() < 0.15:
        return symbol(numbers.choice(NAMES)) if numbers.random() < 0.8 else numbers.randint(-3, 5)
    left, right = (random_size(numbers, depth - 1) for _ in range(2))
    return numbers.choice(OPERATORS)(left, right)


@pytest.mark.parametrize("seed", range(12))
def test_answers_hold_for_all_values(seed):
    numbers = random.Random(seed)
    answered = 0
    for _ in range(40):
        size = random_size(numbers, 3)
        if isinstance(size, int):
            continue
        lower = {name: numbers.choice((0, 0, 1, 2, -3)) for name in NAMES}
        upper = {"u0": symbol("s0")} if numbers.random() < 0.5 else {}
        lower["u0"] = 0
        for op, compare in ("==", int.__eq__), ("<", int.__lt__):
            found = reasoning.answer(op, size, lower, upper)
            answered += found is not None
            for _ in range(150 if found is not None else 0):
                width = numbers.choice((3, 9, 60, 10**6))
                values = {n: lower[n] + numbers.randint(0, width) for n in NAMES}
                if upper and values["u0"] > values["s0"]:
                    continue
                assert compare(evaluate(size, values), 0) == found, (op, size, values, lower)
    assert answered


def test_wrong_conjectures_are_not_proved(monkeypatch):
    """Where few values are looked at, all of them may have the same answer."""
    n, m = symbol("s0"), symbol("s1")
    monkeypatch.setattr(reasoning, "VALUES", (0, 1))
    lower = {"s0": 0, "s1": 0}
    for size in n * n - n, n * n * n - n, n * m * (n - 1), (n * n - n) * (m * m - m):
        assert reasoning.answer("==", size, lower, {}) is None
    assert reasoning.answer("<", n * n - 3 * n - 1, lower, {}) is None


def test_linear_questions_are_not_asked():
    n, m = symbol("s0"), symbol("s1")
    reasoning.asked.clear()
    assert reasoning.answer("==", n - m + 1, {"s0": 0, "s1": 0}, {}) is None
    assert reasoning.answer("==", n * m - 6, {"s0": 0, "s1": 0}, {}) is None
    assert reasoning.asked.questions == 0


def test_expressions_are_those_of_sympy():
    n, m = symbol("s0"), symbol("u0")
    s, u = sympy.symbols("s0 u0", integer=True)
    assert (n * m + 2 * n - 3).expr == s * u + 2 * s - 3
    assert floordiv(n * m, 4).expr == sympy.floor(s * u / 4)
    assert modulo(n, m).expr == sympy.Mod(s, u)
    assert expression(n, {"s0": 2}) == sympy.Symbol("s0", integer=True, positive=True)
    assert expression(maximum(n, 0)) == sympy.Max(s, 0)


@pytest.mark.parametrize("seed", range(5))
def test_expressions_have_the_same_values(seed):
    numbers = random.Random(seed)
    for _ in range(30):
        size = random_size(numbers, 3)
        values = {name: numbers.randint(0, 50) for name in NAMES}
        named = {sympy.Symbol(name, integer=True): value for name, value in values.items()}
        assert expression(size).subs(named) == evaluate(size, values)
