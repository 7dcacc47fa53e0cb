"""Which formulas NumPy computes complex products and absolute values by on this machine.

NumPy's vector loops have a fused multiply-add where the machine has one. They are asked, once in a
process, on numbers whose results tell the formulas apart; where the result depends on the layout,
or is another one, NumPy is called.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

from ....ir.node import Node, SymbolOrigin
from ....ir.row import row_of
from ...hints import goes_forward
from .elements import PARTS
from .target import Target

Results = tuple[complex, complex]
"""What one number gives by the fused formula, and by the plain one."""
SHAPES = ((), 1, 2, 7, 37)


def _absolutes() -> Mapping[np.dtype, tuple[complex, Results]]:
    """hypot is between the two results."""
    double, single = (float.fromhex(f"0x1.{digits}p+0") for digits in ("83bb5b93df531", "d93914"))
    return {
        np.dtype(np.complex128): (1.40625 + 0.5625j, (double, double + 2**-51)),
        np.dtype(np.complex64): (1.84375 + 0.1328125j, (single, single + 2**-22)),
    }


ABSOLUTES = _absolutes()


def _products(dtype: np.dtype) -> list[tuple[complex, complex, Results]]:
    """(1 + e)**2 - (1 + 2e) is e**2 where one product is not rounded, and 0 where both are: in the
    imaginary part of the first product, and in the real part of the second."""
    e = float(np.finfo(dtype).eps)
    most = 2 + 4 * e
    crossed = complex(1 + e, -1 - 2 * e), complex(1, 1 + e)
    same = complex(1 + e, 1 + e)
    return [
        (*crossed, (complex(most, e * e), complex(most, 0))),
        (same, same, (complex(e * e, most), complex(0, most))),
    ]


def _forward(a: Any) -> Iterator[np.ndarray]:
    """Arrays full of a number, whose strides are not negative."""
    for shape in SHAPES:
        yield np.full(shape, a)
    yield np.full(74, a)[::2]
    yield np.full((6, 7), a).T
    yield np.full((6, 8), a)[:, :5]


def _backward(a: Any) -> Iterator[np.ndarray]:
    yield np.full(37, a)[::-1]
    yield np.full((6, 7), a)[:, ::-1]
    yield np.full((6, 7), a)[::-1, ::2]


Layouts = Callable[[Any], Iterator[np.ndarray]]


def _multiplied(dtype: np.dtype, layouts: Layouts) -> Iterator[tuple[np.ndarray, Results]]:
    for left, right, results in _products(dtype):
        a, b = dtype.type(left), dtype.type(right)
        for x, y in zip(layouts(a), layouts(b)):
            forward = np.full(x.shape, a), np.full(y.shape, b)
            for operands in ((x, y), (x, forward[1]), (forward[0], y), (x, b), (a, y)):
                yield np.multiply(*operands), results
            if left == right:
                yield np.square(x), results


def _measured(dtype: np.dtype, layouts: Layouts) -> Iterator[tuple[np.ndarray, Results]]:
    number, results = ABSOLUTES[dtype]
    for x in layouts(dtype.type(number)):
        yield np.absolute(x), results


PROBES: Mapping[str, Callable[..., Iterator[tuple[np.ndarray, Results]]]] = {
    "multiply": _multiplied, "absolute": _measured,
}


@cache
def formula(name: str, dtype: np.dtype, backward: bool = False) -> str | None:
    """ "fused" or "plain", whatever the layout is; None where it is neither."""
    found = list(PROBES[name](dtype, _backward if backward else _forward))
    for place, known in enumerate(("fused", "plain")):
        if all((array == results[place]).all() for array, results in found):
            return known
    return None


def is_fused(name: str, dtype: np.dtype) -> bool:
    return formula(name, dtype) == "fused"


LOOPS = {part: dtype for dtype, part in PARTS.items()} | {dtype: dtype for dtype in PARTS}
"""The complex numbers that a result is computed from."""


def why_extern(node: Node, target: Target, symbols: Mapping[str, SymbolOrigin]) -> str | None:
    """Why NumPy has to compute a complex product or absolute value, or None."""
    row = row_of(node.target)
    name = None if row is None else row.formula
    operands = [arg.type for arg in node.args if isinstance(arg, Node)]
    if name is None or not any(kind.dtype.kind == "c" for kind in (*operands, node.type)):
        return None
    if (dtype := LOOPS.get(node.type.dtype)) is None:
        return None
    if (found := formula(name, dtype)) is None or (found == "fused" and not target.fma):
        return f"NumPy has another formula for {name} of {dtype}"
    if all(goes_forward(kind, symbols) for kind in operands):
        return None
    if formula(name, dtype, backward=True) == found:
        return None
    return "NumPy has another formula for elements in reverse order"
