"""Random functions that write masks, select by them, and write masks by what they selected.

Loops, branches and calls of NumPy follow one another; what is selected, found or counted is used by
what comes next, as elements, sizes and places. The same is asked again and again, so that an answer
from before a write would be found. All numbers are small multiples of 0.5, so that sums are exact.
`python -m tests.fuzz.selections SEED` prints a program.
"""
from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

LENGTHS = (70, 70, 64, 3)
"""Of the arrays, in each call of a program."""
LIMIT = 5
"""Rounds of a program: something is asked, and something is written."""


class Writer:
    """`x`, `y`: arrays from outside; `a`, `b`, `c`: arrays as long, numbers or bool; `p`, `q`:
    what was selected; `n`, `m`: counts; `s`: a number; `j`: places; `found`: all of these."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.lines: list[str] = []
        self.depth = 1
        self.indices: list[str] = []
        self.asked: list[str] = []
        self.masks: list[str] = []
        self.names: list[str] = []

    def text(self) -> str:
        for line in ("a = np.zeros(len(x))", "b = np.zeros(len(x), bool)", "c = np.zeros(len(x))", "p = x[:3]", "q = y[:0]",
                     "n, m, s = 2, 0, 0.5", "j, found = np.arange(2), []"):  # fmt: skip
            self.put(line)
        for _ in range(self.r.randint(2, LIMIT)):
            self.r.choice([self.refrain, self.refrain, self.statement, self.question])()
        self.put("return " + ", ".join(["found", "a", "b", "c", "p", "q", "n", "m", "s", "j"]))
        return "def program(x, y):\n" + "\n".join(self.lines) + "\n"

    def put(self, line: str) -> None:
        self.lines += ["    " * self.depth + part for part in line.split("\n")]

    def one(self, *rows: str) -> str:
        return self.r.choice(rows)

    def refrain(self) -> None:
        """A question about an array, before and after something is written into it."""
        self.names = [self.one("a", "b", "c", "a", "b", "c", "x")]
        self.masks.append(self.a_mask())
        self.question()
        line = self.asked[-1]
        self.r.choice([self.loop, self.loop, self.loop, self.branch, self.change])()
        self.ask(line)

    def question(self) -> None:
        self.r.choice([self.select, self.select, self.count])()

    def statement(self) -> None:
        choices: list[Callable[[], None]] = (
            [self.make] + [self.change] * 3 + [self.use] * 2 + [self.loop] * 7 + [self.branch] * 3
        )
        self.r.choice(choices)()

    def inside(self, *statements: Callable[[], None]) -> None:
        self.depth += 1
        for statement in statements:
            statement()
        self.depth -= 1

    # -- expressions

    def array(self) -> str:
        return self.one("a", "b", "c", "x", "y", *self.names * 12)

    def written(self) -> str:
        return self.one("a", "b", "c", "x", *self.names * 12)

    def number(self) -> str:
        return self.one("0", "1", "1", "2", "0.5", "s", "n", "-1", "True")

    def mask(self) -> str:
        often = self.masks and self.r.random() < 0.7
        return self.one(self.masks[0], *self.masks[-1:] * 3) if often else self.a_mask()

    def a_mask(self) -> str:
        r, one = self.r, self.array()
        if r.random() < 0.15:
            return f"({self.mask()}) {self.one('&', '|')} ({self.mask()})"
        return self.one(
            f"{one} == 0", f"{one} > {self.number()}", f"{one} != 0", f"~({one} > 0)",
            f"{one} <= {self.array()}", f"{one} == {self.number()}", f"{one}.astype(bool)",
            f"np.isin({one}, p)" if r.random() < 0.2 else f"{one} > 0", f"{one}[::-1] > 0",
            f"np.logical_not({one})", "b == True", f"x > {self.number()}", f"{one}.copy() > 0.5",
        )

    def index(self) -> str:
        i = self.r.choice(self.indices)
        return self.one(i, i, i, f"-{i}", f"{i} - 1", f"len(x) - 1 - {i}", f"{i} // 2")

    def element(self) -> str:
        return f"{self.array()}[{self.index()}]"

    def test(self) -> str:
        tests = ["s > 1", f"{self.array()}[0] > 0", f"{self.array()}[-1] == 0", "n > 3",
                 f"({self.mask()}).any()", f"{self.array()}.sum() > 4", "m < n", "s != 0"]
        tests += [f"{self.element()} > {self.number()}", f"{self.element()} == {self.element()}",
                  f"{self.index()} % 3 == 1"] * 2 if self.indices else []  # fmt: skip
        return self.one(*tests)

    # -- statements

    def make(self) -> None:
        self.put(self.one("a", "b", "c") + " = " + self.one(
            "np.zeros(len(x))", "np.zeros(len(x), bool)", "np.ones(len(x))", "np.zeros_like(x)",
            self.mask(), self.mask(), "x.copy()", "a.copy()", "x % 3", "np.zeros(len(x), int)",
            f"np.where({self.mask()}, {self.array()}, {self.number()})", "y * 1", "x[:]",
        ))

    def ask(self, line: str) -> None:
        """Put a question, and keep the answer."""
        self.put(line)
        self.asked.append(line)
        if self.depth == 1:
            self.put(f"found.append({line[0]})")

    def select(self) -> None:
        self.ask(self.one(
            f"p = {self.array()}[{self.mask()}]", f"p = {self.array()}[{self.mask()}]",
            f"q = {self.array()}[{self.mask()}]", f"q = {self.array()}[np.nonzero({self.mask()})]",
            f"j = np.where({self.mask()})[0]", f"j = np.flatnonzero({self.array()})",
            f"j = np.nonzero({self.array()})[0]", f"j = np.argwhere({self.mask()})[:, 0]",
            f"q = np.unique({self.array()})", "p = np.unique(q)", "p = x[j]",
            f"p, j = np.unique({self.array()}, return_index=True)", f"q = {self.array()}[:n]",
            f"p = p[p > {self.number()}]", f"p = x[b > 0]",
            f"p = np.compress({self.mask()}, x)", f"p = np.extract({self.mask()}, y)",
            f"q = {self.array()}[m:n]", f"s = {self.array()}[{self.mask()}].sum()",
            f"q = np.unique([{self.array()}, {self.array()}])",
        ))

    def count(self) -> None:
        self.ask(self.one("n", "n", "m") + " = " + self.one(
            f"int(({self.mask()}).sum())", f"np.count_nonzero({self.mask()})", "len(p)", "len(q)",
            f"int(np.argmax({self.array()}))", f"({self.mask()}).sum()", "len(j)", "p.size",
            f"int(np.count_nonzero({self.array()}))", f"int(({self.mask()}).argmin())",
            f"len({self.array()}[{self.mask()}])", "int(p.sum()) % 7", f"sum({self.mask()})"
            if self.r.random() < 0.1 else "len(np.unique(a))", "b.sum()", "abs(int(s)) % 5",
        ))

    def change(self) -> None:
        """A write without a loop."""
        w, v = self.written(), self.number()
        self.put(self.one(
            f"{w}[{self.mask()}] = {v}", f"{w}[{self.mask()}] += {v}", f"{w}[:n] = {v}",
            f"{w}[{self.r.randint(0, 2)}:{self.r.randint(2, 50)}] = {v}", f"{w}[::2] = {v}",
            "a += x > 1", "b |= c > 0", "b &= x > 0", "b ^= y > 1", f"c *= {v}", "c -= a",
            f"np.greater({self.array()}, {v}, out=b)", f"np.copyto({w}, {self.array()} > {v})",
            f"np.copyto({w}, {v}, where={self.mask()})", "np.add.at(a, j, 1)", f"{w}.sort()",
            f"np.putmask({w}, {self.mask()}, {v})", f"np.put({w}, j, {v})", f"{w}.fill({v})",
            f"v = {w}[1:]\nv[:] = {v}", f"{w}[j] = {v}", f"{w}[{w} == 0] = {self.array()}[0]",
            f"{w}[{self.mask()}] = {self.array()}[{self.mask()}]", f"{w}[-1] = {v}",
            f"p[:1] = {v}", "np.divmod(x, 2, out=(a, c))", f"{w}[...] = {self.array()}[::-1]",
            f"{w}[:len(p)] = p", f"np.logical_or({self.mask()}, b, out=b)", "j[:1] = 0",
        ))

    def use(self) -> None:
        """What was selected, in what comes next."""
        self.put(self.one(
            "s = p.sum()", "s = q.sum() + n", "a = np.zeros(len(x))\na[:len(q)] = q", "s = float(n)",
            "q = np.zeros(n)", "q = np.arange(n) + s", "p = x[:n] + y[:n]", "p = np.full(n, s)",
            "q = np.ones((n, 2))[:, 0]", "p = np.concatenate([p, q])", "j = np.arange(len(x))[:n]",
            "q = p * 2 + len(q)", "s = p[0] if len(p) else s", "s = len(p) - len(q)",
            "p = p[::-1]", "q = np.sort(q)[:3]", "p = np.repeat(p, 2)[:5]", "s = max(n, m)",
            "p = p + q if len(p) == len(q) else q", "j = j[j < n]", "c[j] += 1", "p = p.copy()",
        ))

    def loop(self) -> None:
        index = f"i{len(self.indices)}"
        header = self.one(
            f"for {index} in range(len(x)):", f"for {index} in range(len(x)):",
            f"for {index} in range(len(x)):", f"for {index} in range(1, len(x)):",
            f"for {index} in range(len(x) - 5):", f"for {index} in range(n):",
            f"for {index} in range(len(p)):" if self.depth == 1 else f"for {index} in range(3):",
            f"for {index}, e in enumerate({self.array()}):", f"for {index} in range(2):",
            f"{index} = 0\nwhile {index} < len(x) and {self.array()}[{index}] < {self.number()}:",
            f"{index} = -1\nwhile {index} < len(x) - 1 and {self.array()}[{index}] != 3:",
        )
        self.put(header)
        self.indices.append(index)
        if "while" in header:
            self.inside(lambda: self.put(f"{index} += 1"))
            self.inside(lambda: self.put(f"if {index} >= len(x): break"))
        self.inside(*[self.step] * self.r.randint(1, 3))
        self.indices.pop()

    def step(self) -> None:
        """A statement of a loop's body."""
        r = self.r
        if len(self.indices) < 2 and r.random() < 0.06:
            return self.loop()
        if r.random() < 0.15:
            return self.branch()
        if r.random() < 0.12:
            return self.r.choice([self.change, self.select, self.count])()
        w = f"{self.written()}[{self.index()}]"
        self.put(self.one(
            f"{w} = {self.element()} > {self.number()}", f"{w} = {self.element()} > 0",
            f"{w} = {self.number()}", f"{w} = {self.element()}", f"{w} += {self.number()}",
            f"if {self.test()}: {w} = {self.number()}", f"if {self.test()}: {w} = {self.number()}",
            f"s = s + {self.element()}", f"s = {self.element()}", f"{w} = {self.index()} % 3",
            f"if {self.test()}: s = s + 1", f"if {self.test()}: break", f"n = {self.index()} % 4",
            f"if {self.test()}: {w} = 1; n = 3" if self.depth < 3 else f"{w} = 0",
            f"if {self.test()}: continue", f"{self.written()}[:] = {self.number()}",
            f"{self.written()}[{self.index()}:] = {self.number()}", f"m = m + ({self.test()})",
        ))

    def branch(self) -> None:
        kinds = [self.change] * 5 + [self.use, self.make]
        kinds += [self.step] * 5 if self.indices else [self.loop, self.count, self.select]
        self.put(f"if {self.test()}:")
        self.inside(*self.r.choices(kinds, k=self.r.randint(1, 2)))
        if self.r.random() < 0.6:
            self.put("else:")
            self.inside(*self.r.choices(kinds, k=self.r.randint(1, 2)))


def source(seed: int) -> str:
    return Writer(seed).text()


def function(seed: int) -> Callable[..., Any]:
    scope: dict[str, Any] = {"np": np}
    exec(compile(source(seed), f"<random selections {seed}>", "exec"), scope)
    made: Callable[..., Any] = scope["program"]
    return made


def arguments(seed: int, call: int) -> tuple[np.ndarray, np.ndarray]:
    r = np.random.default_rng((seed, call))
    length = LENGTHS[call]
    return r.integers(-3, 5, length) / 2, r.integers(-1, 4, length).astype(float)


if __name__ == "__main__":
    print(source(int(sys.argv[1])))
