"""Every setting at its extremes: nothing that one may be raises into a program, and what it may not
be is refused where it is set. The tests are made of the fields of `Config`."""
import contextlib
import math
import os
import subprocess
import sys
import warnings
from dataclasses import fields

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.base.config import Config, read_environment
from dynamo_lite.runtime.compile import OF_THE_PROCESS

FIELDS = {field.name: type(field.default) for field in fields(Config)}
VALUES = {
    bool: [True, False],
    int: [0, 1, 2**31, 2**63, 2**100],
    float: [0, 0.0, 1, 1e-300, 1e308, 2**2000, math.inf],
    str: ["", "garbage ünï", "/nonexistent/folder", os.devnull, "a" * 5000, "\udc80"],
}
"""What the settings of a type may be; some of them refuse some of it themselves."""
WRONG = {
    bool: [0, 1, "1", None, 0.0],
    int: [True, 1.5, "8", None, -1, -(2**100), math.inf],
    float: [True, "1", None, -1, -1e-300, math.nan, -math.inf],
    str: [3, None, b"x", True, "\0"],
}
TEXTS = {
    bool: ["", "1", "off", "maybe", "2", "-1"],
    int: ["", "0", "1", "8 GB", "-1", "1e3", "nan", "inf", "9" * 5000, "x" * 100, "٣"],
    float: ["", "0", "-1", "nan", "inf", "-inf", "1e999", "20s", "x", "1,5"],
    str: ["", "garbage", "/nonexistent/folder", os.devnull, "a" * 5000],
}


def rows(values):
    """A row for each setting and value; what `validate` finds, it raises, or that z3 is missing."""
    return [pytest.param(name, value, id=f"{name}={str(value)[:20]!r}")
            for name, kind in FIELDS.items() for value in values[kind]
            if (name, value) != ("validate", True)]


def program(x, count):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0.5 or x[i] < -2:
            total += x[i]
    for k in range(count):
        x = x + k
    return np.sqrt(x * x).sum() + total, x


def check_program(options=None):
    compiled = dl.compile(program, backend="auto", options=options)
    for count, size in ((2, 5), (3, 5), (4, 6), (2, 7), (2, 5)):
        x = np.linspace(-1, 1, size)
        np.testing.assert_equal(compiled(x, count), program(x, count))


@pytest.fixture(autouse=True)
def fresh(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    dl.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dl.errors.DynamoWarning)
        yield


REFUSED = (ValueError, dl.errors.DynamoError)


@pytest.mark.parametrize(("name", "value"), rows(VALUES))
def test_a_program_runs_whatever_a_setting_is(name, value):
    before = repr(dl.config)
    with contextlib.ExitStack() as settings:
        settings.enter_context(dl.config.patch(strict=False))
        try:
            settings.enter_context(dl.config.patch(**{name: value}))
        except REFUSED as refused:
            assert str(refused)
        else:
            check_program()
    assert repr(dl.config) == before


@pytest.mark.parametrize(("name", "value"), rows(VALUES))
def test_a_program_runs_whatever_an_option_is(name, value):
    try:
        dl.compile(program, options={name: value})
    except REFUSED as refused:
        assert name in OF_THE_PROCESS or str(refused)
        return
    with dl.config.patch(strict=False):
        check_program({name: value})


@pytest.mark.parametrize(("name", "value"), rows(WRONG))
def test_what_a_setting_cannot_be_is_refused(name, value):
    before = getattr(dl.config, name)
    with pytest.raises((TypeError, ValueError), match=name):
        setattr(dl.config, name, value)
    with pytest.raises((TypeError, ValueError), match=name), dl.config.patch(**{name: value}):
        raise AssertionError
    with pytest.raises((TypeError, ValueError), match=name):
        dl.compile(program, options={name: value})
    assert getattr(dl.config, name) == before


@pytest.mark.parametrize(("name", "text"), rows(TEXTS))
def test_a_variable_that_makes_no_sense_is_named_in_one_line(name, text, capsys):
    variable = f"DYNAMO_{name.upper()}"
    found = read_environment({variable: text})
    said = capsys.readouterr().err
    assert said.count("\n") <= 1
    assert [field for field in FIELDS if getattr(found, field) != getattr(Config(), field)] in (
        [], [name]
    )
    if said:
        assert found == Config()
        assert said.startswith(f"dynamo_lite ignores {variable}={text!r}: ")
        right = said.rpartition(f"as in {variable}=")[2].strip()
        read_environment({variable: right})
        assert capsys.readouterr().err == ""


def test_the_nearest_right_form_is_given(capsys):
    for text, right in (("-1", "0"), ("1e3", "1000"), ("8 GB", "8"), ("many", "8"), ("2.5", "2")):
        read_environment({"DYNAMO_RECOMPILE_LIMIT": text})
        assert capsys.readouterr().err.endswith(f"as in DYNAMO_RECOMPILE_LIMIT={right}\n")
    for text, right in (("30s", "30"), ("-inf", "20"), ("nan", "20"), ("-0.5", "0")):
        read_environment({"DYNAMO_TRACE_SECONDS": text})
        assert capsys.readouterr().err.endswith(f"as in DYNAMO_TRACE_SECONDS={right}\n")


def test_settings_that_are_refused_together_change_nothing():
    before = repr(dl.config), dl.native.get_num_threads()
    with pytest.raises(ValueError, match="artifact"):
        dl.config.update(threads=1, logs="no such", strict=True)
    assert (repr(dl.config), dl.native.get_num_threads()) == before


SCRIPT = """
import numpy as np
def f(x): return np.sqrt(x) + 1
total = 0.0
for i in range(300): total += f(np.ones(2000) * i).sum()
print(total)
"""
OF_SCRIPTS = [
    {"COMPILE_SHARE": "0", "WARM_SECONDS": "0"}, {"COMPILE_SHARE": "0"},
    {"COMPILE_SHARE": "1e-300", "WARM_SECONDS": "1e-300"}, {"WARM_SECONDS": "inf"},
    {"WARM_SECONDS": "1e308", "COMPILE_SHARE": "inf"},
    dict.fromkeys(map(str.upper, FIELDS), "garbage"),
    dict.fromkeys(map(str.upper, FIELDS), "-1"),
    {name.upper(): "0" for name, kind in FIELDS.items() if kind in (int, float)},
    {name.upper(): "9" * 30 for name, kind in FIELDS.items() if kind in (int, float)},
]


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="regions are not available")
@pytest.mark.parametrize("settings", OF_SCRIPTS)
def test_whole_scripts_run_whatever_the_settings_are(settings, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    environment = {**os.environ, **{f"DYNAMO_{name}": text for name, text in settings.items()}}
    expected = subprocess.run([sys.executable, script], capture_output=True, text=True)
    found = subprocess.run([sys.executable, "-m", "dynamo_lite", script], env=environment,
                           capture_output=True, text=True, cwd=tmp_path)
    assert (found.stdout, found.returncode) == (expected.stdout, 0), found.stderr
    assert "Traceback" not in found.stderr


def test_a_misspelt_setting_is_refused_where_it_is_named():
    with pytest.raises((AttributeError, ValueError), match="did you mean 'recompile_limit'"):
        dl.config.patch(recompile_limt=3)
