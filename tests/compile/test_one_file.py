"""The compiler's modules come from one file, for as long as that is what Python would find."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dynamo_lite.base import loading, one_file

ROOT = Path(__file__).parents[2]
FOLDERS = {"dynamo_lite": "dynamo_lite", "guards": "dynamo_lite/guards",
           "backends": "dynamo_lite/backends"}
LOOK = """
import sys
from dynamo_lite.base.loading import loaded
rules = loaded("dynamo_lite.tracer.rules.trace_rules")
loader = type(rules.__loader__).__name__
print(loader, getattr(rules, "ADDED", ""), rules.__file__, rules.rule_for.__code__.co_filename)
assert not any(isinstance(finder, {finder}) for finder in sys.meta_path)
""".replace("{finder}", "sys.modules['dynamo_lite.base.one_file'].Modules")
PYTHON, OURS = "SourceFileLoader", "Loader"


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A copy of the package."""
    place = tmp_path_factory.mktemp("package")
    for source, target in FOLDERS.items():
        shutil.copytree(ROOT / source, place / target, dirs_exist_ok=True,
                        ignore=lambda folder, names: [
                            name for name in names if name == "__pycache__"
                            or os.path.islink(os.path.join(folder, name))])
    return place


@pytest.fixture
def place(original, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(original, copy)
    return copy


def look(place, **more):
    """What a process of its own finds: loader, what was added to a module, and where it is from."""
    environment = {**os.environ, "PYTHONPATH": str(place), "PYTHONDONTWRITEBYTECODE": "", **more}
    done = subprocess.run([sys.executable, "-c", LOOK], env=environment, capture_output=True,
                          text=True, cwd=place)
    assert done.returncode == 0, done.stderr
    loader, added, *files = done.stdout.rstrip("\n").split(" ")
    assert files == [str(rules_of(place))] * 2
    return loader, added


def rules_of(place):
    return place / "dynamo_lite/tracer/rules/trace_rules.py"


def file_of(place):
    found = [*place.glob("dynamo_lite/__pycache__/modules.*.bin")]
    return found[0] if found else None


def test_modules_come_from_the_file_that_was_written_when_they_were_first_loaded(place):
    assert look(place) == (PYTHON, "") and file_of(place)
    written = file_of(place).read_bytes()
    assert look(place) == (OURS, "") and file_of(place).read_bytes() == written
    assert len([*place.glob("dynamo_lite/__pycache__/modules.*")]) == 1


def test_a_module_that_was_edited_is_what_its_source_says(place):
    look(place)
    for number in range(2):
        with open(rules_of(place), "a") as file:
            file.write(f"\nADDED = {number}\n")
        assert look(place) == (OURS, str(number))
        assert look(place) == (OURS, str(number))


@pytest.mark.parametrize("content", [b"", b"\xff" * 100, bytes(100), None],
                         ids=["empty", "no table", "nothing in it", "cut off"])
def test_a_file_that_is_damaged_is_written_anew(place, content):
    look(place)
    whole = file_of(place).read_bytes()
    file_of(place).write_bytes(whole[:-100_000] if content is None else content)
    assert look(place)[1] == "" and len(file_of(place).read_bytes()) == len(whole)
    assert look(place) == (OURS, "")


def test_nothing_is_written_where_python_writes_nothing(place):
    assert look(place, PYTHONDONTWRITEBYTECODE="1") == (PYTHON, "") and file_of(place) is None


def test_a_package_that_was_moved_runs_from_where_it_is(place):
    look(place)
    moved = place.with_name("moved")
    shutil.copytree(place, moved)
    assert look(moved)[1] == ""
    place.rename(place.with_name("gone"))
    assert look(moved)[1] == ""


def test_what_python_keeps_is_kept_for_the_source_as_it_is(tmp_path):
    source = tmp_path / "m.py"
    source.write_text("x = 1\n")
    spec = one_file.importlib.util.spec_from_file_location("m", source)
    header = one_file.header_of(str(source))
    assert one_file.kept_by_python(spec) == (header, None)
    spec.loader.exec_module(one_file.importlib.util.module_from_spec(spec))
    if not sys.dont_write_bytecode:
        assert one_file.kept_by_python(spec)[0] == header
        assert one_file.kept_by_python(spec)[1].co_filename == str(source)
        source.write_text("x = 10\n")
        assert one_file.kept_by_python(spec)[1] is None
        source.unlink()
        assert one_file.kept_by_python(spec) == (b"", None)


def test_modules_that_are_there_are_not_looked_for(monkeypatch):
    monkeypatch.setattr(loading, "from_one_file", None)
    assert loading.loaded("dynamo_lite.base.loading") is loading
    assert loading.loaded(".loading", "dynamo_lite.base") is loading


def test_modules_that_lie_elsewhere_are_left_to_python(place):
    look(place)
    modules = one_file.Modules(str(file_of(place).with_suffix(".pyc")))
    modules.open()
    folder = place / "dynamo_lite"
    assert modules.find_spec("dynamo_lite.tracer", [str(folder)]) is not None
    assert modules.find_spec("dynamo_lite.tracer", [str(folder / "elsewhere")]) is None
    modules.close()
