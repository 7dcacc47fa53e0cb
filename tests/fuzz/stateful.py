"""Long random programs with state: objects whose arrays are changed in place, call after call.

A call works on what the calls before it left: attributes, containers of arrays, views that are kept
and written through, closures, live generators, a random generator. `python -m tests.fuzz.stateful SEED`
prints a program.
"""
from __future__ import annotations

import contextlib
import io
import linecache
import pathlib
import random
import sys
import traceback
import warnings
from typing import Any

import numpy as np

PRELUDE = (pathlib.Path(__file__).parent / "stateful_prelude.py").read_text()
CALLS = (
    (5, "f8", 2, 0.5), (5, "f8", 2, 0.5), (5, "f8", 3, -1.5), (9, "f8", 3, 2.0), (9, "f8", 1, 0.0),
    (4, "f4", 2, 0.5), (6, "i8", 2, 3.0), (1, "f8", 0, 1.5), (7, "f8", 4, 0.25),
)  # fmt: skip
"""Length and dtype of the array, an int and a float, for each call of a program."""

ROWS: dict[str, tuple[str, ...]] = {
    # an array of the full length that lies somewhere
    "a": ("x", "y", "g.a", "g.b", "s.damped.a", "s.damped.b", "s.body.at", "s.body.speed", "s.pair.left",
          "s.pair.right", "s.named['u']", "s.named['w']", "s.old", "s.recent[-1]", "s.items[1]", "local", "kept"),
    # where one may be put
    "place": ("g.a", "g.b", "s.damped.b", "s.body.speed", "s.pair.left", "s.pair.right", "s.named['u']",
              "s.named['w']", "s.named['new']", "s.old", "s.recent[-1]", "s.items[1]", "local", "kept", "y"),
    # a part
    "w": ("{a}[1:]", "{a}[::2]", "{a}[::-1]", "{a}[:n]", "g.part", "s.damped.part", "g.middle", "s.damped.middle",
          "s.items[0]", "{a}[-1:]", "view", "{a}[{a} > {f}]", "{a}[n:][::-1]"),
    "o": ("g", "s.damped", "g", "s.grid"),
    "i": ("n", "1", "2", "3", "g.count", "s.calls", "len({l})", "len(g)", "k", "{a}.shape[0] // 2", "n + 1", "s.counter(0)",
          "int({a}[0])"),
    "f": ("t", "0.5", "2.0", "-1.0", "t * 2", "s.body.mass", "{o}.scale", "float({w}.sum())", "n", "s.limits.high",
          "{a}.mean()", "{a}.max()", "{a}[0]"),
    "l": ("s.items", "LOG", "{o}.seen", "s.body.trail", "s.groups['z']", "here"),
    "e": ("{a} + {a}", "{a} * {f}", "{a} - {a}", "{a} * {a} + {f}", "np.abs({a})", "np.where({a} > {f}, {a}, {f})",
          "s.limits.apply({a})", "np.sqrt(np.abs({a}))", "np.maximum({a}, {f})", "{a}[::-1]", "{a} / {f}", "np.cumsum({a})",
          "np.sort({a})", "s.pair.total()", "{a}.copy()", "np.zeros_like({a})", "{a} // 2", "np.roll({a}, n)", "-{a}",
          "np.floor({a})", "s.body.move({f})", "{a}", "{o}[:]", "{a}.astype({a}.dtype)", "np.minimum({a}, {a})",
          "s.rng.random(len(x))", "np.arange(len(x)) * {f}", "helper({a}, {i})", "np.full_like({a}, {f})",
          "sum([{a}, {a}])", "{a} if {c} else {a}", "max({a}, {a}, key=lambda v: v.sum())", "np.clip({a}, -9, 9)",
          "np.concatenate([{a}[1:], {a}[:1]])", "np.square({a})", "{a}.cumsum()", "(local := {a} + 1)"),
    "c": ("{a}.sum() > {f}", "n > 1", "{o}.energy > 10", "len({l}) > 3", "{a}[0] < {a}[-1]", "({a} > {f}).any()",
          "{a} is {a}", "{o}.count % 2", "s.calls % 3 == 1", "'new' in s.named", "not {l}", "t > 0", "{w}.size",
          "{a}.dtype == np.float64", "hasattr({o}, 'extra')", "np.isfinite({a}).all()", "s.pair == Pair({a}, {a})",
          "isinstance({o}, Damped) and n", "{a}.max() > {a}.mean()", "{i} > {i}", "np.shares_memory({a}, {a})"),
    "v": ("{i}", "{f}", "{a}", "{w}.sum()", "{w}", "({i}, {f})", "len(g)", "{a}.shape", "{a}.argmax()", "str({a}.dtype)",
          "f'{{{i}}} {{{f}}}'", "{o}.energy", "[v.sum() for v in windows({a}, 2)]", "{a}.tolist()", "next(s.ticks)",
          "sorted(s.named)", "{a} is {a}", "tick({i})", "s.counter()", "s.rng.integers(9)", "[len(v) for v in s.recent]",
          "list(zip({a}, range(2)))", "{{k: v.sum() for k, v in s.named.items()}}", "Pair({a}, {w}).left", "type({f})",
          "np.random.rand()", "sum(v for v in {a} if v > 0)", "dict(enumerate({a}[:2]))", "min({l}, key=str, default=0)"),
    "s": ("{a} += {f}", "{a} += {a}", "{a} *= {f}", "{a} -= {e}", "{w}[...] = {f}", "{w} += 1", "{a}[...] = {e}",
          "{a}[0] = {f}", "{a}[n:] = {f}", "{a}[{a} > {f}] = {f}", "np.add({a}, {e}, out={a})", "{a}[1:] = {a}[:-1]",
          "{place} = {e}", "{place} = {a}", "local = {e}", "kept = {e}", "view = {w}", "s.items[0] = {w}", "{a}[::-1] += {a}",
          "{o}.part = {w}", "{l}.append({v})", "{l}.append({a})", "s.recent.append({e})", "s.recent.appendleft({a})",
          "{o}.step({e})", "{o}.step({a}, n)", "{o}.swap()", "{o}.energy = {f}", "{o}.count += {i}", "{o}.check({f})",
          "g = {o}", "s.grid = {o}", "s.body.move({f})", "LOG.append({v})", "LOG.append({v})", "LOG.append({v})", "print({v})",
          "{o} += {f}", "g[n] = {f}", "g[1:] = {w}", "s.named['new'] = {e}", "s.named.pop('new')", "del s.named['new']",
          "s.groups[n].append({a})", "s.groups['z'] += [{v}]", "{l}.pop()", "{l}.clear()", "here = here + [{v}]", "s.body = Body({e}, {a})",
          "s.body.mass += {f}", "s.counter({i})", "s.counter = make_counter({i})", "LOG.append(s.ticks.send({i}))", "add({i})",
          "here = [{w} for _ in range(2)]", "s.pair.note = {v}", "LOG.append(s.pair.note)", "s.pair = Pair({e}, {a})",
          "setattr({o}, 'extra', {v})", "del {o}.extra", "{a}.sort()", "{a}.fill({f})", "s.recent.rotate(1)", "n += 1",
          "t = t * 2", "n = {i}", "t = float({f})", "np.multiply({a}, {f}, out={w})", "{a}[[0, -1]] = {f}", "k = len(here)",
          "Grid.scale = {i}", "s.limits = Limits(high={f})", "s.limits.low = {f}", "x, y = y, x", "g.a, g.b = g.b, g.a",
          "s.rng.shuffle({a})", "{a}[{a}.argmin()] = {f}", "LOG[-1:] = [{v}]", "here.sort(key=str)", "np.copyto({a}, {e})",
          "assert {c}, {v}", "{a}, LOG[:0] = {e}, [{i}]", "{w}[...] = {w}.sum()", "s.items.insert(0, {w})", "LOG.append(local is kept)"),
    "r": ("return {v}", "raise Lost({v}, {i})", "return {a}, {w}", "raise ValueError({i})", "1 / n", "{a}[{i} + 9]"),
}  # fmt: skip
"""What may stand in a hole, by its name; `s` are statements, `r` ways out of a function."""

BLOCKS = (
    "if {c}:\n    {b}", "if {c}:\n    {b}\nelse:\n    {b}", "if {c}:\n    {b}\nelif {c}:\n    {b}\nelse:\n    {b}",
    "for i in range({i}):\n    if i > 3: break\n    {b}", "for v in list({l})[:4]:\n    {b}",
    "for part in windows({a}, 3):\n    part += {f}\n    {b}", "for name, v in s.named.items():\n    v *= {f}\n    {b}",
    "for v in s.recent:\n    if {c}: continue\n    {b}\nelse:\n    {b}", "k = 0\nwhile k < 3 and {c}:\n    k += 1\n    {b}",
    "while True:\n    n += 1\n    {b}\n    if n > 4 or {c}: break",
    "try:\n    {b}\n    {r}\nexcept (Lost, ValueError) as error:\n    LOG.append(str(error))\n    {b}",
    "try:\n    {b}\n    {b}\nexcept Exception as error:\n    LOG.append((type(error).__name__, str(error)))",
    "try:\n    {b}\n    {r}\nexcept Lost as error:\n    LOG.append(error.amount)\nfinally:\n    {b}",
    "with Saved({o}) as saved:\n    {b}", "with Saved({o}, swallow=True) as saved:\n    {b}\n    {r}",
    "with scaled({o}, 2) as inside:\n    inside[0] += 1\n    {b}",
    "with np.errstate(all='ignore'):\n    {b}", "with contextlib.suppress(Lost, IndexError, KeyError):\n    {b}\n    {r}",
    "def again(v, m=n):\n    nonlocal local\n    local = v + m\n    {b}\n    return v * t\ny = again({a})",
    "match {v}:\n    case int(m) if m > 2:\n        {b}\n    case (m, _):\n        LOG.append(m)\n    case _:\n        {b}",
    "for i, v in enumerate({a}):\n    if v > {f}:\n        {a}[i] = 0\n        break\n    LOG.append(i)",
    "for i in range(len({a}) - 1):\n    {a}[i] += {a}[i + 1] * {f}", "if {c}:\n    {r}",
    "total = 0.0\nfor v in {a}:\n    total += v\n    if total > {f}: break\nLOG.append(total)",
    "for i in range(n):\n    g.step({a})\n    if {c}: {r}", "here = [v * {f} for v in s.recent if v.sum() > {f}]",
)  # fmt: skip
PARTS = {f"{{{hole}}}": hole for hole in (*ROWS, "b")}


class Writer:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.blocky = self.random.choice((0.1, 0.25, 0.4))

    def fill(self, text: str, deep: int = 0) -> str:
        """`text` with every hole filled, each on its own."""
        made = []
        while text:
            at, hole = min(((text.find(hole), hole) for hole in PARTS if hole in text), default=(len(text), ""))
            made.append(text[:at])
            text = text[at + len(hole) :]
            if hole == "{b}":
                indent = made[-1].rpartition("\n")[2]
                made.append(self.chunk(deep + 1).replace("\n", "\n" + " " * len(indent)))
            elif hole:
                found = self.fill(self.random.choice(ROWS[PARTS[hole]]), deep + 1)
                made.append(f"({found})" if PARTS[hole] in "ec" and made != [""] and deep else found)
        return "".join(made).replace("{{", "{").replace("}}", "}")

    def chunk(self, deep: int = 0) -> str:
        if deep < 3 and self.random.random() < self.blocky:
            return self.fill(self.random.choice(BLOCKS), deep)
        return self.fill(self.random.choice(ROWS["s"]), deep)

    def function(self, header: str, first: str, last: str, chunks: list[str]) -> str:
        return f"{header}\n    " + "\n".join([first, *chunks, last]).replace("\n", "\n    ") + "\n"


FIRST = (
    "s.fit(x)\ng, y, local, kept, view, here, k = s.grid, x + t, s.old, x, s.items[0], [], 1\n"
    "def helper(v, m):\n    nonlocal k\n    k += m\n    LOG.append(k)\n    return v * k + g.a[0]\n"
    "def add(m):\n    nonlocal n, local\n    n, local = n + m, local + m"
)
LAST = "return x, y, n, t, local, kept, view, here, g is s.grid, k"


def source(seed: int, wanted: int = 0) -> str:
    """The text of a program. Statements that fail in its first call are mostly left out."""
    writer = Writer(seed)
    chunks = []
    while len(chunks) < (wanted or 15 + seed % 45):
        chunk = writer.chunk()
        with contextlib.suppress(SyntaxError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(f"def program(n, local):\n  def f():\n    nonlocal local\n  while 1:\n    {chunk}".replace("\n", "\n    "), "", "exec")
            chunks.append(chunk)
    for _ in range(40):
        failing = first_failure(writer.function("def program(s, x, n, t):", FIRST, LAST, chunks))
        at = len(FIRST.splitlines()) + 2
        for number, chunk in enumerate(chunks):
            at += len(chunk.splitlines())
            if failing is not None and failing < at:
                break
        else:
            break
        if writer.random.random() < 0.05:
            break
        del chunks[number]
    return PRELUDE + "\n\n" + writer.function("def program(s, x, n, t):", FIRST, LAST, chunks)


def first_failure(text: str) -> int | None:
    """The line of the program at which its first call raises."""
    scope: dict[str, Any] = {"__name__": "__main__"}
    exec(PRELUDE, scope)
    exec(compile(text, "<stateful>", "exec"), scope)
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            scope["program"](*arguments(scope, begin(scope), *CALLS[0]))
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            return max(f.lineno or 0 for f in frames if f.name == "program")
    return None


def begin(scope: dict[str, Any]) -> Any:
    """The state before the first call."""
    np.random.seed(5)
    return scope["State"](array(*CALLS[0][:2]))


def array(length: int, dtype: str) -> np.ndarray:
    return (np.arange(length) * 1.5 - 2).astype(dtype)


def arguments(scope: dict[str, Any], state: Any, length: int, dtype: str, n: int, t: float) -> tuple[Any, ...]:
    return state, array(length, dtype), n, t


def namespace(text: str, copy: str) -> dict[str, Any]:
    """The globals of a program, whose function is `program`."""
    name = f"<stateful {copy}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    made: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(text, name, "exec"), made)
    return made


if __name__ == "__main__":
    print(source(int(sys.argv[1])).removeprefix(PRELUDE))
