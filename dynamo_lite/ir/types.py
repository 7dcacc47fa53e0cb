"""What a graph value is: an ndarray, a NumPy scalar or a Python number, with symbolic sizes."""
from __future__ import annotations

import enum
from dataclasses import replace

import numpy as np

from ..base.records import dataclass
from .sizes import Size, product


class Form(enum.Enum):
    """How a value appears to the user; NumPy's results depend on it (NEP 50)."""

    ARRAY = "array"  # numpy.ndarray, also 0-d
    SCALAR = "scalar"  # a numpy.generic such as numpy.float64
    PYTHON = "python"  # a Python bool, int, float or complex: weak in promotion
    OBJECT = "object"  # any other object, which only NumPy's own functions are handed


NUMBERS = "?bhilqBHILQefdgFDG"
DUPLICATES = frozenset(code for code in NUMBERS if np.dtype(np.dtype(code).str).char != code)
"""C types that equal another one (`long long` is `long`): dtypes that compare equal and yet are
told apart by `dtype.char`. No graph holds them."""


def is_held(dtype: np.dtype) -> bool:
    """Whether a graph can hold arrays of a dtype."""
    is_number = dtype.kind in "biufc" and dtype.isnative and dtype.char not in DUPLICATES
    return is_number and dtype.metadata is None


WARN_ON_WRITE = 1 << 31
"""The flag of arrays whose `flags.writeable` cannot be read without a warning."""


ADDED = 2
"""What `np.dtype.isbuiltin` is of types that packages add."""


def is_bfloat16(dtype: np.dtype) -> bool:
    """Whether this is the one of `ml_dtypes`. Only arrays of CuPy hold it in a graph
    (`ir.ops.bfloat16` has the calls)."""
    return dtype.char == "E" and dtype.isbuiltin == ADDED and (
        dtype.type.__module__ == "ml_dtypes" and dtype.name == "bfloat16")


def is_half(dtype: np.dtype) -> bool:
    """Whether it is a float of 16 bits, which is computed with in single precision."""
    return dtype == np.float16 or is_bfloat16(dtype)


def kind_of(dtype: np.dtype) -> str:
    """`dtype.kind`, which of bfloat16 is that of floats."""
    return "f" if is_bfloat16(dtype) else dtype.kind


def why_not_dtype(dtype: np.dtype) -> str | None:
    """Why a graph cannot hold arrays of a dtype, or None."""
    if is_held(dtype):
        return None
    if dtype.isbuiltin == ADDED:
        return f"dtype {dtype}, which {dtype.type.__module__.partition('.')[0]} adds to NumPy's"
    if dtype.kind not in "biufc":
        return f"dtype {dtype}"
    if not dtype.isnative:
        return f"byte-swapped dtype {dtype}"
    if dtype.metadata is not None:
        return f"dtype {dtype} with metadata"
    return f"dtype {dtype.name}, a C type of its own ({dtype.char!r})"


@dataclass(frozen=True, slots=True)
class ArrayType:
    """The type of one graph value; `strides` are in bytes, as NumPy gives them.

    A C-contiguous array of unknown sizes has strides that are products of its own sizes.
    `base` names the placeholder or node whose memory the value is a view of, or None.
    """

    dtype: np.dtype
    shape: tuple[Size, ...] = ()
    strides: tuple[Size, ...] = ()
    form: Form = Form.ARRAY
    writeable: bool = True
    aligned: bool = True
    library: str = "numpy"  # whose arrays; see `libraries`
    value: Size | None = None  # of a Python int that is known as a size

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> Size:
        return product(self.shape)

    @property
    def is_c_contiguous(self) -> bool:
        return self.strides == contiguous_strides(self.shape, self.dtype.itemsize)

    def with_layout(self, shape: tuple[Size, ...], strides: tuple[Size, ...]) -> ArrayType:
        return replace(self, shape=shape, strides=strides, form=Form.ARRAY)

    def __str__(self) -> str:
        sizes = ", ".join(map(str, self.shape))
        if self.form is Form.OBJECT:
            return "object"
        if self.form is not Form.ARRAY:
            return f"{self.form.value} {self.dtype}" + (
                "" if self.value is None else f" {self.value}"
            )
        layout = "" if self.is_c_contiguous else f" strides {self.strides}"
        return f"{self.dtype}[{sizes}]{layout}"


EMPTY_STRIDES_ARE_ZERO = np.empty((2, 0)).strides == (0, 0)
"""How this NumPy lays out arrays without elements: all strides 0, or as if each 0 were a 1."""


def contiguous_strides(
    shape: tuple[Size, ...], itemsize: int, order: str = "C"
) -> tuple[Size, ...]:
    """Strides in bytes of a packed array in C or Fortran order, as NumPy gives a new array."""
    if EMPTY_STRIDES_ARE_ZERO and any(isinstance(size, int) and size == 0 for size in shape):
        return (0,) * len(shape)
    return packed_strides(shape, itemsize, order)


def packed_strides(
    shape: tuple[Size, ...], itemsize: int, order: str = "C"
) -> tuple[Size, ...]:
    """Strides of a packed view of existing memory, where a size of 0 counts as 1."""
    strides: list[Size] = []
    step: Size = itemsize
    for size in reversed(shape) if order == "C" else shape:
        strides.append(step)
        step = step * (1 if isinstance(size, int) and size == 0 else size)
    return tuple(reversed(strides)) if order == "C" else tuple(strides)


def array(dtype: np.typing.DTypeLike, *shape: Size, order: str = "C") -> ArrayType:
    """A packed ndarray type, for tests and for results of creation functions."""
    resolved = np.dtype(dtype)
    return ArrayType(resolved, shape, contiguous_strides(shape, resolved.itemsize, order))


def scalar(dtype: np.typing.DTypeLike) -> ArrayType:
    return ArrayType(np.dtype(dtype), form=Form.SCALAR)


OBJECT = ArrayType(np.dtype(object), form=Form.OBJECT)


def python_number(kind: type, value: Size | None = None) -> ArrayType:
    """The weak type of a Python bool, int, float or complex that is not a constant."""
    return ArrayType(np.dtype(kind), form=Form.PYTHON, value=value)
