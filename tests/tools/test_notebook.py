"""IPython: the magics, cells named as IPython names them, objects shown as HTML."""
import re
import warnings
from html.parser import HTMLParser
from types import FunctionType

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.base.cells import cell_of
from dynamo_lite.native import CompiledFunction
from dynamo_lite.notebook import magics_in_python

X = np.ones(3)


@pytest.fixture
def shell():
    interactive = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shell = interactive.instance(colors="nocolor")
    shell.run_cell("import numpy as np\nimport dynamo_lite as dl\n%load_ext dynamo_lite\n"
                   "X = np.ones(3)", store_history=True)
    yield shell
    shell.run_cell("%unload_ext dynamo_lite")
    interactive.clear_instance()


def run(shell, cell):
    found = shell.run_cell(cell, store_history=True)
    found.raise_error()
    return found.result


CELL = """%%dl
def f(x):
    y = x + 1
    print(end="")
    return y * 2
f(X)"""


def test_functions_of_the_cell_are_compiled(shell, capsys):
    run(shell, CELL)
    assert isinstance(shell.user_ns["f"], CompiledFunction)
    assert "array([4., 4., 4.])" in capsys.readouterr().out
    assert not [name for name in shell.user_ns if "dynamo_lite_compile" in name]
    (cost,) = dl.why(shell.user_ns["f"]).costs
    assert str(cost.location) == "Cell In[2], line 4 in f"


def test_lines_of_plain_cells_are_named_as_well(shell):
    run(shell, "@dl.compile\ndef g(x):\n    print(end='')\n    return x + 1\ng(X)")
    (cost,) = dl.why(shell.user_ns["g"]).costs
    assert str(cost.location) == "Cell In[2], line 3 in g"


def test_what_the_cell_compiled_is_explained(shell, capsys):
    found = run(shell, CELL.replace("%%dl", "%%dl --explain --backend eager"))
    assert found.graph_count == 2 and found.graph_break_count == 1
    assert "broke at Cell In[2], line 4" in capsys.readouterr().out


def test_options_and_statements_of_every_kind(shell, capsys):
    run(shell, "%%dl --fullgraph\ndef f(x):\n    return x + 1\nf(X);")
    assert "array" not in capsys.readouterr().out
    run(shell, "%%dl\n# nothing")
    run(shell, "%%dl\ny = 3\nif y:\n    z = 4")
    assert shell.user_ns["z"] == 4
    with pytest.raises(ValueError, match="no option is called '--nope'; there are --backend"):
        run(shell, "%%dl --nope\n1")
    with pytest.raises(dl.errors.FullGraphRequired):
        run(shell, CELL.replace("%%dl", "%%dl --fullgraph"))
    with pytest.raises(SyntaxError):
        run(shell, "%%dl\ndef :")


def test_a_call_is_explained(shell):
    run(shell, "def h(x, k=1):\n    return (x * k).sum()")
    found = run(shell, "%dl_explain h(X, k=2)")
    assert found.result == 6.0 and found.op_count == 2
    assert run(shell, "%dl_explain dl.compile(h)(X)").result == 3.0
    with pytest.raises(ValueError, match="takes a call"):
        run(shell, "%dl_explain h")


@pytest.mark.parametrize(("cell", "meant"), [
    ("%%d\n1", "%%dl"), ("%%ddl\n1", "%%dl"), ("%dl_explian f(X)", "%dl_explain"),
    ("%dlexplain f(X)", "%dl_explain"), ("%%nothing\n1", None), ("%lsmagics", None)])
def test_a_misspelt_magic_is_told_the_nearest_name(shell, capsys, cell, meant):
    shell.run_cell(cell)
    said = capsys.readouterr().err
    assert "not found" in said
    assert said.count("did you mean") == (meant is not None)
    assert meant is None or f"did you mean {meant}?" in said


def test_where_nothing_can_be_compiled_the_magics_run_cells_in_python(shell, capsys):
    magics_in_python.load(shell)
    run(shell, CELL)
    shown = capsys.readouterr()
    assert "array([4., 4., 4.])" in shown.out and shown.err.startswith("runs in Python: ")
    assert isinstance(shell.user_ns["f"], FunctionType)
    found = run(shell, "%dl_explain f(X)")
    assert found.result.tolist() == [4.0] * 3 and "runs in Python" in found._repr_html_()
    assert run(shell, "%%dl --explain\n1").graph_count == 0
    assert capsys.readouterr().err == ""


def test_cells_of_kernels_are_asked_of_ipython(shell):
    name = "/tmp/ipykernel_123/456.py"
    shell.compile._filename_map[name] = 7
    assert cell_of(name) == "In[7]"
    assert cell_of("/home/me/ipykernel_123.py/f.py") is None and cell_of(__file__) is None


# -- objects, as HTML and in short


class Balanced(HTMLParser):
    """Fails where a tag is not closed."""

    def __init__(self, text):
        super().__init__()
        self.open = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def less(x):
    y = x + (x < 2)
    dl.graph_break()
    return 1 / (y - 2)


def shown():
    """An object of each kind."""
    compiled = dl.compile(less)
    with np.errstate(all="ignore"):
        compiled(X)
        compiled(X.astype("f4"))
        explained = dl.explain(less)(X)
    return [explained, explained.graphs[0], dl.why(compiled), dl.stats()]


def test_everything_shows_itself_as_html():
    for each in shown():
        text = each._repr_html_()
        Balanced(text)
        assert not re.search(r"<(module|function|lambda|built)", text)
    assert "less" in text or "broke" in text


def test_representations_are_short():
    for each in shown():
        assert len(repr(each)) < 200 and repr(each)[0] + repr(each)[-1] == "<>", repr(each)


def test_the_magics_have_their_own_words(shell):
    magic = shell.magics_manager.magics["cell"]["dl"]
    assert magic.__doc__.startswith("Run a cell whose functions are compiled")
    with pytest.raises(ValueError, match="did you mean '--explain'"):
        run(shell, "%%dl --explian\n1")
