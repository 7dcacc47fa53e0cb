"""Settings: one frozen `Config`, read once from the environment, replaced as a whole when changed.

`config.strict` reads, `config.strict = True` changes, `with config.patch(strict=True):` changes for
a while. A field is read from the environment as `DYNAMO_<FIELD>` (`DYNAMO_RECOMPILE_LIMIT=16`).
"""
from __future__ import annotations

import contextlib
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import fields, replace
from typing import Any

from ..errors import DynamoError
from .nearest import closest, nearest
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
    warm_seconds: float = 0.05
    """Whole-script mode: how long functions of one text run in Python before they are compiled; 0
    to compile at the first call. See `dynamo_lite.tiering`."""
    compile_share: float = 0.05
    """Whole-script mode: seconds that compiling may take for each second that the program runs,
    beyond the first half of one (ten where functions are compiled at their first call)."""
    unroll_budget: int = 2000
    """Operations that the loops of one frame may add to its graph; up to four times as many where
    they go through lists of the caller's. In a loop of 100 iterations or more on numbers
    and small arrays that cannot be compiled as a whole, what computes counts five times."""
    leave_short_loops: bool = True
    """Leave a loop that cannot be compiled as a whole to Python where each iteration is so short
    that going back and forth between compiled code and Python takes longer."""
    trace_seconds: float = 20.0
    """Time after which the analysis of one frame is given up, and Python runs it; a loop is no
    longer unrolled after half of it."""
    inline_depth: int = 100
    """Calls within calls that are followed into one graph."""
    compile_watched: bool = False
    """Compile and run compiled although a debugger, coverage tool or line profiler is active, which
    is then told nothing of the lines that run compiled."""
    compile_unprofitable: bool = False
    """Also run compiled what NumPy alone does as fast."""
    math: str = "inline"
    """Elementary functions of floats in kernels: "inline" polynomials, within the bounds of
    docs/ulp.md, or "numpy": NumPy's own loops, and C's functions for `math`, bit for bit (the
    default of whole-script mode)."""
    backend: str = "auto"
    """What `backend="auto"` and leaving it out mean."""
    device: str = "cpu"
    """Where functions of NumPy arrays are computed: "cpu", or "cuda", where their arguments are
    copied to and their results from (backend "triton")."""
    interpret: bool = False
    """Run the kernels of the backend "triton" in Triton's interpreter, on NumPy arrays."""
    cuda_graphs: bool = False
    """Launch what a call launches on a GPU in one piece, where its arrays lie where those of a call
    before lay; results that nobody has any more are given out again (mode "reduce-overhead")."""
    autotune: bool = False
    """Time variants of each kernel for a GPU when it is first launched, and keep on disk which was
    fastest (mode "max-autotune")."""
    compile_processes: int = 0
    """Processes that compile kernels for GPUs at the same time; 0 is one for each core, at most 8,
    and with 1 it is this process that compiles them."""
    cache: bool = True
    """Keep compiled code on disk."""
    keep_entries: bool = True
    """Keep whole entries there, guards included: another process does not trace the function."""
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
    progress_seconds: float = 2.0
    """Compilations that take longer are shown on the standard error, where that is a terminal."""
    perf_map: bool = False
    """Write the names of kernels for Linux's `perf`, into `/tmp/perf-PID.map`."""
    jit_dump: bool = False
    """Write the machine code of kernels for profilers (`perf inject --jit`), into
    `/tmp/jit-PID.dump`."""
    trace: str = ""
    """A directory into which every compilation writes what it made, by `runtime.artifacts`."""


_WORDS = {**dict.fromkeys(("1", "true", "yes", "on", "y", "t"), True),
          **dict.fromkeys(("", "0", "false", "no", "off", "n", "f"), False)}


def _flag(text: str) -> bool:
    try:
        return _WORDS[text.strip().lower()]
    except KeyError:
        raise ValueError("a switch is 1 or 0") from None


_PARSERS: Mapping[type, Callable[[str], Any]] = {bool: _flag, int: int, float: float, str: str}
_KINDS = {bool: "a switch", int: "an int of at least 0", float: "a number of at least 0",
          str: "a text"}


def complain(text: str) -> None:
    """A line about a variable of the environment, which is to end no program."""
    if sys.stderr is not None:
        print(f"dynamo_lite ignores {text}", file=sys.stderr)


def read_environment(environ: Mapping[str, str]) -> Config:
    """The settings an environment asks for. A variable that makes no sense is named in a line that
    says how it should look, and ignored; so is a number that is left empty."""
    found = Config()
    known = [f"DYNAMO_{field.name.upper()}" for field in fields(Config)]
    for name in environ:
        if name.startswith("DYNAMO_") and name not in known and (
            meant := closest(name, known, 0.85)
        ):
            complain(f"{name}: did you mean {meant}?")
    for field in fields(Config):
        variable, kind = f"DYNAMO_{field.name.upper()}", type(field.default)
        text = environ.get(variable)
        if text is None or (not text.strip() and kind in (int, float)):
            continue
        try:
            value = _valid(field.name, kind, _PARSERS[kind](text))
            found = replace(found, **{field.name: value})
        except ValueError:
            right = f"{variable}={_nearest(text, kind, field.default)}"
            kinds = " or ".join(CHOICES.get(field.name, (_KINDS[kind],)))
            complain(f"{variable}={text!r}: it is {kinds}, as in {right}")
    return found


def _nearest(text: str, kind: type, default: Any) -> str:
    """A right form of what was probably meant."""
    if kind is bool:
        return "1"
    number = re.match(r"\s*-?[0-9]{1,18}(\.[0-9]*)?(e[0-9]{1,2}\b)?", text)
    if number is not None:
        default = max(kind(float(number[0])), kind(0))
    return f"{default:g}" if kind is float else str(default)


CHOICES = {"math": ("inline", "numpy"), "device": ("cpu", "cuda")}
"""Settings that are one of a few words."""
CHECKS: dict[str, Callable[[Any], object]] = {}
"""What raises for values that a setting cannot have here."""
FOLLOWERS: dict[str, Callable[[Any], None]] = {}
"""Who takes a new value of a setting at once, and may refuse it."""


def unknown(name: str) -> AttributeError:
    known = [field.name for field in fields(Config)]
    return AttributeError(f"dynamo_lite has no setting {name!r}{nearest(name, known)}")


def changed(current: Config, changes: Mapping[str, Any]) -> Config:
    """AttributeError for a name that is no setting, TypeError for a value of another type, and
    ValueError for one that makes no sense."""
    known = {field.name: type(field.default) for field in fields(Config)}
    for name in changes.keys() - known.keys():
        raise unknown(name)
    values = {name: _valid(name, known[name], value) for name, value in changes.items()}
    for name in CHECKS.keys() & changes.keys():
        CHECKS[name](values[name])
    return replace(current, **values)


def _valid(name: str, kind: type, value: Any) -> Any:
    """A value as the setting keeps it."""
    kinds: Any = (float, int) if kind is float else kind
    if not isinstance(value, kinds) or (isinstance(value, bool) and kind is not bool):
        raise TypeError(f"setting {name!r} is of type {kind.__name__}, not {value!r}")
    if kind in (int, float) and not value >= 0:
        raise ValueError(f"setting {name!r} is {_KINDS[kind]}, not {value!r}")
    if kind is str and "\0" in value:
        raise ValueError(f"setting {name!r} has a null character: {value!r}")
    if value not in CHOICES.get(name, (value,)):
        raise ValueError(f"setting {name!r} is {' or '.join(CHOICES[name])}, not {value!r}")
    return min(value, sys.float_info.max) * 1.0 if kind is float and value != math.inf else value


class Settings:
    """The current `Config`; its fields are this object's attributes."""

    __slots__ = ("_current", "_within")
    _current: Config
    _within: ContextVar[Config | None]

    def __init__(self, current: Config) -> None:
        object.__setattr__(self, "_current", current)
        object.__setattr__(self, "_within", ContextVar("dynamo_lite_settings", default=None))

    def __getattr__(self, name: str) -> Any:
        try:
            return getattr(self._within.get() or self._current, name)
        except AttributeError:
            raise unknown(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self.update(**{name: value})

    def __dir__(self) -> list[str]:
        return [*object.__dir__(self), *(field.name for field in fields(Config))]

    def __repr__(self) -> str:
        return repr(self._current)

    def update(self, **changes: Any) -> None:
        """Change settings, all or none; errors as for `changed`, or what a follower raises."""
        self._take(changed(self._current, changes), changes.keys())

    def _take(self, after: Config, changes: Iterable[str]) -> None:
        before, names = self._current, FOLLOWERS.keys() & {*changes}
        try:
            for name in names:
                FOLLOWERS[name](getattr(after, name))
        except ValueError:
            for name in names:
                FOLLOWERS[name](getattr(before, name))
            raise
        object.__setattr__(self, "_current", after)

    def patch(self, **changes: Any) -> contextlib._GeneratorContextManager[None]:
        """Change settings for the duration of a `with` block; also a decorator."""
        changed(self._current, changes)
        return self._patched(changes)

    @contextlib.contextmanager
    def _patched(self, changes: Mapping[str, Any]) -> Iterator[None]:
        before = self._current
        self.update(**changes)
        try:
            yield
        finally:
            values = {name: getattr(before, name) for name in changes}
            self._take(replace(self._current, **values), changes)

    @contextlib.contextmanager
    def within(self, changes: Mapping[str, Any]) -> Iterator[None]:
        """Other settings for what this thread does in a `with` block, and for nobody else."""
        token = self._within.set(changed(self._within.get() or self._current, changes))
        try:
            yield
        finally:
            self._within.reset(token)


def _field(name: str) -> property:
    """Found by the class, a setting is read five times as fast as by `__getattr__`."""
    return property(lambda self: getattr(self._within.get() or self._current, name))


for _each in fields(Config):
    setattr(Settings, _each.name, _field(_each.name))

config = Settings(read_environment(os.environ))


def follow(name: str, take: Callable[[Any], None]) -> None:
    """From here on `take` has every value of a setting, the first one now."""
    FOLLOWERS[name] = take
    settle(name, take)


def settle(name: str, ask: Callable[[Any], None]) -> None:
    """Where `ask` raises for what the environment says, say so and take the default."""
    value, default = getattr(config, name), getattr(Config(), name)
    try:
        ask(value)
    except (ValueError, DynamoError) as error:
        complain(f"DYNAMO_{name.upper()}={value}: {error}")
        config.update(**{name: default})
