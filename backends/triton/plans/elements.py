"""Kernels of numbers and of single elements in the host's memory, as lines of Python."""
from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

from ....base.records import dataclass, field
from ....ir.sizes import Size
from ...loop_ir.evaluation import scalar_operation
from ...loop_ir.loops import (
    Apply,
    Buffer,
    Check,
    Const,
    Convert,
    Expr,
    Gather,
    Kernel,
    Load,
    Offset,
    Scalar,
    Select,
    SizeValue,
    Store,
    walk,
)


def is_straight(kernel: Kernel) -> bool:
    """Whether lines can say what a kernel does."""
    return not kernel.axes and all(type(part) in TEXTS for part in kernel.parts)


@dataclass
class ElementWriter:
    """`numbers` are arrays of the plan, all other buffers addresses; `constant` gives the name of a
    value and `scalar` that of a number by which a kernel is called."""

    numbers: Collection[Buffer]
    constant: Callable[[Any], str]
    scalar: Callable[[Scalar], str]
    names: dict[Expr, str] = field(default_factory=dict)

    def lines(self, kernel: Kernel) -> Iterator[str]:
        """Statement by statement: each may read what those before it have stored."""
        count = itertools.count()
        for statement in kernel.statements:
            self.names.clear()
            for part in walk(statement.roots):
                self.names[part] = f"v{next(count)}"
                yield f"{self.names[part]} = {TEXTS[type(part)](self, part)}"
            if isinstance(statement, Check):
                yield f"if not {self.names[statement.condition]}: raise BailOut"
            else:
                assert isinstance(statement, Store)
                yield self.stored(statement)

    def place(
        self, buffer: Buffer, offset: Offset, indices: tuple[tuple[Expr, Size], ...]
    ) -> str:
        """An address."""
        terms = [f"p_{buffer.name}", *([f"({offset.constant})"] if offset.constant != 0 else [])]
        terms += [f"int({self.names[index]}) * ({stride})" for index, stride in indices]
        return " + ".join(terms)

    def loaded(self, part: Load | Gather) -> str:
        if part.buffer in self.numbers:
            return f"b_{part.buffer.name}[()]"
        indices = part.indices if isinstance(part, Gather) else ()
        read = self.constant(reader(part.dtype))
        return f"{read}({self.place(part.buffer, part.offset, indices)})"

    def stored(self, statement: Store) -> str:
        value, buffer = self.names[statement.value], statement.buffer
        if buffer in self.numbers:
            return f"b_{buffer.name}[()] = {value}"
        write = self.constant(writer(buffer.dtype))
        return f"{write}({self.place(buffer, statement.offset, statement.indices)}, {value})"

    def applied(self, part: Apply) -> str:
        operands, kinds = [self.names[arg] for arg in part.args], {arg.dtype for arg in part.args}
        is_safe = part.dtype == np.bool_ or part.dtype.kind == "f"
        if part.op in SIGNS and is_safe and len(kinds) == 1:
            return f" {SIGNS[part.op]} ".join(operands)
        return f"{self.constant(scalar_operation(part.op))}({', '.join(operands)})"

    def converted(self, part: Convert) -> str:
        return f"{self.names[part.arg]}.astype({self.constant(part.dtype)})"

    def literal(self, part: Const) -> str:
        return self.constant(np.frombuffer(part.bits, part.dtype)[0])

    def number(self, part: Scalar) -> str:
        return f"{self.constant(part.dtype.type)}({self.scalar(part)})"

    def chosen(self, part: Select) -> str:
        condition, true, false = (self.names[operand] for operand in part.operands)
        return f"{true} if {condition} else {false}"

    def size(self, part: SizeValue) -> str:
        return f"{self.constant(np.int64)}({part.size})"


SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "less": "<",
         "less_equal": "<=", "greater": ">", "greater_equal": ">=", "equal": "==",
         "not_equal": "!="}
"""Operators that do for scalars what the operations do, in a tenth of the time; sums and products
of integers complain of overflows."""

TEXTS: Mapping[type, Callable[[ElementWriter, Any], str]] = {
    Apply: ElementWriter.applied,
    Const: ElementWriter.literal,
    Convert: ElementWriter.converted,
    Gather: ElementWriter.loaded,
    Load: ElementWriter.loaded,
    Scalar: ElementWriter.number,
    Select: ElementWriter.chosen,
    SizeValue: ElementWriter.size,
}


@cache
def reader(dtype: np.dtype) -> Callable[[int], Any]:
    """Gives the element at an address, as a scalar of NumPy."""
    found = memory_of(dtype)
    return lambda address: np.frombuffer(found(address), dtype)[0]


@cache
def writer(dtype: np.dtype) -> Callable[[int, Any], None]:
    """Puts a scalar at an address."""
    found = memory_of(dtype)

    def write(address: int, value: Any) -> None:
        np.frombuffer(found(address), dtype)[0] = value

    return write


def memory_of(dtype: np.dtype) -> Any:
    return (ctypes.c_char * dtype.itemsize).from_address
