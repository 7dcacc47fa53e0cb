"""Arms behind side exits that Python runs as they are, with compiled code before and behind."""
import gc
import itertools
import sys
import traceback
import warnings

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.native import Arm, Balance, CompiledFunction, Steps

from ..oracle import check, check_anew, differences, outcome, outcome_of_copy

X = np.random.default_rng(0).normal(size=3000)


def logs(x, log):
    total = 0.0
    for i in range(len(x)):
        total = total * 0.5 + x[i]
        if i % 300 == 299:
            log.append((str(i), total))
    return total, log


def fails_late(x, log, texts):
    total = 0.0
    for i in range(len(x)):
        total = total * 0.5 + x[i]
        if i % 300 == 299:
            log.append(int(texts[i // 300]))
    return total


def shows_its_variables(x, log):
    total, before = 0.0, 0
    for i in range(len(x)):
        total = total * 0.5 + x[i]
        if i % 300 == 299:
            log.append(repr(before))
        before = i
    return total, before, i


def stores(x, log):
    total, name = 0.0, ""
    for i in range(len(x)):
        total = total * 0.5 + x[i]
        if i % 300 == 299:
            name = str(i)
            log.append(name)
    return total, name


def overwrites(x, y):
    total = 0.0
    for i in range(len(x)):
        total = total * 0.5 + x[i]
        if i % 300 == 299:
            x.fill(float(str(i)))
    return total


def reshapes(x, log):
    total = 0.0
    for i in range(len(x)):
        total = total * 0.5 + x[i % 20].sum()
        if i % 300 == 299:
            x.resize((30, 100), refcheck=False) if len(log) else None
            log.append(str(i))
    return total, x.shape


def sets_in_a_dict(x, table):
    total = 0.0
    for i in range(len(x)):
        total = total * 0.5 + x[i] * table["scale"]
        if i % 300 == 299:
            table.update(scale=float(str(i)))
    return total, table


def moves_the_iterator(x, values, log):
    total = 0.0
    for i in values:
        total = total * 0.5 + x[i]
        if i % 300 == 299:
            log.append(str(next(values)))
    return total, log, i


def several(x, log):
    total = 0.0
    for i in range(len(x)):
        total = total * 0.5 + x[i]
        if i % 300 == 299:
            log.append(str(i))
        elif total > 2.5:
            log.append(repr(i))
            continue
        total -= 0.25
    return total, log


def within_another(x, log):
    total = 0.0
    for k in range(5):
        for i in range(len(x)):
            total = total * 0.5 + x[i]
            if i % 700 == k:
                log.append(f"{k} {i}")
        log.append(str(k))
    return total, log


def overflows(x, log):
    total = 1e300
    for i in range(len(x)):
        total = total * 1.005 + x[i]
        if i % 300 == 299:
            log.append(str(i))
    return total, log


def through_a_cell(x, log):
    scale = 2.0

    def of(value):
        return value * scale

    total = 0.0
    for i in range(len(x)):
        total = total * 0.5 + of(x[i])
        if i % 300 == 299:
            log.append(str(i))
            scale = float(str(i))
    return total, log


@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize("program", [
    logs, shows_its_variables, stores, overwrites, sets_in_a_dict, several, within_another,
    through_a_cell,
])
def test_arms_do_what_they_do_in_python(program, backend):
    other = {"scale": 0.5} if program is sets_in_a_dict else []
    check(dl.compile(program, backend=backend), program, X, other, calls=3)


def test_an_array_that_an_arm_reshapes():
    def make():
        return np.arange(3000.0).reshape(100, 30).copy(), []

    check_anew(dl.compile(reshapes), reshapes, make)


def test_an_arm_moves_the_iterator_of_the_loop():
    compiled = dl.compile(moves_the_iterator)
    for _ in range(3):
        expected = outcome(moves_the_iterator, (X, iter(range(2900)), []))
        assert not differences(outcome(compiled, (X, iter(range(2900)), [])), expected)


def test_reports_of_later_iterations_come_behind_earlier_arms():
    compiled = dl.compile(overflows)
    for _ in range(4):
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            expected = outcome_of_copy(overflows, (X, []))
            assert not differences(outcome_of_copy(compiled, (X, [])), expected)


def where(function, *arguments):
    """The lines of the program that an exception goes through, and what it says."""
    try:
        function(*arguments)
    except ValueError as error:
        frames = traceback.extract_tb(error.__traceback__)[1:]
        return str(error), [(frame.name, frame.lineno) for frame in frames]
    return None


def test_exceptions_of_arms_have_the_users_line_and_keep_what_was_done():
    compiled = dl.compile(fails_late)
    for bad in (7, 0, 9, 3):
        texts = [str(n) if n != bad else "none" for n in range(10)]
        ours, theirs = [], []
        assert where(compiled, X, ours, texts) == where(fails_late, X, theirs, texts)
        assert ours == theirs and len(ours) == bad


def entries_in_steps():
    compiled = [each for each in gc.get_objects() if isinstance(each, CompiledFunction)]
    entries = [entry for each in compiled for entry in each.entries()]
    return [entry for entry in entries if isinstance(entry.target, Steps)]


@pytest.mark.parametrize("program", [several, logs])
def test_the_loop_goes_on_without_a_frame_of_python(program):
    dl.reset()
    compiled, log = dl.compile(program), []
    for _ in range(3):
        compiled(X, log)
    assert any(entry.hits == len(log) for entry in entries_in_steps())
    assert any(isinstance(each, Arm) for each in gc.get_objects())


def watched(x, log, watch):
    total = 0.0
    for i in range(len(x)):
        total = total * 0.5 + x[i]
        if i == 1199:
            log.append(sys.settrace(watch))
    sys.settrace(None)
    return total


def test_an_arm_that_has_lines_watched_leaves_the_rest_to_python():
    def lines_of(function):
        seen = []

        def watch(frame, event, arg):
            return watch

        def local(frame, event, arg):
            if event == "line" and frame.f_code.co_name == "follows":
                seen.append(frame.f_lineno)
            return local

        def follows(value):
            return value + 1

        function(X, [], lambda frame, event, arg: local)
        return seen

    compiled = dl.compile(watched)
    for _ in range(2):
        assert lines_of(compiled) == lines_of(watched)


def test_interrupts_arrive_while_arms_run():
    def stops(x, log, signals):
        total = 0.0
        for i in itertools.count():
            total = total * 0.5 + x[i % 3000]
            if i % 1000 == 999:
                log.append(str(next(signals)))
        return total

    def signals():
        for n in itertools.count():
            if n == 20:
                raise KeyboardInterrupt
            yield n

    compiled = dl.compile(stops)
    for _ in range(2):
        log = []
        with pytest.raises(KeyboardInterrupt):
            compiled(X, log, signals())
        assert len(log) == 20


def test_steps_that_do_not_fit_together_are_refused():
    def function(a, b):
        return a

    bad = [
        ((), ()), ((("RETURN", 5),), ()), ((("UNLESS", 0, 0), ("RETURN", 0)), ()),
        ((("CALL", print, (0,), 0), ("RETURN", 0)), ()), ((("GO_ON", function),), ()),
        ((("RETURN", ~1),), (1,)), ((("UNLESS", 0, 1),), ()), ((("OTHER", 0),), ()),
        ((("UNLESS_PAYS", print, (0, 1), 1), ("RETURN", 0)), ()),
        ((("UNLESS_PAYS", Balance(), (0,), 1), ("RETURN", 0)), ()),
        ((("ITERATE", print, (0,), 2, 0, 2, 2), ("RETURN", 0)), ()),
    ]
    for steps, constants in bad:
        with pytest.raises((ValueError, TypeError)):
            Steps(function, 2, 1, steps, constants)
    made = Steps(function, 2, 1, (("UNLESS", 0, 2), ("RETURN", 1), ("RETURN", ~0)), ("no",))
    assert made(True, 3) == 3 and made(False, 3) == "no" and made.function is function
    with pytest.raises(TypeError):
        made(1)


def condition_twice(x):
    """The condition of the `while` is tested at two places, as there is a `continue`."""
    seen, limit, top = [], 3, x.max()
    for i in range(4, 0, -1):
        count = 0
        while count < 3:
            count += 1
            if not (top > 1):
                seen.extend([i, limit])
            if limit > 40:
                if limit == 30:
                    continue
        seen.append(i)
    return seen


def test_an_arm_ends_where_a_while_tests_its_condition_again():
    check(dl.compile(condition_twice), condition_twice, np.linspace(-1, 0.5, 8))
