"""Files of compiled code: what is removed when there are too many of them."""
import os
import subprocess
import sys
import time

import filelock
import pytest
from dynamo_lite.backends import disk, disk_space

from dynamo_lite.base import private_files
from dynamo_lite.base.config import config


@pytest.fixture(autouse=True)
def folder(tmp_path):
    with config.patch(cache=True, cache_dir=str(tmp_path), cache_size_limit=10_000):
        disk._growth.written = None
        yield tmp_path / disk.FORMAT


def write(name, age=0.0, size=1000):
    disk.write(name, name.encode() + bytes(size - disk.HEADER - len(name)))
    path = disk.directory() / name
    if path.exists():
        os.utime(path, ns=(2_000_000_000_000 - int(age * 1e9),) * 2)


def kept():
    root = disk.directory()
    found = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
    return found - {disk_space.LOOKED, disk_space.LOCK}


def test_those_not_used_for_longest_are_removed():
    for k in range(10):
        write(f"kernels/{k}.o", age=100 - k)
    assert disk.read("kernels/0.o") is not None  # from now on the youngest
    write("graphs/new.bin")
    assert "kernels/0.o" in kept() and "graphs/new.bin" in kept()
    assert {"kernels/1.o", "kernels/2.o"}.isdisjoint(kept())
    assert sum((disk.directory() / name).stat().st_size for name in kept()) <= 10_000


def test_nothing_is_removed_below_the_limit():
    for k in range(9):
        write(f"{k}.o", age=k)
    assert len(kept()) == 9


def test_what_a_crash_left_behind_goes_too(folder):
    write("0.o")
    (folder / "9.o.1234.tmp").write_bytes(bytes(9000))
    os.utime(folder / "9.o.1234.tmp", (1, 1))
    write("1.o")
    write("2.o")
    assert kept() == {"0.o", "1.o", "2.o"}


def test_nothing_else_is_removed(folder):
    """The folder that was chosen may have other files in it."""
    folder.mkdir(0o700)
    (folder.parent / "mine.txt").write_bytes(bytes(20_000))
    os.symlink(folder.parent / "mine.txt", folder / "link.o")
    for k in range(20):
        write(f"{k}.o", age=k)
    assert (folder.parent / "mine.txt").exists() and len(kept()) < 20


@pytest.mark.parametrize("is_held", [True, False])
def test_the_lock_of_another_process(is_held, folder):
    """A process that has died holds no lock, though its file is there."""
    folder.mkdir(0o700)
    lock = folder / disk_space.LOCK
    program = f"import filelock; lock = filelock.FileLock({str(lock)!r}); lock.acquire(); "
    program += "print('!', flush=True)"
    wait = "; input()" if is_held else "; import os; os._exit(1)"
    other = subprocess.Popen([sys.executable, "-c", program + wait], stdout=-1, stdin=-1)
    other.stdout.readline()
    if not is_held:
        other.wait()
    for k in range(12):
        write(f"{k}.o", age=100 - k)
    other.communicate(b"\n")
    assert (len(kept()) < 12) != is_held


@pytest.mark.parametrize(("age", "makes_room"), [
    (0, False), (2 * disk_space.OFTEN, True), (-2 * disk_space.OFTEN, True),
])
def test_processes_count_the_files_now_and_then(age, makes_room, folder):
    """They do not all go through the same files again; a clock may have been wrong."""
    with config.patch(cache_size_limit=1 << 30):
        for k in range(12):
            write(f"{k}.o", age=k)
    looked = folder / disk_space.LOOKED
    os.utime(looked, (time.time() - age,) * 2)
    disk._growth.written = None
    write("last.o", size=100)
    assert (len(kept()) < 13) == makes_room


def test_files_of_the_future_get_older_like_others(folder):
    """What was written while a clock was wrong does not stay for ever."""
    later = time.time_ns() + 10**18
    with config.patch(cache_size_limit=1 << 30):
        for k in range(12):
            write(f"{k}.o")
            os.utime(folder / f"{k}.o", ns=(later + k,) * 2)
    with private_files.opened(str(folder)) as opened:
        disk_space.evict(opened, str(folder), 10_000)
    assert 0 < len(kept()) < 12
    assert all((folder / name).stat().st_mtime_ns < later for name in kept())


def test_a_file_larger_than_the_limit_is_not_kept():
    write("huge.o", size=20_000)
    assert disk.read("huge.o") is None


def test_processes_share_a_directory(folder):
    program = """
import sys
from dynamo_lite.backends import disk
for k in range(200):
    name = f"{sys.argv[1]}/{k % 20}.o"
    disk.write(name, bytes(700))
    found = disk.read(name)
    assert found is None or found == bytes(700)
"""
    environment = {**os.environ, "DYNAMO_CACHE_DIR": str(folder.parent),
                   "DYNAMO_CACHE_SIZE_LIMIT": "9000"}
    running = [
        subprocess.Popen([sys.executable, "-c", program, str(k)], env=environment,
                         stderr=subprocess.PIPE, text=True) for k in range(3)
    ]
    assert [process.communicate()[1] for process in running] == ["", "", ""]
    with private_files.opened(str(folder)) as opened:
        disk_space.evict(opened, str(folder), 9000)
    assert sum((folder / name).stat().st_size for name in kept()) <= 9000
    assert not any(name.endswith(".tmp") for name in kept())


def test_a_process_that_is_killed_leaves_whole_files(folder):
    program = """
from dynamo_lite.backends import disk
print("!", flush=True)
while True:
    for k in range(20):
        disk.write(f"{k}.o", bytes([k]) * 300_000)
"""
    environment = {**os.environ, "DYNAMO_CACHE_DIR": str(folder.parent)}
    for delay in (0.01, 0.05, 0.1):
        process = subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=-1)
        process.stdout.readline()
        time.sleep(delay)
        process.kill()
        process.communicate()
        for k in range(20):
            assert disk.read(f"{k}.o") in (None, bytes([k]) * 300_000)


def test_a_lock_that_cannot_be_taken_is_no_error(folder, monkeypatch):
    def refused(*args, **options):
        raise OSError("no locks on this file system")

    monkeypatch.setattr(filelock, "FileLock", refused)
    for k in range(12):
        write(f"{k}.o", age=k)
    assert len(kept()) == 12
