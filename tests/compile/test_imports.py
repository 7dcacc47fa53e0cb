"""Whole-script mode costs little before the program itself runs: its imports are left alone, and
the compiler is loaded with the first function that is worth compiling."""
import subprocess
import sys

import pytest
from scripts import PREFIX, WARMING, run

import dynamo_lite as dl

if sys.version_info >= (3, 14):
    pytest.skip("regions are not available", allow_module_level=True)

SEEN = """
import sys, threading
import numpy as np
print(*(name for name in sys.modules if name.startswith(("dynamo_lite.tracer", "llvmlite"))))
"""


@pytest.mark.parametrize("prefix", [WARMING, PREFIX])
def test_the_compiler_is_loaded_when_it_is_needed(prefix):
    assert run(*prefix, "-c", SEEN)[1] == "\n"
    used = SEEN + "def f(x): return x + 1\nf(np.ones(3)), f(np.ones(3))\n" + SEEN
    assert ("dynamo_lite.tracer" in run(*prefix, "-c", used)[1]) == (prefix is PREFIX)


LIBRARY = """
import numpy as np
def f(x): return x * 2 + 1
def g(x): return x * 3 - 1
table = [f(np.ones(3)) for _ in range(5)]
"""
PROGRAM = """
import {first}
import library
library.g(np.ones(3)), library.g(np.ones(3))
"""


@pytest.mark.parametrize("first", ["numpy as np", "numpy as np; np.ones(3)"])
def test_what_runs_while_a_module_is_imported_is_no_candidate(tmp_path, first):
    (tmp_path / "library.py").write_text(LIBRARY)
    (tmp_path / "program.py").write_text(PROGRAM.format(first=first))
    code, _, err = run(*PREFIX, "--explain", str(tmp_path / "program.py"))
    assert code == 0 and "] g (" in err and "] f (" not in err


THREADED = """
import threading, time
import numpy as np
def f(x): return x * 2 + 1
np.ones(3)
worker = threading.Thread(target=lambda: __import__("slow"))
worker.start()
time.sleep(0.2)
f(np.ones(3)), f(np.ones(3))
worker.join()
"""


def test_imports_of_other_threads_do_not_count(tmp_path):
    (tmp_path / "slow.py").write_text("import time; time.sleep(1)")
    (tmp_path / "program.py").write_text(THREADED)
    code, _, err = run(*PREFIX, "--explain", str(tmp_path / "program.py"))
    assert code == 0 and "] f (" in err


NAMES = """
import sys, numpy
import dynamo_lite as dl
dl.compile, dl.explain, dl.grad
print("dynamo_lite.tracer.frame.speculation" in sys.modules)
print(dl.why(len).id)
"""


def test_naming_the_compiler_does_not_load_the_tracer():
    done = subprocess.run([sys.executable, "-c", NAMES], capture_output=True, text=True)
    assert done.stdout.split() == ["False", dl.why(len).id], done.stderr
