"""The worked examples of CONTRIBUTING.md run, each as a program of its own."""
import re
import subprocess
import sys
from pathlib import Path

import pytest

TEXT = (Path(__file__).resolve().parents[2] / "CONTRIBUTING.md").read_text()
EXAMPLES = re.findall(r"^## (?:An?) ([^\n]+)\n[^#]*?^```python\n(.*?)^```", TEXT, re.M | re.S)
SAID = {"log artifact": "[-] [memory] t0 and t1 share memory\n"}


def test_every_kind_of_addition_has_an_example():
    assert [topic for topic, _ in EXAMPLES] == [
        "opcode", "operation", "guard kind", "tracker", "step", "log artifact"]


@pytest.mark.parametrize(("topic", "program"), EXAMPLES, ids=[topic for topic, _ in EXAMPLES])
def test_the_example_runs(topic, program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, SAID.get(topic, ""))
    assert topic not in SAID or SAID[topic].strip() in TEXT
