"""Syntax of Python 3.12: type parameters, type statements, nested f-strings."""
# ruff: noqa
import numpy as np

from .programs import V, X, program


def first[T](items: list[T]) -> T: return items[0]


class Stack[T]:
    def __init__(self) -> None: self.items: list[T] = []
    def push(self, item: T) -> "Stack[T]": self.items.append(item); return self
    def pop(self) -> T: return self.items.pop()


type Pair[T] = tuple[T, T]


@program(X)
def generic_function(x): return first([x * 2, x])


@program(X)
def generic_class(x): return Stack().push(x).push(x * 2).pop()


@program(X)
def generic_function_inside(x):
    def same[T](v: T) -> T: return v
    return same(x) * 2, same.__name__, len(same.__type_params__)


@program(X)
def bounded_parameters(x):
    def f[T: float, S: (int, str), **P](v: T, *rest: S) -> T: return v * 2
    return f(x)


@program(X, missing="unpacking a type parameter in an annotation")
def variadic_parameters(x):
    def f[*Ts](v, *rest: *Ts): return v * 2
    return f(x, 1)


@program(X)
def type_statement_inside(x):
    type Vector = list[float]
    return x * 2, Vector.__name__


@program(X, missing="a class with type parameters inside a function")
def generic_class_inside(x):
    class Box[T]:
        def __init__(self, v: T): self.v = v
    return Box(x).v * 2


@program(X)
def nested_quotes(x): return f"{"a" + f"{"b"}"}", f"{x.shape!r:>{"10"}}", f"{'\n'.join(["p", "q"])}", x
