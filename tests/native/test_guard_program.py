"""Guard programs: what each op accepts, what a malformed program says, and that order is safe."""
import collections
import gc
import itertools
import math
import pickle
import sys
import types
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamo_lite.native import GuardProgram, watch_dict

CONTIGUOUS = 0x1
WRITEABLE = 0x400


def passes(value, *ops):
    """Whether ops over register 0 accept a value."""
    return GuardProgram(1, ops).check((value,)) == -1


def array_op(a, register=0, **changes):
    """The ARRAY op that describes an array exactly."""
    facts = {
        "type": type(a), "dtype": a.dtype, "ndim": a.ndim, "mask": CONTIGUOUS | WRITEABLE,
        "flags": a.flags.num & (CONTIGUOUS | WRITEABLE),
        "dims": tuple(("static", n) for n in a.shape), "strides": None,
    }
    return ("ARRAY", register, *(facts | changes).values())


# -- loads

class Slotted:
    __slots__ = ("x",)


class Thing:
    def __init__(self, x):
        self.x = x


NAMESPACE = {"known": 1}
BUILTINS = {"len": len}


def function_with_everything(a, b=20, *, c=30):
    return seen, a, b, c


seen = 40
closure_value = 50


def make_closure():
    value = closure_value

    def inner(a, b=20, *, c=30):
        return value

    return inner


LOADS = [
    (Thing(3), [("ATTR", 1, 0, "x")], 3),
    ({"k": 4}, [("ITEM", 1, 0, "k")], 4),
    ([5, 6], [("ITEM", 1, 0, slice(1, 2)), ("ITEM", 2, 1, 0)], 6),
    ((1, 7), [("TUPLE_ITEM", 1, 0, 1)], 7),
    ((1, 7), [("TUPLE_ITEM", 1, 0, -1)], 7),
    ([8, 9], [("LIST_ITEM", 1, 0, 0)], 8),
    ({("a", 1): 10}, [("DICT_ITEM", 1, 0, ("a", 1))], 10),
    (None, [("CELL", 1, types.CellType(11))], 11),
    (None, [("GLOBAL", 1, NAMESPACE, BUILTINS, "known")], 1),
    (None, [("GLOBAL", 1, NAMESPACE, BUILTINS, "len")], len),
    (None, [("CONST", 1, math)], math),
    (None, [("CLOSURE", 1, 0)], 50),
    (None, [("DEFAULT", 1, 0)], 20),
    (None, [("KWDEFAULT", 1, "c")], 30),
    (3.0, [("TYPE_OF", 1, 0)], float),
    (Thing(12), [("INSTANCE_DICT", 1, 0), ("DICT_ITEM", 2, 1, "x")], 12),
    (Thing, [("INSTANCE_DICT", 1, 0), ("ITEM", 2, 1, "__module__")], __name__),
    (math, [("INSTANCE_DICT", 1, 0), ("DICT_ITEM", 2, 1, "pi")], math.pi),
]


@pytest.mark.parametrize("value, loads, result", LOADS)
def test_loads(value, loads, result):
    program = GuardProgram(1, (*loads, ("IS", loads[-1][1], result)))
    before = sys.getrefcount(result)
    for _ in range(20):
        assert program.check((value,), make_closure()) == -1
    assert sys.getrefcount(result) == before
    other = GuardProgram(1, (*loads, ("IS", loads[-1][1], object())))
    assert other.check((value,), make_closure()) == len(loads)


FAILING_LOADS = [
    (3, ("ATTR", 1, 0, "missing")), (Slotted(), ("ATTR", 1, 0, "x")), ({}, ("ITEM", 1, 0, 1)),
    (3, ("ITEM", 1, 0, 1)), ((), ("TUPLE_ITEM", 1, 0, 0)), ([1], ("TUPLE_ITEM", 1, 0, 0)),
    ((1,), ("TUPLE_ITEM", 1, 0, -2)), ([], ("LIST_ITEM", 1, 0, 0)), ((1,), ("LIST_ITEM", 1, 0, 0)),
    ({}, ("DICT_ITEM", 1, 0, 1)), ([1], ("DICT_ITEM", 1, 0, 0)),
    (None, ("CELL", 1, types.CellType())), (None, ("GLOBAL", 1, {}, {}, "x")),
    (None, ("CLOSURE", 1, 1)), (None, ("DEFAULT", 1, 5)), (None, ("KWDEFAULT", 1, "d")),
    (3, ("INSTANCE_DICT", 1, 0)), (Slotted(), ("INSTANCE_DICT", 1, 0)),
]


@pytest.mark.parametrize("value, load", FAILING_LOADS)
def test_a_failing_load_fails_the_guard_quietly(value, load):
    program = GuardProgram(1, (load,))
    assert program.check((value,), make_closure()) == 0
    assert program.check((value,)) == 0


def test_values_that_functions_give():
    ops = (
        ("CONST", 1, 0.5), ("APPLY2", 2, 0, 1, lambda n, k: n * k), ("APPLY", 3, 2, int),
        ("INT", 3, 0), ("RELATION", "==", (("slot", 0),), (3,)),
    )
    assert passes(7, *ops) and passes(6, *ops) and not passes(8, *ops)
    assert not passes("text", *ops)  # what raises fails the guard
    with pytest.raises(TypeError):
        GuardProgram(1, (("APPLY", 1, 0, "not callable"),))


def test_loads_see_changes():
    cell, namespace, thing = types.CellType(1), {"g": 1}, Thing(1)
    program = GuardProgram(1, (
        ("CELL", 1, cell), ("EQUALS", 1, 1), ("GLOBAL", 2, namespace, {}, "g"), ("EQUALS", 2, 1),
        ("ATTR", 3, 0, "x"), ("EQUALS", 3, 1),
    ))
    assert program.check((thing,)) == -1
    for change, restore, failing in (
        (lambda: setattr(cell, "cell_contents", 2), lambda: setattr(cell, "cell_contents", 1), 1),
        (lambda: namespace.update(g=2), lambda: namespace.update(g=1), 3),
        (lambda: setattr(thing, "x", 2), lambda: setattr(thing, "x", 1), 5),
    ):
        change()
        assert program.check((thing,)) == failing
        restore()
        assert program.check((thing,)) == -1


# -- equality

nan = float("nan")
CONSTANTS = [
    None, True, False, 0, 1, 2, -1, 2**62, 2**63, -(2**63), 2**100, 0.0, -0.0, 1.0, nan, math.inf,
    0j, complex(0.0, -0.0), complex(-0.0, 0.0), 1j, complex(nan, 1), "", "a", "é", "a" * 100, b"",
    b"a", (), (1,), (1.0,), (True,), (1, (2, "x")), (1, (2, "y")), (-0.0,), (0.0,), ...,
    NotImplemented, frozenset(), frozenset({1}), frozenset({True}), frozenset({1, 2}),
    frozenset({1.0, 2}), slice(None), slice(1, None), slice(1.0, None), slice(0, 1, 2),
    range(3), range(0, 3, 2), np.float64(1), np.float64(0.0), np.float64(-0.0), np.float32(1),
    np.int64(1), np.int32(1), np.uint64(1), np.bool_(True), np.bool_(False), np.complex128(1),
    np.float16(1), np.float64("nan"), np.dtype("f4"), np.dtype("f8"), np.dtype(">f8"),
    np.dtype([("x", "f8")]), np.dtype([("y", "f8")]), np.dtype("M8[s]"), np.dtype("M8[us]"),
    np.longdouble(1), np.longdouble("-0"), np.longdouble(0), np.longdouble("nan"),
    np.clongdouble(1j),
    np.str_("a"), np.str_("b"), np.bytes_(b"a"), np.datetime64(1, "s"), np.datetime64(1, "us"),
    np.datetime64(2, "s"), np.timedelta64(1, "s"), np.datetime64("NaT", "s"), np.longlong(1),
    np.dtype("S3"), np.dtype("U3"),
]


@pytest.mark.parametrize("i", range(len(CONSTANTS)))
def test_equality_is_type_exact(i):
    program = GuardProgram(1, (("EQUALS", 0, CONSTANTS[i]),))
    accepted = [k for k, value in enumerate(CONSTANTS) if program.check((value,)) == -1]
    assert accepted == [i]


@pytest.mark.parametrize("constant", CONSTANTS)
def test_equality_holds_for_copies(constant):
    if isinstance(constant, np.longlong) and not isinstance(constant, np.int64):
        return  # its pickle holds an int64
    assert passes(pickle.loads(pickle.dumps(constant)), ("EQUALS", 0, constant))


def test_nan_equals_nan_of_the_same_bits_only():
    other = np.frombuffer(np.array([nan]).view("u8") ^ 1, "f8")[0].item()
    assert passes(float("nan"), ("EQUALS", 0, nan)) and not passes(other, ("EQUALS", 0, nan))


@pytest.mark.parametrize("bad", [[], {}, {1}, object(), Thing, np.zeros(2), (1, []), (1, (Thing,)),
                                 np.void(b"1"), np.dtype, slice([]), len])
def test_what_cannot_be_compared_exactly_is_refused(bad):
    with pytest.raises(TypeError, match="IS or CALL"):
        GuardProgram(1, (("EQUALS", 0, bad),))


constants = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
    | st.binary(max_size=3) | st.complex_numbers(),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
)


def exact_key(value):
    """Python's notion of the same: type and bits."""
    if isinstance(value, tuple):
        return tuple(map(exact_key, value))
    if isinstance(value, float):
        return float, np.float64(value).tobytes()
    if isinstance(value, complex):
        return complex, np.complex128(value).tobytes()
    return type(value), value


@given(constants, constants)
def test_equality_against_a_model(a, b):
    assert passes(b, ("EQUALS", 0, a)) == (exact_key(a) == exact_key(b))
    assert passes(a, ("EQUALS", 0, a))


# -- identity, types, containers

def test_identity_and_type():
    x = object()
    assert passes(x, ("IS", 0, x)) and not passes(object(), ("IS", 0, x))
    assert passes(True, ("TYPE", 0, bool)) and not passes(True, ("TYPE", 0, int))
    same = GuardProgram(2, (("SAME", 0, 1),))
    apart = GuardProgram(2, (("NOT_ALIASED", 0, 1),))
    assert (same.check((x, x)), same.check((x, 1)), apart.check((x, x)), apart.check((x, 1))) == (
        -1, 0, 0, -1)


def test_weak_identity_keeps_nothing_alive_and_accepts_no_newcomer():
    thing = Thing(1)
    program = GuardProgram(1, (("WEAK_IS", 0, thing),))
    assert program.check((thing,)) == -1 and program.check((None,)) == 0
    reference = weakref.ref(thing)
    del thing
    assert reference() is None
    assert all(program.check((Thing(i),)) == 0 for i in range(100)) and program.check((None,)) == 0
    assert passes(7, ("WEAK_IS", 0, 7))  # an int has no weak references


CONTAINERS = [
    (("LENGTH", 0, 2), [(1, 2), [1, 2], {1: 1, 2: 2}, {1, 2}, "ab", b"ab", range(2), np.ones(2)],
     [(), [1], {}, 3, None, "abc", np.ones(())]),
    (("KEYS", 0, ("a", 1)), [{"a": 0, 1: 0}, collections.OrderedDict({"a": 0, 1: 0})],
     [{1: 0, "a": 0}, {"a": 0}, {"a": 0, 1.0: 0}, {"a": 0, True: 0}, ["a", 1], 3,
      {"a": 0, 1: 0, 2: 0}]),
    (("KEYS", 0, ()), [{}], [{1: 1}, (), None]),
    (("NO_KEY", 0, "a"), [{}, {"b": 1}, [], ("b",)], [{"a": 1}, ["a"], 3]),
    (("NO_OWN", 0, "y"), [Thing(1), 3, math], [types.SimpleNamespace(y=1)]),
    (("NO_ATTR", 0, "y"), [Thing(1), 3, math], [types.SimpleNamespace(y=1)]),
    (("CALL", 0, bool), [1, "x"], [0, ""]),
    (("CALL", 0, len), [[1]], [[], 3]),
]


@pytest.mark.parametrize("op, good, bad", CONTAINERS)
def test_containers(op, good, bad):
    assert [passes(value, op) for value in good] == [True] * len(good)
    assert [passes(value, op) for value in bad] == [False] * len(bad)


def test_order_of_keys_in_an_ordered_dict():
    d = collections.OrderedDict(a=1, b=2)
    d.move_to_end("a")
    assert passes(d, ("KEYS", 0, ("b", "a"))) and not passes(d, ("KEYS", 0, ("a", "b")))


# -- arrays

class Sub(np.ndarray):
    pass


def test_an_array_is_matched_as_a_whole():
    a = np.ones((3, 4))
    op = array_op(a)
    assert passes(a, op) and passes(np.zeros((3, 4)), op)
    others = [
        np.ones((3, 5)), np.ones((4, 3)), np.ones(12), np.ones((3, 4, 1)), np.ones((3, 4), "f4"),
        np.ones((3, 4), "i8"), np.ones((3, 4), ">f8"), np.asfortranarray(a), a.view(Sub),
        np.ones((6, 4))[::2], np.float64(1), 1.0, None, a.tolist(), np.ones((3, 4), "c16"),
    ]
    assert [passes(x, op) for x in others] == [False] * len(others)
    a.flags.writeable = False
    assert not passes(a, op)


def test_strides():
    a = np.ones((4, 6))[:, ::2]
    strides = tuple(("static", n) for n in a.strides)
    op = array_op(a, strides=strides)
    assert passes(a, op) and passes(np.ones((4, 12))[:, ::2][:, :3], array_op(a, strides=(
        ("any",), ("static", 16))))
    assert not passes(np.ones((4, 9))[:, ::3], op)


def test_dtypes_are_compared_by_contents():
    for name in ("f8", "i4", "?", "c8", "M8[us]", "S3", "U2", "O", ">i4", [("x", "f8", 2)]):
        a = np.zeros(2, name)
        copied = np.zeros(2, pickle.loads(pickle.dumps(a.dtype)))
        assert passes(copied, array_op(a))
        annotated = np.zeros(2, np.dtype(a.dtype, metadata={"note": 1}))
        assert not passes(annotated, array_op(a)) and not passes(a, array_op(annotated))
    different = ["f8", "f4", "i8", "u8", "?", "c8", "M8[us]", "M8[s]", "m8[us]", "S3", "S4", "U3",
                 "O", ">f8", [("x", "f8")], [("y", "f8")], "e", "g"]
    for i, k in itertools.product(range(len(different)), repeat=2):
        a, b = np.zeros(2, different[i]), np.zeros(2, different[k])
        assert passes(b, array_op(a)) == (i == k)


def test_sizes_bind_and_compare_slots():
    a = np.ones((3, 5))
    program = GuardProgram(2, (
        array_op(a, 0, dims=(("any",), ("bind", 0))),
        array_op(a, 1, dims=(("equal", 0), ("bind", 1)), strides=(("bind", 2), ("any",))),
        ("RELATION", "==", (("slot", 2),), (("slot", 1), 8, "*")),
    ))
    assert program.check((np.ones((3, 5)), np.ones((5, 7)))) == -1
    assert program.check((np.ones((9, 2)), np.ones((2, 1)))) == -1
    assert program.check((np.ones((3, 5)), np.ones((4, 7)))) == 1


class Foreign:
    """An array of another library, as far as guards look at it."""

    def __init__(self, a):
        self.dtype, self.shape, self.strides, self.flags = a.dtype, a.shape, a.strides, a.flags


def test_arrays_of_other_libraries_are_matched_by_attributes():
    a = np.ones((3, 4))
    op = array_op(a, type=Foreign, dims=(("bind", 0), ("static", 4)),
                  strides=(("static", 32), ("static", 8)))
    assert passes(Foreign(a), op) and passes(Foreign(np.ones((7, 4))), op)
    for other in (np.ones((3, 5)), np.ones(3), np.ones((3, 4), "f4"), np.asfortranarray(a)):
        assert not passes(Foreign(other), op)
    assert not passes(a, op) and not passes(object.__new__(Foreign), op)


def test_disjoint_memory():
    a = np.zeros(10)
    program = GuardProgram(2, (("DISJOINT", 0, 1),))
    cases = [
        (a, a, 0), (a, a[3:], 0), (a[:5], a[5:], -1), (a[5:], a[:5], -1), (a[::-1], a[9:], 0),
        (a[4::-1], a[5:], -1), (a[:0], a, -1), (a, np.zeros(10), -1), (a[:6], a[5:], 0),
        (np.broadcast_to(a[0], (3, 3)), a[1:], -1), (a, 3, 0), (a[2:3], a[2:3].reshape(()), 0),
    ]
    assert [program.check((x, y)) for x, y, _ in cases] == [result for *_, result in cases]


# -- relations

def test_ints_bind_slots():
    program = GuardProgram(1, (("INT", 0, 0), ("RELATION", "==", (("slot", 0),), (5,))))
    assert [program.check((x,)) for x in (5, 6, True, 5.0, np.int64(5), 2**63, -(2**63) - 1)] == [
        -1, 1, 0, 0, 0, 0, 0]
    assert passes(-(2**63), ("INT", 0, 3), ("RELATION", "<", (("slot", 3),), (0,)))


OPERATORS = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    "//": lambda a, b: a // b, "%": lambda a, b: a % b, "min": min, "max": max,
}
COMPARISONS = {
    "==": int.__eq__, "!=": int.__ne__, "<": int.__lt__, "<=": int.__le__, ">": int.__gt__,
    ">=": int.__ge__,
}
small = st.integers(-7, 7)
wide = small | st.integers(-(2**63), 2**63 - 1)


def holds(left, comparison, right, *values):
    """Whether a relation over slots holds for ints."""
    binds = tuple(("INT", i, i) for i in range(len(values)))
    program = GuardProgram(len(values), (*binds, ("RELATION", comparison, left, right)))
    return program.check(values) == -1


@given(wide, wide, small, st.sampled_from(sorted(OPERATORS)), st.sampled_from(sorted(COMPARISONS)))
def test_relations_are_exact_or_fail(a, b, c, operator, comparison):
    fits = not (operator in ("//", "%") and b == 0)
    value = OPERATORS[operator](a, b) if fits else 0
    expected = fits and COMPARISONS[comparison](value, c)
    fits = fits and -(2**63) <= value < 2**63 and (a, b, operator) != (-(2**63), -1, "%")
    found = holds((("slot", 0), ("slot", 1), operator), comparison, (c,), a, b)
    assert found == expected if fits else found <= expected


@given(st.lists(small, min_size=8, max_size=8), wide, wide, wide,
       st.sampled_from(sorted(COMPARISONS)))
def test_linear_relations_are_exact_or_fail(factors, a, b, c, comparison):
    """Of any number of terms on both sides, also where their difference leaves 64 bits."""
    values = (a, b, c, 1)
    sides = []
    for of_side in (factors[:4], factors[4:]):
        postfix = [token for i, k in enumerate(of_side) for token in (("slot", i), k, "*")]
        sides.append((*postfix[:3], *postfix[3:6], "+", *postfix[6:9], "+", *postfix[9:], "-"))
    left, right = (
        k[0] * a + k[1] * b + k[2] * c - k[3] for k in (factors[:4], factors[4:])
    )
    expected = COMPARISONS[comparison](left, right)
    found = holds(sides[0], comparison, sides[1], *values)
    small_enough = sum(abs(k * v) for k, v in zip(factors, 2 * values)) < 2**63
    assert found == expected if small_enough else found <= expected


@pytest.mark.parametrize(("left", "comparison", "right", "values", "expected"), [
    ((("slot", 0),), ">", (-5,), (2**63 - 1,), True),
    ((("slot", 0),), "<", (("slot", 1),), (-(2**63), 2**63 - 1), True),
    ((("slot", 0),), "==", (("slot", 1),), (-(2**63), 2**63 - 1), False),
    ((("slot", 0), 0, "*"), "==", (0,), (-(2**63),), True),
])  # fmt: skip
def test_a_difference_beyond_64_bits_is_no_failure(left, comparison, right, values, expected):
    assert holds(left, comparison, right, *values) == expected


# -- malformed programs

MALFORMED = [
    (("NO_SUCH_OP", 0), ValueError), ((), TypeError), ("IS", TypeError), ((3, 0), ValueError),
    (("IS", 0), ValueError), (("IS", 1, 2), ValueError), (("IS", -1, 2), ValueError),
    (("IS", "x", 2), TypeError), (("IS", 2**70, 2), OverflowError), (("TYPE", 0, 3), TypeError),
    (("ATTR", 0, 0, "x"), ValueError), (("ATTR", 1, 0, 3), TypeError),
    (("DICT_ITEM", 1, 0, []), TypeError), (("GLOBAL", 1, 2, {}, "x"), TypeError),
    (("CELL", 1, 2), TypeError), (("FLAG", 3), TypeError), (("CALL", 0, 3), TypeError),
    (("KEYS", 0, ["a"]), TypeError), (("RELATION", "==", (("slot", 0),), (1,)), ValueError),
    (("RELATION", "=", (1,), (1,)), ValueError), (("RELATION", "==", (1, "+"), (1,)), ValueError),
    (("RELATION", "==", (1, 2), (1,)), ValueError), (("RELATION", "==", (), (1,)), ValueError),
    (("RELATION", "==", (1, 2, "^"), (1,)), ValueError),
    (("RELATION", "==", (1,) * 40 + ("+",) * 39, (1,)), ValueError),
    (("RELATION", "==", (2**63,), (1,)), OverflowError),
    (array_op(np.ones(2), dims=()), ValueError), (array_op(np.ones(2), dtype="f8"), TypeError),
    (array_op(np.ones(2), dims=(("equal", 0),)), ValueError),
    (array_op(np.ones(2), dims=(("static",),)), ValueError),
    (array_op(np.ones((2, 2)), dims=(("bind", 0), ("bind", 0))), ValueError),
    (array_op(np.ones(2), ndim=99), ValueError), (array_op(np.ones(2), type=3), TypeError),
    (("ARRAY", 0, np.ndarray), ValueError),
]


@pytest.mark.parametrize("op, error", MALFORMED)
def test_malformed_programs_are_refused(op, error):
    with pytest.raises(error):
        GuardProgram(1, (op,))


def test_a_register_or_slot_is_written_once_and_before_it_is_read():
    with pytest.raises(ValueError, match="already holds"):
        GuardProgram(1, (("CONST", 1, 1), ("CONST", 1, 2)))
    with pytest.raises(ValueError, match="already bound"):
        GuardProgram(2, (("INT", 0, 0), ("INT", 1, 0)))
    with pytest.raises(ValueError, match="no earlier op writes"):
        GuardProgram(1, (("CONST", 5, 1), ("IS", 4, 1)))
    assert GuardProgram(1, (("CONST", 5, 1), ("CONST", 2, 1), ("SAME", 2, 5))).check((0,)) == -1


@pytest.mark.parametrize("n", [-1, 2**40])
def test_number_of_arguments(n):
    with pytest.raises(ValueError):
        GuardProgram(n, ())


def test_arguments_of_check():
    program = GuardProgram(2, ())
    assert program.nargs == 2 and program.check([1, 2]) == -1
    for bad, error in (((1,), ValueError), ((1, 2, 3), ValueError), (3, TypeError)):
        with pytest.raises(error):
            program.check(bad)
    with pytest.raises(TypeError):
        program.check((1, 2), len)


# -- order

def test_a_check_that_fails_moves_forward():
    ops = tuple(("EQUALS", i, i) for i in range(4))
    program = GuardProgram(4, ops)
    for _ in range(200):
        assert program.check((0, 1, 2, "changed")) == 3
    assert program.order() == (3, 0, 1, 2) and program.describe() == ops
    assert program.check((0, 1, 2, 3)) == -1 and program.check((0, "x", 2, 3)) == 1


def test_a_check_never_passes_what_it_depends_on():
    a = np.ones(3)
    ops = (
        ("TYPE", 0, Thing), ("ATTR", 2, 0, "x"), array_op(a, 1, dims=(("bind", 0),)),
        ("EQUALS", 2, 1), ("INT", 2, 1), ("RELATION", "==", (("slot", 0),), (("slot", 1),)),
    )
    for args in ((Thing(9), a), (Thing("x"), a), (Thing(1), np.ones(2)), (Thing(1), 3)):
        program = GuardProgram(2, ops)
        expected = program.check(args)
        for _ in range(500):
            program.check(args)
        order = program.order()
        assert sorted(order) == list(range(6))
        before = lambda i, k: order.index(i) < order.index(k)  # noqa: E731
        assert before(0, 1) and before(1, 3) and before(1, 4) and before(2, 5) and before(4, 5)
        assert (program.check(args) == -1) == (expected == -1)


def test_checks_that_run_python_code_stay_behind_the_checks_before_them():
    ran = []
    program = GuardProgram(2, (("TYPE", 0, int), ("CALL", 1, ran.append)))
    for _ in range(100):
        assert program.check((1, 2)) == 1
    ran.clear()
    assert program.order() == (0, 1) and program.check(("x", 2)) == 0 and ran == []


@given(st.lists(st.integers(0, 3), min_size=4, max_size=4), st.integers(0, 400))
def test_order_never_changes_the_answer(values, n):
    program = GuardProgram(4, (
        ("INT", 0, 0), ("INT", 1, 1), ("RELATION", "<=", (("slot", 0),), (("slot", 1),)),
        ("EQUALS", 2, 2), ("EQUALS", 3, 3), ("INT", 3, 2),
        ("RELATION", "<", (("slot", 1),), (("slot", 2),)),
    ))
    for i in range(n):
        program.check((i % 5, 2, 2, i % 4))
    a, b, c, d = values
    assert (program.check(values) == -1) == (a <= b < d and c == 2 and d == 3)


def test_a_program_may_run_itself():
    depth = []

    def again(value):
        depth.append(1)
        if len(depth) < 40:
            program.check((len(depth) % 3,))
        return False

    program = GuardProgram(1, (("EQUALS", 0, 1), ("TYPE", 0, int), ("CALL", 0, again)))
    assert program.check((1,)) == 2 and len(depth) >= 1


# -- size and memory

def test_long_programs():
    n = 300
    ops = [("LIST_ITEM", 1 + i, 0, i) for i in range(n)]
    ops += [("INT", 1 + i, i) for i in range(n)]
    ops += [("RELATION", "==", (("slot", i),), (i,)) for i in range(n)]
    program = GuardProgram(1, tuple(ops))
    values = list(range(1000, 1000 + n))
    assert program.check((list(range(n)),)) == -1
    assert program.check((list(range(n - 1)),)) == n - 1
    before = [sys.getrefcount(v) for v in values]
    for _ in range(10):
        assert program.check((values,)) == 2 * n
    assert [sys.getrefcount(v) for v in values] == before


def test_operands_live_as_long_as_the_program():
    thing = Thing(1)
    program = GuardProgram(1, (("IS", 0, thing),))
    reference = weakref.ref(thing)
    del thing
    gc.collect()
    assert program.check((reference(),)) == -1
    del program
    assert reference() is None


def test_cycles_through_a_program_are_collected():
    thing = Thing(1)
    thing.program = GuardProgram(1, (("IS", 0, thing), ("FLAG", watch_dict(vars(thing), "x"))))
    reference = weakref.ref(thing)
    del thing
    gc.collect()
    assert reference() is None


def test_a_check_is_fast():
    a = np.ones((3, 4))
    program = GuardProgram(5, tuple(
        array_op(a, i, dims=(("static", 3), ("bind", i))) for i in range(5)))
    assert min(program.time((a,) * 5, 20000) for _ in range(5)) < 1000
