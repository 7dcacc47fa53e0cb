"""The glossary names files that exist and that use the term; its terms are sorted."""
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| (?P<term>[^|]+) \| (?P<meaning>[^|]+) \| `(?P<file>[^|`]+)` \|$", re.M)
TEXT = (ROOT / "docs" / "glossary.md").read_text()
ROWS = [match.group("term", "file") for match in ROW.finditer(TEXT)]


def test_terms_are_sorted_and_every_row_is_read():
    terms = [term for term, _ in ROWS]
    assert terms == sorted({*terms}) and len(terms) == TEXT.count("\n| ") - 1


@pytest.mark.parametrize("term, file", ROWS)
def test_the_file_uses_the_term(term, file):
    text = file + (ROOT / file).read_text().lower()
    assert re.search(r"[\s_-]*".join(map(spelled, re.split("[ -]", term))), text)


def spelled(word):
    """A word with any ending: alias, aliases; materialise, materialised."""
    return re.escape(word.removesuffix("e").removesuffix("ing").removesuffix("ion")) + r"\w*"
