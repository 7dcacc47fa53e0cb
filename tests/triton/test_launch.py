"""The launch ABI, against a fake array for the CUDA driver that writes down what it is given."""
from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("triton")
COMPILER = shutil.which("gcc") or shutil.which("cc")
pytestmark = pytest.mark.skipif(
    COMPILER is None or sys.platform != "linux", reason="needs a C compiler on Linux"
)
HERE = Path(__file__).parent
PARAMETERS = 7  # three pointers, a number, a size, and two scratch pointers that are null


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("driver")
    library = folder / "libcuda.so.1"
    subprocess.run([COMPILER, "-shared", "-fPIC", HERE / "libcuda.c", "-o", library], check=True)
    return folder


def run(place, *command, **environment):
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=HERE.parents[1], capture_output=True, text=True,
        env=os.environ | {
            "LD_LIBRARY_PATH": str(place), "DYNAMO_CACHE_DIR": str(place / "cache"),
        } | environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.strip()


def launch(place, shift, **environment):
    log = place / "log"
    log.unlink(missing_ok=True)
    told = {"LAUNCH_LOG": str(log), "LAUNCH_PARAMETERS": str(PARAMETERS)}
    said = run(place, "tests.triton.launching", str(shift), **told, **environment)
    return said, log.read_text().split() if log.exists() else []


def bits(number: float) -> int:
    return struct.unpack("q", struct.pack("d", number))[0]


@pytest.mark.parametrize("shift", [0, 1], ids=["aligned", "unaligned"])
def test_parameters_grid_block_and_stream(place, shift):
    said, (name, *numbers) = launch(place, shift)
    said = json.loads(said)
    grid, block, (shared, stream, no_extra) = numbers[:3], numbers[3:6], numbers[6:9]
    assert name.isidentifier() and grid == ["6", "1", "1"] and block == ["128", "1", "1"]
    assert (shared, stream, no_extra) == ("0", "77", "1")
    *pointers, last, scratch, profile = map(int, numbers[9:])
    assert (scratch, profile) == (0, 0)
    given = [*pointers, last]
    x, y, result = said["pointers"]
    assert {x, y, result, bits(2.5), 3000} == set(given)
    order = [given.index(n) for n in (x, y, bits(2.5))]
    assert order == sorted(order)


def test_second_process_needs_no_triton(place):
    launch(place, 0)
    said, _ = launch(place, 0)
    assert json.loads(said)["triton"] is False
    assert len(list((place / "cache").rglob("*.cubin"))) >= 1
    assert not list(place.rglob("*.tmp"))


def test_damaged_cubins_are_replaced(place):
    launch(place, 0)
    for path in (place / "cache").rglob("*.cubin"):
        path.write_bytes(path.read_bytes()[:-1] + b"?")
    said, _ = launch(place, 0)
    assert json.loads(said)["triton"] is True


def test_a_launch_that_fails_is_left_to_python(place):
    said, _ = launch(place, 0, LAUNCH_FAILS="1")
    assert said == "bailed out"


def test_calls_are_launched_as_graphs(place):
    pytest.importorskip("cupy")
    log = place / "log"
    log.unlink(missing_ok=True)
    told = {"LAUNCH_LOG": str(log), "LAUNCH_PARAMETERS": "1"}
    taken = json.loads(run(place, "tests.triton.replaying", **told))
    assert log.read_text().count("graph 99 77") > 1000
    taken = json.loads(run(place, "tests.triton.replaying"))
    assert taken["replayed"] < taken["plain"]
