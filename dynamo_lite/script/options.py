"""The command line of `python -m dynamo_lite`; nothing of the compiler is loaded for it."""
from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from ..base.nearest import nearest

LAST = ("-m", "-c")
"""Options that end ours, as they end those of `python`: the program follows."""
PARSER = "dynamo_lite.script.parser"
DEFAULTS: Mapping[str, Any] = {
    "explain": False, "profile": None, "stats": False, "backend": "auto", "disable": False,
    "at_once": False, "all_frames": False,
}
"""What holds where a program is given without options, as most are."""


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


def read(argv: Sequence[str]) -> tuple[Any, str, list[str]]:
    """Our options, how the program is given, and the program with its arguments, of which there is
    one at least."""
    own, kind, program = split(argv)
    if program and not own:
        return SimpleNamespace(**DEFAULTS), kind, program
    reader = importlib.import_module(PARSER).parser()
    options, unknown = reader.parse_known_args(own)
    if unknown:
        known = reader._option_string_actions
        reader.error(f"no option is called {unknown[0]!r}{nearest(unknown[0], known)}")
    if not program:
        reader.error("a program is needed: a file, -m module, -c code or -")
    return options, kind, program
