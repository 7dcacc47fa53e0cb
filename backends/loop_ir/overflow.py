"""Conditions that an integer operation has not wrapped, as `lowering.scalars.numbers` has them."""
from __future__ import annotations

import numpy as np

from .loops import Apply, Const, Convert, Expr
from .simplify import value_of

F64 = np.dtype(np.float64)


def guarded_operation(condition: Expr) -> Apply | None:
    """The operation whose result a condition is about; None of other conditions."""
    if not isinstance(condition, Apply) or len(condition.args) != 2:
        return None
    value, limit = condition.args
    if not isinstance(limit, Const) or not isinstance(value, Apply):
        return None
    signed = condition.op == "greater_equal" and value.op == "bitwise_and"
    found = _of_signs(value) if signed and not any(limit.bits) else None
    if condition.op == "less" and limit.dtype == F64:
        found = _of_doubles(value, float(value_of(limit)))
    return found


def _of_signs(signs: Apply) -> Apply | None:
    """left + right, of (left ^ sum) & (right ^ sum); left - right, of (difference ^ left) &
    (right ^ left)."""
    parts = [part.args for part in signs.args if isinstance(part, Apply)]
    if [part.op for part in signs.args if isinstance(part, Apply)] != ["bitwise_xor"] * 2:
        return None
    (left, result), (right, other) = parts
    if result is not other:
        return None
    for found, op, operands in (
        (result, "add", (left, right)), (left, "subtract", (result, right))
    ):  # fmt: skip
        if isinstance(found, Apply) and (found.op, found.args) == (op, operands):
            return found
    return None


def _of_doubles(size: Apply, limit: float) -> Apply | None:
    """left * right of eight bytes, of the size of their product as doubles."""
    (product,) = size.args if size.op == "absolute" else (None,)
    if not isinstance(product, Apply) or product.op != "multiply":
        return None
    factors = [one.arg for one in product.args if isinstance(one, Convert)]
    dtypes = {factor.dtype for factor in factors}
    if len(factors) != 2 or len(dtypes) != 1:
        return None
    (dtype,) = dtypes
    if dtype.kind not in "iu" or dtype.itemsize < 8 or limit != float(np.iinfo(dtype).max // 2):
        return None
    return Apply("multiply", tuple(factors), dtype)
