"""`python -m dynamo_lite script.py args…`: run a script, and say at the end what was compiled."""
from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Sequence

from .config import config
from .stats import stats


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m dynamo_lite", description=__doc__)
    parser.add_argument("--explain", action="store_true", help="say what was compiled, why not")
    parser.add_argument("--disable", action="store_true", help="run without compiling anything")
    parser.add_argument("-m", dest="module", action="store_true", help="script is a module's name")
    parser.add_argument("script")
    parser.add_argument("args", nargs=argparse.REMAINDER)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the script as `__main__`, with the rest of the command line as its `sys.argv`."""
    options = parser().parse_args(argv)
    config.disable = config.disable or options.disable
    sys.argv = [options.script, *options.args]
    try:
        if options.module:
            runpy.run_module(options.script, run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(options.script, run_name="__main__")
    finally:
        if options.explain:
            print(stats(), file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
