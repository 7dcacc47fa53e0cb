"""The options of `python -m dynamo_lite`, and what its help says."""
from __future__ import annotations

import argparse

from ..backends.registry import list_backends

DESCRIPTION = """Run a program with its arrays compiled.

Every function of the program that works on arrays is a candidate, without a decorator. Programs are
given as for `python`: a file, folder or archive, `-` for standard input, `-m module`, `-c code`.
`python -m dynamo_lite cache [list | explain | clear]` is about what was compiled and kept on disk.
"""


def parser() -> argparse.ArgumentParser:
    usage = "python -m dynamo_lite [options] (script | -m module | -c code | -) [arguments]"
    parser = argparse.ArgumentParser("python -m dynamo_lite", usage, DESCRIPTION)
    add = parser.add_argument
    add("--explain", action="store_true", help="at exit, say what was compiled and what not, why")
    add("--profile", nargs="?", const="", metavar="FILE",
        help="at exit, say where the time of compiled calls went; with --profile=FILE, write the "
        "timeline there, for ui.perfetto.dev")
    add("--stats", action="store_true", help="at exit, print the totals")
    add("--backend", choices=list_backends(), default="auto", metavar="NAME",
        help=f"what compiles: {', '.join(list_backends())}")  # fmt: skip
    add("--disable", action="store_true", help="run without compiling anything")
    add("--at-once", action="store_true",
        help="compile functions at their first call with arrays, not once they are warm")
    add("--all-frames", action="store_true",
        help="compile functions without arrays too: slow, for testing")  # fmt: skip
    return parser
