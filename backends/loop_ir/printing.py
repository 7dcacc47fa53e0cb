"""Kernels and programs as readable text; equal kernels print equally, so the text is also a key."""
from __future__ import annotations

from typing import Any

from ...base.counting import counted
from ...ir.tree import map_leaves
from . import affine
from .loops import (
    Apply,
    Axis,
    Buffer,
    Check,
    Const,
    Convert,
    Expr,
    Gather,
    Index,
    Kernel,
    Load,
    Offset,
    Reduce,
    Scalar,
    Scan,
    Select,
    SizeValue,
    Statement,
    Store,
    walk,
)
from .products import Operand, Product
from .program import Branch, Extern, Extract, Launch, LogUndo, Loop, Program, Ref, Rotate, blocks_of
from .simplify import value_of


class Printer:
    """Writes expressions; a shared or long subexpression gets a name and a line of its own."""

    def __init__(self, roots: list[Expr]) -> None:
        self.names: dict[Expr, str] = {}
        self.lines: list[str] = []
        self.counts: dict[Expr, int] = {}
        for part in walk(roots):
            for operand in part.operands:
                self.counts[operand] = self.counts.get(operand, 0) + 1

    def text(self, expr: Expr) -> str:
        if expr in self.names:
            return self.names[expr]
        parts = [self.text(operand) for operand in expr.operands]
        text = self._render(expr, parts)
        shared = self.counts.get(expr, 0) > 1 and expr.operands
        if not shared and len(text) <= 90:
            return text
        self.names[expr] = name = f"v{len(self.names)}"
        self.lines.append(f"{name} = {text}")
        return name

    def _render(self, expr: Expr, parts: list[str]) -> str:
        match expr:
            case Load():
                return f"{expr.buffer.name}[{offset_text(expr.offset)}]"
            case Gather():
                steps = [f"{p}*({s})" for p, (_, s) in zip(parts, expr.indices)]
                return f"{expr.buffer.name}[{' + '.join([offset_text(expr.offset), *steps])}]"
            case Const():
                return f"{expr.dtype.char}:{value_of(expr)!s}" + _bits(expr)
            case Scalar():
                return f"{expr.name}:{expr.dtype.char}"
            case SizeValue():
                return f"size({expr.size})"
            case Index():
                return expr.axis.name
            case Apply():
                return f"{expr.op}.{expr.dtype.char}({', '.join(parts)})"
            case Convert():
                return f"{expr.dtype.name}({parts[0]})"
            case Select():
                return f"select({', '.join(parts)})"
            case Reduce():
                return f"{expr.op}.{expr.dtype.char}[{axes_text(expr.axes)}]({', '.join(parts)})"
        raise TypeError(expr)


def _bits(expr: Const) -> str:
    """NaNs differ in their bits only."""
    value = value_of(expr)
    return f"<{expr.bits.hex()}>" if value != value else ""


def axes_text(axes: tuple[Axis, ...]) -> str:
    return ", ".join(f"{axis.name} < {axis.extent}" for axis in axes)


def offset_text(offset: Offset) -> str:
    terms = [f"{axis.name}*({stride})" for axis, stride in offset.strides]
    if not terms or not affine.is_zero(offset.constant):
        terms.append(str(offset.constant))
    return " + ".join(terms)


def print_kernel(kernel: Kernel) -> str:
    """The kernel as text."""
    printer = Printer([root for s in kernel.statements for root in s.roots])
    marks = [f"vector {kernel.vector.name}"] if kernel.vector else []
    marks += ["parallel"] if kernel.parallel else []
    head = f"kernel {kernel.name}[{axes_text(kernel.axes)}] {' '.join(marks)}".rstrip() + ":"
    for statement in kernel.statements:
        printer.lines.append(_statement_text(statement, printer))
    return "\n    ".join([head, *printer.lines])


def _statement_text(statement: Statement, printer: Printer) -> str:
    if isinstance(statement, Check):
        return f"check {printer.text(statement.condition)}"
    buffer = statement.buffer
    where = [offset_text(statement.offset)]
    if isinstance(statement, Store):
        where += [f"{printer.text(index)}*({stride})" for index, stride in statement.indices]
    place = f"{buffer.name}:{buffer.dtype.char}[{' + '.join(where)}]"
    value = printer.text(statement.value)
    if isinstance(statement, Scan):
        return f"{place} = scan {statement.op} along {statement.axis.name} of {value}"
    return f"{place} = {value}"


def print_program(program: Program) -> str:
    """Inputs, steps and outputs, one per line; notes as comments."""
    lines = [
        f"input {item.index}: {item.buffer.name if item.buffer else item.scalar} {item.type}"
        for item in program.inputs
    ]
    lines += [f"constant {item.buffer.name} {item.type}" for item in program.constants]
    lines += [_step_text(step) for step in program.steps]
    outputs = ", ".join(f"{o.buffer.name} ({o.type.form.value})" for o in program.outputs)
    return "\n".join([*lines, f"return {outputs}", *(f"# {note}" for note in program.notes)])


def print_schedule(program: Program) -> str:
    """The steps in the order in which they run, kernels by their heads."""
    return "\n".join(line for step in program.steps for line in _scheduled(step))


def _scheduled(step: Any) -> list[str]:
    """One line, of a kernel with what it reads and writes; more of what has steps inside."""
    text = _step_text(step)
    if not isinstance(step, Launch):
        return text.splitlines()
    reads, writes = (sorted(b.name for b in part) for part in (step.reads, step.writes))
    return [f"{text.splitlines()[0]} {', '.join(reads) or 'nothing'} -> {', '.join(writes)}"]


def summary(program: Program) -> str:
    """How many kernels and calls a program is."""
    kinds = [type(step) for step in program.steps]
    kernels, calls, products = (kinds.count(kind) for kind in (Launch, Extern, Product))
    return (f"{counted(kernels, 'kernel')}, {counted(calls, 'call of NumPy', 'calls of NumPy')}, "
            f"{counted(products, 'product')}")


def _step_text(step: Any) -> str:
    match step:
        case Launch():
            return print_kernel(step.kernel)
        case Extern():
            results = ", ".join(buffer.name for buffer in step.results)
            args = map_leaves(_ref_text, (step.args, step.kwargs))
            binds = "".join(f", {n} = size {axis} of result {k}" for n, k, axis in step.binds)
            return f"{results} = call {getattr(step.target, '__name__', step.target)} {args}{binds}"
        case Extract() if step.source is None:
            shape = ", ".join(map(str, step.shape))
            return f"{step.out.name} = positions in ({shape}) by {step.count.mask.name}"
        case Extract(source=Buffer() as source):
            place = f"{source.name}[{step.offset} + i*({step.stride})]"
            return f"{step.out.name} = select {place} by {step.count.mask.name}"
        case Product():
            a, b = map(_operand_text, (step.a, step.b))
            sizes = " by ".join(map(str, (*(s.extent for s in step.stacks), *step.sizes)))
            return f"{step.out.name} = {step.routine} {a} @ {b}, {sizes}"
        case LogUndo():
            further = f" + {step.start.name}" if step.start else ""
            places = f" at {step.positions.name}" if step.positions else ""
            kept = " from the copy" if step.is_copied else ""
            return f"save {step.buffer.name} + {step.offset}{further}: {step.type}{places}{kept}"
        case Loop() | Branch():
            return _blocks_text(step)
        case Rotate():
            names = [", ".join(b.name for b in part) for part in (step.into, step.taken)]
            return f"{names[0]} take the memory of {names[1]}"
    shown: str = step.text.format(step)
    return shown


def _blocks_text(step: Loop | Branch) -> str:
    heads = [f"while {step.proceed.name}:", "entering:"] if isinstance(step, Loop) else [
        f"if {step.test.name}:", "else:",
    ]
    lines: list[str] = []
    for head, block in zip(heads, blocks_of(step)):
        if head == "entering:" and not block:
            continue
        lines.append(head)
        for inner in block:
            lines += [f"    {line}" for line in _step_text(inner).splitlines()]
    return "\n".join(lines)


def _operand_text(operand: Operand) -> str:
    turned = ".T" if operand.transposed else ""
    return f"{operand.buffer.name}[{operand.offset} by {operand.leading}]{turned}"


def _ref_text(leaf: Any) -> Any:
    if isinstance(leaf, Ref):
        return leaf.buffer.name if leaf.buffer else leaf.scalar.name  # type: ignore[union-attr]
    return leaf
