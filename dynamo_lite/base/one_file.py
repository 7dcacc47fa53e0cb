"""The code of this package's modules in one file, beside the files that Python keeps for each.

The compiler is hundreds of modules, and to look for the file of each, open and read it takes a
fifth of the time in which it is loaded. `Modules` finds them in one file of the package's
`__pycache__`: what Python has written for each, one after the other. A module counts as long as its
source file has the size and time that Python noted; the file is written anew where one does not.
"""
from __future__ import annotations

import importlib.util
import marshal
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.machinery import ModuleSpec, SourceFileLoader
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


class Loader(SourceFileLoader):
    """Loads a module from what Python has written for it: `content`."""

    def __init__(self, name: str, path: str, content: bytes, modules: Modules) -> None:
        super().__init__(name, path)
        self.content, self.modules = content, modules

    def get_code(self, name: str) -> CodeType | None:
        content, self.content = self.content, b""
        if content[:HEADER] == header_of(self.path):
            code: CodeType = marshal.loads(memoryview(content)[HEADER:])
            if code.co_filename == self.path:
                return code
        elif content:
            self.modules.is_outdated = True
        return super().get_code(name)


class Modules:
    """Finds modules in the file. `names`: where the content of each begins, from `start` on, how
    long it is, and whether it is a package."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.names: dict[str, tuple[int, int, bool]] = {}
        self.start = 0
        self.file = -1
        self.is_outdated = False

    def open(self) -> None:
        with suppress(OSError, ValueError, EOFError, TypeError):
            self.file = os.open(self.path, os.O_RDONLY)
            length = int.from_bytes(os.pread(self.file, COUNT, 0), "little")
            if length > os.fstat(self.file).st_size:
                return
            self.names = dict(marshal.loads(os.pread(self.file, length, COUNT)))
            self.start = COUNT + length

    def close(self) -> None:
        if self.file >= 0:
            os.close(self.file)
            self.file = -1

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """As the import system asks for it."""
        _, length, is_package = self.names.get(name, (0, 0, False))
        if not length or path is None or len(path) != 1 or self.file < 0:
            return None
        place = os.path.join(path[0], name.rpartition(".")[2])
        file = os.path.join(place, "__init__.py") if is_package else f"{place}.py"
        if not os.path.exists(file):  # an editable installation has folders elsewhere
            return None
        if len(content := self.content(name)) < length:
            self.is_outdated = True
            return None
        loader = Loader(name, file, content, self)
        return importlib.util.spec_from_file_location(
            name, file, loader=loader,
            submodule_search_locations=[place] if is_package else None)

    def content(self, name: str) -> bytes:
        at, length, _ = self.names[name]
        return os.pread(self.file, length, self.start + at)

    def update(self) -> None:
        """Write the file anew, if modules are loaded that it does not have as they are."""
        specs = dict(loaded_specs())
        is_complete = specs.keys() <= self.names.keys() and not self.is_outdated
        if is_complete or sys.dont_write_bytecode:
            return
        draft = f"{self.path}.{os.getpid()}"
        with suppress(OSError):
            with open(draft, "xb") as file:
                known = {name: (self.content(name), row[2]) for name, row in self.names.items()}
                found = {name: (kept_by_python(spec), spec.submodule_search_locations is not None)
                         for name, spec in specs.items()}
                file.write(joined({**known, **found}))
            os.replace(draft, self.path)


def loaded_specs() -> Iterator[tuple[str, ModuleSpec]]:
    """The modules of this package that Python has loaded from source files."""
    for name, module in [*sys.modules.items()]:
        spec = getattr(module, "__spec__", None) if name.startswith(f"{PACKAGE}.") else None
        if spec is not None and spec.cached:
            yield name, spec


def kept_by_python(spec: ModuleSpec) -> bytes:
    """What Python has written for a module; nothing where that does not count by time and size."""
    try:
        with open(str(spec.cached), "rb") as file:
            content = file.read()
    except OSError:
        return b""
    return content if content[:HEADER] == header_of(str(spec.origin)) else b""


def header_of(path: str) -> bytes:
    """What Python writes before the code of a source file as it is."""
    stat = os.stat(path)
    numbers = int(stat.st_mtime), stat.st_size
    return MAGIC + b"".join((number & 0xFFFFFFFF).to_bytes(4, "little") for number in numbers)


def joined(contents: dict[str, tuple[bytes, bool]]) -> bytes:
    """The file: how long the table is, the table, the contents."""
    names, at = {}, 0
    for name, (content, is_package) in contents.items():
        names[name] = at, len(content), is_package
        at += len(content)
    table = marshal.dumps(names)
    parts = len(table).to_bytes(COUNT, "little"), table, *(each for each, _ in contents.values())
    return b"".join(parts)


@contextmanager
def from_one_file() -> Iterator[None]:
    """Modules of this package that are imported meanwhile come from the file."""
    try:
        path = importlib.util.cache_from_source(os.path.join(FOLDER, NAME))
    except NotImplementedError:
        yield
        return
    modules = Modules(path.removesuffix("pyc") + "bin")
    modules.open()
    sys.meta_path.insert(0, modules)
    try:
        yield
        modules.update()
    finally:
        sys.meta_path.remove(modules)
        modules.close()
