"""`python -m dynamo_lite [options] script.py args…`: run a program with its arrays compiled."""
import sys

from .base.loading import loaded

COMMAND = ".script.command" if sys.version_info < (3, 14) else ".script.uncompiled"

if __name__ == "__main__":
    loaded(COMMAND, __package__).main(sys.argv[1:])
