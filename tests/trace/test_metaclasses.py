"""Objects whose metaclass has a say in how attributes of their class are found."""
import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check

X = np.arange(4.0)


class Meta(type):
    asked = []

    def __getattr__(cls, name):
        Meta.asked.append(name)
        raise AttributeError(name)


class Figure(metaclass=Meta):
    size = 2.0

    def __init__(self):
        self.drawn = []

    def __call__(self, x):
        self.drawn.append(x.sum())
        return self

    def __add__(self, other):
        return self.size + other


def passed_along(x, figure):
    kept = [figure]
    return x + 1, kept, figure


def called(x, figure):
    figure(x)
    return x * 2


def asked(x, figure):
    return x * figure.size, isinstance(figure, Figure), type(figure) is Figure


def added(x, figure):
    return figure + x


def of_the_class(x, figure):
    made = Figure()
    return x + made.size


def in_a_loop(x, figure):
    for _ in range(5):
        x = np.sqrt(x) + 1
        figure(x)
    return x


@pytest.mark.parametrize("function", [passed_along, called, asked, added, of_the_class, in_a_loop])
def test_as_in_python(function):
    Meta.asked.clear()
    check(dl.compile(function), function, X, Figure(), calls=3)
    assert not any(name.startswith("__array") for name in Meta.asked)


def test_what_follows_is_compiled():
    """The object is a local of the frame, and an operand when the frame goes on."""
    def draw(x):
        figure = Figure()
        figure(x)
        for _ in range(5):
            x = np.sqrt(x) + 1
        return x

    explanation = dl.explain(draw)(X)
    assert sum(record.operations for record in explanation.records) >= 2
    assert explanation.graph_break_count <= 2
