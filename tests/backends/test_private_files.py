"""What others could have written is neither read nor run; programs run whatever the folder is."""
import ctypes
import json
import os
import resource
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from dynamo_lite.backends import disk

from dynamo_lite.base import private_files
from dynamo_lite.base.config import config

PROGRAM = """
import json, sys
import numpy as np
import dynamo_lite as dl

def five_operations(a, b):
    return (a + b) * a - b / 2.0

a, b = np.linspace(1, 2, 20).reshape(2, 10)
for _ in range(3):
    assert np.array_equal(dl.compile(five_operations)(a, b), five_operations(a, b))
print(json.dumps("dynamo_lite.backends.llvm.generate" in sys.modules))
"""
SOMEONE = 65534
PR_CAPBSET_DROP, DAC_OVERRIDE, DAC_READ_SEARCH = 24, 1, 2
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


def run(folder, **options):
    """Whether a program with that cache folder had to compile, and what it said of it."""
    environment = {**os.environ, "DYNAMO_CACHE_DIR": str(folder), "DYNAMO_STRICT": "1"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, check=True,
                          capture_output=True, text=True, **options)
    return json.loads(done.stdout), done.stderr.splitlines()


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    folder = tmp_path_factory.mktemp("original") / "cache"
    assert run(folder) == (True, [])
    assert run(folder) == (False, [])
    return folder


@pytest.fixture
def filled(original, tmp_path):
    return shutil.copytree(original, tmp_path / "cache")


def test_folders_and_files_are_for_this_user_alone(filled):
    for path in (filled, *filled.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def opened_up(path):
    path.chmod(path.stat().st_mode | 0o002)


def given_away(path):
    os.chown(path, SOMEONE, SOMEONE)


def linked(path):
    """The same file or folder by a symbolic link."""
    aside = path.with_name(path.name + ".aside")
    path.rename(aside)
    path.symlink_to(aside)


@pytest.mark.parametrize("change", [opened_up, pytest.param(given_away, marks=as_root), linked])
@pytest.mark.parametrize("which", ["file", "kind", "version", "home"])
def test_what_others_could_have_written_is_not_read(filled, which, change):
    version = filled / disk.FORMAT
    kinds = [path for path in version.iterdir() if path.is_dir()]
    paths = {"file": [p for p in version.rglob("*") if p.suffix in (".o", ".bin")], "kind": kinds,
             "version": [version], "home": [filled]}[which]
    for path in paths:
        change(path)
    compiles, lines = run(filled)
    if which == "home" and change is linked:  # a link of this user's on the way
        assert (compiles, lines) == (False, [])
        return
    assert compiles
    assert 1 <= len(lines) <= len(paths)
    assert all("compiled code is not kept on disk" in line for line in lines)


@as_root
def test_links_of_others_are_not_followed(filled, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(filled)
    assert run(link) == (False, [])
    os.chown(link, SOMEONE, SOMEONE, follow_symlinks=False)
    compiles, (line,) = run(link)
    assert compiles and "is a symbolic link of user 65534" in line


def test_links_that_go_round(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    compiles, (line,) = run(tmp_path / "a")
    assert compiles and "not kept" in line


def test_links_within_a_path(filled, tmp_path):
    (tmp_path / "here").symlink_to("cache/../cache")
    (tmp_path / "there").symlink_to(filled)
    for name in "here", "there":
        with private_files.opened(str(tmp_path / name / disk.FORMAT)) as folder:
            assert os.path.samestat(os.fstat(folder), (filled / disk.FORMAT).stat())


@pytest.mark.parametrize("mode, is_read", [(0o1777, True), (0o777, False), (0o755, True)])
def test_folders_on_the_way(filled, mode, is_read):
    """In a sticky one only owners may put another thing in the place of theirs."""
    filled.parent.chmod(mode)
    compiles, lines = run(filled)
    assert compiles != is_read and len(lines) == (not is_read)


@as_root
def test_a_folder_on_the_way_that_is_another_users(filled):
    os.chown(filled.parent, SOMEONE, SOMEONE)
    compiles, (line,) = run(filled)
    assert compiles and f"{filled.parent} belongs to user 65534" in line


@as_root
def test_the_folder_of_another_user(filled):
    """Somebody else made it first, in a place that all may write to."""
    for path in (filled, *filled.rglob("*")):
        os.chown(path, SOMEONE, SOMEONE)
    compiles, (line,) = run(filled)
    assert compiles and "belongs to user 65534" in line


def swapped(paths):
    first, second = (path.read_bytes() for path in paths)
    paths[0].write_bytes(second)
    paths[1].write_bytes(first)


DAMAGE = {
    "empty": lambda path: path.write_bytes(b""),
    "torn": lambda path: path.write_bytes(path.read_bytes()[:-100]),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"?"),
    "changed": lambda path: path.write_bytes(path.read_bytes()[:-1] + b"?"),
    "another format": lambda path: path.write_bytes(b"NEWFORMAT" + path.read_bytes()),
    "a folder": lambda path: (path.unlink(), path.mkdir(0o700)),
    "a pipe": lambda path: (path.unlink(), os.mkfifo(path, 0o600)),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_files(filled, name):
    for path in [p for p in filled.rglob("*") if p.suffix in (".o", ".bin")]:
        DAMAGE[name](path)
    compiles, lines = run(filled)
    assert compiles and (lines == []) == (name not in ("a folder", "a pipe"))
    if lines == []:
        assert run(filled) == (False, [])


def test_files_under_each_others_names(tmp_path):
    with config.patch(cache=True, cache_dir=str(tmp_path)):
        for name in "ab":
            disk.write(f"llvm/{name}.o", name.encode() * 10)
        swapped([disk.directory() / f"llvm/{name}.o" for name in "ab"])
        assert disk.read("llvm/a.o") is None and disk.read("llvm/b.o") is None


def test_files_of_a_newer_version_stay(filled):
    newer = filled / "v2"
    (filled / disk.FORMAT).rename(newer)
    before = {path: path.stat().st_mtime_ns for path in newer.rglob("*")}
    assert run(filled) == (True, [])
    assert run(filled) == (False, [])
    assert {path: path.stat().st_mtime_ns for path in newer.rglob("*")} == before


def limited():
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


def test_no_room(tmp_path):
    """Files cannot grow: as on a disk that is full, one line says so, and nothing is left over."""
    compiles, (line,) = run(tmp_path / "cache", preexec_fn=limited)
    assert compiles and "File too large" in line
    assert not [p for p in (tmp_path / "cache").rglob("*") if p.suffix in (".tmp", ".o", ".bin")]


def test_a_disk_that_is_full(tmp_path):
    """On a file system of one page, where one may be mounted."""
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k,mode=700", "none", small],
                             capture_output=True)
    if mounted.returncode:
        pytest.skip("no file system may be mounted")
    try:
        compiles, (line,) = run(small)
        assert compiles and "No space left on device" in line
    finally:
        subprocess.run(["umount", small], check=True)


def without_privileges():
    """Root is bound by modes like everybody else."""
    for capability in DAC_OVERRIDE, DAC_READ_SEARCH:
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="capabilities are Linux's")
@pytest.mark.parametrize("mode", [0o500, 0o300, 0o000])
def test_folders_that_cannot_be_written_or_read(tmp_path, mode):
    folder = tmp_path / "cache"
    folder.mkdir(mode)
    compiles, (line,) = run(folder, preexec_fn=without_privileges)
    assert compiles and "Permission denied" in line


@pytest.mark.skipif(sys.platform != "linux", reason="capabilities are Linux's")
@pytest.mark.parametrize("what, mode, compiles", [("home", 0o500, False), ("file", 0o000, True)])
def test_caches_that_may_be_read_in_part(filled, what, mode, compiles):
    found = [filled, filled / disk.FORMAT] if what == "home" else [
        path for path in filled.rglob("*") if path.is_file()]
    for path in found:
        path.chmod(mode)
    assert run(filled, preexec_fn=without_privileges)[0] == compiles


@pytest.mark.parametrize("folder", ["/dev/null", "/dev/null/cache", "/proc/cache", "/"])
def test_no_folder_at_all(folder):
    compiles, lines = run(folder)
    if folder == "/" and lines == []:  # root may
        pytest.skip("the root folder may be written")
    assert compiles and len(lines) == 1


def test_users_without_a_home(tmp_path):
    environment = {k: v for k, v in os.environ.items()
                   if k not in ("DYNAMO_CACHE_DIR", "HOME", "XDG_CACHE_HOME")}
    for home in ({"HOME": "/dev/null"}, {"XDG_CACHE_HOME": "relative"}):
        done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment | home,
                              cwd=tmp_path, check=True, capture_output=True, text=True)
        assert len(done.stderr.splitlines()) <= 1
    assert not list(Path(tmp_path).iterdir())


def test_two_processes_at_once(tmp_path):
    environment = {**os.environ, "DYNAMO_CACHE_DIR": str(tmp_path / "cache")}
    running = [subprocess.Popen([sys.executable, "-c", PROGRAM], env=environment, stderr=-1,
                                stdout=-1, text=True) for _ in range(3)]
    for process in running:
        assert process.communicate()[1] == "" and process.returncode == 0
    assert run(tmp_path / "cache") == (False, [])


def command(folder, *words):
    environment = {**os.environ, "DYNAMO_CACHE_DIR": str(folder)}
    done = subprocess.run([sys.executable, "-m", "dynamo_lite", "cache", *words],
                          env=environment, capture_output=True, text=True)
    return done.stdout + done.stderr


def test_the_command_line(filled):
    (filled / "v2").mkdir()
    (filled / "v2/graphs").mkdir(0o700)
    (filled / "v2/graphs/a.bin").write_bytes(bytes(3000))
    listed = command(filled)
    assert str(filled) in listed and "1.0 GiB" in listed
    assert "v1       compiled graphs           1" in listed
    assert "v2       compiled graphs           1        2.9 KiB" in listed
    assert "had not been compiled before" in command(filled, "explain")
    assert "files removed" in command(filled, "clear")
    assert not [path for path in filled.rglob("*") if path.suffix in (".o", ".bin")]
    assert "no graph was compiled" in command(filled, "explain")
    opened_up(filled)
    assert "the cache on disk is off: others may write to" in command(filled)
    assert "nothing is kept: others may write to" in command(filled, "explain")


def test_why_a_graph_was_not_found(filled):
    environment = {**os.environ, "DYNAMO_CACHE_DIR": str(filled)}
    other = "import numpy; numpy.__version__ += '+another'\n"
    subprocess.run([sys.executable, "-c", other + PROGRAM], env=environment, check=True)
    assert "compiled before, with another NumPy" in command(filled, "explain")


def test_importing_imports_no_library_of_the_cache(tmp_path):
    program = PROGRAM + "print(json.dumps([m for m in ('platformdirs', 'filelock') "
    program += "if m in sys.modules]))"
    environment = {**os.environ, "DYNAMO_CACHE_DIR": str(tmp_path)}
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", program], env=environment, check=True,
                              capture_output=True, text=True)
        assert done.stdout.splitlines()[-1] == "[]"
