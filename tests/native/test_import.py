"""Importing the source tree without a built core says what to do."""
import shutil
import subprocess
import sys
from pathlib import Path

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
