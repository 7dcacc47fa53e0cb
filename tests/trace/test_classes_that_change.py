"""Special methods that a class gets, or loses, after code that uses it was compiled."""
import numpy as np
import pytest

import dynamo_lite as dl

X = np.ones(2)


class Plain:
    def __init__(self):
        self.v = 1


class Sized(Plain):
    def __len__(self):
        return 0


class Items(Plain):
    def __getitem__(self, index):
        if index > 2:
            raise IndexError
        return index


class Entered(Plain):
    def __enter__(self):
        return 1

    def __exit__(self, *error):
        return None


class Adds(Plain):
    def __add__(self, other):
        return NotImplemented


def added(one):
    try:
        return one + Plain()
    except TypeError:
        return "no sum"


def entered(one):
    try:
        with one as value:
            raise ValueError(value)
    except ValueError:
        return "raised"
    return "swallowed"


def made(one):
    new = type(one)()
    new.v = 5
    return new.v


DOUBLE = staticmethod(lambda owner, name, value: object.__setattr__(owner, name, value * 2))

# what is done with an object, its class, and the class, name and method that come later
CASES = [
    (lambda one: 1 if one else 2, Sized, Sized, "__bool__", lambda self: True),
    (lambda one: 1 if one else 2, Plain, Plain, "__len__", lambda self: 0),
    (lambda one: 1 if one else 2, Sized, Plain, "__bool__", lambda self: True),
    (lambda one: (one == 3, [one] == [4]), Plain, Plain, "__eq__", lambda self, other: True),
    (lambda one: hash(one) == 5, Plain, Plain, "__hash__", lambda self: 5),
    (str, Plain, Plain, "__str__", lambda self: "text"),
    (lambda one: f"{one!s:.3}", Plain, Plain, "__repr__", lambda self: "shown"),
    (lambda one: hasattr(one, "w"), Plain, Plain, "__getattr__", lambda self, name: name),
    (lambda one: one.v, Plain, Plain, "__getattribute__", lambda self, name: name),
    (made, Plain, Plain, "__setattr__", DOUBLE.__func__),
    (list, Items, Items, "__iter__", lambda self: iter([9])),
    (lambda one: 2 in one, Items, Items, "__contains__", lambda self, item: False),
    (entered, Entered, Entered, "__exit__", lambda self, *error: True),
    (added, Adds, Plain, "__radd__", lambda self, other: "sum"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[1].__name__}{case[3]}")
def test_special_methods_that_come_later(case, monkeypatch):
    use, kind, changed, name, method = case
    one = kind()
    compiled = dl.compile(lambda x: (use(one), x + 1))
    for _ in range(2):
        assert repr(compiled(X)[0]) == repr(use(one))
        with monkeypatch.context() as patch:
            patch.setattr(changed, name, method, raising=False)
            assert repr(compiled(X)[0]) == repr(use(one))
    assert repr(compiled(X)[0]) == repr(use(one))
