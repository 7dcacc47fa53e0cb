"""The state of one entry function that is being written: where buffers, objects and sizes are."""
from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ....base.records import dataclass, field
from ....ir.errstates import AMBIENT, Errstate
from ....ir.sizes import Size, symbols
from ....ir.types import ArrayType
from ...loop_ir.loops import Buffer, Kernel
from ...loop_ir.program import Call, Extern, Function, Program, Step, all_steps, blocks_of
from ...loop_ir.sizes_of import is_sum
from ..builder.elements import I64
from ..builder.emit import Builder
from ..builder.frame import DATA, Frame
from ..builder.nest import emit_size
from ..builder.target import Target
from ..builder.values import Value
from ..builder.wide import emit_checked
from ..kernels.flags import masks
from ..kernels.kernel import KernelCode
from ..objects.flat_calls import FlatCall
from ..objects.modules import Modules
from .memory_marks import marks_of

Write = Callable[["Entry", Any], None]
STEPS: dict[type[Step], Write] = {}


def writes(kind: type[Step]) -> Callable[[Write], Write]:
    """Register the function that writes a step: `function(entry, step)`."""

    def register(function: Write) -> Write:
        STEPS[kind] = function
        return function

    return register


@dataclass(frozen=True, slots=True)
class Inside:
    """A call of a function that calls itself, which is being written."""

    function: Function
    parameters: list[Value]
    left: Value  # how many more calls there may be inside each other
    is_inlined: bool = False  # into another call of the function


@dataclass(slots=True)
class Entry:
    """What the functions that write steps share; `begin` is given each module as soon as it is
    written."""

    program: Program
    target: Target
    begin: Callable[[str], object] = id
    builder: Builder = field(init=False)
    modules: Modules = field(init=False)
    frame: Frame = field(init=False)
    kernels: dict[Kernel, KernelCode] = field(default_factory=dict)
    similar: Counter[Kernel] = field(default_factory=Counter)
    pointers: dict[str, str] = field(default_factory=dict)
    objects: dict[str, str] = field(default_factory=dict)
    drawn_from: frozenset[str] = frozenset()  # the generators that random numbers come from
    sources: dict[str, str] = field(default_factory=dict)  # what is known of them
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
    first_descr: int = field(init=False)
    cells: dict[str, str] = field(default_factory=dict)
    marks: Mapping[str, str] = field(init=False)  # of the memory of buffers
    types: dict[str, ArrayType] = field(default_factory=dict)
    patience: str | None = None
    asked: Value = field(init=False)  # whether somebody counts what steps take
    counted: list[Step] = field(default_factory=list)
    functions: dict[Function, int] = field(default_factory=dict)  # bytes of the stack
    inside: Inside | None = None
    _zero: Value | None = None
    read: frozenset[Buffer] = frozenset()
    """The buffers that a step or the caller reads: what goes into others reports, and is lost."""

    def __post_init__(self) -> None:
        steps = list(all_steps(self.program.steps))
        is_whole = any(blocks_of(step) or isinstance(step, Call) for step in self.program.steps)
        self.modules = Modules(self.target, self.begin, is_whole)
        self.marks, self.modules.metadata = marks_of(self.program)
        self.builder = Builder(self.target)
        self.builder.has_branches = self.modules.whole
        self.frame = Frame(self.builder)
        self.read = frozenset([
            *(buffer for step in steps for buffer in step.reads),
            *(output.buffer for output in self.program.outputs),
        ])
        n_calls = sum(isinstance(step, Extern) for step in steps)
        self.first_descr = len(self.program.constants) + n_calls

    def step(self, step: Step) -> None:
        STEPS[type(step)](self, step)

    # where things are

    def pointer(self, name: str) -> str:
        """Where a buffer's data begins."""
        if name in self.cells:
            return self.builder.emit(f"load ptr, ptr {self.cells[name]}, align 8")
        return self.pointers[name]

    def start(self, buffer: str, position: Size) -> str:
        return self.builder.offset(self.pointer(buffer), self._place(position))

    def array(self, buffer: Buffer, source: str) -> None:
        self.objects[buffer.name] = source
        self.pointers[buffer.name] = self.frame.pointer_at(source, DATA)

    def new_slot(self, buffer: str | None = None) -> int:
        if buffer is not None and buffer in self.slots:
            return self.slots[buffer]
        number, self.n_slots = self.n_slots, self.n_slots + 1
        if buffer is not None:
            self.slots[buffer] = number
        return number

    # parts of calls

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

    def zero(self) -> Value:
        """0, which LLVM does not know."""
        if self._zero is None:
            place = self.builder.stack("i64")
            self.builder.head.append(f"  store volatile i64 0, ptr {place}")
            name = f"%{self.builder.fresh('zero')}"
            self.builder.head.append(f"  {name} = load volatile i64, ptr {place}")
            self._zero = Value(self.builder, name, I64)
        return self._zero

    def begin_errstate(self, errstate: Errstate) -> None:
        """Say what becomes of the floating-point flags that the next steps raise."""
        if errstate != self.errstate:
            ignored, reported = masks(errstate)
            self.frame.call("begin_errstate", "ptr %frame", f"i32 {ignored}", f"i32 {reported}")
            self.errstate = errstate
