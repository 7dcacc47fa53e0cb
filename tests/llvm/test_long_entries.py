"""An entry of many steps is compiled apart from its kernels, and calls them."""
from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dynamo_lite.backends.llvm.backend import compile_graph
from dynamo_lite.backends.llvm.builder.target import host
from dynamo_lite.backends.llvm.entry.writer import write_entry
from dynamo_lite.backends.llvm.objects import modules_on_disk as objects
from dynamo_lite.backends.llvm.objects.compiler import InPython
from dynamo_lite.backends.llvm.objects.modules import PART
from dynamo_lite.backends.lowering.lower import lower

import dynamo_lite as dl
from dynamo_lite.base.config import config
from dynamo_lite.errors import DynamoWarning
from dynamo_lite.ir.passes import optimize
from dynamo_lite.native import _core

from ..backends.graphs import trace


def sums(x: Any) -> Any:
    """Many steps: products, an extern call, numbers of their own and a kernel for each row."""
    total, rows = x[0, 0] * 0.5, []
    for k in range(60):
        rows.append(np.sort(x[k] @ x.T) + total)
        total = np.exp(-total) + rows[-1][0]
    return np.concatenate(rows), total


@pytest.fixture
def x() -> np.ndarray:
    return np.random.default_rng(0).random((60, 60)) / 60


def test_the_entry_is_a_module_of_its_own(x: np.ndarray) -> None:
    program = lower(optimize(trace(sums, x), None), None)
    begun: list[str] = []
    *kernels, entry = write_entry(program, host(), begun.append).texts
    assert "@entry" not in "".join(kernels) and entry.count("define") == 1
    assert begun == [*kernels, entry]


def test_many_kernels_are_modules_of_their_own(x: np.ndarray) -> None:
    def several(x: Any) -> Any:
        return tuple(np.exp(x) / (k + np.sum(x, axis=k % 2)) for k in range(4))

    program = lower(optimize(trace(several, x), None), None)
    *kernels, last = write_entry(program, host()).texts
    assert kernels and all(text.count("\n") >= PART for text in kernels)
    assert "declare void @" in last and "define i32 @entry" in last
    for found, expected in zip(compile_graph(trace(several, x), [x])(x), several(x)):
        np.testing.assert_allclose(found, expected, rtol=1e-13)


@pytest.mark.parametrize("loader", [True, False])
@pytest.mark.parametrize("is_known", [True, False])
def test_it_calls_the_kernels(
    x: np.ndarray, loader: bool, is_known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not loader:
        monkeypatch.setattr(_core, "load_object", lambda code, known: None)
    if not is_known:  # this llvmlite
        monkeypatch.setattr(objects, "llvm_library", lambda: None)
    compiled = compile_graph(trace(sums, x), [x])
    for array in (x, x[::-1].copy()):
        for found, expected in zip(compiled(array), sums(array)):
            np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_what_llvm_refuses_is_an_error(x: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    add = objects.Objects.add
    monkeypatch.setattr(objects.Objects, "add", lambda self, text: add(self, text + "nonsense"))
    compiled = dl.compile(lambda x: np.exp(x) + 1)
    words = "parsing error"
    with config.patch(strict=True, cache=False), pytest.raises(RuntimeError, match=words):
        compiled(x)
    with config.patch(strict=False, cache=False), pytest.warns(DynamoWarning, match=words):
        np.testing.assert_array_equal(compiled(x), np.exp(x) + 1)


def test_objects_are_linked_where_nothing_was_compiled(tmp_path: Path) -> None:
    compiler = InPython(host())
    compiler.add("define void @f() { ret void }", 2, False)
    (tmp_path / "f.o").write_bytes(*compiler.objects())
    source = "import pathlib, sys; from dynamo_lite.backends.llvm.objects.compiler import link;" \
        "sys.exit(not link([pathlib.Path(sys.argv[1]).read_bytes()], 'f')[0])"
    subprocess.run([sys.executable, "-c", source, tmp_path / "f.o"], check=True)


def test_it_bails_out_for_what_a_number_of_its_own_raises(x: np.ndarray) -> None:
    x[0, 0] = -1e6
    with np.errstate(over="raise"):
        assert compile_graph(trace(sums, x), [x])(x) is _core.BAILOUT
