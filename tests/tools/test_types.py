"""Type checkers keep the signatures of compiled functions, and of derivatives."""
import json
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

def loss(x: np.ndarray, k: float = 2.0) -> float:
    return float((x * k).sum())

def loss_and_name(x: np.ndarray) -> tuple[float, str]:
    return float(x.sum()), "sum"

slope: np.ndarray = dl.grad(loss)(x, k=3.0)
value: float = dl.value_and_grad(loss)(x)[0]
name: str = dl.grad(loss_and_name, has_aux=True)(x)[1]
both: tuple[float, str] = dl.value_and_grad(loss_and_name, 0, True)(x)[0]
dl.grad(loss)("wrong")  # wrong
dl.grad(loss, argnums=(0, 1))(x, 3.0, 4)  # wrong
dl.grad(loss)(x, j=3)  # wrong
dl.grad(loss, argnums="x")  # wrong
dl.value_and_grad(loss)("wrong", k=3.0)  # wrong
text = dl.value_and_grad(loss)(x)[0]  # wrong
dl.grad(3)  # wrong
dl.disable(f)("wrong", 3)  # wrong
dl.disable(reason="none")(f)("wrong", 3)  # wrong
dl.allow_in_graph(f)("wrong", 3)  # wrong
dl.assume_constant_result(f)("wrong", 3)  # wrong
"""
WRONG = {i for i, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith("# wrong")}
ROOT = Path(__file__).resolve().parents[2]


def test_mypy_keeps_signatures(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--follow-imports=silent", "--ignore-missing-imports",
         "--cache-dir", str(tmp_path / "cache"), str(program)],
        capture_output=True, text=True, cwd=ROOT,
    )
    found = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}
    assert found == WRONG, done.stdout + done.stderr


def test_pyright_keeps_signatures(tmp_path):
    """As basedpyright has it: the same checker, with a Node.js of its own."""
    pytest.importorskip("basedpyright")
    (tmp_path / "program.py").write_text(PROGRAM)
    settings = {"extraPaths": [str(ROOT)], "pythonVersion": "3.11", "typeCheckingMode": "standard"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    done = subprocess.run(
        [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable],
        capture_output=True, text=True, cwd=tmp_path,
    )
    told = json.loads(done.stdout)["generalDiagnostics"]
    found = {one["range"]["start"]["line"] + 1 for one in told if one["severity"] == "error"}
    assert found == WRONG, done.stdout + done.stderr
