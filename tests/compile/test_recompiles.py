"""When functions are compiled again, given up, or told what to rely on."""
import logging
import warnings

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite import errors
from tests.oracle import same

X = np.arange(1.0, 4.0)


def test_no_recompile_names_the_guard():
    def f(x, k):
        return x * k

    compiled = dl.compile(f)
    with dl.no_recompile():
        assert same(compiled(X, 2), f(X, 2))  # a first compile is none again
        compiled(X, 2)
        with pytest.raises(errors.RecompileForbidden, match="f: .*float32"):
            compiled(X.astype("f4"), 2)
    assert same(compiled(X.astype("f4"), 2), f(X.astype("f4"), 2))
    assert len(compiled.entries()) == 2


def test_retired_entries_are_told(caplog):
    compiled = dl.compile(lambda x: 1 / x)
    compiled.retire_after = 3
    with caplog.at_level(logging.INFO, "dynamo_lite.perf"), pytest.warns(RuntimeWarning):
        for _ in range(5):
            compiled(np.zeros(3))
    assert compiled.entries()[0].retired and dl.stats().retired == 1
    assert "1 retired" in str(dl.stats())
    assert sum("is retired: 3 calls" in record.getMessage() for record in caplog.records) == 1


@pytest.mark.parametrize("mode", [None, "default", "reduce-overhead", "max-autotune"])
def test_modes(mode):
    assert same(dl.compile(lambda x: x + 1, mode=mode)(X), X + 1)


def test_unknown_modes_are_refused():
    with pytest.raises(ValueError, match="'fast'.*reduce-overhead"):
        dl.compile(lambda x: x, mode="fast")


def test_constant_results_are_computed_once():
    calls = []

    @dl.assume_constant_result
    def factor():
        calls.append(1)
        return 3.0

    compiled = dl.compile(lambda x: x * factor(), fullgraph=True)
    for _ in range(3):
        assert same(compiled(X), X * 3.0)
    assert len(calls) == 1


def test_allowed_functions_are_in_the_graph():
    @dl.allow_in_graph
    def double(x):
        return x * 2

    compiled = dl.compile(lambda x: double(x + 1) - 1)
    for x in (X, X, X.astype("f4")):
        assert same(compiled(x), (x + 1) * 2 - 1)


def test_functions_that_escape_keep_their_annotations():
    seen = []

    @dl.disable
    def register(f):
        seen.append(f.__annotations__)

    def outer(x):
        y = x + 1

        @register
        def inner(a: int, b: str = "b") -> float: ...
        return y

    dl.compile(outer)(X)
    assert [*map(len, seen)] == [3]


def with_fields(**options):
    return np.dtype({"names": ["n", "v"], "formats": ["i4", "f8"]}, **options)


def test_dtypes_with_fields_need_not_be_the_same_object():
    def function(rows):
        rows["v"] += 1
        return np.zeros(2, rows.dtype), rows.dtype.names, rows["n"].sum()

    compiled = dl.compile(function)
    for _ in range(12):
        rows, again = np.zeros(3, with_fields()), np.zeros(3, with_fields())
        assert same(compiled(rows), function(again)) and same(rows, again)
    assert dl.stats().recompiles == 0


@pytest.mark.parametrize("other", [
    with_fields(), with_fields(align=True), with_fields(metadata={"unit": "m"}),
    np.dtype([("n", "f8")]), np.dtype("U5"), np.dtype(">f8"), np.dtype(float),
], ids=str)  # fmt: skip
def test_equal_dtypes_are_told_apart_where_the_program_does(other):
    def function(one, two):
        return one is two, one == two, repr(one), one.metadata, one.isalignedstruct

    compiled = dl.compile(function)
    for one in (with_fields(), other, with_fields()):
        for two in (one, with_fields(), other):
            assert compiled(one, two) == function(one, two)


def test_saying_why_does_not_warn():
    """NumPy warns where the flags of a result of `np.broadcast_arrays` are read."""
    compiled = dl.compile(lambda x: x * 2)
    compiled(np.ones((2, 3)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = compiled(np.broadcast_arrays(np.ones(3), np.ones((2, 3)))[0])
    assert found.tolist() == [[2.0] * 3] * 2


WEIGHTS = {f"layer{k}": np.full(3, float(k)) for k in range(60)}


def looked_up(x, name):
    y = x * 2
    return y @ WEIGHTS[name] + 1


def told_apart(x, name):
    if name == "layer1":
        return x + 1
    return x - 1 if name.startswith("layer1") else x * 2


def stored(x, name):
    found = {name: x.sum(), "all": x}
    return f"{name}: {found[name]}", x * 2


@pytest.mark.parametrize("function", [looked_up, told_apart, stored])
@pytest.mark.filterwarnings("ignore::dynamo_lite.errors.DynamoWarning")
def test_past_the_limit_one_variant_serves_all_texts(function):
    """It breaks the graph where the text is read."""
    compiled = dl.compile(function)
    for name in 2 * list(WEIGHTS):
        assert same(compiled(X, name), function(X, name))
    assert any("name, which keeps changing" in reason for reason in dl.stats().break_reasons)
    graphs = dl.stats().graphs
    for name in WEIGHTS:
        assert same(compiled(X, name), function(X, name))
    assert dl.stats().graphs == graphs and len(compiled.entries()) == dl.config.recompile_limit


def added_up(x, items):
    y = x * 2
    for item in items:
        y = y + item
    return y, len(items), items[-1:]


def by_key(x, items):
    y = x * 2
    for key in items:
        y = y + items[key]
    return y, sorted(items), "k3" in items


def collected(x, items):
    items.append(x * len(items))
    return sum(items), items


CONTENTS = {
    "numbers": (added_up, lambda n: [float(k) for k in range(n)]),
    "arrays": (added_up, lambda n: tuple(X + k for k in range(n))),
    "keys": (by_key, lambda n: {f"k{k}": float(k) for k in range(n)}),
    "appended": (collected, lambda n: [X] * n),
}


@pytest.mark.parametrize("function, make", CONTENTS.values(), ids=CONTENTS)
def test_the_last_variant_serves_all_lengths_and_keys(function, make):
    """It breaks the graph where they are read, and nobody is warned."""
    compiled = dl.compile(function)
    for n in (*range(15), *range(15)):
        assert same(compiled(X, make(n)), function(X, make(n)))
    assert any("which keep" in reason or "keeps changing" in reason
               for reason in dl.stats().break_reasons)  # fmt: skip
    graphs = dl.stats().graphs
    assert same(compiled(X, make(20)), function(X, make(20)))
    assert dl.stats().graphs == graphs and len(compiled.entries()) == dl.config.recompile_limit


def test_in_one_graph_each_length_is_a_variant():
    compiled = dl.compile(added_up, fullgraph=True)
    for n in range(dl.config.recompile_limit):
        assert same(compiled(X, [1.0] * n), added_up(X, [1.0] * n))
    with pytest.raises(errors.RecompileLimitExceeded, match="items: has 8 items"):
        compiled(X, [1.0] * 8)


def test_texts_that_are_passed_along_are_not_guarded():
    compiled = dl.compile(lambda x, name: (x + 1, {"name": name}), fullgraph=True)
    for name in WEIGHTS:
        assert compiled(X, name)[1] == {"name": name}
    assert len(compiled.entries()) == 1


def test_a_relation_may_divide_by_what_is_none_now():
    def steps(x, k):
        return x[::k] * 2 if k else x

    compiled = dl.compile(steps)
    for shape, k in (((2, 3), 2), ((5, 1), 1)):
        assert same(compiled(np.ones(shape), k), steps(np.ones(shape), k))
    with dl.no_recompile(), pytest.raises(errors.RecompileForbidden, match="division by zero"):
        compiled(np.ones((2, 1)), 0)


def test_recursion_as_deep_as_the_sizes_say_is_compiled_a_few_times():
    def sums(x):
        if len(x) < 2:
            return x
        left, right = compiled(x[::2]), compiled(x[1::2])
        return np.concatenate([left + right, left - right * 0.5])

    compiled = dl.compile(sums)
    plain = dl.compile(sums, disable=True)
    for length in 4, 16, 64, 256, 1024:
        x = np.linspace(0, 1, length) ** 2
        assert same(compiled(x), plain(x))
    assert dl.stats().recompiles <= dl.config.recompile_limit
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the limit is not reached
        compiled(np.arange(2048.0))
