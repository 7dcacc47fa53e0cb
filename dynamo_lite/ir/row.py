"""The registry: one row per operation, and every list of operations is a query over the rows.

A row's key is the public callable that the user's code calls: `np.add`, `operator.getitem`.
"""
from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from typing import Any

from ..base.records import dataclass, field


class Kind(enum.Enum):
    """How an operation reaches native code."""

    POINTWISE = "pointwise"  # element by element after broadcasting; has `llvm`, or `decompose`
    REDUCTION = "reduction"  # folds axes; `fold` names the loop IR's fold
    SCAN = "scan"  # cumsum, cumprod
    VIEW = "view"  # result shares memory with the first argument (or may, as reshape)
    CREATION = "creation"  # makes a new array from sizes and constants
    STRUCTURE = "structure"  # concatenate, stack, gather, where(cond): own lowering
    MATMUL = "matmul"  # BLAS
    WRITE = "write"  # changes an argument: operator.setitem, np.copyto, iadd …
    CONTROL = "control"  # holds bodies: loops and branches (`ir.control`)
    EXTERN = "extern"  # NumPy itself is called as a step of the compiled graph


class Effect(enum.Enum):
    PURE = "pure"
    WRITES = "writes"  # writes into an argument
    RANDOM = "random"  # advances a random state
    STATE = "state"  # reads or changes other process state


@dataclass(frozen=True, slots=True)
class Op:
    """One row.

    `infer(*types_and_constants, facts=…, **kwargs)` gives the result's ArrayType (or a tuple of
    them); it raises `rules.values.Wrong` where NumPy raises. `llvm` maps a kind letter of the
    loop's operand dtype ("f" float, "c" complex, "i" signed, "u" unsigned, "b" bool) to a
    template; in it {t} is the vector type, {s} its LLVM suffix (`v8f64`), {a} {b} {c} the operands,
    {r} the result register's type. A template of the form "@name" calls the generator's own
    function of that name (`backends.llvm`). `triton` is an expression with {a} {b} {c}.
    `decompose(emit, *args, **kwargs)` rewrites a call in terms of other rows (`rules.composite`);
    it raises Unsupported for calls that stay whole.
    `window` (views) is called like the target, plus `facts`, and gives the strided view
    (`rules.windows`) that the result is of the first argument, or None when NumPy makes a copy.
    `whole`: calls that the rule does not cover are made by NumPy as a step of the graph, which is
    tried out to find the type.
    `flags`: NumPy may report a floating-point condition (divide, over, under, invalid) for it.
    `checks`: which run-time conditions bail out ("zero divisor", "negative power",
    "bounds", "scalar overflow" where integer NumPy scalars warn about overflow, "any" where NumPy
    may raise).
    """

    target: Callable[..., Any]
    name: str
    kind: Kind
    infer: Callable[..., Any] | None = None
    llvm: Mapping[str, str] = field(default_factory=dict)
    triton: str | Mapping[str, str] | None = None
    decompose: Callable[..., Any] | None = None
    fold: str | None = None
    window: Callable[..., Any] | None = None
    effect: Effect = Effect.PURE
    whole: bool = False
    flags: bool = False
    checks: tuple[str, ...] = ()
    probes: tuple[Any, ...] = ()


ROWS: dict[Any, Op] = {}
BOUND_ROWS: dict[Any, Op] = {}
"""Rows of methods, called without their first argument when they are bound."""
_POINTWISE: dict[str, Op] = {}


def op(target: Callable[..., Any], kind: Kind = Kind.POINTWISE, **fields: Any) -> Op:
    """Add the row of `target`."""
    name = fields.pop("name", None) or target.__name__
    row = ROWS[target] = Op(target, name, kind, **fields)
    if kind is Kind.POINTWISE:
        _POINTWISE.setdefault(name, row)
    return row


def by_name(name: str) -> Op | None:
    """The pointwise row called `name`, which is how the loop IR refers to operations."""
    return _POINTWISE.get(name)


def row_of(target: Any) -> Op | None:
    """The row of a callable; None when the operation is unknown (unhashable ones included).

    A bound method of an object (`rng.normal`) has the row of its class's method.
    """
    try:
        row = ROWS.get(target)
    except TypeError:
        return None
    if row is None and (owner := getattr(target, "__self__", None)) is not None:
        method = getattr(type(owner), getattr(target, "__name__", ""), None)
        row = BOUND_ROWS.get(method) if method.__hash__ else None
    return row
