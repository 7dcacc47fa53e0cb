"""Kernels that other processes compile."""
from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from dynamo_lite.backends.triton.binaries import build
from dynamo_lite.backends.triton.binaries.service import Service
from dynamo_lite.backends.triton.kernels.emit import TritonKernel

from dynamo_lite.base.config import config
from dynamo_lite.errors import BackendError

pytest.importorskip("triton")
KERNELS = [
    TritonKernel(f"kernel{n}", f"@triton.jit\ndef kernel{n}():\n    tl.device_assert({n} >= 0)\n",
                 (), 1, 1, 1)
    for n in range(build.FEW)
]
WRONG = TritonKernel("wrong", "@triton.jit\ndef wrong():\n    nobody()\n", (), 1, 1, 1)


@pytest.fixture
def service(monkeypatch, tmp_path):
    made = Service()
    monkeypatch.setattr(build, "SERVICE", made)
    with config.patch(cache_dir=str(tmp_path), compile_processes=2):
        yield made
    if made.helper is not None:
        made.helper.process.kill()
        made.helper.process.wait()


def test_many_are_compiled_elsewhere_and_kept(service, monkeypatch):
    monkeypatch.setattr(build, "_made_here", None)
    build.prepare(KERNELS[:-1], 90)
    assert not service.is_running  # they are too few
    build.prepare(KERNELS, 90)
    assert service.is_running and len(build.ASKED) == len(KERNELS)
    found = [build.build(kernel, True, 90) for kernel in KERNELS]
    assert [binary.name for binary in found] == [kernel.name for kernel in KERNELS]
    assert all(binary.cubin.startswith(b"\x7fELF") for binary in found) and not build.ASKED
    os.kill(service.helper.process.pid, signal.SIGKILL)
    service.helper.process.wait()
    build.prepare(KERNELS, 90)
    assert not build.ASKED and not service.is_running  # they are on the disk
    assert build.build(KERNELS[0], True, 90) == found[0]


def test_errors_and_the_end_of_the_helper(service, monkeypatch):
    with pytest.raises(BackendError, match="nobody is not defined"):
        service.ask(WRONG, True, 90).result()
    os.kill(service.helper.process.pid, signal.SIGSTOP)
    build.ASKED[build.place(KERNELS[1], True, 90)] = service.ask(KERNELS[1], True, 90)
    os.kill(service.helper.process.pid, signal.SIGKILL)
    monkeypatch.setattr(build, "_made_here", lambda *request: build.Binary("made here", b"", 0, 32))
    assert build.build(KERNELS[1], True, 90).name == "made here"


def test_the_helper_ends_with_the_program():
    program = (
        "from tests.triton.test_service import KERNELS\n"
        "from dynamo_lite.backends.triton.binaries.service import SERVICE\n"
        "SERVICE.ask(KERNELS[0], True, 90).result()\n"
        "print(SERVICE.helper.process.pid)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          cwd=Path(__file__).parents[2], check=True, timeout=120)
    for _ in range(200):
        if not Path(f"/proc/{done.stdout.strip()}/cmdline").exists():
            return
        signal.sigtimedwait([], 0.05)
    raise AssertionError("it is still there")
