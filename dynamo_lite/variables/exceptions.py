"""Exceptions that the traced program makes, raises and catches."""
from __future__ import annotations

from collections.abc import Hashable, Sequence
from types import FunctionType
from typing import TYPE_CHECKING

from ..errors import GraphBreak
from .base import VariableTracker
from .constants import BUILDERS, FALSE, NONE, ConstantVariable, constant
from .object_model import lookup, python_method
from .sequences import TupleVariable

if TYPE_CHECKING:
    from ..reconstruct import Reconstructor
    from ..translator import Translator


class ExceptionVariable(VariableTracker):
    """An exception object; `value` is the real one when Python itself raised it."""

    def __init__(
        self, kind: type, args: Sequence[VariableTracker], value: BaseException | None = None
    ) -> None:
        self.kind = kind
        self.args = list(args)
        self.value = value
        self.is_initialised = False
        self.attributes: dict[str, VariableTracker] = {
            "__cause__": NONE, "__context__": NONE, "__suppress_context__": FALSE,
        }  # fmt: skip

    def python_type(self) -> type:
        return self.kind

    def truth(self, tx: Translator) -> bool:
        return True

    def getattr(self, tx: Translator, name: str) -> VariableTracker:
        if name == "args":
            return TupleVariable(self.args)
        if name in self.attributes:
            return self.attributes[name]
        if name == "value" and self.kind is StopIteration:
            return self.args[0] if self.args else NONE
        if self.value is not None and type(found := getattr(self.value, name, None)) is str:
            return constant(found)
        return python_method(tx, self, name)

    def setattr(self, tx: Translator, name: str, value: VariableTracker) -> None:
        if name == "args":
            raise GraphBreak(f"setting the arguments of {self.describe()}")
        self.attributes[name] = value

    def method___str__(self, tx: Translator) -> VariableTracker:
        if isinstance(written := lookup(self.kind, "__str__"), FunctionType):
            return tx.call(tx.known(written), self)
        return constant(str(self.rebuilt(tx)))

    def method___repr__(self, tx: Translator) -> VariableTracker:
        return constant(repr(self.rebuilt(tx)))

    def rebuilt(self, tx: Translator) -> BaseException:
        """An equal exception object, for Python to format."""
        if self.value is not None:
            return self.value
        if self.is_initialised:
            return plain_base(self.kind)(*[arg.as_constant(tx) for arg in self.args])
        made: BaseException = self.kind(*[arg.as_constant(tx) for arg in self.args])
        return made

    def method_with_traceback(self, tx: Translator, traceback: VariableTracker) -> VariableTracker:
        return self

    def hash_key(self, tx: Translator) -> Hashable:
        return self

    def reconstruct(self, code: Reconstructor) -> None:
        """An `__init__` that was traced is not called again."""
        if not self.is_initialised:
            code.load_callable(self.kind)
            for arg in self.args:
                code.build(arg)
            return code.call(len(self.args))
        code.load_callable(BaseException.__new__)
        code.load_const(self.kind)
        for arg in self.args:
            code.build(arg)
        code.call(1 + len(self.args))
        for name, value in self.attributes.items():
            if name not in UNSET:
                code.set_attribute(name, value)
        return None

    def describe(self) -> str:
        if self.value is not None:
            return f"{self.kind.__name__}: {self.value}"
        shown = ", ".join(
            repr(arg.value) if isinstance(arg, ConstantVariable) else "…" for arg in self.args
        )
        return f"{self.kind.__name__}({shown})"


def raised_by_python(value: BaseException) -> VariableTracker:
    """The tracker of an exception that Python raised while folding."""
    try:
        args: list[VariableTracker] = [constant(arg) for arg in value.args]
    except GraphBreak:
        raise GraphBreak(f"{type(value).__name__}: {value}") from None
    return ExceptionVariable(type(value), args, value)


BUILDERS[BaseException] = raised_by_python


ARGUMENTS_ONLY = (
    ArithmeticError, ZeroDivisionError, OverflowError, FloatingPointError, AssertionError,
    AttributeError, BufferError, EOFError, Exception, BaseException, IndexError, KeyError,
    LookupError, NameError, NotImplementedError, RecursionError, ReferenceError, RuntimeError,
    StopIteration, TypeError, UnboundLocalError, ValueError, ArithmeticError, Warning, UserWarning,
    DeprecationWarning, RuntimeWarning, KeyboardInterrupt,
)  # fmt: skip
"""Exception classes of Python whose objects are what their positional arguments say."""


UNSET = ("__cause__", "__context__", "__suppress_context__", "__traceback__")
"""Attributes of exceptions that raising sets."""


def plain_base(kind: type) -> type[BaseException]:
    """The first class of Python's own that an exception class is derived from."""
    return next(b for b in kind.__mro__ if b.__module__ == "builtins")


def is_plain_exception(kind: type) -> bool:
    """Such a class, or one that the user derived from it without changing how objects are made."""
    base = plain_base(kind)
    own = kind.__mro__[: kind.__mro__.index(base)]
    plain = all(type(vars(k).get("__init__", _plain)) is FunctionType for k in own)
    return base in ARGUMENTS_ONLY and plain and not any("__new__" in vars(k) for k in own)


def _plain() -> None: ...
