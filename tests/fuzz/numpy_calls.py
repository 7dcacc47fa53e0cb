"""Random calls of NumPy's functions and methods: each parameter by its name, odd values included.

The programs of `programs` mostly succeed; these are what people get wrong as often as right.
`python -m tests.fuzz.numpy_calls SEED` prints a program.
"""
from __future__ import annotations

import inspect
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .arguments import Argument, random_arguments
from .programs import Program, define

NAMESPACES: Mapping[str, Any] = {"np": np, "np.linalg": np.linalg, "np.fft": np.fft}
NAMESPACE_WEIGHTS = (8, 2, 1)
LEFT_OUT = frozenset("""
    save savez savez_compressed savetxt load loadtxt fromfile genfromtxt fromregex test info
    show_config show_runtime get_include setbufsize getbufsize seterr seterrcall geterr geterrcall
    get_printoptions set_printoptions printoptions from_dlpack array2string array_repr array_str
    shares_memory may_share_memory busday_count busday_offset is_busday fromstring
    empty empty_like frompyfunc vectorize piecewise apply_along_axis apply_over_axes fromfunction
    fromiter bmat asmatrix nested_iters typename base_repr binary_repr require
    format_float_positional format_float_scientific fmax fmin tofile dump dumps setflags resize
    newbyteorder byteswap getfield setfield tobytes
""".split())
"""Functions of files, texts, settings and addresses; of functions; of memory that nobody wrote; and
fmax and fmin, which give either zero of two."""
METHODS = [
    name for name in dir(np.ndarray)
    if not name.startswith("_") and name not in LEFT_OUT and callable(getattr(np.ndarray, name))
]
NAMELESS = frozenset({"conj", "conjugate", "swapaxes", "transpose"})
"""Methods whose message about a name says `swapaxes()` or `ndarray.swapaxes()`, as they are called."""
APPROXIMATE = (
    "exp", "log", "sin", "cos", "tan", "sqrt", "cbrt", "hypot", "pow", "linalg", "fft", "geomspace",
    "sinc", "i0", "unwrap", "blackman", "hamming", "hanning", "kaiser", "vander", "poly", "cov",
    "corrcoef", "std", "var", "norm", "mean", "average", "interp", "einsum", "dot", "inner", "outer",
    "cross", "matmul", "convolve", "correlate", "sum", "prod", "quantile", "percentile", "median",
    "trap", "gradient", "reciprocal", "divide", "float_power", "linspace", "vecdot", "matvec",
)  # fmt: skip
"""What names have in common whose results may differ in the last bits."""

TRUSTING = ("linalg", "polyfit", "bincount")
"""What names have in common that must not see special numbers: NumPy itself writes anywhere for
the largest int, or searches for ever for the singular values of infinity."""

ARRAY = ("{array}",)
NUMBERS = ("0", "1", "2", "3", "-1", "0.5", "2.0", "None", "np.int64(2)", "np.float32(0.3)", "True")
COUNTS = ("0", "1", "2", "3", "-1", "4", "np.int64(2)", "np.int8(1)", "2.0", "None", "(1, 2)", "[1]")
AXES = (
    "0", "1", "-1", "2", "-2", "None", "(0, 1)", "(0,)", "()", "1.0", "np.int64(1)", "5", "True",
)  # fmt: skip
SHAPES = (
    "3", "(2, 3)", "(3,)", "()", "(0,)", "(-1,)", "(2, -1)", "[2, 2]", "-1", "(1, 3, 1)", "8",
    "np.int64(3)",
)  # fmt: skip
CHOICES = ("True", "False", "1", "None", "np.True_")
DTYPES = (
    "np.float64", "np.float32", "np.int64", "'f4'", "np.int8", "bool", "complex", "float", "int",
    "np.complex64", "'i2'", "np.dtype('>f8')", "None", "np.uint8",
)  # fmt: skip
PARAMETERS: Mapping[str, Sequence[str]] = {
    **dict.fromkeys("axis axis1 axis2 source destination start".split(), AXES),
    **dict.fromkeys("shape newshape size dims".split(), SHAPES),
    **dict.fromkeys(
        "keepdims endpoint retstep rowvar bias density increasing full overwrite_input subok copy"
        " equal_nan hermitian sorted assume_unique invert return_index return_inverse"
        " return_counts stable descending upper full_matrices compute_uv".split(), CHOICES),
    **dict.fromkeys(
        "ddof correction n m N M k num decimals deg ndmin shift repeats reps offset minlength bins"
        " pad_width indices_or_sections q period discont initial a_min a_max min max fill_value step"
        " stop nan posinf neginf rtol atol rcond tol".split(), (*NUMBERS, *COUNTS)),
    "axes": ("None", "(1, 0)", "(0,)", "(0, 1)", "(0, 2, 1)", "1", "2", "([0], [1])", "-1"),
    "dtype": DTYPES, "out": ("None", *ARRAY), "order": ("'C'", "'F'", "'A'", "'K'", "None"),
    "where": ("True",), "ord": ("None", "1", "2", "np.inf", "'fro'", "-1"),
    "mode": ("'raise'", "'wrap'", "'clip'", "'same'", "'full'", "'valid'", "'constant'", "'edge'"),
    "method": ("'linear'", "'lower'", "'nearest'", "'auto'"), "side": ("'left'", "'right'"),
    "kind": ("None", "'stable'", "'quicksort'"), "indexing": ("'xy'", "'ij'"),
    "casting": ("'unsafe'", "'same_kind'", "'safe'", "'no'"), "norm": ("None", "'ortho'"),
    "subscripts": ("'ij,jk->ik'", "'i,i'", "'ii->i'", "'ij->ji'", "'...i,...i'"),
    **dict.fromkeys(
        "arrays tup seq arys".split(),
        ("[{array}, {array}]", "[{array}]", "({array}, {array}, {array})", "[]", "{array}")),
    **dict.fromkeys(
        "indices ind obj kth".split(),
        ("0", "[0, 1]", "-1", "slice(0, 2)", "[]", "1", "np.array([True, False])", "{array}")),
}  # fmt: skip
OTHERS = (*ARRAY * 12, "2", "0.5", "-1", "[1, 2, 3]", "1j", "None", "(1.0, 2.0)", "np.int8(3)")
"""Of parameters with other names."""
BEFORE = ("", "", "", "a = a + 1", "a = a[::-1]", "a = a.T", "a = a * a", "a = a[1:]")
AFTER = (
    "", "", "r = r + 1", "r = r * 2.0", "r = (r, r)", "r = r.T", "r = r.sum()", "r = a + r",
    "r = r[0]", "r += 1", "a[...] = r",
)  # fmt: skip


def program(seed: int) -> Program:
    """The program of a seed."""
    rng = random.Random(seed)
    arguments = [one for one in random_arguments(rng) if not one.number and one.shares is None]
    if rng.random() < 0.6:  # alike, which succeeds more often
        first = arguments[0]
        arguments = [Argument(first.dtype, first.shape, seed=i) for i in range(len(arguments))]
    names = "abcd"[: len(arguments)]
    call = _Call(rng, names)
    text = call.of_method() if rng.random() < 0.2 else call.of_function()
    if any(word in text for word in TRUSTING):
        arguments = [replace(one, special=False) for one in arguments]
    lines = [line for line in (rng.choice(BEFORE), f"r = {text}", rng.choice(AFTER)) if line]
    body = "\n    ".join([*lines, f"return r, {', '.join(names)}"])
    source = f"def program({', '.join([*names, 'log'])}):\n    {body}\n"
    exact = not any(word in text for word in APPROXIMATE)
    return Program(seed, source, arguments, define(source, seed), exact, 1e-6, 100.0, exact)


class _Call:
    """Writes one call."""

    def __init__(self, rng: random.Random, names: str) -> None:
        self.rng, self.names = rng, names

    def of_method(self) -> str:
        name = self.rng.choice(METHODS)
        function = getattr(np, name, None)
        known = list(_parameters(function))[1:] if function is not None else []
        by_position = [self.value(p.name) for p in known[: self.rng.choice((0, 0, 1, 1, 2))]]
        by_name = [p for p in known[len(by_position) :] if self.rng.random() < 0.2]
        named = [
            f"{p.name}={self.value(p.name)}" for p in by_name
            if _has_a_name(p) and name not in NAMELESS
        ]  # fmt: skip
        return f"a.{name}({', '.join(by_position + named)})"

    def of_function(self) -> str:
        space = self.rng.choices(list(NAMESPACES), NAMESPACE_WEIGHTS)[0]
        name = self.rng.choice(_functions(space))
        function = getattr(NAMESPACES[space], name)
        if isinstance(function, np.ufunc):
            return f"{space}.{name}{self.of_ufunc(function)}"
        by_position, named = [], []
        for parameter in _parameters(function):
            if parameter.kind is parameter.VAR_POSITIONAL:
                by_position += [self.value("") for _ in range(self.rng.randrange(3))]
            elif parameter.default is parameter.empty and not named:
                by_position.append(self.value(parameter.name))
            elif self.rng.random() < 0.3 and _has_a_name(parameter):
                named.append(f"{parameter.name}={self.value(parameter.name)}")
        return f"{space}.{name}({', '.join(by_position + named)})"

    def of_ufunc(self, ufunc: np.ufunc) -> str:
        values = [self.value("") for _ in range(ufunc.nin)]
        if ufunc.nin == 2 and ufunc.nout == 1 and self.rng.random() < 0.2:
            return self.rng.choice((
                f".reduce({values[0]}, axis={self.value('axis')})",
                f".accumulate({values[0]}, axis={self.value('axis')})",
                f".outer({', '.join(values)})", f".reduceat({values[0]}, [0, 1])",
                f".at({values[0]}, [0, 1, 0], {values[1]})",
            ))  # fmt: skip
        named = [
            f"{name}={self.value(name)}" for name in ("out", "dtype", "casting", "order")
            if self.rng.random() < 0.1
        ]  # fmt: skip
        return f"({', '.join(values + named)})"

    def value(self, parameter: str) -> str:
        text = self.rng.choice(PARAMETERS.get(parameter, OTHERS))
        while "{array}" in text:
            text = text.replace("{array}", self.rng.choice(self.names), 1)
        return text


def _functions(space: str) -> list[str]:
    owner = NAMESPACES[space]
    return [
        name for name in sorted(dir(owner))
        if not name.startswith("_") and name not in LEFT_OUT and callable(getattr(owner, name))
        and not isinstance(getattr(owner, name), type)
    ]  # fmt: skip


def _parameters(function: Callable[..., Any]) -> Iterator[inspect.Parameter]:
    """Those that a random call may give."""
    try:
        known = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return
    names = {parameter.name for parameter in known}
    for parameter in known:
        if parameter.kind is parameter.VAR_KEYWORD or parameter.name in ("like", "device"):
            continue
        if parameter.name == "out" and function.__name__.startswith(("cum", "nancum")):
            continue  # NumPy itself crashes for arrays without axes
        if parameter.name != "where" or "out" not in names:
            yield parameter


def _has_a_name(parameter: inspect.Parameter) -> bool:
    return parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        print(program(int(argument)))
