"""Arguments of Python's own functions and methods, given by name: as in Python, or refused as there."""
import functools
import heapq
import itertools
import operator

import numpy as np
import pytest

import dynamo_lite as dl

X = np.ones(2)


def outcome(function):
    try:
        return repr(function(X))
    except Exception as error:  # whatever Python says of it
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("expression", [
    "operator.add(a=1, b=2)", "operator.getitem([1], b=0)", "heapq.heappush(heap=[], item=1)",
    "list(itertools.takewhile(predicate=bool, iterable=[1]))", "sorted(iterable=[1])",
    "list(itertools.pairwise(iterable=[1, 2]))", "functools.reduce(function=max, iterable=[1])",
    "{}.get(1, default=2)", "{}.setdefault(key=1, default=2)", "{1: 2}.pop(key=1)",
    "[1].index(value=1)", "[1, 2].pop(index=0)", "[].append(object=1)", "{1}.add(elem=1)",
    "len(obj=[1])", "divmod(x=1, y=2)", "'a'.join(iterable=['b'])", "isinstance(obj=1, cls=int)",
])
def test_what_takes_no_such_name_is_refused_by_python(expression):
    function = eval(f"lambda x: (x + 1, {expression})")
    compiled = dl.compile(function)
    assert outcome(compiled) == outcome(compiled) == outcome(function)
    assert outcome(function).startswith("TypeError")


@pytest.mark.parametrize("expression", [
    "list(itertools.accumulate(iterable=[1, 2], func=operator.mul, initial=3))",
    "list(itertools.repeat(object=3, times=2))", "list(itertools.product([1, 2], repeat=2))",
    "sorted([2, 1], key=operator.neg, reverse=True)", "'a b c'.split(sep=' ', maxsplit=1)",
    "sum([1, 2], start=3)", "max([], default=4)", "list(enumerate(iterable=[5], start=2))",
    "functools.cmp_to_key(mycmp=lambda a, b: 0) is None", "{}.update(a=1)",
])
def test_what_takes_the_name_stays_in_the_graph(expression):
    function = eval(f"lambda x: (x + 1, {expression})")
    assert outcome(dl.compile(function, fullgraph=True)) == outcome(function)
