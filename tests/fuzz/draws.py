"""Random functions that draw random numbers in loops and branches, and use them in the next ones.

`python -m tests.fuzz.draws SEED` prints one. All other arithmetic is exact, so the numbers and the
states afterwards are the same bits or wrong. Some calls raise, or report, after many draws.
"""
from __future__ import annotations

import copy
import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

MAKERS: tuple[Callable[[], Any], ...] = (
    lambda: np.random.default_rng(3), lambda: np.random.RandomState(3),
    lambda: np.random.Generator(np.random.MT19937(3)), lambda: np.random.Generator(np.random.SFC64(3)),
    lambda: np.random.RandomState(np.random.PCG64(3)), lambda: random.Random(3),
)
INTEGERS = ("integers", "randint", "integers", "integers", "randint", "randrange")
NUMBERS = (
    "rng.uniform()", "rng.uniform({n}, 2.5)", "rng.uniform(-1, 1)", "rng.normal()",
    "rng.normal({n}, 0.5)", "rng.normal(0, abs({n}))", "rng.standard_normal()",
    "rng.exponential(abs({n}))", "rng.exponential()", "rng.standard_exponential()", "rng.random()",
    "np.random.rand()", "np.random.random()", "np.random.randn()", "np.random.uniform(size=None)",
    "np.random.normal(loc={n}, scale=2)", "np.random.uniform(low=-1.0, high=1 + abs({n}))",
    "rng.gamma(2.0)", "rng.poisson(3)", "rng.choice(x)", "np.random.choice(4)",
    "np.random.choice([-1, 1])", "rng.choice([0.5, 1.5])",
)
WHOLE = (
    "rng.INTEGERS(3)", "rng.INTEGERS(0, 4)", "rng.INTEGERS(-2, {i} + 1)", "np.random.randint(5)",
    "np.random.randint({i}, {i} + 300)", "int(rng.uniform() * 4)", "rng.INTEGERS(1)",
    "rng.INTEGERS(-2**40, 2**40)", "rng.INTEGERS(0, 2**32)", "np.random.randint(low=2, high=9)",
)
ARRAYS = (
    "rng.normal(size=4)", "np.random.rand(4)", "rng.uniform(0, 1, 4)", "rng.permutation(4) * 1.0",
    "rng.standard_normal(4)", "rng.INTEGERS(0, 3, 4) * 0.5", "np.random.randn(4)",
)
STATEMENTS = (
    "s = {n}", "s = s + {n}", "s += {n} * {n}", "x[{j}] = {n}", "x[{j}] += {n}", "v = {a}",
    "v = v + {a}", "v[{j} % 4] = {n}", "v *= {n}", "s = v.sum() + {n}", "n = {i}", "n += {i} % 5",
    "kept.append({n})", "{n}", "s, t = t, {n}", "t = {n} - {n}", "rng.uniform(); s += 1",
    "x = x + {n}", "s = x[{j}] * 0.5",
)
RARE = ("x[{j}] = {n} / (len(x) - 1 - {j})", "s = rng.normal(0, {n})", "x[{j} * 2] = {n}",
        "rng.shuffle(v)", "x = np.sqrt(x - {n})")
TESTS = ("{n} < {n}", "{n} > 0.5", "{i} == 1", "rng.uniform() < 0.3 or {n} < 0",
         "s > 0 and rng.uniform() < 0.5", "not {i} % 2", "x[{j}] < {n} < 2")


class Writer:
    """Writes one function of a generator, an array and a number."""

    holes = {"n": NUMBERS, "i": WHOLE, "a": ARRAYS}
    rare, tests = RARE, TESTS

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.integers = INTEGERS[seed % len(MAKERS)]
        self.lines = ["def program(rng, x, n):"]
        self.indices: list[str] = []
        self.depth = 1

    def fill(self, text: str, deep: int = 0) -> str:
        while "{" in text:
            hole = text[text.index("{") + 1]
            text = text.replace(f"{{{hole}}}", self.part(hole, deep), 1)
        return text.replace("INTEGERS", self.integers)

    def part(self, hole: str, deep: int) -> str:
        r = self.r
        if hole == "j":
            return f"{r.choice(self.indices or ['n'])} % len(x)"
        if hole == "a":
            return self.fill(r.choice(self.holes["a"]), deep + 1)
        known = ["s", "t", "0.5", "x[0]"] if hole == "n" else [*self.indices, "n % 7", "2"]
        if deep > 1 or r.random() < 0.4:
            return r.choice(known)
        return self.fill(r.choice(self.holes[hole]), deep + 1)

    def put(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def block(self, head: str, *statements: Callable[[], None]) -> None:
        self.put(head)
        self.depth += 1
        for statement in statements:
            statement()
        self.depth -= 1

    def statement(self) -> None:
        r = self.r
        if self.depth < 5 and r.random() < 0.3:
            return r.choice([self.branch, self.loop])()
        if self.indices and r.random() < 0.06:
            return self.put(self.fill(f"if {r.choice(self.tests)}: {r.choice(('break', 'continue'))}"))
        self.put(self.fill(r.choice(self.rare if r.random() < 0.02 else STATEMENTS)))

    def body(self) -> list[Callable[[], None]]:
        return [self.statement] * self.r.randint(1, 3)

    def branch(self) -> None:
        self.block(self.fill(f"if {self.r.choice(self.tests)}:"), *self.body())
        if self.r.random() < 0.5:
            self.block("else:", *self.body())

    def loop(self) -> None:
        index = "ijkl"[len(self.indices)]
        count = self.r.choice(("len(x)", "40", "5")) if not self.indices else "4"
        self.indices.append(index)
        if self.r.random() < 0.75:
            self.block(f"for {index} in range({count}):", *self.body())
        else:
            self.put(f"{index} = 0")
            self.block(self.fill(f"while {index} < {count}:"), lambda: self.put(f"{index} += 1"),
                       *self.body())
        self.indices.pop()

    def text(self) -> str:
        self.put("s, t, v, kept = 0.0, 1.0, np.zeros(4), []")
        for statement in (self.loop, *[self.statement] * self.r.randint(0, 4)):
            statement()
        self.put("return x, s, t, v, n, kept")
        return "\n".join(self.lines) + "\n"


class PythonWriter(Writer):
    """Draws from Python's own generators."""

    holes = {
        "n": (
            "rng.random()", "rng.uniform({n}, 2.5)", "rng.uniform(-1, 1)", "rng.gauss(0, 1)",
            "rng.gauss({n}, 0.5)", "rng.normalvariate(0.0, {n})", "rng.expovariate(1.5)",
            "random.random()", "random.random()", "random.gauss({n}, 2)", "random.uniform({n}, {n})",
            "rng.uniform({i}, 4)", "random.gauss(mu=0.5, sigma={n})", "rng.choice([0.5, 1.5])",
            "random.triangular(0, 1, 0.5)", "rng.expovariate(abs({n}) + 0.25)",
        ),
        "i": (
            "rng.randrange(3)", "rng.randint(0, 3)", "rng.randrange(-2, {i} % 4 + 1)",
            "random.randint({i} % 3, {i} % 3 + 300)", "random.randrange(7)", "rng.getrandbits(3)",
            "rng.randint(-2**40, 2**40)", "random.getrandbits(40)", "rng.randrange(2**32)",
            "random.choice([1, 2])", "rng.randint({i} % 4, 7)",
        ),
        "a": ("np.arange(4.0)", "np.random.rand(4)", "np.full(4, {n})"),
    }
    rare = ("x[{j}] = {n} / (len(x) - 1 - {j})", "x[{j} * 2] = {n}", "s = rng.expovariate(0.0)",
            "n = rng.randrange(len(x) - 30 - {j})", "s = rng.expovariate({n} - {n})")
    tests = ("{n} < {n}", "{n} > 0.5", "{i} == 1", "rng.random() < 0.3 or {n} < 0", "not {i} % 2",
             "s > 0 and random.random() < 0.5")


def source(seed: int) -> str:
    is_python = isinstance(MAKERS[seed % len(MAKERS)](), random.Random)
    return (PythonWriter if is_python else Writer)(seed).text()


def program_of(seed: int) -> Callable[..., Any]:
    scope: dict[str, Any] = {"np": np, "random": random}
    exec(compile(source(seed), f"<random draws {seed}>", "exec"), scope)
    program: Callable[..., Any] = scope["program"]
    return program


LENGTHS = (60, 90, 60)


def drawn(program: Callable[..., Any], seed: int, call: int) -> tuple[Any, ...]:
    """What a call gives, and what the generators give afterwards, whether it raised or not."""
    rng, x = MAKERS[seed % len(MAKERS)](), np.arange(LENGTHS[call]) / 8
    np.random.seed(call)
    np.random.randn(call)
    random.seed(call)
    try:
        found = program(rng, x, 3)
    except (ValueError, IndexError, ArithmeticError, TypeError) as error:
        found = type(error), str(error)
    return found, x, *afterwards(rng), np.random.randn(2), np.random.bytes(5), random.gauss(0, 1)


def afterwards(rng: Any) -> tuple[Any, ...]:
    """What the generator gives next."""
    later = copy.deepcopy(rng)
    if isinstance(rng, random.Random):
        return rng.randbytes(5), later.gauss(0, 1), later.getstate()
    return rng.bytes(5), later.normal(size=2)


if __name__ == "__main__":
    print(source(int(sys.argv[1])))
