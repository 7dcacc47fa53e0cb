"""What `python -m dynamo_lite` does on a Python that the compiler does not know: as `python` does.

The warning that `import dynamo_lite` gives there says why.
"""
from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

from ..api.in_python import REASON
from .options import read


def main(argv: Sequence[str]) -> None:
    """Become the `python` that runs the program, with the interpreter's own options kept."""
    if argv[:1] == ["cache"]:
        raise SystemExit(f"nothing is compiled or kept: {REASON}")
    _, kind, program = read(argv)
    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    sys.stdout.flush()
    sys.stderr.flush()
    given = [kind] if kind else []
    os.execv(sys.executable, [sys.executable, *flags, *given, *program])
