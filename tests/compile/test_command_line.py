"""What is known of the command line without its parser is what the parser says."""
import io
import sys
import zipfile

import pytest

if sys.version_info >= (3, 14):
    pytest.skip("regions are not available", allow_module_level=True)

from dynamo_lite.script import options, parser
from dynamo_lite.script.running import ARCHIVE_END, is_archive


def test_a_program_without_options_is_run_with_the_defaults():
    assert options.DEFAULTS == vars(parser.parser().parse_args([]))
    for argv, kind in (["p.py", "--stats"], ""), (["-m", "p"], "-m"), (["-c", "1"], "-c"):
        found, seen, program = options.read(argv)
        assert (vars(found), seen) == (dict(options.DEFAULTS), kind) and program
    assert options.read(["--stats", "p.py"])[0].stats


def test_options_alone_are_no_program(capsys):
    for argv in [], ["--stats"]:
        with pytest.raises(SystemExit):
            options.read(argv)
        assert "a program is needed" in capsys.readouterr().err


@pytest.mark.parametrize("before, comment, is_one", [
    (b"", b"", True), (b"#!/usr/bin/env python\n", b"", True),
    (b"x" * 2 * ARCHIVE_END, b"c" * 0xFFFF, True), (b"'PK\x05\x06'\n", None, False),
    (b"", None, False), (b"x" * 100, None, False),
])  # fmt: skip
def test_archives_are_known_as_python_knows_them(tmp_path, before, comment, is_one):
    after = io.BytesIO()
    if comment is not None:
        with zipfile.ZipFile(after, "w") as archive:
            archive.writestr("__main__.py", "print(1)")
            archive.comment = comment
    path = tmp_path / "program"
    path.write_bytes(before + after.getvalue())
    assert is_archive(str(path)) is zipfile.is_zipfile(path) is is_one
    assert not is_archive(str(tmp_path)) and not is_archive(str(tmp_path / "none"))
