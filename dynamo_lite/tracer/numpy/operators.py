"""Python's operators on graph values: arrays, numbers and sizes."""
from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.records import dataclass
from ...errors import GraphBreak
from ...guards.kinds import CALL, NOT_ALIASED
from ...ir.ops.columns import UFUNC_OF, says
from ...ir.row import row_of
from ..object_model.constants import ConstantVariable, constant, fold, observed
from ..object_model.dependent import dependent
from ..object_model.known_indices import NO_TIMES
from ..recording.nodes import check_not_consumed
from ..rules.operator_rows import ARITHMETIC, BINARY, UNARY
from ..state.tracker import VariableTracker
from ..trackers.array_backed.growing_arrays import GrowingArray
from ..trackers.arrays import sizes
from ..trackers.arrays.arrays import ArrayVariable
from ..trackers.arrays.graph_methods import record_call
from ..trackers.arrays.masked_parts import MaskedPart
from ..trackers.arrays.numbers import InputNumber, NumberVariable
from ..trackers.arrays.unions import UnionNumber
from ..trackers.containers.sequences import SequenceVariable, TupleVariable
from .creation import written_out
from .mathematics import power as number_power
from .recording import recorded
from .symbolic import symbolic_first
from .unions import operate_union

if TYPE_CHECKING:
    from ..state.tx import Tx

IN_PLACE: dict[Any, Callable[..., Any]] = {
    getattr(operator, row.inplace): row.function for row in ARITHMETIC
    if row.inplace is not None and hasattr(operator, row.inplace)
}
IN_PLACE_OF = {plain: function for function, plain in IN_PLACE.items()}


def binary(
    tx: Tx, symbol: str, lhs: VariableTracker, rhs: VariableTracker, inplace: bool = False
) -> VariableTracker:
    """`lhs symbol rhs`, or `lhs symbol= rhs`, when one of them belongs to the graph."""
    plain: Callable[..., Any] = BINARY[symbol].function
    function = IN_PLACE_OF[plain] if inplace else plain
    repeated = any(isinstance(value, SequenceVariable) for value in (lhs, rhs))
    return symbolic_first(
        tx, lambda args, _: operate(tx, function, args), (lhs, rhs), {},
        lambda: ("repeats", "repeats") if repeated else (),
    )


def unary(tx: Tx, symbol: str, value: VariableTracker) -> VariableTracker:
    return operate(tx, UNARY[symbol][0], (value,))


def is_same(tx: Tx, lhs: VariableTracker, rhs: VariableTracker) -> bool:
    """`lhs is rhs` for different trackers: arrays are different objects, which inputs must stay.

    What stands for several arrays may be one of them.
    """
    if not isinstance(lhs, ArrayVariable) or not isinstance(rhs, ArrayVariable):
        raise GraphBreak(f"the identity of {lhs.describe()}")
    check_not_consumed(tx, (lhs.node, rhs.node))
    for array in lhs, rhs:
        if (alias := tx.state.may_alias.get(array.node)) is not None:
            raise GraphBreak(f"the identity of {alias.what}")
    if lhs.source is not None and rhs.source is not None:
        if any({lhs, rhs} <= {*aliases.values()} for aliases in tx.state.empty.values()):
            raise GraphBreak(f"whether {lhs.describe()}, which is empty, is another empty array")
        tx.guards.install(lhs.source, NOT_ALIASED, rhs.source, tx.location())
    return False


def operate(
    tx: Tx, function: Callable[..., Any], operands: Sequence[VariableTracker]
) -> VariableTracker:
    """`function(*operands)` for a Python operator, when an operand belongs to the graph."""
    if function in IN_PLACE:
        return _in_place(tx, function, operands)
    operands = [one.array(tx) if isinstance(one, GrowingArray) else one for one in operands]
    if any(isinstance(operand, UnionNumber) for operand in operands):
        return operate_union(tx, function, operands, operate)
    if all(map(sizes.is_size, operands)):
        return sizes.operate(tx, function, operands)
    if all(map(is_python_number, operands)):
        if not all(operand.is_constant() for operand in operands):
            return _of_python_numbers(tx, function, operands)
        if (answer := _outcome(tx, function, operands)) is not None:
            return constant(answer)
        return dependent(tx, function, operands) or fold(tx, function, operands)
    if not any(map(is_numpy, operands)):
        return _of_python(tx, function, operands)
    if (reason := _why_not_numpys(function, operands)) is not None:
        raise GraphBreak(reason)
    symbol = sizes.COMPARISONS.get(function)
    if symbol is not None and isinstance(operands[0], SequenceVariable):  # the array answers
        function, operands = BINARY[MIRRORED[symbol]].function, operands[::-1]
    if function in (operator.pow, pow):
        return power(tx, operands)
    if function is divmod:
        return TupleVariable([operate(tx, part, operands) for part in PARTS_OF_DIVMOD])
    ufunc = UFUNC_OF[function]
    if says(ufunc, "scalars_warn") and not any(map(is_array, operands)):
        return _scalar_operator(tx, function, ufunc, operands)
    return recorded(tx, ufunc, [written_out(tx, operand) for operand in operands], {})


def _of_python_numbers(
    tx: Tx, function: Callable[..., Any], operands: Sequence[VariableTracker]
) -> VariableTracker:
    """Arithmetic of Python's own numbers, one of which the graph computes."""
    if function is operator.pos:
        return operands[0]
    if function in (operator.pow, pow) and len(operands) == 2:
        return number_power(tx, *operands)
    if function is operator.invert and operands[0].python_type() is int:
        return record_call(tx, operator.xor, (operands[0], constant(-1)), {})
    if function is divmod:
        parts = [_of_python_numbers(tx, part, operands) for part in PARTS_OF_DIVMOD]
        return TupleVariable(parts)
    function = operator.abs if function is abs else function
    return record_call(tx, function, without_bools(tx, function, operands), {})


PARTS_OF_DIVMOD = (operator.floordiv, operator.mod)
"""What `divmod` gives, to the bit and with the same warnings: of these there are kernels."""
OF_BOOLS = frozenset({operator.and_, operator.or_, operator.xor, *sizes.COMPARISONS})
"""Operators that have answers of their own for two bools."""


def without_bools(
    tx: Tx, function: Callable[..., Any], operands: Sequence[VariableTracker]
) -> list[VariableTracker]:
    """Operands with bools as the ints that arithmetic takes them for."""
    are_bools = [operand.python_type() is bool for operand in operands]
    if not any(are_bools) or (all(are_bools) and function in OF_BOOLS):
        return [*operands]
    return [
        tx.call_builtin(int, operand) if is_bool else operand
        for operand, is_bool in zip(operands, are_bools)
    ]


MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _outcome(
    tx: Tx, function: Callable[..., Any], operands: Sequence[VariableTracker]
) -> bool | None:
    """The comparison of an input number with a constant, or None for anything else."""
    symbol = sizes.COMPARISONS.get(function)
    if symbol is None:
        return None
    for relation, (number, other) in ((symbol, operands), (MIRRORED[symbol], operands[::-1])):
        if isinstance(number, InputNumber) and isinstance(other, ConstantVariable):
            if complex not in (number.python_type(), other.python_type()):
                return number.outcome(tx, relation, other.as_constant(tx))
    return None


def _of_python(
    tx: Tx, function: Callable[..., Any], operands: Sequence[VariableTracker]
) -> VariableTracker:
    """A size or Python number with a sequence or text: `[0] * n`, `"%d" % n`."""
    known = [constant(value.as_constant(tx)) if value.in_graph else value for value in operands]
    for owner, other in (known, known[::-1]):
        if isinstance(owner, SequenceVariable) and function is operator.mul:
            times = other.python_type()
            if not hasattr(times, "__index__"):
                raise observed(TypeError(NO_TIMES.format(times.__name__)))
            return owner.method___mul__(tx, other)
    return fold(tx, function, known)


def _why_not_numpys(
    function: Callable[..., Any], operands: Sequence[VariableTracker]
) -> str | None:
    """Why an operator with a NumPy operand is not the ufunc, or None."""
    kinds = [operand.python_type() for operand in operands]
    if not NEVER_OPERANDS.isdisjoint(kinds):
        told = " and ".join(operand.describe() for operand in operands)
        return f"{function.__name__} of {told}"
    if function is operator.mul and not any(map(is_array, operands)):
        if any(isinstance(operand, SequenceVariable) for operand in operands):
            return "a sequence repeated by a NumPy integer"
    if kinds == [complex, np.float64]:
        return "a Python complex number takes a numpy.float64 for a float"
    return None


NEVER_OPERANDS = frozenset({str, bytes, type(None), type(Ellipsis), dict, set, slice})


def is_numpy(value: VariableTracker) -> bool:
    """An array or NumPy scalar, whose operators are NumPy's."""
    return is_array(value) or (isinstance(value, NumberVariable) and not value.is_python)


def is_array(value: VariableTracker) -> bool:
    return isinstance(value, ArrayVariable)


def is_python_number(value: VariableTracker) -> bool:
    if isinstance(value, NumberVariable):
        return value.is_python
    if isinstance(value, ConstantVariable):
        return value.python_type() in (bool, int, float, complex)
    return isinstance(value, sizes.SizeVariable)


def _scalar_operator(
    tx: Tx,
    function: Callable[..., Any],
    ufunc: np.ufunc,
    operands: Sequence[VariableTracker],
) -> VariableTracker:
    """Arithmetic of NumPy scalars; an operation of the graph that reports integer overflow, and
    knows the formulas of complex scalars."""
    function = operator.abs if function is abs else function
    if row_of(function) is not None:
        return recorded(tx, function, operands, {})
    if all(_is_integer(operand) for operand in operands):
        raise GraphBreak("arithmetic of integer scalars may warn about overflow")
    return recorded(tx, ufunc, operands, {})


def _is_integer(value: VariableTracker) -> bool:
    if isinstance(value, NumberVariable):
        return value.array_type.dtype.kind in "iub"
    return value.python_type() in (int, bool)


def _in_place(
    tx: Tx, function: Callable[..., Any], operands: Sequence[VariableTracker]
) -> VariableTracker:
    """Arrays change in place and stay themselves; numbers and sizes are replaced."""
    target = operands[0]
    plain = IN_PLACE[function]
    if isinstance(target, MaskedPart):
        return target.change(tx, function, UFUNC_OF[plain], operands[1])
    if isinstance(target, GrowingArray):
        raise target.refused(tx, f"{function.__name__} of {target.describe()}")
    if not isinstance(target, ArrayVariable):
        return operate(tx, plain, operands)
    operands = [target, written_out(tx, operands[1])]
    if plain is operator.pow:
        power(tx, operands, out=target)
    elif row_of(function) is not None:
        record_call(tx, function, operands, {})
    elif plain is operator.matmul:
        raise GraphBreak("matrix multiplication in place")
    else:
        record_call(tx, UFUNC_OF[plain], operands, {"out": target})
    return target


# -- powers


def power(
    tx: Tx, operands: Sequence[VariableTracker], out: ArrayVariable | None = None
) -> VariableTracker:
    """`x ** y`: an array's operator takes a cheaper function for some Python exponents."""
    base, exponent = operands[:2]
    if len(operands) > 2:
        raise GraphBreak("pow of arrays with three arguments")
    kwargs: dict[str, VariableTracker] = {} if out is None else {"out": out}
    if not isinstance(base, ArrayVariable) or not is_python_number(exponent):
        if not is_array(base) and not is_array(exponent):
            return _scalar_operator(tx, operator.pow, np.power, operands)
        return record_call(tx, np.power, operands, kwargs)
    if isinstance(exponent, InputNumber):
        plain = UsesPower(base.array_type.dtype, out is not None)
        if plain(exponent.value):
            tx.guards.install(exponent.source, CALL, plain, tx.location())
            return record_call(tx, np.power, (base, exponent), kwargs)
    known = exponent.as_constant(tx)
    ufunc, arity = power_call(base.array_type.dtype, known, out is not None)
    return record_call(tx, ufunc, (base, ConstantVariable(known))[:arity], kwargs)


POWER = UFUNC_OF[operator.pow], 2


@dataclass(frozen=True, slots=True)
class UsesPower:
    """Whether an array's `**` calls `np.power` for a Python exponent; a guard's condition."""

    dtype: np.dtype
    in_place: bool

    @property
    def __name__(self) -> str:
        return "an exponent for np.power"

    def __call__(self, exponent: Any) -> bool:
        return power_call(self.dtype, exponent, self.in_place) == POWER


class _Probe(np.ndarray):
    """An array that answers which ufunc an operator calls on it."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        raise _Called(ufunc, len(inputs))


class _Called(Exception):
    def __init__(self, ufunc: np.ufunc, arity: int) -> None:
        super().__init__(ufunc, arity)
        self.found = ufunc, arity


@functools.lru_cache(512)
def _power_call(
    dtype: np.dtype, exponent: Any, kind: str, in_place: bool
) -> tuple[np.ufunc, int]:
    probe = np.ones(1, dtype).view(_Probe)
    try:
        (operator.ipow if in_place else operator.pow)(probe, exponent)
    except _Called as called:
        return called.found
    return POWER


def power_call(dtype: np.dtype, exponent: Any, in_place: bool = False) -> tuple[np.ufunc, int]:
    """The ufunc that `array ** exponent` runs in this NumPy, and how many inputs it takes."""
    return _power_call(dtype, exponent, type(exponent).__name__, in_place)
