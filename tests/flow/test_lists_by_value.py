"""Loops that replace a list of numbers by another one in each iteration: exactly Python's, whoever
else has the first one."""
import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check

X = np.arange(60) * 7 % 5
START, GOAL = [3, 0], [3, 40]
FLOATS = [0.5, float("nan")]


class Walker:
    def __init__(self, state):
        self.state = state


def moved(state, by):
    i, j = state
    if by == 0:
        return [max(i - 1, 0), j]
    elif by == 1:
        return [min(i + 1, 6), j + 1]
    return [i, j + 1]


def from_outside(x):
    state, k = START, 0
    while state != GOAL and k < len(x):
        state = moved(state, x[k])
        k += 1
    return k


def by_position(x):
    state, total = START, 0
    for k in range(len(x)):
        state = [int(x[k]), state[0] + k % 3]
        total += state[1] * x[state[0]]
    return total


def given(x, state):
    for k in range(len(x)):
        state = [state[1], state[0] + x[k]]
    return x[int(k) % 5]


def of_the_frame(x):
    state = [0, 1]
    for k in range(len(x)):
        state = [state[1], x[k]]
    return state


def with_another_name(x):
    first = state = [0, 1]
    for k in range(len(x)):
        state = [state[1], x[k]]
    return first, first is state


def tuples_of_it(x):
    state, seen = START, 0
    for k in range(len(x)):
        seen += tuple(state) in {(3, 0), (3, 1)}
        state = [3, k % 2]
    return seen


def exchanged(x):
    one, other = START, GOAL
    for k in range(len(x)):
        one, other = other, [one[0] + 1, x[k]]
    return k


def returned(x):
    state = START
    for k in range(len(x)):
        state = moved(state, x[k])
    return state


def returned_unchanged(x):
    state = START
    for k in range(len(x) - 60):
        state = moved(state, x[k])
    return state, state is START


def read_behind(x):
    state = START
    for k in range(len(x)):
        state = moved(state, x[k])
    return state[0] * 2 + state[1]


def changed_by_another_name(x):
    start = [3, 0]
    state = start
    for k in range(len(x)):
        start[0] += x[k]
        if k % 7 == 3:
            state = [k, 0]
    return state[0]


def first_one_changed(x):
    start, total = [3, 0], 0
    state = start
    for k in range(len(x)):
        total += state[0]
        start[0] += 1
        state = [int(x[k]), state[1]]
    return total, start


def changed_in_place(x, start):
    state, total = start, 0
    for k in range(len(x)):
        state[0] += x[k]
        total += state[0]
        state = [state[0] % 3, state[1]]
    return total


def appended_to(x, start):
    state, total = start, 0
    for k in range(len(x)):
        state.append(k)
        total += len(state)
        state = [state[0], x[k]]
    return total


def now_and_then(x):
    state, total = START, 0
    for k in range(len(x)):
        if x[k] > 2:
            state = [k, state[0]]
        total += state[1]
    return total


def told_from_the_first(x):
    state, same = START, 0
    for k in range(len(x)):
        same += state is START
        state = [x[k], k]
    return same


def kept_elsewhere(x):
    state, kept = START, []
    for k in range(len(x)):
        kept.append(state)
        state = [k, k]
    return kept, kept[0] is START


def kept_in_a_field(x):
    state, walker = START, Walker([0, 0])
    for k in range(len(x)):
        walker.state = state
        state = [int(x[k]), k]
    return walker.state, walker.state is START


def with_two_names(x):
    state, total = START, 0
    last = START
    for k in range(len(x)):
        state = [int(x[k]), k]
        total += last[0] + (last is state)
        last = state
        last[0] += 1
        total += state[0]
    return total


def field_of_an_object(x):
    walker = Walker(START)
    for k in range(len(x)):
        walker.state = moved(walker.state, x[k])
    return walker.state


def previous(x):
    state, before, total = START, GOAL, 0
    for k in range(len(x)):
        total += before[0] + state[1] * 3
        before = state
        state = moved(state, x[k])
    return total


def of_other_lengths(x):
    state, total = START, 0
    for k in range(len(x)):
        total += len(state)
        state = [k] * (k % 3 + 1)
    return total


def of_other_types(x):
    state, total = START, 0
    for k in range(len(x)):
        total += state[0]
        state = [k + 0.5, k]
    return total


def not_numbers(x):
    state, equal = FLOATS, 0
    for k in range(len(x)):
        equal += state == FLOATS
        state = [0.5, float(x[k])]
    return equal


def nested(x):
    total = 0
    for _ in range(3):
        state = START
        for k in range(len(x)):
            state = moved(state, x[k])
            total += state[1]
        total += k
    return total


def left_early(x):
    state = START
    for k in range(len(x)):
        state = moved(state, x[k])
        if state[1] > 20:
            return state
    return None


def printed(x):
    state = START
    for k in range(len(x)):
        if k == 50:
            print(state)
        state = moved(state, x[k])
    return k


def cliff(state, by):
    i, j = state
    if by == 0:
        following = [max(i - 1, 0), j]
    elif by == 1:
        following = [i, j + 1]
    else:
        following = [min(i + 1, 3), j]
    reward = -1
    if (by == 2 and i == 2 and 1 <= j <= 10) or (by == 1 and state == START):
        reward = -100
        following = START
    return following, reward


def back_to_the_start(x):
    state, total, k = START, 0, 0
    while state != GOAL and k < len(x):
        following, reward = cliff(state, x[k])
        total += reward + following[0]
        state = following
        k += 1
    return total


def back_to_the_start_and_returned(x):
    state, following, total = START, START, 0
    for k in range(len(x)):
        following, reward = cliff(state, x[k])
        total += reward
        state = following
    return total, following, following is START


def back_to_the_start_and_left(x):
    state, total = START, 0
    for k in range(len(x)):
        following, reward = cliff(state, x[k])
        if total < -1000:
            return following, total
        total += reward
        state = following
    return following, total


def one_that_is_changed(x, start):
    state, total = start, 0
    for k in range(len(x)):
        following = [k, 0] if x[k] > 2 else state
        following[1] += 1
        total += following[1] + state[1]
    return total


def one_that_is_kept(x):
    state, kept = START, []
    for k in range(len(x)):
        following = [k, 0] if x[k] > 2 else state
        kept.append(following)
    return kept, kept[0] is START


def one_with_two_names(x):
    walker, total = Walker([0, 0]), 0
    for k in range(len(x)):
        if x[k] > 2:
            following = [int(x[k]), 0]
            walker.state = following
        else:
            following = START
        walker.state[0] += 1
        total += following[0]
    return total, walker.state, START[:]


def among_lists(x):
    walls, inside = [[1, 2], [3, 2], [0, 1], [4, 4]], 0
    for k in range(len(x) - 1):
        if [x[k], x[k + 1]] in walls:
            inside += k
    return inside


WALLS, ROOMS = [[1, 2], [3, 2], [0, 1]], ((1, 2), (4, 1))
MIXED = [[1, 2], (3, 2), [0, 1.0], [2]]


def among_lists_from_outside(x):
    inside = 0
    for k in range(len(x) - 1):
        i, j = int(x[k]), int(x[k + 1])
        inside += k * ([i, j] in WALLS) + ((i, j) in ROOMS) + ([j, i] not in WALLS)
        inside += ([i, j] in ROOMS) + ((i, j) in WALLS) + ([i, j] in MIXED) + ((i, j) in MIXED)
    return inside


FUNCTIONS = [
    back_to_the_start, back_to_the_start_and_returned, back_to_the_start_and_left,
    one_that_is_kept, one_with_two_names, among_lists,
    among_lists_from_outside,
    from_outside, by_position, of_the_frame, with_another_name, tuples_of_it, exchanged, returned,
    returned_unchanged, read_behind, changed_by_another_name, first_one_changed, now_and_then,
    told_from_the_first, kept_elsewhere, kept_in_a_field, with_two_names, field_of_an_object,
    previous, of_other_lengths, of_other_types, not_numbers, nested, left_early, printed,
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_lists_are_replaced_as_in_python(function):
    compiled = dl.compile(function)
    for x in (X, X + 1, X[:60] * 2):
        check(compiled, function, x)


@pytest.mark.parametrize("function", [
    given, changed_in_place, appended_to, one_that_is_changed,
])
def test_the_callers_list_is_changed_as_in_python(function):
    compiled = dl.compile(function)
    for start in ([3, 0], [1, 1], [2.5, 1], [np.int64(3), 7]):
        check(compiled, function, X, start)


@pytest.mark.parametrize("function", [
    from_outside, by_position, tuples_of_it, nested, back_to_the_start, among_lists,
])
def test_such_loops_are_one_graph(function):
    dl.compile(function)(X)
    assert dl.stats().graph_breaks == 0


def test_the_first_list_is_read_in_each_call():
    compiled = dl.compile(by_position)
    try:
        for START[:] in ([3, 0], [2, 5], [4, 1]):
            check(compiled, by_position, X)
    finally:
        START[:] = [3, 0]
