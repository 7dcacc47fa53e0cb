"""Programs behave under `python -m dynamo_lite` as they do under `python`."""
import re
import sys

import pytest
from script_programs import FUNCTIONS, INPUTS, PROGRAMS
from scripts import PREFIX, run

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
