"""Lists of numbers that loops change: in the graph, and exactly Python's lists afterwards."""
import numpy as np
import pytest
from dynamo_lite.backends.lowering.indexing import structure

import dynamo_lite as dl
from benchmarks.list_programs import primes_by_division
from dynamo_lite.tracer.control_flow import growing
from dynamo_lite.tracer.frame.speculation import translate

from ..oracle import check

VECTOR = np.round(np.sin(np.arange(60.0) * 5) * 64) / 64


def prefix_sums(x):
    total, sums = 0.0, []
    for v in x:
        total += v
        sums.append(total)
    return sums, np.array(sums)


def numpy_items(x):
    out = []
    for v in x:
        if v > 0.25:
            out.append(v)
    return out


def positions(x):
    found = []
    for i, v in enumerate(x):
        if 0 < i < len(x) - 1 and x[i - 1] < v > x[i + 1]:
            found.append(i)
    return found, len(found), np.array(found, dtype=float)


def pairs(x):
    found = []
    for i, v in enumerate(x):
        if v > 0:
            found.append((i, float(v), v > 0.5))
    return found


def flags(x):
    seen = [True, False]
    for v in x:
        seen.append(v > 0)
        seen[0] = seen[-1]
    return seen


def own_items(x):
    out = [x[0], x[1]]
    for i in range(2, len(x)):
        out.append(out[-1] * 0.5 + out[i - 2])
    return out


def merged(x):
    a, b = np.sort(x[::2]), np.sort(x[1::2])
    out, i, j = [], 0, 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            out.append(a[i])
            i += 1
        else:
            out.append(b[j])
            j += 1
    out.extend(a[i:])
    out.extend(b[j:])
    return np.array(out), out


def extended(x):
    out, halves = [], []
    for i in range(len(x)):
        out.append(x[i])
        halves.append(x[-i])
    out.extend(x)
    out.extend(halves)
    out.extend(x[:0])
    return out, len(halves)


def stack(x):
    todo, n = [(0, len(x))], 0
    while todo:
        low, high = todo.pop()
        if high - low < 2 or x[low] > 0.99:
            continue
        n += 1
        todo.append((low, (low + high) // 2))
        todo.append(((low + high) // 2, high))
    return n


def gone_through(x):
    primes, n = [], 2
    while n < 40 + x[0]:
        is_prime = True
        for p in primes:
            if n % p == 0:
                is_prime = False
        if is_prime:
            primes.append(n)
        n += 1
    return primes


def in_rounds(x):
    counts = np.zeros(5)
    for k in range(5):
        row = []
        for v in x:
            if v * 5 > k:
                row.append(v)
        counts[k] = len(row)
    return counts


def two_loops(x):
    out = []
    for v in x:
        out.append(v * 2)
    for i in range(len(out)):
        if out[i] > 1:
            out[i] = out[i] - 1
            out.append(out[i])
    return np.sum(out), out


def by_a_callee(x):
    def add(items, value):
        items.append(value * 2)

    out = []
    for v in x:
        add(out, v)
    return out


def returned_twice(x):
    out = []
    for v in x:
        out.append(v + 1)
    return [{"items": out}["items"], (out,)]


def rows_exchanged(x):
    previous, current = [0.0] * 30, [1.5] * 30
    for i in range(40):
        current[0] = float(x[i % len(x)])
        for j in range(1, 30):
            current[j] = max(previous[j - 1], current[j - 1] * 0.5) + float(x[j % len(x)])
        previous, current = current, previous
    return previous[-1], previous, current


def rows_replaced(x):
    previous = list(range(31))
    for i in range(1, 40):
        current = [i]
        for j in range(30):
            step = 1 if x[i % len(x)] > x[j % len(x)] else 0
            current.append(min(previous[j] + step, previous[j + 1] + 1, current[j] + 1))
        previous = current
    return previous


NATIVE = (prefix_sums, numpy_items, positions, pairs, flags, own_items, stack, gone_through,
          in_rounds, two_loops, by_a_callee, returned_twice,
          rows_exchanged, rows_replaced, merged, extended)  # fmt: skip


@pytest.mark.parametrize("x", [VECTOR, VECTOR[:1] * 0, VECTOR[:0], VECTOR.astype("f4") * np.nan],
                         ids=["long", "one", "none", "nan"])
@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize("program", NATIVE, ids=lambda program: program.__name__)
def test_lists_are_those_of_python(program, backend, x):
    compiled = dl.compile(program, backend=backend)
    with dl.config.patch(strict=True):
        for _ in range(2):
            check(compiled, program, x, calls=1)


@pytest.mark.parametrize("program", NATIVE, ids=lambda program: program.__name__)
def test_the_loop_is_in_the_graph(program):
    found = dl.explain(program)(VECTOR)
    assert found.graph_count == 1 and not found.break_reasons


def extended_by_others(x):
    out = []
    for i in range(len(x)):
        out.append(x[i])
    out.extend(out)
    out.extend([1, "a"])
    out.extend(x.reshape(-1, 1))
    return out


def rows_with_two_names(x):
    previous, current = [0.0] * 30, [1.5] * 30
    for i in range(40):
        current[i % 30] = x[i % len(x)]
        previous = current
    current[0] = -9.0
    return previous, current, previous is current


def empty_pop(x):
    out = [1.0]
    for v in x:
        if v > 0:
            out.pop()
    return out


def out_of_range(x):
    out = [0, 1]
    for i in range(len(x)):
        out[i % 3] = i
    return out


def of_two_types(x):
    out = []
    for v in x:
        out.append(0 if v > 0 else v)
    return out


def has_another_name(x):
    out = []
    other = out
    for v in x:
        out.append(v)
    return len(other), out


def changed_while_gone_through(x):
    out = [1.0]
    for v in out:
        if len(out) < 50:
            out.append(v + x[0])
    return out


def kept_by_an_object(x):
    class Holder:
        pass

    holder, out = Holder(), []
    holder.items = out
    for v in x:
        out.append(v)
    return len(holder.items), out


def inserted(x):
    out = []
    for v in x:
        out.insert(0, v)
    return out


def of_lists(x):
    out = []
    for v in x:
        out.append([v])
    return out


def large_ints(x):
    out = [2**62]
    for _ in x:
        out.append(out[-1] * 3)
    return out


def as_small_ints(x):
    out = []
    for i in range(len(x)):
        out.append(i * 6)
    return np.array(out, dtype=np.uint8)


def assigned(x):
    out, y = [], np.zeros(len(x), np.uint8)
    for i in range(len(x)):
        out.append(i * 6)
    y[:] = out
    return y


@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize("program", [
    rows_with_two_names, empty_pop, out_of_range, of_two_types, has_another_name,
    extended_by_others, changed_while_gone_through, inserted, kept_by_an_object, of_lists,
    large_ints, as_small_ints, assigned,
], ids=lambda program: program.__name__)  # fmt: skip
def test_what_lists_of_the_graph_cannot_do(program, backend):
    compiled = dl.compile(program, backend=backend)
    with dl.config.patch(strict=True):
        for x in (VECTOR, VECTOR[:3]):
            check(compiled, program, x, calls=1)


def test_a_continue_leaves_a_while_loop_with_one_head():
    def program(x):
        i = n = 0
        while i < len(x) and n < 20:
            i += 1
            if x[i - 1] > 0:
                continue
            n += i
        return n

    found = dl.explain(program)(VECTOR)
    assert found.graph_count == 1 and not found.break_reasons
    assert found.result == program(VECTOR)


def test_while_loops_of_known_numbers_are_not_gone_through_to_their_end():
    check(dl.compile(primes_by_division), primes_by_division, 150)
    assert "while_loop" in str(dl.explain(primes_by_division)(150))


def test_lists_of_unknown_length_that_get_too_long(monkeypatch):
    monkeypatch.setattr(growing, "LARGEST", 50)

    def program(x, n):
        out = []
        while n > 1:
            out.append(n)
            n -= x[0]
        return out

    compiled = dl.compile(program)
    for n in (20.0, 100.0, 30.0):
        check(compiled, program, np.ones(1), n, calls=1)


def reads_around(places):
    items = []
    for i in range(60):
        items.append(i * 0.5)
    total = 0.0
    for place in places:
        total = total * 0.5 + items[place]
        items[place] = total
    return total, items


@pytest.mark.parametrize("last", [59, -60, 60, -61, 2**63 - 1, -(2**63), 2**63 - 30])
def test_any_index_of_a_list_is_told_from_one_that_is_none(last):
    compiled = dl.compile(reads_around)
    for at in (59, last):
        check(compiled, reads_around, np.array([*range(-60, 60), at]))


def test_an_index_of_a_list_is_counted_from_the_front_once(monkeypatch):
    again = []
    monkeypatch.setattr(structure, "counted_from_front", lambda *args: again.append(args))
    check(dl.compile(reads_around), reads_around, np.arange(60))
    assert not again


def added_to(x):
    out = []
    for i in range(len(x)):
        if x[i] > 0.5:
            out += [i]
    return out


def extended(x):
    out = []
    for i in range(len(x)):
        if x[i] > 0.5:
            out.extend((i, i + 1))
            out.extend([])
    return out, len(out)


def with_pairs(x):
    out = []
    for i in range(len(x)):
        if x[i] > 0.5:
            out += [(i, -i), (i + 1, 2)]
    return out


@pytest.mark.parametrize("program", [added_to, extended, with_pairs])
def test_literals_are_added_item_by_item(program):
    compiled = dl.compile(program, fullgraph=True)
    for x in (VECTOR, VECTOR * 0, VECTOR * 0 + 0.6):
        check(compiled, program, x, calls=2)


def with_several_types(x):
    out = [1]
    for i in range(len(x)):
        if x[i] > 0.9:
            out += [i, x[i]]
        elif x[i] > 2:
            out += i
    return out


def test_literals_of_other_types_are_left_to_python():
    compiled = dl.compile(with_several_types)
    for x in (VECTOR, VECTOR * 3):
        check(compiled, with_several_types, x, calls=2)


def four_paths(x):
    a, b, c, d = [x[0]], [x[1]], [x[2]], []
    for i in range(50):
        a.append(a[i] + b[i])
        b.append(b[i] - c[i] * 0.5)
        c.append(-c[-1])
        d.append(i)
    return np.array(a), b, c, d


def of_two_types(x):
    a, b = [1.0], [2.0]
    for i in range(50):
        y = a[i] + b[i]
        b.append(y)
        a.append(y * x[i])
    return a, b


@pytest.mark.parametrize("function, most", [(four_paths, 2), (of_two_types, 2)])
def test_what_becomes_of_several_lists_is_known_after_one_iteration(function, most):
    """Another analysis for each list would take as long as all of the others."""
    assert translate(function, (VECTOR,)).restarts <= most
    check(dl.compile(function), function, VECTOR)
