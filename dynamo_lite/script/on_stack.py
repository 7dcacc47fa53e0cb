"""On-stack replacement: the rest of a loop of a running frame is run by a function of its own.

A `Switch` takes the place of the iterator on the frame's stack. When the frame asks it for the next
item, it calls the loop's function with the frame's variables, gives the frame those that the loop
has written and the frame still needs, and says that there are no more items. Meanwhile the frame
itself is not seen, so that tracebacks and `sys._getframe` show each function once.
"""
from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from types import CellType, FrameType, FunctionType, TracebackType
from typing import Any

from ..base.records import dataclass
from ..bytecode.hiding import hidden
from ..bytecode.loop_functions import LoopFunction, LoopSite, loop_function, loop_sites
from ..bytecode.reading import slot_names
from ..native import (
    StoppableIterator,
    bound,
    call_outside,
    drive_into,
    exchange_in_frame,
    raise_soon,
    set_frame_place,
    value_in_frame,
)
from .iterators import RANGE_ITERATOR

MODULE_CODE = "dynamo_lite.bytecode.module_code"
"""It needs a library that takes a while to load."""
UNBOUND = object()
COMPILED_IN = (0, 1)
"""Ints that code is specialised for: a loop that counts from one of them is not replaced yet."""

Compile = Callable[[FunctionType, tuple[Any, ...]], Any]


@dataclass(frozen=True, slots=True)
class Made:
    """A loop's function and its compiled form, for frames in which the same variables are
    `assigned`."""

    loop: LoopFunction
    compiled: Callable[..., Any]
    assigned: frozenset[str]

    def fits(self, frame: FrameType, assigned: frozenset[str], values: dict[str, Any]) -> bool:
        """Whether a frame with these variables can use it: it is bound to globals and to cells."""
        code, function = frame.f_code, self.loop.function
        cells = zip(function.__closure__ or (), (values[name] for name in code.co_freevars))
        return self.assigned == assigned and not code.co_cellvars and (
            function.__globals__ is frame.f_globals) and all(mine is its for mine, its in cells)


class Switch:
    """Stands for the iterator of a loop, until the frame asks for the next item.

    The function is compiled `as_whole` if its iterations, over a range, are short; else each of
    them is, and `items` can be stopped: the frame goes on itself from there. `compile_loop` gives
    the compiled form of the loop for its arguments, or None: then the frame goes on as it would
    have; where the loop was entered before, that is `made` already. `ended` is called when the
    frame goes on. Meanwhile the variables that were `taken` out of the frame are among the
    `arguments`, then the loop's own, then in `values`.
    """

    def __init__(
        self, frame: FrameType, site: LoopSite, as_whole: bool, compile_loop: Compile,
        ended: Callable[[], None], made: Made | None = None,
    ) -> None:  # fmt: skip
        self.frame = frame
        self.site = site
        self.as_whole = as_whole
        self.compile_loop = compile_loop
        self.ended = ended
        self.made = made
        self.iterator = exchange_in_frame(frame, site.slot, self, UNBOUND)
        self.items = StoppableIterator(self.iterator)
        self.is_entered = False
        self.slots = {name: slot for slot, name in enumerate(slot_names(site.code))}
        self.taken: dict[str, int] = {}
        self.arguments: list[Any] = []
        self.values: list[tuple[Any, ...] | None] = []
        self.is_over = False

    def __iter__(self) -> Switch:
        return self

    @property
    def is_waiting(self) -> bool:
        """Whether the frame may still ask for the next item."""
        held = value_in_frame(self.frame, self.site.slot, UNBOUND)
        return not self.is_entered and held is self

    @property
    def compiled(self) -> Callable[..., Any] | None:
        return self.made.compiled if self.made is not None and self.is_entered else None

    @hidden
    def __next__(self) -> Any:
        """Interrupts are raised before or after the steps of the core: in each of these states it
        is known where the frame's variables are."""
        if starts_in(self.iterator, COMPILED_IN):
            return next(self.iterator)
        self.is_entered = True
        try:
            call_outside(self.enter)
            if self.compiled is not None:
                drive_into(self.values, self.compiled, self.arguments, self.frame)
            call_outside(self.leave)
        except BaseException as error:
            call_outside(self.failed, error)
            raise
        if self.compiled is None or self.items.was_stopped:
            return self.go_on()
        raise StopIteration

    @hidden
    def go_on(self) -> Any:
        """Leave the rest to the frame itself."""
        exchange_in_frame(self.frame, self.site.slot, self.iterator, UNBOUND)
        return next(self.iterator)

    def enter(self) -> None:
        """Take what the compiled loop needs out of the frame: it is nobody else's then."""
        code, frame = self.site.code, self.frame
        values = {name: value_in_frame(frame, slot, UNBOUND) for name, slot in self.slots.items()}
        assigned = frozenset(name for name, value in values.items() if value is not UNBOUND)
        names = variables(code)
        args = [values[name] if name in assigned else None for name in names]
        args += [None] * self.site.depth
        args += [bound(self.iterator, which) for which in range(3)] if self.as_whole else [
            self.items]
        known, self.made = self.made, None
        fits = known is not None and known.fits(frame, assigned, values)
        self.made = known if fits else self.make(values, assigned, args)
        if self.made is None:
            return
        self.taken = {name: names.index(name) for name in self.made.loop.written}
        for name in self.taken:
            exchange_in_frame(frame, self.slots[name], UNBOUND, UNBOUND)
        self.arguments = args

    def make(
        self, values: dict[str, Any], assigned: frozenset[str], args: list[Any]
    ) -> Made | None:
        function, site = function_of(self.frame, self.site, values)
        loop = loop_function(function, site, assigned, self.as_whole)
        compiled = None if loop is None else self.compile_loop(loop.function, tuple(args))
        return None if loop is None or compiled is None else Made(loop, compiled, assigned)

    def leave(self) -> None:
        """Give the frame the variables that the loop has written and the frame may read."""
        if self.made is not None and self.values:
            self.put_back(self.made.loop.returned, self.values.pop() or ())
        self.appear()

    def appear(self) -> None:
        """The frame goes on; an interrupt may come when it does so already."""
        if self.is_over:
            return
        self.is_over = True
        self.ended()

    def put_back(self, names: Iterable[str], values: Iterable[Any]) -> None:
        for name, value in zip(names, values):
            exchange_in_frame(self.frame, self.slots[name], value, UNBOUND)

    def failed(self, error: BaseException) -> None:
        """Has the error come from the frame itself, in the state in which it was raised."""
        if self.arguments:  # the loop has not been entered
            self.put_back(self.taken, (self.arguments[at] for at in self.taken.values()))
            self.arguments.clear()
        elif self.values:  # it has ended
            return self.leave()
        elif self.compiled is not None and not self.is_over:
            self.failed_inside(error)
        self.appear()

    def failed_inside(self, error: BaseException) -> None:
        """The loop itself has raised."""
        traceback = error.__traceback__
        name = self.site.code.co_qualname
        while traceback is not None and traceback.tb_frame.f_code.co_qualname != name:
            traceback = traceback.tb_next
        assert self.made is not None
        seen = traceback.tb_frame.f_locals if traceback is not None else {}
        for name in self.site.names("STORE_FAST", "DELETE_FAST"):
            exchange_in_frame(self.frame, self.slots[name], seen.get(name, UNBOUND), UNBOUND)
        for values in self.made.loop.kept:
            self.put_back(self.made.loop.returned, values)
        self.made.loop.kept.clear()
        if traceback is None:  # it was raised between two parts of the loop
            return
        set_frame_place(self.frame, place_of(traceback, self.site))
        error.__traceback__ = traceback.tb_next
        if isinstance(error, StopIteration):  # which would end the loop
            raise_soon(self.frame, error)


def function_of(
    frame: FrameType, site: LoopSite, values: dict[str, Any]
) -> tuple[FunctionType, LoopSite]:
    """The function that the frame runs, and its loop."""
    code = frame.f_code
    if is_of_module(frame):
        code = importlib.import_module(MODULE_CODE).as_function_code(code)
        heads = [each.head.offset for each in loop_sites(site.code)]
        site = loop_sites(code)[heads.index(site.head.offset)]
    closure = tuple(cell_of(values[name]) for name in code.co_freevars)
    function = FunctionType(code, frame.f_globals, code.co_name, None, closure)
    function.__qualname__ = code.co_qualname
    return function, site


def is_of_module(frame: FrameType) -> bool:
    """Whether its variables are the globals."""
    return frame.f_code.co_name == "<module>" and frame.f_locals is frame.f_globals


def cell_of(value: Any) -> CellType:
    return value if isinstance(value, CellType) else CellType()


def variables(code: Any) -> tuple[str, ...]:
    """The parameters of a resume function that are not of the stack."""
    return tuple(name for name in slot_names(code) if name not in code.co_freevars)


def starts_in(iterator: Any, items: tuple[int, ...]) -> bool:
    """Whether the next item of a range is one of these."""
    return type(iterator) is RANGE_ITERATOR and bound(iterator, 0) in items


def place_of(traceback: TracebackType, site: LoopSite) -> int:
    """The unit of the loop's code that stands for the same text of the source. Calls have several,
    of which the error names one: they are counted from their end."""
    units = [*traceback.tb_frame.f_code.co_positions()]
    at = traceback.tb_lasti // 2
    end = next((unit for unit in range(at, len(units)) if units[unit] != units[at]), len(units))
    positions = [*site.code.co_positions()]
    there = [offset for offset in sorted(site.offsets) if positions[offset // 2] == units[at]]
    line = [offset for offset in sorted(site.offsets) if positions[offset // 2][0] == units[at][0]]
    if len(there) >= end - at:
        return there[at - end]
    return next(iter(line), site.head.offset)
