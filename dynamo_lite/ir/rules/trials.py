"""Types of calls of NumPy, found by trying them out on fake arrays.

Where the arguments are large or symbolic, every size is replaced by a small prime of its own, and
the sizes of the results are read back in terms of the originals. Backends check each result against
its type and bail out where this guess is wrong, so it need not be a proof.
"""
from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ...base.classes import a_kind
from ...errors import Unsupported
from ..facts import Facts
from ..fake_arrays import copied_fake_array, run_silently
from ..row import row_of
from ..sizes import Size, SizeExpr
from ..tree import leaves, map_leaves
from ..types import WARN_ON_WRITE, ArrayType, Form, contiguous_strides, python_number, why_not_dtype
from .values import PYTHON_KINDS, as_type, supported

PRIMES = (23, 37, 53, 71, 89, 107, 127, 149)
OTHER_PRIMES = (29, 43, 61, 79, 97, 113, 137, 163)
"""A size of a result that is the same for these does not follow from the arguments' sizes."""
NEAR = 6
"""Results may be so much longer or shorter than an argument; the primes lie further apart."""
SMALL = 4096  # elements with which a function is tried out as it is


def run_on_samples(
    target: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], facts: Facts
) -> Any:
    """The type of the result, in the sizes of the arguments."""
    row = row_of(target)
    small = _Samples(args, kwargs, facts, counted=row is not None and row.counts)
    small.solves = target is np.polyfit or getattr(target, "__module__", "") == "numpy.linalg"
    try:
        try:
            return _typed_run(target, args, kwargs, small)
        except np.linalg.LinAlgError:  # singular, as matrices in more than two dimensions may be
            small.random = np.random.default_rng(0)
            return _typed_run(target, args, kwargs, small)
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError,
            ValueError) as error:
        raise Unsupported(f"NumPy refuses it for other contents: {error}") from None


def _typed_run(target: Any, args: Any, kwargs: Any, small: _Samples) -> Any:
    given, named = map_leaves(small.sample, (args, kwargs))
    before = [leaf for leaf in leaves((given, named)) if isinstance(leaf, np.ndarray)]
    results = run_silently(target, given, named)
    if not small.knows(results):
        others = map_leaves(small.on(OTHER_PRIMES).sample, (args, kwargs))
        small.fix(results, run_silently(target, *others))
    return small.type_of(results, before)


class _Samples:
    """Fake arrays with small sizes; remembers which prime stands for which size."""

    def __init__(self, args: Any, kwargs: Any, facts: Facts, *, counted: bool) -> None:
        self.facts = facts
        self.solves = False  # integers are numbers of equations rather than indices
        self.random: np.random.Generator | None = None
        kinds = [leaf for leaf in leaves((args, kwargs)) if isinstance(leaf, ArrayType)]
        sizes: list[Size] = []
        for kind in map(as_type, kinds):
            sizes += [size for size in kind.shape if size not in sizes]
        counts = [leaf for leaf in leaves((args, kwargs)) if isinstance(leaf, SizeExpr)]
        if counts and not counted:
            raise Unsupported("an argument is a number that may change from call to call")
        sizes = [*dict.fromkeys((*counts, *sizes))]
        large = [size for size in sizes if isinstance(size, SizeExpr) or size > 4]
        count = sum(facts.hint(kind.size) for kind in kinds)
        if count <= SMALL and all(isinstance(size, int) for size in sizes):
            large = []
        self.exact = not large
        large.sort(key=facts.hint)
        if len(large) > len(PRIMES):
            raise Unsupported("its arrays have too many different sizes")
        self.small: dict[Size, int] = dict(zip(large, PRIMES))
        self.small |= {n: n for n in sizes if isinstance(n, int) and n not in large}
        self.original: dict[int, Size] = {n: size for size, n in self.small.items()}

    def on(self, primes: tuple[int, ...]) -> _Samples:
        """The same, with other small sizes."""
        other = copy.copy(self)
        others = dict(zip(PRIMES, primes))
        other.small = {size: others.get(n, n) for size, n in self.small.items()}
        return other

    def knows(self, results: Any) -> bool:
        """Whether all sizes of the results are found among those of the arguments."""
        try:
            for value in leaves(results):
                if not self.exact and isinstance(value, np.ndarray):
                    tuple(map(self._size, value.shape))
        except Unsupported:
            return False
        return True

    def fix(self, results: Any, others: Any) -> None:
        """Take the sizes that are the same for other arguments for numbers."""
        for value, other in zip(leaves(results), leaves(others)):
            if isinstance(value, np.ndarray) and isinstance(other, np.ndarray):
                same = [n for n, m in zip(value.shape, other.shape) if n == m]
                self.original |= {n: n for n in same if n not in self.original}

    def sample(self, leaf: Any) -> Any:
        if isinstance(leaf, SizeExpr):
            return self.small[leaf]
        if not isinstance(leaf, ArrayType):
            return leaf
        if leaf.form is not Form.ARRAY:
            number = leaf.dtype.type(1)
            return number if leaf.form is Form.SCALAR else number.item()
        if self.exact:
            array = copied_fake_array(replace(leaf, writeable=True), self.facts)
            array[...] = self._values(array.shape, leaf.dtype)
            return array
        shape = tuple(self.small[size] for size in leaf.shape)
        array = _laid_out(leaf, shape)
        array[...] = self._values(shape, leaf.dtype)
        return array

    def _values(self, shape: tuple[int, ...], dtype: np.dtype) -> Any:
        if self.random is not None and dtype.kind in "fc":
            return self.random.standard_normal(shape)
        return sample_values(shape, dtype, index=not self.solves)

    def type_of(self, value: Any, inputs: list[np.ndarray]) -> Any:
        if isinstance(value, (tuple, list)):
            items = [self.type_of(item, inputs) for item in value]
            if not all(isinstance(item, ArrayType) for item in items):
                raise Unsupported("it returns nested results")
            if hasattr(value, "_fields"):  # numpy.linalg's results are named tuples
                return type(value)(*items)
            return items if isinstance(value, list) else tuple(items)
        if type(value) in PYTHON_KINDS:
            return python_number(type(value))
        if isinstance(value, np.generic) and value.dtype.kind in "biufc":
            return ArrayType(supported(value.dtype), form=Form.SCALAR)
        if type(value) is not np.ndarray:
            raise Unsupported(f"it returns {a_kind(type(value))}")
        if why_not_dtype(value.dtype) is not None:
            raise Unsupported(f"it returns an array of dtype {value.dtype}")
        if any(np.may_share_memory(value, array) for array in inputs):
            raise Unsupported("it returns a view of its argument")
        if value.flags.num & WARN_ON_WRITE:
            raise Unsupported("its result warns when it is written")
        return self._array(value)

    def _array(self, value: np.ndarray) -> ArrayType:
        if self.exact:
            writeable = value.flags.writeable
            return ArrayType(value.dtype, value.shape, value.strides, writeable=writeable)
        shape = tuple(map(self._size, value.shape))
        for order in "CF":
            if value.strides == contiguous_strides(value.shape, value.itemsize, order):
                strides = contiguous_strides(shape, value.itemsize, order)
                return ArrayType(value.dtype, shape, strides, writeable=value.flags.writeable)
        raise Unsupported("its result has neither C's nor Fortran's memory order")

    def _size(self, n: int) -> Size:
        """A size of a result in terms of the originals: one, nearly one, or two or three together.
        """
        if n in self.original or n <= 4:
            return self.original.get(n, n)
        pairs = list(self.original.items())
        candidates: dict[int, Size] = {}
        for small, size in pairs:
            for more in range(-NEAR, NEAR + 1):
                candidates.setdefault(small + more, size + more)
            for times in (2, 3, 4):
                candidates.setdefault(small * times, size * times)
            for other, factor in pairs:
                candidates.setdefault(small * other, size * factor)
                for more in (0, -1):
                    candidates.setdefault(small + other + more, size + factor + more)
                for third, added in pairs:
                    candidates.setdefault(small + other + third, size + factor + added)
        if n not in candidates:
            raise Unsupported("the size of its result follows from no size of its arguments")
        return candidates[n]


def _laid_out(kind: ArrayType, shape: tuple[int, ...]) -> np.ndarray:
    """An array of this shape with its axes in memory in the order of those of `kind`, and with gaps
    if that has them."""
    if kind.is_c_contiguous:
        return np.empty(shape, kind.dtype)
    itemsize = kind.dtype.itemsize
    if kind.strides == contiguous_strides(kind.shape, itemsize, "F"):
        return np.empty(shape, kind.dtype, order="F")
    strides = [stride for stride in kind.strides if isinstance(stride, int) and stride > 0]
    if len({*strides}) < len(kind.strides) or 1 in shape:
        raise Unsupported("its arrays have neither C's nor Fortran's memory order")
    axes = sorted(range(len(shape)), key=lambda axis: -strides[axis])
    sides = [shape[axis] for axis in axes]
    if min(strides) == itemsize:
        whole = np.empty((*sides[:-1], sides[-1] + 1), kind.dtype)[..., :-1]
    else:
        whole = np.empty((*sides, 2), kind.dtype)[..., 0]
    return whole.transpose(np.argsort(axes))


def sample_values(shape: tuple[int, ...], dtype: np.dtype, *, index: bool = True) -> Any:
    """Matrices are well conditioned and positive definite; integers are 0, which is an index, or
    numbers as well."""
    if dtype.kind in "iu" and index:
        return np.zeros(shape, dtype)
    if dtype.kind == "b":
        return True
    values = np.full(shape, 1.0 if dtype.kind in "iu" else 0.25)
    if len(shape) > 1:
        values[..., np.arange(min(shape[-2:])), np.arange(min(shape[-2:]))] = 2.0 + len(shape)
    return values
