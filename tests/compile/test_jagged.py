"""Jagged data: lengths as lists of ints and as arrays, one compilation for all of them."""
import itertools
import re
import runpy
from pathlib import Path

import numpy as np
import pytest

import dynamo_lite as dl
from tests.oracle import ROUNDED, check, same

EXAMPLE = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "07_jagged.py"))
KeyedJagged, Ragged = EXAMPLE["KeyedJagged"], EXAMPLE["Ragged"]

KEYED = {
    "split": lambda k: k.split(),
    "as a dict": lambda k: k.to_dict(),
    "one key": lambda k: (k["k3"] * 2, k["k39"]),
    "sums": lambda k: k.map(np.tanh).sum(),
    "means": lambda k: k.mean(),
    "concatenated": lambda k: KeyedJagged.concatenate([k, k.map(np.exp)]).sum(),
    "from a dict": lambda k: KeyedJagged.from_dict(k.map(np.exp).to_dict()).values,
}
RAGGED = {
    "sums": lambda r: r.sum(),
    "means": lambda r: r.mean(),
    "centred": lambda r: (r + r.spread(-r.mean())).to_dense(6),
    "dense": lambda r: (r * 2 + 1).to_dense(5),
    "rows": lambda r: (r.rows(), r.lengths, len(r)),
}


def keyed(seed, kind, lengths=None, keys=40):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 4, keys) if lengths is None else np.array(lengths)
    values = rng.normal(size=(lengths.sum(), 3))
    return KeyedJagged([f"k{i}" for i in range(keys)], values, kind(lengths))


@pytest.mark.parametrize("kind", [np.ndarray.tolist, np.asarray], ids=["list", "array"])
@pytest.mark.parametrize("name", KEYED)
def test_new_lengths_need_no_compilation(name, kind):
    compiled = dl.compile(KEYED[name], fullgraph=True)
    batches = [keyed(seed, kind) for seed in range(6)]
    batches += [keyed(7, kind, np.ones(40, int)), keyed(8, kind, np.arange(40) % 2)]
    for batch in batches:
        assert same(compiled(batch), KEYED[name](batch), ROUNDED)
    assert len(compiled.entries()) <= 2


@pytest.mark.parametrize("name", RAGGED)
def test_rows_of_any_length(name):
    compiled = dl.compile(RAGGED[name], fullgraph=True)
    rng = np.random.default_rng(0)
    for rows, longest in ((20, 9), (31, 9), (7, 2), (1, 5), (5, 1), (40, 3)):
        batch = Ragged.from_rows([rng.normal(size=rng.integers(longest)) for _ in range(rows)])
        assert same(compiled(batch), RAGGED[name](batch), ROUNDED)
    assert len(compiled.entries()) <= 3  # a single row is broadcast


@pytest.mark.parametrize("keys", [20, 40])
def test_the_sum_of_the_lengths_is_all_that_is_guarded_of_the_splits(keys):
    compiled = dl.compile(KEYED["sums"], dynamic=True)
    for seed in range(3):
        compiled(keyed(seed, np.ndarray.tolist, keys=keys))
    (entry,) = compiled.entries()
    relations = [str(relation) for relation in entry.info.shapes.relations]
    assert sum(relation.endswith(">= 0") for relation in relations) == keys
    assert len(relations) <= keys + 3


@pytest.mark.parametrize("name", ["sums", "split"])
@pytest.mark.parametrize("change", [
    {3: -1}, {0: -1, 1: 1}, {39: 5}, {0: 2**62, 1: 2**62}, {5: 2**63},
    {2: True}, {2: 1.0},
])  # fmt: skip
def test_lengths_that_do_not_fit_are_as_in_numpy(name, change):
    compiled = dl.compile(KEYED[name])
    for seed in range(2):
        batch = keyed(seed, np.ndarray.tolist)
        compiled(batch)
        for place, length in change.items():
            batch.lengths[place] = length
        check(compiled, KEYED[name], batch)


def pooled_parts(values, lengths):
    parts, start = [], 0
    for length in lengths:
        parts.append(values[start:start + length].sum(axis=0))
        start += length
    return np.stack(parts)


def lengths_and_values(seed, keys=40):
    lengths = np.random.default_rng(seed).integers(1, 5, keys).tolist()
    return np.random.default_rng(seed).normal(size=(sum(lengths) + 3, 2)), lengths


def test_of_parts_that_end_further_and_further_the_last_end_is_guarded():
    compiled = dl.compile(pooled_parts)
    for seed in range(4):
        batch = lengths_and_values(seed)
        assert same(compiled(*batch), pooled_parts(*batch), ROUNDED)
    relations = compiled.entries()[0].info.shapes.relations
    assert len(compiled.entries()) <= 2 and len(relations) <= 40 + 10
    assert sum(len(list(relation.symbols())) > 10 for relation in relations) == 1


@pytest.mark.parametrize("change", [
    {39: 4}, {39: 400}, {0: -1}, {7: -3}, {0: 0}, {20: 100}, {38: -100}, {0: 2**62, 1: 2**62},
])  # fmt: skip
def test_parts_that_do_not_fit_are_as_in_numpy(change):
    compiled = dl.compile(pooled_parts)
    for seed in range(2):
        values, lengths = lengths_and_values(seed)
        compiled(values, lengths)
        for place, length in change.items():
            lengths[place] = length
        check(compiled, pooled_parts, values, lengths, tolerance=ROUNDED)


@pytest.mark.parametrize(("name", "keys"), [("means", 300), ("from a dict", 600)])
def test_many_keys_are_one_graph(name, keys):
    compiled = dl.compile(KEYED[name], fullgraph=True)
    # A proof would take a minute, and has 40 keys elsewhere.
    with dl.config.patch(validate=False, trace_seconds=600.0):
        for seed in range(3):
            batch = keyed(seed, np.ndarray.tolist, keys=keys)
            assert same(compiled(batch), KEYED[name](batch), ROUNDED)
    assert len(compiled.entries()) == 2


def test_arrays_in_a_list_do_not_share_symbols_by_accident():
    def pooled(parts):
        return np.stack([part.sum(axis=0) for part in parts]), np.concatenate(parts)

    compiled = dl.compile(pooled)
    rng = np.random.default_rng(0)
    for _ in range(6):
        parts = [rng.normal(size=(n, 2)) for n in rng.integers(0, 4, 30)]
        assert same(compiled(parts), pooled(parts), ROUNDED)
    assert len(compiled.entries()) <= 2


def test_slices_at_places_that_depend_on_data():
    def windows(x, places):
        return [x[a:b] for a, b in itertools.pairwise(places)], x[: places[0]], x[places[1] :]

    compiled = dl.compile(windows, fullgraph=True)
    x = np.arange(10.0)
    for places in ([0, 3, 7], [-3, -1, 20], [9, 2, -2**63], [2**63 - 1, -11, 10], [4, 4, 4]):
        assert same(compiled(x, np.array(places)), windows(x, np.array(places)))
    assert len(compiled.entries()) == 1


def test_inner_functions_are_known_by_their_code():
    def outer(x):
        def scale(y):
            return y * 2

        dl.graph_break()
        return scale(x) + 1

    compiled = dl.compile(outer)
    for n in range(5):
        check(compiled, outer, np.arange(3.0) + n)
    assert dl.stats().recompiles == 0


def pieces(values, lengths):
    parts, start = [], 0
    for n in lengths:
        parts.append(values[start : start + n] * 2)
        start += n
    return np.concatenate(parts[::-1])


def test_a_long_loop_says_which_budget_is_enough():
    """Each length of an array is a number that only data tells: such a loop is unrolled."""
    lengths = np.random.default_rng(0).integers(0, 4, 60)
    values = np.arange(float(lengths.sum()))
    compiled = dl.compile(pieces)
    with dl.config.patch(unroll_budget=100):
        check(compiled, pieces, values, lengths)
    (reason,) = dl.stats().break_reasons
    found = re.search(r"config\.unroll_budget = (\d+) is enough", reason)
    with dl.config.patch(unroll_budget=int(found[1])):
        compiled = dl.compile(pieces, fullgraph=True)
        check(compiled, pieces, values, lengths)
        check(compiled, pieces, values, lengths[::-1].copy())
    assert len(compiled.entries()) == 1
