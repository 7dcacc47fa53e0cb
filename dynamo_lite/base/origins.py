"""Where callables come from: their module, and whether that is the standard library's."""
from __future__ import annotations

import os
import re
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any

STDLIB = frozenset(sys.stdlib_module_names) - {"__main__"}
STDLIB_FOLDER = os.path.dirname(os.__file__) + os.sep
ENTERED = ("<stdin", "<input", "<console", "<python-input", "<ipython-input", "<doctest")
"""How the names of files begin in which people have entered code."""
INSTALLED = tuple(f"{os.sep}{name}{os.sep}" for name in ("site-packages", "dist-packages"))


@lru_cache(1024)
def is_library_file(filename: str) -> bool:
    """Whether code is that of the standard library or of an installed package, or was made by
    one, as methods of dataclasses are."""
    is_made = filename.startswith("<") and not filename.startswith(ENTERED)
    return is_made or filename.startswith(STDLIB_FOLDER) or any(
        part in filename for part in INSTALLED) or is_noted(filename)


def is_noted(filename: str) -> bool:
    """Whether an installer has noted the file in the folder that it is imported from, as `pip
    install --target` does. A program's own file is not noted, also where it is in that folder, nor
    is one of a checkout that is installed to be edited."""
    finders = list(sys.path_importer_cache.values())  # other threads may import meanwhile
    searched = {getattr(finder, "path", None) for finder in finders}
    return any(filename[len(folder) + 1:] in noted_files(folder)
               for folder in folders_of(filename) if folder in searched)


def folders_of(filename: str) -> Iterator[str]:
    """The folder of a file, the folder that one is in, and so on."""
    folder = os.path.dirname(filename)
    while folder != filename:
        yield folder
        filename, folder = folder, os.path.dirname(folder)


@lru_cache(64)
def noted_files(folder: str) -> frozenset[str]:
    """The Python files that installers have noted in a folder, by their paths from there, as far as
    that can be read."""
    found: set[str] = set()
    with suppress(OSError):
        for record in Path(folder).glob("*.dist-info/RECORD"):
            text = record.read_text("utf-8", "replace")
            found.update(re.findall(r"^([^,]+\.py),", text, re.MULTILINE))
    return frozenset(found)


def is_stdlib(function: Any, module: str) -> bool:
    """Decided by where the code is: a user's module may have any name."""
    if module.partition(".")[0] not in STDLIB:
        return False
    if isinstance(function, types.FunctionType):
        file = function.__code__.co_filename
    else:
        file = getattr(sys.modules.get(module), "__file__", None) or STDLIB_FOLDER
    return file.startswith((STDLIB_FOLDER, "<frozen")) and "site-packages" not in file


def is_numpys(function: Any, module: str) -> bool:
    """NumPy's own; its tests are programs that use it."""
    return module.partition(".")[0] == "numpy" and ".tests" not in module


PUBLIC = {"posix": "os", "nt": "os", "genericpath": "os.path", "posixpath": "os.path",
          "_thread": "threading", "numpy._core.strings": "numpy.strings",
          "numpy._core.defchararray": "numpy.char", "numpy._core.records": "numpy.rec"}
"""Modules whose functions people know by another one."""


def namespace_of(module: object) -> Mapping[str, Any]:
    """A module's names. To ask it for one as an attribute may load it, or import others."""
    try:
        names: Mapping[str, Any] = object.__getattribute__(module, "__dict__")
    except AttributeError:
        return {}
    return names


@lru_cache(1024)
def public_name(module: str, name: str) -> str:
    """`pandas.Series.__init__` of what stands in `pandas.core.series`: by the outermost package
    that has the same object under its name."""
    module, first = PUBLIC.get(module, module), name.partition(".")[0]
    packages = [*accumulate(module.split("."), "{}.{}".format)]
    held = [namespace_of(sys.modules.get(package)).get(first) for package in packages]
    shown = (p for p, its in zip(packages, held) if its is held[-1] and its is not None)
    return f"{next(shown, module)}.{name}".lstrip("._")


def full_name(function: Any) -> str:
    """`scipy.special.erf`, `csv.writer`; builtins and functions of the user's by their own name."""
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    if not isinstance(name, str):
        return repr(function)
    written = getattr(function, "__wrapped__", function)
    code = written.__code__ if isinstance(written, types.FunctionType) else None
    module = getattr(function, "__module__", None) or module_of(function)
    is_users = code is not None and not is_library_file(code.co_filename)
    is_named_whole = name.startswith(f"{module}.") and module != name.partition(".")[0]
    if is_users or module in ("builtins", "__main__") or is_named_whole:
        return name
    return public_name(module, name)


@lru_cache(1024)
def module_of_ufunc(ufunc: Any) -> str:
    """The public module that has it: `numpy`, `scipy.special`."""
    name = getattr(ufunc, "__name__", "")
    for module in ("numpy", *sorted(sys.modules, key=lambda module: module.count("."))):
        if "._" not in module and namespace_of(sys.modules[module]).get(name) is ufunc:
            return module
    return "numpy"


def code_name(
    code: types.CodeType, namespace: Mapping[str, Any], closure: Iterable[Any] = ()
) -> str:
    """The name of a function of a library, by its code and globals; of a wrapper that of the
    function in its closure, which people call it by."""
    functions = (each for each in closure if isinstance(each, types.FunctionType))
    if "<locals>" in code.co_qualname and (wrapped := next(functions, None)) is not None:
        return full_name(wrapped)
    return public_name(namespace.get("__name__", ""), code.co_qualname)


def module_of(function: Any) -> str:
    """Where a callable comes from; a method of a C type or of its objects counts as its type's."""
    if isinstance(function, types.FunctionType):
        module = function.__globals__.get("__name__")
    else:
        module = getattr(function, "__module__", None)
    if not isinstance(module, str):
        bound = getattr(function, "__self__", function)
        owner = getattr(function, "__objclass__", None)
        owner = owner or (bound if isinstance(bound, type) else type(bound))
        module = owner.__module__
    return module
