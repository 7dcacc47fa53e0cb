"""`--explain` lists what Python ran for long, with the reason."""
import sys
import threading
import time

import numpy as np
import pytest
from dynamo_lite.backends import registry as registry_of_backends
from dynamo_lite.guards import sources
from scripts import PREFIX, WARMING, run

import dynamo_lite as dl
from dynamo_lite.base.disabled import place_of
from dynamo_lite.runtime.stats import registry
from dynamo_lite.runtime.users_lines import is_not_users
from dynamo_lite.script import in_python
from dynamo_lite.script.in_python import Looking, Ran, table, why_in_python

BUSY = ["end = time.thread_time() + 0.3", "while time.thread_time() < end: pass"]
CASES = {
    "generators that Python goes through": ["def f():", *BUSY, "yield 1"],
    "async functions run in Python": ["async def f():", *BUSY],
    "broke at": ["def f(x):", "y = x + 1", *BUSY, "return y * 2"],
    "no arrays were among its arguments": ["def f():", *BUSY],
    "it was called once": ["def f():", "y = np.ones(3)", *BUSY, "return y"],
}
CALLS = {
    "generators that Python goes through": "list(f())",
    "async functions run in Python": "import asyncio\nasyncio.run(f())",
    "broke at": "for _ in range(2): f(np.ones(5))",
    "no arrays were among its arguments": "for _ in range(9): f()",
    "it was called once": "f()",
}


def explained(script, text):
    text = "import time\nimport numpy as np\nnp.ones(1)\n" + text
    code, out, err = run(*PREFIX, "--explain", script(text))
    assert (code, out) == (0, "") and "ms in Python, most of it at" in err, err
    return err


@pytest.mark.parametrize("reason", CASES)
def test_the_reason_is_told(script, reason):
    text = "\n    ".join(CASES[reason]) + "\n" + CALLS[reason]
    assert "f: " in (err := explained(script, text)) and reason in err, err


def test_the_text_of_a_module(script):
    assert "the text of a module runs in Python" in explained(script, "\n".join(BUSY))


def test_what_is_not_warm_is_told(script):
    text = ("import numpy as np\ndef f(x):\n    for _ in range(12): x = np.sort(x)[::-1]\n"
            "    return x\nf(np.random.rand(40000))\n")
    err = run(*WARMING, "--explain", script(text))[2]
    assert "not warm yet" in err


def test_a_loop_that_ends_soon_is_told(script):
    text = ("import numpy as np\ndef f(n):\n    x = np.ones(1000)\n    for _ in range(n):\n"
            "        x = np.sqrt(x + 1)\n    return x\nf(100_000)\n")
    err = run(*PREFIX, "--explain", script(text))[2]
    assert "f: " in err and "its loop was expected to end before compiling" in err


def spin(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def looked_at(function):
    looking = Looking()
    looking.begin()
    try:
        function()
    finally:
        looking.end()
    return looking


def test_time_is_that_of_the_users_function():
    def idle():
        time.sleep(0.05)

    def program():
        idle()
        spin(0.4)

    found = {ran.code.co_name: ran for ran in looked_at(program).functions.values()}
    assert found["spin"].seconds > 0.1
    assert found["spin"].line in (spin.__code__.co_firstlineno + 2,
                                  spin.__code__.co_firstlineno + 3)
    assert "idle" not in found or found["idle"].seconds < found["spin"].seconds


def test_compiled_code_counts_for_nobody():
    compiled, x = dl.compile(lambda x: np.exp(np.exp(-x)) + np.tanh(x)), np.ones(2_000_000)
    compiled(x)

    def program():
        end = time.monotonic() + 0.1
        while time.monotonic() < end:
            compiled(x)

    functions = looked_at(program).functions.values()
    assert all(ran.seconds < 0.05 for ran in functions if ran.code is program.__code__)


def test_threads_are_looked_at():
    def program():
        threads = [threading.Thread(target=spin, args=(0.3,)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    found = {ran.code.co_name for ran in looked_at(program).functions.values()}
    assert "spin" in found


def test_the_reason_of_a_compiled_function_is_its_record():
    def broken(x):
        print(end="")
        return x + 1

    dl.compile(broken)(np.ones(3))
    ran = Ran(broken.__code__, 0.5)
    ran.lines[broken.__code__.co_firstlineno + 1] += 1
    reason, remedy = why_in_python(ran, registry.records, {})
    assert reason.startswith("broke at ") and remedy is not None
    shown = str(table([ran], registry.records, {}))
    assert "broken" in shown and "500 ms in Python" in shown and "remedy: " in shown


def test_without_a_record_it_is_what_was_found_when_it_was_called():
    code = spin.__code__
    assert why_in_python(Ran(code), [], {place_of(code): "because"}) == ("because", None)
    assert why_in_python(Ran(code), [], {}) == (in_python.UNKNOWN, None)


def test_code_of_this_package_counts_for_no_function_of_the_users():
    """Also where folders of it lie beside it, as in its source tree."""
    for module in (dl.config, sources, registry_of_backends):
        file = sys.modules[getattr(module, "__name__", type(module).__module__)].__file__
        assert is_not_users(file)
    assert not is_not_users(__file__)


def test_functions_of_one_reason_are_told_together(script):
    text = "".join(f"def f{i}(x): return x + {i}\n" for i in range(9))
    calls = "for f in (" + "".join(f"f{i}, " for i in range(9)) + "): f(np.ones(3))\n"
    err = run(*WARMING, "--explain", script(f"import numpy as np\n{text}{calls}"))[2]
    (line,) = (line for line in err.splitlines() if "less than 20 ms" in line)
    assert all(f"f{i} (" in line for i in range(6)) and "and 3 more: Python runs them" in line
