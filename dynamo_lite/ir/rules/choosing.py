"""`choice` of a random generator, as the draw and the selection that it makes."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import Unsupported
from ..sizes import SizeExpr
from ..types import Form
from .composite import Emit


def choice_by(integers: Callable[..., Any], owned: bool) -> Callable[..., Any]:
    """The definition of `choice` by the generator's own integers; `owned`: the generator is the
    first argument of both."""

    def definition(emit: Emit, *args: Any, **kwargs: Any) -> Any:
        owner = args[:1] if owned else ()
        a, *size = uniformly(*args[owned:], **kwargs)
        if type(a) is int or isinstance(a, SizeExpr):
            return emit(integers, *owner, 0, a, *size)
        values = emit(np.array, a) if isinstance(a, (list, tuple)) else a
        kind = emit.type(values)
        if kind.form is not Form.ARRAY or kind.ndim != 1:
            raise Unsupported("a choice of something else than a vector")
        return emit(operator.getitem, values, emit(integers, *owner, 0, kind.shape[0], *size))

    return definition


def uniformly(a: Any, size: Any = None, replace: Any = True, p: Any = None, axis: Any = 0) -> Any:
    """What is chosen from and how much, where all are as likely and may come again."""
    if replace is not True or p is not None or axis != 0:
        raise Unsupported("a choice with probabilities, or without replacement")
    return (a,) if size is None else (a, size)
