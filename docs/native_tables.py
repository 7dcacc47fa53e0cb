"""Write the tables of the native core from its source: `python docs/native_tables.py`.

`folders/runtime-table.md` has the functions that generated code calls, `folders/guard-ops.md` the
ops of guard programs. Names, order and signatures are read from the source; what each is for stands
here, and a test holds that nothing is missing.
"""
from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parent
NATIVE = DOCS.parent / "dynamo_lite" / "native"

FUNCTIONS = {
    "new_array": "makes an array in the slot, returns its data pointer; memory of large arrays is "
    "kept when they are gone, unless the user has NumPy allocate in another way",
    "scratch": "memory aligned to 64 bytes, gone when the call ends; large blocks are kept for "
    "later calls, at most 64 MB of them for 10 seconds",
    "parallel": "runs body over chunks of [0, n), in this thread or the pool; gives up the GIL "
    "above 10 µs, up to the next function that needs it; merges the floating-point flags",
    "call_extern": "calls `constants[constant]`; checks nothing about the results",
    "new_view": "a view of `base`",
    "box_scalar": "a NumPy scalar",
    "box_python": "a Python bool (0), int (1), float (2) or complex (3)",
    "commit": "0 when no check failed and no unignored floating-point flag is raised",
    "unbox_int": "an exact int of 64 bits",
    "match_array": "0 for an aligned ndarray with exactly this dtype and layout",
    "gemm": "the BLAS that NumPy ships; alpha 1, beta 0, row-major; nonzero when there is none",
    "gemv": "the same for a matrix and a vector",
    "dot": "the same for two vectors",
    "release": "empties a slot",
    "unbox_number": "a NumPy scalar of exactly that type, or a Python number, as that C type",
    "hold": "a new reference in the slot, for outputs that are inputs, constants or each other",
    "need_gil": "takes the GIL, which long work has given up, for what generated code itself does "
    "with Python objects",
    "suppress_flags": "1 before and 0 after work whose floating-point flags NumPy does not look at",
    "begin_errstate": "masks of flags: what the steps up to the next call raise is dropped, bails "
    "out, or (in neither mask) is left to the error state of the call",
    "read_sizes": "the shape of an ndarray of so many dimensions",
    "count_true": "how many of n bools are true; `starts` gets the count before each 16384",
    "select_true": "the elements where the mask is true",
    "positions_true": "where the mask is true, `ndim` numbers each",
    "poll": "lets other threads run; nonzero where a signal waits for this thread",
    "deposit_true": "the inverse of `select_true`",
    "unbox_ints": "`unbox_int` of several objects",
    "copy": "rows of packed memory, by several threads where it is much",
    "log_undo": "appends what a part of an input holds to the undo log, or only which one",
    "log_copy": "appends a copy of an input, of which later records say which parts to restore",
    "log_undo_at": "the same for elements at these distances in bytes",
    "products": "gemm, gemv or dot at every place of a stack",
    "draw_float": "the next number of a generator, of the distribution with that number; nonzero "
    "where its method would raise",
    "draw_integer": "the same from low to high - 1; `masked`: 1 as RandomState does it, 2 as "
    "`random.Random` does, 3 for a number of that with as many bits as low says",
    "step": "step `number` begins; only called where `Frame.is_counted`",
    "find_random_source": "where the numbers of a generator come from, or of the one that a method "
    "is bound to: 72 bytes, of which the first 8 are the address of its C interface, or 0 where "
    "its class is not known",
}
OPS = {
    "ATTR": "load an attribute",
    "ITEM": "load an item",
    "TUPLE_ITEM": "load an item of a tuple",
    "LIST_ITEM": "load an item of a list",
    "DICT_ITEM": "load an item of a dict",
    "CELL": "load what a closure cell holds",
    "GLOBAL": "load a global or builtin, from these two dicts",
    "CONST": "load this object",
    "CLOSURE": "load from a cell of the function",
    "DEFAULT": "load a default of the function",
    "KWDEFAULT": "load a keyword default of the function",
    "TYPE_OF": "load the type",
    "INSTANCE_DICT": "load the `__dict__`",
    "OWN_DICT": "load the `__dict__`; None where there is none by now, and none is made",
    "APPLY": "load what a pure function of the value gives",
    "APPLY2": "load what a pure function of two values gives",
    "IS": "is this object",
    "WEAK_IS": "is this object, which the program does not keep alive",
    "TYPE": "has exactly this type",
    "EQUALS": "equals the constant by type and bits: NaN equals NaN, -0.0 differs from 0.0",
    "LENGTH": "has this length",
    "KEYS": "has these keys, in order",
    "NO_KEY": "lacks the key",
    "NO_OWN": "holds nothing under the name itself, in its `__dict__`",
    "NO_ATTR": "lacks the attribute",
    "ARRAY": "is an array of this type, dtype, ndim, flags, dims and strides; each of the last is "
    '`("static", n)`, `("any",)`, `("bind", slot)` or `("equal", slot)`',
    "INT": "is an int of 64 bits, which the slot gets",
    "RELATION": 'a comparison of two postfix programs: ints, `("slot", i)`, `+ - * // % min max`',
    "DISJOINT": "the two arrays' extents in memory do not overlap",
    "NOT_ALIASED": "the registers hold two objects",
    "SAME": "the registers hold one object",
    "NO_ALIAS": "`(of_arrays, changed, others)`: no member of `changed` is, or overlaps, another",
    "SPECIALS": "the class and its bases define these special methods and no others",
    "FLAG": "the validity cell of a watcher is still set",
    "CALL": "the function gives true; the slow path",
}
OPERANDS = {
    "d": "dst", "r": "r", "s": "slot", "i": "n", "n": "name", "o": "object", "k": "key",
    "e": "constant", "t": "type", "u": "tuple", "z": "names", "m": "dict", "c": "cell",
    "w": "object", "v": "cell", "f": "function", "A": "…", "R": "op, left, right", "G": "…",
}  # fmt: skip


def runtime_functions() -> list[str]:
    """The functions of the table, in order."""
    text = (NATIVE / "runtime" / "runtime.cpp").read_text()
    table = text[text.index("runtime_table[RUNTIME_FUNCTIONS] = {") :]
    return re.findall(r"(?:address\(|with_gil<)(\w+)", table[: table.index("};")])


def signature(name: str) -> str:
    """The declaration of a function, in one line."""
    pattern = re.compile(rf"^((?:void \*|[a-z]\w+ ?\*?) ?\*?{name}\([^)]*\))(?= ?[{{;])", re.M)
    for path in sorted((NATIVE / "runtime").glob("*.[ch]*")):
        if found := pattern.search(re.sub(r"\(\*(\w+)\)\([^)]*\)", r"\1", path.read_text())):
            return re.sub(r"\s+", " ", found[1])
    raise LookupError(name)


def guard_ops() -> list[tuple[str, str]]:
    """(name, letters of the operands) of each op, in order."""
    return re.findall(r'\{"(\w+)", Code::\w+, "(\w+)", Row::\w+\}',
                      (NATIVE / "guards" / "parse.cpp").read_text())


def runtime_page() -> str:
    head = "# Functions that generated code calls\n\nThe table that `Frame.runtime` points to. "
    head += "Written by `python docs/native_tables.py`.\n\n| i | function | |\n|---|---|---|\n"
    rows = (f"| {index} | `{signature(name)}` | {FUNCTIONS[name]} |\n"
            for index, name in enumerate(runtime_functions()))
    return head + "".join(rows)


def guard_page() -> str:
    head = "# Ops of guard programs\n\n`dst` is a register written, `r` one that is read. A load "
    head += "that fails fails the guard.\nWritten by `python docs/native_tables.py`.\n\n"
    rows = []
    for name, letters in guard_ops():
        operands = [name, *(OPERANDS[letter] for letter in letters)]
        rows.append(f"| `({', '.join(operands)})` | {OPS[name]} |\n")
    return head + "| op | meaning |\n|---|---|\n" + "".join(rows)


PAGES = {
    DOCS / "folders" / "runtime-table.md": runtime_page,
    DOCS / "folders" / "guard-ops.md": guard_page,
}

if __name__ == "__main__":
    for path, page in PAGES.items():
        path.write_text(page())
