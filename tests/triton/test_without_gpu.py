"""What a user sees on a machine that has no GPU, no CuPy or no Triton."""
from __future__ import annotations

import subprocess
import sys
import warnings
from importlib import metadata
from types import SimpleNamespace

import numpy as np
import pytest
from dynamo_lite.backends.triton import backend
from dynamo_lite.backends.triton.binaries import build
from dynamo_lite.backends.triton.devices import device

import dynamo_lite as dl
from benchmarks import gpu
from dynamo_lite.errors import BackendError, Unsupported
from dynamo_lite.native import why_no_cuda

no_driver = pytest.mark.skipif(why_no_cuda() is None, reason="there is a GPU")


@no_driver
def test_eager_results_and_one_warning():
    @dl.compile(backend="triton")
    def f(x):
        return np.exp(x) + 1

    with dl.config.patch(strict=False), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for size in (3, 4, 3):
            x = np.arange(float(size))
            np.testing.assert_array_equal(f(x), np.exp(x) + 1)
    (warning,) = caught
    assert warning.category.__name__ == "DynamoWarning" and warning.filename == __file__
    text = str(warning.message)
    assert why_no_cuda() in text and "defect" not in text
    assert "argument 'x' is a numpy.ndarray: pass cupy.asarray(x)" in text


@no_driver
def test_fullgraph_and_strict_raise_it():
    with dl.config.patch(strict=True):
        with pytest.raises(BackendError, match=r"CUDA|GPU"):
            dl.compile(lambda x: x + 1, backend="triton")(np.arange(3.0))


def test_triton_is_asked_for_only_when_a_kernel_must_be_compiled(monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    build.triton_version.cache_clear()
    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(BackendError, match=r'pip install "dynamo-lite\[cuda\]"'):
        build.triton_version()
    build.triton_version.cache_clear()


def test_importing_and_asking_import_neither_triton_nor_cupy():
    code = (
        "import sys, dynamo_lite.backends.triton, dynamo_lite as dl, numpy as np, warnings\n"
        "warnings.simplefilter('ignore')\n"
        "dl.compile(lambda x: x + 1, backend='triton')(np.arange(3.0))\n"
        "assert not {'triton', 'cupy', 'torch'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_numbers_are_the_cpus():
    facts = {"type": dl.ir.types.scalar("f8"), "name": "s", "op": "call_function"}
    assert "number" in backend.why_not_node(SimpleNamespace(**facts, target=np.add))
    assert backend.why_not_node(SimpleNamespace(**facts, target=bool)) is None


@pytest.mark.parametrize(("target", "path"), [
    (np.exp, "exp"), (np.sum, "sum"), (np.linalg.norm, "linalg.norm"),
    (np.ndarray.astype, "ndarray.astype"), (np.add.reduce, None),
])
def test_counterparts_are_found_by_name(target, path):
    library = SimpleNamespace(
        __name__="cupy", exp="exp", sum="sum", linalg=SimpleNamespace(norm="linalg.norm"),
        ndarray=SimpleNamespace(astype="ndarray.astype"),
    )
    if path is None:
        with pytest.raises(Unsupported, match="has no counterpart in cupy"):
            device.counterpart_in(library, target)
    else:
        assert device.counterpart_in(library, target) == path


def test_old_gpus_are_named(monkeypatch):
    cupy = SimpleNamespace(cuda=SimpleNamespace(
        Device=lambda: SimpleNamespace(id=1, compute_capability="61")))
    monkeypatch.setattr(device.importlib, "import_module", lambda name: cupy)
    with pytest.raises(BackendError, match=r"GPU 1 has compute capability 6\.1, and .* need 8\.0"):
        device.CuPyDevice()


@no_driver
def test_the_benchmark_says_that_there_is_no_gpu():
    with pytest.raises(SystemExit, match="nothing is timed: .*--host"):
        gpu.main([])
