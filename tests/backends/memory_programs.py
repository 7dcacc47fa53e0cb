"""Random sequences of views and writes, made from a seed as the source of a Python function.

Every statement is run when it is written, so that shapes and dtypes of what exists are known.
`python -m tests.backends.memory_programs SEED` prints a program.
"""
from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

SHAPES = ((4, 6), (6,), (4, 3, 2), (5, 5), (2, 6), (3,), (), (1, 6), (0, 4), (8, 1))
DTYPES = ("i8", "f8", "i8", "f8", "f4", "i4", "?", "c16", "u1")
LAYOUTS: tuple[Callable[[np.ndarray], np.ndarray], ...] = (
    lambda x: x, lambda x: x, lambda x: x, np.asfortranarray,
    lambda x: np.repeat(x, 2, -1)[..., ::2] if x.ndim else x,
    lambda x: x[::-1].copy()[::-1] if x.ndim else x,
    lambda x: np.ascontiguousarray(x.T).T,
)  # fmt: skip
SHARED = ("{0}", "{0}[1:]", "{0}.T", "{0}[::-1]", "{0}.reshape(-1)", "{0}[..., :2]")
LARGEST = 400


@dataclass(frozen=True)
class Input:
    """An array made from numbers alone, or a view of the input before it."""

    shape: tuple[int, ...]
    dtype: str
    layout: int
    shared: str = ""

    def build(self, before: list[np.ndarray]) -> np.ndarray:
        if self.shared:
            return eval(self.shared.format("x"), {"x": before[-1]})
        count = int(np.prod(self.shape))
        plain = (np.arange(count) * 7 % 11 + 1).reshape(self.shape).astype(self.dtype)
        return LAYOUTS[self.layout](plain)


@dataclass
class Program:
    seed: int
    source: str
    inputs: list[Input]

    @property
    def function(self) -> Callable[..., Any]:
        scope: dict[str, Any] = {"np": np}
        exec(compile(self.source, f"<memory program {self.seed}>", "exec"), scope)
        made: Callable[..., Any] = scope["f"]
        return made

    def build(self) -> list[np.ndarray]:
        made: list[np.ndarray] = []
        for each in self.inputs:
            made.append(each.build(made))
        return made

    def failing(self) -> Program:
        """The same, but for a statement somewhere that may warn or raise."""
        rng = random.Random(self.seed)
        first, *lines = self.source.splitlines(keepends=True)
        place = rng.randrange(len(lines))
        lines.insert(place, f"    {rng.choice(FAILURES)}\n")
        return Program(self.seed, "".join((first, *lines)), self.inputs)

    def __str__(self) -> str:
        return f"# seed {self.seed}\n{self.source}# {self.inputs}\n"


class Writer:
    """Writes one program; `names` are those of arrays."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.names: list[str] = []
        self.scope: dict[str, Any] = {"np": np}
        self.lines: list[str] = []

    def one(self) -> str:
        recent = self.rng.random() < 0.5
        return self.rng.choice(self.names[-3:] if recent else self.names)

    def like(self, name: str) -> str:
        """An operand that broadcasts to an array: another one, a part of it, or a number."""
        shape = self.scope[name].shape
        fits = [other for other in self.names if _broadcasts(self.scope[other].shape, shape)]
        own = [f"{name}[::-1]", f"{name}[:1]", f"{name}[-1]", f"({name} + 1)"] if shape else []
        square = [f"{name}.T"] if shape == shape[::-1] else []
        return self.rng.choice([*fits, *fits, *own, *square, "2", "3.5", "True", "np.int8(5)"])

    def same(self, name: str) -> str:
        shape = self.scope[name].shape
        return self.rng.choice([n for n in self.names if self.scope[n].shape == shape])

    def key(self, name: str) -> str:
        """A basic index."""
        items: list[str] = []
        for size in self.scope[name].shape:
            place = self.rng.randrange(-size, size) if size else 0
            items.append(self.rng.choice([
                ":", ":", "1:", ":-1", "::2", "::-1", "-2:", "1:3", "::-2", str(place), "2:1",
            ]))  # fmt: skip
        if self.rng.random() < 0.2:
            items.insert(self.rng.randrange(len(items) + 1), "None")
        if self.rng.random() < 0.4:
            items = items[: self.rng.randrange(len(items) + 1)]
        if self.rng.random() < 0.2:
            items.append("...")
        return ", ".join(items) or "..."

    def picks(self, name: str) -> str:
        """An index with arrays of integers; places may come twice."""
        shape = self.scope[name].shape
        lists = [str([self.rng.randrange(-n, n) for _ in range(3)]) if n else "[]" for n in shape]
        found = [f"np.array({one}, int)" for one in lists]
        return self.rng.choice([
            found[0], lists[0], ", ".join(found), f"..., {found[-1]}", f"{found[0]}, ..., None",
            f"{found[0]}[:, None]", f"{name} > 3" if self.scope[name].dtype.kind != "c" else ":",
        ]) if shape else "()"  # fmt: skip

    def axis(self, name: str) -> str:
        ndim = self.scope[name].ndim
        return str(self.rng.randrange(-ndim, ndim)) if ndim else "None"

    def shape(self, name: str) -> str:
        size = self.scope[name].size
        return self.rng.choice(["-1", f"({size},)", "(2, -1)", "(-1, 3)", "(1, -1)", "(2, -1, 2)"])

    def order(self, name: str) -> str:
        axes = list(range(self.scope[name].ndim))
        self.rng.shuffle(axes)
        return str(tuple(axes))

    def statement(self) -> None:
        makes = self.rng.random() < 0.45
        template = self.rng.choice(MAKES if makes else WRITES)
        x = self.one()
        holes = {"x": x, "v": f"v{len(self.lines)}"}
        for hole in ("key", "like", "same", "picks", "axis", "shape", "order"):
            if "{" + hole in template:
                holes[hole] = getattr(self, hole)(x)
        if "{other" in template:
            holes["other"] = self.one()
            holes["okey"] = self.key(holes["other"])
        self.accept(template.format(**holes), holes["v"] if makes else None)

    def accept(self, line: str, name: str | None) -> None:
        """Keep a statement that works."""
        if line.startswith("np.cumsum") and ", None, " in line:
            return  # NumPy reads a null pointer where both arrays have no dimension
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                exec(line, self.scope)
            except (ValueError, TypeError, IndexError, SyntaxError):
                return
        value = self.scope[name] if name else None
        if name and (not isinstance(value, np.ndarray) or value.size > LARGEST or value.ndim > 5):
            return
        self.lines.append(line)
        if name:
            self.names.append(name)

    def program(self, seed: int) -> Program:
        inputs = self.inputs()
        made: list[np.ndarray] = []
        for name, each in zip("abc", inputs):
            made.append(each.build(made))
            self.scope[name] = made[-1]
            self.names.append(name)
        parameters = ", ".join(self.names)
        for _ in range(self.rng.randint(3, 11)):
            self.statement()
        results = ", ".join(self.rng.choice(self.names) for _ in range(self.rng.randint(1, 4)))
        body = "".join(f"    {line}\n" for line in self.lines)
        return Program(seed, f"def f({parameters}):\n{body}    return ({results},)\n", inputs)

    def inputs(self) -> list[Input]:
        found: list[Input] = []
        for position in range(self.rng.randint(1, 3)):
            shared = self.rng.choice(SHARED) if position and self.rng.random() < 0.1 else ""
            if shared and (found[-1].shared or not found[-1].shape):
                shared = ""
            dtype = self.rng.choice([*DTYPES, *[one.dtype for one in found] * 6])
            layout = self.rng.randrange(len(LAYOUTS))
            found.append(Input(self.rng.choice(SHAPES), dtype, layout, shared))
        return found


def _broadcasts(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, target) == target
    except ValueError:
        return False


VIEWS = (
    "{v} = {x}[{key}]", "{v} = {x}[{key}]", "{v} = {x}[{key}]", "{v} = {x}.T", "{v} = {x}[...]",
    "{v} = {x}.reshape({shape})", "{v} = {x}.ravel()", "{v} = {x}.transpose({order})",
    "{v} = np.diagonal({x})", "{v} = np.flip({x}, {axis})", "{v} = {x}.reshape({shape}, order='F')",
    "{v} = np.expand_dims({x}, {axis})", "{v} = np.squeeze({x})", "{v} = np.asarray({x})",
    "{v} = {x}.swapaxes(0, {axis})", "{v} = np.split({x}, 2)[1]", "{v} = {x}.view()",
    "{v} = {x}.real",
    "{v} = np.rot90({x})", "{v} = {x}.flatten()", "{v} = np.broadcast_to({x}, (2, *{x}.shape))",
    "{v} = np.atleast_2d({x})", "{v} = {x}.astype({x}.dtype, copy=False)", "{v} = {x}.imag",
    "{v} = np.moveaxis({x}, 0, {axis})", "{v} = np.ascontiguousarray({x})", "{v} = {x}",
    "{v} = np.lib.stride_tricks.sliding_window_view({x}, 2, {axis})",
    "{v} = np.array_split({x}, 3)[0]",
)  # fmt: skip
FRESH = (
    "{v} = {x} + {like}", "{v} = {x}.copy()", "{v} = np.zeros_like({x})", "{v} = {x} * 2",
    "{v} = {x}[{picks}]",
    "{v} = np.concatenate([{x}, {same}])", "{v} = np.where({x} > 2, {x}, {like})",
    "{v} = {x}.sum({axis})",
    "{v} = {x}.astype('f8')", "{v} = np.stack([{x}, {same}])", "{v} = np.full({x}.shape, 3)",
    "{v} = np.empty(6); {v}[...] = 1",
    "{x}[{key}] = {other}[{okey}] + 1; {v} = {x}[{key}] * 2; {x}[{key}] = {v}",
    "{x}[{key}] = {x}[{key}] * 2; {v} = np.roll({x}[{key}], 1); {x}[{key}] = {v}",
    "{x}[{key}] = {x}[{key}] * 2; {v} = {x}[{key}][::-1] + 1; {x}[{key}] = {v}",
    "{x}[0] = {x}[-1] + 1; {v} = {x}[0].sum() + {x}; {x}[0] = {x}[0] - 1",
)  # fmt: skip
MAKES = (*VIEWS, *FRESH)
WRITES = (
    "{x} += {like}", "{x} *= {like}", "{x} -= {like}", "{x}[{key}] = {like}",
    "{x}[{key}] = {other}[{okey}]",
    "{x}[{key}] = {other}[{okey}]", "{x}[{key}] = {other}", "{x}[{key}] += {other}[{okey}]",
    "{x}[{key}] = 7",
    "{x}[{key}] *= 2", "{x}[{picks}] = {like}", "{x}[{picks}] = 5", "{x}[{picks}] += 1",
    "{x}[...] = {like}",
    "np.add({x}, {like}, out={same})", "np.multiply({x}, {like}, {same})",
    "np.negative({x}, out={same})",
    "np.copyto({x}, {like})", "np.copyto({x}, {like}, where={same} > 2)", "{x}.fill(4)",
    "{x}[:] = {x}[::-1]",
    "{x}[1:] += {x}[:-1]", "{x}[:-1] = {x}[1:]", "np.add({x}, 1, out={same}, where={x} > 2)",
    "np.cumsum({x}, {axis}, out={same})", "np.sum({x}, {axis}, out={other}[{okey}])",
    "np.add.at({x}, {picks}, 1)",
    "np.fill_diagonal({x}, 9)", "{x}.sort()", "np.clip({x}, 1, 5, out={same})", "{x} |= {like}",
    "{x} //= 2",
    "np.put({x}, [0, 1], 6)", "{x}[{key}][...] = {like}", "{x}.T[...] = {like}",
    "{x}.ravel()[...] = 8",
    "{x}.reshape(-1)[::2] = 3", "{x}[{key}], {other}[{okey}] = 1, 2", "{x}[{key}].T[...] += 1",
    "np.maximum({x}, {like}, out={x}[::-1])", "np.add({x}, {other}[{okey}], out={x})", "{x} **= 2",
    "{x}[{picks}] = {other}[{okey}]", "np.put_along_axis({x}, np.argmax({x}, 0)[None], 0, 0)",
    "{x}.real[...] = 2",
    "{x}[{key}] = [1]", "np.subtract({x}[1:], {x}[:-1], out={x}[:-1])",
    "np.take({x}, [0, 1], out={other}[{okey}])",
)  # fmt: skip

FAILURES = (
    "w = 1 / (a - a)", "w = np.sqrt(a - 100)", "w = np.linalg.inv(np.zeros((2, 2)) * a.sum())",
    "w = a.ravel()[np.array([0, 99])]", "w = np.log(a).sum()", "w = a.ravel()[a.argmax() + 90]",
    "w = a // (a - a)", "w = np.linalg.cholesky(-np.eye(2) * a.size)", "a[...] = 1e300 * a * 1e300",
    "a.ravel()[...] = a.ravel()[::-1] / (a.ravel() - a.ravel()[:1])",
)  # fmt: skip


def program(seed: int) -> Program:
    """The program of a seed."""
    return Writer(seed).program(seed)


if __name__ == "__main__":
    print(program(int(sys.argv[1])))
