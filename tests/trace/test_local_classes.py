"""Classes that a traced function defines."""
# ruff: noqa: E701, E702, B903
import abc
import functools

import numpy as np

from ..oracle import outcome
from .cases import case, check

X = np.arange(3.0)


class Base:
    tag = "base"

    def __init__(self, k):
        self.k = k


@case(X)
def test_properties_and_bound_methods(x):
    class Local(Base):
        @property
        def double(self): return self.k * 2
        @double.setter
        def double(self, v): self.k = v
        @staticmethod
        def plus(v): return v + 1
        @classmethod
        def make(cls, v): return cls(v).double

    made = Local(x)
    made.double = 5
    return (
        made.double, Local.plus(x), Local.make(x), Local.tag, made.tag, isinstance(made, Base),
        Local.__name__, Local.__qualname__, made.__class__ is Local,
    )


@case(X)
def test_closures_and_super(x):
    k = 5

    class Outer(Base):
        factor = k
        def run(self, v): return v * k * self.factor

    class Inner(Outer):
        def __init__(self): super().__init__(2)
        def run(self, v): return super().run(v) + self.k

    k = 7
    return Inner().run(x)


@case(X)
def test_a_class_in_a_loop(x):
    found = []
    for i in range(3):
        class Local:
            k = i
            def run(self): return x * self.k
        found.append(Local().run())
    return found


@case(X)
def test_exception_classes(x):
    class Wrong(ValueError):
        def __init__(self, code):
            super().__init__(f"code {code}")
            self.code = code

    try:
        raise Wrong(3)
    except Wrong as error:
        return str(error), error.code, error.args, x + 1


@case(X)
def test_annotations(x):
    class Local:
        a: int = 3
        b: str
    return Local.a * x


def escaping(x):
    class Local:
        def __init__(self, v): self.v = v
    return Local(x * 2)


def breaking(x):
    class Local:
        def run(self, v): return v * 2
    y = Local().run(x)
    print("between")
    return Local().run(y)


def raising(x):
    class Local(KeyError): pass
    raise Local("k")


def test_classes_that_leave_the_trace_are_made_by_python():
    for function in (escaping, breaking, raising):
        check(function, X, captured=False)
    assert outcome(escaping, (X,)).result.v.sum() == 6.0


def test_parts_of_local_classes_do_not_leave_the_trace():
    """Each call makes them anew, and the analysis has placeholders in their place."""

    def abstract(x):
        class Local:
            @property
            @abc.abstractmethod
            def part(self): return x
        print(Local.part.fget(None))
        return Local.part.__isabstractmethod__, Local.part.fget(None)

    def member(x):
        class Local:
            __slots__ = "part",
        return Local.part.__name__, list[Local].__args__[0]().__slots__

    for function in (abstract, member):
        check(function, X, captured=False)


class Cached(functools.cached_property):
    """Its `__set_name__` is the library's."""


def test_what_making_a_class_calls_runs_once():
    def cached(x):
        class Local:
            @Cached
            def part(self): return x * 2
        return Local.part.attrname, Local().part

    def cached_twice(x):
        class Local:
            @Cached
            def part(self): return x
            other = part
        return x * 2

    def custom_order(x):
        class Meta(type):
            def mro(cls):
                print("mro of", cls.__name__)
                del Meta.mro
                return (cls, Base, object)
        class Local(metaclass=Meta): pass
        return Local.tag, [base.__name__ for base in Local.__mro__]

    for function in (cached, cached_twice, custom_order):
        check(function, X, captured=False)
