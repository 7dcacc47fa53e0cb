"""`dl.trace` and `DYNAMO_TRACE`: a page about what was compiled, and the same as JSON."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.base.config import config
from tests.tools.test_notebook import Balanced

X = np.arange(6.0)


def broken(x):
    y = x * 2 + 1
    print(end="")
    return 1 / (y - 1)


def many(count):
    """Functions of different text, each of which is compiled."""
    functions = []
    for k in range(count):
        namespace = {"np": np}
        body = "".join(f"    x = np.sqrt(x + {k + i}) * {i + 1}\n" for i in range(6))
        exec(f"def f{k}(x):\n{body}    return x.sum() < {k}", namespace)
        functions.append(namespace[f"f{k}"])
    return functions


class Page(Balanced):
    """Keeps ids and links; void elements are closed."""

    def __init__(self, text):
        self.ids, self.links = set(), set()
        super().__init__(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids.add(given.get("id"))
        self.links.add(given.get("href", "")[1:])
        if tag != "meta":
            super().handle_starttag(tag, attributes)


def traced(folder, *calls):
    with dl.trace(folder) as trace, np.errstate(all="warn"):
        for function, *arguments in calls:
            dl.compile(function, backend="llvm")(*arguments)
    return trace, trace.path.read_text()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_page_has_lines_graphs_guards_and_code(tmp_path):
    trace, text = traced(tmp_path, (broken, X))
    assert trace.path == tmp_path / "report.html"
    page = Page(text.partition("<!DOCTYPE html>")[2])
    assert {"entry-0-0", "entry-1-0"} <= page.ids and page.links - {""} <= page.ids
    marks = dict(re.findall(r"<span class='(\w+)'> *\d+  *([^<]+)</span>", text))
    first = text.partition("id='entry-0-0'")[2].partition("id='entry-1-0'")[0]
    lines = {line.strip(): mark for mark, line in
             re.findall(r"<span class='(\w+)'> *\d+ +([^<]+)</span>", first)}
    assert lines["y = x * 2 + 1"] == "compiled"
    assert lines["print(end=&quot;&quot;)"] == "broke"
    assert lines["return 1 / (y - 1)"] == "elsewhere" and marks
    assert "<svg" in first and "multiply" in first
    assert "x: float64 array of shape (6,), contiguous" in first
    assert "TENSOR_MATCH" not in text and "LocalSource" not in text
    assert "kernel kernel0" in first and "Remedy: print after" in first
    assert "divide reports" in text  # the bail-out of the second part
    assert not re.search(r"(src|href)='?(http|/)", text)


def test_steps_with_several_results_show_their_types(tmp_path):
    def chosen(x):
        y = np.sqrt(x) if x.sum() > 4 else x * 4
        return y + 1

    assert "ArrayType" not in traced(tmp_path, (chosen, X))[1]
    graph = dl.explain(chosen)(X).graphs[0]
    assert "ArrayType" not in graph._repr_html_() and "float64[6]" in graph._repr_html_()


def test_fifty_entries_are_a_page_of_moderate_size(tmp_path):
    _, text = traced(tmp_path, *((function, X) for function in many(50)))
    Page(text.partition("<!DOCTYPE html>")[2])
    assert text.count("<h2") == 50 and len(text) < 3_000_000


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_index_says_why(tmp_path):
    _, text = traced(tmp_path, (broken, X))
    compiled = dl.compile(broken)
    with dl.trace(tmp_path / "again"):
        compiled(X + 1)
        compiled(X.astype("f4") + 1)
    again = (tmp_path / "again" / "report.html").read_text()
    for page, why in ((text, "broke at"), (text, "bailed out at"), (again, "compiled again: x: ")):
        index = page.partition("<table>")[2].partition("</table>")[0]
        assert f">{why}" in index or f"; {why}" in index


def test_events_are_lines_of_json(tmp_path):
    traced(tmp_path, (broken, X + 1))
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert [(e["frame_id"], e["frame_compile_id"]) for e in events] == [(0, 0), (1, 0)]
    assert events[0]["broke"]["remedy"] == "printing" and events[1]["broke"] is None
    assert [s["what"] for s in events[0]["graph"]] == ["input", "multiply", "add"]
    assert events[0]["graph"][2]["reads"] == ["multiply"]


def test_graphs_in_files_run(tmp_path):
    traced(tmp_path, (broken, X + 1))
    (path,) = tmp_path.glob("*/0-0/graph.py")
    namespace = {}
    exec(path.read_text(), namespace)
    assert np.array_equal(namespace["graph"](X)[0], X * 2 + 1)


def test_afterwards_nothing_is_kept(tmp_path):
    traced(tmp_path, (broken, X + 1))
    assert config.trace == ""
    explained = dl.explain(lambda x: x + 1)(X)
    assert explained.records[0].steps == ()


def test_a_process_writes_its_page_at_exit(tmp_path):
    code = "import numpy as np, dynamo_lite as dl; dl.compile(lambda x: x + 1)(np.ones(3))"
    env = {**os.environ, "DYNAMO_TRACE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    (path,) = tmp_path.glob("*/report.html")
    Page(path.read_text().partition("<!DOCTYPE html>")[2])
    assert "id='entry-0-0'" in path.read_text()


def test_without_a_folder_one_is_made():
    with dl.trace() as trace:
        dl.compile(lambda x: x + 1)(X)
    assert trace.path.name == "report.html" and trace.path.exists()


MOVES = """
import os, numpy as np, dynamo_lite as dl
dl.compile(np.square)(np.ones(3))
f = dl.compile(lambda x: x + 1)
f(np.ones(3))
os.chdir(os.sep)
f(np.ones((3, 3)))
"""


def test_a_relative_folder_stays_where_it_was(tmp_path):
    environment = {**os.environ, "DYNAMO_TRACE": "traces"}
    subprocess.run([sys.executable, "-c", MOVES], env=environment, cwd=tmp_path, check=True)
    assert len([*tmp_path.glob("traces/*/report.html")]) == 1
    assert not os.path.exists(os.path.join(os.sep, "traces"))


# -- read by the tools that it is made for

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PLAYWRIGHT = os.path.expanduser("~/.cache/ms-playwright/chromium*/chrome-*/*")


def browser():
    """A Chromium of the system's, or Playwright's."""
    found = [path for path in glob.glob(PLAYWRIGHT)
             if os.path.basename(path) in ("chrome", "headless_shell", "chrome-headless-shell")]
    path = next(filter(None, map(shutil.which, (*BROWSERS, *found))), None)
    return path or pytest.skip("no browser is installed")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_browser_shows_the_page(tmp_path):
    program = browser()
    trace, _ = traced(tmp_path / "trace", (broken, X), *((function, X) for function in many(50)))
    shot = tmp_path / "shot.png"
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
               f"--user-data-dir={tmp_path}/profile", f"--screenshot={shot}", "--dump-dom"]
    done = subprocess.run([program, *options, trace.path.as_uri()], timeout=120,
                          capture_output=True, text=True, env={**os.environ, "HOME": str(tmp_path)})
    assert done.returncode == 0 and "CONSOLE" not in done.stderr, done.stderr
    page = Page(done.stdout.partition("<!DOCTYPE html>")[2])
    assert {f"entry-{frame}-0" for frame in range(52)} <= page.ids
    assert done.stdout.count("<svg") > 50 and shot.stat().st_size > 20_000
    assert trace.path.stat().st_size < 3_000_000


def test_tlparse_reads_the_records(tmp_path):
    path = os.pathsep.join((os.path.dirname(sys.executable), os.environ["PATH"]))
    if (program := shutil.which("tlparse", path=path)) is None:
        pytest.skip("tlparse is not installed")
    traced(tmp_path, (broken, X + 1), *((function, X) for function in many(3)))
    lines = (tmp_path / "torch_trace.log").read_text().splitlines()
    done = subprocess.run(
        [program, "--strict", "--strict-compile-id", "--no-browser", "-o", tmp_path / "pages",
         tmp_path / "torch_trace.log"], capture_output=True, text=True)
    assert done.returncode == 0 and "Stats { ok:" in done.stdout + done.stderr, done.stderr
    index = (tmp_path / "pages" / "index.html").read_text()
    assert len(lines) > 20 and all(f"{frame}_0_0" in index for frame in range(5))
