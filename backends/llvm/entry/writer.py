"""A program as one LLVM function, `i32 @entry(ptr frame)`: 0 when done, 1 when it bails out."""
from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ....base.records import cached_property, dataclass, field
from ....ir.errstates import AMBIENT, Errstate
from ....ir.sizes import Size, product, symbols
from ....ir.types import ArrayType, Form
from ...loop_ir.loops import Buffer, Kernel
from ...loop_ir.program import (
    Allocate,
    Bind,
    Branch,
    Commit,
    Count,
    Deposit,
    Extern,
    Extract,
    Launch,
    LogUndo,
    Loop,
    Output,
    Product,
    Program,
    Require,
    Rotate,
    Step,
    View,
    all_steps,
    blocks_of,
)
from ...loop_ir.sizes_of import exact_sizes, is_sum
from ...passes.schedule import may_report
from ..builder.elements import I64, scalar_type
from ..builder.emit import Builder
from ..builder.frame import DATA, Frame
from ..builder.nest import emit_size
from ..builder.target import Target
from ..builder.values import Value
from ..builder.wide import emit_checked
from ..kernels.flags import masks
from ..kernels.kernel import KernelCode
from ..kernels.memory import BYTE
from ..objects.flat_calls import FlatCall
from ..objects.modules import Modules
from . import calls, copies, counted, flow, inputs, launches
from .products import ProductWriter

ON_STACK = 4096  # bytes of scratch that live in the function's frame
IN_REGISTERS = "biuf"
PYTHON_KINDS = {"b": 0, "i": 1, "f": 2, "c": 3}
NEGATED = {"==": "ne", "<=": "sgt", "<": "sge"}


@dataclass(frozen=True, slots=True)
class EntryCode:
    """LLVM text of modules, each calls into those before it, and what the native entry needs beside
    the machine code."""

    texts: tuple[str, ...]
    n_inputs: int
    n_slots: int
    n_outputs: int
    constants: tuple[Any, ...]
    descrs: tuple[np.dtype, ...]
    counted: tuple[Step, ...]


@dataclass(slots=True)
class EntryWriter:
    """`begin` is given each module as soon as it is written."""

    program: Program
    target: Target
    begin: Callable[[str], object] = id
    builder: Builder = field(init=False)
    modules: Modules = field(init=False)
    kernels: dict[Kernel, KernelCode] = field(default_factory=dict)
    similar: Counter[Kernel] = field(default_factory=Counter)
    pointers: dict[str, str] = field(default_factory=dict)
    objects: dict[str, str] = field(default_factory=dict)
    scalars: dict[str, Value] = field(default_factory=dict)
    symbols: dict[str, Value] = field(default_factory=dict)
    sizes: dict[Size, Value] = field(default_factory=dict)
    slots: dict[str, int] = field(default_factory=dict)
    descrs: dict[np.dtype, int] = field(default_factory=dict)
    callables: list[Callable[..., Any] | FlatCall] = field(default_factory=list)
    wide: set[str] = field(default_factory=set)  # symbols of ints, which may be as large as any
    ints: dict[int, Value] = field(default_factory=dict)  # by placeholder
    offers: bool = False  # kernels to the thread pool
    n_slots: int = 0
    errstate: Errstate = AMBIENT  # of the steps that are written now
    frame: Frame = field(init=False)
    first_descr: int = field(init=False)
    cells: dict[str, str] = field(default_factory=dict)
    types: dict[str, ArrayType] = field(default_factory=dict)
    patience: str | None = None
    asked: Value = field(init=False)  # whether somebody counts what steps take
    counted: list[Step] = field(default_factory=list)
    _zero: Value | None = None
    read: frozenset[Buffer] = frozenset()
    """The buffers that a step or the caller reads: what goes into others reports, and is lost."""

    def write(self) -> EntryCode:
        self._look_ahead()
        self.modules = Modules(self.target, self.begin, any(map(blocks_of, self.program.steps)))
        self.builder = Builder(self.target)
        self.builder.has_branches = self.modules.whole
        self.frame = Frame(self.builder)
        inputs.bind(self)
        for number, constant in enumerate(self.program.constants):
            self.array(constant.buffer, self.frame.constant(number))
        self._rotating()
        self.asked = counted.is_asked(self)
        for step, ending in zip(self.program.steps, self._ends()):
            counted.begin(self, step)
            self.step(step)
            self._release(ending)
        for number, output in enumerate(self.program.outputs):
            self._output(number, output)
        return EntryCode(
            self._texts(),
            len(self.program.inputs),
            self.n_slots,
            len(self.program.outputs),
            (*(c.value for c in self.program.constants), *self.callables),
            tuple(self.descrs),
            tuple(self.counted),
        )

    def _look_ahead(self) -> None:
        """What all steps together need in the frame, and what is read of what they write."""
        steps, outputs = list(all_steps(self.program.steps)), self.program.outputs
        self.n_slots = len(outputs)
        for number, output in enumerate(outputs):
            if output.type.form is Form.ARRAY:
                self.slots.setdefault(output.buffer.name, number)
        self.read = frozenset(
            [*(buffer for step in steps for buffer in step.reads), *(o.buffer for o in outputs)])
        n_calls = sum(isinstance(step, Extern) for step in steps)
        self.first_descr = len(self.program.constants) + n_calls

    def _ends(self) -> list[list[str]]:
        """For each step the buffers that nothing after it uses."""
        steps = self.program.steps
        last = {b.name: k for k, step in enumerate(steps) for b in (*step.reads, *step.writes)}
        lasting = {output.buffer.name for output in self.program.outputs}
        ends: list[list[str]] = [[] for _ in steps]
        for name, position in last.items():
            if name not in lasting:
                ends[position].append(name)
        return ends

    def _release(self, names: Sequence[str]) -> None:
        for name in names:
            if name in self.slots:
                self.frame.call("release", "ptr %frame", f"i64 {self.slots[name]}")

    def _rotating(self) -> None:
        """Buffers that change their memory have their address in the frame of the function."""
        for step in all_steps(self.program.steps):
            if isinstance(step, Rotate):
                for buffer in (*step.into, *step.taken):
                    if buffer.name not in self.cells:
                        self.cells[buffer.name] = self.builder.stack("ptr")

    def pointer(self, name: str) -> str:
        """Where a buffer's data begins."""
        if name in self.cells:
            return self.builder.emit(f"load ptr, ptr {self.cells[name]}, align 8")
        return self.pointers[name]

    def _texts(self) -> tuple[str, ...]:
        if self.offers:
            self.modules.add(launches.offering())
        tables = (f"{name} = internal constant {what}" for what, name in self.frame.tables.items())
        entry = "\n".join([
            *tables, "define i32 @entry(ptr %frame) #0 {", "entry:", *self.builder.allocas,
            *self.builder.head, *self.builder.lines, "  ret i32 0", "bail_out:", "  ret i32 1", "}",
        ])
        return self.modules.finish(entry, len(self.builder.lines))

    def array(self, buffer: Buffer, source: str) -> None:
        self.objects[buffer.name] = source
        self.pointers[buffer.name] = self.frame.pointer_at(source, DATA)

    # Parts of calls -------------------------------------------------------------------------------

    def size(self, size: Size) -> Value:
        if size not in self.sizes:
            if self.wide.isdisjoint(symbols(size)):
                self.sizes[size] = emit_size(self.builder, size, self.symbols)
            else:
                self.sizes[size] = emit_checked(self.frame, size, self.symbols)
        return self.sizes[size]

    def _place(self, size: Size) -> Value:
        """How far from the beginning of a buffer one of its elements is. A sum that wraps on the
        way is right again when it gets there."""
        if size in self.sizes or not is_sum(size):
            return self.size(size)
        return emit_size(self.builder, size, self.symbols)

    def descr(self, dtype: np.dtype) -> str:
        index = self.descrs.setdefault(dtype, len(self.descrs))
        return f"ptr {self.frame.constant(self.first_descr + index)}"

    def shape(self, sizes: Sequence[Size]) -> str:
        return f"ptr {self.frame.integers([self.size(size) for size in sizes])}"

    def new_slot(self, buffer: str | None = None) -> int:
        if buffer is not None and buffer in self.slots:
            return self.slots[buffer]
        number, self.n_slots = self.n_slots, self.n_slots + 1
        if buffer is not None:
            self.slots[buffer] = number
        return number

    def box(self, slot: int, type_: ArrayType, pointer: str) -> None:
        """A NumPy scalar or Python number from memory, into a slot."""
        where, pointer = ("ptr %frame", f"i64 {slot}"), self._lent(type_.dtype, pointer)
        if type_.form is Form.SCALAR:
            self.frame.checked("box_scalar", *where, self.descr(type_.dtype), f"ptr {pointer}")
        else:
            kind = PYTHON_KINDS[type_.dtype.kind]
            self.frame.checked("box_python", *where, f"i32 {kind}", f"ptr {pointer}")

    def _lent(self, dtype: np.dtype, pointer: str) -> str:
        """A copy of a number: what lies where a function is shown it is not in a register."""
        if dtype.kind not in IN_REGISTERS or dtype.itemsize > 8:
            return pointer
        copy = self.builder.stack("i64")
        self.builder.store(self.builder.load(pointer, dtype), copy)
        return copy

    def step(self, step: Step) -> None:
        STEPS[type(step)](self, step)

    # Steps ----------------------------------------------------------------------------------------

    def allocate(self, step: Allocate) -> None:
        if step.kind == "scratch":
            self._made_at(step, self._scratch(step.type, step.room))
            return
        slot = self.new_slot(step.buffer.name)
        type_ = step.type
        strides = "ptr null" if type_.is_c_contiguous else self.shape(type_.strides)
        self._made_at(step, self.frame.checked(
            "new_array", "ptr %frame", f"i64 {slot}", self.descr(type_.dtype),
            f"i32 {type_.ndim}", self.shape(type_.shape), strides,
        ))  # fmt: skip
        self.objects[step.buffer.name] = self.frame.slot(slot)

    def _made_at(self, step: Allocate, pointer: str) -> None:
        name = step.buffer.name
        self.pointers[name], self.types[name] = pointer, step.type
        if (cell := self.cells.get(name)) is not None:
            self.builder.void(f"store ptr {pointer}, ptr {cell}")

    def _scratch(self, type_: ArrayType, room: Size | None) -> str:
        nbytes = (product(type_.shape) if room is None else room) * type_.dtype.itemsize
        if not type_.shape and type_.dtype.kind in IN_REGISTERS and type_.dtype.itemsize <= 8:
            return self.builder.stack(scalar_type(BYTE if type_.dtype.kind == "b" else type_.dtype))
        if isinstance(nbytes, int) and nbytes <= ON_STACK:
            return self.builder.stack("i8", max(nbytes, 8))
        return self.frame.checked("scratch", "ptr %frame", f"i64 {self.size(nbytes).ref}")

    def begin_errstate(self, errstate: Errstate) -> None:
        """Say what becomes of the floating-point flags that the next steps raise."""
        if errstate != self.errstate:
            ignored, reported = masks(errstate)
            self.frame.call("begin_errstate", "ptr %frame", f"i32 {ignored}", f"i32 {reported}")
            self.errstate = errstate

    def launch(self, step: Launch) -> None:
        kernel = step.kernel
        if kernel.errstate != self.errstate and may_report(kernel):
            self.begin_errstate(kernel.errstate)
        for size in exact_sizes(kernel) if self.wide else ():
            if not self.wide.isdisjoint(symbols(size)):
                self.size(size)  # what the kernel computes again does not wrap
        if launches.is_scalar(kernel):
            launches.statements(self, kernel)
            return
        if not copies.copy(self, kernel):
            launches.call_kernel(self, kernel)

    def zero(self) -> Value:
        """0, which LLVM does not know."""
        if self._zero is None:
            place = self.builder.stack("i64")
            self.builder.head.append(f"  store volatile i64 0, ptr {place}")
            name = f"%{self.builder.fresh('zero')}"
            self.builder.head.append(f"  {name} = load volatile i64, ptr {place}")
            self._zero = Value(self.builder, name, I64)
        return self._zero

    def start(self, buffer: str, position: Size) -> str:
        return self.builder.offset(self.pointer(buffer), self._place(position))

    def view(self, step: View) -> None:
        slot = self.new_slot(step.buffer.name)
        data = self.builder.offset(self.pointer(step.base.name), self._place(step.offset))
        self._view(slot, step.base.name, data, step.type)
        self.pointers[step.buffer.name] = data
        self.objects[step.buffer.name] = self.frame.slot(slot)

    def _view(self, slot: int, base: str, data: str, type_: ArrayType) -> None:
        self.frame.checked(
            "new_view", "ptr %frame", f"i64 {slot}", f"ptr {self.objects[base]}",
            f"ptr {data}", self.descr(type_.dtype), f"i32 {type_.ndim}", self.shape(type_.shape),
            self.shape(type_.strides), f"i32 {int(type_.writeable)}",
        )

    def object(self, name: str) -> str:
        """The array of a buffer; of one that changes its memory, a view of what it has now."""
        if name not in self.cells:
            return self.objects[name]
        slot = self.new_slot()
        self._view(slot, name, self.pointer(name), self.types[name])
        return self.frame.slot(slot)

    def product(self, step: Product) -> None:
        self.begin_errstate(step.errstate)
        pointers = {b.name: self.pointer(b.name) for b in (step.a.buffer, step.b.buffer, step.out)}
        ProductWriter(self.frame, pointers, self.size).write(step)

    def require(self, step: Require) -> None:
        left, right = self.size(step.left), self.size(step.right)
        self.frame.bail_out_if(f"icmp {NEGATED[step.relation]} i64 {left.ref}, {right.ref}")

    def commit(self, step: Commit) -> None:
        launches.compute_before(self, step)
        self.frame.checked("commit", "ptr %frame")

    def _output(self, number: int, output: Output) -> None:
        name = output.buffer.name
        if output.type.form in (Form.SCALAR, Form.PYTHON):
            self.box(number, output.type, self.pointer(name))
        elif self.slots.get(name) != number or name not in self.made:
            self.frame.own(number, self.objects[name])

    @cached_property
    def made(self) -> set[str]:
        """The buffers whose ndarray was put into its slot by a step."""
        made = (s for s in all_steps(self.program.steps) if isinstance(s, (Allocate, View)))
        return {step.buffer.name for step in made}


STEPS: Mapping[type[Step], Callable[[EntryWriter, Any], None]] = {
    Allocate: EntryWriter.allocate,
    Launch: EntryWriter.launch,
    View: EntryWriter.view,
    Extern: calls.extern,
    Bind: calls.bind,
    Count: calls.count,
    Extract: calls.select,
    Deposit: calls.deposit,
    Product: EntryWriter.product,
    Require: EntryWriter.require,
    LogUndo: calls.log_undo,
    Commit: EntryWriter.commit,
    Loop: flow.loop,
    Branch: flow.branch,
    Rotate: flow.rotate,
}
