"""Opcodes of CPython 3.11 to 3.13 that have no handler of their own, each with the reason."""
from __future__ import annotations

UNDONE_BY_READING = (
    "CACHE", "EXTENDED_ARG", "PRECALL", "KW_NAMES", "CALL_KW", "LOAD_FAST_LOAD_FAST",
    "STORE_FAST_LOAD_FAST", "STORE_FAST_STORE_FAST", "RETURN_CONST", "LOAD_FAST_CHECK",
    "FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "JUMP_FORWARD", "JUMP_BACKWARD",
    "JUMP_BACKWARD_NO_INTERRUPT", "POP_JUMP_FORWARD_IF_TRUE", "POP_JUMP_FORWARD_IF_FALSE",
    "POP_JUMP_FORWARD_IF_NONE", "POP_JUMP_FORWARD_IF_NOT_NONE", "POP_JUMP_BACKWARD_IF_TRUE",
    "POP_JUMP_BACKWARD_IF_FALSE", "POP_JUMP_BACKWARD_IF_NONE", "POP_JUMP_BACKWARD_IF_NOT_NONE",
)  # fmt: skip
"""`bytecode.reading` turns these into canonical instructions."""

PSEUDO = (
    "SETUP_FINALLY", "SETUP_CLEANUP", "SETUP_WITH", "POP_BLOCK", "JUMP", "JUMP_NO_INTERRUPT",
    "LOAD_METHOD", "LOAD_SUPER_METHOD", "LOAD_ZERO_SUPER_METHOD", "LOAD_ZERO_SUPER_ATTR",
    "STORE_FAST_MAYBE_NULL", "LOAD_CLOSURE",
)  # fmt: skip
"""The compiler's own; they never reach a code object (JUMP, LOAD_METHOD and LOAD_CLOSURE are
canonical names as well, and handled)."""

ASYNCHRONOUS = (
    "GET_AITER", "GET_ANEXT", "BEFORE_ASYNC_WITH", "END_ASYNC_FOR", "GET_AWAITABLE",
    "ASYNC_GEN_WRAP",
)  # fmt: skip

REASONS: dict[str, str] = {
    **dict.fromkeys(UNDONE_BY_READING, "canonicalised by bytecode.reading"),
    **dict.fromkeys(PSEUDO, "never in a code object"),
    **dict.fromkeys(ASYNCHRONOUS, "coroutines run in Python"),
    "PRINT_EXPR": "only in interactive sessions",
    "INTERPRETER_EXIT": "only in the interpreter's own entry code",
    "EXIT_INIT_CHECK": "only in the interpreter's own code for __init__",
    "ENTER_EXECUTOR": "only in optimised copies of code",
    "RESERVED": "not an instruction",
    "END_FOR": "FOR_ITER continues behind it",
    "IMPORT_STAR": "only at module level",
}
"""Opcode → why the tracer has no handler for it. A frame that has one of them breaks there."""


def reason_for(opname: str) -> str | None:
    """Why an opcode has no handler; instrumented clones never show in `co_code`."""
    if opname.startswith("INSTRUMENTED_"):
        return "a debugger's or profiler's clone, hidden in co_code"
    return REASONS.get(opname)
