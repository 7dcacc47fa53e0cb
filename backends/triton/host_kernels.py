"""Kernels that NumPy runs, as the loop IR defines them: those of numbers as lines of the plan, and
where all memory is the host's those that have no Triton form."""
from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...ir.sizes import symbols
from ...ir.types import Form
from ..loop_ir.evaluation import Memory, State, run_kernel, scalar_operation
from ..loop_ir.loops import (
    Apply,
    Check,
    Const,
    Convert,
    Expr,
    Kernel,
    Load,
    Scalar,
    Select,
    SizeValue,
    Store,
    distinct,
    walk,
)
from ..loop_ir.sizes_of import kernel_sizes


class HostKernel:
    """Called with the sizes, arrays and numbers that it names."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        names = (name for size in kernel_sizes(kernel) for name in symbols(size))
        self.symbols = tuple(dict.fromkeys(names))
        self.buffers = distinct((*kernel.reads, *kernel.writes))
        self.scalars = tuple(part for part in kernel.parts if isinstance(part, Scalar))

    def __call__(
        self, sizes: Mapping[str, int], arrays: Sequence[np.ndarray], numbers: Sequence[Any]
    ) -> None:
        state = State(dict(sizes))
        state.memory.update(zip(self.buffers, map(Memory.of, arrays)))
        state.scalars.update((s, s.dtype.type(n)) for s, n in zip(self.scalars, numbers))
        run_kernel(state, self.kernel)

    @property
    def is_straight(self) -> bool:
        """Whether `number_lines` can say what it does."""
        return not self.kernel.axes and all(type(part) in TEXTS for part in self.kernel.parts)


def number_lines(
    kernel: Kernel, constant: Callable[[Any], str], scalar: Callable[[Scalar], str]
) -> Iterator[str]:
    """A kernel of numbers in Python, statement by statement: each may read what those before it
    have stored."""
    count = itertools.count()
    for statement in kernel.statements:
        names: dict[Expr, str] = {}
        for part in walk(statement.roots):
            known = f"({scalar(part)})" if isinstance(part, Scalar) else ""
            names[part] = f"v{next(count)}"
            yield f"{names[part]} = {TEXTS[type(part)](part, names, constant)}{known}"
        if isinstance(statement, Check):
            yield f"if not {names[statement.condition]}: raise BailOut"
        else:
            assert isinstance(statement, Store)
            yield f"b_{statement.buffer.name}[()] = {names[statement.value]}"


Names = Mapping[Expr, str]


def _applied(part: Apply, names: Names, constant: Callable[[Any], str]) -> str:
    return f"{constant(scalar_operation(part.op))}({', '.join(names[arg] for arg in part.args)})"


def _converted(part: Convert, names: Names, constant: Callable[[Any], str]) -> str:
    return f"{names[part.arg]}.astype({constant(part.dtype)})"


def _literal(part: Const, names: Names, constant: Callable[[Any], str]) -> str:
    return constant(np.frombuffer(part.bits, part.dtype)[0])


def _chosen(part: Select, names: Names, constant: Callable[[Any], str]) -> str:
    return f"{names[part.true]} if {names[part.condition]} else {names[part.false]}"


TEXTS: Mapping[type, Callable[[Any, Names, Callable[[Any], str]], str]] = {
    Apply: _applied,
    Const: _literal,
    Convert: _converted,
    Load: lambda part, names, constant: f"b_{part.buffer.name}[()]",
    Scalar: lambda part, names, constant: constant(part.dtype.type),
    Select: _chosen,
    SizeValue: lambda part, names, constant: f"{constant(np.int64)}({part.size})",
}


def number_array(value: Any, dtype: np.dtype, form: Form) -> np.ndarray:
    """A number in memory; it must be of this very type."""
    found = np.asarray(value)
    is_python = type(value) in (bool, int, float, complex)
    if found.dtype != dtype or found.ndim or is_python != (form is Form.PYTHON):
        raise TypeError(f"{value!r} instead of a number of {dtype}")
    return found
