"""With symbols for sizes and strides, a rule says at the hints what it says for the integers."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dynamo_lite.errors import Unsupported
from dynamo_lite.ir.ops.inference import infer
from dynamo_lite.ir.row import ROWS
from dynamo_lite.ir.sizes import evaluate, symbol
from dynamo_lite.ir.tree import map_leaves
from dynamo_lite.ir.types import ArrayType

from .samples import Sampler, typed
from .test_rows import CALLS, UFUNCS


class HintFacts:
    """Answers from the hints, as a ShapeEnv does (which also installs guards)."""

    def __init__(self) -> None:
        self.hints: dict[str, int] = {}

    def equal(self, left: Any, right: Any) -> bool:
        return self.hint(left) == self.hint(right)

    def less(self, left: Any, right: Any) -> bool:
        return self.hint(left) < self.hint(right)

    def less_equal(self, left: Any, right: Any) -> bool:
        return self.hint(left) <= self.hint(right)

    def hint(self, size: Any) -> int:
        return evaluate(size, self.hints)

    def varies(self, op: str, left: Any, right: Any) -> bool:
        return False

    def counts(self, size: Any) -> bool:
        return False

    def total(self, size: Any) -> Any:
        return size

    def unknown(self, value: int) -> Any:
        """A symbol for an integer; 0 and 1 are always specialised, equal sizes share a symbol."""
        if abs(value) < 2:
            return value
        self.hints[f"s{abs(value)}"] = abs(value)
        return symbol(f"s{abs(value)}") * (1 if value > 0 else -1)

    def symbolic(self, kind: Any) -> Any:
        if not isinstance(kind, ArrayType):
            return kind
        shape = tuple(map(self.unknown, kind.shape))
        strides = tuple(
            stride if abs(stride) <= kind.dtype.itemsize else self.unknown(stride)
            for stride in kind.strides
        )
        return kind.with_layout(shape, strides)

    def at_hints(self, kind: Any) -> Any:
        if not isinstance(kind, ArrayType):
            return kind
        """What must be the same; strides only where there are elements: NumPy gives those of
        others when it makes the array."""
        shape, strides = (tuple(map(self.hint, part)) for part in (kind.shape, kind.strides))
        return (kind.dtype, shape, strides if 0 not in shape else (), kind.form, kind.writeable)


def check(target: Any, args: Any, kwargs: Any) -> bool:
    facts = HintFacts()
    types = map_leaves(typed, (args, kwargs))
    try:
        expected = infer(target, *types)
    except Unsupported:
        return False
    except Exception as error:
        with pytest.raises((type(error), Unsupported)):
            infer(target, *map_leaves(facts.symbolic, types), facts)
        return False
    symbolic = map_leaves(facts.symbolic, types)
    try:
        found = infer(target, *symbolic, facts)
    except Unsupported:
        return False
    as_integers = map_leaves(facts.at_hints, expected)
    assert map_leaves(facts.at_hints, found) == as_integers, (types, facts.hints)
    return True


@pytest.mark.parametrize("target", CALLS, ids=lambda target: ROWS[target].name)
def test_calls(target):
    for seed in range(100):
        args, kwargs = CALLS[target](Sampler(seed))
        check(target, args, kwargs)


@pytest.mark.parametrize("ufunc", [np.add, np.where, np.less, np.exp, np.divmod])
def test_pointwise(ufunc):
    count = 0
    for seed in range(300):
        sample = Sampler(seed)
        arity = 3 if ufunc is np.where else ufunc.nin
        count += check(ufunc, tuple(sample.operand() for _ in range(arity)), {})
    assert count > 100
    assert UFUNCS
