"""`%%dl`: the functions of a cell are compiled; `%dl_explain f(x)`: what compiling a call did."""
from __future__ import annotations

import argparse
import ast
import shlex
import time
from collections.abc import Iterator
from functools import partial
from typing import Any, NoReturn

from ..runtime.compile import compile_with
from ..runtime.explain import Explanation, explain
from ..runtime.stats import FrameRecord, coverage

DECORATOR = "__dynamo_lite_compile__"
"""What the functions of a cell are decorated with, while it runs."""


def load(shell: Any) -> None:
    """Give the shell the magics."""
    shell.register_magic_function(partial(run_cell, shell), "cell", "dl")
    shell.register_magic_function(partial(explain_call, shell), "line", "dl_explain")


def unload(shell: Any) -> None:
    shell.magics_manager.magics["cell"].pop("dl", None)
    shell.magics_manager.magics["line"].pop("dl_explain", None)


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ValueError(f"%%dl: {message}; {self.format_usage().strip()}")


def parser() -> Parser:
    parser = Parser(prog="%%dl", add_help=False)
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--fullgraph", action="store_true")
    parser.add_argument("--dynamic", action=argparse.BooleanOptionalAction)
    parser.add_argument("--explain", action="store_true")
    return parser


def run_cell(shell: Any, line: str, cell: str) -> Explanation | None:
    """Run a cell whose functions are compiled as if each was decorated with `dl.compile`.

    The line takes `--backend NAME`, `--fullgraph`, `--dynamic`, `--no-dynamic`, and `--explain`,
    which shows what was compiled while the cell ran.
    """
    options = vars(parser().parse_args(shlex.split(line)))
    is_explained = options.pop("explain")
    records: list[FrameRecord] = []
    decorate = partial(compile_with, listener=records.append, **options)
    start = time.perf_counter()
    shell.user_ns[DECORATOR] = decorate
    try:
        for code in codes(shell, cell):
            exec(code, shell.user_ns)
    finally:
        shell.user_ns.pop(DECORATOR, None)
    if not is_explained:
        return None
    seconds = time.perf_counter() - start
    return Explanation(None, tuple(records), seconds, coverage(records))


def codes(shell: Any, cell: str) -> Iterator[Any]:
    """The cell's statements, and its last one apart where that is an expression to be shown."""
    source = "\n" + shell.transform_cell(cell)  # below the line of the magic
    name = shell.compile.cache(source, shell.displayhook.prompt_count)
    tree = ast.parse(source, name)
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef):
            at = {"lineno": statement.lineno, "col_offset": statement.col_offset}
            statement.decorator_list.append(ast.Name(DECORATOR, ast.Load(), **at))
    shown = tree.body[-1:] if tree.body and isinstance(tree.body[-1], ast.Expr) else []
    del tree.body[len(tree.body) - len(shown) :]
    yield shell.compile(ast.fix_missing_locations(tree), name, "exec")
    if shown and not source.rstrip().endswith(";"):
        yield shell.compile(ast.Interactive(shown), name, "single")
    elif shown:
        yield shell.compile(ast.Module(shown, []), name, "exec")


def explain_call(shell: Any, line: str) -> Explanation:
    """Compile the function of a call afresh, call it, and say what happened: `%dl_explain f(x)`."""
    call = ast.parse(line.strip(), mode="eval").body
    if not isinstance(call, ast.Call):
        raise ValueError(f"%dl_explain takes a call, as in %dl_explain f(x), not {line!r}")
    function = shell.ev(ast.unparse(call.func))
    call.func = ast.copy_location(ast.Name(DECORATOR, ast.Load()), call.func)
    shell.user_ns[DECORATOR] = explain(function)
    try:
        found: Explanation = shell.ev(ast.unparse(call))
    finally:
        shell.user_ns.pop(DECORATOR, None)
    return found
