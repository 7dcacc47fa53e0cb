"""A program: what one call of a compiled graph does, step by step, before any code is generated.

Lowering produces it from a graph; each code generator turns it into something callable. All sizes
are expressions over the program's symbols, which are bound from the inputs when the call begins.
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Union

from ...base.records import cached_property, dataclass, field
from ...ir import core
from ...ir.errstates import AMBIENT, Errstate
from ...ir.graph import Location, SymbolOrigin
from ...ir.sizes import Size
from ...ir.types import ArrayType
from .loops import Buffer, Buffers, Kernel, Scalar, distinct
from .products import Product
from .steps import BLOCK, READ, WRITE, Instruction, Record, fields_with


@dataclass(frozen=True, slots=True)
class Input:
    """Placeholder number `index`: an ndarray (`buffer`) or a number passed by value (`scalar`)."""

    index: int
    type: ArrayType
    buffer: Buffer | None = None
    scalar: Scalar | None = None


@dataclass(frozen=True, slots=True)
class Constant:
    """An array that the graph refers to (`get_attr`); identity kept."""

    value: Any
    buffer: Buffer
    type: ArrayType


@dataclass(frozen=True, slots=True)
class Allocate(Instruction):
    """Memory for `buffer`. `kind` "array": an ndarray from NumPy's allocator, may be returned or
    handed to an extern step; "scratch": raw memory that is gone when the call ends.

    `room`: it is made for so many elements, before the size is known that the buffer has in an
    iteration of a loop. `any_contents`: the program asked for memory with whatever is in it."""

    buffer: Buffer
    type: ArrayType
    kind: str
    room: Size | None = None
    any_contents: bool = False

    text = "{0.buffer.name} = new {0.kind} {0.type}"


@dataclass(frozen=True, slots=True)
class Launch(Instruction):
    """Run a kernel over its whole box."""

    kernel: Kernel

    @property
    def reads(self) -> Buffers:
        return self.kernel.reads

    @property
    def writes(self) -> Buffers:
        return self.kernel.writes


@dataclass(frozen=True, slots=True)
class View(Instruction):
    """An ndarray object `buffer` that shares the memory of `base`: byte `offset` from base's data
    pointer, with the shape, strides, dtype and writeability of `type`. Its `.base` is the ndarray
    of `base`, as after NumPy's own slicing (NumPy collapses chains of views to the owner)."""

    buffer: Buffer = field(metadata=WRITE)
    base: Buffer = field(metadata=READ)
    offset: Size
    type: ArrayType

    text = "{0.buffer.name} = view {0.base.name} + {0.offset}: {0.type}"


@dataclass(frozen=True, slots=True)
class Ref(Record):
    """In the arguments of an extern step: the ndarray of a buffer, or (`scalar`) the NumPy scalar
    or Python number that a 0-d buffer or a scalar input holds."""

    buffer: Buffer | None = field(default=None, metadata=READ)
    scalar: Scalar | None = None
    type: ArrayType | None = None


@dataclass(frozen=True, slots=True)
class Extern(Instruction):
    """Call `target(*args, **kwargs)` (pytrees with `Ref`s and `Size`s at the leaves) with the GIL.

    `results` are the buffers of its results, one per array (a single result or a tuple); the call
    bails out if a result differs from its type in dtype, shape or strides, or if it raises.
    `binds` has symbols that stand for what it finds: (symbol, number of the result, axis).
    """

    target: Callable[..., Any]
    args: tuple[Any, ...] = field(metadata=READ)
    kwargs: dict[str, Any] = field(metadata=READ)
    results: tuple[Buffer, ...] = field(metadata=WRITE)
    types: tuple[ArrayType, ...]
    location: Location | None = None
    errstate: Errstate = AMBIENT
    binds: tuple[tuple[str, int, int], ...] = ()

    @property
    def writes(self) -> Buffers:
        return (self.args[0].buffer,) if self.target is core.store else self.results


@dataclass(frozen=True, slots=True)
class Bind(Instruction):
    """From here on `symbol` is the int64 that the 0-d `buffer` holds. Sizes made of it may not have
    64 bits, where it `is_large`."""

    symbol: str
    buffer: Buffer = field(metadata=READ)
    is_large: bool = True

    text = "{0.symbol} = {0.buffer.name}"


@dataclass(frozen=True, slots=True)
class Count(Instruction):
    """From here on `symbol`, if there is one, is how many of the `n` packed bools of `mask` are
    true; `starts` says how many are in front of each block of them."""

    symbol: str | None
    mask: Buffer = field(metadata=READ)
    n: Size
    starts: Buffer = field(metadata=WRITE)

    text = "{0.symbol}, {0.starts.name} = count {0.n} of {0.mask.name}"


@dataclass(frozen=True, slots=True)
class Extract(Instruction):
    """Fill `out` with the elements of `source` where the counted mask is true.

    Element i lies `stride` * i bytes after byte `offset`. Without a source, `out` gets the places
    themselves in an array of `shape`, as one block of int64s."""

    out: Buffer = field(metadata=WRITE)
    count: Count = field(metadata=READ)
    source: Buffer | None = field(default=None, metadata=READ)
    offset: Size = 0
    stride: Size = 0
    shape: tuple[Size, ...] = ()


@dataclass(frozen=True, slots=True)
class Deposit(Instruction):
    """Store elements of `source`, one after the other, where the counted mask is true.

    They lie `step` bytes apart from byte `start` on; element i of `out` lies `stride` * i bytes
    after byte `offset`."""

    out: Buffer = field(metadata=WRITE)
    count: Count = field(metadata=READ)
    source: Buffer = field(metadata=READ)
    start: Size
    step: Size
    offset: Size
    stride: Size

    text = (
        "{0.out.name}[{0.offset} + i*({0.stride})] = {0.source.name}[{0.start} + k*({0.step})] "
        "by {0.count.mask.name}"
    )


@dataclass(frozen=True, slots=True)
class Require(Instruction):
    """A relation between sizes (`left` == `right`, `<=`, `<`) that must hold, else the call
    bails out."""

    relation: str
    left: Size
    right: Size

    text = "require {0.left} {0.relation} {0.right}"


@dataclass(frozen=True, slots=True)
class LogUndo(Instruction):
    """Keep what a part of an input holds, in the undo log; if the call bails out, what the parts
    held is restored, the latest first. Writes to inputs before the commit come after such a step.

    The part begins `offset` bytes after the data pointer, and behind that as many as the 0-d int64
    in `start` says, and has the shape and strides of `type`; or its elements, as many as those of
    `type`, lie at the `positions` (int64) behind it. `is_copied`: what it holds is in the `LogCopy`
    before."""

    buffer: Buffer = field(metadata=READ)
    offset: Size
    type: ArrayType
    positions: Buffer | None = field(default=None, metadata=READ)
    start: Buffer | None = field(default=None, metadata=READ)
    is_copied: bool = False


@dataclass(frozen=True, slots=True)
class LogCopy(Instruction):
    """Keep all that an input of this type, a block of memory, holds. Steps `LogUndo` behind it say
    which parts are restored: others may be written by other threads meanwhile."""

    buffer: Buffer = field(metadata=READ)
    type: ArrayType

    text = "copy {0.buffer.name}: {0.type}"


@dataclass(frozen=True, slots=True)
class Commit(Instruction):
    """From here on the call can no longer bail out: the floating-point flags were clean and
    every check passed. Writes to inputs that are not in the undo log come only after it."""

    text = "commit"


def blocks_of(step: Step) -> tuple[tuple[Step, ...], ...]:
    """The lists of steps inside a step."""
    return tuple([getattr(step, name) for name in fields_with(type(step), "block")])


def read_with_blocks(step: Step) -> Buffers:
    """What a step reads itself, and what the steps inside it read."""
    inner = (buffer for block in blocks_of(step) for one in block for buffer in one.reads)
    return distinct((*step.used("read"), *inner))


def written_in_blocks(step: Step) -> Buffers:
    return distinct(b for block in blocks_of(step) for one in block for b in one.writes)


@dataclass(frozen=True, slots=True)
class Loop(Instruction):
    """Run `steps` again and again for as long as the bool in the 0-d buffer `proceed` is true,
    which is looked at before each iteration. Memory is allocated inside only for arrays whose size
    is known there, and is given back at the end of the iteration. `most`: there are no more
    iterations. `entering`: steps before the first iteration, if there is one, and wherever other
    threads may have written to memory since the one before."""

    proceed: Buffer = field(metadata=READ)
    steps: tuple[Step, ...] = field(metadata=BLOCK)
    most: int | None = None
    entering: tuple[Step, ...] = field(default=(), metadata=BLOCK)

    reads = cached_property(read_with_blocks)
    writes = cached_property(written_in_blocks)


@dataclass(frozen=True, slots=True)
class Branch(Instruction):
    """Run `true` or `false`, as the bool in the 0-d buffer `test` says."""

    test: Buffer = field(metadata=READ)
    true: tuple[Step, ...] = field(metadata=BLOCK)
    false: tuple[Step, ...] = field(metadata=BLOCK)

    reads = cached_property(read_with_blocks)
    writes = cached_property(written_in_blocks)


@dataclass(frozen=True, slots=True)
class Rotate(Instruction):
    """Buffers change their memory: each of `into` has that of the one of `taken` at its place; all
    memory stays in use. No ndarray object of theirs may be asked for."""

    into: tuple[Buffer, ...] = field(metadata=WRITE)
    taken: tuple[Buffer, ...] = field(metadata=READ)


@dataclass(eq=False, slots=True)
class Function:
    """A function of numbers that may call itself: the `program` has a scalar input for each
    parameter and a number as its output, and makes no arrays."""

    name: str
    program: Program


@dataclass(frozen=True, slots=True)
class Call(Instruction):
    """Call a function with what 0-d buffers hold."""

    function: Function
    arguments: tuple[Buffer, ...] = field(metadata=READ)
    result: Buffer = field(metadata=WRITE)

    text = "{0.result.name} = call {0.function.name}"


@dataclass(frozen=True, slots=True)
class CallAgain(Instruction):
    """Inside of a function: call it with other values of its first parameters. The program has
    `levels` more calls inside each other then."""

    arguments: tuple[Buffer, ...] = field(metadata=READ)
    result: Buffer = field(metadata=WRITE)
    levels: int = 1

    text = "{0.result.name} = call again"


Step = Union[
    Allocate, Launch, View, Extern, Bind, Count, Extract, Deposit, Product, Require, LogCopy,
    LogUndo, Commit, Loop, Branch, Rotate, Call, CallAgain,
]


def with_blocks(step: Step, change: Callable[[tuple[Step, ...]], Iterable[Step]]) -> Step:
    """A step with the lists of steps in it changed; itself where they stay the same."""
    names = fields_with(type(step), "block")
    changed = {name: tuple(change(getattr(step, name))) for name in names}
    if all(is_same(steps, getattr(step, name)) for name, steps in changed.items()):
        return step
    made: Step = replace(step, **changed)  # type: ignore[arg-type]
    return made


def is_same(steps: Sequence[Step], others: Sequence[Step]) -> bool:
    return len(steps) == len(others) and all(map(operator.is_, steps, others))


def works(step: Step) -> bool:
    """Whether it is none that makes memory or checks a size, which passes may add."""
    return not isinstance(step, Allocate | Require)


def all_steps(steps: Iterable[Step]) -> Iterator[Step]:
    """Every step, with those inside of others."""
    for step in steps:
        yield step
        for block in blocks_of(step):
            yield from all_steps(block)


def functions_of(steps: Iterable[Step]) -> Iterator[Function]:
    """The functions that steps call."""
    return (step.function for step in all_steps(steps) if isinstance(step, Call))


@dataclass(frozen=True, slots=True)
class Output:
    """One result: the ndarray of `buffer` (form ARRAY), or its single element boxed as a NumPy
    scalar or Python number (forms SCALAR and PYTHON)."""

    buffer: Buffer
    type: ArrayType


@dataclass(frozen=True, slots=True)
class Program:
    """`steps` run in order; buffers are released after their last use.

    `unbacked` has the symbols that steps bind, with likely values, `origins` the nodes of the graph
    in whose lowering buffers were made. `unplanned` are the steps, in the same order, while each
    value had memory of its own."""

    inputs: tuple[Input, ...]
    constants: tuple[Constant, ...]
    symbols: dict[str, SymbolOrigin]
    steps: tuple[Step, ...]
    outputs: tuple[Output, ...]
    notes: tuple[str, ...] = field(default=())
    unbacked: dict[str, int] = field(default_factory=dict)
    origins: dict[Buffer, Any] = field(default_factory=dict)
    unplanned: tuple[Step, ...] = ()
