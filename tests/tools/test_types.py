"""Type checkers keep the signatures of compiled functions."""
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import numpy as np
import dynamo_lite as dl

@dl.compile
def f(x: np.ndarray, k: int = 2) -> float:
    return float((x * k).sum())

@dl.compile(fullgraph=True, dynamic=True)
def g(x: np.ndarray, /, *, scale: float) -> np.ndarray:
    return x * scale

class Model:
    @dl.compile
    def step(self, x: np.ndarray) -> np.ndarray:
        return x + 1

    @property
    @dl.compile
    def size(self) -> int:
        return 3

x = np.ones(3)
good: float = f(x, k=3)
also: np.ndarray = g(x, scale=2.0)
lambdas = dl.compile(lambda x: x + 1, backend="eager")
stepped: np.ndarray = Model().step(x)
number: int = Model().size
f("wrong", "args", 3)  # wrong
f(x, j=3)  # wrong
g(x)  # wrong
g(x, scale="a")  # wrong
text: str = f(x)  # wrong
Model().step(x, 3)  # wrong
dl.compile(f, fulgraph=True)  # wrong
"""


def test_mypy_keeps_signatures(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--follow-imports=silent", "--ignore-missing-imports",
         "--cache-dir", str(tmp_path / "cache"), str(program)],
        capture_output=True, text=True, cwd=Path(__file__).resolve().parents[2],
    )
    found = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}
    wrong = {i for i, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith("# wrong")}
    assert found == wrong, done.stdout + done.stderr
