"""Code objects as the library `bytecode` has them: for logs, for `explain`, for tools of users."""
from __future__ import annotations

import importlib
from types import CodeType
from typing import Any

from ..base.records import NamedTuple


class Rewritten(NamedTuple):
    """A function as it was written and as it runs, each as `as_bytecode` gives it; the replacement
    is None where no Python code is left."""

    name: str
    original: Any
    replacement: Any


def as_bytecode(code: CodeType) -> Any:
    """A `bytecode.Bytecode`; the library is imported when one is first asked for.

    Code that reads a cell itself as a local variable, as resume functions do, is beyond
    `Bytecode`: it is a `bytecode.ConcreteBytecode`.
    """
    library = importlib.import_module("bytecode")
    try:
        return library.Bytecode.from_code(code)
    except IndexError:
        return library.ConcreteBytecode.from_code(code)


def rewritten(name: str, codes: tuple[CodeType, CodeType | None]) -> Rewritten:
    original, replacement = codes
    made = as_bytecode(replacement) if replacement is not None else None
    return Rewritten(name, as_bytecode(original), made)


def listing(code: CodeType) -> str:
    """The instructions as text, with labels and lines."""
    text: str = importlib.import_module("bytecode").format_bytecode(as_bytecode(code), lineno=True)
    return text.rstrip("\n")
