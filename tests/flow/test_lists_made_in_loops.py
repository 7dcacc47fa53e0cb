"""Lists that iterations make: by comprehensions that filter, as indices, and behind their loop."""
import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check

VECTOR = np.round(np.sin(np.arange(60.0) * 5) * 64) / 64
LABELS = np.arange(60) * 7 % 11


def broken_with_the_list(x, labels):
    for c in range(50):
        members = []
        for n in range(len(x)):
            if labels[n] == c:
                members.append(n)
        if len(members) < 6:
            break
    return members, c


def the_last_one(x, labels):
    for c in range(50):
        members = [-1]
        for n in range(len(x)):
            if labels[n] * 5 >= c:
                members.append(n)
    return members


def of_two_loops(x, labels):
    for a in range(45):
        for b in range(45):
            members = []
            for n in range(len(x)):
                if labels[n] == a % 7 + b % 5:
                    members.append(x[n])
    return members, a + b


def filtered(x, labels):
    return [v for v in x if v > 0.25]


def filtered_by_index(x, labels):
    return np.array([n for n in range(len(x)) if labels[n] == 3])


def of_pairs(x, labels):
    return [(n, float(v)) for n, v in enumerate(x) if labels[n] % 2]


def filtered_in_a_loop(x, labels):
    total = 0
    for c in range(50):
        total += len([n for n in range(len(x)) if labels[n] == c])
    return total


def nested(x, labels):
    return [i * j for i in range(len(x)) for j in range(3) if labels[i] > 5]


def within_an_expression(x, labels):
    return len(x) + len([v for v in x if v > 0]) * len([v for v in x if v < 0.5])


def a_set(x, labels):
    return len({n % 7 for n in range(len(x)) if x[n] > 0})


def a_dict(x, labels):
    return {n: n * 2 for n in range(len(x)) if x[n] > 0}


def as_positions(x, labels):
    out = np.zeros(50)
    for c in range(50):
        members = [n for n in range(len(x)) if labels[n] == c]
        if members:
            out[c] = x[members].mean()
    return out


def as_positions_of_rows(x, labels):
    rows = x[:40].reshape(20, 2)
    out = np.zeros((50, 2))
    for c in range(50):
        members = []
        for n in range(20):
            if labels[n] == c:
                members.append(n)
        if len(members) > 1:
            out[c] = rows[members].sum(axis=0)
    return out


def behind_the_loop(x, labels):
    members = [n for n in range(len(x)) if labels[n] == 2]
    taken = x[members]
    taken[0] = 7.0
    return taken, x[members]


def summed(x, labels):
    small, large = np.float32(x), x * 1e300
    kept = [v for v in small if v < 0.25], [n * labels[n] for n in range(len(x)) if labels[n] > 2]
    return sum(kept[0]), sum(kept[1]), sum([v for v in large if v > 0]), max(kept[0])


def list_in_a_cell(x, labels):
    nearest = [0] * len(x)
    for c in range(45):
        for n in range(len(x)):
            nearest[n] = nearest[n] + int(labels[n] == c % 4)
        x = x + len([n for n in range(len(x)) if nearest[n] == c])
    return x, nearest


def one_of_what_is_allowed(x, labels):
    at, path = 3, np.zeros(len(x), int)
    for c in range(len(x)):
        near = []
        if at > 1:
            near.append(at - 1)
        if at < 50:
            near.append(at + 1)
        if labels[c] > 5:
            near.append(at + 2)
        at = near[labels[c] % len(near)]
        path[c] = at
    return path, at


def one_of_the_neighbours(x, labels):
    i, j, seen = 3, 0, np.zeros((20, 30), bool)
    for c in range(len(x)):
        near = []
        if i > 0:
            near.append((i - 1, j))
        if i < 19:
            near.append((i + 1, j))
        if j < 29 and x[c] > -0.5:
            near.append((i, j + 1))
        else:
            near.append((i, j))
        i, j = near[labels[c] % len(near)]
        seen[i, j] = True
    return seen, i, j


def one_of_several(x, labels):
    total, steps = 0.0, [(0, -1), (0, 1), (2, 3), (5, -4)]
    for c in range(len(x)):
        down, right = steps[labels[c] % 4]
        total += (x[c], x[0], x[c] * 2)[labels[c] % 3] * down - right
        total += [x[1], x[c], x[3]][labels[c] % -3]
    return total


def not_seen_before(x, labels):
    seen, path, repeats, at = [], [], 0, 0
    for c in range(len(x)):
        at = (at * 7 + int(labels[c])) % 30
        if at in seen:
            repeats += 1
        else:
            seen.append(at)
        if (at % 5, c % 3) not in path:
            path.append((at % 5, c % 3))
        repeats += labels[c] in (1, 2, c)
    return seen, path, repeats


def flooded(x, labels):
    seen, stack, steps = np.zeros((6, 10), bool), [[2, 3]], 0
    while stack:
        place = stack.pop()
        i, j = place
        if i < 0 or j < 0 or i >= 6 or j >= 10 or seen[i, j] or labels[i * 10 + j] > 8:
            continue
        seen[i, j] = True
        steps += len(place)
        stack.append([i + 1, j])
        stack.append([i - 1, j])
        stack.append([i, j + 1])
        stack.append([i, j - 1])
    return seen, steps, stack


def two_steps_at_once(x, labels):
    i, j, seen, left = 5, 5, np.zeros((40, 40), int), []
    for c in range(len(x)):
        near = []
        if i > 1:
            near.append([(i - 1, j), (i - 2, j)])
        if i < 38:
            near.append([(i + 1, j), (i + 2, j)])
        if x[c] > 0:
            near.append([(i, j), (i, (j + 1) % 40)])
        first, second = near[labels[c] % len(near)]
        seen[first] += 1
        seen[second] += 2
        i, j = second
        left.append(((i, j), x[c]))
    return seen, i, j, left


NATIVE = (
    flooded, two_steps_at_once,
    not_seen_before,
    one_of_what_is_allowed, one_of_the_neighbours, one_of_several,
    broken_with_the_list, the_last_one, of_two_loops, filtered, filtered_by_index, of_pairs,
    filtered_in_a_loop, nested, within_an_expression, a_set, a_dict, as_positions,
    as_positions_of_rows, summed, behind_the_loop, list_in_a_cell,
)  # fmt: skip


def named(function):
    return function.__name__


@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize("program", NATIVE, ids=named)
def test_lists_are_those_of_python(program, backend):
    compiled = dl.compile(program, backend=backend)
    with dl.config.patch(strict=True):
        for labels in (LABELS, LABELS * 0 + 4, LABELS[::-1].copy()):
            check(compiled, program, VECTOR, labels, calls=1)


@pytest.mark.parametrize("program", NATIVE, ids=named)
def test_the_loops_are_in_the_graph(program):
    found = dl.explain(program)(VECTOR, LABELS)
    assert found.graph_count == 1 and not found.break_reasons


def left_to_python(x, labels):
    shown = []
    for c in range(50):
        members = []
        for n in range(len(x)):
            if labels[n] == c:
                members.append(n)
        if len(members) > 5:
            shown.append(str(members))
    return shown, members


def of_one_arm(x, labels):
    if x[0] > 0.5:
        members = [1]
    else:
        members = [2]
        for n in range(len(x)):
            if labels[n] == 3:
                members.append(n)
    return members


def of_either_arm(x, labels):
    total = 0
    for i in range(50):
        members = [1, 2]
        if x[i] > 0:
            members = [i]
            for n in range(len(x)):
                if labels[n] == 3:
                    members.append(n)
        total += len(members)
    return members, total


def positions_of_bools(x, labels):
    flags = [bool(v) for v in labels if v >= 0]
    return x[flags]


def positions_out_of_range(x, labels):
    return x[[n * 10 for n in range(len(x)) if labels[n] == 3]]


def summed_from(x, labels):
    kept = [v for v in x if v < 0]
    return sum(kept, 0.5), sum(kept, len(x)), sum(kept, False), sum([v == 0 for v in x if v < 2])


def summed_nothing(x, labels):
    return sum([v for v in x if v > 2]), sum([v for v in labels if v > 99])


def list_with_two_names(x, labels):
    nearest = [0] * len(x)
    other = nearest
    for c in range(45):
        for n in range(len(x)):
            other[n] = nearest[n] + int(labels[n] == c % 4)
    return other, [n for n in nearest if n > 1], nearest is other


def list_of_a_function(x, labels):
    nearest = [0] * len(x)

    def more(n):
        nearest[n] += 1

    for c in range(45):
        for n in range(len(x)):
            if labels[n] == c % 4:
                more(n)
    return nearest


def gone_through_by_itself(x, labels):
    return [v for v in [w for w in x if w > 0] if v > 0.5]


def filled_before_another_loop(x, labels):
    made, row, last = [3], [1] * 9, [0] * 9
    a, b, v, t = x[0], 0.25, np.zeros(8), 3
    for q in range(7):
        if x[q % 8] > labels[0]:
            made.append(q % 5 + t % 3)
        if len(made) > 20:
            break
    for i in range(6):
        if i > 2:
            if v[0]:
                w = (((1 % a) * (b * b)) - (1 + b) ** 2)
                a = w
                row = [t] + [0] * 8
                row[i % 8] = last[-1]
            made = [1, 2]
            for q in range(50):
                if q % 3 == t % 3:
                    made.append(q % 5 + t % 3)
        if i % 2 == 0:
            c = 3
            while c < 4:
                c += 1
                made = [1, 2]
                if labels[q % 8] > 1:
                    made.append(q % 8)
                a = 0
    return made, row, last, a, v, t


def lists_with_two_names(x, labels):
    place = [2, 3]
    stack = [place]
    for c in range(50):
        new = [c, c]
        stack.append(new)
        new[0] = 5
        if labels[c] > 3:
            stack.append([c, 1])
    place[1] = 77
    return stack, place is stack[0]


def changed_lists(x, labels):
    stack = []
    for c in range(50):
        if labels[c] > 3:
            stack.append([c, 1])
        stack.append([c, 2])
        stack[-1][0] += 10
        stack[0].append(c)
    return stack


def kept_lists(x, labels):
    stack, out = [], []
    for c in range(50):
        if labels[c] > 3:
            stack.append([c, 1])
        stack.append([c, 2])
        last = stack[-1]
        out.append(last)
    return stack, out, out[-1] is stack[-1]


def lists_told_apart(x, labels):
    found, stack = 0, []
    for c in range(50):
        if labels[c] > 3:
            stack.append([c, 1])
        stack.append([c, 2])
        first, last = stack[0], stack[-1]
        found += (first is last) + (first == last) + ([0, 1] in stack) + (first == [0, 1])
    return found, stack


def the_same_list_twice(x, labels):
    stack = [[1, 2]] * 2
    for c in range(50):
        if labels[c] > 3:
            stack.append([c, 1])
    stack[0][0] = 9
    return stack


def not_a_number_in_it(x, labels):
    nan, seen = x[0] * np.nan, [0.5]
    total = 0
    for c in range(50):
        if nan not in seen:
            seen.append(nan)
        total += len(seen) + (x[c] in seen)
    return total


def with_two_names(x, labels):
    total = 0
    for c in range(50):
        near = [c]
        other = near
        if x[c] > 0:
            near.append(labels[c])
        total += other[-1] + len(other)
    return total


def of_several_types(x, labels):
    total = 0.0
    for c in range(50):
        near = [1]
        if x[c] > 0:
            near.append(0.5)
        total += near[labels[c] % len(near)]
    return total


def all_of_them(x, labels):
    found = []
    for c in range(50):
        near = [c]
        if x[c] > 0:
            near.append(labels[c] * 2)
        found.append(near)
    return found


def out_of_range(x, labels):
    total = 0
    for c in range(50):
        near = [c]
        if x[c] > 0:
            near.append(c + 1)
        total += near[labels[c] - 2]
    return total


@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize("program", [
    filled_before_another_loop, lists_with_two_names, changed_lists, kept_lists, lists_told_apart,
    the_same_list_twice,
    not_a_number_in_it, with_two_names, of_several_types, all_of_them, out_of_range,
    left_to_python, of_one_arm, of_either_arm, positions_of_bools, positions_out_of_range,
    summed_from, summed_nothing, list_with_two_names, list_of_a_function, gone_through_by_itself,
], ids=named)  # fmt: skip
def test_what_such_lists_cannot_do(program, backend):
    compiled = dl.compile(program, backend=backend)
    with dl.config.patch(strict=True):
        for labels in (LABELS, LABELS * 0 + 4, LABELS):
            check(compiled, program, VECTOR, labels, calls=1)


def added_to_others(x, labels):
    return [x * 2] + [v + 1 for v in x], [v * 2 for v in x] + [v + 1 for v in labels]


def unpacked(x, labels):
    a, b, *others = [v + 1 for v in x]
    return a * b, others


def in_other_containers(x, labels):
    return tuple([v + 1 for v in x]), [-v for v in x][::-1], [v * 2 for v in labels][1:], *(
        [v - 1 for v in x])


def with_loops_in_few_iterations(x, labels):
    total = np.zeros(4)
    for c in range(4):
        for n in range(len(x)):
            if labels[n] % 4 == c:
                total[c] += x[n]
        total[c] *= len([n for n in range(len(x)) if labels[n] == c])
    return total


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize(
    "program", [added_to_others, unpacked, in_other_containers, with_loops_in_few_iterations],
    ids=named)
def test_lists_of_comprehensions_can_be_all_that_lists_can(program, dynamic):
    compiled = dl.compile(program, dynamic=dynamic, fullgraph=True)
    with dl.config.patch(strict=True):
        for count in (5, 3, 4):
            check(compiled, program, VECTOR[:count], LABELS[:count], calls=1)


@pytest.mark.parametrize(("items", "later"), [(["a", "b"], ["a", 2.5]), ([1, 2], [1, "c"])])
def test_items_behind_the_one_that_is_looked_for_may_change(items, later):
    compiled = dl.compile(lambda x, items, wanted: x + (wanted in items))
    for held in (items, later):
        check(compiled, lambda x, items, wanted: x + (wanted in items), VECTOR, held, items[0])
    assert dl.stats().recompiles == 0
