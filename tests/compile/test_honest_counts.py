"""Shares and counts are those of the calls that really ran compiled."""
import sys
import warnings

import numpy as np
import pytest

import dynamo_lite as dl

X = np.arange(4.0)


def longer(x, text):
    return x * 2 + len(text)


def test_calls_that_no_variant_fits_count():
    compiled = dl.compile(longer, backend="eager", dynamic=False, options={"recompile_limit": 1})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled(X, "a")
        for n in range(2, 5):
            compiled(X, "a" * n)
    assert compiled.unfit == 3 and dl.stats().coverage == 1 / 4
    state = dl.why(compiled)
    assert (state.limit, state.coverage) == (1, 1 / 4) and "25.0%" in str(state)
    assert any(cost.times == 3 and "none of the variants" in cost.reason for cost in state.costs)
    dl.reset()
    assert compiled.unfit == 0


def numbers(x):
    yield x * 2


def test_a_generator_is_not_compiled():
    compiled = dl.compile(numbers)
    list(compiled(X))
    assert dl.stats().coverage == 0.0 and dl.why(compiled).in_python
    explanation = dl.explain(numbers)(X)
    assert explanation.coverage == 0.0 and "runs in Python: generators" in str(explanation)


def test_what_is_disabled_is_not_compiled():
    assert "nothing of it is compiled" in str(dl.explain(dl.disable(longer))(X, "a"))


def test_calls_under_a_debugger_count():
    compiled = dl.compile(longer, backend="eager")
    compiled(X, "a")
    sys.settrace(lambda *event: None)
    try:
        compiled(X, "a")
    finally:
        sys.settrace(None)
    assert dl.stats().coverage == 1 / 2


def test_calls_in_a_stance_count():
    compiled = dl.compile(longer, backend="eager")
    compiled(X, "a")
    with dl.set_stance("force_eager"):
        compiled(X, "a")
    assert dl.stats().coverage == pytest.approx(1 / 2)


def test_nothing_compiled_is_not_all_of_it():
    def printed(x):
        print(end="")
        return x

    assert dl.explain(printed)(X).coverage == 0.0 and dl.stats().coverage == 0.0


def masked(x):
    return np.ma.masked_array(x, x > 1).mean()


def shown(x):
    return np.array2string(x * 2)


def sorted_values(x):
    return sorted(x * 2)


def printed_values(x):
    print(x * 2, end="")
    return x + 1


@pytest.mark.parametrize(("function", "share"), [
    (masked, 1 / 3), (shown, 1 / 2), (sorted_values, 1 / 2), (printed_values, 1)])
def test_calls_of_libraries_that_work_on_arrays_count(function, share, capsys):
    assert dl.explain(function)(X).coverage == pytest.approx(share)


def test_few_calls_compiled_are_a_small_share():
    compiled = dl.compile(longer, backend="eager")
    compiled(X, "a")
    for _ in range(7):
        compiled(X, "a")
    with dl.set_stance("force_eager"):
        for _ in range(992):
            compiled(X, "a")
    assert dl.stats().coverage == 8 / 1000
    assert "0.8%" in str(dl.stats())
