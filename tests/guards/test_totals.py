"""Names for long sums: what follows from them."""
from dynamo_lite.guards.shapes.known import Known
from dynamo_lite.guards.shapes.totals import LONGEST

from dynamo_lite.ir.bounds import least, signs
from dynamo_lite.ir.sizes import floordiv, maximum, symbol


def running(known, count):
    """The running totals of `count` symbols, in the way in which `Symbols.total` names them."""
    total, found = 0, [0]
    for k in range(count):
        total = total + symbol(f"s{k}")
        if k and len(total.terms) > LONGEST:
            total = symbol(known.totals.find(total) or known.define(total))
        found.append(total)
    return found


def known_lengths(count, lower=0):
    known = Known(lambda: None, lambda name, solved: None)
    for k in range(count):
        known.introduce(f"s{k}", lower, None)
    return known


def test_equal_sums_in_one_order_have_one_name():
    known = known_lengths(50)
    assert running(known, 50) == running(known, 50)


def test_totals_rise_where_everything_that_is_added_is_a_length():
    known = known_lengths(25)
    totals = running(known, 25)
    for later in range(26):
        for earlier in range(later + 1):
            assert known.settled("<=", totals[earlier], totals[later]) is True
    assert known.settled("<", totals[3], totals[20]) is None


def test_nothing_is_known_of_totals_of_ints_of_any_sign():
    known = known_lengths(20, lower=None)
    totals = running(known, 20)
    assert known.settled("<=", totals[5], totals[19]) is None


def test_a_longer_sum_on_the_smaller_side_is_all_that_is_guarded():
    known = known_lengths(20)
    known.introduce("s99", 0, None)
    for total in running(known, 20)[1:]:
        known.require("<=", total, symbol("s99"))
        known.require(">", symbol("s99") * 2, total)
    every = sum(symbol(f"s{k}") for k in range(20))
    assert [(r.op, *r.sides()) for r in known.guarded.relations] == [
        ("<=", every, symbol("s99")), (">", every, symbol("s99") * 2),
    ]


def test_a_longer_sum_of_ints_of_any_sign_says_nothing_of_shorter_ones():
    known = known_lengths(20, lower=None)
    for total in running(known, 20)[1:]:
        known.require("<=", total, symbol("s99"))
    assert len(known.guarded.relations) == 20


def test_sums_are_written_out_where_that_is_asked_for():
    known = known_lengths(30)
    totals = running(known, 30)
    assert known.totals.expanded(totals[30]) == sum(symbol(f"s{k}") for k in range(30))
    product = totals[30] * symbol("s1") // 7
    expected = sum(symbol(f"s{k}") for k in range(30)) * symbol("s1") // 7
    assert known.totals.expanded(product) == expected
    assert known.totals.shortest(totals[30] - totals[29]) == symbol("s29")


def test_signs_are_those_that_no_bound_rules_out():
    s, t = symbol("s"), symbol("t")
    lower, upper = {"s": 2, "t": 1}, {"t": s}
    cases = {
        floordiv(s + 15, 16) - 1: {0, 1},
        floordiv(s + 1, 2) - floordiv(s, 2): {0, 1},
        floordiv(s, 2) - t: {-1, 0, 1},
        maximum(t - s, 0): {0},
        s - 3: set(),  # without a quotient the search is quick
    }
    for size, possible in cases.items():
        seen = signs(size, lower, upper)
        assert seen <= possible and (len(possible) < 2 or len(seen) >= 2), size
        low = least(size, lower, upper)
        assert low is None or low <= min(seen, default=low)
