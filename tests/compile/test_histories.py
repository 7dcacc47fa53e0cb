"""Compiled code that takes longer than Python did is dropped; what was measured decides."""
import sys

import pytest

from dynamo_lite.script import comparisons, conclusions, histories
from dynamo_lite.script.comparisons import Timing
from dynamo_lite.script.conclusions import conclusion, likely, plain_gain
from dynamo_lite.script.histories import CodeHistory
from dynamo_lite.script.program import Program
from dynamo_lite.script.regions import Candidates
from dynamo_lite.script.repeated import history_of
from dynamo_lite.tiering.account import GAIN, Account
from dynamo_lite.tiering.decisions import Decision, Decisions
from dynamo_lite.tiering.graphs import affords
from dynamo_lite.tiering.lender import Lender

if sys.version_info >= (3, 14):
    pytest.skip("regions are not available", allow_module_level=True)


def f():
    pass


MILLISECOND = 10 ** 6


class Calls:
    """Calls of `f`, as the core would have counted and timed them."""

    def __init__(self, monkeypatch, decision=None, breaks=False):
        self.counts = [0, 0, 0, 0, 0, 0]
        self.reviews = []
        monkeypatch.setattr(comparisons, "calls_of_code", lambda code: tuple(self.counts))
        monkeypatch.setattr(comparisons, "review_after", lambda code, n: self.reviews.append(n))
        self.history = CodeHistory(f.__code__, Account(Lender(), False, 9), print, decision)
        self.history.compiled, self.history.operations, self.history.breaks = 1, 5, breaks
        self.history.records, self.first_phase = 1, self.history.comparison.phase
        self.history.comparison.phase = self.history.comparison.look

    def python(self, calls, milliseconds):
        self.counts[0] += calls
        self.counts[1] += int(calls * milliseconds * MILLISECOND)

    def compiled(self, calls, milliseconds):
        self.counts[3] += calls
        self.counts[5] += calls
        self.counts[4] += int(calls * milliseconds * MILLISECOND)

    def review(self):
        return self.history.review(f.__code__)

    def conclusion(self):
        return conclusion(self.history, f.__code__)


@pytest.mark.parametrize(("share", "confirmations"), [(1.0, 1), (0.5, histories.IN_DOUBT)])
def test_beside_other_programs_slower_calls_are_confirmed_more_often(
    monkeypatch, share, confirmations
):
    calls = Calls(monkeypatch)
    calls.history.account.lender.share = lambda: share
    calls.python(10, 1)
    for _ in range(confirmations):
        assert not calls.history.given_up
        calls.compiled(8, 2)
        assert calls.review() > 1  # nanoseconds in Python
        calls.python(16, 1)
        assert calls.review() is True
        calls.compiled(8, 2)
        verdict = calls.review()
    assert verdict is None and "compiled, a call took" in calls.history.given_up


def test_the_first_calls_do_not_count(monkeypatch):
    calls = Calls(monkeypatch)
    calls.history.comparison.phase = calls.first_phase
    calls.python(10, 1)
    calls.compiled(3, 100)
    assert calls.review() is True and calls.reviews == [8]
    calls.compiled(8, 0.5)
    assert calls.review() is True and calls.reviews == [8, 32]


def test_what_was_given_up_before_it_was_compiled_says_nothing_of_the_next_run(monkeypatch):
    calls = Calls(monkeypatch)
    calls.history.records = calls.history.operations = 0
    calls.python(10, 1)
    calls.compiled(1, 1)
    assert calls.conclusion() is None


def test_faster_code_stays_and_is_looked_at_less_and_less(monkeypatch):
    calls = Calls(monkeypatch)
    calls.python(10, 3)
    for _ in range(3):
        calls.compiled(10, 2)
        assert calls.review() is True
    assert calls.reviews == [32, 128, 512] and calls.conclusion().is_hot


def test_slower_code_is_dropped_when_python_was_faster_again(monkeypatch):
    calls = Calls(monkeypatch)
    calls.python(10, 1)
    calls.compiled(3, 4)
    assert calls.review() == 12 * MILLISECOND  # as long as the compiled calls took
    calls.python(12, 1)
    assert calls.review() is True and calls.reviews == [5]  # as many as take 20 ms
    calls.compiled(5, 4)
    assert calls.review() is None
    assert calls.conclusion() == Decision(
        False, "compiled, a call took 4.0e-03 s, in Python 1.0e-03 s"
    )


def test_code_is_not_dropped_for_a_pause_among_a_few_of_its_calls(monkeypatch):
    """As where the system lets another program run for some milliseconds."""
    calls = Calls(monkeypatch)
    calls.python(100, 0.17)
    calls.compiled(8, 0.54)
    calls.review()
    calls.python(20, 0.17)
    assert calls.review() is True
    calls.compiled(8, 0.06)
    assert calls.review() is True and calls.conclusion().is_hot


@pytest.mark.parametrize("afterwards", [2.0, 0.5])
def test_a_little_slower_code_is_dropped_when_it_is_so_before_and_after(monkeypatch, afterwards):
    """As where another program took a part of the processor's time for a while."""
    calls = Calls(monkeypatch)
    calls.python(10, 1)
    calls.compiled(3, 2)
    assert calls.review() == 6 * MILLISECOND
    calls.python(6, 1)
    assert calls.review() is True and calls.reviews == [8]
    calls.compiled(8, afterwards)
    assert calls.review() is (None if afterwards > 1 else True)
    assert calls.conclusion().is_hot is (afterwards < 1)


def test_calls_that_got_longer_in_python_as_well_do_not_count_against_it(monkeypatch):
    calls = Calls(monkeypatch)
    calls.python(10, 1)
    calls.compiled(3, 20)
    assert calls.review() == comparisons.LONGEST_TRIAL * 1000 * MILLISECOND
    calls.python(1, 60)
    assert calls.review() is True and calls.reviews == [32]


def test_calls_that_got_shorter_are_no_gain(monkeypatch):
    """As where an iteration converges faster the later it is in the program."""
    calls = Calls(monkeypatch)
    calls.python(10, 40)
    calls.compiled(400, 8)  # a call in Python is a small part of these
    assert calls.review() == comparisons.COMPARISON * 3200 * MILLISECOND
    calls.python(8, 5)
    assert calls.review() is True and calls.reviews == [8]  # as many compiled calls beside them
    calls.compiled(8, 5)
    assert calls.review() is True and calls.reviews == [8, 32]
    assert calls.history.saved(Timing(18, 0.44, 0.0, 408, 3.24, 408)) == pytest.approx(0.0)
    assert not calls.conclusion().is_hot


def test_what_calls_gain_at_the_same_time_counts(monkeypatch):
    calls = Calls(monkeypatch)
    calls.python(10, 4)
    calls.compiled(400, 2)
    assert calls.review() > 1
    calls.python(2, 10)
    calls.review()
    calls.compiled(3, 2)
    assert calls.review() is True
    found = calls.conclusion()
    assert found.is_hot and found.call == pytest.approx(0.01)
    assert found.saved == pytest.approx((0.06 + 0.806 * 5) * 0.8)


def test_compiled_calls_that_took_long_stand_for_no_more_calls_than_they_are(monkeypatch):
    calls = Calls(monkeypatch)
    calls.python(100, 1)
    calls.compiled(10, 20)
    calls.history.comparison.reviewed = Timing.of(f.__code__)
    calls.compiled(10, 0.1)
    assert calls.conclusion().saved == pytest.approx((0.1 + 20 * 0.001) * 0.9)


def test_a_few_calls_tell_less_than_an_earlier_run(monkeypatch):
    calls = Calls(monkeypatch, Decision(True, "paid", 0.001, 1.0))
    calls.python(1, 50)
    calls.compiled(400, 0.1)
    found = calls.conclusion()
    assert found.call == 0.001 and found.saved == pytest.approx((0.05 + 400 * 0.001) * 0.9)
    calls.python(7, 2)
    assert calls.conclusion().call == pytest.approx(0.008)


@pytest.mark.parametrize("breaks", [False, True])
def test_python_gets_its_turn_where_calls_were_never_timed_and_graphs_break(monkeypatch, breaks):
    calls = Calls(monkeypatch, breaks=breaks)
    calls.compiled(3, 1)
    assert calls.review() == (3 * MILLISECOND if breaks else True)


def test_what_an_earlier_run_measured_counts_too(monkeypatch):
    calls = Calls(monkeypatch, Decision(True, "it paid", call=0.001, saved=1.0))
    calls.compiled(3, 2)
    assert calls.review() == 6 * MILLISECOND


def test_what_is_saved_is_what_compiling_costs_at_least(monkeypatch):
    calls = Calls(monkeypatch)
    calls.python(10, 3)
    calls.compiled(10, 2)
    calls.history.account.spend(0.05)
    assert calls.review() is True
    assert calls.history.saved(Timing(10, 0.03, 0.0, 10, 0.02, 10)) == pytest.approx(0.01)
    assert calls.history.saved(Timing(10, 0.03, 0.0, 10, 0.02, 4)) == pytest.approx(0.004)
    assert calls.conclusion().reason == "it saves less than compiling takes, 0.05 s"


def test_what_took_too_long_to_compile_is_tried_again_where_it_runs_longer(monkeypatch):
    calls = Calls(monkeypatch)
    calls.python(100, 500)
    account = calls.history.account
    account.ran = 0.5
    account.spend(0.1, in_vain=True)
    calls.history.records = 0
    found = calls.conclusion()
    assert not found.is_hot and found.saved == 1.0
    later = Calls(monkeypatch, found).history
    assert not later.why_left and not later.is_known_hot and later.account.price >= 1.0


def test_what_was_in_vain_stays_so_where_it_was_not_tried_again(monkeypatch):
    calls = Calls(monkeypatch, Decision(False, histories.TOO_LONG, 0.001, 1.0))
    history, calls.history.account.has_loops = calls.history, True
    history.compiled, history.names_arrays = 0, True
    calls.python(10, 100)
    assert calls.conclusion() is None


def test_a_graph_that_is_too_large_for_what_it_saves_is_not_analysed_in_the_next_run(monkeypatch):
    """The analysis itself may have taken no time worth noting."""
    calls = Calls(monkeypatch)
    calls.python(10, 30)
    account = calls.history.account
    account.ran = account.known = 0.5
    account.call = 0.03
    assert not affords(account, 100, 0.001)
    account.spend(0.0, in_vain=True)
    calls.history.records = 0
    found = calls.conclusion()
    assert not found.is_hot and found.saved == account.needs > 8.0


def test_a_graph_that_pays_in_all_of_a_run_is_made_at_the_beginning_of_the_next(monkeypatch):
    calls = Calls(monkeypatch)
    calls.python(100, 20)
    account = calls.history.account
    account.ran, account.known, account.call = 2.0, 0.1, 0.02
    assert not affords(account, 40, 0.015)
    account.spend(0.05, in_vain=True)
    calls.history.records = 0
    found = calls.conclusion()
    assert found == Decision(True, histories.PROMISED, 0.02, pytest.approx(1.5))
    account = Calls(monkeypatch, found).history.account
    assert account.lacks([]) == 0 and affords(account, 40, 0.015)


def looping():
    for _ in range(3):
        print()


@pytest.mark.parametrize(("function", "ran", "names_arrays", "is_hot"), [
    (f, 1.2, True, True), (f, 0.5, True, False), (f, 1.2, False, False),
    (looping, 2.0, True, False),
])
def test_what_ran_for_long_is_compiled_at_the_beginning_of_the_next_run(
    monkeypatch, function, ran, names_arrays, is_hot
):
    """Where that is likely to pay: loops often turn out to be about something else than arrays."""
    calls = Calls(monkeypatch)
    history, account = calls.history, calls.history.account
    history.compiled, history.names_arrays = 0, names_arrays
    account.ran, account.lender.costs.is_loaded = ran, False
    found = conclusion(history, function.__code__)
    assert (found is not None) == is_hot
    if is_hot:
        assert found == Decision(True, histories.LIKELY, 0.0, GAIN * ran)
        assert Calls(monkeypatch, found).history.account.lacks([]) == 0


def arithmetic(x):
    return (x * 2 + 1) / (x + 3)


def test_arithmetic_that_is_worth_a_graph_together_with_others_is_likely_to_pay(monkeypatch):
    calls = Calls(monkeypatch)
    history, calls.history.compiled = calls.history, 0
    history.names_arrays, code = True, arithmetic.__code__
    history.account.ran = 0.4
    assert plain_gain(history, code) == 0.0  # none of its functions is known
    history.function = lambda: arithmetic
    gain, takes = plain_gain(history, code), history.account.lender.costs.graph(17, is_plain=True)
    assert gain == pytest.approx(conclusions.PLAIN_GAIN * 0.4 - takes, abs=0.01)
    assert conclusion(history, code) is None and likely(history, code).saved == GAIN * 0.4
    history.account.call = 1.0  # large arrays take nearly all of it
    assert not history.account.is_likely and plain_gain(history, code) == 0.0


def test_arithmetic_whose_graph_was_not_worth_it_alone_may_be_so_together_with_others(monkeypatch):
    calls = Calls(monkeypatch)
    history, account = calls.history, calls.history.account
    history.names_arrays, history.function = True, lambda: arithmetic
    history.records = history.operations = 0
    code, account.ran = arithmetic.__code__, 0.4
    assert plain_gain(history, code) == 0.0  # nobody knows what it would have saved
    calls.python(1000, 0.4)
    account.promised, account.dear = 0.2e-3, 0.05
    assert plain_gain(history, code) == pytest.approx(1000 * 0.2e-3 - 0.05)
    account.promised = 1.0
    assert 0.1 < plain_gain(history, code) < 0.4
    history.records = 1
    assert plain_gain(history, code) == 0.0


def test_a_graph_is_made_that_pays_in_as_many_calls_as_there_were(monkeypatch):
    """Although lowering it takes more than half of what was expected before it was known."""
    calls = Calls(monkeypatch)
    history, account = calls.history, calls.history.account
    history.compiled, history.names_arrays = 0, True
    account.ran = 0.9
    calls.python(90_000, 0.01)
    found = conclusion(history, f.__code__)
    assert found.reason == histories.LIKELY
    account = Calls(monkeypatch, found).history.account
    account.lender.costs.has_generator = False
    account.lacks([])
    assert affords(account, 20, 8e-6) and not affords(account, 20, 2e-6)


def test_functions_that_are_made_anew_are_not_compiled_at_the_first_call(monkeypatch):
    calls = Calls(monkeypatch)
    calls.history.compiled, calls.history.names_arrays = 0, True
    calls.history.account.ran = 1.2
    assert calls.conclusion().reason == histories.LIKELY
    assert conclusion(calls.history, (lambda: 1).__code__) is None


def test_calls_that_nobody_watched_are_saved_too(monkeypatch):
    calls = Calls(monkeypatch)
    calls.python(10, 10)
    calls.compiled(10, 1)
    assert calls.conclusion().saved == pytest.approx(0.2 * 0.9)
    calls.history.account.ran = 1.0
    assert calls.conclusion().saved == pytest.approx(1.1 * 0.9)


def test_what_callees_take_that_are_not_worth_it_promises_nothing(monkeypatch):
    calls = Calls(monkeypatch)
    history, calls.history.account.has_loops = calls.history, True
    history.compiled, history.names_arrays = 0, True
    calls.python(10, 100)
    assert calls.conclusion().saved == pytest.approx(conclusions.UNTRIED)
    history.refused_below = 0.6
    assert calls.conclusion().saved == pytest.approx(0.4 * conclusions.UNTRIED)
    history.refused_below = 0.99
    assert calls.conclusion() is None


def test_what_compiled_callees_take_does_not_make_code_warm(monkeypatch):
    calls = Calls(monkeypatch)
    calls.python(10, 3)
    calls.counts[2] = 25 * MILLISECOND
    calls.history.note_time(calls.history.code())
    assert calls.history.account.ran == pytest.approx(0.005)
    calls.python(1, 20)
    calls.counts[2] += 20 * MILLISECOND
    calls.history.note_time(calls.history.code())
    assert calls.history.account.ran == pytest.approx(0.005)


@pytest.mark.parametrize(("compiled", "records", "operations", "given_up", "reason"), [
    (0, 0, 0, "", ""), (2, 0, 0, "", histories.TOO_LONG), (1, 1, 4, "", histories.AROUND),
    (1, 1, 4, "compiled, a call took longer", "compiled, a call took longer"), (1, 1, 0, "", ""),
])
def test_why_python_ran_what_was_a_candidate(
    monkeypatch, compiled, records, operations, given_up, reason
):
    """A report says so of functions that are neither cold nor left any more."""
    history = Calls(monkeypatch).history
    history.compiled, history.records, history.operations = compiled, records, operations
    history.given_up = given_up
    assert history.why_in_python == reason


def test_what_became_of_code_goes_for_another_like_it():
    program = Program(Decisions("a program that runs itself again"))
    known, code = program.history_of(f.__code__), f.__code__
    known.account.ran = 0.3
    program.keep(code, known)
    assert program.history_of(code.replace()).account.ran == 0.3
    assert program.history_of(code.replace(co_consts=(2,))).account.ran == 0.0
    known.given_up = "it is slower"
    again = program.history_of(code.replace())
    assert again is not known and again.why_left.startswith("it is slower")


def test_what_was_given_up_for_its_time_is_tried_again_in_a_longer_run(monkeypatch):
    history = Calls(monkeypatch).history
    history.records = history.operations = 0
    history.account.ran, history.account.in_vain = 0.3, 0.1
    history.comparison.phase = lambda code, timing: None
    assert history.review(f.__code__) is None and history.given_up == histories.TOO_LONG
    found = conclusion(history, f.__code__)
    assert not found.is_hot and found.reason == histories.TOO_LONG and found.saved >= 0.6


def test_calls_beside_other_programs_do_not_say_that_compiled_code_is_slower(monkeypatch):
    calls = Calls(monkeypatch)
    calls.python(10, 10)
    calls.compiled(10, 30)
    assert conclusion(calls.history, f.__code__).reason.startswith("compiled")
    calls.history.account.lender.share = lambda: 0.5
    assert conclusion(calls.history, f.__code__) is None


def again(history):
    """The history of code that is like that of `f`, where the program is run again."""
    found = CodeHistory(f.__code__, Account(Lender(), False, 9), print)
    found.goes_on(f.__code__, history)
    return found


def test_code_that_is_run_again_is_expected_to_run_for_some_times_longer():
    first = CodeHistory(f.__code__, Account(Lender(), False, 9), print)
    first.account.ran = 0.3
    second = again(first)
    assert second.account.ran == pytest.approx(histories.REPEATS * 0.3)
    second.account.ran += 0.2
    assert again(second).account.ran == pytest.approx(histories.REPEATS * 0.5)
    assert second.account.lender.is_repeated and not first.account.lender.is_repeated


def test_code_that_was_compiled_is_compiled_at_once_where_it_is_run_again():
    first = CodeHistory(f.__code__, Account(Lender(), False, 9), print)
    first.account.ran, first.compiled, first.records, first.operations = 0.3, 1, 1, 4
    assert again(first).account.lacks(()) == 0
    first.operations = 0
    assert again(first).account.lacks(()) > 0


def test_what_could_not_be_afforded_is_tried_again_where_it_is_run_again():
    """It waits for what its graph needs, or for what the analysis took that was given up."""
    first = CodeHistory(f.__code__, Account(Lender(), False, 9), print)
    first.account.ran, first.account.needs = 0.3, 0.7
    first.account.in_vain, first.compiled = 0.1, 1
    second = again(first)
    assert second.account.needs == 0.7 and second.account.lacks(()) == 0
    second.account.ran, second.account.in_vain = histories.REPEATS * 0.3, 1.0
    second.compiled = 1
    assert again(second).account.lacks(()) > 0


def test_a_program_that_makes_its_code_anew_is_repeated():
    candidates = Candidates(decisions=Decisions("a program that runs itself again"))
    known = history_of(candidates.program, f.__code__)
    known.account.ran = 0.3
    candidates.program.keep(f.__code__, known)
    assert history_of(candidates.program, f.__code__) is known
    assert not candidates.program.lender.is_repeated
    assert history_of(candidates.program, f.__code__.replace()).account.ran > 0.3
    assert candidates.program.lender.is_repeated
