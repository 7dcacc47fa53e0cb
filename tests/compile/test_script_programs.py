"""Programs behave under `python -m dynamo_lite` as they do under `python`."""
import re
import sys

import pytest
from script_programs import FUNCTIONS, INPUTS, PROGRAMS
from scripts import PREFIX, run, same_as_python

if sys.version_info >= (3, 14):
    pytest.skip("regions are not available", allow_module_level=True)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_that_looks(script, name):
    path, given = script(FUNCTIONS + PROGRAMS[name]), INPUTS.get(name, "")
    expected, found = (run(*prefix, path, input=given) for prefix in ([sys.executable], PREFIX))
    assert [*map(without_addresses, found)] == [*map(without_addresses, expected)]
    assert any(expected) and "SyntaxError" not in expected[2]


def without_addresses(text):
    text = re.sub(r"0x[0-9a-f]+", "0x", str(text))
    return re.sub(r"Ran (\d+ tests) in [\d.]+s", r"Ran \1", text)


def test_pytest_runs_as_a_module(script):
    path = script(FUNCTIONS + "def test_f(): assert f(np.ones(3)).sum() == 9\n"
                  "def test_bad(): bad(np.ones(3))\n", "test_it.py")
    arguments = ("-m", "pytest", "-q", "-p", "no:cacheprovider", path)
    expected, found = run(sys.executable, *arguments), run(*PREFIX, *arguments)
    assert [re.sub(r"in [\d.]+s", "", str(part)) for part in found] == [
        re.sub(r"in [\d.]+s", "", str(part)) for part in expected]
    assert expected[0] == 1 and "1 failed, 1 passed" in expected[1]


def test_dasks_own_functions_stay_in_python():
    """Its arrays' `__new__` hands around what has no attributes yet."""
    pytest.importorskip("dask")
    code, out, error = same_as_python("-c", """
import numpy as np, dask.array as da
def shifted(x):
    return np.cos(x) * 2 + np.asarray(0.5, like=x)
for x in (da.from_array(np.linspace(0, 1, 7, dtype=dtype), chunks=3) for dtype in ("f4", "f8")):
    print(type(shifted(x)), shifted(x).compute(), da.stack([x, x]).sum(axis=0).compute())
""")
    assert (code, error) == (0, "")
    assert out.count("dask.array.core.Array") == 2
