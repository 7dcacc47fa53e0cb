"""`config.perf_map`: kernels have names for Linux's perf, and what `jit_dump` has in common."""
import itertools

import numpy as np
import pytest
from dynamo_lite.backends.llvm.objects import jit_dump, perf_map

import dynamo_lite as dl


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(perf_map, "FOLDER", str(tmp_path))
    monkeypatch.setattr(jit_dump, "FOLDER", str(tmp_path))
    return tmp_path


def lines_of(folder):
    (path,) = folder.glob("perf-*.map")
    rows = (line.split(" ", 2) for line in path.read_text().splitlines())
    return [(int(start, 16), int(size, 16), name) for start, size, name in rows]


def several(x):
    return np.exp(x).sum(), np.sort(x) * 2


def test_functions_of_kernels_are_told(folder):
    compiled = dl.compile(several)
    with dl.config.patch(perf_map=True):
        compiled(np.random.rand(1000))
    lines = lines_of(folder)
    assert any("kernel" in name and "several" in name for *_, name in lines)
    assert all(size > 0 for _, size, _ in lines)
    (entry,) = [(start, size) for start, size, name in lines if name.startswith("entry of ")]
    assert all(start != entry[0] for start, _, name in lines if "kernel" in name)


def test_places_are_those_of_the_code(folder):
    ranges, kept = [], []
    with dl.config.patch(perf_map=True, cache=True, cache_dir=str(folder / "cache")):
        for _ in range(2):  # from LLVM, and from the disk
            kept.append(dl.compile(several))
            kept[-1](np.random.rand(1000))
            ranges.append(lines_of(folder))
    again = [(size, name) for _, size, name in ranges[1][len(ranges[0]) :]]
    assert again == [(size, name) for _, size, name in ranges[0]]
    spans = sorted((start, start + size) for start, size, _ in ranges[1])
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))


def test_nothing_is_written_unless_asked_for(folder):
    dl.compile(several)(np.random.rand(1000))
    assert not [*folder.glob("*-*")]


@pytest.mark.parametrize("setting", ["perf_map", "jit_dump"])
def test_a_folder_that_cannot_be_written_is_no_error(monkeypatch, folder, setting):
    monkeypatch.setattr(perf_map, "FOLDER", str(folder / "none"))
    monkeypatch.setattr(jit_dump, "FOLDER", str(folder / "none"))
    jit_dump.dump_of.cache_clear()
    with dl.config.patch(**{setting: True}):
        dl.compile(several)(np.random.rand(1000))
