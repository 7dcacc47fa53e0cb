"""Code objects through the library `bytecode` and back: what we read of them stays the same.

Ours are taken from `explain`, where users' tools find them; the others are a good part of the
standard library of the Python at hand.
"""
import importlib.util
import types

import bytecode
import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.base import logs
from dynamo_lite.bytecode.reading import read
from dynamo_lite.runtime.listings import listing

MODULES = """
textwrap json.encoder json.decoder statistics string dis ast argparse asyncio.base_events
asyncio.tasks collections contextlib copy csv dataclasses difflib enum fractions functools heapq
inspect logging numbers os pathlib pickle posixpath pprint random re._compiler re._parser shutil
subprocess tarfile tempfile threading tokenize traceback types typing unittest.case urllib.parse
warnings weakref zipfile
""".split()

DEPTHS = 3
"""Code objects of one module in which the library finds that more lies on the stack than CPython's
compiler wrote into its table, where a cleanup raises an exception again."""


def nested(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from nested(constant)


def told(code, *, depths=True):
    """What the reader says, but for places in memory."""
    found = []
    for instruction in read(code):
        is_code = isinstance(instruction.argval, types.CodeType)
        value = instruction.argval.co_qualname if is_code else repr(instruction.argval)
        handler = instruction.handler
        if handler is not None and not depths:
            handler = handler._replace(depth=0)
        found.append((instruction.opname, value, instruction.argrepr, instruction.target,
                      instruction.kwnames, handler))
    return found


def made_of(library_has, code):
    """The code object again. The library computes how deep the stack is cut for a handler, which it
    cannot where code is `Concrete`."""
    if isinstance(library_has, bytecode.Bytecode):
        return library_has.to_code()
    return library_has.to_code(code.co_stacksize, compute_exception_stack_depths=False)


@pytest.mark.parametrize("name", MODULES)
def test_the_standard_library(name):
    spec = importlib.util.find_spec(name)
    whole = spec.loader.get_code(name)
    other_depths = 0
    for code in nested(whole) if whole is not None else ():
        made = made_of(bytecode.Bytecode.from_code(code), code)
        assert told(made, depths=False) == told(code, depths=False), code.co_qualname
        other_depths += told(made) != told(code)
    assert other_depths <= DEPTHS


def whole(x):
    return (x * 2.0 + 1.0).sum()


def broken(x, out):
    y = x + 1.0
    out.append(str(y[0]))
    return y * 2.0


def guarded(x, out):
    try:
        y = x * 3.0
        out.append(open("/nowhere"))
    except OSError:
        y = x - 1.0
    return y


def closing_over(x, out):
    k = 2.0

    def inner(y):
        nonlocal k
        k += 1.0
        return y * k

    out.append(print())
    return inner(x) + k


@pytest.mark.parametrize("function", [whole, broken, guarded, closing_over])
def test_replacements(function):
    x = np.arange(4.0)
    args = (x,) if function is whole else (x, [])
    explanation = dl.explain(function)(*args)
    assert explanation.code
    codes = [record.codes for record in explanation.records if record.codes is not None]
    for pair, (_, *made) in zip(codes, explanation.code, strict=True):
        for code, library_has in zip(pair, made, strict=True):
            assert (code is None) == (library_has is None)
            if code is not None:
                assert told(made_of(library_has, code), depths=False) == told(code, depths=False)
    assert isinstance(explanation.code[0].original, bytecode.Bytecode)


def test_the_log_prints_what_the_library_has(caplog):
    text = listing(broken.__code__)
    assert "LOAD_FAST 'x'" in text and "(" not in text.split()[0]
    try:
        logs.configure("+bytecode")
        logs._root.propagate = True
        dl.compile(broken)(np.arange(4.0), [])
    finally:
        logs.configure("")
    assert f"broken is\n{text}" in caplog.text and "broken becomes" in caplog.text
