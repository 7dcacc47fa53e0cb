"""Modules that a program loads when it first uses them are not loaded by the compiler."""
import importlib.util
import subprocess
import sys

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.runtime.users_lines import module_at

LIBRARY = "import numpy as np\ndef twice(x): return x * 2 + np.sin(x)\n"


@pytest.fixture
def lazy(tmp_path, monkeypatch):
    """Its name, and what tells that it was loaded."""
    (tmp_path / "lazy_one.py").write_text("import sys\nsys.lazy_one_is_loaded = True\n")
    spec = importlib.util.spec_from_file_location("lazy_one", tmp_path / "lazy_one.py")
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "lazy_one", module)
    spec.loader.exec_module(module)
    yield lambda: hasattr(sys, "lazy_one_is_loaded")
    if hasattr(sys, "lazy_one_is_loaded"):
        del sys.lazy_one_is_loaded


def test_looking_for_the_module_of_a_file(lazy):
    module_at.cache_clear()
    assert module_at(np.__file__) == "numpy" and module_at("nowhere.py") == ""
    assert not lazy()


def test_compiling_what_stands_in_a_library(lazy, tmp_path):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "a_library.py").write_text(LIBRARY)
    scope = {"__name__": "a_library"}
    exec(compile(LIBRARY, str(folder / "a_library.py"), "exec"), scope)
    x = np.arange(3.0)
    assert np.array_equal(dl.compile(scope["twice"])(x), x * 2 + np.sin(x))
    assert not lazy()


LOADED = """
import gc, weakref
from dynamo_lite.base import loading
from dynamo_lite.native import CompiledFunction

class Cycle:
    pass

one = Cycle()
one.itself = one
kept = weakref.ref(one)
if {frozen}:
    gc.freeze()
frozen, later = gc.get_freeze_count(), Cycle()
later.itself, kept_later = later, weakref.ref(later)
del one
module = loading.loaded("dynamo_lite.runtime.compile")
assert gc.isenabled() and (gc.get_freeze_count() > frozen) == (frozen > 0)
assert any(each is vars(module) for each in gc.get_objects()) == (frozen == 0)
del later
gc.collect()
assert kept_later() is None
print(kept() is None)
"""


@pytest.mark.parametrize("frozen", [False, True])
def test_garbage_of_the_program_is_found_after_modules_were_loaded(frozen):
    done = subprocess.run([sys.executable, "-c", LOADED.format(frozen=frozen)], text=True,
                          capture_output=True, check=True)
    assert done.stdout == f"{not frozen}\n"
