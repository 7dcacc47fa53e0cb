"""The pages for users: what they show runs, and the reference is that of the package."""
import importlib.util
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dynamo_lite as dl

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PROGRAMS = ("tutorial.md", "how-to/profile.md", "how-to/other-clusters.md")


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_page_shows_runs(name, tmp_path):
    blocks = re.findall(r"^```python\n(.*?)^```", (DOCS / name).read_text(), re.M | re.S)
    path = tmp_path / "page.py"
    path.write_text("\n".join(blocks))
    done = subprocess.run([sys.executable, path], cwd=tmp_path, capture_output=True, text=True)
    assert blocks and (done.returncode, done.stderr) == (0, "")


def reference():
    spec = importlib.util.spec_from_file_location("reference", DOCS / "reference.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="written by Python 3.11")
def test_the_reference_is_up_to_date():
    script = reference()
    assert script.page() == script.PAGE.read_text(), "run python docs/reference.py"


def test_everything_public_is_documented():
    text = (DOCS / "reference.md").read_text()
    assert [name for name in dl.__all__ if f"## `{name}`\n" not in text] == []
    assert [name for name in dl.__all__ if not inspect.getdoc(getattr(dl, name))] == []


def test_pages_of_the_site_are_there():
    """Each page for users is reached from the front page and from the navigation."""
    listed = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text()))
    assert [name for name in sorted(listed) if not (DOCS / name).exists()] == []
    linked = set(re.findall(r"\]\(([\w/-]+\.md)\)", (DOCS / "index.md").read_text()))
    assert linked <= listed
    users = {"tutorial.md", "reference.md", "troubleshooting.md", "comparison.md"}
    assert users | {f"how-to/{path.name}" for path in (DOCS / "how-to").glob("*.md")} <= linked
