"""A second run of a program knows what the first one found out about its code."""
import json
import math
import sys
import weakref

import numpy as np
import pytest
from dynamo_lite.backends import disk
from scripts import PREFIX, WARMING, run

from dynamo_lite import config
from dynamo_lite.script.conclusions import PLAIN_GAIN
from dynamo_lite.script.program import Program
from dynamo_lite.tiering import decisions
from dynamo_lite.tiering.decisions import Decision, Decisions

if sys.version_info >= (3, 14):
    pytest.skip("regions are not available", allow_module_level=True)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    place = tmp_path / "cache"
    monkeypatch.setenv("DYNAMO_CACHE_DIR", str(place))
    with config.patch(cache_dir=str(place), cache=True):
        yield place


def f(x):
    return x + 1


def noted(*found):
    kept = Decisions("program")
    for code, decision in found:
        kept.note(code, decision)
    kept.write()


def test_decisions_are_about_one_program_and_the_very_code():
    noted((f.__code__, Decision(True, "it paid", 0.5, 1.5)))
    assert Decisions("program").about(f.__code__) == Decision(True, "it paid", 0.5, 1.5, 1)
    assert Decisions("another").about(f.__code__) is None
    assert Decisions("program").about(f.__code__.replace(co_consts=(None, 2))) is None
    assert Decisions("program").about(noted.__code__) is None


def test_how_long_a_program_runs_is_known_to_the_next_run():
    assert Decisions("program").lasts == math.inf
    for seconds, known in (decisions.LONG / 2, math.inf), (3.0, 3.0), (3.1, 3.0), (5.0, 5.0):
        kept = Decisions("program")
        kept.ended(seconds)
        kept.write()
        assert Decisions("program").lasts == known
    assert Decisions("another").lasts == math.inf


def test_nothing_saves_more_than_the_program_took():
    found = Decision(True, "it paid", 0.5, 4.0)
    assert found.within(2.0) == Decision(True, "it paid", 0.5, 2.0)
    assert found.within(5.0) == found


def test_there_is_none_about_code_that_a_program_has_made_of_objects():
    made = f.__code__.replace(co_consts=(None, object()))
    noted((made, Decision(True, "it paid")))
    known = Decisions("program")
    assert known.known == {} and known.about(made) is None
    known.names.add(made.co_qualname)
    assert known.about(made) is None


def test_other_versions_find_out_for_themselves(monkeypatch):
    noted((f.__code__, Decision(False, "nothing found")))
    monkeypatch.setattr(decisions, "stamp", lambda: "another")
    assert Decisions("program").known == {}


def test_decisions_do_not_last_for_ever():
    noted((f.__code__, Decision(False, "nothing found", runs=decisions.RUNS)))
    assert Decisions("program").known == {}


ROWS = [[], {}, None, [1, "", 0.0, 0.0, 1], [True, 3, 0.0, 0.0, 1], [True, "", 0.0]]


@pytest.mark.parametrize("content", [
    b"", b"{", b"[]", b"\xff", b'{"made by": 3}',
    *(json.dumps({"made by": decisions.stamp(), "decisions": rows}).encode()
      for rows in (3, [], *({"f 1": row} for row in ROWS))),
])  # fmt: skip
def test_files_that_make_no_sense_say_nothing(content):
    disk.write(Decisions("program").name, content)
    assert Decisions("program").known == {}


LOOPS = """
import numpy as np
def steps(n):
    u = np.ones((40, 40))
    for i in range(n):
        u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u
{call}
"""


@pytest.mark.parametrize("call", ["np.ones(3); steps(30000)", "steps(30000)"])
def test_loops_that_ran_long_in_python_are_compiled_in_the_next_run(script, call, monkeypatch):
    monkeypatch.setenv("DYNAMO_WARM_SECONDS", "1e-4")
    program = script(LOOPS.format(call=call))
    assert "] steps (" not in run(*WARMING, "--explain", program)[2]
    assert "] steps (" in run(*WARMING, "--explain", program)[2]


@pytest.mark.parametrize("call", ["np.ones(3); steps(250000)", "steps(250000)"])
def test_loops_over_arrays_alone_that_took_a_second_are_compiled_in_the_next_run(script, call):
    program = script(LOOPS.format(call=call))
    run(*WARMING, program)
    assert "] steps (" in run(*WARMING, "--explain", program)[2]


SHARED = """
import numpy as np
def f{k}(a, b):
    c = 0.2 * a * b + 0.5
    return 0.1 * (np.minimum(c, a) - np.maximum(c - b, 0.1))
"""
TOGETHER = "".join(SHARED.format(k=k) for k in range(3)) + """
a = b = np.linspace(0.0, 1.0, 60)
for k in range(400000): b = f0(f1(a, b), f2(b, a))
print(b.sum().hex())
"""


def test_functions_that_took_a_second_are_compiled_in_the_next_run(script):
    program = script(TOGETHER)
    first = run(*WARMING, program)
    code, out, err = run(*WARMING, "--explain", program)
    assert (code, out) == first[:2] and "] f" in err, err


@pytest.mark.parametrize("share, pays", [(0.2, False), (0.4, True), (1.6, True)])
def test_functions_are_worth_the_first_graph_together_that_are_not_alone(share, pays):
    """`share`: of what the first graph takes, the seconds that each of three functions ran."""
    names = {"np": np}
    exec("".join(SHARED.format(k=k) for k in range(3)), names)
    program = Program(Decisions("program"))
    costs = program.lender.costs
    known = []
    for k in range(3):
        code = names[f"f{k}"].__code__
        history = program.history_of(code)
        history.function, history.names_arrays = weakref.ref(names[f"f{k}"]), True
        graph = costs.graph(history.plain_size(), is_plain=True)
        history.account.ran = (share * costs.first_graph() + graph) / PLAIN_GAIN
        history.account.call = 1e-6
        known.append((code, history))
    assert program.pay_together(known) == (known if pays else [])
    costs.has_generator = True
    assert program.pay_together(known) == known


def test_loops_do_not_bail_out_for_looks_at_the_program_that_were_due_while_they_were_compiled(
    script, monkeypatch
):
    monkeypatch.setenv("DYNAMO_LOGS", "perf")
    call = "np.ones(3); steps(100); steps(60000)"
    err = run(*PREFIX, script(LOOPS.format(call=call)))[2]
    assert "bailed out" not in err  # where other programs take the processors, Python may run it


VAIN = """
import numpy as np
def f(x):
    for name in ("shape", "ndim"):
        exec(f"x.{name}")
    return len(x)
x = np.ones(3)
for i in range(3000): f(x)
"""


def test_what_was_tried_in_vain_is_left_alone_in_the_next_run(script, monkeypatch):
    monkeypatch.setenv("DYNAMO_WARM_SECONDS", "1e-9")
    program = script(VAIN)
    run(*WARMING, program)
    err = run(*WARMING, "--explain", program)[2]
    assert "] f (" not in err and "Python runs it: no operations on arrays" in err
