"""Sizes: Python ints that stay symbolic until Python itself needs their value."""
from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Sequence
from functools import cache, wraps
from typing import TYPE_CHECKING, Any

import numpy as np

from ....errors import DataDependent
from ....guards.kinds import INT_SYMBOL
from ....guards.shapes.dynamic import DimMark, Mark
from ....guards.sources import DependentSource, LiteralSource, Pinned, SizeSource, Source
from ....ir.node import Node
from ....ir.ops.columns import UFUNC_OF
from ....ir.ops.flow import BITS
from ....ir.sizes import (
    Atom,
    Size,
    SizeExpr,
    Symbol,
    depends_on_data,
    floordiv,
    maximum,
    minimum,
    modulo,
    name_of,
    product,
    symbols,
    weight,
)
from ....ir.types import python_number
from ...object_model.constants import ConstantVariable, fold
from ...object_model.dependent import FINDERS, MAKERS, Found, dependent
from ...recording.nodes import declare_symbols, placeholder, record
from ...recording.unbacked import is_of_body
from ...rules.counters import counted
from ...rules.mro import answers
from ...rules.operator_rows import BINARY
from ...state.tracker import Args, Kwargs, VariableTracker
from ..containers.sequences import TupleVariable
from .graph_methods import GraphMethodVariable
from .numbers import ComputedNumber

if TYPE_CHECKING:
    from ....guards.shapes.shape_env import ShapeEnv
    from ...state.emitter import Emitter
    from ...state.tx import Tx


class SizeVariable(VariableTracker):
    """An int that is a polynomial of symbols."""

    in_graph = True

    def __init__(self, size: SizeExpr, shapes: ShapeEnv, source: Source | None = None) -> None:
        self.size = size
        self.shapes = shapes
        self.source = source

    def python_type(self) -> type:
        return int

    def is_constant(self) -> bool:
        return True

    def as_constant(self, tx: Tx) -> int:
        """The value; from here on the trace is specialised to it."""
        return tx.shapes.specialize(self.size)

    def as_argument(self, tx: Tx) -> Size:
        return self.size

    def truth(self, tx: Tx) -> bool:
        return not tx.shapes.equal(self.size, 0)

    def expect(self, tx: Tx, outcome: bool) -> None:
        if tx.graph.is_body or not tx.shapes.expect("!=", self.size, 0, outcome):
            compared(tx, "!=", self.size, 0).expect(tx, outcome)

    def hash_key(self, tx: Tx) -> Hashable:
        return self.as_constant(tx)

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        if name in ("real", "numerator"):
            return self
        if answers(int, name) and callable(getattr(int, name)):
            return GraphMethodVariable(self, name)
        return fold(tx, getattr, (self, ConstantVariable(name)))

    def call_method(self, tx: Tx, name: str, args: Args, kwargs: Kwargs) -> VariableTracker:
        method = getattr(int, name)
        if not kwargs and (made := dependent(tx, method, (self, *args))) is not None:
            return made
        return fold(tx, method, (self, *args), kwargs)

    def reconstruct(self, code: Emitter) -> None:
        _load(code, self.size, self.shapes)

    def describe(self) -> str:
        return f"the size {self.size}"


def size_tracker(tx: Tx, size: Size) -> VariableTracker:
    """A tracker of an int or of a symbolic size; of one that a body alone knows, as a number."""
    if tx.graph.is_body and is_of_body(tx, size):
        return record(tx, int, (size,))
    return size_variable(tx, size)


def size_variable(tx: Tx, size: Size) -> VariableTracker:
    """A size as a part of keys, or anywhere outside of bodies."""
    return ConstantVariable(size) if isinstance(size, int) else SizeVariable(size, tx.shapes)


def size_source(size: Size, shapes: ShapeEnv) -> Source:
    """Where the value of a size is found: arithmetic on where its symbols are found."""
    size = shapes.expanded(size)
    if isinstance(size, int):
        return LiteralSource(size)
    total: Source | None = None
    for monomial, coefficient in size.terms:
        factors = [_atom_source(atom, shapes) for atom in monomial]
        if coefficient != 1 or not factors:
            factors.append(LiteralSource(coefficient))
        term = factors[0]
        for factor in factors[1:]:
            term = DependentSource(Pinned(operator.mul), (term, factor))
        total = term if total is None else DependentSource(Pinned(operator.add), (total, term))
    assert total is not None
    return total


def _atom_source(atom: Atom, shapes: ShapeEnv) -> Source:
    if isinstance(atom, Symbol):
        info = shapes.infos[atom.name]
        is_int = info.fact == "value"
        return info.source if is_int else SizeSource(info.source, info.fact, info.axis)
    function = {"//": operator.floordiv, "%": operator.mod, "min": min, "max": max}[atom.op]
    operands = size_source(atom.left, shapes), size_source(atom.right, shapes)
    return DependentSource(Pinned(function), operands)


def _dependent_int(tx: Tx, value: int, source: Source) -> VariableTracker:
    """An int that follows from others: a symbol of its own, if Python's value fits one."""
    return wrap_int(tx, value, source, DimMark(Mark.MAYBE_DYNAMIC))


MAKERS[int] = _dependent_int
FINDERS[SizeVariable] = lambda tx, value: found_again(tx, value.size)


def found_again(tx: Tx, value: Any, depth: int = 0) -> Found | None:
    """Where Python finds a size, or a number that NumPy makes of sizes: `int(np.ceil(n / 3))`.
    None where data of the call says what it is."""
    if isinstance(value, SizeExpr):
        size = tx.shapes.simplify(value)
        if not depends_on_data(size):
            return size_source(size, tx.shapes), tx.shapes.hint(size)
        value, axis = tx.state.lengths.get(name_of(size) or "", (None, None))
        value = None if axis is not None or tx.graph.is_body else value
    if type(value) in (bool, int, float, np.float64):
        return LiteralSource(value), value
    if not isinstance(value, Node) or value.kwargs or depth > DEEPEST:
        return None
    is_ufunc = isinstance(value.target, np.ufunc)
    if not (is_ufunc or value.target in (int, float)) or not 1 <= len(value.args) <= 2:
        return None
    operands = [found_again(tx, arg, depth + 1) for arg in value.args]
    found = [operand for operand in operands if operand is not None]
    function = silent(value.target) if is_ufunc else value.target
    try:
        made = function(*[number for _, number in found]) if len(found) == len(operands) else None
    except (ArithmeticError, ValueError):
        return None
    return made if made is None else (
        DependentSource(Pinned(function), tuple(source for source, _ in found)), made
    )


DEEPEST = 6
"""Steps of a computation that is made again."""


@cache
def silent(function: np.ufunc) -> Callable[..., Any]:
    """A function of NumPy that raises where it would warn."""

    @wraps(function)
    def call(*numbers: Any) -> Any:
        with np.errstate(all="raise"):
            return function(*numbers)

    return call


def wrap_int(
    tx: Tx, value: int, source: Source, mark: DimMark | None = None
) -> VariableTracker:
    """A constant whose value is guarded when used; a symbol once a second value has been seen."""
    if not -(2**63) <= value < 2**63:
        return ConstantVariable(value, source)
    if mark is None and (change := counted(source, tx.instructions)):
        tx.shapes.policy.expect(source, value, change)
    size = tx.shapes.size(source, "value", 0, value, mark)
    if isinstance(size, int):
        return ConstantVariable(value, source)
    name = next(symbols(size))
    if source in tx.state.input_sources:
        return SizeVariable(size, tx.shapes, source)
    tx.guards.install(source, INT_SYMBOL, name, tx.location())
    placeholder(tx, source, python_number(int))
    declare_symbols(tx, iter((name,)))
    return SizeVariable(size, tx.shapes, source)


# -- arithmetic

ARITHMETIC: dict[Any, Callable[[Any, Any], Size]] = {
    operator.add: operator.add, operator.sub: operator.sub, operator.mul: operator.mul,
    operator.floordiv: floordiv, operator.mod: modulo,
}  # fmt: skip
WITH_CONSTANT: dict[Any, tuple[int, Callable[[Any, int], Size]]] = {
    operator.pow: (4, lambda size, k: product([size] * k)),
    operator.lshift: (62, lambda size, k: size * 2**k),
    operator.rshift: (62, lambda size, k: floordiv(size, 2**k)),
}
"""Operators that are arithmetic where the right operand is a known number up to a limit."""
UNARY: dict[Any, Callable[[Any], Size]] = {
    operator.neg: operator.neg, operator.pos: lambda n: n, operator.invert: lambda n: -n - 1,
}
COMPARISONS: dict[Any, str] = {
    operator.eq: "==", operator.ne: "!=", operator.lt: "<", operator.le: "<=",
    operator.gt: ">", operator.ge: ">=",
}  # fmt: skip


def is_size(value: VariableTracker) -> bool:
    """A symbolic size, or a known Python int."""
    if isinstance(value, SizeVariable):
        return True
    return isinstance(value, ConstantVariable) and value.python_type() in (int, bool)


def operate(
    tx: Tx, function: Callable[..., Any], operands: Sequence[VariableTracker]
) -> VariableTracker:
    """An operator on sizes: symbolic where it can be, otherwise on the specialised values."""
    if any(is_long(tx, operand) for operand in operands):
        return dependent(tx, function, operands) or fold(tx, function, operands)
    if function in COMPARISONS:
        left, right = (_size(tx, operand) for operand in operands)
        try:
            return ConstantVariable(tx.shapes.compare(COMPARISONS[function], left, right))
        except DataDependent:
            return compared(tx, COMPARISONS[function], left, right)
    if function in ARITHMETIC and not _divides_by_zero(tx, function, operands):
        left, right = (_size(tx, operand) for operand in operands)
        size = tx.shapes.total(ARITHMETIC[function](left, right))
        return _arithmetic(tx, size, function, operands)
    if function is divmod:
        parts = (operator.floordiv, operator.mod)
        return TupleVariable([operate(tx, part, operands) for part in parts])
    if function in WITH_CONSTANT and isinstance(exponent := operands[-1], ConstantVariable):
        limit, rewritten = WITH_CONSTANT[function]
        if 0 <= (known := int(exponent.as_constant(tx))) <= limit:
            size = rewritten(_size(tx, operands[0]), known)
            return _arithmetic(tx, size, function, operands)
    if function in UNARY:
        return size_tracker(tx, UNARY[function](_size(tx, operands[0])))
    if function in (abs, operator.abs):
        size = _size(tx, operands[0])
        try:
            return size_tracker(tx, -size if tx.shapes.less(size, 0) else size)
        except DataDependent:
            return size_tracker(tx, maximum(size, -size))
    made = None if function in COMPARISONS else dependent(tx, function, operands)
    if made is None and function in BITS:
        numbers = [_size(tx, operand) for operand in operands]
        if any(map(depends_on_data, numbers)):
            return record(tx, function, numbers)
    return made or fold(tx, function, operands)


def is_long(tx: Tx, value: VariableTracker) -> bool:
    """Whether a value is a known integer of more than 64 bits, as no size is."""
    if not isinstance(value, ConstantVariable) or value.python_type() is not int:
        return False
    return not -(2**63) <= int(value.as_constant(tx)) < 2**63


def _arithmetic(
    tx: Tx, size: Size, function: Callable[..., Any], operands: Sequence[VariableTracker]
) -> VariableTracker:
    """`size`, the result of an operator; a long expression gets a symbol of its own.

    Otherwise `n = n // 2 + n`, said ten times, would be an expression of a thousand parts.
    """
    if weight(size) <= HEAVIEST:
        return size_tracker(tx, size)
    if (made := dependent(tx, function, operands)) is not None:
        return made
    number = record(tx, function, [_size(tx, operand) for operand in operands])
    return record(tx, int, (number.as_argument(tx),))


HEAVIEST = 24
"""Symbols and numbers of the longest expression without a symbol of its own."""


def extremum(tx: Tx, function: Any, values: Sequence[VariableTracker]) -> Size | None:
    """`min` or `max` of sizes of which sometimes one and sometimes the other is it."""
    if function not in EXTREMA or not all(map(is_size, values)):
        return None
    best, *others = (_size(tx, value) for value in values)
    for other in others:
        if not (tx.shapes.varies("<", best, other) or is_open(tx, best, other)):
            return None
        best = EXTREMA[function](best, other)
    return best if weight(best) <= HEAVIEST else None


def is_open(tx: Tx, left: Size, right: Size) -> bool:
    """Whether only the data of a call tells which of two sizes is less."""
    if not (depends_on_data(left) or depends_on_data(right)):
        return False
    try:
        tx.shapes.less(left, right)
    except DataDependent:
        return True
    return False


EXTREMA: dict[Any, Callable[[Size, Size], Size]] = {min: minimum, max: maximum}


def compared(tx: Tx, op: str, left: Size, right: Size) -> ComputedNumber:
    """A comparison that only the data of a call can answer."""
    answer = record(tx, UFUNC_OF[BINARY[op].function], (left, right))
    made = record(tx, bool, (answer.as_argument(tx),))
    return ComputedNumber(made.as_argument(tx), relation=(op, left, right))


def _size(tx: Tx, value: VariableTracker) -> Size:
    return value.size if isinstance(value, SizeVariable) else int(value.as_constant(tx))


def _divides_by_zero(
    tx: Tx, function: Callable[..., Any], operands: Sequence[VariableTracker]
) -> bool:
    if function not in (operator.floordiv, operator.mod):
        return False
    divisor = _size(tx, operands[1])
    try:
        return tx.shapes.equal(divisor, 0)
    except DataDependent:
        compared(tx, "!=", divisor, 0).expect(tx, True)
        return False


# -- rebuilding


def _load(code: Emitter, size: Size, shapes: ShapeEnv) -> None:
    """Instructions that compute a size from the arrays and ints it was read from."""
    size = shapes.expanded(size)
    if isinstance(size, int):
        code.load_const(size)
        return
    for index, (monomial, coefficient) in enumerate(size.terms):
        code.load_const(coefficient)
        for atom in monomial:
            _load_atom(code, atom, shapes)
            code.emit("BINARY_OP", "*")
        if index:
            code.emit("BINARY_OP", "+")


def _load_atom(code: Emitter, atom: Atom, shapes: ShapeEnv) -> None:
    if isinstance(atom, Symbol):
        if atom.name not in shapes.infos:
            assert shapes.node_of is not None
            code.load_output(shapes.node_of(atom.name))
            return
        info = shapes.infos[atom.name]
        is_int = info.fact == "value"
        code.load_source(
            info.source if is_int else SizeSource(info.source, info.fact, info.axis)
        )
        return
    if atom.op in ("min", "max"):
        code.load_const(min if atom.op == "min" else max)
    _load(code, atom.left, shapes)
    _load(code, atom.right, shapes)
    if atom.op in ("min", "max"):
        code.call(2)
    else:
        code.emit("BINARY_OP", atom.op)
