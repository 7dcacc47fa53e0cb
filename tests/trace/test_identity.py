"""Objects that are told apart by identity: as keys of sets and dicts, and by their `id`."""
import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.base.config import config

from .test_guarded import X, follow


class Node:
    def __init__(self, value, *children):
        self.value = value
        self.children = children


A, B = Node(1), Node(2)


def in_a_set(a, b, x): return b in {a}, x + a.value + b.value
def in_a_dict(a, b, x): return {a: 1, b: 2}.get(a), len({a: 1, b: 2}), x + 1
def ids_in_a_set(a, b, x): return len({id(a), id(b)}), id(b) in {id(a)}, x + 1
def ids_compared(a, b, x): return id(a) == id(b), id(a) != id(b), id(a) == id(a), x + 1


@pytest.mark.parametrize("function", [in_a_set, in_a_dict, ids_in_a_set, ids_compared])
def test_two_arguments_become_one_object(function):
    follow(function, (A, B, X), (A, A, X), (B, B, X), (B, A, X))


def order(node, x):
    """The nodes behind `node`, each once, after those it needs."""
    found, seen = [], set()

    def visit(node):
        if id(node) not in seen:
            seen.add(id(node))
            for child in node.children:
                visit(child)
            found.append(node.value)

    visit(node)
    return found, len(seen), x + 1


def test_a_graph_whose_nodes_are_shared_or_not():
    leaf = Node(3)
    shared = Node(0, Node(1, leaf), Node(2, leaf))
    apart = Node(0, Node(1, leaf), Node(2, Node(3)))
    follow(order, (shared, X), (apart, X), (shared, X))


def test_arrays_by_their_id():
    def once(x, weights):
        doubled = {}
        for weight in weights:
            if id(weight) not in doubled:
                doubled[id(weight)] = weight * 2
            x = x + doubled[id(weight)]
        return x, len(doubled)

    v, w = np.arange(4.0), np.ones(4)
    follow(once, (X, [v, w, v]), (X, [v, v, v]), (X, [w, v, v]), (X, [w, v, w]))


def test_an_id_that_leaves_the_function():
    values = [1]
    with config.patch(strict=True):
        compiled = dl.compile(lambda x: (id(values), {id(values)}, x + 1), fullgraph=True)
        assert compiled(X)[:2] == (id(values), {id(values)})


def test_the_number_itself_is_not_known():
    def parity(x):
        return id(x) % 16, x + 1

    assert dl.compile(parity)(X)[0] == id(X) % 16
    assert "the id of x" in dl.explain(parity)(X).breaks[0].reason


def test_many_keys():
    nodes = [Node(i) for i in range(100)]
    follow(lambda nodes, x: (len(set(nodes)), x + 1), (nodes, X), (nodes[:50] * 2, X))
    explained = dl.explain(lambda nodes, x: (len(set(nodes)), x + 1))(nodes, X)
    assert not explained.breaks and len(explained.guards) < 250


def test_whole_parts_of_tuples_are_the_tuples_themselves():
    def parts(x, t):
        empty = ()
        return x * 2, [p is t for p in (t[:], t[0:], t[::1], t + empty, empty + t, t * 1, t[1:])]

    compiled = dl.compile(parts, backend="eager", fullgraph=True)
    for t in ([1], 2), ([1],):
        assert compiled(np.ones(2), t)[1] == parts(np.ones(2), t)[1]


def smaller(a, b, x): return min(a, b), max(a, b), x + 1
def smallest(a, b, x): return min(a, b, a), max(min(a, b), a), x + 1
def branch(a, b, x): return (a if x.max() > 0 else b), x + 1
def real(a, b, x): return a.real, b.real, x + a
def copies(a, b, x): return a.conjugate(), b.conj() if hasattr(b, "conj") else b, x + a


def either(a, b, x):
    found = a
    if x.sum() > 0:
        found = b
    return found, x + found


@pytest.mark.parametrize("function", [smaller, smallest, branch, real, copies, either])
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64, np.bool_, float])
def test_numbers_that_come_out_are_those_that_went_in(function, kind):
    compiled = dl.compile(function)
    for pair in ((kind(1000), kind(0)), (kind(0), kind(2000)), (kind(3000), kind(3000))):
        for x in (X + 1, -X - 1):
            expected, found = (f(*pair, x) for f in (function, compiled))
            names = [[value is one for value in result for one in pair]
                     for result in (expected, found)]  # fmt: skip
            assert names[0] == names[1]
            assert list(map(type, found)) == list(map(type, expected))
            assert found[0] == expected[0] and found[1] is not None


def test_tuples_of_the_code_are_one_object():
    def constants(x):
        return (1, (2.0, "a")), x + 1

    def part(x):
        return (1, (2.0, "a"))[1], (x + 1, (3, 4))[1]

    for function in (constants, part):
        compiled = dl.compile(function)
        assert compiled(X)[0] is compiled(X)[0] is function(X)[0]
    assert compiled(X)[1] is part(X)[1]


NAN, OTHER = float("nan"), float("nan")


def in_a_list(n, x): return n in [n], NAN in ["a", n], (n, 1) == (NAN, 1), x + 1
def in_what_was_given(given, x):
    found = NAN in given, given.count(NAN), given == ["a", NAN], x + 1
    return *found, given.index(NAN) if found[0] else None
def in_a_list_of_its_own(x): return np.nan in ["a", np.nan], ["a", np.nan].index(np.nan), x + 1
def in_parts(n, x): return complex(0, n) in [n], n in [1.0, 2], [n, 1] == [1, n], x + 1


@pytest.mark.parametrize("function, values", [
    (in_a_list, (NAN, 1.0, OTHER, NAN)), (in_a_list, (1.0, OTHER, NAN)),
    (in_what_was_given, (["a", NAN], ["a", OTHER], ["a", 2.0], ["a", NAN])),
    (in_what_was_given, (["a", 2.0], ["a", NAN])), (in_parts, (NAN, 1.0, 2.0, NAN)),
])  # fmt: skip
def test_containers_find_what_is_no_number_by_its_identity(function, values):
    follow(function, *((value, X) for value in values))


def test_what_is_no_number_is_found_in_lists_of_the_frame():
    follow(in_a_list_of_its_own, (X,), (X,))
