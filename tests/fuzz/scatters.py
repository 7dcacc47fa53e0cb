"""Random functions that assign at positions from arrays: some are named twice, count from the end or
lie outside, some are read from what changes.

`python -m tests.fuzz.scatters SEED` prints a program.
"""
from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ..oracle import outcome

CALLS = 5
"""Of a program: with the same sizes, then with others, none, and what NumPy complains about."""
SIZES = ((9, 6), (9, 6), (14, 8), (5, 0), (9, 6))
ERRSTATES: tuple[dict[str, str], ...] = ({}, {"all": "raise"}, {"all": "ignore"}, {"all": "warn"})
TYPES = ("f8", "f8", "f8", "f8", "f4", "i8", "i8", "i4", "u1", "?", "c16")
POSITIONS = ("i8", "i8", "i8", "i8", "i4", "u1", "i2", "u8", "?")


class Writer:
    """`x`, `y`: arrays from outside; `m`: two axes; `i`, `j`: positions in the first axis; `w`:
    those of two axes; `k`: integers that are positions in themselves; `z`, `a`: arrays made here;
    `v`: a view of one."""

    def __init__(self, seed: int) -> None:
        self.seed, self.r = seed, random.Random(seed)
        self.lines: list[str] = []

    def text(self) -> str:
        self.lines.append(self.one(
            "z, a = np.zeros(len(x)), m.copy()", "z, a = x * 2, m * 1", "z, a = x, m",
            "z, a = np.ones(len(x), x.dtype), np.zeros((len(x), 5))", "z, a = y + 1, m + x[:, None]",
        ))  # fmt: skip
        self.lines.append("v, s = " + self.one("x[1:]", "m[:, 0]", "z[::-1]", "a.T[1]", "x[:]") + ", 0")
        for _ in range(self.r.randint(2, 6)):
            self.r.choice([self.assign, self.assign, self.assign, self.at, self.at, self.read])()
            if self.r.random() < 0.9 and not self.works():
                self.lines.pop()
        return self.so_far()

    def so_far(self) -> str:
        lines = [*self.lines, "return x, m, k, z, a, v, s"]
        return "def program(x, y, m, i, j, w, k):\n" + "".join(f"    {line}\n" for line in lines)

    def works(self) -> bool:
        """Whether the first call of the program is none of NumPy's errors."""
        return outcome(compiled_text(self.so_far()), arguments(self.seed, 0)).error is None

    def one(self, *rows: str) -> str:
        return self.r.choice(rows)

    def places(self) -> str:
        """Positions along one axis."""
        return self.one(
            "i", "i", "i", "j", "j", "i[::-1]", "j[::-1]", "i[::2]", "w[0]", "w[:, 0]", "k", "k[::-1]",
            "[0, 0, 1]", "np.array([2, -1, 2])", "i % 3", "np.zeros(len(i), int)", "i * 0 + 1", "z > 1",
            "np.nonzero(y > 1)[0]", "np.flatnonzero(x)", "np.broadcast_to(i[:1], len(i))", "-i - 1",
            "np.where(y < 1)", "np.argsort(y)[:len(i)]", "i[None]", "(i,)", "k[1:]", "i - 2", "i[i > 1]",
        )  # fmt: skip

    def target(self) -> str:
        r = self.r
        if r.random() < 0.6:
            name = self.one("x", "x", "z", "z", "y", "v", "k", "x[1:]", "z[::-1]", "m[:, 1]", "a[0]")
            return f"{name}[{self.one('w', 'w', 'w.T') if r.random() < 0.15 else self.places()}]"
        name = self.one("m", "m", "a", "a", "m[1:]", "a[:, 1:]", "m[::-1]")
        key = self.one(
            "i", "i, 1", "i, -1", "i, :", "i, 1:", "i, ::-2", ":, [0, 2, 0]", "i, i % 3", "j, 0",
            "j", "w", "w, 0", "i[:, None], [1, 0, 1]", "[[0], [1]], [3, 3]", ":, [-1, 1]", "i, None",
            "1, [0, 1, 0]", "..., [2, 2]", "1:, [0, 1]", "i[None], 0", "np.where(y > 1), 1", "i, [1]",
        )  # fmt: skip
        return f"{name}[{key}]"

    def value(self, target: str) -> str:
        name = target.split("[")[0]
        return self.one(
            "1", "2", "0.5", "-1", "s", "x[0]", "True", "x[i]", "y[i]", "y[i] * 2", "i", "i * 1.5",
            "y[:len(i)]", "np.arange(len(i))", "np.arange(len(i))[::-1]", "x[1:][:len(i)]",
            f"{name}[::-1][:len(i)]", f"{target} * 2", f"{target}", f"{target} + 1", "np.sqrt(y[i])",
            "np.exp(x[i])", "w", "w.T", "m[i]", "m[i] * 2", "m[i, 1]", "m[0]", "m[:, 0][i]", "1e300",
            "m[i].sum(axis=1)", "[1, 2, 3]", "[5]", "y[i][None]", "x", "np.float32(0.1)", "k", "300",
            "y[i].astype(int)", "x[i] / y[i]", "np.arange(3.0)", "z[i]", "k[i]", "v[i - 1]",
        )  # fmt: skip

    def assign(self) -> None:
        target = self.target()
        operator = self.one("=", "=", "=", "+=", "-=", "*=", "/=", "//=", "|=", "**=")
        self.lines.append(f"{target} {operator} {self.value(target)}")

    def at(self) -> None:
        name = self.one("x", "x", "z", "z", "y", "v", "k", "x[1:]", "z[::-1]", "m[:, 1]", "m", "a")
        key = self.one("(i, i % 3)", "(i, 1)", "(slice(None), [0, 0])", "i") if name in "ma" else (
            self.places() if self.r.random() < 0.9 else self.one("slice(1, None)", "...", "None", "1"))
        function = self.one("add", "add", "add", "subtract", "multiply", "maximum", "minimum", "divide",
                            "bitwise_or", "logical_or", "negative", "floor_divide", "copysign", "fmax",
                            "left_shift", "hypot")  # fmt: skip
        given = f"{name}, {key}"
        if function != "negative":
            given += ", " + self.value(f"{name}[{key}]" if name not in "ma" else "x[i]")
        self.lines.append(f"np.{function}.at({given})")

    def read(self) -> None:
        self.lines.append(self.one(
            "s = x.sum()", "s = z[i].sum()", "z = x[i] * 2", "a = m[i]", "v = x[2:]", "z = x.copy()",
            "s = m.sum()", "x = x * 1", "i = k[:3]", "j = np.arange(3)", "z = z[z > 0]", "v = z[:3]",
            "if s > 1: x[i] = 3", "for n in range(3): z[i] += n", "for n in i: z[n] += 1",
            "for n in range(4): np.add.at(z, i, x[n])", "w = w[::-1]", "m = m.T.copy()",
        ))  # fmt: skip


def source(seed: int) -> str:
    return Writer(seed).text()


def function(seed: int) -> Callable[..., Any]:
    return compiled_text(source(seed))


def compiled_text(text: str) -> Callable[..., Any]:
    scope: dict[str, Any] = {"np": np}
    exec(compile(text, "<random scatters>", "exec"), scope)
    made: Callable[..., Any] = scope["program"]
    return made


def arguments(seed: int, call: int) -> tuple[np.ndarray, ...]:
    """What a program is called with; types and memory orders are the same in all calls."""
    same, r = random.Random(seed + 1), np.random.default_rng((seed, call))
    size, count = SIZES[call]
    kinds = [same.choice(TYPES) for _ in range(3)]
    order = same.choice("CCCF")
    is_odd = call == 4 and same.random() < 0.7
    x, y, m = (numbers(r, kind, shape, is_odd) for kind, shape in
               zip(kinds, (size, size, (size, 5))))
    reach = size + (2 if is_odd else 0)
    i, j, w = (
        r.integers(-reach if same.random() < 0.5 else 0, max(reach, 1), shape)
        for shape in (count, count, (2, 3))
    )
    j = (abs(j) if same.random() < 0.7 else j).astype(same.choice(POSITIONS))
    return x, y, np.asarray(m, order=order), i, j, np.asarray(w, order=same.choice("CCF")), (
        r.permutation(size))


def numbers(r: np.random.Generator, kind: str, shape: Any, is_odd: bool) -> np.ndarray:
    """Small ones; odd ones do not fit other types."""
    found = r.integers(0, 5, shape) if kind in ("u1", "?") else r.integers(-4, 5, shape) / 2
    found = found.astype(kind)
    if is_odd and found.size and found.dtype.kind in "fc":
        found.flat[r.integers(found.size)] = r.choice([np.nan, np.inf, 1e30, -0.0])
    return found


if __name__ == "__main__":
    print(source(int(sys.argv[1])))
