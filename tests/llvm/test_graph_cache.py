"""Compiled graphs on disk: another process runs them at once; only the very same graph is found."""
from __future__ import annotations

import itertools
import random
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from dynamo_lite.backends import disk
from dynamo_lite.backends.llvm import backend
from dynamo_lite.backends.llvm.builder.target import host
from dynamo_lite.backends.llvm.objects import graph_cache

import dynamo_lite as dl
from dynamo_lite.base.config import config
from dynamo_lite.errors import Unsupported
from dynamo_lite.ir.facts import RecordedFacts, StaticFacts, answers_alike, graph_facts
from dynamo_lite.ir.plain import from_plain, plain
from dynamo_lite.ir.sizes import maximum, symbol

from ..oracle import same

PROGRAM = """
import sys
import numpy as np
import dynamo_lite as dl

def five_operations(a, b):
    return (a + b) * a - b / 2.0

a, b = np.linspace(1, 2, 20).reshape(2, 10)
assert np.array_equal(dl.compile(five_operations)(a, b), five_operations(a, b))
print(*sys.modules)
"""
HEAVY = ("llvmlite", "triton", "importlib.metadata",
         "dynamo_lite.backends.llvm.generate", "dynamo_lite.backends.loop_ir.loops",
         "dynamo_lite.backends.lowering", "dynamo_lite.ir.passes")  # fmt: skip


@pytest.fixture
def directory(tmp_path):
    with config.patch(cache=True, cache_dir=str(tmp_path)):
        yield tmp_path


@pytest.fixture
def generations(monkeypatch):
    """One item for every graph that code was generated for."""
    made = []
    generate = backend.generated

    def counted(graph, target):
        made.append(graph)
        return generate(graph, target)

    monkeypatch.setattr(backend, "generated", counted)
    return made


def files(directory):
    return sorted(directory.rglob("*.bin"))


def check(function, *args, **options):
    """Compile afresh and compare; the guards of the entry."""
    compiled = dl.compile(function, fullgraph=True, **options)
    assert same(compiled(*args), function(*args))
    assert compiled.entries()[0].bailouts == 0
    return compiled.entries()[0].program.describe()


def test_second_process_imports_nothing_to_compile_with(tmp_path):
    environment = {"DYNAMO_CACHE_DIR": str(tmp_path), "PATH": "", "DYNAMO_STRICT": "1"}
    for run in ("first", "second"):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment, cwd="/", check=True,
            capture_output=True, text=True,
        )
        loaded = done.stdout.split()
        assert run == "first" or [name for name in HEAVY if name in loaded] == []


@pytest.mark.parametrize("damage", [b"", b"short", None])
def test_damaged_files_are_replaced(directory, generations, damage):
    x = np.arange(5.0)
    check(np.square, x)
    (path,) = files(directory)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + b"?" if damage is None else damage)
    for expected in (2, 2):
        check(np.square, x)
        assert len(generations) == expected
    assert path.read_bytes() == whole and not list(directory.rglob("*.tmp"))


def test_another_version_finds_nothing(directory, generations, monkeypatch):
    x = np.arange(5.0)
    check(np.square, x)
    monkeypatch.setattr(graph_cache, "GENERATOR", "another version")
    check(np.square, x)
    assert len(generations) == 2 and len(files(directory)) == 2


def test_switched_off(tmp_path, generations):
    with config.patch(cache=False, cache_dir=str(tmp_path)):
        check(np.square, np.arange(5.0))
        check(np.square, np.arange(5.0))
    assert len(generations) == 2 and files(tmp_path) == []


def scaled_by(constant):
    return lambda x: x * constant


FUNCTIONS = [
    *map(scaled_by, (0, 1, 1.0, True, -0.0, 0.0, np.float32(1), np.float64(1), np.int64(1))),
    lambda x: x + 1, lambda x: 1 + x, lambda x: x - 1, lambda x: x.sum(), lambda x: np.prod(x),
    lambda x: x[1:], lambda x: x[:-1], lambda x: x[None], lambda x: x.astype("f4"),
    lambda x: np.zeros_like(x), lambda x: np.sort(x), lambda x: np.sort(x, kind="stable"),
    lambda x: x * np.array([2, 3, 4, 5]), lambda x: x * np.array([2, 3, 4, 6]),
    lambda x: np.pad(x, 1), lambda x: np.pad(x, 2), lambda x: np.pad(x, (1, 2), mode="edge"),
]  # fmt: skip
INPUTS = [
    np.arange(4.0), np.arange(4), np.arange(4, dtype="q"), np.arange(4, dtype="f4"),
    np.arange(8.0)[::2], np.arange(4.0)[::-1], np.arange(4, dtype=">f8"),
]  # fmt: skip


@pytest.mark.parametrize("one_file", [False, True])
def test_different_graphs_never_meet(directory, generations, monkeypatch, one_file):
    """Also where all of them want the same file name."""
    if one_file:
        monkeypatch.setattr(graph_cache, "_path", lambda key: "graphs/the-only-one.bin")
    for _ in range(2):
        for function, x in itertools.product(FUNCTIONS, INPUTS):
            before = x.copy()
            compiled = dl.compile(function)
            for _ in range(2):
                found, expected = compiled(x), function(x)
                assert type(found) is type(expected)
                np.testing.assert_array_equal(found, expected, strict=True)
                np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))
            assert np.array_equal(x, before)
        once = len(generations)
    if not one_file:
        assert once < 1.3 * len(FUNCTIONS) * len(INPUTS)


@pytest.mark.parametrize("function", [
    lambda x: x / x.shape[0], lambda x: np.concatenate([x, x])[1:], lambda x: (x - x.mean()).sum(),
    lambda x: np.linalg.norm(x), lambda x: np.partition(x, 2), lambda x: np.median(x),
    lambda x: x.reshape(2, -1) @ np.ones((x.shape[0] // 2, 2)), lambda x: np.stack([x, 2 * x])[0],
])  # fmt: skip
@pytest.mark.parametrize("dynamic", [False, True])
def test_found_graphs_do_the_same_under_the_same_guards(
    directory, generations, function, dynamic
):
    x = np.arange(6.0) - 2.0
    first = check(function, x, dynamic=dynamic)
    second = check(function, x, dynamic=dynamic)
    assert len(generations) == 1
    assert [op[0] for op in first] == [op[0] for op in second]


def test_relations_that_passes_need_are_guarded_again():
    facts = RecordedFacts(StaticFacts({"s0": 2}, {"s0": 5}))
    size = symbol("s0")
    assert facts.less(1, size) and not facts.equal(size, 0) and facts.less_equal(3, 4)
    with pytest.raises(Unsupported):
        facts.less(size, 4)
    assert [answer for *_, answer in facts.answers] == [True, False, None]
    assert answers_alike(StaticFacts({"s0": 2}), facts.answers)
    assert not answers_alike(StaticFacts({"s0": 4}), facts.answers)
    assert not answers_alike(StaticFacts(), facts.answers)


def test_methods_of_generators_are_kept_for_all_of_them(directory, generations):
    def shifted(x, normal):
        return x + normal(size=4)

    x = np.arange(4.0)
    for seed in range(3):
        normal, again = (np.random.default_rng(seed).normal for _ in range(2))
        assert np.array_equal(dl.compile(shifted)(x, normal), shifted(x, again))
    assert len(generations) == 1


def test_draws_of_numpys_own_generator_are_found(directory, generations):
    def shifted(x):
        return x + np.random.normal(size=4)

    x = np.arange(4.0)
    for seed in range(3):
        np.random.seed(seed)
        found = dl.compile(shifted)(x)
        np.random.seed(seed)
        assert np.array_equal(found, shifted(x))
    assert len(generations) == 1


@pytest.mark.parametrize("sizes, count", [((20, 100), 1), ((20, 5000), 2)])
def test_graphs_for_sizes_that_are_about_as_large_are_one(directory, generations, sizes, count):
    for size in sizes:
        x = np.arange(float(size))
        assert same(dl.compile(lambda x: (x * x).sum(), dynamic=True)(x), (x * x).sum())
    assert len(generations) == count


def graph_for(size):
    graphs = []
    function = dl.compile(lambda x: x * 2 + 1, dynamic=True, backend=lambda graph, inputs: (
        graphs.append(graph), graph)[1])
    function(np.ones(size))
    return graphs[0]


def test_what_is_not_profitable_is_so_for_its_own_sizes(directory):
    graph, other = graph_for(20), graph_for(21)
    key = graph_cache.key(graph, host())
    assert key == graph_cache.key(other, host())
    image, facts = backend.generated(graph, host())
    graph_cache.write(key, graph, facts.answers, replace(image, unprofitable="few operations"))
    assert graph_cache.read(key, graph, graph_facts(graph)) is not None
    assert graph_cache.read(key, other, graph_facts(other)) is None


def test_many_processes_may_write(directory):
    name = "graphs/x.bin"
    for content in (b"one", b"two"):
        disk.write(name, content)
        assert disk.read(name) == content
    assert [path.name for path in directory.rglob("*") if path.is_file()] == ["x.bin"]


VALUES = [
    None, True, 1, 1.0, -0.0, 0.0, 1j, "a", b"a", (), (1, (2.0, [None])), [1], {"a": 1, "b": [2]},
    slice(1, None, -1), ..., range(3), np.float32(1), np.float64(1), np.int64(1), np.bool_(True),
    np.longlong(1), np.datetime64("2020-01-01"), np.dtype("f8"), np.dtype("q"), np.dtype("l"),
    np.add, np.sum, np.ndarray.astype, np.add.reduce, np.linalg.norm, np.float64, int, abs,
    np.random.normal, random.random,
    symbol("s0"), symbol("s0") * 2 + 1, maximum(symbol("s0") // 3, symbol("s1") % 2),
]  # fmt: skip


def test_plain_data_are_exact():
    for value in VALUES:
        read = from_plain(plain(value))
        assert type(read) is type(value) and plain(read) == plain(value), value
        assert read == value
    written = [graph_cache.marshal.dumps(plain(value), graph_cache.FORMAT) for value in VALUES]
    assert len(set(written)) == len(VALUES)


@pytest.mark.parametrize("value", [
    np.arange(3), object(), lambda: None, PROGRAM.split, np.dtype(">f8"), np.dtype("O"),
    np.dtype([("a", "f8")]), np.dtype("f8", metadata={"a": 1}), {1, 2},
    np.random.RandomState(0).normal, np.random.default_rng(0).normal, type("Mine", (), {}),
    subprocess.run,
])  # fmt: skip
def test_what_is_more_than_plain_data(value):
    with pytest.raises(Unsupported):
        plain(value)


def test_what_the_bodies_of_loops_ask_is_asked_again(directory):
    """Code for a row that is counted from the end is not taken for one that is not."""

    def filled(x, m, i):
        count = 0
        while count < 9 and x[0] < 10:
            count += 1
            m[(i % 8) - 1] = x + 1
        return count

    compiled = dl.compile(filled, dynamic=True)
    for i in (0, 3, 8, 1):
        found, expected = np.zeros((5, 8)), np.zeros((5, 8))
        assert compiled(np.arange(8.0), found, i) == filled(np.arange(8.0), expected, i)
        assert same(found, expected)


def test_an_image_for_other_answers_is_not_the_one_that_was_kept(directory):
    graph = graph_for(20)
    key = graph_cache.key(graph, host())
    image, facts = backend.generated(graph, host())
    kept = graph_cache.write(key, graph, facts.answers, image)
    assert graph_cache.image_in(kept) is not None
    other = graph_cache.write(key, graph, [("less", symbol("s0"), 3, True)], image)
    assert other.path == kept.path
    assert graph_cache.image_in(kept) is None
    assert graph_cache.image_in(other) is not None
