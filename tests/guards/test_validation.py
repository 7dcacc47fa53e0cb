"""Validation: what is concluded about sizes is proved, and a wrong rule is found and named."""
import sys
from collections import Counter

import numpy as np
import pytest
from dynamo_lite.guards.shapes import known, proofs, shape_env, validation
from dynamo_lite.guards.shapes.dynamic import DynamicPolicy
from dynamo_lite.guards.shapes.guarded import GuardedRelations
from dynamo_lite.guards.shapes.known import Known
from dynamo_lite.guards.shapes.proofs import Equation, Verdict
from dynamo_lite.guards.shapes.shape_env import ShapeEnv
from dynamo_lite.guards.shapes.validation import Step
from dynamo_lite.guards.sources import LocalSource
from hypothesis import given
from hypothesis import strategies as st

import dynamo_lite as dl
from dynamo_lite.base.config import config
from dynamo_lite.errors import ValidationError
from dynamo_lite.ir import facts, sizes, steps
from dynamo_lite.ir.sizes import SizeExpr, floordiv, maximum, minimum, modulo, symbol
from dynamo_lite.ir.steps import Asked, rewrites

X = LocalSource(0, "x")
N, M = symbol("s0"), symbol("s1")


@pytest.fixture(autouse=True)
def counts(monkeypatch):
    """Rules that are planted count for no one else, nor what is said of them."""
    monkeypatch.setattr(validation, "counts", found := Counter())
    monkeypatch.setattr(validation, "_verdicts", {})
    return found


@pytest.fixture
def z3():
    return pytest.importorskip("z3")


@pytest.fixture
def validating(z3, monkeypatch):
    """Steps are proved when they are made."""
    monkeypatch.setattr(steps, "watcher", validation.WATCH)
    with config.patch(validate=True):
        yield


def environment(*hints):
    shapes = ShapeEnv(DynamicPolicy(True))
    return shapes, [shapes.size(X, "size", i, n) for i, n in enumerate(hints)]


right_product = SizeExpr.__mul__


@rewrites("planted", "*")
def wrong_product(left, right):
    """`(a // b) * b` is taken for `a`."""
    atom = left.terms[0][0][0]
    if isinstance(atom, sizes.Opaque) and atom.op == "//" and atom.right == right:
        return atom.left
    return right_product(left, right)


def rows(x):
    n = x.shape[0]
    m = n // 2 * 2
    return np.zeros(m + 1) if m > n // 3 else x[: m - 4]


@pytest.mark.parametrize(("length", "how"), [(20, r"step \d+ of"), (21, "the sizes of this call")])
def test_a_wrong_rule_in_the_middle_of_a_chain_is_named(z3, monkeypatch, length, how):
    """Rounded down to even, 20 rows stay 20 rows: only z3 finds that they might not."""
    monkeypatch.setattr(SizeExpr, "__mul__", wrong_product)
    compiled = dl.compile(rows, dynamic=True, options={"validate": True})
    with pytest.raises(ValidationError, match=how) as found:
        compiled(np.ones(length))
    text = str(found.value)
    assert "the rule 'planted' is wrong" in text and compiled.entries() == []
    assert "before: (s0 // 2) * 2" in text and "after:  s0\n" in text
    assert "test_validation.py" in text and "in rows" in text


def too_much_excluded(self, difference):
    for name, bound in known.bounds_in(difference):
        self._bound("excluded value", name, ">=", bound + 2)


def drop_everything(self, name):
    self.drop(self.relations[:-1])


def one_too_many(size, lower, upper):
    return None if (low := RIGHT_LEAST(size, lower, upper)) is None else low + 1


RIGHT_LEAST = facts.least


@pytest.mark.parametrize(("owner", "name", "planted", "rule"), [
    (facts, "least", one_too_many, "bounds"),
    (known, "solve", lambda zero, name: -RIGHT_SOLVE(zero, name), "solved for a symbol"),
    (known, "question", lambda op, difference: ("<", difference), "answer"),
    (known, "sign_beyond_64_bits", lambda difference: -1, "answer"),
    (Known, "_exclude", too_much_excluded, "excluded value"),
    (GuardedRelations, "fixes", drop_everything, "dropped"),
    (sizes, "_exact_quotient", lambda left, right: left, "floor division"),
])  # fmt: skip
def test_each_wrong_conclusion_is_named(validating, monkeypatch, owner, name, planted, rule):
    """Found by z3 alone: the hints are not looked at."""
    monkeypatch.setattr(owner, name, planted)
    with pytest.raises(ValidationError, match=f"the rule '{rule}' is wrong"):
        shapes, (n, m) = environment(5, 7)
        assert not shapes.equal(n, 0)
        assert not shapes.equal(n, 1)
        assert not shapes.less(n + 2, m)
        assert not shapes.less(m, n + 2)
        assert shapes.less(n, m * 2)
        assert shapes.equal(n, 5)
        assert shapes.equal(n + m, 12)
        floordiv(n * 4, 2)


RIGHT_SOLVE = known.solve


def test_what_is_concluded_is_proved(validating, counts):
    shapes, (n, m) = environment(6, 12)
    assert shapes.equal(2 * n, m) and shapes.less_equal(n, m) and not shapes.equal(n, 0)
    assert shapes.equal(modulo(n, 4), 2) and shapes.specialize(n) == 6
    assert [str(relation) for relation in shapes.relations] == ["2*s0 == s1", "s0 == 6"]
    assert counts[Verdict.PROVED] > 10 and counts.keys() == {Verdict.PROVED}


@pytest.mark.parametrize("wrong", [[0], [4], [6], [2, 5], [0, 6]])
def test_bisection_finds_the_first_wrong_step(z3, monkeypatch, wrong):
    noted = [
        Step(f"rule {i}", Equation(Asked("+", N * (i + 100), i), N * (i + 100) + i + (i in wrong)))
        for i in range(7)
    ]
    asked = []
    prove = proofs.prove
    monkeypatch.setattr(proofs, "prove", lambda given: asked.append(1) or prove(given))
    named = f"'rule {wrong[0]}' is wrong .step {wrong[0] + 1} of 7"
    with pytest.raises(ValidationError, match=named):
        validation.check(noted)
    assert len(asked) <= 6
    assert validation.first_wrong(noted[: wrong[0]]) is None


def test_lengths_of_many_parts_are_proved(z3, counts):
    def pooled(values, lengths):
        parts, start = [], 0
        for length in lengths:
            parts.append(values[start : start + length].sum(axis=0))
            start += length
        return np.stack(parts)

    compiled = dl.compile(pooled, options={"validate": True})
    for seed in range(2):
        lengths = np.random.default_rng(seed).integers(1, 5, 80).tolist()
        compiled(np.ones((sum(lengths), 2)), lengths)
    assert len(compiled.entries()) == 2
    assert counts[Verdict.PROVED] > 1000 and not counts[Verdict.UNDECIDED]


def test_what_z3_does_not_decide_is_tried(z3, monkeypatch):
    monkeypatch.setattr(proofs, "prove", lambda equations: (Verdict.UNDECIDED, {}))
    right = Step("right", Equation(Asked("*", N, M * N), N * N * M))
    wrong = Step("wrong", Equation(Asked("*", N, M * N), N * M * M, (Asked("==", N, M + 1),)))
    validation.check([right])
    with pytest.raises(ValidationError, match="'wrong' is wrong"):
        validation.check([right, wrong])


def test_disagreeing_hints_need_no_z3(monkeypatch):
    monkeypatch.setitem(sys.modules, "z3", None)
    monkeypatch.setattr(SizeExpr, "__mul__", wrong_product)
    with config.patch(validate=True), pytest.raises(ValidationError, match="20 is not 21"):
        dl.compile(rows, dynamic=True)(np.ones(21))


def test_a_relation_that_the_call_does_not_satisfy_is_found(monkeypatch):
    monkeypatch.setitem(shape_env.NEGATED, "==", "==")
    with config.patch(validate=True), validation.analysis():
        shapes, (n, m) = environment(5, 7)
        assert not shapes.equal(n, m)
        with pytest.raises(ValidationError, match="'answer' relies on what does not hold"):
            shapes.equal(m, n)


def test_a_missing_z3_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "z3", None)
    with config.patch(validate=True), pytest.raises(ValidationError, match=r"\[validate\]"):
        dl.compile(rows, dynamic=True)(np.ones(20))


@pytest.mark.parametrize("op", ["//", "%", "min", "max", "<", ">="])
def test_operators_are_those_of_python(z3, op):
    for left, right in [(a, b) for a in (-7, -6, 0, 6, 7) for b in (-3, -2, 1, 3)]:
        asked = Asked(op, N, M)
        values = (Asked("==", N, left), Asked("==", M, right))
        answer = proofs.value_of(asked, {"s0": left, "s1": right})
        assert proofs.prove([Equation(asked, answer, values)])[0] is Verdict.PROVED
        by_number = Asked(op, N, right)
        assert proofs.prove([Equation(by_number, answer, values)])[0] is Verdict.PROVED


def test_polynomials_are_multiplied_out(z3):
    cube = Asked("*", 16 * N * N * M, M - 1)
    right = Equation(cube, 16 * N * N * M * M - 16 * N * N * M)
    assert proofs.prove([right])[0] is Verdict.PROVED
    assert proofs.prove([Equation(cube, right.after + N - M)])[0] is Verdict.WRONG


def test_products_of_bounded_sizes_are_decided(z3):
    """Where z3's integers take too long, its real numbers do."""
    bounds = [(">=", 0), ("<=", 2**63 - 1), (">=", 2)]
    given = tuple(Asked(op, size, bound) for size in (N, M) for op, bound in bounds)
    assert proofs.prove([Equation(Asked("==", N * M, 0), False, given)])[0] is Verdict.PROVED
    assert proofs.prove([Equation(Asked("==", N * M, 6), False, given)])[0] is not Verdict.PROVED


def test_a_zero_divisor_raises_before_and_after(z3):
    assert proofs.prove([Equation(Asked("//", N * M, N), M)])[0] is not Verdict.WRONG
    assert proofs.prove([Equation(Asked("%", N, N), 1)])[0] is Verdict.WRONG


def combined(parts):
    operator = st.sampled_from([
        SizeExpr.__add__, SizeExpr.__sub__, SizeExpr.__mul__, maximum, minimum,
    ])  # fmt: skip
    divide, divisor = st.sampled_from([floordiv, modulo]), st.integers(1, 6)
    return st.tuples(operator, parts, parts) | st.tuples(divide, parts, divisor)


def built(tree):
    if not isinstance(tree, tuple):
        return tree
    function, left, right = tree[0], built(tree[1]), built(tree[2])
    if isinstance(left, int) and function.__name__.startswith("__"):
        return getattr(int, function.__name__)(left, right) if isinstance(right, int) else (
            getattr(right, function.__name__.replace("__", "__r", 1))(left))
    return function(left, right)


@given(st.recursive(st.sampled_from([N, M, N + M, 2 * N]) | st.integers(-4, 4), combined,
                    max_leaves=8))
def test_random_sizes_are_rewritten_rightly(tree):
    pytest.importorskip("z3")
    with config.patch(validate=True), validation.analysis():
        size = built(tree)
        validation.prove_all()
    assert isinstance(size, int) or sizes.polynomial(size.terms) == size
