"""Whole-script mode compiles what has run for as long as compiling takes, and what surely will."""
import math
import re
import sys
import time

import numpy as np
import pytest
from scripts import WARMING, run

import dynamo_lite as dl
from dynamo_lite.base import processor
from dynamo_lite.native import CompiledFunction
from dynamo_lite.runtime import compile_frame, pipeline
from dynamo_lite.runtime.compile_frame import compiled_function
from dynamo_lite.runtime.options import Options
from dynamo_lite.script.arrays import mentions_arrays, sizes_of
from dynamo_lite.script.engine import compiled_form
from dynamo_lite.script.functions import is_candidate
from dynamo_lite.tiering import account as accounts
from dynamo_lite.tiering import costs
from dynamo_lite.tiering import lender as lenders
from dynamo_lite.tiering.account import Account, open_account
from dynamo_lite.tiering.graphs import affords, most_operations
from dynamo_lite.tiering.lender import Lender

if sys.version_info >= (3, 14):
    pytest.skip("regions are not available", allow_module_level=True)

COLD, WARM = 1000.0, 1e-9


def scaled(x, by, *more):
    return x * by + len(more)


def looping(x):
    for i in range(len(x)):
        x[i] += 1


def account(has_loops=False):
    return Account(Lender(), has_loops, size=40)


def test_code_is_warm_when_it_ran_as_long_as_compiling_takes():
    with dl.config.patch(warm_seconds=0.5):
        found = account()
        assert found.lacks([3]) == 0.5
        found.ran = 0.375
        assert found.lacks([np.ones(3)]) == pytest.approx(0.125, abs=1e-6)
        found.ran = 0.5
        assert found.lacks([]) == 0
        found.spend(0.25)  # the next variant costs as many times more
        assert found.lacks([]) == accounts.PRICE * 0.25 - 0.5


def test_sizes_that_changed_while_python_ran_are_symbols_from_the_start():
    def variants(*seen):
        sizes = [sizes_of((np.ones(size), by)) for size, by in seen]
        compiled = compiled_form(scaled, "auto", lambda record: None, account(), sizes)
        for size, by in ((70, 4), (80, 5), (90, 6)):
            x = np.arange(float(size))
            assert (compiled(x, by) == scaled(x, by)).all()
        return len(compiled.entries())

    with dl.config.patch(warm_seconds=0.0, keep_entries=False):
        assert variants() == 2
        assert variants((50, 2)) == variants((50, 2), (60, 3)) == 1


def test_functions_of_numpy_are_no_candidates():
    assert is_candidate(scaled)
    assert not any(map(is_candidate, (np.roll.__wrapped__, np.linalg.norm.__wrapped__)))


def test_nothing_is_waited_for_at_once():
    with dl.config.patch(warm_seconds=0.0):
        found = account()
        found.spend(lenders.FREE[True] / 2)
        assert found.lacks([]) == 0


@pytest.mark.parametrize("at_once", [False, True])
def test_compiling_takes_a_share_of_the_time_of_the_program(at_once):
    with dl.config.patch(warm_seconds=0.0 if at_once else 0.02, compile_share=0.5):
        found = account(has_loops=True)
        lender, found.ran = found.lender, 1.0
        lender.spent = lenders.FREE[at_once] + 1
        lender.began -= lender.spent + 1  # the program itself has run for one second
        assert found.lacks([]) == accounts.PATIENCE and found.lacks([np.ones(1)]) > 0
        assert found.lacks([np.broadcast_to(1.0, 10**9)]) == 0  # what surely takes longer
        lender.began -= 1
        assert found.lacks([]) == 0


def test_code_says_what_it_waits_for():
    with dl.config.patch(warm_seconds=0.02):
        found = account()
        assert accounts.in_words(found) == "not warm yet: ran 0.0 of 20.0 ms in Python"
        found.ran = 1.0
        assert accounts.in_words(found) == (
            "warm: ran 1000.0 ms in Python, and is compiled when it is called again")
        found.lender.spent = 10.0
        assert "config.compile_share" in accounts.in_words(found)


def test_without_a_limit_nothing_waits_for_the_program():
    with dl.config.patch(warm_seconds=0.0, compile_share=math.inf):
        found = account()
        found.lender.spent = 1e6
        found.lender.began -= 1e6
        assert found.lacks([]) == 0


def test_an_analysis_in_vain_is_paid_for_before_it_is_tried_again():
    with dl.config.patch(warm_seconds=0.0):
        found = account()
        found.spend(0.5, in_vain=True)
        assert found.lacks([]) == accounts.PRICE * 0.5
        found.ran = found.price
        assert found.lacks([]) == 0 and found.worth == found.ran


def test_calls_over_large_arrays_are_worth_it():
    with dl.config.patch(warm_seconds=0.02):
        found = account()
        assert found.lacks([np.ones(100)]) > 0 == found.lacks([1, np.ones(10_000_000)])
        assert found.ran == 0  # it may yet be a short one that comes next
        assert found.lacks([np.ones(100)]) > 0


def test_calls_over_large_arrays_are_worth_what_they_took_in_an_earlier_run():
    """However many instructions the code has: most of them may be about other things."""
    with dl.config.patch(warm_seconds=0.05):
        found = Account(Lender(), False, 1000)
        found.expected, found.call = 0.01, 0.02
        assert found.lacks([np.broadcast_to(1.0, 10**9)]) == pytest.approx(0.02)
        found.call = 1.0
        assert found.lacks([np.broadcast_to(1.0, 10**9)]) == 0


def test_where_no_call_was_timed_arrays_have_to_be_larger():
    with dl.config.patch(warm_seconds=0.02):
        found, large = account(), [np.ones(2_000_000)]
        assert not found.lacks([np.broadcast_to(1.0, 10_000_000)]) and found.lacks(large) > 0
        found.call = 0.03
        assert not found.lacks(large)


def test_calls_over_as_large_arrays_are_worth_what_they_took():
    with dl.config.patch(warm_seconds=0.05):
        found, large = account(), [np.broadcast_to(1.0, 10**8)]
        found.call = 0.03
        assert found.lacks(large) == 0  # it may take much longer than calls before
        assert found.lacks(large) == pytest.approx(0.02)
        assert found.lacks([np.ones(10)]) > 0.04


@pytest.mark.parametrize("is_tried, most", [(False, 5), (True, 20)])
def test_code_that_is_of_ever_more_kinds_is_not_worth_what_was_hoped_for(is_tried, most):
    """Nobody has compiled it yet: what it may save is a guess."""
    found = account()
    found.expected, found.is_tried = 10.0, is_tried
    pieces = 0
    while pieces < 20 and not found.lacks([3]):
        found.spend(0.1)
        pieces += 1
    assert 1 < pieces <= most


def test_code_is_not_compiled_for_the_end_of_a_program_that_ran_before():
    with dl.config.patch(warm_seconds=0.1):
        found = account()
        found.ran, found.lender.began = 1.0, found.lender.began - 2.0
        assert not found.lacks([]) and found.lender.to_come(1.0) == math.inf
        for lasts, lacks in (4.0, 0.0), (2.1, 0.05), (1.9, 0.1), (1.5, 0.0):
            found.lender.lasts = lasts  # half of what is left is this code's
            assert found.lacks([]) == pytest.approx(lacks, abs=0.01)


def test_large_graphs_are_for_code_that_ran_long_or_is_known():
    found = account()
    found.known = 1.0
    assert affords(found, 10, 0.0) and not affords(found, 1000, 1.0)
    assert found.price >= costs.PAYBACK * 1000 * costs.OPERATION
    found.is_tried, found.expected = True, costs.OPERATION * 20_000
    assert affords(found, 10_000, 0.0)  # what it saved in an earlier run is more
    assert not affords(found, 40_000, 0.0)


def test_no_graph_saves_more_than_a_call_takes_or_less_than_calling_it():
    found = account()
    found.known, found.call = 1.0, 1e-5
    assert not affords(found, 100, costs.ENTERING)
    found.needs = 0.0
    assert not affords(found, 1000, 10.0, has_loops=True) and affords(found, 1000, 10.0)
    assert found.price == pytest.approx(costs.PAYBACK * 1000 * costs.OPERATION, rel=0.1)


def test_what_compiling_takes_is_known_by_how_fast_a_program_has_started():
    slow, fast = account(), account()
    fast.lender.costs.pace = costs.pace_of(costs.START / 2)
    assert fast.lender.costs.pace == 0.5 and costs.pace_of(1e9) == 1.0 and costs.pace_of(0.0) > 0.0
    for found in slow, fast:
        found.known, found.call = 0.4, 0.01
    assert affords(fast, 60, 0.005) and not affords(slow, 60, 0.005)
    with dl.config.patch(warm_seconds=0.02):
        for lender in slow.lender, fast.lender:
            lender.costs.is_loaded = lender.costs.reads_entries = False
        assert fast.lender.costs.loading(pays=True) < slow.lender.costs.loading(pays=True)


def test_code_about_arrays_alone_is_worth_loading_the_compiler_sooner():
    def waits(**about):
        with dl.config.patch(warm_seconds=0.05):
            found = account()
            found.lender.costs.is_loaded = False
            for name, value in about.items():
                setattr(found, name, value)
            return found.lacks([])

    assert waits(plain=30) < 0.6 * waits() and waits(plain=30) < waits(plain=200) < waits()
    assert waits(plain=1000) == waits()  # its graph may be too large
    assert waits(plain=30, call=1e-3) > waits()  # loops over large arrays take all of its time
    assert waits(plain=300, call=1e-3) == waits(plain=300)


def test_code_that_calls_libraries_is_worth_loading_the_compiler_later():
    with dl.config.patch(warm_seconds=0.05):
        found, looping = account(), account(has_loops=True)
        for each in found, looping:
            each.lender.costs.is_loaded = False
        waits = found.lacks([])
        found.calls_libraries = looping.calls_libraries = True
        assert found.lacks([]) > 1.9 * waits and looping.price == pytest.approx(waits, rel=0.01)


def test_what_reads_entries_from_disk_is_but_a_part_of_the_compiler():
    with dl.config.patch(warm_seconds=0.05):
        known, other = account(), account()
        known.is_tried, known.expected = True, 0.01
        for each in known, other:
            each.lender.costs.is_loaded = each.lender.costs.reads_entries = False
        waits = known.lacks([]), other.lacks([])
        assert waits[0] < waits[1]
        for each in known, other:
            each.lender.costs.reads_entries = True
        assert known.lacks([]) < waits[0] and other.lacks([]) == pytest.approx(waits[1])
        other.lender.costs.is_loaded = True
        assert other.lacks([]) < waits[1]


def test_large_graphs_are_for_code_that_they_save_enough_of():
    found = account()
    found.known, found.call = 1.0, 0.01
    assert affords(found, 100, 0.005) and not affords(found, 100, 0.001)
    assert found.price == pytest.approx(10 * 100 * costs.OPERATION, rel=0.01)
    assert not affords(found, 100, 0.0)


def test_the_first_graph_has_to_be_worth_loading_the_code_generator():
    found = account()
    found.known, found.call = 0.25, 0.01
    assert affords(found, 4, 2e-4) and not affords(found, 4, 1e-6)  # seconds that a call saves
    found.lender.costs.has_generator = False
    assert not affords(found, 4, 0.001)
    assert affords(found, 4, 0.3)  # a call that pays by itself
    found.is_guess = True
    assert not affords(found, 4, 0.001, has_loops=True)  # a call is known to take 10 ms
    found.call = 0.0
    assert not affords(found, 4, 0.001) and affords(found, 4, 0.001, has_loops=True)
    found.is_guess = False
    found.known = 10.0
    assert affords(found, 4, 0.001)


def test_what_compiling_lost_so_far_the_next_code_has_to_be_worth():
    with dl.config.patch(warm_seconds=0.02):
        lender = Lender()
        first, second = Account(lender, False, 9), Account(lender, False, 9)
        assert second.price == 0.02
        first.spend(0.1, in_vain=True)
        assert second.price == pytest.approx(0.1)
        lender.saved = lambda: 0.09
        assert second.price == 0.02
        lender.wasted = 100.0
        assert second.price == pytest.approx(0.8)


class Layer:
    def __init__(self, scale):
        self.scale = np.full(3, scale)


def test_a_graph_that_becomes_too_large_is_given_up_before_it_is_whole():
    layers = [Layer(1 + number / 100) for number in range(300)]

    def forward(x):
        for layer in layers:
            x = np.tanh(x * layer.scale)
        return x

    x = np.arange(3.0)
    with dl.config.patch(warm_seconds=0.02):
        found = account()
        found.ran, found.lender.saved = 0.1, lambda: 100.0
        assert not found.lacks([x])
        most = most_operations(found)
        assert 10 < most < 100
        compiled = compiled_function(forward, Options(warn=False, account=found))
        assert (compiled(x) == forward(x)).all()
        assert not compiled.entries() and found.needs == pytest.approx(0.2, rel=0.1)
        found.ran = 10 * found.needs
        assert not found.lacks([x]) and most_operations(found) > 1.5 * most


def test_what_a_call_takes_is_saved_where_all_of_it_is_in_a_graph_of_numbers():
    def mixed(state, steps):
        for _ in range(4):
            state[0], state[1] = state[1] * 0.5 - state[2], state[2] + state[0] / 3
            state[2] = state[0] * state[1] - math.cos(state[2])
        return state

    state = np.ones(3)
    with dl.config.patch(warm_seconds=0.02):
        found = account()
        found.ran, found.call, found.lender.saved = 1.5, 20e-6, lambda: 100.0
        assert not found.lacks([state])
        function = compiled_function(mixed, Options(warn=False, account=found))
        assert (function(state.copy(), 0) == mixed(state.copy(), 0)).all()
        assert len(function.entries()) == 1


def test_the_compiler_is_loaded_later_for_code_that_waits_for_numpy():
    with dl.config.patch(warm_seconds=0.02):
        found = account()
        found.lender.costs.is_loaded, found.call = False, 0.0001
        quick = found.price
        found.call = 0.1
        assert found.price > 1.5 * quick
        found.has_loops = True
        assert found.price <= quick
        found.has_loops, found.lender.costs.is_loaded = False, True
        assert found.price == 0.02


@pytest.mark.parametrize(("content", "share"), [
    ("3000 1000 17\n", 0.75), ("3000 0 17\n", 1.0), ("0 0 0\n", 1.0), ("", 1.0), (None, 1.0),
])
def test_time_that_other_programs_had_does_not_count(monkeypatch, tmp_path, content, share):
    if content is not None:
        (tmp_path / "schedstat").write_text(content)
    monkeypatch.setattr(processor, "STATISTICS", str(tmp_path / "schedstat"))
    lender = Lender()
    assert lender.cpu(2.0) == 2.0
    lender.share = processor.Share()
    assert lender.cpu(2.0) == 2.0 * share
    (tmp_path / "schedstat").write_text("1 1 1")
    assert lender.cpu(2.0) == 2.0 * share  # which is known for a while


@pytest.mark.parametrize("known", ["is_tried", "is_promised"])
def test_the_compiler_is_loaded_soon_for_code_that_is_known_to_pay(known):
    """Most of it is on disk, and little of the compiler is needed to read it."""
    with dl.config.patch(warm_seconds=0.05):
        found = account()
        found.lender.costs.is_loaded, found.call = False, 0.1
        unknown = found.price
        setattr(found, known, True)
        assert found.price < 0.3 < unknown


def test_calls_over_much_larger_arrays_are_another_question():
    with dl.config.patch(warm_seconds=0.02):
        found = account()
        found.ran, found.call = 1.0, 0.01
        assert found.lacks([np.ones(100)]) == 0 and not affords(found, 100, 1e-6)
        assert found.lacks([np.ones(200)]) > 0 == found.lacks([np.ones(500)])


def test_loops_are_paid_for_in_advance_up_to_a_limit():
    with dl.config.patch(warm_seconds=0.02):
        found = account(has_loops=True)
        assert found.lacks([]) == 0 == found.lacks([])
        found.spend(lenders.CREDIT)
        assert found.lacks([]) > 0
        other = Account(found.lender, True, 40)
        assert other.lacks([]) == 0
        other.spend(lenders.CREDIT + 1)
        assert Account(found.lender, True, 40).lacks([]) > 0


@pytest.mark.parametrize(("is_tried", "is_guess"), [(False, False), (True, True)])
def test_what_is_to_save_less_than_an_analysis_takes_is_no_exception(is_tried, is_guess):
    """From the budget; what is on disk takes no analysis."""
    with dl.config.patch(warm_seconds=0.02):
        found = account()
        found.ran, found.expected, found.is_tried = 1.0, costs.ANALYSIS, is_tried
        found.lacks([])
        assert found.is_guess == is_guess


def test_nothing_is_guessed_once_as_much_was_done_in_vain():
    with dl.config.patch(warm_seconds=0.02):
        found = account(has_loops=True)
        found.lender.wasted = lenders.CREDIT / 2
        assert found.lacks([]) == 0
        found.lender.wasted = lenders.CREDIT + 1
        assert Account(found.lender, True, 40).lacks([]) > 0


def test_loops_are_seen_in_the_code():
    assert open_account(looping.__code__, Lender()).has_loops
    assert not open_account(account.__code__, Lender()).has_loops


@pytest.mark.parametrize("module, helper, tells", [
    ("program", "program", False), ("program", "scipy.linalg", True),
    ("scipy.linalg", "scipy.stats", False), ("scipy.linalg", "numpy.linalg", True),
])  # fmt: skip
def test_names_of_its_own_library_do_not_say_that_a_function_sees_arrays(module, helper, tells):
    names = {"__name__": module}
    exec("def helper(): pass\ndef f(): return helper()", names)
    names["helper"].__module__ = helper
    assert mentions_arrays(names["f"]) == tells


def test_a_compiled_function_waits_before_it_asks_for_an_entry():
    asked = []
    compiled = CompiledFunction(lambda x: x, lambda cf, flat: asked.append(flat))
    compiled.waiting = 10 ** 15
    assert [compiled(n) for n in range(3)] == [0, 1, 2] and asked == []
    assert 0 < compiled.waiting < 10 ** 15
    compiled.waiting = 1
    assert [compiled(n) for n in range(3)] == [0, 1, 2] and asked == [(1,), (2,)]
    compiled.waiting = 10 ** 15
    compiled.clear()
    assert compiled.waiting == 0


@pytest.mark.parametrize("deadline, is_reached", [(-math.inf, True), (math.inf, False)])
def test_an_analysis_that_is_not_worth_its_time_is_given_up(monkeypatch, deadline, is_reached):
    found = account()
    monkeypatch.setattr(Account, "lacks", lambda self, values: 0.0)
    found.worth = deadline
    options = compile_frame.Options(account=found)
    compiled = compile_frame.compiled_function(lambda x: x + 1, options)
    assert compiled(np.ones(2)).tolist() == [2, 2]
    assert len(compiled.entries()) == (not is_reached) and compiled.disabled is None
    assert found.spent > 0 and found.in_vain == (found.spent if is_reached else 0)


@pytest.mark.parametrize("error", [RecursionError, MemoryError])
def test_an_analysis_without_room_is_in_vain(monkeypatch, error):
    def fail(*arguments):
        raise error

    found = account()
    monkeypatch.setattr(Account, "lacks", lambda self, values: 0.0)
    monkeypatch.setattr(pipeline, "translate", fail)
    options = compile_frame.Options(account=found)
    compiled = compile_frame.compiled_function(lambda x: x + 1, options)
    assert compiled(np.ones(2)).tolist() == [2, 2] and compiled.disabled is None
    assert found.in_vain == found.spent > 0


PROGRAM = """
import numpy as np
import dynamo_lite as dl
def f(x):
    y = x + 1
    return y * 2
def loop(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i]
    return total
for i in range(5): f(np.ones(3)), loop(np.ones(3))
print(dl.why(f))
for i in range(5): f(np.ones(3, "f4"))
"""


def explained(script, seconds, monkeypatch):
    monkeypatch.setenv("DYNAMO_WARM_SECONDS", str(seconds))
    monkeypatch.setenv("DYNAMO_COMPILE_SHARE", "1000")  # however slow the machine is
    code, out, err = run(*WARMING, "--explain", script(PROGRAM))
    assert code == 0
    return out, err


def test_cold_functions_say_so(script, monkeypatch):
    out, err = explained(script, COLD, monkeypatch)
    assert "] f (" not in err and "f (" in err and "not warm yet: ran for less than 20 ms" in err
    assert re.search(r"ran \d.\d of 100\d{4}\.\d ms in Python", out)


def test_warm_functions_are_compiled_and_functions_with_loops_at_once(script, monkeypatch):
    out, err = explained(script, WARM, monkeypatch)
    assert "] f (" in err and "] loop (" in err and "not warm" not in out + err
    _, err = explained(script, 0.09, monkeypatch)
    assert "] f (" not in err and "] loop (" not in err  # the compiler would have to be loaded


def test_shares_and_times_without_end():
    lender = Lender()
    lender.spent = 60.0
    with dl.config.patch(compile_share=0.0, warm_seconds=math.inf):
        assert lender.lacks() == math.inf
        waited = accounts.nanoseconds(Account(lender, False, size=40).lacks([np.ones(3)]))
    assert 2**61 < waited < 2**63


@pytest.mark.parametrize("has_loops", [False, True])
def test_an_analysis_may_take_a_while_however_little_may_be_spent(has_loops):
    with dl.config.patch(warm_seconds=0.02):
        found = account(has_loops)
        found.ran, found.lender.costs.pace = 0.03, 0.5
        found.lacks([])
        assert found.worth == 0.5 * costs.ANALYSIS


def test_an_analysis_takes_a_part_of_the_time_of_the_program():
    with dl.config.patch(warm_seconds=0.02, compile_share=math.inf):
        found = account()
        found.ran = 100.0
        found.lender.began -= 10 - (found.lender.ran())
        found.lacks([])
        assert 1.0 <= found.worth < 1.2
    with dl.config.patch(warm_seconds=0.0, compile_share=math.inf):
        found.lacks([])
        assert found.worth >= 100


def test_what_was_saved_earns_a_part_of_the_time_of_the_program():
    found = account()
    found.lender.began -= 4 - found.lender.ran()
    for saved, earned in ((1.0, 0.5), (1000.0, 1.0)):
        found.lender.saved = lambda: saved
        assert found.lender.earned() == pytest.approx(earned, rel=0.1)


def test_parts_of_a_running_loop_have_to_be_worth_loading_the_code_generator():
    found = account()
    found.enters_loop(0.5)
    assert affords(found, 3, 1e-6)
    found.lender.costs.has_generator = False
    assert affords(found, 0, 0.0)  # nothing is generated
    assert not affords(found, 3, 1e-6) and affords(found, 3, 0.5)


def test_first_parts_of_a_running_loop_that_has_waited_for_the_code_generator_may_save_little():
    found = account()
    found.lender.costs.has_generator = False
    for plain, is_afforded in (0, False), (50, True):
        found.enters_loop(1.0)
        found.plain = plain
        assert affords(found, 3, 1e-6) is is_afforded and not affords(found, 100, 1e-6)


@pytest.mark.parametrize(("first", "is_compiled"), [(0.6, True), (1.2, False)])
def test_a_running_loop_waits_for_one_piece_more_as_long_as_its_rest_is_worth_it(
    first, is_compiled
):
    found = account(has_loops=True)
    found.lender.saved = lambda: 100.0
    found.enters_loop(2.0)
    for seconds in (first, 0.01, 0.01, 0.01):
        found.spend(seconds)
    with dl.config.patch(warm_seconds=0.01, compile_share=1e6):
        assert (found.lacks([]) == 0.0) == is_compiled


@pytest.mark.parametrize(("piece", "is_compiled"), [(0.2, True), (0.3, False)])
def test_pieces_of_a_running_loop_do_not_wait_for_what_the_program_may_spend(piece, is_compiled):
    """Its rest is worth them all, and without one of them its iterations run in Python."""
    found = account(has_loops=True)
    found.enters_loop(2.0)
    for _ in range(4):
        found.spend(piece)
    assert found.lender.lacks() > 1.0
    with dl.config.patch(warm_seconds=0.01):
        assert (found.lacks([]) == 0.0) == is_compiled


def test_a_program_that_is_run_again_may_spend_more_and_loads_the_compiler_sooner():
    with dl.config.patch(warm_seconds=0.02):
        found = account()
        lender, found.ran = found.lender, 0.1
        lender.costs.is_loaded = lender.costs.reads_entries = False
        lender.began, lender.spent = time.process_time() - 10.0, 2.0
        price, lacks, left = found.price, lender.lacks(), lender.left()
        lender.is_repeated = True
        assert found.price < 0.5 * price and lender.lacks() < 0.2 * lacks and lender.left() > left
