"""The modules that a program becomes: each may call the functions of those before it."""
from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ....base.records import dataclass, field
from ..builder.choices import RARE
from ..builder.emit import SCOPE, WEIGHTS
from ..builder.externals import declarations
from ..builder.target import Target
from .compiler_marks import ALL_PASSES, QUICK, REGISTERS
from .strict import strict

PART = 150  # lines of kernels that LLVM may begin with
LONG = 300  # lines from which an entry takes LLVM long
MOST = 3000  # lines on which all passes run
BY_FLAGS = ' "target-cpu"="x86-64-v3"'
"""For numbers one by one: where there are masks in registers of their own, LLVM moves what a
comparison found into one to choose by it, and waits for that longer than for a blend."""
MASKED, OF_MASKS = "x86-64-v4", "@llvm.x86.avx512."
COMPARISON = "constrained.fcmp."
OF_ALL_PASSES = ' strictfp "no-builtins" "no-jump-tables"="true"'  # which the loader cannot link


@dataclass(slots=True)
class Modules:
    """`begin` is given each module as soon as it is written. `whole`: there is but one, where LLVM
    keeps variables in registers. `computes`: the entry itself computes numbers; most only call."""

    target: Target
    begin: Callable[[str], object]
    whole: bool
    computes: bool = False
    texts: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)  # in no module yet
    others: list[str] = field(default_factory=list)  # declarations of those in earlier modules
    functions_of_program: list[tuple[str, list[str]]] = field(default_factory=list)
    """Functions on which the passes run that run on the entry: heads and lines."""
    metadata: Sequence[str] = ()  # that loads and stores of the entry refer to

    def add(self, function: str) -> None:
        """A function that the entry calls, `define internal …`."""
        self.functions.append(function)
        if not self.whole and sum(text.count("\n") for text in self.functions) >= PART:
            self._part()

    def finish(self, tables: Sequence[str], lines: Sequence[str]) -> tuple[str, ...]:
        """The texts of all modules; the last has the entry, with these lines."""
        entry = entry_of(tables, lines, "" if self.computes else OF_CALLS)
        if self.whole:
            own = [(ENTRY, lines), *self.functions_of_program]
            kept = [strict(each, self.target.vector_bytes) if len(each) < MOST else None
                    for _, each in own]
            marks = REGISTERS, ""
            if None not in kept:
                marks = ALL_PASSES, OF_ALL_PASSES + self.by_flags(kept)
                own = [(head, each) for (head, _), each in zip(own, kept) if each is not None]
            texts = [function_of(head + marks[1], each) for head, each in own]
            self._module(marks[0], *self.functions, *tables, *reversed(texts))
        elif len(lines) < LONG:
            self._module(*self.others, *self.functions, entry)
        else:
            if self.functions:
                self._part()
            self._module(QUICK, *self.others, entry)
        return tuple(self.texts)

    def by_flags(self, functions: Sequence[Sequence[str] | None]) -> str:
        """The mark of functions that compare floats, without masks in registers of their own."""
        lines = [line for function in functions for line in function or ()]
        if self.target.cpu != MASKED or any(OF_MASKS in line for line in lines):
            return ""
        return BY_FLAGS if any(COMPARISON in line for line in lines) else ""

    def _part(self) -> None:
        self._module(*(text.replace("internal ", "", 1) for text in self.functions))
        self.others += map(declared, self.functions)
        self.functions.clear()

    def _module(self, *parts: str) -> None:
        width = 8 * self.target.vector_bytes
        attributes = (
            f'attributes #0 = {{ nounwind "prefer-vector-width"="{width}" '
            f'"min-legal-vector-width"="{width}" }}\n'
        )
        text = "\n".join([*parts, attributes])
        weights = [WEIGHTS] if RARE in text else []
        metadata = self.metadata if SCOPE in text else ()
        self.texts.append("\n".join([text, *declarations(text), *weights, *metadata, ""]))
        self.begin(self.texts[-1])


ENTRY = "define i32 @entry(ptr %frame) #0"
OF_CALLS = " noinline optnone"
"""Few of LLVM's passes run on it: it spends its time in what it calls."""


def entry_of(tables: Sequence[str], lines: Sequence[str], marks: str) -> str:
    """The function of the whole program, behind the tables that it reads."""
    return "\n".join([*tables, function_of(ENTRY + marks, lines)])


def function_of(head: str, lines: Sequence[str]) -> str:
    return "\n".join([f"{head} {{", *lines, "}"])


def declared(function: str) -> str:
    """The declaration of a function that another module defines."""
    head = function[: function.index(" #0 {")].replace("define internal", "declare", 1)
    return re.sub(r" %\w+", "", head)
