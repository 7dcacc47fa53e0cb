"""The registry: one row per operation, and every list of operations is a query over the rows.

A row's key is the public callable that the user's code calls: `np.add`, `operator.getitem`.
"""
from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from typing import Any

from ..base.records import NamedTuple, dataclass, field


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


SIMPLE = 0.02
"""Nanoseconds per element of an operation that is one instruction."""


class Made(NamedTuple):
    """A function that a named one makes."""

    maker: str
    arguments: tuple[Any, ...]
    options: Mapping[str, Any]


def made(maker: str, *arguments: Any, **options: Any) -> Made:
    return Made(maker, arguments, options)


@dataclass(frozen=True, slots=True)
class Op:
    """One row.

    `infer(*types_and_constants, facts=…, **kwargs)` gives the result's ArrayType (or a tuple of
    them); it raises `rules.values.Wrong` where NumPy raises. `llvm` maps a kind letter of the
    loop's operand dtype ("f" float, "c" complex, "i" signed, "u" unsigned, "b" bool) to a
    template; in it {t} is the vector type, {s} its LLVM suffix (`v8f64`), {a} {b} {c} the operands,
    {r} the result register's type. A template of the form "@name" calls the generator's own
    function of that name, "@topic.name" that of a topic of `backends.llvm.maths`. Where it is a
    function it gets the operands, as values of the generator that have Python's operators.
    `triton` is an expression with {a} {b} {c}, or "@name" for the prelude's function; of complex
    numbers ("c") it says what their parts are asked (`backends.triton.kernels.pairs`).
    `c` maps the letter of a dtype to C's function that computes it with the bits that it has in
    Python, where settings ask for these.
    `decompose(emit, *args, **kwargs)` rewrites a call in terms of other rows (`rules.composite`);
    it raises Unsupported for calls that stay whole.
    `strided_view` (views) is called like the target, plus `facts`, and gives which the result is of
    the first argument (`rules.strided_views`), or None when NumPy makes a copy.
    `whole`: calls that the rule does not cover are made by NumPy as a step of the graph, which is
    tried out to find the type.
    `lowering` names the backend's function that makes kernels or steps of a call, and `using` has
    what that is told beside the call's own arguments; without one, and for calls that it declines,
    NumPy is called.
    `flags`: NumPy may report a floating-point condition (divide, over, under, invalid) for it.
    `silent`: the kinds of numbers of which it reports nothing, and has nothing checked.
    `flags_exact`: the generator's own function raises underflow where NumPy's does.
    `approximated`: its results are not correctly rounded, so that two ways to compute them differ.
    `checks`: which run-time conditions bail out ("zero divisor", "zero reciprocal", "quotient
    overflow", "negative power", "bounds", "scalar overflow" where integer NumPy scalars warn about
    overflow, "any" where NumPy may raise).

    What Python and the frontend know it by, and what sets it apart:
    `operators`: the operators and builtins of Python that are this on arrays.
    `math`: the function of `math` that is this on floats.
    `method`: the method of arrays that is this with the array as its first argument, `adapts` the
    frontend's function that makes its arguments of the method's, `required` the arguments that the
    method must be given; `attribute`: the attribute that is this of the array alone.
    `handler`: the frontend's function that records a call which is more than one node.
    `itself`: the frontend's question whether the result is the array that was given.
    `parameters`: those that can be given by position, of functions that cannot be asked.
    `folds`: the ufunc whose reduction, or running fold, this is along any axes.
    `counts`: its ints say how many or where: the type of its result is the same for all of them.
    `binds`: the ints that it gives, or the sizes of its results, are sizes in the bodies of loops
    and branches too ("ints", "lengths").
    `sequences`: what a list or another sequence is as its first argument: "numbers" where it stands
    for the array of them, "items" where what it holds matters.
    `arrays_at`: the places of arguments that are sequences of arrays, for derivatives.
    `nests`: lists inside of its first argument say where each array is.
    `joins`: how it joins the arrays in its first argument: along an "axis", as "rows" or as
    "columns"; or its first argument with "values".
    `shares`: its results, which are several, are views of its first argument.
    `least_ndim`: the least number of dimensions of its result.
    `zeroed`: NumPy asks the system for memory that is zero.
    `makes`: the class of the object, which is no array, that it makes.
    `version`: how a write makes the next version of what it writes (`passes.functionalise`).
    `casts`: it makes an array of one dtype of what it is given; `dtype_at`: where it takes that.
    `out_by_name`: an output in another way is deprecated; `forgets_out`: it does not write it.
    `reads_late`: it reads its operands where they lie while it writes.
    `keeps_order`: it copies in the order of its argument, of which each library has its own idea.
    `scalars_warn`: NumPy's integer scalars, unlike arrays, warn when it overflows.
    `bfloat16`: what CuPy does with arrays of that, where it makes no view (`ops.bfloat16`): they
    are "moved" as they are; what it finds in single precision is "rounded", "in_place", or "folded"
    first; they are "multiplied" as matrices, or "assigned". Without one the call is CuPy's own.
    `never_reports`: on Python's floats it neither raises nor warns.
    `harmless_at_one`: the kinds for which nothing is reported where the last operand is 1.
    `positive_zeros`: it never gives -0.0.

    What it costs is for decisions of speed only:
    `cost`: nanoseconds per element, measured (`backends.costs`).
    `weight`: how many simple operations it is worth where it may be computed again.
    `formula`: the probe (`backends.llvm.builder.formulas`) that tells how this NumPy computes it of
    complex numbers, which its scalars, and loops that write in reverse order, round otherwise.
    `blocks`: the rule (`distributed.rules`) for arrays in blocks, where it is not its kind's.
    `written`: how it is written in terms of others, where its rule is to follow that (`blocks`) and
    NumPy's own text is no single graph.
    `by_dask`: Dask has a function of the same name that gives the same.
    `preference`: the question (`backends.llvm.preferences`) whether NumPy's own loop is faster.

    How it is differentiated, in a function for each argument, or None. Most functions are named,
    "topic.name" of `ir.derivatives`, or `made` by one that is named:
    `partials` gives the partial derivatives, element by element, of the result and the operands;
    `vjp` the cotangent of an argument, of that of the result, the result and all arguments;
    `means` is the call in terms of others that have rules.
    `means_first`: where it is decomposed, too.
    `keeping(emit, *args)` is a definition, as `decompose` is, by a call that also gives what
    derivatives will need.
    """

    target: Callable[..., Any]
    name: str
    kind: Kind
    infer: Callable[..., Any] | None = None
    llvm: Mapping[str, str | Callable[..., Any]] = field(default_factory=dict)
    triton: str | Mapping[str, str | None] | None = None
    c: Mapping[str, str] = field(default_factory=dict)
    decompose: Callable[..., Any] | None = None
    fold: str | None = None
    lowering: str | None = None
    using: Mapping[str, Any] = field(default_factory=dict)
    strided_view: Callable[..., Any] | None = None
    effect: Effect = Effect.PURE
    whole: bool = False
    flags: bool = False
    silent: str = ""
    flags_exact: bool = False
    approximated: bool = False
    checks: tuple[str, ...] = ()
    operators: tuple[Callable[..., Any], ...] = ()
    math: Callable[..., Any] | None = None
    method: str | None = None
    adapts: str | None = None
    required: tuple[str, ...] = ()
    attribute: str | None = None
    handler: str | None = None
    itself: str | None = None
    parameters: tuple[str, ...] = ()
    folds: Any = None
    shares: bool = False
    least_ndim: int = 0
    zeroed: bool = False
    makes: Any = None
    version: str | None = None
    sequences: str | None = None
    counts: bool = False
    binds: str | None = None
    arrays_at: tuple[int, ...] = ()
    nests: bool = False
    joins: str | None = None
    casts: bool = False
    dtype_at: int | None = None
    out_by_name: bool = False
    forgets_out: bool = False
    reads_late: bool = False
    keeps_order: bool = False
    scalars_warn: bool = False
    bfloat16: str | None = None
    never_reports: bool = False
    harmless_at_one: str = ""
    positive_zeros: bool = False
    cost: float = SIMPLE
    weight: int = 1
    formula: str | None = None
    blocks: str | None = None
    written: Callable[..., Any] | None = None
    by_dask: bool = False
    preference: str | None = None
    partials: tuple[Callable[..., Any], ...] = ()
    vjp: tuple[Any, ...] = ()
    means: Any = None
    means_first: bool = False
    keeping: Any = None


ROWS: dict[Any, Op] = {}
BOUND_ROWS: dict[Any, Op] = {}
"""Rows of methods, called without their first argument when they are bound."""
_POINTWISE: dict[str, Op] = {}
FOREIGN_ROWS: dict[Any, Op] = {}
"""Rows of functions of other libraries, made when they are first met."""
OWN_ROW = "_dynamo_lite_row"
"""Attribute of a user's function with its row."""


def op(target: Callable[..., Any], kind: Kind = Kind.POINTWISE, **fields: Any) -> Op:
    """Add the row of `target`."""
    name = fields.pop("name", None) or target.__name__
    row = ROWS[target] = Op(target, name, kind, **fields)
    if kind is Kind.POINTWISE:
        _POINTWISE.setdefault(name, row)
    return row


def complete(target: Callable[..., Any], **fields: Any) -> None:
    """Give the row of `target` other columns, once what they are made of is there."""
    fill(ROWS[target], **fields)


def fill(row: Op, **fields: Any) -> None:
    for name, value in fields.items():
        object.__setattr__(row, name, value)


def lowering_of(target: Any) -> str | None:
    """The backend's function that lowers calls of `target`, by name."""
    row = row_of(target)
    return None if row is None else row.lowering


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
    return _other_row_of(target) if row is None else row


def _other_row_of(target: Any) -> Op | None:
    row = None
    if (owner := getattr(target, "__self__", None)) is not None:
        method = getattr(type(owner), getattr(target, "__name__", ""), None)
        row = BOUND_ROWS.get(method) if method.__hash__ else None
    if row is None and target in FOREIGN_ROWS:
        return FOREIGN_ROWS[target]
    return getattr(target, OWN_ROW, None) if row is None else row
