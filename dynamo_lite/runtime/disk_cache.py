"""`python -m dynamo_lite cache [list | explain | clear]`: what lies in the cache on disk."""
from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from ..backends import disk, disk_space
from ..backends.disk_space import File
from ..backends.llvm.objects import graph_cache
from ..base import private_files
from ..base.counting import counted
from ..base.tables import Table, show

LAST = "the graph that was used last"
KINDS = {"entries": "compiled functions", "graphs": "compiled graphs",
         "llvm": "machine code by its text", "triton": "GPU kernels",
         "machine": "limits of this machine"}


def main(argv: Sequence[str]) -> None:
    """Do what the command line says; SystemExit where the cache cannot be used."""
    usage = "python -m dynamo_lite cache [list | explain | clear]"
    parser = argparse.ArgumentParser(usage=usage, description=__doc__)
    parser.add_argument("action", nargs="?", choices=[*ACTIONS], default="list")
    action = parser.parse_args(argv).action
    try:
        ACTIONS[action](disk.home())
    except OSError as error:
        raise SystemExit(f"the cache on disk is off: {error}") from None


def versions(home: Path) -> list[str]:
    """The folders of this version and of others."""
    found = [path.name for path in home.glob("v*") if path.name[1:].isdecimal()]
    return sorted(found, key=lambda name: int(name[1:]))


def listed(home: Path) -> None:
    """Print how much there is of each kind, by version."""
    rows: list[tuple[object, ...]] = []
    for version in versions(home):
        with private_files.opened(str(home / version)) as folder:
            found = list(disk_space.files(folder))
        for kind, files in by_kind(found).items():
            size = sum(file.size for file in files)
            rows.append((version, KINDS.get(kind, kind), len(files), in_bytes(size),
                         ago(max(file.used for file in files))))
    show(Table(f"{home}, at most {in_bytes(disk.config.cache_size_limit)}",
               ("version", "what", "entries", "size", "last used"), rows))
    if (reason := disk.why_off()) is not None:
        print(f"nothing is kept: {reason}")


def by_kind(files: Iterable[File]) -> Mapping[str, list[File]]:
    """Files by the folder that they are in."""
    kinds: dict[str, list[File]] = {}
    for file in files:
        kinds.setdefault(file.path.partition("/")[0], []).append(file)
    return kinds


def explained(home: Path) -> None:
    """Print why the graph that was compiled last was not found on disk before."""
    if (reason := disk.why_off()) is not None:
        raise SystemExit(f"nothing is kept: {reason}")
    with private_files.opened(str(disk.directory())) as folder:
        names = [file.path for file in sorted(disk_space.files(folder), reverse=True)
                 if file.path.startswith("graphs/")]
    keys = [key for name in names if (key := graph_cache.stored_key(name)) is not None]
    if not keys:
        print("no graph was compiled and kept")
        return
    print(why_missed(keys[0], keys[1:]))


def why_missed(newest: graph_cache.Key, others: Sequence[graph_cache.Key]) -> str:
    """Why none of the other graphs would do in place of the newest."""
    same = [key for key in others if key.graph == newest.graph]
    if not same:
        return f"{LAST} had not been compiled before, for these types and sizes"
    changed = sorted({part for key in same for part in newest.differences(key)})
    return f"{LAST} had been compiled before, with another {', '.join(changed)}"


def cleared(home: Path) -> None:
    """Remove the files of all versions."""
    count = 0
    for version in versions(home):
        with private_files.opened(str(home / version)) as folder:
            count += disk_space.clear(folder)
    print(f"{counted(count, 'file')} removed from {home}")


def in_bytes(size: int) -> str:
    """`3.4 MiB`"""
    for unit, shift in ("GiB", 30), ("MiB", 20), ("KiB", 10):
        if size >> shift:
            return f"{size / (1 << shift):.1f} {unit}"
    return f"{size} bytes"


def ago(nanoseconds: int) -> str:
    minutes = max(0, time.time_ns() - nanoseconds) // 60_000_000_000
    for unit, length in ("days", 1440), ("hours", 60):
        if minutes >= 2 * length:
            return f"{minutes // length} {unit} ago"
    return f"{minutes} minutes ago"


ACTIONS: Mapping[str, Callable[[Path], None]] = {
    "list": listed, "explain": explained, "clear": cleared,
}
