"""Random long functions without branches, whose operations the backend makes into large kernels.

`python -m tests.fuzz.chains SEED` prints one.
"""
from __future__ import annotations

import random
import sys

import numpy as np

STATEMENTS = (
    "{a} * {b} + {c}", "{a} - {b}", "{a} / (1 + {b} * {b})", "np.sqrt({a} * {a} + {c})", "abs({a})",
    "np.exp(-{a} * {a})", "np.log(abs({a}) + {c})", "np.sin({a})", "np.tanh({a})", "{a} ** 2",
    "np.where({a} > {b}, {a}, {b})", "np.where({a} <= {c}, {b}, {c})", "np.maximum({a}, {c})",
    "np.minimum({a}, {b})", "np.clip({a}, -{c}, {c})", "({a} < {b}) * {a}", "np.floor({a} * 8)",
    "np.roll({a}, {k}, axis={axis})", "{a}[::-1]", "{a} - {a}.mean(axis={axis}, keepdims=True)",
    "{a}.max(axis={axis}, keepdims=True) - {b}", "{a}.astype(np.float32) * {b}",
    "({a} * 100).astype(np.int32) * {c}", "np.sign({a}) * {b}", "np.isfinite({a}) & ({b} >= {a})",
)  # fmt: skip
LENGTHS = (3, 12, 30, 60)
SHAPES = ((7, 9), (20, 20), (3, 130))


def source(seed: int) -> str:
    chosen = random.Random(seed)
    lines = ["def chain(a, b, c):"]
    for _ in range(chosen.choice(LENGTHS)):
        statement = chosen.choice(STATEMENTS).format(
            a=chosen.choice("abc"), b=chosen.choice("abc"), c=round(chosen.uniform(0.3, 2), 3),
            k=chosen.choice((1, 2, -1)), axis=chosen.choice((0, 1)))
        lines.append(f"    {chosen.choice('abc')} = {statement}")
    return "\n".join([*lines, "    return a, b, c"])


def arguments(seed: int) -> tuple[np.ndarray, ...]:
    numbers = np.random.default_rng(seed)
    shape = SHAPES[seed % len(SHAPES)]
    kinds = (np.float64, np.float64, np.float32)
    return tuple(numbers.uniform(-2, 2, shape).astype(kind) for kind in kinds)


if __name__ == "__main__":
    print(source(int(sys.argv[1])))
