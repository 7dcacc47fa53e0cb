"""Programs run by Python and in whole-script mode, for comparison."""
import subprocess
import sys

WARMING = [sys.executable, "-m", "dynamo_lite"]
PREFIX = [*WARMING, "--at-once"]


def run(*command, input=""):
    done = subprocess.run(command, capture_output=True, text=True, input=input, timeout=120)
    return done.returncode, done.stdout, done.stderr


def same_as_python(*arguments, input=""):
    expected = run(sys.executable, *arguments, input=input)
    for prefix in (PREFIX, WARMING):
        assert run(*prefix, *arguments, input=input) == expected
    return expected
