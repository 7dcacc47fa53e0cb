"""`dl.explain(f, try_remedies=True)` applies remedies, and says whether they helped."""
import importlib

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.base.remedies import REMEDIES
from dynamo_lite.runtime.trials import APPLIED

X = np.arange(6.0)


def trials(function, *arguments):
    return dl.explain(function, try_remedies=True)(*arguments).trials


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("function", "argument", "id"), [
    (lambda x: 1 / x + 1, X, "divide"),
    (lambda x: np.sqrt(x - 3) + 1, X, "invalid"),
    (lambda x: np.exp(x * 1000) + 1, X, "overflow"),
    (lambda x: (x + 1).T * 2, np.ones((2, 2)).view(np.matrix), "subclasses"),
    (lambda x: (x + 1).sum(), np.ma.array([1.0, 2.0], mask=[0, 1]), "masked-arrays"),
    (lambda x: (x + 1) * 2, X.astype(">f8"), "byte-order"),
    (lambda x: (x + 1) * 2, X.astype(object), "object-arrays"),
])
def test_a_remedy_is_applied_and_helps(function, argument, id):
    (trial,) = [trial for trial in trials(function, argument) if trial.remedy.id == id]
    assert trial.helped, str(trial)
    assert trial.after.costs < trial.before.costs and trial.after.coverage == 1.0
    assert " helps: 0 breaks and bail-outs, 100% compiled, " in str(trial)


def test_one_that_does_not_help_is_said_not_to():
    """The other reason is still there."""
    def divided(x):
        return sum(1 / x, start=np.linalg.eig(np.eye(2))[0].sum())

    with pytest.warns(RuntimeWarning):
        found = trials(divided, X)
    assert all(trial.after.coverage <= 1.0 for trial in found)
    assert all("instead of" in str(trial) for trial in found)


def test_arguments_are_copied_and_what_they_were_is_tried():
    def halved(x):
        x[0] -= 1
        return 1 / x

    x = np.array([2.0, 0.0])
    with pytest.warns(RuntimeWarning):
        (trial,) = trials(halved, x)
    assert trial.helped and x.tolist() == [1.0, 0.0]


def test_nothing_is_called_again_unless_asked_for():
    seen = []

    @dl.disable
    def note():
        seen.append(1)

    def noting(x):
        note()
        return x + 1

    dl.explain(noting)(X)
    assert len(seen) == 1
    assert dl.explain(noting, try_remedies=True)(X).trials == () and len(seen) == 2


def test_explanations_tell_of_them():
    with pytest.warns(RuntimeWarning):
        explained = dl.explain(lambda x: 1 / x, try_remedies=True, backend="llvm")(X)
    assert "tried: np.errstate(divide='ignore') helps" in str(explained)
    assert "tried: np.errstate(divide=" in explained._repr_html_()


def test_what_can_be_applied_are_remedies():
    assert APPLIED.keys() <= {remedy.id for remedy in REMEDIES}


def test_arguments_that_cannot_be_copied_are_not_tried(tmp_path):
    def divided(x, file):
        return 1 / x

    with open(tmp_path / "f", "w") as file, pytest.warns(RuntimeWarning):
        assert trials(divided, X, file) == ()


def test_a_remedy_that_the_program_does_not_take_is_none():
    class Own(np.ndarray):
        extra = 1

    def reads(x):
        return x.extra + (x + 1).T.sum() * 2

    assert not [trial for trial in trials(reads, X.view(Own)) if trial.remedy.id == "subclasses"]


def test_what_else_the_program_raises_is_raised():
    calls = []

    @dl.disable
    def note():
        calls.append(1)
        if len(calls) > 2:
            raise OSError("no room left")

    def noting(x):
        note()
        return 1 / x

    with pytest.raises(OSError, match="no room left"), np.errstate(all="ignore"):
        dl.explain(noting, try_remedies=True)(X.astype(object) + 1)


def test_the_call_before_is_called_again_where_its_variant_did_not_do():
    explain = dl.explain(lambda x, k: x * k + 1, try_remedies=True)
    assert explain(X, 2.0).trials == explain(X + 1, 2.0).trials == ()
    explained = explain(X[:5], 2.0)
    (failure,), (trial,) = explained.recompiled, explained.trials
    assert "x: shape[0] 5, was 6 when compiled" in failure.reason and trial.helped
    assert "dl.mark_dynamic of the sizes that differ helps: 0 breaks" in str(explained)
    assert (trial.before.recompiles, trial.after.recompiles) == (1, 0)
    assert "compiled again at " in str(explained) and explain(X[:4], 2.0).recompiled == ()


def test_a_function_of_a_library_is_left_to_python(tmp_path, monkeypatch):
    """With `dl.disable`, as long as it is tried."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "goods.py").write_text("def shown(x):\n    for _ in range(3):\n        x = x + 1\n"
                                     "        print(end='')\n    return x\n")
    monkeypatch.syspath_prepend(folder)
    goods = importlib.import_module("goods")
    (trial,) = trials(lambda x: goods.shown(x) * 2, X)
    assert trial.helped and trial.what == "dl.disable of goods.shown" and not vars(goods.shown)
