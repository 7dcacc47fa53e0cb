"""Types of functions that NumPy itself runs as a step of the compiled graph.

Most are tried out on fake arrays (`trials`).
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from ...base.signatures import by_name, positional_names
from ...errors import Unsupported
from ..facts import Facts
from ..fake_arrays import run_silently
from ..sizes import Size, SizeExpr
from ..tree import leaves, map_leaves
from ..types import OBJECT, ArrayType, Form, python_number
from .layout import broadcast_shapes, is_contiguous
from .trials import run_on_samples
from .values import PYTHON_KINDS, Wrong, as_array, as_shape, as_type, normal_axes, result


def tried(target: Callable[..., Any]) -> Callable[..., Any]:
    """The type rule that runs `target` on fake arrays; it must not write into what it is given."""

    def infer(*args: Any, facts: Facts, **kwargs: Any) -> Any:
        if by_name(positional_names(target), args, kwargs).get("overwrite_input"):
            raise Unsupported("an input that may be overwritten")
        return run_on_samples(target, args, kwargs, facts)

    return infer


def quantiles(target: Callable[..., Any], most: float) -> Callable[..., Any]:
    """The rule of a function of quantiles, which has none below 0 or above `most`, nor by a method
    that NumPy has not."""
    whole, names = tried(target), positional_names(target)

    def infer(a: Any, q: Any, *args: Any, facts: Facts, **kwargs: Any) -> Any:
        numbers = [n for n in leaves(q) if type(n) in (int, float)]
        if not all(0 <= n <= most for n in numbers):
            raise Wrong
        method = by_name(names, (a, q, *args), kwargs).get("method")
        if type(method) is str and not _is_method(method):
            raise Wrong
        return whole(a, q, *args, facts=facts, **kwargs)

    return infer


@cache
def _is_method(name: str) -> bool:
    """Whether NumPy computes quantiles by a method of this name."""
    try:
        np.quantile(np.zeros(1), 0.5, method=name)  # type: ignore[call-overload]
    except ValueError:
        return False
    return True


def into_c_order(target: Callable[..., Any]) -> Callable[..., Any]:
    """The rule of a function that refuses an `out` which is not in C order."""

    def infer(*args: Any, facts: Facts, **kwargs: Any) -> Any:
        out = kwargs.get("out")
        if isinstance(out, ArrayType) and not is_contiguous(out, facts):
            raise Wrong
        return run_on_samples(target, args, kwargs, facts)

    return infer


def selecting(target: Callable[..., Any], place: int) -> Callable[..., Any]:
    """The rule of a function whose argument number `place` says how many items there will be."""

    def infer(*args: Any, facts: Facts, **kwargs: Any) -> Any:
        chosen = args[place : place + 1]
        if not chosen or any(isinstance(n, (ArrayType, SizeExpr)) for n in leaves(chosen)):
            raise Unsupported("the size of the result depends on data")
        return run_on_samples(target, args, kwargs, facts)

    return infer


def counting(target: Callable[..., Any]) -> Callable[..., Any]:
    """The rule of histograms: a method may choose the number of bins by what the data are."""

    def infer(*args: Any, facts: Facts, **kwargs: Any) -> Any:
        if any(isinstance(leaf, str) for leaf in leaves((args, kwargs))):
            raise Unsupported("the number of bins depends on data")
        return run_on_samples(target, args, kwargs, facts)

    return infer


def transform_rule(kind_of: str) -> Callable[..., Any]:
    """`np.fft`: lengths along one axis; "r" halves them, "i" doubles them."""

    def infer(
        a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None, *, facts: Facts
    ) -> ArrayType:
        kind = as_array(a)
        if out is not None or norm not in (None, "backward", "ortho", "forward") or not kind.ndim:
            raise Unsupported("a transform with out= or an unknown norm")
        place = normal_axes(axis, kind.ndim)[0]
        length: Size = kind.shape[place] if n is None else as_shape(n)[0]
        sizes: Mapping[str, Size] = {
            "c": length, "r": length // 2 + 1, "i": 2 * (length - 1) if n is None else length,
        }
        count = sizes[kind_of]
        is_nothing = not facts.varies("<", 0, count) or facts.hint(count) < 1
        if is_nothing and facts.less(count, 1):
            raise Wrong
        if not (kind.ndim == 1 or kind.is_c_contiguous):
            raise Unsupported("a transform in another memory order")
        if kind_of == "r" and kind.dtype.kind == "c":
            raise Wrong
        single = kind.dtype in (np.float16, np.float32, np.complex64)
        names = ("f4", "f8") if kind_of == "i" else ("c8", "c16")
        dtype = np.dtype(names[0] if single else names[1])
        shape = (*kind.shape[:place], sizes[kind_of], *kind.shape[place + 1 :])
        if place != kind.ndim - 1:
            raise Unsupported("a transform along another axis than the last")
        return result(dtype, shape)

    return infer


def sort_rule(positions: bool) -> Callable[..., Any]:
    """`np.sort` keeps the memory order, `np.argsort` gives C order."""

    def infer(
        a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None,
        facts: Facts,
    ) -> ArrayType:
        array = as_array(a)
        if order is not None or array.ndim == 0 or not array.is_c_contiguous:
            raise Unsupported("sorting by fields, or in another memory order")
        if axis is None:
            array = array.with_layout((array.size,), (array.dtype.itemsize,))
        else:
            normal_axes(axis, array.ndim)
        return result(np.dtype(np.intp) if positions else array.dtype, array.shape)

    return infer


def random_rule(name: str, owner: Callable[[], Any], size_at: int | None) -> Callable[..., Any]:
    """Random numbers; `size_at` is the position of `size`, None where dimensions are arguments.

    Dtype and form are found on a generator of our own, so no state of the program advances.
    """

    def infer(*args: Any, facts: Facts, **kwargs: Any) -> ArrayType:
        shape, rest = _random_shape(args, kwargs, size_at)
        arrays = [as_type(value) for value in (*rest, *kwargs.values()) if is_array(value)]
        if shape is None and arrays:
            shape = broadcast_shapes((kind.shape for kind in arrays), facts)
            if size_at is not None and len(rest) <= size_at:
                kwargs["size"] = 1  # a number alone may have another type
        given, named = map_leaves(_parameter, (rest, kwargs))
        try:
            sample = run_silently(getattr(owner(), name), given, named)
        except (TypeError, ValueError) as error:
            raise Unsupported(f"random numbers with unusual parameters: {error}") from None
        if shape is None:
            return _number(sample)
        return result(np.asarray(sample).dtype, shape, scalar=False)

    return infer


def drawn_rule(kind: type) -> Callable[..., ArrayType]:
    """A number of Python's own random generators; parameters are Python's numbers."""

    def infer(*args: Any, facts: Facts, **kwargs: Any) -> ArrayType:
        for value in (*args, *kwargs.values()):
            if kind is int and not is_python_int(value):
                raise Unsupported("a random integer between limits that are no ints of 64 bits")
            if type(value) not in (int, float) and not is_python_number(value):
                raise Unsupported("random numbers with unusual parameters")
        return python_number(kind)

    return infer


def chosen_rule(count: Callable[..., Any]) -> Callable[..., Any]:
    """Some of several Python numbers of one type; `count` says how many, None for one itself."""

    def infer(population: Any, *args: Any, facts: Facts, **kwargs: Any) -> Any:
        kinds = {type(item) for item in population} if is_known_sequence(population) else set()
        if len(kinds) != 1 or not kinds <= {int, float}:
            raise Unsupported("a random choice of something else than known numbers of one type")
        if kinds == {int} and not all(abs(item) < 2**62 for item in population):
            raise Unsupported("a random choice of long integers")
        kind = python_number(kinds.pop())
        many = count(*args, **kwargs)
        return kind if many is None else [kind] * many

    return infer


def is_known_sequence(value: Any) -> bool:
    return isinstance(value, list | tuple | range) and 0 < len(value) <= 1000


def one() -> None:
    """`choice(seq)`"""


def count_of_choices(weights: Any = None, *, cum_weights: Any = None, k: Any = 1) -> int:
    """`choices(population, weights=None, *, cum_weights=None, k=1)`"""
    if weights is not None or cum_weights is not None or type(k) is not int or not 0 < k <= 1000:
        raise Unsupported("random choices with weights, or of a number that is not known")
    return k


def size_of_sample(k: Any, *, counts: Any = None) -> int:
    """`sample(population, k, *, counts=None)`"""
    if counts is not None or type(k) is not int or not 0 < k <= 1000:
        raise Unsupported("a random sample with counts, or of a size that is not known")
    return k


def bits_rule(k: Any, *, facts: Facts) -> ArrayType:
    """`getrandbits(k)`"""
    if type(k) is not int or not 0 <= k < 63:
        raise Unsupported("random bits of a number that is not known, or more than 62")
    return python_number(int)


def is_python_number(value: Any) -> bool:
    if isinstance(value, ArrayType):
        return value.form is Form.PYTHON and value.dtype.kind in "if"
    return isinstance(value, SizeExpr)


def is_python_int(value: Any) -> bool:
    if isinstance(value, ArrayType):
        return value.form is Form.PYTHON and value.dtype == np.int64
    return isinstance(value, SizeExpr) or (type(value) is int and abs(value) < 2**62)


def is_array(value: Any) -> bool:
    return isinstance(value, (ArrayType, np.ndarray, list)) and bool(as_type(value).shape)


def tried_on(name: str, owner: Callable[[], Any]) -> Callable[..., Any]:
    """The rule of a method of generators, run on fake arrays by a generator of our own."""

    def infer(*args: Any, facts: Facts, **kwargs: Any) -> Any:
        if name in ("permutation", "choice") and args and isinstance(args[0], SizeExpr):
            return _of_a_range(getattr(owner(), name), args, kwargs)
        rest = {key: value for key, value in kwargs.items() if key != "p"}  # probabilities add up
        return run_on_samples(getattr(owner(), name), args, rest, facts)

    return infer


def _of_a_range(method: Callable[..., Any], args: tuple[Any, ...], kwargs: Any) -> ArrayType:
    """Numbers below a size: `permutation(n)`, or `choice(n, size)`."""
    chosen: tuple[Size, ...] | None = (args[0],)
    if method.__name__ == "choice":
        chosen, _ = _random_shape(args, dict(kwargs), 1)
    if chosen is None:
        return _number(run_silently(method, (1,), {}))
    return result(np.dtype(np.int64), chosen, scalar=False)


def after_owner(rule: Callable[..., Any]) -> Callable[..., Any]:
    """The rule of a method called with its owner as the first argument."""

    def infer(owner: Any, /, *args: Any, facts: Facts, **kwargs: Any) -> Any:
        if not isinstance(owner, ArrayType) or owner.form is not Form.OBJECT:
            raise Unsupported("a method of a generator without a generator")
        return rule(*args, facts=facts, **kwargs)

    return infer


def seed_rule(seed: Any = None, *, facts: Facts) -> None:
    _check_seed(seed)


def generator_rule(seed: Any = None, *, facts: Facts) -> ArrayType:
    _check_seed(seed)
    return OBJECT


def _check_seed(seed: Any) -> None:
    if not isinstance(seed, (int, SizeExpr)) or isinstance(seed, bool) or (
        isinstance(seed, int) and not 0 <= seed < 2**32
    ):
        raise Unsupported("a seed that is not a small integer")


def _random_shape(
    args: tuple[Any, ...], kwargs: dict[str, Any], size_at: int | None
) -> tuple[tuple[Size, ...] | None, tuple[Any, ...]]:
    """The requested shape (None for a single number), and the arguments for one element."""
    if size_at is None:
        return (as_shape(args) if args else None), ()
    size = kwargs.get("size")
    if len(args) > size_at:
        size = args[size_at]
        args = (*args[:size_at], None if size is None else 1, *args[size_at + 1 :])
    elif size is not None:
        kwargs["size"] = 1
    return (None if size is None else as_shape(size)), args


def _parameter(leaf: Any) -> Any:
    if isinstance(leaf, ArrayType):
        return leaf.dtype.type(1)
    if isinstance(leaf, np.ndarray):
        return leaf.dtype.type(1)
    return 1 if isinstance(leaf, SizeExpr) else leaf


def _number(sample: Any) -> ArrayType:
    if type(sample) in PYTHON_KINDS:
        return python_number(type(sample))
    return ArrayType(np.asarray(sample).dtype, form=Form.SCALAR)
