"""`choice` of a random generator, as the draw and the selection that it makes."""
from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import Unsupported
from ..sizes import SizeExpr
from ..types import Form
from .composite import Emit


def choice_by(integers: Callable[..., Any], owned: bool, names: Sequence[str]
              ) -> Callable[..., Any]:
    """The definition of `choice` by the generator's own integers; `owned`: the generator is the
    first argument of both; `names` are those of its other parameters."""

    def definition(emit: Emit, *args: Any, **kwargs: Any) -> Any:
        owner = args[:1] if owned else ()
        if len(args) > len(owner) + len(names) or not kwargs.keys() <= {*names}:
            raise Unsupported("a choice with other arguments")
        a, *size = uniformly(*args[owned:], **kwargs)
        if type(a) is int or isinstance(a, SizeExpr):
            return emit(integers, *owner, 0, a, *size)
        values = emit(np.array, a) if isinstance(a, (list, tuple)) else a
        kind = emit.type(values)
        if kind.form is not Form.ARRAY or kind.ndim != 1:
            raise Unsupported("a choice of something else than a vector")
        return emit(operator.getitem, values, emit(integers, *owner, 0, kind.shape[0], *size))

    return definition


def uniformly(
    a: Any, size: Any = None, replace: Any = True, p: Any = None, axis: Any = 0,
    shuffle: Any = True,
) -> Any:
    """What is chosen from and how much, where all are as likely and may come again: in any order,
    whether that is shuffled or not."""
    if replace is not True or p is not None or axis != 0:
        raise Unsupported("a choice with probabilities, or without replacement")
    return (a,) if size is None else (a, size)
