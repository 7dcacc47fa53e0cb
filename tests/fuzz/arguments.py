"""Arguments of random programs: described once, built anew for each call and for each size."""
from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

INTEGERS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
FLOATS = ("f4", "f8", "f2")
COMPLEX = ("c8", "c16")
DTYPES = ("?", *INTEGERS, *FLOATS, *COMPLEX)
WEIGHTS = (3, 1, 1, 2, 5, 2, 1, 1, 1, 4, 10, 1, 1, 1)

SIZES: tuple[Mapping[str, int], ...] = (
    {"n": 5, "m": 3, "k": 4},
    {"n": 7, "m": 3, "k": 4},
    {"n": 7, "m": 2, "k": 6},
    {"n": 1, "m": 3, "k": 4},
    {"n": 0, "m": 3, "k": 2},
    {"n": 17, "m": 33, "k": 2},
    {"n": 3, "m": 3, "k": 3},
    {"n": 4, "m": 1, "k": 0},
)
"""What the letters in shapes stand for, one row for each way to call a program."""

SHAPES = (
    ("n",), ("n",), ("m",), ("n", "m"), ("n", "m"), ("m", "n"), ("m", "k"), ("n", 1), (1, "m"), (),
    ("k", "n", "m"), ("n", "n"), (1,), ("k", 1, "m"), (2, "n"), (0, "m"),
)  # fmt: skip
SPECIAL = (0.0, -0.0, np.nan, np.inf, -np.inf, 1e-310, -1.0, 1.0)


def values(rng: np.random.Generator, dtype: np.dtype, shape: tuple[int, ...], special: bool) -> Any:
    """An array of harmless values, with every number a float can be when `special`."""
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        low = -9 if dtype.kind == "i" else 0
        array = rng.integers(low, 10, shape).astype(dtype)
        if special and array.size:
            edges = np.iinfo(dtype)
            array.flat[rng.integers(array.size)] = (edges.min, edges.max)[rng.integers(2)]
        return array
    array = np.round(rng.standard_normal(shape) * 3, 2)
    if dtype.kind == "c":
        array = array + 1j * np.round(rng.standard_normal(shape) * 3, 2)
    array = np.asarray(array)
    if special and array.size:
        if dtype.kind == "f" and rng.integers(4) == 0:  # the greatest one is a zero of some sign
            array = np.where(array > 0.0, rng.choice((0.0, -0.0), shape), array)
        array.flat[rng.integers(array.size, size=2)] = rng.choice(SPECIAL, 2)
    with np.errstate(all="ignore"):
        return array.astype(dtype)


def _padded(array: np.ndarray) -> np.ndarray:
    whole = np.zeros([size + 2 for size in array.shape], array.dtype)
    view = whole[(..., *(slice(1, -1) for _ in array.shape))]
    view[...] = array
    return view


def _strided(array: np.ndarray) -> np.ndarray:
    whole = np.zeros([size * 2 for size in array.shape], array.dtype)
    view = whole[(..., *(slice(None, None, 2) for _ in array.shape))]
    view[...] = array
    return view


def _negative(array: np.ndarray) -> np.ndarray:
    back = (..., *(slice(None, None, -1) for _ in array.shape))
    return array[back].copy()[back]


def _unaligned(array: np.ndarray) -> np.ndarray:
    raw = np.zeros(array.nbytes + 1, np.uint8)
    view = np.ndarray(array.shape, array.dtype, raw.data, 1)
    view[...] = array
    return view


def _read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def _repeated(array: np.ndarray) -> np.ndarray:
    return np.broadcast_to(array[:1], array.shape) if array.ndim and len(array) else array


LAYOUTS: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "C": lambda array: array,
    "F": np.asfortranarray,
    "transposed": lambda array: np.ascontiguousarray(array.T).T,
    "padded": _padded,
    "strided": _strided,
    "negative": _negative,
    "read-only": _read_only,
    "repeated": _repeated,
    "unaligned": _unaligned,
    "swapped": lambda array: array.astype(array.dtype.newbyteorder()),
}
LAYOUT_WEIGHTS = (20, 4, 4, 3, 3, 3, 2, 2, 1, 1)

SHARES = ("{0}", "{0}[1:]", "{0}[::-1]", "{0}.T", "{0}[:-1]", "{0}[...]", "{0}.reshape(-1)")
"""How an argument can be made of another one."""

NUMBERS = (
    "2", "0", "-1", "3", "2.5", "-0.0", "0.5", "True", "2**40", "1j", "np.float32(1.5)",
    "np.float64(2.5)", "np.int8(3)", "np.uint8(200)", "np.int64(-2)", "np.bool_(True)",
    "np.float16(0.5)", "np.complex64(1 - 2j)", "float('nan')", "300",
)  # fmt: skip


@dataclass(frozen=True)
class Argument:
    """An array or a number; `shares` makes it a view of the argument at that position."""

    dtype: str = "f8"
    shape: tuple[int | str, ...] = ()
    layout: str = "C"
    special: bool = False
    seed: int = 0
    number: str = ""
    shares: tuple[int, str] | None = None

    def build(self, sizes: Mapping[str, int], before: list[Any]) -> Any:
        if self.number:
            return eval(self.number)
        if self.shares is not None:
            of, how = self.shares
            try:
                return eval(how.format("array"), {"array": before[of]})
            except IndexError:
                return before[of]
        shape = tuple(sizes[dim] if isinstance(dim, str) else dim for dim in self.shape)
        rng = np.random.default_rng(self.seed)
        array = values(rng, np.dtype(self.dtype), shape, self.special)
        return LAYOUTS[self.layout](np.asarray(array))


def random_arguments(rng: random.Random) -> list[Argument]:
    """One to four arguments, the first of them an array."""
    special = rng.random() < 0.2
    found: list[Argument] = []
    for position in range(rng.choice((1, 2, 2, 3, 3, 4))):
        seed = rng.randrange(1 << 30)
        if position and rng.random() < 0.25:
            found.append(Argument(number=rng.choice(NUMBERS)))
        elif position and not found[0].number and rng.random() < 0.12:
            found.append(Argument(shares=(0, rng.choice(SHARES))))
        else:
            dtype = rng.choices(DTYPES, WEIGHTS)[0]
            layout = rng.choices(list(LAYOUTS), LAYOUT_WEIGHTS)[0]
            found.append(Argument(dtype, rng.choice(SHAPES), layout, special, seed))
    return found


def build(arguments: list[Argument], sizes: Mapping[str, int]) -> list[Any]:
    built: list[Any] = []
    for argument in arguments:
        built.append(argument.build(sizes, built))
    return built
