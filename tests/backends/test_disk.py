"""Files of compiled code: what is removed when there are too many of them."""
import os
import subprocess
import sys

import pytest
from dynamo_lite.backends import disk

from dynamo_lite.base.config import config


@pytest.fixture(autouse=True)
def folder(tmp_path):
    with config.patch(cache=True, cache_dir=str(tmp_path), cache_size_limit=10_000):
        disk._growth.written = None
        yield tmp_path


def write(name, age=0.0, size=1000):
    disk.write(name, name.encode() + bytes(size - disk.HEADER - len(name)))
    path = disk.directory() / name
    if path.exists():
        os.utime(path, ns=(2_000_000_000_000 - int(age * 1e9),) * 2)


def kept():
    root = disk.directory()
    found = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
    return found - {disk.LOOKED}


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
    assert len(kept()) == 9 and not any(name.endswith(".lock") for name in kept())


def test_what_a_crash_left_behind_goes_too():
    (disk.directory() / "9.o.123.4.tmp").write_bytes(bytes(9000))
    os.utime(disk.directory() / "9.o.123.4.tmp", (1, 1))
    for k in range(3):
        write(f"{k}.o")
    assert kept() == {"0.o", "1.o", "2.o"}


@pytest.mark.parametrize("age, makes_room", [(0, False), (2 * disk.PATIENCE, True)])
def test_the_lock_of_another_process(age, makes_room, folder):
    lock = folder / "eviction.lock"
    lock.touch()
    os.utime(lock, (lock.stat().st_mtime - age,) * 2)
    for k in range(12):
        write(f"{k}.o", age=100 - k)
    assert (len(kept() - {"eviction.lock"}) < 12) == makes_room
    assert lock.exists() != makes_room


@pytest.mark.parametrize(("age", "makes_room"), [
    (0, False), (2 * disk.OFTEN, True), (-2 * disk.OFTEN, True),
])
def test_processes_count_the_files_now_and_then(age, makes_room, folder):
    """They do not all go through the same files again; a clock may have been wrong."""
    with config.patch(cache_size_limit=1 << 30):
        for k in range(12):
            write(f"{k}.o", age=k)
    (folder / disk.LOOKED).touch()
    os.utime(folder / disk.LOOKED, ((folder / disk.LOOKED).stat().st_mtime - age,) * 2)
    disk._growth.written = None
    write("last.o", size=100)
    assert (len(kept()) < 13) == makes_room


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
    environment = {**os.environ, "DYNAMO_CACHE_DIR": str(folder), "DYNAMO_CACHE_SIZE_LIMIT": "9000"}
    running = [
        subprocess.Popen([sys.executable, "-c", program, str(k)], env=environment) for k in range(3)
    ]
    assert [process.wait() for process in running] == [0, 0, 0]
    disk.evict(folder, 9000)
    assert sum((folder / name).stat().st_size for name in kept()) <= 9000
    assert not any(name.endswith((".tmp", ".lock")) for name in kept())
