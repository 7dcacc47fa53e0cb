"""What is said of tasks: their names, how many they are, and why they are not fewer."""
import re
import runpy
from pathlib import Path

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.errors import FullGraphRequired

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

V = np.arange(12.0)
RNG = np.random.default_rng(0)


def kmeans_step(x):
    return np.sqrt(x * x + 1) - x / 3


def sorted_chain(x):
    return np.sort(x * 2, axis=None)


def noisy(x):
    return x + RNG.normal(size=x.shape)


def test_tasks_are_named_after_the_function():
    found = dl.compile(kmeans_step)(da.from_array(V, 4))
    assert found.name.startswith("kmeans-step-fused-5ops-")
    assert dask.utils.key_split(found.name) == "kmeans-step-fused"


def test_the_same_call_has_the_same_keys():
    compiled, x = dl.compile(kmeans_step), da.from_array(V, 4)
    assert compiled(x).name == compiled(x).name != compiled(x + 1).name


def test_explain_says_what_became_of_the_graph():
    explanation = dl.explain(sorted_chain)(da.from_array(V, 4))
    assert isinstance(explanation.result, da.Array)
    text = explanation.text
    assert "4 tasks in 2 partitions" in text and "sorted-chain-fused-1ops" in text
    assert "sort is no part of a fused task: no rule" in text and f"{__file__}:" in text


def standardised(x):
    centred = x - x.mean(axis=0)
    return centred / np.abs(centred).mean(axis=0)


def test_explain_draws_which_partition_reads_which():
    x = da.from_array(np.ones((60, 3)), (2, 3))
    lines = dl.explain(standardised)(x).text.splitlines()
    operands = [found[1] for line in lines
                if (found := re.search(r"operations? on (.*), \d+ bytes", line))]
    assert operands == ["array", "[1]", "[2], array", "[3]", "[3], [4]"]


def test_the_dashboards_report_names_tasks(client, tmp_path):
    distributed = pytest.importorskip("distributed")
    pytest.importorskip("bokeh")
    page = tmp_path / "report.html"
    with distributed.performance_report(filename=str(page)):
        client.compute(dl.compile(kmeans_step)(da.from_array(V, 4))).result()
    assert "kmeans-step-fused-5ops" in page.read_text()


def test_random_numbers_are_drawn_as_dask_does_it_and_the_generator_goes_on():
    x, before = da.from_array(V, 4), RNG.bit_generator.state
    explanation = dl.explain(noisy)(x)
    assert "runs as Dask itself would: normal draws" in explanation.text
    after = RNG.bit_generator.state
    RNG.bit_generator.state = before
    np.testing.assert_array_equal(explanation.result.compute(), noisy(V))
    assert RNG.bit_generator.state == after
    with pytest.raises(FullGraphRequired, match="random"):
        dl.compile(noisy, fullgraph=True)(x)


def shown(x):
    print("seen")
    return x + 1


def test_the_reason_why_a_function_is_left_to_dask_is_a_graph_break(capsys):
    explanation = dl.explain(shown)(da.from_array(V, 4))
    (broke,) = explanation.breaks
    assert broke.location.line == shown.__code__.co_firstlineno + 1
    assert "print" in broke.reason and "runs as Dask itself would" in explanation.text
    assert dl.stats().graph_breaks == 1
    np.testing.assert_array_equal(explanation.result.compute(), V + 1)


def test_a_function_that_was_left_to_dask_is_seldom_captured_again(capsys):
    compiled, x = dl.compile(shown), da.from_array(V, 4)
    for _ in range(20):
        np.testing.assert_array_equal(compiled(x).compute(), V + 1)
    assert capsys.readouterr().out == "seen\n" * 20
    assert dl.stats().graph_breaks == 6


def example(name):
    return runpy.run_path(str(Path(__file__).parents[2] / "examples" / f"{name}.py"))["main"]


def test_the_example_on_disk_runs(tmp_path, capsys):
    example("kmeans_on_disk")(0.005, "10MB", str(tmp_path))
    assert "peak of memory" in capsys.readouterr().out


def test_the_example_on_a_cluster_runs(capsys):
    example("heat_on_a_cluster")(40, 3)  # which compares with NumPy itself
    assert "for 3 steps of 4 blocks" in capsys.readouterr().out


def test_the_example_of_principal_components_runs(capsys):
    example("pca_by_blocks")(800)
    told = capsys.readouterr().out
    variances = np.fromstring(told[told.index("[") + 1 : told.index("]")], sep=" ")
    assert np.allclose(variances, np.arange(8, 0, -1) ** 2, rtol=0.2)


def test_the_example_in_zarr_runs(tmp_path, capsys):
    pytest.importorskip("zarr")
    example("pictures_in_zarr")(2, str(tmp_path))
    assert "(2, 254, 254) in (1, 254, 254), largest 1.0" in capsys.readouterr().out
