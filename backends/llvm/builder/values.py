"""Values of LLVM code, with Python's operators.

A `Value` has one lane (a scalar) or several (a vector); mixing them splats the scalar. Comparisons
are quiet: a NaN operand raises no floating-point flag, as in NumPy.
"""
from __future__ import annotations

from .choices import chosen
from .constrained import constrained
from .elements import BOOL, I64, Number
from .registers import Register

FLOAT_PREDICATES = {"eq": "oeq", "ne": "une", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge"}
# Plain `fcmp` with these never raises invalid for a quiet NaN on the targets we know; the ordered
# relations do, so they go through the constrained intrinsic, which selects quiet instructions.
QUIET_PREDICATES = frozenset({"oeq", "une", "uno", "ord"})


class Value(Register):
    """A register that formulas compute with."""

    __slots__ = ()

    def _with(self, other: Value | Number) -> tuple[Value, Value]:
        b = other if isinstance(other, Value) else self.builder.constant(self.dtype, other)
        lanes = max(self.lanes, b.lanes)
        return self.splat(lanes), b.splat(lanes)

    def binary(self, opcode: str, other: Value | Number) -> Value:
        a, b = self._with(other)
        return a.like(self.builder.emit(f"{opcode} {a.type} {a.ref}, {b.ref}"))

    def _arithmetic(self, floating: str, integer: str, other: Value | Number) -> Value:
        return self.binary(floating if self.dtype.kind == "f" else integer, other)

    def __add__(self, other: Value | Number) -> Value:
        return self._arithmetic("fadd", "add", other)

    def __sub__(self, other: Value | Number) -> Value:
        return self._arithmetic("fsub", "sub", other)

    def __mul__(self, other: Value | Number) -> Value:
        return self._arithmetic("fmul", "mul", other)

    def __truediv__(self, other: Value | Number) -> Value:
        return self.binary("fdiv", other)

    def __rsub__(self, other: Number) -> Value:
        return self.builder.constant(self.dtype, other) - self

    def __radd__(self, other: Number) -> Value:
        return self + other

    def __rmul__(self, other: Number) -> Value:
        return self * other

    def __rtruediv__(self, other: Number) -> Value:
        return self.builder.constant(self.dtype, other) / self

    def __neg__(self) -> Value:
        if self.dtype.kind != "f":
            return self.builder.constant(self.dtype, 0) - self
        return self.like(self.builder.emit(f"fneg {self.type} {self.ref}"))

    def __and__(self, other: Value | Number) -> Value:
        return self.binary("and", other)

    def __or__(self, other: Value | Number) -> Value:
        return self.binary("or", other)

    def __xor__(self, other: Value | Number) -> Value:
        return self.binary("xor", other)

    def __invert__(self) -> Value:
        return self ^ (True if self.dtype.kind == "b" else -1)

    def __lshift__(self, other: Value | Number) -> Value:
        return self.binary("shl", other)

    def __rshift__(self, other: Value | Number) -> Value:
        return self.binary("ashr" if self.dtype.kind == "i" else "lshr", other)

    def call(self, intrinsic: str, *others: Value | Number) -> Value:
        """An LLVM intrinsic overloaded on this type, `llvm.<intrinsic>.<suffix>`."""
        values = [self, *(self._with(other)[1] for other in others)]
        lanes = max(v.lanes for v in values)
        values = [v.splat(lanes) for v in values]
        first = values[0]
        args = ", ".join(f"{v.type} {v.ref}" for v in values)
        text = f"call {first.type} @llvm.{intrinsic}.{first.suffix}({args})"
        return first.like(self.builder.emit(text))

    def compare(self, predicate: str, other: Value | Number) -> Value:
        """`predicate` is eq, ne, lt, le, gt, ge; NaN compares as in NumPy. For floats also LLVM's
        own names (uno, ord, ugt …)."""
        a, b = self._with(other)
        if self.dtype.kind != "f":
            signed = "u" if self.dtype.kind in "ub" else "s"
            name = predicate if predicate in ("eq", "ne") else signed + predicate
            found = a.like(self.builder.emit(f"icmp {name} {a.type} {a.ref}, {b.ref}"), BOOL)
            found.compared = name, a, b
            return found
        name = FLOAT_PREDICATES.get(predicate, predicate)
        if name in QUIET_PREDICATES:
            return a.like(self.builder.emit(f"fcmp {name} {a.type} {a.ref}, {b.ref}"), BOOL)
        found = constrained(
            "fcmp.{of}", (a, b), BOOL, f'metadata !"{name}", metadata !"fpexcept.ignore"')
        found.compared = name, a, b
        return found

    def lt(self, other: Value | Number) -> Value:
        return self.compare("lt", other)

    def gt(self, other: Value | Number) -> Value:
        return self.compare("gt", other)

    def le(self, other: Value | Number) -> Value:
        return self.compare("le", other)

    def ge(self, other: Value | Number) -> Value:
        return self.compare("ge", other)

    def fma(self, factor: Value | Number, addend: Value | Number) -> Value:
        """self * factor + addend, rounded once where the target can; only for our own formulas."""
        if self.builder.has_fma:
            return self.call("fma", factor, addend)
        return self * factor + addend

    def exact_fma(self, factor: Value | Number, addend: Value | Number) -> Value:
        """The same in double, as good as rounded once on every target: what formulas need that
        recover the error of a product (Dekker's product where there is no instruction)."""
        if self.builder.has_fma:
            return self.call("fma", factor, addend)
        a, b = self._with(factor)
        product = a * b
        a_high, b_high = a._upper_half(), b._upper_half()
        a_low, b_low = a - a_high, b - b_high
        error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
        return (product + addend) + error

    def _upper_half(self) -> Value:
        return (self.bits() & -(1 << 27)).as_float()

    def abs(self) -> Value:
        return self.call("fabs")

    def raising(self, opcode: str, other: Value | Number) -> Value:
        """`fdiv`, `fmul`, `fadd` or `fsub` that stays in the code whatever is known about the
        operands, for the flag that it raises."""
        return constrained(
            opcode + ".{of}", self._with(other), self.dtype,
            'metadata !"round.tonearest", metadata !"fpexcept.strict"')

    def any(self) -> Value:
        """Does a mask hold in some lane?"""
        if self.lanes == 1:
            return self
        number = self.builder.emit(f"bitcast {self} to i{self.lanes}")
        ref = self.builder.emit(f"icmp ne i{self.lanes} {number}, 0")
        return Value(self.builder, ref, BOOL)

    def first_lane(self) -> Value:
        """The number of the first lane in which a mask holds; not a lane where it holds in none."""
        number = self.builder.emit(f"bitcast {self} to i{self.lanes}")
        if self.lanes < 64:
            number = self.builder.emit(f"zext i{self.lanes} {number} to i64")
        ref = self.builder.emit(f"call i64 @llvm.cttz.i64(i64 {number}, i1 false)")
        return Value(self.builder, ref, I64)

    def constant(self, value: Number) -> Value:
        """A literal of this dtype and shape."""
        return self.builder.constant(self.dtype, value).splat(self.lanes)

    def eq(self, other: Value | Number) -> Value:
        return self.compare("eq", other)

    def ne(self, other: Value | Number) -> Value:
        return self.compare("ne", other)

    def is_nan(self) -> Value:
        return self.compare("uno", self)

    def select(self, true: Value | Number, false: Value | Number) -> Value:
        """`true` where this mask holds, else `false`; at least one of them is a Value."""
        typed = true if isinstance(true, Value) else false
        assert isinstance(typed, Value)
        a = true if isinstance(true, Value) else self.builder.constant(typed.dtype, true)
        b = false if isinstance(false, Value) else self.builder.constant(typed.dtype, false)
        lanes = max(self.lanes, a.lanes, b.lanes)
        mask = self if self.lanes == 1 else self.splat(lanes)
        a, b = a.splat(lanes), b.splat(lanes)
        if (found := chosen(mask, a, b)) is not None:
            return found
        text = f"select {mask.type} {mask.ref}, {a.type} {a.ref}, {b.type} {b.ref}"
        return a.like(self.builder.emit(text))
