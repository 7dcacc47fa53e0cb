"""Write `tour.md`, one call followed from the decorator to machine code: `python docs/tour.py`.

What is printed comes from the log artifacts of real compilations, with addresses and paths taken
out, on Python 3.11 and for a plain x86-64 processor (`PROCESSOR`), wherever it is written.
"""
from __future__ import annotations

import contextlib
import io
import logging
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from dynamo_lite.backends.llvm import backend
from dynamo_lite.backends.llvm.builder.target import Target

import dynamo_lite as dl
from dynamo_lite.base import logs
from dynamo_lite.ir.passes import optimize

PAGE = Path(__file__).with_suffix(".md")
PROCESSOR = Target("x86_64", "Linux", "x86-64-v2", 16, False)
KERNEL_LINES, ENTRY_LINES = 33, 40


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def logged(x, seen):
    seen.append(len(seen))
    y = softmax(x)
    print("rows")
    return y + 1


class Collector(logging.Handler):
    """What the artifacts say, by the name of the artifact."""

    def __init__(self) -> None:
        super().__init__()
        self.said: dict[str, list[str]] = {}

    def emit(self, record: logging.LogRecord) -> None:
        artifact = record.name.rpartition(".")[2]
        self.said.setdefault(artifact, []).append(stable(record.getMessage()))


def stable(text: str) -> str:
    """Without addresses and folders."""
    text = re.sub(r" at 0x[0-9a-f]+", "", text).replace(__file__, "tour.py")
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))


def said_by(function: Callable[..., Any], *calls: tuple[Any, ...]) -> dict[str, list[str]]:
    """What compiling a function for some calls logs."""
    collector, before = Collector(), logs.collector()
    patched = mock.patch.object(backend, "host", lambda: PROCESSOR)
    compiled = dl.compile(function, backend="llvm")
    logs.collect(collector)
    try:
        with patched, contextlib.redirect_stdout(io.StringIO()):
            for arguments in calls:
                compiled(*arguments)
    finally:
        logs.collect(before)
    return collector.said


def passes(function: Callable[..., Any], *arguments: Any) -> str:
    """The graph when all passes have run."""
    found = []

    def kept(graph: Any, example_inputs: Any) -> Any:
        found.append(str(optimize(graph)))
        return graph

    dl.compile(function, backend=kept)(*arguments)
    return stable(found[0])


def renumbered(text: str) -> str:
    """Registers, labels and constants of LLVM's text by their order in it."""
    names: dict[str, str] = {}

    def named(found: re.Match[str]) -> str:
        stem, number = found[1], found[2]
        return names.setdefault(stem + number, f"{stem}{len(names) + 1}")

    return re.sub(r"\b(v|c|stack|head|body|done|go)(\d+)\b", named, text)


def block(text: str, language: str = "", most: int = 60) -> str:
    lines = text.split("\n")
    more = ["…"] if len(lines) > most else []
    if language == "llvm":
        lines = renumbered("\n".join(lines[:most])).split("\n")
    return "\n".join([f"```{language}", *lines[:most], *more, "```"])


def normalised(x):
    return (x - x.mean()) / np.linalg.norm(x)


def page() -> str:
    x, y = np.ones((4, 300), np.float32), np.ones((5, 300), np.float32)
    one, two = said_by(softmax, (x,)), said_by(softmax, (x,), (y,))
    broken = said_by(logged, (x, []))
    program, code = one["output_code"]
    kernel, entry = code.split("define i32 @entry")
    becomes = next(text for text in broken["bytecode"] if text.startswith("logged becomes"))
    words, tree, ops = guards_of(one["guards"])
    dynamic, *_ = guards_of(two["guards"][len(one["guards"]) :])
    return TEXT.format(
        bytecode=block(one["bytecode"][0]), graph=block(one["graph_code"][0], "python"),
        before=block(graph_of(normalised, x), "python"),
        after=block(passes(normalised, x), "python"),
        program=block(program), kernel=block(kernel.strip(), "llvm", KERNEL_LINES),
        entry=block("define i32 @entry" + entry.strip(), "llvm", ENTRY_LINES),
        words=block(words), tree=block(tree), ops=block(ops), recompile=block(two["recompiles"][0]),
        dynamic=block(dynamic), broken=block(broken["graph_breaks"][0]), becomes=block(becomes),
    )


def guards_of(lines: list[str]) -> Iterator[str]:
    """The guards in words, as a tree, and the ops of the guard program."""
    tree = next(at for at, line in enumerate(lines) if line.endswith("Source]"))
    ops = next(at for at, line in enumerate(lines) if line.startswith("('"))
    for part in (lines[:tree], lines[tree:ops], lines[ops:]):
        yield "\n".join(part)


def graph_of(function: Callable[..., Any], *arguments: Any) -> str:
    return said_by(function, arguments)["graph_code"][0]


TEXT = """# Tour: one call, from the decorator to machine code

Everything below was printed by the compiler: `python docs/tour.py` writes this page, and a test
holds that it is up to date. `DYNAMO_LOGS="+bytecode,+graph_code,+guards,+output_code"` shows the
same for your own functions. The [glossary](glossary.md) has the words.

```python
@dl.compile
def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)
```

`dl.compile` returns a native callable that has no entries yet. The first call,
`softmax(np.ones((4, 300), np.float32))`, is a miss, so the frame is compiled.

## 1. Bytecode
The instructions of the function, in a form that is the same for all Python versions where possible
([codegen](folders/codegen.md)):

{bytecode}

## 2. Graph
The [tracer](folders/tracer.md) interprets them. On the stack are trackers: `x` is an
`ArrayVariable`, `np` a `ModuleVariable`, `1` and `True` are constants. Each operation on an array
becomes a node; the type behind `#` is what NumPy would return, found without running it. The graph
is Python: it can be run.

{graph}

## 3. Passes
[Passes](folders/ir.md) rewrite the graph. Softmax has nothing to rewrite; here is
`(x - x.mean()) / np.linalg.norm(x)` before

{before}

and after them: functions that NumPy composes are replaced by what they do.

{after}

## 4. Loops
[Lowering](folders/lowering.md) makes a program of kernels. All of softmax fits into one: `i0` and
`i1` are its axes, `r0` and `r1` those of the two reductions, and nothing but the result gets
memory. The numbers in brackets are byte offsets.

{program}

## 5. LLVM
The [LLVM backend](folders/llvm.md) writes each kernel as a function, here for an old processor
with four floats in a vector. It begins with the maximum of a row, eight vectors at a time:

{kernel}

The entry checks nothing about the argument, since guards have done so. It makes the result's
memory (function 0 of the [table](folders/runtime-table.md)) and launches the kernel over the rows,
on several threads if that pays. To return 0 is to commit here: the core then looks at the
floating-point flags. 1 means to bail out.

{entry}

## 6. Guards
What the trace relied on, as `dl.explain` and the log artifact `guards` say it:

{words}

by the kinds of guards and the sources of values, as `+guards` says it:

{tree}

and as the program that the [native core](folders/native.md) runs before each later call, in some
20 ns:

{ops}

`FLAG` is one test for all of NumPy's names: a watcher clears it if anybody changes `numpy.exp`.

## 7. Another size
`softmax(np.ones((5, 300), np.float32))` fails a guard:

{recompile}

A size that has changed becomes a symbol ([shapes](shapes.md)), so this is the last compilation for
any number of rows:

{dynamic}

## 8. What cannot be captured
Softmax needs no replacement code: the native entry is called directly. This function does:

```python
def logged(x, seen):
    seen.append(len(seen))
    y = softmax(x)
    print("rows")
    return y + 1
```

{broken}

Softmax is inlined into its graph. Behind the graph come the side effect on `seen`, the call of
`print` by Python, and the *continuation*: a resume function (a compiled function of its own) with
the values that it needs.

{becomes}

Instructions 4 to 8 are the promise of every compiled call: if the entry bails out, nothing has
happened yet, and the original function runs.
"""

if __name__ == "__main__":
    PAGE.write_text(page())
