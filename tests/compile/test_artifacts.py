"""`config.trace`: what compilations made, as files."""
import hashlib
import json
import os
import re
import subprocess
import sys

import numpy as np

import dynamo_lite as dl
from dynamo_lite.base import logs
from dynamo_lite.base.config import config
from dynamo_lite.reports.page import cut

X = np.arange(5.0)


def broken(x):
    y = x * 2 + 1
    dl.graph_break()
    return np.sqrt(y).sum()


def files_of(folder):
    return {path.name for path in folder.iterdir()}


def test_each_compilation_has_its_files(tmp_path):
    """The code generator is loaded first: a variant that takes a second delays the next one."""
    dl.compile(lambda x: x * 2, backend="llvm")(X)
    dl.reset()
    compiled = dl.compile(broken, backend="llvm")
    with config.patch(trace=str(tmp_path)):
        compiled(X)
        compiled(X[:3])
    folder = tmp_path / str(os.getpid())
    assert files_of(folder) == {"index.txt", "0-0", "0-1", "1-0", "1-1"}
    first = folder / "0-0"
    always = {"bytecode.txt", "dynamo.txt", "graph.py", "guards.txt", "output_code.txt", "perf.txt"}
    assert files_of(first) >= always | {"breaks.txt"}
    assert "np.multiply(x, 2)" in (first / "graph.py").read_text()
    assert "np.sqrt" in (folder / "1-0" / "graph.py").read_text()
    assert "the program asks for a graph break" in (first / "breaks.txt").read_text()
    assert "TENSOR_MATCH" in (first / "guards.txt").read_text()
    bytecode = (first / "bytecode.txt").read_text()
    assert bytecode.index("broken is") < bytecode.index("broken becomes")
    code = (first / "output_code.txt").read_text()
    assert "kernel kernel0" in code and "define" in code
    assert "x: shape[0] 3, was 5 when compiled" in (folder / "0-1" / "recompiles.txt").read_text()


def test_the_index_has_a_line_for_each_entry(tmp_path):
    dl.reset()
    with config.patch(trace=str(tmp_path)):
        dl.compile(broken, backend="eager")(X)
    lines = (tmp_path / str(os.getpid()) / "index.txt").read_text().splitlines()
    assert [line.split()[0] for line in lines] == ["0/0", "1/0"]
    assert "test_artifacts.py" in lines[0] and "broke at" in lines[0] and "broke at" not in lines[1]


def test_afterwards_nothing_is_written(tmp_path):
    with config.patch(trace=str(tmp_path)):
        dl.compile(lambda x: x + 1, backend="eager")(X)
    before = sorted(tmp_path.rglob("*"))
    dl.compile(lambda x: x + 2, backend="eager")(X)
    assert sorted(tmp_path.rglob("*")) == before and logs.collector() is None
    assert not logs.logger("graph_code").isEnabledFor(10)


def test_a_directory_that_cannot_be_made_is_no_error_of_the_program(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    with config.patch(trace=str(tmp_path / "file")):
        result = dl.compile(lambda x: x + 1, backend="eager")(X)
    assert np.array_equal(result, X + 1)
    assert "Not a directory" in capsys.readouterr().err


class Shy:
    """Would print where it is shown."""

    def __repr__(self):
        print("shown")
        return "Shy"


SHY = Shy()


def test_the_programs_objects_are_not_asked_how_they_look(tmp_path, capsys):
    with config.patch(trace=str(tmp_path)):
        dl.compile(lambda x, shy: x + (shy is SHY), backend="eager")(X, SHY)
    assert capsys.readouterr().out == ""


def test_the_environment_and_logs_together(tmp_path):
    """Standard error has what was asked for there, and no more."""
    code = "import numpy as np, dynamo_lite as dl; dl.compile(lambda x: x + 1)(np.ones(3))"
    env = {**os.environ, "DYNAMO_TRACE": str(tmp_path), "DYNAMO_LOGS": "graph_code"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.returncode == 0
    assert "np.add" in done.stderr and "[guards]" not in done.stderr
    assert [path.name for path in tmp_path.glob("*/*/guards.txt")] == ["guards.txt"]


def test_long_texts_are_cut_in_the_page():


    text = "".join(f"line {number}\n" for number in range(1000))
    assert cut(text, len(text)) == text
    short = cut(text, 500)
    assert short.startswith("line 0\n") and len(short) < 600
    last, note = short.splitlines()[-2:]
    assert int(last.split()[1]) + 1 + int(note.split()[2]) == 1000


def test_a_trace_in_the_format_of_pytorch(tmp_path):
    """Every line has the prefix, every payload its checksum, every file a number."""
    with dl.trace(tmp_path / "t"):
        dl.compile(broken)(X)
    text = (tmp_path / "t" / "torch_trace.log").read_text()
    pattern = r"V\d{4} \d\d:\d\d:\d\d\.\d{6} \d+ [^:\n]+:\d+\] (\{.*\})\n((?:\t.*\n)*)"
    found = re.findall(pattern, text)
    assert "".join(re.fullmatch(f"(?:{pattern})*", text)[0]) == text
    records = [json.loads(record) for record, _ in found]
    assert records[0] == {"str": [__file__, 0]}
    for record, (_, payload) in zip(records, found):
        content = payload.replace("\n\t", "\n")[1:-1]
        sums = hashlib.md5(content.encode()).hexdigest() if payload else None
        assert record.get("has_payload") == sums
    names = {name for record in records for name in record}
    assert {"dynamo_start", "dynamo_output_graph", "inductor_output_code", "dynamo_guards",
            "compilation_metrics", "artifact"} <= names
    (start, *_) = (record for record in records if "dynamo_start" in record)
    assert start["dynamo_start"]["stack"][0]["name"] == "broken" and start["frame_id"] == 0
