"""Objects on disk: found by another process without LLVM, replaced when damaged, never required."""
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from dynamo_lite.backends import disk
from dynamo_lite.backends.llvm.objects import cache

from dynamo_lite.base.config import config

from .kernels import pointwise

HERE = Path(__file__).parent


@pytest.fixture
def directory(tmp_path):
    with config.patch(cache=True, cache_dir=str(tmp_path)):
        yield tmp_path


def files(directory):
    return sorted(directory.rglob("*.o"))


def run():
    x = np.arange(5.0)
    np.testing.assert_array_equal(pointwise("square", ["f8"], "f8", 5)(x), x * x)


def test_second_process_needs_no_llvm(directory):
    run()
    code = (
        "import sys\n"
        f"sys.path.insert(0, {str(HERE.parents[1])!r})\n"
        "from tests.llvm.test_cache import run\n"
        "run()\n"
        "assert 'llvmlite' not in sys.modules\n"
    )
    environment = {"DYNAMO_CACHE_DIR": str(directory), "PATH": ""}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, cwd="/")


@pytest.mark.parametrize("damage", [b"", b"short", None])
def test_damaged_files_are_replaced(directory, damage):
    run()
    (path,) = files(directory)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + b"?" if damage is None else damage)
    run()
    assert cache.read(path.stem) == whole[disk.HEADER :]
    assert not list(directory.rglob("*.tmp"))


def test_directory_that_cannot_be_made(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    with config.patch(cache=True, cache_dir=str(file)):
        run()


def test_switched_off(tmp_path):
    with config.patch(cache=False, cache_dir=str(tmp_path)):
        run()
    assert files(tmp_path) == []
