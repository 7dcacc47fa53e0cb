"""Methods of arrays and NumPy scalars: each is the function that NumPy also offers by itself.

A row gives the target that is recorded. Where the method's signature differs from the function's,
an adapter arranges the arguments.
"""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ....base.records import dataclass
from ....base.signatures import check_names, filled_in
from ....errors import GraphBreak
from ....ir.ops.columns import having, says
from ....ir.types import ArrayType, Form
from ...object_model.constants import NONE, constant
from ...object_model.methods import BuiltinMethodVariable
from ...recording.identity import is_same_object
from ...recording.nodes import record
from ...recording.out_arguments import outputs_given
from ...state.tracker import Args, Kwargs, VariableTracker, call_own_method
from ..containers.sequences import TupleVariable

if TYPE_CHECKING:
    from ...state.tx import Tx

Arguments = tuple[Args, Kwargs]
Adapter = Callable[["Tx", Args, Kwargs], Arguments]


@dataclass(frozen=True, slots=True)
class Method:
    """`x.name(*args)` is `target(x, *adapted)`."""

    target: Callable[..., Any]
    adapt: Adapter | None = None


def _shape(tx: Tx, args: Args, kwargs: Kwargs) -> Arguments:
    """`x.reshape(2, 3)` and `x.reshape((2, 3))`."""
    if not args:
        raise GraphBreak("reshape() without a shape")
    return (args if len(args) == 1 else (TupleVariable(args),)), kwargs


def _axes(tx: Tx, args: Args, kwargs: Kwargs) -> Arguments:
    """`x.transpose()`, `x.transpose(1, 0)` and `x.transpose((1, 0))`."""
    if not args:
        return (NONE,), kwargs
    return _shape(tx, args, kwargs)


def _bounds(tx: Tx, args: Args, kwargs: Kwargs) -> Arguments:
    """`x.clip(low)`, where the function asks for both."""
    if not {"a_min", "a_max"}.isdisjoint(kwargs):
        raise GraphBreak("clip() takes no a_min and a_max")
    return ((*args, NONE) if len(args) == 1 and "max" not in kwargs else args), kwargs


def _second_dtype(tx: Tx, args: Args, kwargs: Kwargs) -> Arguments:
    """`x.all(axis, dtype, out)`, where the function has no dtype."""
    if len(args) > 1 and args[1] is not NONE:
        raise GraphBreak(f"{args[1].describe()} as a dtype")
    return (*args[:1], *args[2:]), kwargs


def _without_correction(tx: Tx, args: Args, kwargs: Kwargs) -> Arguments:
    """Only the function takes the name of the array API for `ddof`."""
    if "correction" in kwargs:
        raise GraphBreak("correction= of a method, which NumPy refuses")
    return args, kwargs


def _choices(tx: Tx, args: Args, kwargs: Kwargs) -> Arguments:
    """`x.choose(a, b)` and `x.choose((a, b))`; the function has `out` in the place of `b`."""
    if not args:
        raise GraphBreak("choose() without choices")
    return (args if len(args) == 1 else (TupleVariable(args),)), kwargs


ADAPTERS: dict[str, Adapter] = {
    "shape": _shape, "axes": _axes, "bounds": _bounds, "second_dtype": _second_dtype,
    "without_correction": _without_correction, "choices": _choices,
}
"""What rows call the functions that make a function's arguments of a method's."""
OWN = (
    "astype", "copy", "flatten", "view", "fill", "sort", "partition", "byteswap", "tobytes",
    "tolist", "tofile", "dump", "dumps", "item", "put", "getfield", "__array__",
)  # fmt: skip
"""Methods that no function stands for: the target is the method itself."""
METHODS: dict[str, Method] = {
    **{name: Method(getattr(np.ndarray, name)) for name in OWN},
    **{row.method: Method(row.target, ADAPTERS[row.adapts] if row.adapts else None)
       for row in having("method") if row.method is not None},
}
METHODS["conj"] = METHODS["conjugate"]


def call_graph_method(
    tx: Tx, owner: VariableTracker, name: str, args: Args, kwargs: Kwargs
) -> VariableTracker:
    """`owner.name(*args, **kwargs)` as a node, or as what the owner's own `method_<name>` says."""
    kind = type_of(owner)
    if name in ("conj", "conjugate") and (args or kwargs):
        raise GraphBreak(f"{name}() with arguments")
    if name in ("conj", "conjugate") and (kind.dtype.kind == "b" or kind.form is Form.ARRAY):
        if kind.dtype.kind != "c":
            return owner  # only the function makes a copy
    if (special := getattr(owner, f"method_{name}", None)) is not None:
        return call_own_method(tx, owner, special, name, args, kwargs)
    if (method := METHODS.get(name)) is None:
        raise GraphBreak(f"method {name!r} of {owner.describe()}")
    if kwargs and (required := says(method.target, "required")):
        args, kwargs = filled_in(name, required, args, kwargs)
    if method.adapt is not None:
        args, kwargs = method.adapt(tx, args, kwargs)
    return record_call(tx, method.target, (owner, *args), kwargs)


YES_OR_NO = frozenset({"keepdims", "subok"})
"""Arguments that NumPy's functions in C take other things than True and False for."""
DTYPE_LIKE = (type, np.dtype, str, type(None))
"""NumPy understands more as a dtype, which means something else as an argument of a graph."""


def record_call(tx: Tx, target: Callable[..., Any], args: Args, kwargs: Kwargs) -> VariableTracker:
    """Record a call whose arguments are trackers; a result that is an argument is its tracker."""
    place = says(target, "dtype_at") or len(args)
    dtype = args[place] if place < len(args) else kwargs.get("dtype")
    if dtype is not None and not issubclass(dtype.python_type(), DTYPE_LIKE):
        raise GraphBreak(f"{dtype.describe()} as a dtype")
    if "out" in kwargs:
        check_names(target, {"out": kwargs["out"]})
    for name in YES_OR_NO & kwargs.keys():
        if kwargs[name].python_type() is not bool:
            raise GraphBreak(f"{kwargs[name].describe()} as {name}")
    for value in (*args, *kwargs.values()):
        if (refuse := getattr(value, "check_argument", None)) is not None:
            refuse(target, args)
    if args and hasattr(args[0], "array_type") and type_of(args[0]).form is Form.SCALAR:
        if not isinstance(target, np.ufunc) and any(outputs_given(tx, target, args, kwargs)):
            raise GraphBreak(f"{target.__name__} of a NumPy number into an output")
    if args and hasattr(args[0], "array_type") and type_of(args[0]).form is Form.ARRAY:
        if is_same_object(tx, target, type_of(args[0]), args[1:], kwargs):
            return args[0]
    result = record(
        tx,
        target,
        [value.as_argument(tx) for value in args],
        {name: value.as_argument(tx) for name, value in kwargs.items()},
    )
    outputs = outputs_given(tx, target, args, kwargs)
    if isinstance(result, TupleVariable) and outputs:
        made = result.items(tx)
        return TupleVariable([item if out is None else out for item, out in zip(made, outputs)])
    return outputs[0] or result if outputs else result


def type_of(value: VariableTracker) -> ArrayType:
    """The type of an array or number of the graph."""
    kind: ArrayType = value.array_type  # type: ignore[attr-defined]
    return kind


def converted(
    tx: Tx, value: VariableTracker, dtype: VariableTracker
) -> VariableTracker:
    """`np.float32(value)`: 0-d arrays and scalars become scalars, other arrays are converted."""
    array = record_call(tx, np.asarray, (value, dtype), {})
    if type_of(array).shape:
        return array
    return record_call(tx, operator.getitem, (array, TupleVariable()), {})


class GraphMethodVariable(BuiltinMethodVariable):
    """A method looked up on a value of the graph."""

    def call(self, tx: Tx, args: Args, kwargs: Kwargs) -> VariableTracker:
        return self.owner.call_method(tx, self.name, args, kwargs)


# -- attributes that follow from the type

TYPE_FACTS: dict[str, Callable[[Any], Any]] = {
    "dtype": lambda kind: kind.dtype,
    "ndim": lambda kind: kind.ndim,
    "itemsize": lambda kind: kind.dtype.itemsize,
    "device": lambda kind: "cpu",
}

VIEWS: dict[str, Callable[..., Any]] = {
    row.attribute: row.target for row in having("attribute") if row.attribute is not None
}


def graph_attribute(
    tx: Tx, owner: VariableTracker, kind: Any, name: str
) -> VariableTracker | None:
    """An attribute that the type answers, or a view; None for anything else."""
    if (fact := TYPE_FACTS.get(name)) is not None:
        return constant(fact(kind))
    if (view := VIEWS.get(name)) is not None:
        return record_call(tx, view, (owner,), {})
    return None

