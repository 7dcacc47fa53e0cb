"""The command line of `python -m dynamo_lite`; nothing of the compiler is loaded for it."""
from __future__ import annotations

import argparse
from collections.abc import Sequence

from ..backends.registry import list_backends
from ..base.nearest import nearest

LAST = ("-m", "-c")
"""Options that end ours, as they end those of `python`: the program follows."""
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


def split(argv: Sequence[str]) -> tuple[list[str], str, list[str]]:
    """Our options, how the program is given ("" for a file), and the program with its arguments."""
    position = 0
    while position < len(argv):
        word = argv[position]
        if word[:2] in LAST:
            glued = [word[2:]] if word[2:] else []
            return [*argv[:position]], word[:2], [*glued, *argv[position + 1 :]]
        if word == "-" or not word.startswith("-"):
            return [*argv[:position]], "", [*argv[position:]]
        position += 2 if word == "--backend" else 1
    return [*argv], "", []


def read(argv: Sequence[str]) -> tuple[argparse.Namespace, str, list[str]]:
    """Our options, how the program is given, and the program with its arguments, of which there is
    one at least."""
    own, kind, program = split(argv)
    reader = parser()
    options, unknown = reader.parse_known_args(own)
    if unknown:
        known = reader._option_string_actions
        reader.error(f"no option is called {unknown[0]!r}{nearest(unknown[0], known)}")
    if not program:
        reader.error("a program is needed: a file, -m module, -c code or -")
    return options, kind, program
