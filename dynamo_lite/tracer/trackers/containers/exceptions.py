"""Exceptions that the traced program makes, raises and catches."""
from __future__ import annotations

import builtins
from collections.abc import Hashable, Mapping, Sequence
from types import (
    FunctionType,
    MemberDescriptorType,
    MethodDescriptorType,
    TracebackType,
    WrapperDescriptorType,
)
from typing import TYPE_CHECKING

from ....base.classes import is_python_class
from ....errors import GraphBreak
from ...object_model import attributes as object_model
from ...object_model.class_attributes import overridden
from ...object_model.constants import (
    BUILDERS,
    FALSE,
    NONE,
    TRUE,
    ConstantVariable,
    constant,
    context_of,
    observe,
    observed,
)
from ...object_model.methods import BuiltinMethodVariable
from ...object_model.refusals import name_in_c
from ...polyfills.language import derive_group, split_group, subgroup
from ...rules.mro import MISSING, answers, lookup, lookup_in
from ...state.tracker import Args, Kwargs, VariableTracker
from .lists import ListVariable
from .sequences import SequenceVariable, TupleVariable

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx


class TracebackVariable(VariableTracker):
    """The traceback of an exception that the trace raised: it is there, and nothing more is known.

    Every `raise` makes another one.
    """

    def python_type(self) -> type:
        return TracebackType

    def truth(self, tx: Tx) -> bool:
        return True

    def describe(self) -> str:
        return "the traceback of an exception"


class ExceptionVariable(VariableTracker):
    """An exception object; `value` is the real one when Python itself made it.

    `attributes` has what was set, and the four that raising sets.
    """

    def __init__(self, kind: type, args: Args, value: BaseException | None = None) -> None:
        self.kind = kind
        self.args = list(args)
        self.value = value
        self.is_initialised = False
        self.given: Sequence[VariableTracker] | None = None
        self.attributes: dict[str, VariableTracker] = {
            "__cause__": NONE, "__context__": NONE, "__suppress_context__": FALSE,
            "__traceback__": NONE,
        }  # fmt: skip

    def python_type(self) -> type:
        return self.kind

    def truth(self, tx: Tx) -> bool:
        return True

    def raised(self, context: VariableTracker | None) -> None:
        """What `raise` does to an exception; `context` is the one that is being handled."""
        came_with = self.attributes["__context__"]
        is_new = self.value is not None and self.attributes["__traceback__"] is NONE
        self.attributes["__traceback__"] = TracebackVariable()
        if context is None or context is self:
            return
        if is_new and isinstance(came_with, ExceptionVariable):  # what C raised before it
            came_with.raised(context)
            return
        follower, seen = context, {self}
        while isinstance(follower, ExceptionVariable) and follower not in seen:
            seen.add(follower)
            following = follower.attributes["__context__"]
            if following is self:  # no new cycle may come of it
                follower.attributes["__context__"] = NONE
            follower = following
        self.attributes["__context__"] = context

    # -- attributes

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        if name == "args":
            return TupleVariable(self.args)
        if name in UNSET:
            return self.attributes[name]
        if name in ("message", "exceptions") and issubclass(self.kind, BaseExceptionGroup):
            return self.args[0] if name == "message" else TupleVariable(self.members(tx))
        raw, base = lookup_in(self.kind.__mro__, name)
        if type(raw) in C_METHODS and not is_python_class(base):
            return BuiltinMethodVariable(self, name)
        return object_model.load(tx, self, self, name)

    def own(self, tx: Tx, name: str) -> VariableTracker | None:
        if name in self.attributes:
            return self.attributes[name]
        if name in ("value", "code") and self.kind in (StopIteration, SystemExit):
            return self.args[0] if self.args else NONE
        if type(lookup(self.kind, name)) is not MemberDescriptorType:
            return None
        field = object_model.held_as(self.rebuilt(tx), name)
        if field is MISSING:  # a slot of the user's
            return None
        for arg in self.given or ():
            if arg.is_constant() and arg.as_constant(tx) is field:
                return arg
        return constant(field)

    def members(self, tx: Tx) -> list[VariableTracker]:
        """The exceptions of a group."""
        return list(tx.iterate(self.args[1]))

    def setattr(self, tx: Tx, name: str, value: VariableTracker) -> None:
        if name == "args":
            if self.given is not None:
                raise GraphBreak(f"setting the arguments of {self.describe()}")
            self.args = list(tx.collect(value))
        elif name in UNSET:
            if value is not NONE and value.is_constant():
                observe(setattr, Exception(), name, value.as_constant(tx))
            self.attributes[name] = value
            if name == "__cause__":
                self.attributes["__suppress_context__"] = TRUE
        else:
            object_model.store(tx, self, self, name, value)

    def store(self, tx: Tx, name: str, value: VariableTracker) -> None:
        self.attributes[name] = value

    def delattr(self, tx: Tx, name: str) -> None:
        object_model.delete(tx, self, self, name)

    def remove(self, tx: Tx, name: str) -> None:
        if name not in self.attributes:
            raise GraphBreak(f"deleting {name!r} of {self.describe()}")
        del self.attributes[name]

    # -- methods

    def method___str__(self, tx: Tx) -> VariableTracker:
        written = lookup(self.kind, "__str__")
        if isinstance(written, FunctionType):
            return tx.call(tx.known(written), self)
        if issubclass(self.kind, BaseExceptionGroup):
            count = len(self.members(tx))
            text = self.args[0].as_constant(tx)
            return constant(f"{text} ({count} sub-exception{'s' if count > 1 else ''})")
        if written is BaseException.__str__ or (written is KeyError.__str__ and self.args[1:]):
            shown = self.args[0] if len(self.args) == 1 else TupleVariable(self.args)
            return tx.call_builtin(str, shown) if self.args else constant("")
        return constant(str(self.rebuilt(tx)))

    def method___repr__(self, tx: Tx) -> VariableTracker:
        written = lookup(self.kind, "__repr__")
        if isinstance(written, FunctionType):
            return tx.call(tx.known(written), self)
        shown = tx.call_builtin(repr, TupleVariable(self.args)).as_constant(tx)
        if len(self.args) == 1:
            shown = shown.removesuffix(",)") + ")"
        return constant(f"{self.kind.__name__}{shown}")

    def rebuilt(self, tx: Tx) -> BaseException:
        """An equal exception object, for Python to look at."""
        if self.value is not None:
            return self.value
        kind = plain_base(self.kind) if self.is_initialised else self.kind
        made: BaseException = kind(*[arg.as_constant(tx) for arg in self.args])
        return made

    def method_with_traceback(self, tx: Tx, traceback: VariableTracker) -> VariableTracker:
        self.attributes["__traceback__"] = traceback
        return self

    def method_add_note(self, tx: Tx, note: VariableTracker) -> VariableTracker:
        if not issubclass(note.python_type(), str):
            kind = name_in_c(note.python_type())
            raise observed(TypeError(f"note must be a str, not '{kind}'"))
        notes = self.attributes.setdefault("__notes__", ListVariable())
        notes.call_method(tx, "append", (note,), {})
        return NONE

    def method_split(self, tx: Tx, condition: VariableTracker) -> VariableTracker:
        return tx.call(tx.known(split_group), self, condition)

    def method_subgroup(self, tx: Tx, condition: VariableTracker) -> VariableTracker:
        return tx.call(tx.known(subgroup), self, condition)

    def method_derive(self, tx: Tx, members: VariableTracker) -> VariableTracker:
        return tx.call(tx.known(derive_group), self, members)

    def hash_key(self, tx: Tx) -> Hashable:
        return self

    # -- leaving the trace

    def reconstruct(self, code: Emitter) -> None:
        """An `__init__` that was traced is not called again."""
        if self.attributes["__traceback__"] is not NONE:
            raise GraphBreak(f"{self.describe()}, which has a traceback, outlives the function")
        code.load_const(BaseException.__new__ if self.is_initialised else self.kind)
        if self.is_initialised:
            code.load_const(self.kind)
        given = self.args if self.given is None else self.given
        for arg in given:
            code.build(arg)
        code.call(len(given) + self.is_initialised)
        for name, value in self.attributes.items():
            if value is not UNSET.get(name):
                code.set_attribute(name, value)

    def describe(self) -> str:
        if self.value is not None:
            return f"{self.kind.__name__}: {self.value}"
        shown = ", ".join(
            repr(arg.value) if isinstance(arg, ConstantVariable) else "…" for arg in self.args
        )
        return f"{self.kind.__name__}({shown})"


C_METHODS = (MethodDescriptorType, WrapperDescriptorType)

UNSET: Mapping[str, VariableTracker] = {
    "__cause__": NONE, "__context__": NONE, "__suppress_context__": FALSE, "__traceback__": NONE,
}  # fmt: skip
"""Attributes of exceptions that raising sets, as they are before."""


def raised_by_python(value: BaseException) -> VariableTracker:
    """The tracker of an exception that Python raised while folding."""
    try:
        args: list[VariableTracker] = [constant(arg) for arg in value.args]
    except GraphBreak:
        raise GraphBreak(f"{type(value).__name__}: {value}") from None
    made = ExceptionVariable(type(value), args, value)
    if (before := context_of(value)) is not None:
        made.attributes["__context__"] = raised_by_python(before)
    if value.__cause__ is not None:
        is_context = value.__cause__ is before
        cause = made.attributes["__context__"] if is_context else raised_by_python(value.__cause__)
        made.attributes["__cause__"] = cause
    made.attributes["__suppress_context__"] = constant(value.__suppress_context__)
    return made


def note_owner(error: VariableTracker, owner: VariableTracker, name: str) -> None:
    """Give an AttributeError of a look-up its `name` and `obj`, unless the program did."""
    if not isinstance(error, ExceptionVariable) or not issubclass(error.kind, AttributeError):
        return
    if not error.attributes.keys() & {"name", "obj"} and getattr(error.value, "obj", None) is None:
        error.attributes |= {"name": ConstantVariable(name), "obj": owner}


BUILDERS[BaseException] = raised_by_python


def no_stop(tx: Tx, error: VariableTracker) -> VariableTracker:
    """PEP 479: StopIteration that leaves a generator becomes RuntimeError."""
    if not issubclass(error.python_type(), StopIteration):
        return error
    converted = ExceptionVariable(RuntimeError, [constant("generator raised StopIteration")])
    converted.setattr(tx, "__cause__", error)
    converted.raised(error)
    return converted

# -- making exceptions


OWN_FIELDS = (OSError, ImportError, UnicodeError, SyntaxError, BaseExceptionGroup)
"""Classes of Python's own that take their arguments apart."""

ARGUMENTS_ONLY = frozenset(
    kind for kind in vars(builtins).values()
    if isinstance(kind, type) and issubclass(kind, BaseException)
    and not issubclass(kind, OWN_FIELDS)
)  # fmt: skip
"""Exception classes of Python whose objects are what their positional arguments say."""


def plain_base(kind: type) -> type[BaseException]:
    """The first class of Python's own that an exception class is derived from."""
    return next(b for b in kind.__mro__ if vars(builtins).get(b.__name__) is b)


def is_plain_exception(kind: type) -> bool:
    """Such a class, or one that the user derived from it without changing how objects are made."""
    return plain_base(kind) in ARGUMENTS_ONLY and _is_made_as_base(kind)


def _is_made_as_base(kind: type, hooks: tuple[str, ...] = ("__new__",)) -> bool:
    own = kind.__mro__[: kind.__mro__.index(plain_base(kind))]
    plain = all(type(vars(k).get("__init__", _plain)) is FunctionType for k in own)
    return plain and not any(hook in vars(k) for k in own for hook in hooks)


def _plain() -> None: ...


def make_exception(tx: Tx, kind: type, args: Args, kwargs: Kwargs) -> ExceptionVariable:
    """`BaseException.__new__` of a class; an `__init__` of the user's is yet to be followed."""
    for hook in object_model.ASKED:
        if overridden(kind, hook):
            raise GraphBreak(f"making a {kind.__name__}, which has its own {hook}")
    is_followed = isinstance(lookup(kind, "__init__"), FunctionType)
    if is_plain_exception(kind) and (is_followed or not kwargs):
        return ExceptionVariable(kind, args)
    if not _is_made_as_base(kind, ("__new__", "__init__")):
        raise GraphBreak(f"making a {kind.__name__}")
    if issubclass(kind, BaseExceptionGroup):
        return _make_group(tx, kind, args)
    known = [arg.as_constant(tx) for arg in args]
    named = {name: value.as_constant(tx) for name, value in kwargs.items()}
    value = observe(kind, *known, **named)
    made = ExceptionVariable(type(value), [constant(arg) for arg in value.args], value)
    made.given = args
    if kwargs:
        made.attributes.update(kwargs)
    return made


def _make_group(tx: Tx, kind: type, args: Args) -> ExceptionVariable:
    """As `BaseExceptionGroup.__new__` does, for arguments that it takes."""
    if len(args) != 2 or args[0].python_type() is not str:
        raise GraphBreak(f"making a {kind.__name__}")
    if not answers(args[1].python_type(), "__getitem__"):
        raise observed(TypeError("second argument (exceptions) must be a sequence"))
    if not isinstance(args[1], SequenceVariable):
        raise GraphBreak(f"making a {kind.__name__} of {args[1].describe()}")
    members = list(args[1].iterate(tx))
    if not members:
        text = "second argument (exceptions) must be a non-empty sequence"
        raise observed(ValueError(text))
    for index, member in enumerate(members):
        if not issubclass(member.python_type(), BaseException):
            text = f"Item {index} of second argument (exceptions) is not an exception"
            raise observed(ValueError(text))
    if all(issubclass(member.python_type(), Exception) for member in members):
        kind = ExceptionGroup if kind is BaseExceptionGroup else kind
    elif issubclass(kind, Exception):
        name = "an ExceptionGroup" if kind is ExceptionGroup else repr(kind.__name__)
        raise observed(TypeError(f"Cannot nest BaseExceptions in {name}"))
    return ExceptionVariable(kind, args)
