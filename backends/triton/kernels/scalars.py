"""Scalar types, constants and operations as Triton text."""
from __future__ import annotations

import contextlib
import math
from importlib import import_module

import numpy as np

from ....base.records import dataclass
from ....errors import Unsupported
from ....ir.ops.c_functions import UFUNCS
from ....ir.row import by_name
from ....ir.types import is_bfloat16, kind_of
from .prelude import OPERANDS, OWN_FUNCTIONS


@dataclass(frozen=True, slots=True)
class TritonType:
    """`memory`: the letter code of a signature; `register`: the type in expressions."""

    memory: str
    memory_name: str
    register: str


def _row(memory: str, name: str, register: str | None = None) -> TritonType:
    return TritonType(memory, name, f"tl.{register or name}")


def _bfloat16() -> dict[np.dtype, TritonType]:
    """Its row, where `ml_dtypes` is installed; kernels load, store and cast it."""
    with contextlib.suppress(ImportError):
        return {np.dtype(import_module("ml_dtypes").bfloat16): _row("bf16", "bfloat16")}
    return {}


TYPES = {
    np.dtype(np.bool_): _row("i8", "int8", "int1"),
    np.dtype(np.int8): _row("i8", "int8"),
    np.dtype(np.int16): _row("i16", "int16"),
    np.dtype(np.int32): _row("i32", "int32"),
    np.dtype(np.int64): _row("i64", "int64"),
    np.dtype(np.uint8): _row("u8", "uint8"),
    np.dtype(np.uint16): _row("u16", "uint16"),
    np.dtype(np.uint32): _row("u32", "uint32"),
    np.dtype(np.uint64): _row("u64", "uint64"),
    np.dtype(np.float16): _row("fp16", "float16"),
    np.dtype(np.float32): _row("fp32", "float32"),
    np.dtype(np.float64): _row("fp64", "float64"),
    **_bfloat16(),
}


WORDS = {2: "int16", 4: "int32", 8: "int64"}


def constant_text(bits: bytes, dtype: np.dtype) -> str:
    """A typed constant that keeps every bit: Triton itself makes a zero of -0.0."""
    value = np.frombuffer(bits, dtype)[0].item()
    register = TYPES[dtype].register
    if dtype.kind == "f" and (not math.isfinite(value) or (value == 0 and any(bits))):
        word = np.frombuffer(bits, f"i{dtype.itemsize}")[0].item()
        whole = f"tl.full([], {word}, tl.{WORDS[dtype.itemsize]})"
        return f"{whole}.to({register}, bitcast=True)"
    return f"tl.full([], {value!r}, {register})"


def cast_text(operand: str, source: np.dtype, dtype: np.dtype) -> str:
    """A number as another type, by way of those that CuPy casts it to."""
    if dtype == np.bool_:
        return f"{operand} != 0"
    if (is_bfloat16(source) or is_bfloat16(dtype)) and np.float32 not in (source, dtype):
        operand += ".to(tl.float32)"
    if kind_of(source) == "f" and dtype.kind in "iu" and dtype.itemsize < 4:
        operand += ".to(tl.int32)" if dtype.kind == "i" else ".to(tl.uint32)"
    return f"{operand}.to({TYPES[dtype].register})"


def template_of(op: str, dtype: np.dtype) -> str | None:
    """The text of an operation on operands of `dtype`, or None.

    A row's templates are keyed by "d" (float64 alone), "e" (float16), kind letter or "" (any);
    "@name" calls the prelude's function `name_<kind>`.
    """
    if (row := by_name(op)) is None:
        return call_text(op)
    template = row.triton
    if template is not None and not isinstance(template, str):
        keys = (*(dtype.char if dtype.kind == "f" else ""), dtype.kind, "")
        template = next((template[key] for key in keys if key in template), None)
    if template is None or not template.startswith("@"):
        return template
    name = f"{template[1:]}_{dtype.kind}"
    if name not in OWN_FUNCTIONS:
        return None
    ufunc = row.target if isinstance(row.target, np.ufunc) else UFUNCS[row.target]
    return f"{name}({', '.join('{' + letter + '}' for letter in 'abc'[: ufunc.nin])})"


def call_text(name: str) -> str | None:
    """A call of a function of the prelude that parts of complex numbers have."""
    function = name.replace("complex_mul_", "complex_multiply_")
    if function not in OPERANDS:
        return None
    given = ["{" + letter + "}" for letter in "abcd"[: OPERANDS[function]]]
    given += ["of_scalars=True"] if function != name else []
    return f"{function}({', '.join(given)})"


QUOTIENT = "quotient_of_halves({a}, {b})"


def apply_text(op: str, dtype: np.dtype, result: np.dtype, operands: list[str]) -> str:
    """A scalar operation of the registry; half precision is computed in single and rounded once."""
    half = dtype == np.float16
    template = template_of(op, dtype)
    if template is None:
        raise Unsupported(f"{op} of {dtype} has no Triton form")
    if half:
        operands = [f"{operand}.to(tl.float32)" for operand in operands]
        template = QUOTIENT if op == "divide" else template
    text = template.format(**dict(zip("abcd", operands)))
    return f"({text}).to(tl.float16)" if half and result == dtype else text
