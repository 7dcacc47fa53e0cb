"""The pytest plugin, in sessions of its own."""
import subprocess
import sys
import textwrap

import pytest

HEADER = "import numpy as np, pytest\nimport dynamo_lite as dl\nX = np.arange(4.0)\n"


@pytest.fixture
def session(tmp_path):
    """Runs a file of tests in a new process, as a user would; gives the outcomes and the text."""
    def run(source, *options):
        (tmp_path / "test_it.py").write_text(HEADER + textwrap.dedent(source))
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "dynamo_lite.testing.plugin", "-p",
             "no:cacheprovider", "-rA", *options, "test_it.py"],
            cwd=tmp_path, capture_output=True, text=True)
        outcomes = {}
        for line in done.stdout.splitlines():
            word, _, name = line.partition(" test_it.py::")
            if name:
                outcomes[name.partition(" - ")[0]] = word
        return outcomes, done.stdout + done.stderr

    return run


def test_recompiles_fail_with_the_reason(session):
    outcomes, text = session("""
        @dl.compile
        def f(x, k):
            return x * k

        def test_same(assert_no_recompiles):
            with assert_no_recompiles():
                f(X, 2); f(X, 2)

        def test_another(assert_no_recompiles):
            f(X, 2)
            with assert_no_recompiles():
                f(X.astype('f4'), 2)
    """)
    assert outcomes == {"test_same": "PASSED", "test_another": "FAILED"}
    assert "recompiled: f: x is ndarray float32[4]" in text or "recompiled: f:" in text
    assert "remedy:" in text


def test_a_broken_graph_or_a_bail_out_fails(session):
    outcomes, text = session("""
        def whole(x): return (x + 1).sum()
        def broken(x):
            print(end="")
            return x + 1
        def dividing(x): return 1 / x
        def numbers(x): yield x

        def test_whole(assert_fullgraph):
            assert assert_fullgraph(whole, X) == 10.0
            assert assert_fullgraph(dl.compile(whole), x=X) == 10.0

        def test_broken(assert_fullgraph): assert_fullgraph(broken, X)
        @pytest.mark.filterwarnings("ignore:divide")
        def test_dividing(assert_fullgraph): assert_fullgraph(dividing, X)
        def test_numbers(assert_fullgraph): assert_fullgraph(numbers, X)
    """)
    assert outcomes == {"test_whole": "PASSED", "test_broken": "FAILED",
                        "test_dividing": "FAILED", "test_numbers": "FAILED"}
    assert "not one graph: calling print" in text and "reporter.py" not in text
    assert "bailed out" in text and "divide by zero" in text
    assert "runs in Python: generators" in text


def test_strict_makes_errors_of_warnings(session):
    outcomes, text = session("""
        def failing(graph, inputs): raise RuntimeError("no code")

        def test_lenient():
            with pytest.warns(dl.errors.DynamoWarning):
                dl.compile(lambda x: x + 1, backend=failing)(X)

        def test_strict(dl_strict):
            dl.compile(lambda x: x + 1, backend=failing)(X)

        def test_strict_warnings(dl_strict):
            dl.compile(lambda x: x + 1, mode="max-autotune")
    """)
    assert outcomes == {"test_lenient": "PASSED", "test_strict": "FAILED",
                        "test_strict_warnings": "FAILED"}
    assert "no code" in text


COUNTED = """
    @pytest.fixture(autouse=True)
    def forgotten(): dl.reset()

    @pytest.mark.parametrize("k", range(4))
    def test_one(k):
        f = dl.compile(lambda x: x * 2 + k)
        f(X)
        f(X[:2])
"""


@pytest.mark.parametrize("options", [(), ("-n2",)])
def test_the_summary_counts_all_tests_and_processes(session, options):
    outcomes, text = session(COUNTED, *options)
    assert {*outcomes.values()} == {"PASSED"}
    assert "dynamo_lite: 8 graphs compiled in " in text and "0 graph breaks, 4 recompiles" in text


def test_nothing_is_loaded_or_said_without_use(session):
    outcomes, text = session("""
        import sys
        def test_nothing():
            assert not any(name.startswith("dynamo_lite.runtime") for name in sys.modules)
    """)
    assert outcomes == {"test_nothing": "PASSED"} and "dynamo_lite:" not in text
