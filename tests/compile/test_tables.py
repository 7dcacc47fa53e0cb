"""What people see: tables drawn on terminals, text elsewhere, sizes in sympy's terms."""
import io
import subprocess
import sys

import numpy as np
import pytest
import sympy

import dynamo_lite as dl
from dynamo_lite.base import logs, tables

TABLE = tables.Table("[title]", ("name", "number"), [("a[0]", 1), ("longer", 22)])


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_table_is_text_where_nobody_looks():
    stream = io.StringIO()
    tables.show("before", TABLE, stream=stream)
    assert stream.getvalue() == "before\n[title]\nname    number\na[0]    1\nlonger  22\n"


def test_rich_draws_it_on_a_terminal():
    pytest.importorskip("rich")
    stream = Terminal()
    tables.show("before [0/0]", TABLE, stream=stream)
    found = stream.getvalue()
    assert "┏" in found and "[title]" in found and "a[0]" in found and "before [0/0]" in found


def test_without_rich_a_terminal_gets_text(monkeypatch):
    monkeypatch.setattr(tables, "find_spec", lambda name: None)
    stream = Terminal()
    tables.show(TABLE, stream=stream)
    assert stream.getvalue() == f"{TABLE}\n"


def halves(x, y):
    if x.shape[0] * 2 > y.shape[0] + 3 and x.shape[0] % 2 == 0:
        return x[: x.shape[0] // 2] * 2
    return x + y[:1]


def test_explanations_are_drawn_when_they_are_printed_on_a_terminal(monkeypatch):
    pytest.importorskip("rich")
    explanation = dl.explain(halves, backend="eager")(np.ones(10), np.ones(11))
    plain = str(explanation)
    assert plain == explanation.text and "┏" not in plain
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    print(explanation)
    assert "┏" in terminal.getvalue() and explanation.summary in terminal.getvalue()
    assert explanation.text == plain


def test_sizes_are_shown_by_sympy():
    explanation = dl.explain(halves, dynamic=True, backend="eager")(np.ones(10), np.ones(11))
    s0, s1 = sympy.symbols("s0 s1", integer=True)
    assert explanation.relations == (2 * s0 > s1 + 3, sympy.Eq(sympy.Mod(s0, 2), 0))
    first, second = explanation.sizes
    assert (first.expr, first.origin, first.hint) == (s0, "x.shape[0]", 10)
    assert second.range == sympy.Range(0, sympy.oo)
    assert "(x.shape[0] % 2) == 0  # " in str(explanation)


def test_logs_of_sizes_are_in_its_terms(capsys):
    def doubled(x):
        return x + 1 if x.shape[0] % 4 == 0 else x

    logs.configure("dynamic,+guards")
    try:
        dl.compile(doubled, dynamic=True, backend="eager")(np.ones(8))
    finally:
        logs.configure("")
    lines = capsys.readouterr().err
    assert "Mod(s0, 4) == 0" in lines and "between 0 and no limit" in lines


QUIET = """
import sys, numpy as np, dynamo_lite as dl
def halves(x):
    return x[: x.shape[0] // 2] * 2 if x.shape[0] % 3 else x
f = dl.compile(halves, dynamic=True, backend="eager")
for n in 4, 5, 7, 9, 3:
    f(np.ones(n))
str(dl.stats())
print([name for name in ("sympy", "rich") if name in sys.modules])
"""


def test_who_asks_for_no_explanation_imports_nothing_for_it():
    done = subprocess.run([sys.executable, "-c", QUIET], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
