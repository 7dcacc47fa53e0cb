"""Scalar types, constants and operations as Triton text."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import Unsupported
from ...ir.ops import by_name
from .prelude import OWN_FUNCTIONS


@dataclass(frozen=True, slots=True)
class TritonType:
    """`memory`: the letter code of a signature; `register`: the type in expressions."""

    memory: str
    memory_name: str
    register: str


def _row(memory: str, name: str, register: str | None = None) -> TritonType:
    return TritonType(memory, name, f"tl.{register or name}")


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
}


def constant_text(bits: bytes, dtype: np.dtype) -> str:
    """A typed constant that keeps every bit (also of NaNs' signs and negative zero)."""
    value = np.frombuffer(bits, dtype)[0].item()
    text = repr(value)
    if dtype.kind == "f" and text in ("inf", "-inf", "nan"):
        text = f"float('{text}')"
    return f"tl.full([], {text}, {TYPES[dtype].register})"


def apply_text(op: str, dtype: np.dtype, operands: list[str]) -> str:
    """A scalar operation of the registry on operands of `dtype`.

    A row's template is keyed by type character, kind letter or "" (any); "@name" calls the
    prelude's function `name_<kind>`.
    """
    row = by_name(op)
    template = row.triton if row is not None else None
    if template is not None and not isinstance(template, str):
        keys = (dtype.char, dtype.kind, "")
        template = next((template[key] for key in keys if key in template), None)
    if template is None:
        raise Unsupported(f"{op} of {dtype} has no Triton form")
    if template.startswith("@"):
        name = f"{template[1:]}_{dtype.kind}"
        if name not in OWN_FUNCTIONS:
            raise Unsupported(f"{op} of {dtype} has no Triton form")
        return f"{name}({', '.join(operands)})"
    return template.format(**dict(zip("abcd", operands)))
