"""What the text of a module asks of the compiler, in its first line."""
REGISTERS = "; registers"
"""Variables on the stack are to be kept in registers."""
ALL_PASSES = "; all passes"
"""The entry is written so that every pass of LLVM may run on it (`strict`)."""
QUICK = "; quick"
"""The module runs once per call, from top to bottom: better compiled soon than well."""


def passes_for(text: str) -> int:
    """How many of LLVM's passes run on a module: only those that drop what nothing reads, those
    that keep variables in registers as well, or all."""
    return (REGISTERS, ALL_PASSES).index(mark) + 1 if (mark := text.partition("\n")[0]) in (
        REGISTERS, ALL_PASSES) else 0
