"""`python -m dynamo_lite [options] script.py args…`: run a program with its arrays compiled."""
import importlib
import sys

COMMAND = ".script.command" if sys.version_info < (3, 14) else ".script.uncompiled"

if __name__ == "__main__":
    importlib.import_module(COMMAND, __package__).main(sys.argv[1:])
