"""What a comparison of two scalars chooses, without a branch: data does not come in an order that
can be foreseen, and LLVM would make branches of most of these."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .constrained import constrained
from .elements import BOOL, F32, F64

if TYPE_CHECKING:
    from .values import Value

IMMEDIATES = {"olt": 17, "ole": 18, "oge": 29, "ogt": 30}
"""The quiet comparisons of AVX."""
BLENDS = {F64: ("sse2.cmp.sd", "sse41.blendvpd"), F32: ("sse.cmp.ss", "sse41.blendvps")}
"""Instructions that compare the first lanes, and that choose by a mask."""
EXTREMES = {F64: ("sse2.min.sd", "sse2.max.sd"), F32: ("sse.min.ss", "sse.max.ss")}
"""The lesser and the greater of the first lanes; the second operand where they are equal."""
LESS, GREATER = frozenset(("olt", "ole")), frozenset(("ogt", "oge"))
RARE = "!prof !0"
"""Stands behind branches and choices of which the first way is hardly ever taken."""
WORDS = 4
"""Bytes from which integers have registers of their own."""


def chosen(mask: Value, true: Value, false: Value) -> Value | None:
    """What a mask chooses of two scalars where it is the order of numbers; None for another one."""
    if mask.compared is None or true.lanes != 1 or mask.lanes != 1:
        return None
    if true.dtype.kind in "iu":
        return extreme_integer(mask, true, false)
    if not true.builder.blends or true.dtype not in BLENDS:
        return None
    if is_of_floats(mask, true):
        return extreme(mask, true, false) or blended(mask, true, false)
    return None


def is_of_floats(mask: Value, value: Value) -> bool:
    """Whether a mask is the order of two numbers of a value's type."""
    assert mask.compared is not None
    predicate, left, _ = mask.compared
    return left.dtype == value.dtype and predicate in IMMEDIATES


def extreme(
    mask: Value, true: Value, false: Value, of_nans: Callable[[], Value] | None = None
) -> Value | None:
    """The lesser or the greater of the numbers that are compared, if that is what is chosen, in an
    instruction that is faster than a blend, which an iteration may wait for. It raises a flag for a
    NaN, as no comparison does: `of_nans` chooses then, or a blend."""
    builder = mask.builder
    if mask.compared is None or true.dtype not in EXTREMES:
        return None
    if not (builder.blends and builder.has_branches):
        return None
    predicate, left, right = mask.compared
    if not is_of_floats(mask, true) or not is_pair(true, false, left, right):
        return None
    is_least = (predicate in LESS) == (true.ref == left.ref)
    name = EXTREMES[true.dtype][not is_least]
    # Of equal numbers, which may be zeros of both signs, the instruction gives the second.
    first, second = (true, false) if predicate in ("olt", "ogt") else (false, true)
    is_nan = constrained(
        "fcmp.{of}", (left, right), BOOL, 'metadata !"uno", metadata !"fpexcept.ignore"')
    return either(
        is_nan,
        of_nans or (lambda: blended(mask, true, false)),
        lambda: first_lane(name, (first, second)),
    )


def is_pair(true: Value, false: Value, left: Value, right: Value) -> bool:
    """Whether what is chosen are the numbers that are compared, in any order."""
    return (true.ref, false.ref) in ((left.ref, right.ref), (right.ref, left.ref))


def extreme_integer(mask: Value, true: Value, false: Value) -> Value | None:
    """The lesser or the greater of two integers. LLVM sees that as what it is, and makes a branch
    of it where it finds that one of them is known earlier than the other: of one it is not told
    that it is the one that is compared. Where it knows one of them it can use the limit."""
    assert mask.compared is not None
    predicate, left, right = mask.compared
    is_order = true.dtype == left.dtype and predicate not in ("eq", "ne")
    is_wide = true.dtype.itemsize >= WORDS
    if not (is_order and is_wide) or not true.builder.has_branches or true.literal or false.literal:
        return None
    if not is_pair(true, false, left, right) or not true.builder.is_x86:
        return None
    kind = true.type
    unseen = true.builder.emit(f'call {kind} asm "", "=r,0"({true}) memory(none) nounwind')
    text = f"select i1 {mask.ref}, {kind} {unseen}, {kind} {false.ref}"
    return true.like(true.builder.emit(text))


def rarely(mask: Value, true: Value, false: Value) -> Value:
    """One of two values, of which the first is hardly ever chosen: LLVM makes a branch of that,
    behind which nobody waits for it."""
    text = f"select i1 {mask.ref}, {true.type} {true.ref}, {false.type} {false.ref}, {RARE}"
    return true.like(true.builder.emit(text))


def blended(mask: Value, true: Value, false: Value) -> Value:
    """What a comparison of floats chooses, by a mask in a register."""
    assert mask.compared is not None
    predicate, left, right = mask.compared
    comparison, blend = BLENDS[true.dtype]
    found = called(comparison, (left, right), f", i8 {IMMEDIATES[predicate]}")
    return called(blend, (false, true), f", {found}").lane(0)


def first_lane(name: str, operands: tuple[Value, Value]) -> Value:
    return called(name, operands).lane(0)


def called(name: str, operands: tuple[Value, Value], more: str = "") -> Value:
    """An instruction on the first lanes of registers of which the rest does not matter."""
    first, builder = operands[0], operands[0].builder
    lanes = 16 // first.dtype.itemsize
    kind = f"<{lanes} x {first.type}>"
    given = [
        f"{kind} {builder.emit(f'insertelement {kind} poison, {value}, i64 0')}"
        for value in operands
    ]
    ref = builder.emit(f"call {kind} @llvm.x86.{name}({', '.join(given)}{more})")
    return type(first)(builder, ref, first.dtype, lanes)


def either(
    is_rare: Value, rare: Callable[[], Value], usual: Callable[[], Value]
) -> Value:
    """One of two values, each computed in a block of its own."""
    builder = is_rare.builder
    rarely, usually, done = map(builder.fresh, ("rare", "usual", "done"))
    builder.branch(is_rare, rarely, usually, is_rare=True)
    found = []
    for label, compute in ((rarely, rare), (usually, usual)):
        builder.label(label)
        if label == rarely:
            builder.fence()
        value = compute()
        found.append((value, builder.block))
        builder.jump(done)
    builder.label(done)
    ways = ", ".join(f"[ {value.ref}, %{block} ]" for value, block in found)
    first = found[0][0]
    return first.like(builder.emit(f"phi {first.type} {ways}"))
