"""What both kinds of magics do with a cell and a line; nothing of the compiler is loaded for it."""
from __future__ import annotations

import argparse
import ast
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from functools import partial, update_wrapper
from typing import Any, NoReturn

from ..base.nearest import closest, nearest

DECORATOR = "__dynamo_lite_compile__"
"""What the functions of a cell are decorated with, while it runs."""
NAMES, SIGNS = {"cell": ["dl"], "line": ["dl_explain"]}, {"cell": "%%", "line": "%"}
LIKE = 0.6
"""How near a misspelt magic comes to the right one: `d` to `dl`."""
Magic = Callable[[Any, str], Any] | Callable[[Any, str, str], Any]


def register(shell: Any, run_cell: Magic, explain_call: Magic) -> None:
    """Give the shell the magics."""
    for kind, name, magic in zip(NAMES, ("dl", "dl_explain"), (run_cell, explain_call)):
        of_shell = update_wrapper(partial(magic, shell), magic, ("__doc__",), ())
        shell.register_magic_function(of_shell, kind, name)
    shell.events.register(BEFORE, partial(hint, shell))


def unload(shell: Any) -> None:
    shell.magics_manager.magics["cell"].pop("dl", None)
    shell.magics_manager.magics["line"].pop("dl_explain", None)
    for each in [*shell.events.callbacks[BEFORE]]:
        if getattr(each, "func", None) is hint:
            shell.events.unregister(BEFORE, each)


BEFORE = "pre_run_cell"
"""The event of a cell that is about to run."""
USE = re.compile(r"run_(cell|line)_magic\(['\"](\w+)['\"]")
"""What IPython makes of a magic."""


def hint(shell: Any, info: Any) -> None:
    """Name the magic that was probably meant, before IPython says that there is none."""
    for kind, name in USE.findall(shell.transform_cell(info.raw_cell)):
        if shell.find_magic(name, kind) is None and (found := closest(name, NAMES[kind], LIKE)):
            print(f"dynamo_lite: did you mean {SIGNS[kind]}{found}?", file=sys.stderr)


class Parser(argparse.ArgumentParser):
    def read(self, line: str) -> argparse.Namespace:
        options, unknown = self.parse_known_args(shlex.split(line))
        if unknown:
            known = self._option_string_actions
            self.error(f"no option is called {unknown[0]!r}{nearest(unknown[0], known)}")
        return options

    def error(self, message: str) -> NoReturn:
        raise ValueError(f"%%dl: {message}; {self.format_usage().strip()}")


def parser() -> Parser:
    parser = Parser(prog="%%dl", add_help=False)
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--fullgraph", action="store_true")
    parser.add_argument("--dynamic", action=argparse.BooleanOptionalAction)
    parser.add_argument("--explain", action="store_true")
    return parser


def run(shell: Any, cell: str, decorate: Callable[..., Any]) -> None:
    """Run a cell whose functions are decorated."""
    shell.user_ns[DECORATOR] = decorate
    try:
        for code in codes(shell, cell):
            exec(code, shell.user_ns)
    finally:
        shell.user_ns.pop(DECORATOR, None)


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


def explained(shell: Any, line: str, explain: Callable[..., Any]) -> Any:
    """What `explain` of a call's function gives for its arguments."""
    call = ast.parse(line.strip(), mode="eval").body
    if not isinstance(call, ast.Call):
        raise ValueError(f"%dl_explain takes a call, as in %dl_explain f(x), not {line!r}")
    function = shell.ev(ast.unparse(call.func))
    call.func = ast.copy_location(ast.Name(DECORATOR, ast.Load()), call.func)
    shell.user_ns[DECORATOR] = explain(function)
    try:
        return shell.ev(ast.unparse(call))
    finally:
        shell.user_ns.pop(DECORATOR, None)
