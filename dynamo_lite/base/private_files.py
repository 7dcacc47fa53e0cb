"""Files that nobody else can have written.

Owner and mode are looked at on what is open already, each folder is opened by its name in the one
above it, and no symbolic link of another user's is followed: nothing can be put in the place of
what was looked at. Root, who may write anything, is trusted with the folders on the way.
"""
from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from stat import S_ISREG, S_ISVTX

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
OTHERS = 0o022
"""Group and others may write."""
LINKS = 40  # followed on the way to one folder, as Linux does
TEMPORARY = ".tmp"


def open_folder(path: str, *, make: bool = False) -> int:
    """The descriptor of a folder of this user's that nobody else can write to or replace.

    PermissionError says who could; `make`: folders that are missing are made.
    """
    parents, _, last = os.path.abspath(path).rpartition("/")
    above = _open_parents(parents, make)
    try:
        return _open_own(last or ".", above, path, make)
    finally:
        os.close(above)


@contextlib.contextmanager
def opened(path: str, *, make: bool = False) -> Iterator[int]:
    """`open_folder` for a while."""
    folder = open_folder(path, make=make)
    try:
        yield folder
    finally:
        os.close(folder)


def read(folder: int, name: str) -> bytes:
    """The content of a file, a path within an open folder; it counts as used just now."""
    with _inner(folder, name) as (at, last):
        file = os.open(last, READ, dir_fd=at)
        with open(file, "rb", buffering=0) as stream:
            status = os.fstat(file)
            check_own(name, status)
            if not S_ISREG(status.st_mode):
                raise PermissionError(f"{name} is no regular file")
            with contextlib.suppress(OSError):  # where nothing may be written
                os.utime(file)
            return stream.read()


def write(folder: int, name: str, content: bytes) -> None:
    """Put a file in its place as a whole, or leave everything as it was."""
    with _inner(folder, name, make=True) as (at, last):
        temporary = f"{last}.{os.urandom(8).hex()}{TEMPORARY}"
        file = os.open(temporary, NEW, 0o600, dir_fd=at)
        try:
            with open(file, "wb") as stream:
                stream.write(content)
            with contextlib.suppress(FileNotFoundError):  # another process has made room
                os.replace(temporary, last, src_dir_fd=at, dst_dir_fd=at)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=at)
            raise


def check_own(path: str, status: os.stat_result) -> None:
    """PermissionError unless this user alone may write to what is open."""
    if status.st_uid != os.geteuid():
        raise PermissionError(f"{path} belongs to user {status.st_uid}")
    if status.st_mode & OTHERS:
        raise PermissionError(f"others may write to {path} (chmod go-w)")


def check_parent(path: str, status: os.stat_result) -> None:
    """PermissionError where others may rename what is in a folder on the way. Of sticky folders
    only owners may; of root's, groups are root's choice."""
    if status.st_uid not in (0, os.geteuid()):
        raise PermissionError(f"{path} belongs to user {status.st_uid}")
    others = OTHERS if status.st_uid else 0o002
    if status.st_mode & others and not status.st_mode & S_ISVTX:
        raise PermissionError(f"others may write to {path} (chmod go-w)")


@contextlib.contextmanager
def _inner(folder: int, name: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
    """The innermost folder of a path within an open one, and the last name."""
    *parts, last = name.split("/")
    at = os.dup(folder)
    try:
        for part in parts:
            at, above = _open_own(part, at, part, make), at
            os.close(above)
        yield at, last
    finally:
        os.close(at)


def _open_own(name: str, above: int, path: str, make: bool) -> int:
    folder = _open_below(name, above, make)
    try:
        check_own(path, os.fstat(folder))
    except BaseException:
        os.close(folder)
        raise
    return folder


def _open_parents(path: str, make: bool) -> int:
    """The folder at an absolute path, of which each part was looked at."""
    waiting, at, place, links = path.split("/")[::-1], os.open("/", FOLDER), "", 0
    try:
        while waiting:
            if (part := waiting.pop()) in ("", "."):
                continue
            if (below := _at_once(part, at)) is not None:
                place = f"{place}/{part}"
            elif (target := _link(part, at, place)) is not None:
                links += 1
                if links > LINKS:
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
                waiting += target.split("/")[::-1]
                place = "" if target.startswith("/") else place
                below = os.dup(at) if place else os.open("/", FOLDER)
            else:
                below, place = _open_below(part, at, make), f"{place}/{part}"
            os.close(at)
            at = below
            check_parent(place or "/", os.fstat(at))
        return at
    except BaseException:
        os.close(at)
        raise


def _at_once(name: str, above: int) -> int | None:
    """A folder that is there; None where it is missing, or something else."""
    try:
        return os.open(name, FOLDER, dir_fd=above)
    except OSError:
        return None


def _link(name: str, above: int, place: str) -> str | None:
    """Where a symbolic link of this user's or root's leads; None where there is no link."""
    try:
        target = os.readlink(name, dir_fd=above)
    except OSError:
        return None
    owner = os.lstat(name, dir_fd=above).st_uid
    if owner not in (0, os.geteuid()):
        raise PermissionError(f"{place}/{name} is a symbolic link of user {owner}")
    return target


def _open_below(name: str, above: int, make: bool) -> int:
    try:
        return os.open(name, FOLDER, dir_fd=above)
    except NotADirectoryError:
        raise PermissionError(f"{name} is a file or symbolic link, no folder") from None
    except FileNotFoundError:
        if not make:
            raise
    with contextlib.suppress(FileExistsError):  # another process was quicker
        os.mkdir(name, 0o700, dir_fd=above)
    return os.open(name, FOLDER, dir_fd=above)
