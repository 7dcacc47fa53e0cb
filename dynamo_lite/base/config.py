"""Settings: one frozen `Config`, read once from the environment, replaced as a whole when changed.

`config.strict` reads, `config.strict = True` changes, `with config.patch(strict=True):` changes for
a while. A field is read from the environment as `DYNAMO_<FIELD>` (`DYNAMO_RECOMPILE_LIMIT=16`).
"""
from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import fields, replace
from typing import Any

from .records import dataclass


@dataclass(frozen=True, slots=True)
class Config:
    """Every setting with its default."""

    disable: bool = False
    """`compile` gives functions back unchanged."""
    strict: bool = False
    """Errors inside dynamo_lite are raised rather than worked around; for tests."""
    suppress_errors: bool = True
    """An error inside dynamo_lite or a backend makes the frame run in Python, with a warning."""
    validate: bool = False
    """Prove with z3 all that is concluded about sizes; for tests (extra `validate`)."""
    recompile_limit: int = 8
    """Entries of one function; from then on calls that match none of them run in Python."""
    retire_after: int = 16
    """Calls that bailed out, without a success in between, after which an entry is retired."""
    assume_static_by_default: bool = True
    """`dynamic=None` starts with fixed sizes; otherwise every size is a symbol at once."""
    automatic_dynamic_shapes: bool = True
    """`dynamic=None` turns the sizes and ints that changed into symbols at the second compile."""
    specialize_int: bool = False
    """Python int arguments are compiled in as they are, one entry for each value."""
    specialization_backoff: int = 2
    """The how-manieth value that Python needs at one place breaks the graph there instead of being
    compiled in."""
    capture_scalar_outputs: bool = True
    """`float(x.sum())` and the like stay in the graph where nothing needs their value."""
    warm_seconds: float = 0.02
    """Whole-script mode: how long functions of one text run in Python before they are compiled; 0
    to compile at the first call. See `dynamo_lite.runtime.tiering`."""
    compile_share: float = 0.25
    """Whole-script mode: seconds that compiling may take for each second that the program runs,
    beyond the first half of one (ten where functions are compiled at their first call)."""
    unroll_budget: int = 2000
    """Operations that the loops of one frame may add to its graph; up to four times as many where
    they go through lists of the caller's."""
    leave_short_loops: bool = True
    """Leave a loop that cannot be compiled as a whole to Python where each iteration is so short
    that going back and forth between compiled code and Python takes longer."""
    trace_seconds: float = 20.0
    """Time after which the analysis of one frame is given up, and Python runs it; a loop is no
    longer unrolled after half of it."""
    inline_depth: int = 100
    """Calls within calls that are followed into one graph."""
    compile_unprofitable: bool = False
    """Also run compiled what NumPy alone does as fast."""
    math: str = "inline"
    """Elementary functions of floats in kernels: "inline" polynomials, within the bounds of
    docs/ulp.md, or "numpy": NumPy's own loops, and C's functions for `math`, bit for bit (the
    default of whole-script mode)."""
    backend: str = "auto"
    """What `backend="auto"` and leaving it out mean."""
    cache: bool = True
    """Keep compiled kernels on disk."""
    cache_dir: str = ""
    """Where; the user's cache directory when empty."""
    cache_size_limit: int = 1 << 30
    """Bytes on disk from which the kernels that were not used for longest are removed."""
    cpu: str = ""
    """The level of machine that code is generated for, by LLVM's name (`x86-64-v3`), where it is
    not to be the highest that this one reaches."""
    threads: int = 0
    """Threads of the CPU pool; 0 is the number of cores this process may use."""
    logs: str = ""
    """What to log; see `dynamo_lite.base.logs`."""
    trace: str = ""
    """A directory into which every compilation writes what it made, by `runtime.artifacts`."""


def _flag(text: str) -> bool:
    return text.strip().lower() not in ("", "0", "false", "no", "off")


_PARSERS: Mapping[type, Callable[[str], Any]] = {bool: _flag, int: int, float: float, str: str}


def read_environment(environ: Mapping[str, str]) -> Config:
    """The settings an environment asks for; ValueError names a variable that makes no sense."""
    changes = {}
    for field in fields(Config):
        variable = f"DYNAMO_{field.name.upper()}"
        if (text := environ.get(variable)) is None:
            continue
        try:
            changes[field.name] = _PARSERS[type(field.default)](text)
        except ValueError:
            kind = type(field.default).__name__
            raise ValueError(f"{variable}={text!r} is not a valid {kind}") from None
    return replace(Config(), **changes)


FOLLOWERS: dict[str, Callable[[Any], None]] = {}
"""Who takes a new value of a setting at once, and may refuse it."""


def changed(current: Config, changes: Mapping[str, Any]) -> Config:
    """AttributeError for a name that is no setting, TypeError for a value of another type."""
    known = {field.name: type(field.default) for field in fields(Config)}
    for name, value in changes.items():
        if name not in known:
            raise AttributeError(f"dynamo_lite has no setting {name!r}")
        kind = known[name]
        if not isinstance(value, (float, int) if kind is float else kind):
            raise TypeError(f"setting {name!r} is of type {kind.__name__}, not {value!r}")
    return replace(current, **changes)


class Settings:
    """The current `Config`; its fields are this object's attributes."""

    __slots__ = ("_current", "_within")
    _current: Config
    _within: ContextVar[Config | None]

    def __init__(self, current: Config) -> None:
        object.__setattr__(self, "_current", current)
        object.__setattr__(self, "_within", ContextVar("dynamo_lite_settings", default=None))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._within.get() or self._current, name)

    def __setattr__(self, name: str, value: Any) -> None:
        self.update(**{name: value})

    def __dir__(self) -> list[str]:
        return [*object.__dir__(self), *(field.name for field in fields(Config))]

    def __repr__(self) -> str:
        return repr(self._current)

    def update(self, **changes: Any) -> None:
        """Change settings; AttributeError for a name that is none, TypeError for a wrong value."""
        after = changed(self._current, changes)
        for name in FOLLOWERS.keys() & changes.keys():
            FOLLOWERS[name](changes[name])
        object.__setattr__(self, "_current", after)

    @contextlib.contextmanager
    def patch(self, **changes: Any) -> Iterator[None]:
        """Change settings for the duration of a `with` block; also a decorator."""
        before = self._current
        self.update(**changes)
        try:
            yield
        finally:
            self.update(**{name: getattr(before, name) for name in changes})

    @contextlib.contextmanager
    def within(self, changes: Mapping[str, Any]) -> Iterator[None]:
        """Other settings for what this thread does in a `with` block, and for nobody else."""
        token = self._within.set(changed(self._within.get() or self._current, changes))
        try:
            yield
        finally:
            self._within.reset(token)


config = Settings(read_environment(os.environ))
