"""Python ints that the graph computes, beside integers of NumPy's that have fewer bits: which type
they have to fit."""
from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...ir.node import Node
from ...ir.ops.columns import UFUNC_OF
from ...ir.rules.pointwise import resolve
from ...ir.rules.values import Wrong, as_type
from ...ir.sizes import SizeExpr, depends_on_data
from ...ir.types import Form, python_number

INT = python_number(int)


def is_weak(value: Any) -> bool:
    """Whether an argument is such an int, or a size that depends on data."""
    if isinstance(value, SizeExpr):
        return depends_on_data(value)
    return isinstance(value, Node) and value.type == INT


def narrow(
    target: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Iterator[tuple[int, np.dtype]]:
    """The places of such ints among arguments, each with its type."""
    if not any(map(is_weak, args)):
        return
    for place, dtype in enumerate(_wanted(target, args, kwargs)):
        if is_weak(args[place]) and dtype.kind in "iu" and dtype != INT.dtype:
            yield place, dtype


def _wanted(
    target: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[np.dtype, ...]:
    """The types that NumPy converts the first arguments to."""
    if target is operator.setitem and isinstance(args[0], Node):
        return (INT.dtype, INT.dtype, args[0].type.dtype)
    target = UFUNC_OF.get(target, target)
    if not isinstance(target, np.ufunc) or kwargs or len(args) != target.nin:
        return ()
    if not all(isinstance(arg, (Node, SizeExpr, int, float, complex, np.generic)) for arg in args):
        return ()
    kinds = [arg.type if isinstance(arg, Node) else as_type(arg) for arg in args]
    if all(kind.form is Form.PYTHON for kind in kinds):
        return ()
    try:
        return resolve(target, kinds, (None,) * target.nout)[: target.nin]
    except Wrong:
        return ()
