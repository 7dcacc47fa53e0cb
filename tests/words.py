"""Words that no message has: those of the implementation."""
import re

INTERNAL = re.compile(
    r"tracker|\btx\b|\bIR\b|None and None|temporary \d|TENSOR_MATCH|Variable\b|"
    r"__(self|closure|dict)__|cell_contents|python (int|float)\d|"
    r"_[A-Z]+_|\([a-z]+-[a-z]+\)|HANDLERS|opcode|placeholder|value \d|\b[su]\d\b|_ at |"
    r"\b0x[0-9a-f]+|extern\b|Stoppable|\.iterator")
