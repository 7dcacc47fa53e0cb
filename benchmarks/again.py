"""Runs a program several times in one process, as a notebook's cell or a server may be.

    python [-m dynamo_lite] again.py SECONDS PROGRAM

The CPU seconds of each pass are written into the file SECONDS.
"""
from __future__ import annotations

import json
import os
import runpy
import sys
import time

PASSES = 3


def one_pass(program: str) -> float:
    """The CPU seconds that the program takes, as the process's main module."""
    began = time.process_time()
    runpy.run_path(program, run_name="__main__")
    return time.process_time() - began


if __name__ == "__main__":
    _, report, program = sys.argv
    sys.argv[:] = [program]
    sys.path[0] = os.path.dirname(os.path.abspath(program))
    seconds = [one_pass(program) for _ in range(PASSES)]
    with open(report, "w") as file:
        json.dump(seconds, file)
