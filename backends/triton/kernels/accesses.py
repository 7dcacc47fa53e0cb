"""Parameters of a kernel, and where in memory its elements are."""
from __future__ import annotations

from ....errors import Unsupported
from ....ir.sizes import Size, SizeExpr, Symbol, floordiv, modulo, symbols
from ...loop_ir.loops import Axis, Buffer, Expr, Gather, Kernel, Load, Offset, Store
from ...loop_ir.rewrite import free_axes
from .kernels import Parameter
from .reach import narrow_condition
from .scalars import TYPES
from .scopes import Scopes


class AccessWriter(Scopes):
    """Places as lines. `narrow`: sizes are such that all indices have 32 bits, wherever the kernel
    is launched."""

    def __init__(self, kernel: Kernel, narrow: bool = False) -> None:
        super().__init__()
        self.kernel = kernel
        self.parameters: dict[str, Parameter] = {}
        self.frees: dict[Expr, frozenset[Axis]] = {}
        self.wide = not narrow and narrow_condition(kernel) != ""
        self.size_type = "i32" if narrow else "i64"
        self.spread: frozenset[Axis] = frozenset()  # axes that lie across lanes

    def expression(self, expr: Expr) -> str:
        """The name that holds the value of `expr`."""
        raise NotImplementedError

    @property
    def index_type(self) -> str:
        return "tl.int64" if self.wide else "tl.int32"

    def bind_points(self, axes: tuple[Axis, ...], rest: str) -> None:
        """Take a flat number of a point apart into the axes, the last one fastest."""
        for axis in reversed(axes[1:]):
            extent = self.size(axis.extent)
            self.bind(axis, self.assign(f"{rest} % ({extent})"))
            rest = self.assign(f"{rest} // ({extent})")
        if axes:
            self.bind(axes[0], rest)

    def size(self, size: Size) -> str:
        """A size as text; what is no polynomial is computed where the kernel is launched, because
        Triton's `//` and `%` truncate."""
        if is_polynomial(size):
            for name in symbols(size):
                known = Parameter(name, self.size_type, size=SizeExpr((((Symbol(name),), 1),)))
                self.parameters.setdefault(name, known)
            return str(size)
        for parameter in self.parameters.values():
            if parameter.size == size:
                return parameter.name
        name = f"n{len(self.parameters)}"
        self.parameters[name] = Parameter(name, self.size_type, size=size)
        return name

    def pointer(self, buffer: Buffer) -> str:
        name, type = f"p_{buffer.name}", f"*{TYPES[buffer.dtype].memory}"
        return self.parameters.setdefault(
            name, Parameter(name, type, buffer=buffer)
        ).name

    def position(self, offset: Offset, itemsize: int) -> str:
        """An offset in elements."""
        terms = []
        for axis, stride in offset.strides:
            step = elements(stride, itemsize)
            index = self.known(axis)
            assert index is not None, f"axis {axis.name} is not bound"
            terms.append(index if step == 1 else f"{index} * ({self.size(step)})")
        if offset.constant != 0:
            terms.append(f"({self.size(elements(offset.constant, itemsize))})")
        return " + ".join(terms) or "0"

    def place(
        self, buffer: Buffer, offset: Offset, indices: tuple[tuple[Expr, Size], ...]
    ) -> str:
        """A pointer to an element, `indices` further on."""
        itemsize = buffer.dtype.itemsize
        where = f"{self.pointer(buffer)} + {self.position(offset, itemsize)}"
        for index, stride in indices:
            step = self.size(elements(stride, itemsize))
            where += f" + {self.expression(index)} * ({step})"
        return where

    def axes_of(self, expr: Load | Gather | Store) -> set[Axis]:
        """The axes that an access goes along."""
        indices = () if isinstance(expr, Load) else expr.indices
        return {axis for axis, _ in expr.offset.strides}.union(
            *(free_axes(index, self.frees) for index, _ in indices))

    def access(self, expr: Load | Gather | Store) -> str:
        """The mask of an access. Triton masks blocks of pointers only; what all lanes share is
        there whenever the program runs."""
        is_block = self.masks[-1] and self.axes_of(expr) & self.spread
        return f", mask={self.masks[-1]}" if is_block else ""


def elements(size: Size, itemsize: int) -> Size:
    """A distance in bytes as one in elements. Unknown distances are divisible: the launch plan
    looks at the strides of its inputs."""
    if isinstance(rest := modulo(size, itemsize), int) and rest:
        raise Unsupported(f"a distance of {size} bytes between elements of {itemsize} bytes")
    return floordiv(size, itemsize)


def is_polynomial(size: Size) -> bool:
    return isinstance(size, int) or all(
        isinstance(atom, Symbol) for monomial, _ in size.terms for atom in monomial
    )
