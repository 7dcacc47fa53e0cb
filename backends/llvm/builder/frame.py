"""Calls from an entry function into the native run time, through the table of its frame."""
from __future__ import annotations

from collections.abc import Sequence

from .elements import BOOL
from .emit import Builder
from .values import Value

# name → index in the run-time table and return type (docs/folders/runtime-table.md)
RUNTIME: dict[str, tuple[int, str]] = {
    "new_array": (0, "ptr"),
    "scratch": (1, "ptr"),
    "parallel": (2, "void"),
    "call_extern": (3, "i32"),
    "new_view": (4, "i32"),
    "box_scalar": (5, "i32"),
    "box_python": (6, "i32"),
    "commit": (7, "i32"),
    "unbox_int": (8, "i32"),
    "match_array": (9, "i32"),
    "gemm": (10, "i32"),
    "gemv": (11, "i32"),
    "dot": (12, "i32"),
    "release": (13, "void"),
    "unbox_number": (14, "i32"),
    "suppress_flags": (16, "void"),
    "begin_errstate": (17, "void"),
    "read_sizes": (18, "i32"),
    "count_true": (19, "i64"),
    "select_true": (20, "i32"),
    "positions_true": (21, "i32"),
    "poll": (22, "i32"),
    "deposit_true": (23, "i32"),
    "copy": (25, "void"),
    "unbox_ints": (24, "i32"),
    "log_undo": (26, "i32"),
    "log_undo_at": (27, "i32"),
    "products": (28, "i32"),
    "draw_float": (29, "i32"),
    "draw_integer": (30, "i32"),
    "step": (31, "void"),
    "find_random_source": (32, "void"),
    "log_copy": (33, "i32"),
    "need_gil": (34, "void"),
}
LONG_WORK = frozenset({
    "parallel", "gemm", "gemv", "dot", "products", "copy", "count_true", "select_true",
    "positions_true", "deposit_true",
})
"""These may give up the GIL, which only those of the others take again that need it."""
STATUS_OFFSET = 32
DATA, DIMENSIONS, STRIDES = 16, 32, 40  # fields of PyArrayObject; a float's value is at 16 too


class Frame:
    """The frame that an entry function gets, and the ways to use it."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.tables: dict[str, str] = {}  # arrays of known integers, by type and contents
        self.arrays: dict[tuple[str, ...], str] = {}
        self.entries: dict[tuple[str, int], str] = {}  # of tables that do not change, by offset
        self.has_long_work = False
        self.inputs = self.field(0)
        self.slots = self.field(8)
        self.constants = self.entry("%frame", 16)
        self.runtime = self.entry("%frame", 24)
        self.status = builder.offset("%frame", STATUS_OFFSET)

    def field(self, offset: int) -> str:
        return self.pointer_at("%frame", offset)

    def pointer_at(self, base: str, offset: int) -> str:
        pointer = self.builder.offset(base, offset)
        return self.builder.emit(f"load ptr, ptr {pointer}, align 8")

    def entry(self, table: str, offset: int) -> str:
        """What a table has: read once, when the function begins."""
        if (table, offset) not in self.entries:
            lines, self.builder.lines = self.builder.lines, self.builder.head
            self.entries[table, offset] = self.pointer_at(table, offset)
            self.builder.lines = lines
        return self.entries[table, offset]

    def call(self, name: str, *args: str) -> str:
        """The result of a run-time function; the frame is passed where the function takes one."""
        index, returns = RUNTIME[name]
        function = self.entry(self.runtime, 8 * index)
        self.has_long_work |= name in LONG_WORK
        text = f"call {returns} {function}({', '.join(args)})"
        if returns == "void":
            self.builder.void(text)
            return ""
        return self.builder.emit(text)

    def checked(self, name: str, *args: str) -> str:
        """The same; the call bails out when the function fails."""
        result = self.call(name, *args)
        if RUNTIME[name][1] == "ptr":
            self.bail_out_if(f"icmp eq ptr {result}, null")
        else:
            self.bail_out_if(f"icmp ne i32 {result}, 0")
        return result

    def bail_out_if(self, condition: str) -> None:
        failed = Value(self.builder, self.builder.emit(condition), BOOL)
        following = self.builder.fresh("go")
        self.builder.branch(failed, "bail_out", following)
        self.builder.label(following)

    def bail_out_unless(self, holds: Value) -> None:
        following = self.builder.fresh("go")
        self.builder.branch(holds, following, "bail_out")
        self.builder.label(following)

    def input(self, index: int) -> str:
        return self.pointer_at(self.inputs, 8 * index)

    def constant(self, index: int) -> str:
        return self.entry(self.constants, 8 * index)

    def slot(self, index: int) -> str:
        return self.pointer_at(self.slots, 8 * index)

    def own(self, index: int, object_: str) -> None:
        """Put a new reference to an object into a slot. Only arrays come here, which are mortal."""
        if self.has_long_work:
            self.call("need_gil", "ptr %frame")
        count = self.builder.emit(f"load i32, ptr {object_}, align 8")
        more = self.builder.emit(f"add i32 {count}, 1")
        self.builder.void(f"store i32 {more}, ptr {object_}, align 8")
        self.builder.void(f"store ptr {object_}, ptr {self.builder.offset(self.slots, 8 * index)}")

    def integers(self, values: Sequence[Value]) -> str:
        """The address of an array of i64; equal ones share it."""
        if not values:
            return "null"
        refs = tuple(value.ref for value in values)
        if refs not in self.arrays:
            known = all(value.literal for value in values)
            self.arrays[refs] = self._table(refs) if known else self._on_stack(values)
        return self.arrays[refs]

    def _table(self, numbers: Sequence[str]) -> str:
        numbers = [f"i64 {number}" for number in numbers]
        content = f"[{len(numbers)} x i64] [{', '.join(numbers)}]"
        return self.tables.setdefault(content, f"@integers{len(self.tables)}")

    def _on_stack(self, values: Sequence[Value]) -> str:
        pointer = self.builder.stack("i64", len(values))
        for position, value in enumerate(values):
            self.builder.store(value, self.builder.offset(pointer, 8 * position))
        return pointer
