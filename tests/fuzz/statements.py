"""Random Python programs made of every kind of statement, with breaks at random places.

`python -m tests.fuzz.statements SEED` prints a program.
"""
from __future__ import annotations

import linecache
import random
import sys
from collections.abc import Callable
from typing import Any

PRELUDE = '''
import contextlib
import numpy as np
import dynamo_lite as dl

LOG = []
COUNT = 0


@dl.disable
def python(value=None):
    """Must run in Python: a graph break."""
    LOG.append("python")
    return value


def bump(k=1):
    global COUNT
    COUNT += k
    return COUNT


class Problem(Exception):
    def __init__(self, code, *details):
        super().__init__(f"problem {code}", *details)
        self.code = code


class Worse(Problem):
    pass


def risky(k, v=0):
    if k == 0:
        raise Problem(v)
    if k == 1:
        raise Worse(v, k)
    if k < 0:
        raise ValueError(f"negative {k}")
    return v * k


def guarded(k):
    try:
        return risky(k, 2)
    except ValueError as error:
        raise Problem(k) from error
    finally:
        LOG.append(("guarded", k))


def chain(error):
    texts = []
    while error is not None and len(texts) < 9:
        texts.append(f"{type(error).__name__}: {error}")
        error = error.__cause__ or error.__context__
    return texts


def num(v):
    """A number, whatever comes."""
    return v if type(v) is int and -99 < v < 99 else 2


def at(items, index):
    return items[index % len(items)] if items else 0


def mixed(a, /, b=2, *rest, c=3, **named):
    return [a, b, list(rest), c, sorted(named)]


def halves(v, k=2):
    got = 0
    for i in range(k):
        try:
            got = yield v / (i + 1)
        except ValueError as error:
            LOG.append(str(error))
        finally:
            LOG.append(("half", i))
        if got:
            LOG.append(("got", got))
    return k


def counted(k):
    for i in range(k):
        yield i
    return "counted"


class Box:
    __match_args__ = ("value", "items")

    def __init__(self, value=1):
        self.value = value
        self.items = []

    def __enter__(self):
        self.items.append("in")
        return self

    def __exit__(self, kind, error, trace):
        self.items.append(kind and kind.__name__)
        return isinstance(error, Worse)

    def scale(self, v, *, by=2):
        self.value += 1
        return v * by + self.value

    @property
    def double(self):
        return self.value * 2

    def __iadd__(self, other):
        self.items.append(other)
        return self

    def __format__(self, spec):
        return f"Box({self.value}){spec}"

    def __repr__(self):
        return f"Box of {self.value} and {self.items}"


@contextlib.contextmanager
def scope(name, swallow=False):
    LOG.append(f"enter {name}")
    try:
        yield len(LOG)
    except Problem as error:
        LOG.append(chain(error))
        if not swallow:
            raise
    finally:
        LOG.append(f"leave {name}")
'''

NESTING = 3


class Writer:
    """Writes one function. A name's first letter says its kind: n, x, l, d, t, b, f (or g)."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lines: list[str] = []
        self.names = {"n": ["n", "m"], "x": ["x", "y"], "l": ["l"], "d": ["d"], "t": ["t"],
                      "b": ["b"], "f": [], "g": []}
        self.depth = 1
        self.fresh = 0
        self.loops = 0
        self.size = 0
        self.trying = 0
        self.breaks = self.rng.choice((0.0, 0.03, 0.1))
        self.care = self.rng.choice((0.3, 0.9, 0.98, 1.0))

    # -- names and expressions

    def new(self, kind: str) -> str:
        self.fresh += 1
        return f"{kind}{self.fresh}"

    def bind(self, kind: str) -> str:
        """A target to assign to: mostly a new name."""
        if self.rng.random() < 0.3 and self.names[kind]:
            return self.any(kind)
        name = self.new(kind)
        self.names[kind].append(name)
        return name

    def any(self, kind: str) -> str:
        return self.rng.choice(self.names[kind])

    def careful(self) -> bool:
        """Whether to write something that raises nothing: else it may or may not."""
        return self.rng.random() < self.care

    def choose(self, *makers: Any) -> str:
        made = self.rng.choice(makers)
        return made() if callable(made) else made

    def maybe_break(self, text: str) -> str:
        return f"python({text})" if self.rng.random() < self.breaks else text

    def number(self, deep: int = 0) -> str:
        r = self.rng
        return self.maybe_break(self.choose(
            lambda: str(r.randint(-2, 4)), lambda: self.any("n"), lambda: self.any("n"),
            lambda: f"len({self.any(r.choice('ld'))})", lambda: f"{self.any('x')}.shape[0]",
            lambda: f"{self.any('b')}.value", lambda: f"{self.any('b')}.double", "bump()",
            *([] if deep > 2 else [
                lambda: f"({self.number(deep + 1)} {r.choice(['+', '-', '*', '&', '|'] if self.careful() else ['//', '%', '<<'])} {self.number(deep + 1)})",
                lambda: f"risky({2 if self.careful() else self.number(deep + 1)}, {self.number(deep + 1)})",
                lambda: f"({self.number(deep + 1)} if {self.condition(deep + 1)} else {self.number(deep + 1)})",
                lambda: f"max({self.number(deep + 1)}, {self.number(deep + 1)})",
                lambda: f"sum(i for i in range({r.randint(0, 3)}) if i != {self.number(deep + 1)})",
                lambda: f"(lambda a, k={self.number(deep + 1)}: a + k)({self.number(deep + 1)})",
                lambda: f"num({self.any('d')}.get({self.key()}))" if self.careful() else f"{self.any('d')}[{self.key()}]",
                lambda: f"num(at({self.any('l')}, {r.randint(-2, 2)}))" if self.careful() else f"{self.any('l')}[{r.randint(-2, 2)}]",
            ]),
        ))

    def array(self, deep: int = 0) -> str:
        r = self.rng
        return self.maybe_break(self.choose(
            lambda: self.any("x"), lambda: self.any("x"),
            *([] if deep > 2 else [
                lambda: f"({self.array(deep + 1)} {r.choice('+-*')} {self.number(deep + 1)})",
                lambda: f"({self.array(deep + 1)} {r.choice('+-*')} {self.array(deep + 1)})",
                lambda: f"np.{r.choice(['abs', 'square', 'sin', 'negative'])}({self.array(deep + 1)})",
                lambda: f"np.maximum({self.array(deep + 1)}, {self.number(deep + 1)})",
                lambda: f"{self.any('b')}.scale({self.array(deep + 1)}, by={self.number(deep + 1)})",
                lambda: f"({self.array(deep + 1)} if {self.condition(deep + 1)} else {self.array(deep + 1)})",
                lambda: f"{self.array(deep + 1)}[::-1]",
                *([lambda: f"{self.any('f')}({self.array(deep + 1)})"] if self.names["f"] else []),
            ]),
        ))

    def key(self) -> str:
        return self.rng.choice(["'a'", "'b'", "'c'", self.any("n")])

    def text(self) -> str:
        return self.choose(
            lambda: self.any("t"), lambda: f"f'{{{self.number(1)}}}-{{{self.any('b')}:z}}'",
            lambda: f"f'{{{self.number(1)}:>3}}{{{self.any('t')}!r}}'",
            lambda: f"'%s|%s' % ({self.number(1)}, {self.any('l')})",
            lambda: f"'{{}} {{x}}'.format({self.number(1)}, x={self.any('t')})",
            lambda: f"{self.any('t')}.upper()", lambda: f"{self.any('t')} + 'q'", lambda: f"str({self.number(1)})",
        )

    def condition(self, deep: int = 0) -> str:
        r = self.rng
        return self.maybe_break(self.choose(
            lambda: f"{self.number(deep + 1)} {r.choice(['<', '>', '==', '!=', '<='])} {self.number(deep + 1)}",
            lambda: f"{self.number(deep + 1)} < {self.any('n')} <= {self.number(deep + 1)}",
            lambda: f"{self.key()} in {self.any('d')}", lambda: f"not {self.any('l')}",
            lambda: f"{self.any('l')} is {self.any('l')}", lambda: f"{self.any('t')} == 'q'",
            lambda: f"{self.array(deep + 2)}.sum() > {r.randint(-5, 5)}",
            lambda: f"({self.any('n')} and {self.number(deep + 1)})",
            lambda: f"(n0 := {self.number(deep + 1)}) > 1", "True",
        ))

    def value(self) -> str:
        return self.choose(self.number, self.number, self.array, self.text, lambda: self.any("l"),
                           lambda: f"[{self.number(1)}, {self.array(1)}]", lambda: f"({self.number(1)}, {self.text()})")

    # -- statements

    def emit(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def block(self, count: int) -> None:
        self.depth += 1
        saved = {kind: list(names) for kind, names in self.names.items()}
        for _ in range(max(count, 1)):
            self.statement()
        if self.careful():  # else names may be read that are bound nowhere
            self.names = saved
        self.depth -= 1

    def statement(self) -> None:
        self.size += 1
        simple: list[Callable[[], None]] = [
            self.assign, self.assign, self.augment, self.unpack, self.mutate_list, self.mutate_dict,
            self.write_array, self.attribute, self.show, self.delete, self.lambda_, self.comprehend,
            self.call, self.step_generator, self.fail, self.leave,
        ]
        nested: list[Callable[[], None]] = [
            self.branch, self.for_, self.while_, self.try_, self.try_, self.with_, self.match,
            self.define, self.define_generator,
        ]
        deep = self.depth > NESTING or self.size > 40
        self.rng.choice(simple if deep or self.rng.random() < 0.55 else nested)()

    def assign(self) -> None:
        value, kind = self.rng.choice((
            (self.number, "n"), (self.array, "x"), (self.array, "x"), (self.text, "t"),
            (lambda: f"[{self.number(1)}, {self.value()}, *{self.any('l')}]", "l"),
            (lambda: f"{{'a': {self.value()}, {self.key()}: {self.number(1)}, **{self.any('d')}}}", "d"),
            (lambda: f"{self.any('l')}", "l"), (lambda: f"Box({self.number(1)})", "b"),
        ))
        made = value()
        self.emit(f"{self.bind(kind)} = {made}")

    def augment(self) -> None:
        r = self.rng
        self.emit(self.choose(
            lambda: f"{self.any('n')} {r.choice(['+=', '-=', '*=', '//=', '|=', '**='])} {r.randint(0, 3)}",
            lambda: f"{self.any('x')} {r.choice(['+=', '-=', '*='])} {self.number()}",
            lambda: f"{self.any('l')} += [{self.value()}]",
            lambda: f"{self.any('l')}[1:] += ({self.number()},)",
            lambda: f"{self.any('l')}[{r.randint(-1, 1)}] += {self.number()}" if not self.careful() else "pass",
            lambda: f"{self.any('d')}[{self.key()}] += {self.number()}" if not self.careful() else "pass",
            lambda: f"{self.any('b')}.value += {self.number()}", lambda: f"{self.any('b')} += {self.value()}",
            lambda: f"{self.any('x')}[{r.randint(0, 2)}] *= {self.number()}", lambda: f"{self.any('t')} += {self.text()}",
            lambda: f"{self.any('d')} |= {{{self.key()}: {self.value()}}}",
        ))

    def unpack(self) -> None:
        first, rest = self.new("n"), self.new("l")
        source = self.choose(
            lambda: self.any("l"), lambda: f"({self.number()}, {self.value()}, {self.number()})",
            lambda: f"counted({self.rng.randint(0, 3)})", lambda: f"({self.number()}, *{self.any('l')})",
        )
        shape = self.rng.choice((f"{first}, *{rest}", f"*{rest}, {first}", f"{first}, {rest}", f"({first}, *_), {rest}"))
        if self.careful():
            source, shape = f"({self.number()}, *{self.any('l')})", f"{first}, *{rest}"
        if shape.startswith("("):
            source = f"({source}, [{self.number()}])"
        self.emit(f"{shape} = {source}")
        self.names["n"].append(first)
        if "*" in shape:
            self.names["l"].append(rest)

    def mutate_list(self) -> None:
        target = self.any("l")
        if self.careful():
            return self.emit(self.choose(
                lambda: f"{target}.append({self.value()})", lambda: f"{target}.extend(({self.value()}, {self.number()}))",
                lambda: f"{target}.insert({self.number()}, {self.value()})", lambda: f"{target}[:1] = [{self.value()}]",
                lambda: f"{target}.reverse()", lambda: f"del {target}[2:]", lambda: f"{target}.sort(key=str)",
            ))
        self.emit(self.choose(
            lambda: f"{target}.append({self.value()})", lambda: f"{target}.extend(({self.value()}, {self.number()}))",
            lambda: f"{target}.insert({self.number()}, {self.value()})", lambda: f"{target}.pop()",
            lambda: f"{target}[:1] = [{self.value()}]", lambda: f"{target}.reverse()", lambda: f"del {target}[1:]",
            lambda: f"{target}[{self.number()}] = {self.value()}", lambda: f"{target}.remove({self.number()})",
            lambda: f"{target}.sort()", lambda: f"{target}.clear()",
        ))

    def mutate_dict(self) -> None:
        target = self.any("d")
        if self.careful():
            return self.emit(self.choose(
                lambda: f"{target}[{self.key()}] = {self.value()}", lambda: f"{target}.pop({self.key()}, {self.value()})",
                lambda: f"{target}.setdefault({self.key()}, {self.value()})", lambda: f"{target}.update(a={self.value()})",
            ))
        self.emit(self.choose(
            lambda: f"{target}[{self.key()}] = {self.value()}", lambda: f"{target}.pop({self.key()})",
            lambda: f"{target}.setdefault({self.key()}, {self.value()})", lambda: f"{target}.update(a={self.value()})",
            lambda: f"del {target}[{self.key()}]", lambda: f"{target}.pop({self.key()}, {self.value()})",
        ))

    def write_array(self) -> None:
        value = self.array()
        name = self.bind("x")
        self.emit(f"{name} = {value} + 0.0")
        self.emit(self.choose(
            lambda: f"{name}[0] = {self.number()}", lambda: f"{name}[1:] = {self.number()}",
            lambda: f"{name} *= {self.any('x')}", lambda: f"np.add({name}, {self.number()}, out={name})",
        ))

    def attribute(self) -> None:
        box = self.any("b")
        self.emit(self.choose(
            lambda: f"{box}.value = {self.number()}", lambda: f"{box}.last = {self.value()}",
            lambda: f"{box}.items.append({self.value()})", lambda: f"LOG.append({self.number()})",
            lambda: f"LOG.append({self.text()})", "bump()",
        ))

    def show(self) -> None:
        self.emit(f"print({self.text()}, {self.number()})" if self.rng.random() < self.breaks * 3 else "pass")

    def delete(self) -> None:
        if not self.careful():
            name = self.any(self.rng.choice("nl"))
            self.emit(f"del {name}")

    def lambda_(self) -> None:
        name = self.new("f")
        self.emit(f"{name} = lambda v, k={self.number()}: {self.maybe_break('v')} * k + {self.any('n')}")
        self.names["f"].append(name)

    def comprehend(self) -> None:
        r, items = self.rng, self.any("l")
        name, made = r.choice((
            ("l", f"[{self.array()} * i for i in range({r.randint(0, 3)})]"),
            ("l", f"[{self.maybe_break('i')} for i in {items} if isinstance(i, int) and i != {self.number()}]"),
            ("d", f"{{k: {self.number()} for k in 'ab' if {self.condition()}}}"),
            ("l", f"[(i, j) for i in range(2) for j in range(i) if {self.condition()}]"),
            ("l", f"list(map(lambda i: risky(i, {self.number()}), range(2, {r.randint(2, 4)})))"),
            ("l", f"sorted([{self.number()}, {self.number()}], key=lambda i: -i)"),
        ))
        self.emit(f"{self.bind(name)} = {made}")

    def call(self) -> None:
        r = self.rng
        if self.careful():
            made = f"mixed({self.value()}, {self.number()}, *{self.any('l')}, c={self.number()}, **{{'k': {self.number()}}})"
            return self.emit(f"{self.bind('l')} = {made}")
        made = self.choose(
            lambda: f"mixed({self.value()}, *{self.any('l')}, c={self.number()})",
            lambda: f"mixed(*{self.any('l')}, **{{'k': {self.number()}}})",
            lambda: f"mixed({self.number()}, b={self.number()}, z={self.number()})",
            lambda: f"mixed({self.number()}, {self.number()}, b={self.number()})" if r.random() < 0.3 else "mixed(1)",
            lambda: f"mixed(a={self.number()})" if r.random() < 0.3 else "mixed(2, *'ab')",
            lambda: f"[guarded({self.number()})]",
        )
        self.emit(f"{self.bind('l')} = {made}")

    def step_generator(self) -> None:
        r = self.rng
        name = self.new("g")
        self.emit(f"{name} = {r.choice([*self.names['g'], 'halves', 'counted'])}({r.randint(0, 3)})")
        for _ in range(r.randint(1, 3)):
            self.emit(self.choose(
                lambda: f"{self.bind('n')} = next({name}, 7)", lambda: f"{self.any('l')}.extend({name})",
                lambda: f"{name}.close()",
                lambda: "pass" if self.careful() else f"{self.bind('n')} = next({name})",
                lambda: "pass" if self.careful() else f"LOG.append({name}.send({r.choice(['None', '3'])}))",
                lambda: "pass" if self.careful() else f"LOG.append({name}.throw(ValueError('thrown')))",
                lambda: f"{self.any('l')}[:] = [v for v in {name}]",
            ))

    def fail(self) -> None:
        if self.careful() and not self.trying:
            return
        self.emit(self.choose(
            lambda: f"raise Problem({self.number()})", lambda: f"raise Worse({self.number()}, 'w')",
            lambda: f"guarded({self.number()})", lambda: f"risky({self.number()})",
            lambda: f"assert {self.condition()}, {self.text()}", lambda: f"1 // {self.any('n')}",
            "raise", lambda: f"raise KeyError({self.key()}) from Problem(9)",
        ))

    def leave(self) -> None:
        if self.depth > 1 and self.rng.random() < 0.25:
            self.emit(f"return {self.value()}")
        elif self.loops and self.depth > 1 and self.rng.random() < 0.6:
            self.emit(f"if {self.condition()}: {self.rng.choice(['break', 'continue'])}")

    def branch(self) -> None:
        self.emit(f"if {self.condition()}:")
        self.block(self.rng.randint(1, 3))
        if self.rng.random() < 0.3:
            self.emit(f"elif {self.condition()}:")
            self.block(1)
        if self.rng.random() < 0.5:
            self.emit("else:")
            self.block(self.rng.randint(1, 2))

    def loop(self, header: str, after: str = "") -> None:
        self.emit(header)
        self.loops += 1
        self.block(self.rng.randint(1, 3))
        self.loops -= 1
        if after:
            self.depth += 1
            self.emit(after)
            self.depth -= 1
        if self.rng.random() < 0.3:
            self.emit("else:")
            self.block(1)

    def for_(self) -> None:
        r, name = self.rng, self.new("n")
        header = self.choose(
            lambda: f"for {name} in range({r.randint(0, 4)}):", lambda: f"for {name} in [{self.number()}, {self.number()}]:",
            lambda: f"for {name}, _ in enumerate({self.any('l')}[:3]):", lambda: f"for {name} in counted({r.randint(0, 3)}):",
            lambda: f"for {name}, _ in zip(range(3), {self.any('l')}):", lambda: f"for _, {name} in zip({self.any('x')}, (1, 2)):",
            lambda: f"for {name}, (_, *rest) in enumerate([(1, 2), (3,)]):", lambda: f"for _ in {self.any('d')}:",
        )
        if name in header:
            self.names["n"].append(name)
        self.loop(header)

    def while_(self) -> None:
        name = self.new("n")
        self.emit(f"{name} = {self.rng.randint(0, 3)}")
        extra = f" and {self.condition()}" if self.rng.random() < 0.4 else ""
        self.emit(f"while {name} > 0{extra}:")
        self.depth += 1
        self.emit(f"{name} -= 1")
        self.depth -= 1
        self.loops += 1
        self.block(self.rng.randint(1, 3))
        self.loops -= 1
        if self.rng.random() < 0.3:
            self.emit("else:")
            self.block(1)

    def try_(self) -> None:
        r = self.rng
        self.emit("try:")
        self.block(r.randint(1, 2))
        if r.random() < 0.5:
            self.depth += 1
            self.trying += 1
            self.fail()
            self.trying -= 1
            self.depth -= 1
        kinds = r.sample(["Worse", "Problem", "ValueError", "(KeyError, IndexError)", "ZeroDivisionError", "TypeError", "LookupError"], r.randint(0, 3))
        for kind in kinds:
            name = r.random() < 0.7
            self.emit(f"except {kind} as error:" if name else f"except {kind}:")
            if name:
                self.depth += 1
                self.emit(r.choice(["LOG.append(chain(error))", "LOG.append(str(error))", "LOG.append(type(error).__name__)", f"{self.any('l')}.append(repr(error))"]))
                self.depth -= 1
            self.block(r.randint(1, 2))
            if r.random() < 0.2:
                self.depth += 1
                self.emit(r.choice(["raise", "raise Problem(5) from None", "raise Worse(6)"]))
                self.depth -= 1
        if self.careful():
            self.emit("except Exception as error:")
            self.depth += 1
            self.emit("LOG.append(chain(error))")
            self.depth -= 1
            kinds.append("")
        if kinds and r.random() < 0.3:
            self.emit("else:")
            self.block(1)
        if not kinds or r.random() < 0.4:
            self.emit("finally:")
            loops, self.loops = self.loops, 0 if r.random() < 0.8 else self.loops
            self.block(r.randint(1, 2))
            self.loops = loops

    def with_(self) -> None:
        r, name = self.rng, self.new("n")
        self.emit("with " + ", ".join(r.choice([
            f"{self.any('b')}", f"scope('s{name}') as {name}", f"scope('w', swallow=True) as {name}",
            "contextlib.suppress(KeyError, ValueError)", f"contextlib.nullcontext(3) as {name}",
            f"Box({self.number()}) as b0",
        ]) for _ in range(r.choice((1, 1, 2)))) + ":")
        self.block(r.randint(1, 3))

    def match(self) -> None:
        r = self.rng
        self.emit("match " + self.choose(self.number, lambda: self.any("l"), lambda: self.any("d"), lambda: self.any("b"),
                                         lambda: f"({self.number()}, {self.value()})") + ":")
        self.depth += 1
        for pattern in r.sample((
            "0 | 1", "int(n9) if n9 > 2", "[]", "[n9]", "[_, *l9]", "[int(), *_] | [str(), *_]", "{'a': n9}",
            "{'b': _, **d9}", "Box(value=1)", "Box(n9, [*l9])", "(n9, 2)", "str()", "None",
        ), r.randint(1, 4)):  # fmt: skip
            self.emit(f"case {pattern}:")
            self.block(1)
        if r.random() < 0.6:
            self.emit("case _:")
            self.block(1)
        self.depth -= 1

    def define(self) -> None:
        r, name = self.rng, self.new("f")
        self.emit(f"def {name}(v, k={self.number(2)}, *rest):")
        loops, self.loops = self.loops, 0
        self.depth += 1
        self.share()
        saved = {kind: list(names) for kind, names in self.names.items()}
        self.depth -= 1
        self.block(r.randint(1, 2))
        self.depth += 1
        self.names = saved
        self.emit(f"return {self.maybe_break('v')} * k")
        self.depth -= 1
        self.loops = loops
        self.names["f"].append(name)
        call = f"{name}({self.array()}" + r.choice(["", f", {self.number()}", f", *{self.any('l')}"]) + ")"
        self.emit(f"{self.bind('x')} = {call}")

    def share(self) -> None:
        """Let a nested function assign to the variables of the function around it."""
        self.emit("nonlocal " + ", ".join(sorted({name for kind in "nxldtb" for name in self.names[kind]})))

    def define_generator(self) -> None:
        r, name = self.rng, self.new("g")
        self.emit(f"def {name}(v):")
        loops, self.loops = self.loops, 0
        saved = {kind: list(names) for kind, names in self.names.items()}
        self.depth += 1
        self.share()
        self.emit(r.choice(["got = yield v", "yield v", "got = yield from counted(2)"]))
        self.depth -= 1
        self.block(r.randint(1, 2))
        self.depth += 1
        self.emit(r.choice([f"yield {self.number()}", f"yield from halves({self.array()})", "yield from [1, 2]"]))
        self.depth -= 1
        self.names, self.loops = saved, loops
        self.names["g"].append(name)

    def function(self) -> str:
        for _ in range(self.rng.randint(3, 8)):
            self.statement()
        kept = [name for kind in "nxldtb" for name in self.names[kind]]
        self.emit(f"return [{', '.join(kept)}]")
        return "def program(x, y, n, m, l, d, t, b):\n" + "\n".join(self.lines) + "\n"


def source(seed: int) -> str:
    """The text of a program that compiles; seeds whose text does not are passed over."""
    for attempt in range(100):
        text = PRELUDE + Writer(seed * 100 + attempt).function()
        try:
            compile(text, "<random statements>", "exec")
        except SyntaxError:
            continue
        return text
    raise AssertionError(f"no program for seed {seed}")


def namespace(seed: int, copy: int = 0) -> dict[str, Any]:
    """The globals of a program, whose function is `program`."""
    text, name = source(seed), f"<random statements {seed}.{copy}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    made: dict[str, Any] = {"__name__": f"random_statements_{seed}"}
    exec(compile(text, name, "exec"), made)
    return made


if __name__ == "__main__":
    print(source(int(sys.argv[1])).removeprefix(PRELUDE))
