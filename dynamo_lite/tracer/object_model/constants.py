"""Values that are fully known: Python runs on them while tracing."""
from __future__ import annotations

import enum
import sys
import types
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base import work
from ...base.suppressed import warnings_as
from ...errors import GraphBreak, Unsupported
from ...guards.kinds import EQUALS
from ...guards.sources import AttrSource, ConstSource, Pinned, Source
from ..rules.mro import answers, lookup
from ..rules.trace_rules import OWN_FOLDERS
from ..state.tracker import Args, Kwargs, ObservedException, VariableTracker, call_handler

if TYPE_CHECKING:
    from ..state.emitter import Emitter
    from ..state.tx import Tx

ATOMS = (
    bool, int, float, complex, str, bytes, type(None), type(Ellipsis), type(NotImplemented),
    types.CodeType,
)  # fmt: skip
"""Immutable types whose values Python compares by equality."""


def member_of(value: Any, name: str) -> Any:
    """What the value's class, not its metaclass, gives under a name, or None."""
    return getattr(type(value), name, None) if answers(type(value), name) else None


def is_without_self(kind: type, name: str) -> bool:
    """Whether a method is static or of the class."""
    kinds = staticmethod | classmethod | types.ClassMethodDescriptorType
    return isinstance(lookup(kind, name), kinds)


class Member(Pinned):
    """A member of an enumeration as a key, with its hash: sets of keys have the order of theirs."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Member) and self.value is other.value

    def __hash__(self) -> int:
        return hash(self.value)


class ConstantVariable(VariableTracker):
    """An immutable value of one of Python's own types, known while tracing."""

    def __init__(self, value: Any, source: Source | None = None) -> None:
        self.value = value
        self.source = source

    def python_type(self) -> type:
        return type(self.value)

    def truth(self, tx: Tx) -> bool:
        if self.value is NotImplemented:
            raise GraphBreak("Python warns of the truth of NotImplemented")
        return bool(self.as_constant(tx))

    def is_constant(self) -> bool:
        return True

    def as_constant(self, tx: Tx) -> Any:
        """The value; from here on the trace is specialised to it."""
        if self.source is not None:
            self._fix(tx, self.source)
        return self.value

    def _fix(self, tx: Tx, source: Source) -> None:
        is_text = type(self.value) in (str, bytes) and not isinstance(source, ConstSource)
        if is_text and not tx.shapes.policy.may_fix_text(source, self.value):
            raise GraphBreak(f"Python needs the value of {source}, which keeps changing")
        tx.guards.install(source, EQUALS, self.value, tx.location())

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        if callable(member_of(self.value, name)) and hasattr(self.value, name):
            return ConstantMethodVariable(self, name)
        return fold(tx, getattr, (self, ConstantVariable(name)))

    def call_method(self, tx: Tx, name: str, args: Args, kwargs: Kwargs) -> VariableTracker:
        if (special := getattr(self, f"method_{name}", None)) is not None:
            return call_handler(tx, special, args, kwargs, f"{self.describe()}.{name}")
        method = member_of(self.value, name)
        if method is None:
            return self.getattr(tx, name)
        args = args if is_without_self(type(self.value), name) else (self, *args)
        return tx.dispatch(None, method, args, kwargs)

    def iterate(self, tx: Tx) -> Iterator[VariableTracker]:
        """The items; the value is not looked at before the first one is taken."""
        yield from [constant(item) for item in observe(iter, self.as_constant(tx))]

    def reconstruct(self, code: Emitter) -> None:
        code.load_const(self.value)

    def describe(self) -> str:
        return f"the constant {self.value!r}" if self.source is None else super().describe()


class ConstantMethodVariable(VariableTracker):
    """A method looked up on a constant."""

    def __init__(self, owner: VariableTracker, name: str) -> None:
        self.owner = owner
        self.name = name

    def python_type(self) -> type:
        return types.BuiltinMethodType

    def truth(self, tx: Tx) -> bool:
        return True

    def call(self, tx: Tx, args: Args, kwargs: Kwargs) -> VariableTracker:
        return self.owner.call_method(tx, self.name, args, kwargs)

    def reconstruct(self, code: Emitter) -> None:
        code.build(self.owner)
        code.emit("LOAD_ATTR", self.name)


class FixedVariable(VariableTracker):
    """A value that stays what it is for as long as the guards hold."""

    def __init__(self, value: Any, source: Source | None = None) -> None:
        self.value = value
        self.source = source

    def python_type(self) -> type:
        return type(self.value)

    def is_constant(self) -> bool:
        return True

    def as_constant(self, tx: Tx) -> Any:
        return self.value


class TypedConstant(FixedVariable):
    """A value found by identity and never changed: a dtype, an enum member."""

    def as_argument(self, tx: Tx) -> Any:
        """NumPy takes a member of an IntEnum for an int64, as it does any object that is an int."""
        if isinstance(self.value, int) and -(2**63) <= self.value < 2**63:
            return np.int64(int(self.value))
        return self.value

    def hash_key(self, tx: Tx) -> Hashable:
        is_itself = type(self.value).__hash__ is enum.Enum.__hash__  # no int or text
        return Member(self.value) if is_itself else hash_of(self.value)

    def truth(self, tx: Tx) -> bool:
        return bool(observe(bool, self.value))

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        member = member_of(self.value, name)
        if isinstance(self.value, enum.Enum):
            return self.of_enum(tx, member, name)
        if callable(member) and not isinstance(member, type):
            return ConstantMethodVariable(self, name)
        return fold(tx, getattr, (self, ConstantVariable(name)))

    def of_enum(self, tx: Tx, member: Any, name: str) -> VariableTracker:
        """Methods and properties that the user's enum class defines, and what a member holds."""
        if name in ("name", "value", "_value_", "_name_"):
            return self.held(tx, f"_{name.strip('_')}_", observe(getattr, self.value, name))
        if isinstance(member, types.FunctionType):
            return ConstantMethodVariable(self, name)
        if isinstance(member, property) and isinstance(member.fget, types.FunctionType):
            return tx.call(tx.known(member.fget), self)
        if isinstance(member, types.MethodDescriptorType):
            return ConstantMethodVariable(self, name)
        return self.held(tx, name, observe(getattr, self.value, name))

    def held(self, tx: Tx, name: str, value: Any) -> VariableTracker:
        """What an enumeration's member has under a name: the object itself where it may change."""
        if isinstance(value, enum.Enum | type):
            return tx.known(value)
        if type(value) in ATOMS:
            return constant(value)
        member = ConstSource(Pinned(self.value), f"{type(self.value).__name__}.{self.value._name_}")
        return tx.wrap(value, AttrSource(member, name))

    def call_method(self, tx: Tx, name: str, args: Args, kwargs: Kwargs) -> VariableTracker:
        method = member_of(self.value, name)
        if isinstance(method, types.FunctionType):
            return tx.known(method).call(tx, (self, *args), kwargs)
        if method is None:
            return self.getattr(tx, name).call(tx, args, kwargs)
        return fold(tx, method, (self, *args), kwargs)

    def iterate(self, tx: Tx) -> Iterator[VariableTracker]:
        """The flags that make up a flag."""
        if not isinstance(self.value, enum.Flag):
            return super().iterate(tx)
        return iter([constant(item) for item in observe(list, self.value)])

    def reconstruct(self, code: Emitter) -> None:
        code.load_const(self.value)


class DtypeVariable(TypedConstant):
    """A dtype of which there may be equal ones: with fields, or text of some length."""



class NullVariable(VariableTracker):
    """The interpreter's NULL on the stack."""

    def python_type(self) -> type:
        return type(None)

    def describe(self) -> str:
        return "NULL"


NULL = NullVariable()
NO_SELF = NullVariable()
"""Beside a method that was looked up to be called, which in CPython is a function and its self."""
NONE = ConstantVariable(None)
TRUE = ConstantVariable(True)
FALSE = ConstantVariable(False)
ELLIPSIS = ConstantVariable(Ellipsis)
ZERO = ConstantVariable(0)
ONE = ConstantVariable(1)
LAST = ConstantVariable(-1)
EMPTY_TEXT = ConstantVariable("")
NOT_IMPLEMENTED = ConstantVariable(NotImplemented)

SINGLETONS: dict[type, VariableTracker] = {
    type(None): NONE, type(Ellipsis): ELLIPSIS, type(NotImplemented): NOT_IMPLEMENTED,
}  # fmt: skip

BUILDERS: dict[type, Callable[[Any], VariableTracker]] = {}
"""Type → tracker of a value that the frame itself computed from constants; filled by each kind."""


def builds(*kinds: type) -> Callable[[Callable[[Any], VariableTracker]], Any]:
    """Register how results of folding become trackers."""

    def register(build: Callable[[Any], VariableTracker]) -> Callable[[Any], VariableTracker]:
        BUILDERS.update(dict.fromkeys(kinds, build))
        return build

    return register


def constant(value: Any) -> VariableTracker:
    """The tracker of a value that is known and has no source."""
    if type(value) is bool:
        return TRUE if value else FALSE
    if type(value) in ATOMS:
        return SINGLETONS.get(type(value)) or ConstantVariable(value)
    if (build := BUILDERS.get(type(value))) is not None:
        return build(value)
    if issubclass(type(value), np.dtype | enum.Enum):
        return TypedConstant(value)
    raise GraphBreak(f"a value of type {type(value).__name__} computed while tracing")


def hash_of(value: Any) -> Hashable:
    """The value itself, or the TypeError that it is unhashable."""
    observe(hash, value)
    hashable: Hashable = value
    return hashable


def observe(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Run Python on known values; what it raises, the traced program raises."""
    try:
        return function(*args, **kwargs)
    except (RecursionError, Unsupported, ObservedException):
        raise
    except Exception as error:  # the user's own exception, whatever it is
        raise observed(error) from None


def context_of(error: BaseException) -> BaseException | None:
    """The exception in whose place Python raised another one, where it is not the tracer's own."""
    if (before := error.__context__) is None or (trace := before.__traceback__) is None:
        return before
    is_own = trace.tb_frame.f_code.co_filename.startswith(OWN_FOLDERS)
    return None if is_own else before


def observed(error: BaseException) -> ObservedException:
    """The exception as the traced program sees it."""
    return ObservedException(BUILDERS[BaseException](error))


def run(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any] | None = None
) -> VariableTracker:
    """Call Python's own function on known values and track the result."""
    return constant(observe(function, *args, **(kwargs or {})))


def fold(
    tx: Tx, function: Callable[..., Any], args: Args, kwargs: Kwargs | None = None
) -> VariableTracker:
    """Call a pure function on trackers of constants by running it."""
    for value in (*args, *(kwargs or {}).values()):
        if not value.is_constant():
            name = getattr(function, "__qualname__", repr(function))
            raise GraphBreak(f"{name} of {value.describe()}")
    known = [value.as_constant(tx) for value in args]
    work.done.found_here += getattr(function, "__name__", "") == "__hash__"
    if sys.version_info >= (3, 12) and getattr(function, "__name__", "") in INVERSIONS:
        if type(known[0] if known else getattr(function, "__self__", None)) is bool:
            raise GraphBreak("Python warns of ~ of a bool")
    named = {name: value.as_constant(tx) for name, value in (kwargs or {}).items()}
    if any(isinstance(value, np.generic) for value in known):
        return run(without_warning, (function, *known), named)
    return run(function, known, named)


def without_warning(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What a call of NumPy's numbers gives, where it has nothing to say to the program."""
    try:
        with np.errstate(all="raise"), warnings_as("error"):
            return function(*args, **kwargs)
    except (Warning, FloatingPointError) as warning:
        raise GraphBreak(f"NumPy warns: {warning}") from None


INVERSIONS = frozenset({"invert", "inv", "__invert__"})
