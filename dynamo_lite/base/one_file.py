"""The code of this package's modules in one file, beside the files that Python keeps for each.

The compiler is hundreds of modules, and to look for the file of each, open and read it takes a
fifth of the time in which it is loaded. `Modules` finds them in one file of the package's
`__pycache__`, in *groups* of modules that were loaded together. To read the code of a group at once
takes a fourth less time, as names and constants that it has in common are there once. A module
counts as long as its source file has the size and time that Python noted; the file is written anew
where one does not.
"""
from __future__ import annotations

import importlib.util
import marshal
import os
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.machinery import ModuleSpec, SourceFileLoader
from itertools import accumulate
from types import CodeType, ModuleType

PACKAGE = __name__.partition(".")[0]
NAME = "modules.py"
"""The file is named as if it was what Python keeps of a module of this name."""
HEADER = 16
"""Bytes before the code: Python's magic number, flags, and time and size of the source file."""
COUNT = 8
MAGIC = importlib.util.MAGIC_NUMBER + bytes(4)
"""With the flags of a file that counts by time and size."""
FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOGETHER = 100
"""Modules in a group: a process may need but some of them."""
NOWHERE = -1
"""The group of modules of which Python has written nothing that counts."""

Group = dict[str, CodeType]


class Loader(SourceFileLoader):
    """Loads a module from what Python has written for it, None where that does not count."""

    def __init__(self, name: str, path: str, code: CodeType | None) -> None:
        self.name, self.path, self.code = name, path, code

    def get_code(self, name: str) -> CodeType | None:
        code, self.code = self.code, None
        return super().get_code(name) if code is None else code


class Modules:
    """Finds modules in the file. `names` says of each its group, the header of what Python has
    written, and whether it is a package; `groups` where these begin, from `start` on, and how long
    they are. `stale` are modules that the file does not have as they are."""

    def __init__(self, kept: str) -> None:
        """`kept` is where Python would keep the module `NAME`."""
        self.path = kept.removesuffix("pyc") + "bin"
        self.ending = os.path.basename(kept).removeprefix(os.path.splitext(NAME)[0])
        self.names: dict[str, tuple[int, bytes, bool]] = {}
        self.groups: list[tuple[int, int]] = []
        self.read: dict[int, Group] = {}
        self.stale: list[str] = []
        self.start = 0
        self.file = -1

    def open(self) -> None:
        with suppress(OSError, ValueError, EOFError, TypeError):
            self.file = os.open(self.path, os.O_RDONLY)
            length = int.from_bytes(os.pread(self.file, COUNT, 0), "little")
            if length > os.fstat(self.file).st_size:
                return
            self.names, self.groups = marshal.loads(os.pread(self.file, length, COUNT))
            self.start = COUNT + length

    def close(self) -> None:
        self.read.clear()
        if self.file >= 0:
            os.close(self.file)
            self.file = -1

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """As the import system asks for it."""
        if (row := self.names.get(name)) is None:
            self.stale.append(name)
            return None
        group, header, is_package = row
        if group == NOWHERE or path is None or len(path) != 1 or self.file < 0:
            return None
        folder, stem = path[0], name.rpartition(".")[2]
        if is_package:
            folder, stem = f"{folder}{os.sep}{stem}", "__init__"
        file = f"{folder}{os.sep}{stem}.py"
        try:
            code = self.group(group).get(name) if header_of(file) == header else None
        except OSError:  # an editable installation has folders elsewhere
            return None
        if code is None:
            self.stale.append(name)
        elif code.co_filename != file:
            code = None
        spec = ModuleSpec(name, Loader(name, file, code), origin=file, is_package=is_package)
        spec.has_location = True
        if sys.pycache_prefix is None:
            spec.cached = f"{folder}{os.sep}__pycache__{os.sep}{stem}{self.ending}"
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(folder)
        return spec

    def group(self, number: int) -> Group:
        """The code of the modules of a group; nothing where it is damaged."""
        if number not in self.read:
            self.read[number] = {}
            with suppress(ValueError, EOFError, TypeError):
                self.read[number] = marshal.loads(self.content(number))
        return self.read[number]

    def content(self, number: int) -> bytes:
        at, length = self.groups[number]
        return os.pread(self.file, length, self.start + at)

    def update(self) -> None:
        """Write the file anew, if modules are loaded that it does not have as they are."""
        specs = {name: spec for name in self.stale if (spec := spec_from_source(name)) is not None}
        if not specs or sys.dont_write_bytecode:
            return
        draft = f"{self.path}.{os.getpid()}"
        with suppress(OSError):
            with open(draft, "xb") as file:
                file.write(self.with_these(specs))
            os.replace(draft, self.path)

    def with_these(self, specs: dict[str, ModuleSpec]) -> bytes:
        """The file with these modules as Python has written them: new ones are in new groups."""
        names, changed = dict(self.names), defaultdict[int, Group](dict)
        count = 0
        for name, spec in specs.items():
            header, code = kept_by_python(spec)
            place = self.names.get(name, (NOWHERE,))[0]
            if code is None:
                place = NOWHERE
            else:
                if place == NOWHERE:
                    place, count = len(self.groups) + count // TOGETHER, count + 1
                changed[place][name] = code
            names[name] = place, header, spec.submodule_search_locations is not None
        contents = [self.content(number) for number in range(len(self.groups))]
        for number, group in sorted(changed.items()):
            known = self.group(number) if number < len(self.groups) else {}
            contents[number:number + 1] = [marshal.dumps({**known, **group})]
        return joined(names, contents)


def spec_from_source(name: str) -> ModuleSpec | None:
    """The spec of a module of this package that Python has loaded from a source file."""
    found = name.startswith(f"{PACKAGE}.") and getattr(sys.modules.get(name), "__spec__", None)
    return found if found and found.cached else None


def kept_by_python(spec: ModuleSpec) -> tuple[bytes, CodeType | None]:
    """What Python has written for a module: the header, and the code where it counts by time and
    size."""
    header = b""
    with suppress(OSError, ValueError, EOFError, TypeError):
        header = header_of(str(spec.origin))
        with open(str(spec.cached), "rb") as file:
            return header, marshal.load(file) if file.read(HEADER) == header else None
    return header, None


def header_of(path: str) -> bytes:
    """What Python writes before the code of a source file as it is."""
    stat = os.stat(path)
    numbers = int(stat.st_mtime) & 0xFFFFFFFF | (stat.st_size & 0xFFFFFFFF) << 32
    return MAGIC + numbers.to_bytes(8, "little")


def joined(names: dict[str, tuple[int, bytes, bool]], contents: Sequence[bytes]) -> bytes:
    """The file: how long the table is, the table, the contents of the groups."""
    ends = [0, *accumulate(map(len, contents))]
    table = marshal.dumps((names, [*zip(ends, map(len, contents))]))
    return b"".join([len(table).to_bytes(COUNT, "little"), table, *contents])


@contextmanager
def from_one_file() -> Iterator[None]:
    """Modules of this package that are imported meanwhile come from the file."""
    try:
        path = importlib.util.cache_from_source(os.path.join(FOLDER, NAME))
    except NotImplementedError:
        yield
        return
    modules = Modules(path)
    modules.open()
    sys.meta_path.insert(0, modules)
    try:
        yield
        modules.update()
    finally:
        sys.meta_path.remove(modules)
        modules.close()
