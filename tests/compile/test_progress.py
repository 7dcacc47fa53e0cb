"""A compilation that takes long is shown on a terminal, and nothing of it stays there."""
import errno
import io
import os
import pty
import subprocess
import sys
import time

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.base.config import config
from dynamo_lite.runtime import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def slow(graph, inputs):
    """A backend that takes longer than the patience of the test."""
    time.sleep(0.3)
    return graph


@pytest.fixture
def shown(monkeypatch):
    monkeypatch.setattr(progress, "EVERY", 0.02)

    def run(stream, patience):
        monkeypatch.setattr(sys, "stderr", stream)
        with config.patch(progress_seconds=patience):
            dl.compile(lambda x: x + 1, backend=slow, name="step")(np.ones(3))
        monkeypatch.undo()
        return stream.getvalue()

    return run


def test_what_takes_long_is_shown_and_wiped(shown):
    said = shown(Terminal(), 0.05)
    assert "compiling step (" in said and "test_progress.py" in said
    assert said.endswith(progress.CLEAR) and "\n" not in said


def test_what_is_quick_is_not(shown):
    assert shown(Terminal(), 60.0) == ""


def test_nothing_is_written_into_files(shown):
    assert shown(io.StringIO(), 0.0) == ""


def test_on_a_real_terminal():
    """Of a process whose standard error is one; its output is read until it ends."""
    program = ("import time, numpy as np, dynamo_lite as dl\n"
               "def slow(graph, inputs):\n"
               "    time.sleep(0.8)\n"
               "    return graph\n"
               "dl.config.progress_seconds = 0.1\n"
               "print(dl.compile(lambda x: x + 1, backend=slow, name='step')(np.ones(1)))\n")
    outer, inner = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=inner,
                          text=True) as process:
        os.close(inner)
        said = "".join(iter(lambda: read(outer), ""))
        assert process.stdout.read() == "[2.]\n"
    os.close(outer)
    assert "dynamo_lite: compiling step (" in said and said.endswith(progress.CLEAR)
    assert "\n" not in said


def read(terminal):
    """What a terminal shows next; nothing when its last process has ended."""
    try:
        return os.read(terminal, 1000).decode()
    except OSError as error:
        assert error.errno == errno.EIO
        return ""


def test_without_a_standard_error(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    assert dl.compile(lambda x: x + 1, backend="eager")(np.ones(1)).tolist() == [2.0]
