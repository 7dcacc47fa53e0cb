"""Reading and splicing of bytecode, on functions of the standard library."""
import dis
import json
import statistics
import string
import sys
import textwrap
import types

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.bytecode.assembling import Assembler, Label
from dynamo_lite.bytecode.liveness import (
    handles_exception,
    live_locals,
)
from dynamo_lite.bytecode.reading import read
from dynamo_lite.bytecode.resume import ResumePoint, flat_code, resume_function

MODULES = (textwrap, json.encoder, json.decoder, statistics, string, dis)


def functions():
    for module in MODULES:
        for value in vars(module).values():
            members = vars(value).values() if isinstance(value, type) else [value]
            yield from (m for m in members if isinstance(m, types.FunctionType))


def codes():
    todo = [function.__code__ for function in functions()]
    while todo:
        code = todo.pop()
        yield code
        todo += [const for const in code.co_consts if isinstance(const, types.CodeType)]


def test_reading_is_the_same_vocabulary_everywhere():
    gone = ("CACHE", "EXTENDED_ARG", "PRECALL", "KW_NAMES", "CALL_KW", "RETURN_CONST", "TO_BOOL",
            "JUMP_FORWARD", "JUMP_BACKWARD", "LOAD_FAST_LOAD_FAST", "LOAD_FAST_CHECK",
            "FORMAT_SIMPLE")
    for code in codes():
        instructions = read(code)
        assert not {i.opname for i in instructions} & set(gone)
        for instruction in instructions:
            assert instruction.target is None or 0 <= instruction.target < len(instructions)
            assert instruction.opname != "BINARY_OP" or instruction.argrepr
        assert read(code) is instructions


def test_keyword_calls_are_one_form():
    def f(g, x):
        return g(x, 1, axis=0, out=None), x.m(k=2), g(*x, **x)

    calls = [(i.arg, i.kwnames) for i in read(f.__code__) if i.opname == "CALL"]
    assert calls == [(4, ("axis", "out")), (1, ("k",))]


def test_loop_jumps_behind_its_end():
    def f(xs):
        for x in xs:
            x.go()
        return 7

    instructions = read(f.__code__)
    loop = next(i for i in instructions if i.opname == "FOR_ITER")
    assert instructions[loop.target].argval == 7


def spliced(code):
    """The same function behind a prefix that adds locals and jumps to the original's start."""
    assembler = Assembler(code)
    for _ in range(3):
        assembler.add_local("extra")
    assembler.at(dis.Positions(code.co_firstlineno + 1000, None, None, None))
    assembler.emit("LOAD_CONST", object())
    assembler.emit("POP_TOP")
    assembler.jump("JUMP", Label(0))
    consts = tuple(spliced(c) if isinstance(c, types.CodeType) else c for c in code.co_consts)
    return assembler.finish(body=True).replace(
        co_consts=consts + assembler.finish(body=True).co_consts[len(consts):]
    )


def use_them():
    data = {"a": [1, 2.5, None, True, "é\n"], "b": {"c": []}}
    text = json.dumps(data, indent=2, sort_keys=True)
    return [
        text,
        json.JSONDecoder().decode(text) == data,
        textwrap.fill("a long line of words that has to be wrapped " * 5, width=30),
        textwrap.dedent("    x\n      y\n"),
        statistics.mean([1, 2, 3.5]),
        statistics.median([5, 1, 4]),
        statistics.quantiles(range(20), n=5),
        string.Template("$who likes ${what}").substitute(who="tim", what="kung pao"),
        [i.opname for i in dis.get_instructions(use_them)],
    ]


def test_spliced_functions_equal_the_originals():
    expected = use_them()
    before = {f: f.__code__ for f in functions() if not f.__code__.co_flags & 0x2A0}
    try:
        for function, code in before.items():
            function.__code__ = spliced(code)
        found = use_them()
    finally:
        for function, code in before.items():
            function.__code__ = code
    assert found == expected


def test_lines_of_the_original_stay():
    for code in codes():
        if code.co_flags & 0x2A0:
            continue
        original = [line for _, _, line in code.co_lines() if line is not None]
        moved = [line for _, _, line in spliced(code).co_lines() if line is not None]
        assert moved[-len(original):] == original


def sample(a, b, *rest, key=None, **more):
    total = a + b
    items = [3 * k for k in rest]
    try:
        total = total / key
    except ZeroDivisionError:
        total = -1
    return total, items, more


def test_flat_code_takes_one_value_per_parameter():
    flat = types.FunctionType(flat_code(sample.__code__), globals())
    assert flat(1, 2, 4, (5, 6), {"z": 0}) == sample(1, 2, 5, 6, key=4, z=0)


def test_resume_function_runs_the_rest():
    instructions = read(sample.__code__)
    stores = [i for i in instructions if i.opname == "STORE_FAST" and i.argval == "total"]
    start = stores[0].index + 1
    names = frozenset({"total", "rest", "key", "more"})
    point = ResumePoint(start, (), names, frozenset())
    resume = resume_function(sample, point)
    values = {"total": 3, "rest": (5, 6), "key": 0, "more": {}}
    args = [values.get(name) for name in sample.__code__.co_varnames]
    assert resume(*args) == (-1, [15, 18], {})


def test_resume_with_values_on_the_stack():
    def f(x, y):
        return x + y * 2

    instructions = read(f.__code__)
    multiply = next(i.index for i in instructions if i.argrepr == "*")
    resume = resume_function(f, ResumePoint(multiply + 1, (True, True), frozenset(), frozenset()))
    assert resume(None, None, 10, 14) == 24


def test_cells_are_shared_with_the_rest_of_the_frame():
    def f(x):
        count = x

        def bump():
            nonlocal count
            count += 1

        bump()
        return count

    instructions = read(f.__code__)
    start = next(i.index for i in instructions
                 if (i.opname == "LOAD_FAST" and i.argval == "bump")
                 or (i.opname == "PUSH_NULL" and instructions[i.index + 1].argval == "bump"))
    cell = types.CellType(10)

    def bump():
        cell.cell_contents += 5

    names = frozenset({"bump", "count"})
    resume = resume_function(f, ResumePoint(start, (), names, frozenset()))
    assert resume(None, bump, cell) == 15


def test_liveness():
    def f(x, y):
        z = x + 1
        print(z)
        y = 2
        return y

    instructions = read(f.__code__)
    call = next(i.index for i in instructions if i.opname == "CALL")
    assert live_locals(f.__code__, call) == frozenset()
    assert live_locals(f.__code__, 0) == {"x"}


def comprehensions(x):
    if x:
        return [-k for k in x], {k: v for k, *v in x if (w := k)}, w
    return {-k for k in x}


def others_bind_it(x):
    for k in x:
        pass
    return [-k for k in x], k


def arguments_have_it(*k):
    return [-k for k in k]


def bound_twice(x):
    return [k for k in x for k in k], [-k for k in x]


def read_behind(x, k):
    y = [-k for k in x]
    return y, k


def written_behind(x, k):
    y = [-k for k in x]
    k = y
    return y, k


def read_behind_an_inner_one(x, k):
    return [[-k for k in each] for each in x], k


def in_a_loop(x, k):
    while x:
        x = [-j for j in [-k for k in x]]
    return [lambda: k for k in x]


@pytest.mark.parametrize("function, live", [
    (comprehensions, {"x", "w"}), (others_bind_it, {"x", "k"}), (arguments_have_it, {"k"}),
    (bound_twice, {"x"}), (read_behind, {"x", "k"}), (written_behind, {"x"}),
    (read_behind_an_inner_one, {"x", "k"}), (in_a_loop, {"x", "k"}),
])
def test_variables_of_comprehensions_are_read_by_who_comes_behind(function, live):
    """Since Python 3.12 they are locals."""
    code = function.__code__
    if sys.version_info < (3, 12) and function is in_a_loop:
        live = {"x"}
    assert live_locals(code, 0) == live


@pytest.mark.skipif(sys.version_info < (3, 12), reason="comprehensions are functions")
def test_a_variable_in_a_comprehension_is_the_comprehensions():
    code = read_behind.__code__
    (append,) = [i.index for i in read(code) if i.opname == "LIST_APPEND"]
    assert live_locals(code, append) == set()


def test_handlers_are_known():
    def f(x):
        try:
            x.a()
        except ValueError:
            x.b()
        x.c()

    places = {i.argval: handles_exception(f.__code__, i.index)
              for i in read(f.__code__) if i.opname == "LOAD_METHOD"}
    assert places == {"a": False, "b": True, "c": False}


def test_every_instruction_has_a_line():
    """An interrupt may come anywhere, and readers of tracebacks count on a number."""
    def program(x, log):
        y = x + 1
        log.append(y.sum())
        dl.graph_break()
        return [y, x], log

    compiled = dl.compile(program)
    compiled(np.ones(3), [])
    first = program.__code__.co_firstlineno
    (entry,) = compiled.entries()
    lines = [line for _, _, line in entry.target.start.__code__.co_lines()]
    assert all(line is not None and first <= line <= first + 4 for line in lines)


def test_a_source_without_lines_has_none():
    def program(x):
        dl.graph_break()
        return x.missing

    code = program.__code__
    program.__code__ = code.replace(co_linetable=b"\xf8" * (len(code.co_code) // 2))
    with pytest.raises(AttributeError) as raised:
        dl.compile(program)(np.ones(3))
    last = raised.value.__traceback__
    while last.tb_next is not None:
        last = last.tb_next
    assert last.tb_lineno is None


def test_no_python_code_runs_where_code_that_was_read_dies():
    """A signal's handler could run in it, and what that raises would be lost."""
    name = {}
    exec("def f(x): return x + 1", name)
    read(name["f"].__code__)
    called = []
    sys.setprofile(lambda frame, event, value: called.append(event))
    try:
        del name["f"]
    finally:
        sys.setprofile(None)
    assert "call" not in called
