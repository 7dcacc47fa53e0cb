"""The code of a module as that of a function: names are looked up among the globals alone."""
from __future__ import annotations

import inspect
from types import CodeType

from bytecode import Bytecode, Instr

LOCAL_NAMES = {"STORE_NAME": "STORE_GLOBAL", "DELETE_NAME": "DELETE_GLOBAL"}


def as_function_code(code: CodeType) -> CodeType:
    """What runs alike where the variables of the code are the globals; its instructions are the
    same, one by one."""
    text = Bytecode.from_code(code)
    for at, instr in enumerate(text):
        if not isinstance(instr, Instr):
            continue
        if instr.name == "LOAD_NAME":
            name = str(instr.arg)
            text[at] = Instr("LOAD_GLOBAL", (False, name), location=instr.location)
        elif instr.name in LOCAL_NAMES:
            text[at] = Instr(LOCAL_NAMES[instr.name], instr.arg, location=instr.location)
    text.flags |= inspect.CO_OPTIMIZED | inspect.CO_NEWLOCALS
    return text.to_code()
