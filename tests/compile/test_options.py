"""What `compile` is asked for beside a backend: a mode, a name, a number of variants."""
import warnings

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.base import logs
from dynamo_lite.base.config import config

X = np.arange(5.0)
KEPT = []


def scaled(x, k=2):
    return x * k + 1


def outer(x, k=2):
    KEPT.append(k)
    y = x + 1
    return scaled(y, k)


@pytest.mark.parametrize("mode", ["reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs"])
def test_a_mode_without_effect_says_so(mode):
    with pytest.warns(dl.errors.DynamoWarning, match=f"mode='{mode}' changes nothing: ") as caught:
        compiled = dl.compile(scaled, mode=mode)
    assert [warning.filename for warning in caught] == [__file__]
    np.testing.assert_array_equal(compiled(X), scaled(X))


def test_the_default_mode_says_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dl.compile(scaled, mode="default")


def test_a_misspelt_mode_or_setting_gets_the_nearest():
    with pytest.raises(ValueError, match="did you mean 'max-autotune'"):
        dl.compile(scaled, mode="max-autotun")
    with pytest.raises(ValueError, match="did you mean 'unroll_budget'"):
        dl.compile(scaled, options={"unrol_budget": 3})
    with pytest.raises(dl.errors.BackendError, match="did you mean 'llvm'"):
        dl.compile(scaled, backend="lvm")


@pytest.mark.parametrize("made", [dl.compile, dl.explain])
def test_a_misspelt_keyword_gets_the_nearest(made):
    with pytest.raises(TypeError, match="'fulgraph'; did you mean 'fullgraph'"):
        made(scaled, fulgraph=True)


@pytest.mark.parametrize(("ask", "meant"), [
    (lambda: dl.complie, "compile"), (lambda: dl.config.recompile_limits, "recompile_limit"),
    (lambda: setattr(dl.config, "backend", "lvm"), "llvm"),
    (lambda: setattr(dl.config, "logs", "recompile"), "recompiles"),
    (lambda: dl.set_stance("force_eagr"), "force_eager")])
def test_misspelt_names_get_the_nearest(ask, meant):
    with pytest.raises((AttributeError, ValueError, dl.errors.BackendError),
                       match=f"did you mean '{meant}'"):
        ask()
    assert not hasattr(dl, "__wrapped__") and not hasattr(dl.config, "__wrapped__")


class Scaling:
    def __call__(self, x):
        return scaled(x)


def test_settings_are_a_mapping_and_unlike_names_are_not_taken_for_others():
    with pytest.raises(TypeError, match="options is a mapping of settings, not 3"):
        dl.compile(options=3)
    with pytest.raises(TypeError, match="'nopython'; there are backend, "):
        dl.compile(nopython=True)


def test_compiled_objects_say_how_they_stand():
    compiled = dl.compile(Scaling())
    compiled(X)
    state = dl.why(compiled)
    assert (state.name, state.variants, state.coverage) == ("Scaling.__call__", 1, 1)
    assert repr(compiled).startswith("<compiled <") and "Scaling" in repr(compiled)
    assert dl.explain(Scaling())(X).coverage == 1


def test_a_name_stands_for_the_function(capsys):
    compiled = dl.compile(outer, name="step", backend="eager")
    with config.patch(logs="dynamo,recompiles"):
        compiled(X)
        compiled(X, 2.5)
    said = capsys.readouterr().err
    assert "compiling step (" in said and "recompiling step (" in said
    assert dl.why(compiled).name == "step"
    assert "step" in str(dl.explain(outer, name="step")(X))
    with pytest.raises(TypeError, match="name is a text"):
        dl.compile(scaled, name=3)


def test_the_name_is_not_that_of_what_it_calls():
    def breaking(x):
        dl.graph_break()
        return inner(x) + 1

    @dl.compile
    def inner(x):
        dl.graph_break()
        return x * 2

    explained = dl.explain(breaking, name="whole")(X)
    names = {record.name for record in explained.records}
    assert names <= {"whole", inner.__qualname__} and "whole" in names


def test_a_function_may_have_its_own_limit():
    compiled = dl.compile(scaled, recompile_limit=2, backend="eager")
    with pytest.warns(dl.errors.DynamoWarning, match="has been compiled 2 times"):
        for k in (2, 2.5, True, "a"):
            try:
                compiled(X, k)
            except (TypeError, np.exceptions.DTypePromotionError):
                pass
    assert dl.why(compiled).limit == 2
    with pytest.raises(ValueError, match="given twice"):
        dl.compile(scaled, recompile_limit=2, options={"recompile_limit": 3})
    with pytest.raises(ValueError):
        dl.compile(scaled, recompile_limit=-1)


# -- log artifacts


def logged(artifacts, capsys, *calls, function=outer, **options):
    compiled = dl.compile(function, **options)
    with config.patch(logs=artifacts):
        for call in calls:
            compiled(*call)
    return capsys.readouterr().err


def test_each_variant_says_why_it_did_not_fit(capsys):
    said = logged("recompiles_verbose", capsys, (X, 2), (X, 2.5), (X, True), backend="eager")
    assert "[0/2] [recompiles_verbose] outer [0/0], 1 call:" in said
    assert "outer [0/1], 1 call:" in said and "remedy: " in said and "test_options.py" in said


def test_side_effects_are_told(capsys):
    assert "KEPT (a list) is appended to" in logged("side_effects", capsys, (X,), backend="eager")
    none = logged("side_effects", capsys, (X,), function=scaled, backend="eager")
    assert none.endswith("[side_effects] none\n")


def test_lines_are_told_as_they_are_traced(capsys):
    lines = logged("trace_source", capsys, (X,), backend="eager").splitlines()
    texts = [line.rpartition(": ")[2] for line in lines]
    own = ["KEPT.append(k)", "y = x + 1", "return scaled(y, k)"]
    assert [text for text in dict.fromkeys(texts) if "def " not in text] == [
        *own, "return x * k + 1"]
    inner = next(line for line in lines if "x * k" in line)
    assert "[trace_source]   /" in inner and inner.count("  ") == 1


def two_kernels(x):
    y = x * 2 + 1
    return np.sort(y), y - y.mean()


def test_kernels_and_their_order_are_told_also_with_a_warm_cache(capsys):
    for _ in range(2):
        said = logged("fusion,schedule", capsys, (np.ones((20, 30)),), function=two_kernels,
                      backend="llvm")
        assert "operations in " in said and "sort is a call of NumPy" in said
        order = [line for line in said.splitlines() if "[schedule]" in line]
        assert any("kernel kernel0" in line and "->" in line for line in order)
        assert any("call sort" in line for line in order)


def test_help_lists_the_artifacts(capsys):
    with config.patch(logs="help"):
        said = capsys.readouterr().err
    assert [line.split()[0] for line in said.splitlines()[1:]] == [*logs.ARTIFACTS]
    with pytest.raises(ValueError, match="did you mean 'side_effects'"):
        config.logs = "side_efects"
