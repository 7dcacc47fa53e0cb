"""Random NumPy programs, made from a seed as the source of a Python function.

The generator runs what it writes on the first of its `SIZES`, so that the next statement knows
what there is to work with. `python -m tests.fuzz.programs SEED` prints a program.
"""
from __future__ import annotations

import contextlib
import io
import linecache
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .arguments import SIZES, Argument, build, random_arguments
from .expressions import APPROXIMATE, DISCRETE, EXACT, ROWS, STATEMENTS, Row

LARGEST = 3000
NUMBERS = ("2", "3", "-1", "0", "0.5", "2.5", "1", "-3", "1e-3", "7", "True", "np.float32(2)")
KEYS = (
    "0", "-1", "1", "1:", ":-1", "::2", "::-1", "1:3", "...", "None", "..., 0", ":, 0", ":, ::-1",
    ":, None", "0, 0", "..., ::-2", "2:1", "None, ...", "0, ..., None", "::-1, ::-1", "..., -1",
    "-2:", "slice(None)", "()", "0, 1:", ":, 1:2", "10", "np.int64(0)",
)  # fmt: skip
TAKES = (
    "[0, -1]", "np.array([0, 0, 1])", "np.array([[0, 1], [1, 0]])", "[0]", "np.array([-1, 0], 'i4')",
    "..., [0, 0]", ":, [0, 1]", "[0, 1], [1, 0]", "[0, 1], :", "np.array([], int)", "[True]",
    "np.array([7])", "[0], ..., 0", "None, [0]",
)  # fmt: skip
LISTS = ("[0, -1]", "np.array([0, 0, 1])", "np.array([[0, 1], [1, 0]])", "0", "[7]", "[]", "[-1]")
TYPES = (
    "float", "np.float32", "'f8'", "int", "np.int8", "np.uint8", "bool", "complex", "np.int64",
    "np.float16", "np.dtype('i4')", "'<u2'", "np.complex64",
)  # fmt: skip
OUTCOMES = (
    "{0}", "{0}", "{0}", "({0}, {1})", "[{0}, {1}]", "({0}, {1}, {2})", "{{'a': {0}, 'b': {1}}}",
    "({0}, [{1}, {0}])", "{{'x': ({0},), 'y': {1}, 'z': None}}", "({0}, 1, 'text')",
)  # fmt: skip
WRAPPERS: tuple[tuple[str, int], ...] = (
    ("{line}", 150),
    ("for step in range(3):\n    {line}", 3),
    ("for step in range({a}.shape[0] if {a}.shape else 2):\n    {line}", 2),
    ("if {a}.shape[0] > 4:\n    {line}", 3),
    ("if {a}.size:\n    {line}", 2),
    ("if {a}.ndim == 2:\n    {line}", 1),
    ("if {e}.any():\n    {line}", 2),
    ("if {e}.sum() > 3:\n    {line}", 2),
    ("with np.errstate(all='ignore'):\n    {line}", 2),
    ("with np.errstate(divide='raise', invalid='ignore'):\n    {line}", 1),
    ("try:\n    {line}\nexcept (ValueError, IndexError, TypeError) as error:\n    log.append(str(error))", 2),
    ("try:\n    {line}\nfinally:\n    log.append('done')", 1),
    ("assert {a}.ndim < 9\n{line}", 1),
)


@dataclass
class Program:
    """A function, how to build its arguments, and how exact which of its results must be."""

    seed: int
    source: str
    arguments: list[Argument]
    function: Callable[..., Any]
    exact: bool
    eps: float
    scale: float
    zeros_have_signs: bool

    def build(self, variant: int) -> list[Any]:
        return [*build(self.arguments, SIZES[variant]), []]

    def __str__(self) -> str:
        return f"# seed {self.seed}\n{self.source}# {self.arguments}\n"


@dataclass
class Value:
    name: str
    value: Any
    tainted: bool = False


@dataclass
class Writer:
    """Writes one program, statement by statement."""

    rng: random.Random
    exact: bool
    values: list[Value]
    lines: list[str] = field(default_factory=list)
    scope: dict[str, Any] = field(default_factory=dict)
    scale: float = 10.0
    eps: float = 2e-16
    raised: bool = False

    # -- holes

    def arrays(self, wanted: Callable[[np.ndarray], bool] = lambda array: True) -> list[Value]:
        return [v for v in self.values if isinstance(v.value, np.ndarray) and wanted(v.value)]

    def numeric(self) -> list[Value]:
        kinds = (np.ndarray, np.generic, int, float, complex)
        return [v for v in self.values if isinstance(v.value, kinds)]

    def candidates(self, hole: str, first: Any) -> list[Value]:
        if hole == "y":
            return [v for v in self.numeric() if _broadcasts(v.value, first)]
        if hole == "same":
            return self.arrays(lambda a: a.shape == np.shape(first)) if first is not None else []
        kinds: dict[str, Callable[[np.ndarray], bool]] = {
            "i": lambda a: a.dtype.kind in "iub",
            "b": lambda a: a.dtype.kind == "b" and (first is None or _broadcasts(a, first)),
            "f": lambda a: a.dtype.kind == "f",
            "m": lambda a: a.ndim >= 2,
            "v": lambda a: a.ndim == 1,
            "e": lambda a: a.dtype.kind in "iub" and self.is_clean(a),
        }
        return self.numeric() if hole == "x" else self.arrays(kinds.get(hole, lambda a: True))

    def is_clean(self, array: np.ndarray) -> bool:
        return not any(v.tainted for v in self.values if v.value is array)

    def made(self, hole: str, first: Any) -> str | None:
        ndim = np.ndim(first)
        choose = self.rng.choice
        axis = [str(a) for a in range(-ndim, ndim)] or ["0"]
        if hole == "axis":
            return choose([*axis, *axis, "None", "(0, 1)" if ndim > 1 else "None"])
        if hole == "perm":
            order = list(range(ndim))
            self.rng.shuffle(order)
            return str(tuple(order))
        if hole == "shape":
            size = np.size(first)
            return choose(["-1", f"({size},)", "(-1, 1)", "(1, -1)", f"({size}, 1)", "(2, -1)"])
        rows = {
            "ax": axis, "key": KEYS, "take": TAKES, "list": LISTS, "dtype": TYPES, "keep": ("True", "False"),
            "n": NUMBERS,
        }  # fmt: skip
        return choose(rows[hole]) if hole in rows else None

    def fill(self, row: Row) -> tuple[str, list[Value]] | None:
        """The row's template with a value in every hole; None where there is none that fits."""
        used: list[Value] = []
        text, rest = "", row.template
        while "{" in rest:
            before, _, rest = rest.partition("{")
            hole, _, rest = rest.partition("}")
            first = used[0].value if used else None
            made = self.made(hole, first)
            if made is None:
                found = self.candidates(hole, first)
                if row.kind == DISCRETE:
                    found = [v for v in found if not v.tainted]
                if hole == "y" and (not found or self.rng.random() < 0.15):
                    made = self.rng.choice(NUMBERS)
                elif not found:
                    return None
                else:
                    used.append(self.rng.choice(found[-6:] if self.rng.random() < 0.7 else found))
                    made = used[-1].name
            text += before + made
        return text + rest, used

    # -- statements

    def statement(self) -> bool:
        """Write one more; False when what came up does not work here."""
        rows, weights = (STATEMENTS, SW) if self.rng.random() < 0.2 else (ROWS, RW)
        row = self.rng.choices(rows, weights)[0]
        if row.kind == APPROXIMATE and self.exact:
            return False
        filled = self.fill(row)
        if filled is None:
            return False
        text, used = filled
        name = None
        if rows is ROWS:
            name = f"v{len(self.lines)}"
            text = f"{name} = {text}"
        text = self.wrap(text, name)
        return text is not None and self.accept(text, name, row, used)

    def wrap(self, line: str, name: str | None) -> str | None:
        template = self.rng.choices([w for w, _ in WRAPPERS], [n for _, n in WRAPPERS])[0]
        if template == "{line}":
            return line
        if name is not None:  # it has a value in any case
            template = f"{name} = {self.rng.choice(self.numeric()).name}\n{template}"
        filled = self.fill(Row(template.replace("{line}", "\0")))
        return filled[0].replace("\0", line) if filled else None

    def accept(self, text: str, name: str | None, row: Row, used: list[Value]) -> bool:
        try:
            with quiet():
                exec(text, self.scope)
        except SyntaxError:
            return False
        except Exception:
            self.raised = self.rng.random() < 0.04
            if self.raised:
                self.lines.append(text)
            return self.raised
        self.lines.append(text)
        tainted = row.kind == APPROXIMATE or any(v.tainted for v in used)
        if name is None:
            if tainted and not text.startswith(("log", "print")):
                for value in self.values:
                    value.tainted = True
            return True
        value = self.scope[name]
        if any(map(_is_large, _parts(value))):
            self.lines.pop()
            return False
        self.values.append(Value(name, value, tainted))
        self.note_scale(value)
        return True

    def note_scale(self, value: Any) -> None:
        if not isinstance(value, (np.ndarray, np.generic)):
            return
        if value.dtype.kind in "fc":
            self.eps = max(self.eps, float(np.finfo(value.dtype).eps))
        with np.errstate(all="ignore"):
            if value.dtype.kind in "iufc" and value.size:
                large = np.abs(value[np.isfinite(value)]).astype(float).max(initial=0)
                self.scale = max(self.scale, float(large))


def _broadcasts(value: Any, first: Any) -> bool:
    try:
        np.broadcast_shapes(np.shape(value), np.shape(first))
    except ValueError:
        return False
    return True


def _parts(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _is_large(value: Any) -> bool:
    """Or of a kind that the next statements can do nothing with."""
    if not isinstance(value, np.ndarray):
        return isinstance(value, int) and abs(value) > 2**70
    return value.size > LARGEST or value.ndim > 5 or value.dtype.kind not in "biufc"


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    with (
        np.errstate(all="ignore"),
        warnings.catch_warnings(),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        yield


RW = [row.weight for row in ROWS]
SW = [row.weight for row in STATEMENTS]


def program(seed: int) -> Program:
    """The program of a seed."""
    rng = random.Random(seed)
    arguments = random_arguments(rng)
    exact = rng.random() < 0.5
    built = build(arguments, SIZES[0])
    names = "abcd"[: len(built)]
    scope: dict[str, Any] = {"np": np, "log": [], **dict(zip(names, built))}
    writer = Writer(rng, exact, [Value(n, v) for n, v in zip(names, built)], scope=scope)
    for value in built:
        writer.note_scale(value)
    wanted, tries = rng.choice((1, 2, 3, 4, 5, 6, 8)), 0
    while len(writer.lines) < wanted and tries < 60 and not writer.raised:
        writer.statement()
        tries += 1
    source = written(writer, names)
    signed = not any(word in source for word in ("max", "min", "clip", "sort", "unique"))
    function = define(source, seed)
    return Program(seed, source, arguments, function, exact, writer.eps, writer.scale, signed)


def written(writer: Writer, names: str) -> str:
    found = [v.name for v in writer.values if v.name.startswith("v")] or list(names)
    chosen = [found[-1], *(writer.rng.choice([*found, *names]) for _ in range(2))]
    result = writer.rng.choice(OUTCOMES).format(*chosen)
    body = "\n".join([*writer.lines, f"return {result}"]).replace("\n", "\n    ")
    return f"def program({', '.join([*names, 'log'])}):\n    {body}\n"


def define(source: str, seed: int) -> Callable[..., Any]:
    """The function, with its source where tracebacks and `inspect` find it."""
    filename = f"<program {seed}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    scope: dict[str, Any] = {"np": np, "__name__": "fuzzed"}
    exec(compile(source, filename, "exec"), scope)
    return scope["program"]


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        print(program(int(argument)))
