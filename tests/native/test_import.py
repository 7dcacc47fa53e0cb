"""Importing the source tree without a built core says what to do."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

import dynamo_lite.native


def test_a_missing_core_is_explained(tmp_path):
    package = tmp_path / "dynamo_lite" / "native"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("from . import native\n")
    shutil.copy(Path(dynamo_lite.native.__file__), package)
    run = subprocess.run(
        [sys.executable, "-c", "import dynamo_lite"], cwd=tmp_path, capture_output=True, text=True
    )
    assert run.returncode == 1
    assert "ImportError" in run.stderr and "pip install -e ." in run.stderr


def test_every_part_of_the_core_is_public_and_typed():
    core = dynamo_lite.native._core
    names = {name for name in vars(core) if not name.startswith("_")}
    assert set(dynamo_lite.native.__all__) == names
    stub = Path(dynamo_lite.native.__file__).with_name("_core.pyi").read_text()
    assert [name for name in sorted(names) if name not in stub] == []


def test_a_source_tree_runs_what_is_installed(tmp_path):
    """Without an editable install: `-S` leaves it out."""
    root, site = Path(dynamo_lite.__file__).parents[1], tmp_path / "site"
    (site / "dynamo_lite").mkdir(parents=True)
    for part in [*(root / "dynamo_lite").iterdir(), root / "guards", root / "backends"]:
        (site / "dynamo_lite" / part.name).symlink_to(part)
    tree = tmp_path / "tree" / "dynamo_lite"
    tree.mkdir(parents=True)
    shutil.copy(root / "dynamo_lite" / "__init__.py", tree)
    others = str(Path(np.__file__).parents[1])
    program = ("import dynamo_lite as dl, numpy as np; print(dl.__file__, dl.__path__[0]);"
               "print(dl.compile(lambda x: x + 1)(np.ones(2)))")
    run = subprocess.run(
        [sys.executable, "-S", "-c", program], cwd=tree.parent, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{others}"})
    assert run.returncode == 0, run.stderr
    assert run.stdout.split("\n")[0] == f"{tree}/__init__.py {site}/dynamo_lite"
    assert run.stdout.split("\n")[1] == "[2. 2.]"
