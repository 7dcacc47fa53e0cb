"""Polyfills of the functions of `operator`: each is made of the operator's own instruction."""
from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

from .iterators import POLYFILLS, polyfill_of

__all__ = ["POLYFILLS", "polyfill_of"]


@polyfill_of(operator.itemgetter)
def itemgetter(key: Any, *keys: Any) -> Any:
    if not keys:
        return lambda value: value[key]
    return lambda value: tuple([value[each] for each in (key, *keys)])


@polyfill_of(operator.attrgetter)
def attrgetter(name: Any, *names: Any) -> Any:
    for each in (name, *names):
        if not isinstance(each, str):
            raise TypeError("attribute name must be a string")

    def follow(value: Any, path: Any) -> Any:
        for part in path.split("."):
            value = getattr(value, part)
        return value

    if not names:
        return lambda value: follow(value, name)
    return lambda value: tuple([follow(value, each) for each in (name, *names)])


@polyfill_of(operator.methodcaller)
def methodcaller(name: Any, /, *args: Any, **kwargs: Any) -> Any:
    if not isinstance(name, str):
        raise TypeError("method name must be a string")
    return lambda value: getattr(value, name)(*args, **kwargs)


OPERATORS = {
    operator.add: "a + b", operator.sub: "a - b", operator.mul: "a * b",
    operator.truediv: "a / b", operator.floordiv: "a // b", operator.mod: "a % b",
    operator.pow: "a ** b", operator.matmul: "a @ b", operator.and_: "a & b",
    operator.or_: "a | b", operator.xor: "a ^ b", operator.lshift: "a << b",
    operator.rshift: "a >> b", operator.eq: "a == b", operator.ne: "a != b",
    operator.lt: "a < b", operator.le: "a <= b", operator.gt: "a > b", operator.ge: "a >= b",
    operator.getitem: "a[b]", operator.contains: "b in a", operator.is_: "a is b",
    operator.is_not: "a is not b",
}  # fmt: skip
UNARY = {
    operator.neg: "-a", operator.pos: "+a", operator.invert: "~a", operator.not_: "not a",
    operator.truth: "True if a else False", operator.abs: "abs(a)",
}  # fmt: skip
IN_PLACE = {
    operator.iadd: "+=", operator.isub: "-=", operator.imul: "*=", operator.itruediv: "/=",
    operator.ifloordiv: "//=", operator.imod: "%=", operator.ipow: "**=", operator.imatmul: "@=",
    operator.iand: "&=", operator.ior: "|=", operator.ixor: "^=", operator.ilshift: "<<=",
    operator.irshift: ">>=",
}  # fmt: skip
STATEMENTS = {operator.setitem: "(a, b, c): a[b] = c", operator.delitem: "(a, b): del a[b]"}


TEXTS: dict[Any, str] = {
    **{function: f"(a, b): return {text}" for function, text in OPERATORS.items()},
    **{function: f"(a): return {text}" for function, text in UNARY.items()},
    **{function: f"(a, b):\n a {text} b\n return a" for function, text in IN_PLACE.items()},
    **STATEMENTS,
}


def _defined(texts: Iterable[str]) -> list[Any]:
    """Functions made of the operators' own instructions, which dispatch as the operators do."""
    made: list[Any] = []
    source = "".join(f"def polyfill{text}\nmade.append(polyfill)\n" for text in texts)
    exec(source, {"__name__": __name__, "made": made})
    return made


POLYFILLS.update(zip(TEXTS, _defined(TEXTS.values())))
