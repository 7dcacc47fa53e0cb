"""Calls of the array library as lines of a launch plan."""
from __future__ import annotations

from typing import Any

from ....ir.sizes import SizeExpr
from ....ir.types import ArrayType, Form
from ...loop_ir.loops import Buffer, Scalar
from ...loop_ir.products import Product
from ...loop_ir.program import Extern, Ref
from .plan_text import NUMBERS, PlanText, array_name, tuple_text
from .products import layouts, multiply, multiply_silently


class CallSteps(PlanText):
    """Functions of the library, and products of matrices."""

    def extern(self, step: Extern) -> None:
        target = self.constant(self.device.counterpart(step.target))
        given = [self._tree(value) for value in step.args]
        given += [f"{name}={self._tree(value)}" for name, value in step.kwargs.items()]
        names = [array_name(buffer) for buffer in step.results]
        results = "".join(f"{name}, " for name in names) if len(names) > 1 else "".join(names)
        with self.under(step.errstate):
            self.line(f"{results or '_'} = {target}({', '.join(given)})  # {name_of(step.target)}")
        for symbol, number, axis in step.binds:
            self.line(f"{symbol} = {names[number]}.shape[{axis}]")
        for buffer, kind in zip(step.results, step.types):
            self._take_result(buffer, kind)

    def _take_result(self, buffer: Buffer, kind: ArrayType) -> None:
        name = array_name(buffer)
        if kind.form in NUMBERS:
            self._number(buffer, name, kind)
        elif kind.form is Form.ARRAY:
            layout = f"{tuple_text(kind.shape)}, {tuple_text(kind.strides)}"
            facts = f"{self.constant(kind.dtype)}, {layout}"
            self.bail_out_if(f"not is_like({name}, array, {facts})")
            self._point(buffer)

    def _tree(self, value: Any) -> str:
        """An argument of an extern step as an expression."""
        match value:
            case Ref(buffer=Buffer() as buffer, type=kind):
                form = Form.ARRAY if kind is None else kind.form
                return self._boxed(buffer, form) if form in NUMBERS else array_name(buffer)
            case Ref(scalar=Scalar() as number):
                return self._scalar(number)
            case SizeExpr():
                return f"({value})"
            case tuple() if type(value) is tuple:
                return f"({''.join(f'{self._tree(item)}, ' for item in value)})"
            case list():
                return f"[{', '.join(map(self._tree, value))}]"
            case dict():
                pairs = (f"{self.constant(k)}: {self._tree(v)}" for k, v in value.items())
                return f"{{{', '.join(pairs)}}}"
            case slice(start=start, stop=stop, step=step):
                return f"slice({self._tree(start)}, {self._tree(stop)}, {self._tree(step)})"
        return self.constant(value)

    def product(self, step: Product) -> None:
        dtype = self.constant(step.out.dtype)
        places = ((step.a.buffer, step.a.offset), (step.b.buffer, step.b.offset), (step.out, 0))
        views = ", ".join(
            f"view({array_name(buffer)}, {offset}, {tuple_text(shape)}, {dtype}, "
            f"{tuple_text(strides)})"
            for (buffer, offset), (shape, strides) in zip(places, layouts(step))
        )
        call = self.constant(multiply_silently if step.suppressed else multiply)
        with self.under(step.errstate):
            self.line(f"{call}({views})  # {step.routine}")


def name_of(target: Any) -> str:
    return str(getattr(target, "__name__", type(target).__name__))
