"""The tour shows what the compiler prints."""
import importlib.util
import inspect
import platform
import re
import sys
from pathlib import Path

import pytest

PATH = Path(__file__).resolve().parents[2] / "docs" / "tour.py"
spec = importlib.util.spec_from_file_location("tour", PATH)
tour = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tour)
WRITTEN_ON = sys.version_info[:2] == (3, 11) and platform.machine() == "x86_64"


@pytest.mark.skipif(platform.machine() != "x86_64", reason="code for x86-64 is shown")
def test_the_tour_is_up_to_date():
    page, text = tour.page(), tour.PAGE.read_text()
    if WRITTEN_ON:
        assert page == text, "run python docs/tour.py"
    assert re.findall("^#.*", page, re.M) == re.findall("^#.*", text, re.M)


@pytest.mark.parametrize("function", [tour.softmax, tour.logged])
def test_the_functions_are_those_on_the_page(function):
    assert inspect.getsource(function) in tour.TEXT
