"""Types, attributes and what classes inherit from object."""
from __future__ import annotations

import sys
import types
from abc import ABCMeta
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base import work
from ...base.classes import is_python_class
from ...base.records import dataclass
from ...errors import GraphBreak
from ...guards.kinds import CALL
from ..object_model import attributes as object_model
from ..object_model.class_attributes import class_attribute, class_source, has_own_class
from ..object_model.constants import (
    FALSE,
    NONE,
    TRUE,
    ConstantVariable,
    constant,
    fold,
    observe,
    observed,
)
from ..object_model.refusals import returned
from ..rules.local_classes import PLACEHOLDERS, is_local
from ..rules.mro import MISSING, is_subtype, lookup
from ..state.tracker import ObservedException, VariableTracker
from ..trackers.arrays.arrays import ArrayVariable, array_library
from ..trackers.containers.exceptions import ARGUMENTS_ONLY, ExceptionVariable
from ..trackers.containers.sequences import TupleVariable
from ..trackers.objects.classes import ClassVariable
from ..trackers.objects.ids import IdVariable
from ..trackers.objects.objects import ObjectVariable, new_object
from ..trackers.objects.supers import SuperVariable
from .class_statements import type_of_three
from .table import handles

if TYPE_CHECKING:
    from ..state.tx import Tx


@handles(isinstance)
def builtin_isinstance(
    tx: Tx, value: VariableTracker, classes: VariableTracker
) -> VariableTracker:
    return constant(any(_is_instance(tx, value, k) for k in class_list(tx, classes)))


def _is_instance(tx: Tx, value: VariableTracker, kind: VariableTracker) -> bool:
    """`type(kind).__instancecheck__`, which may be the user's or that of protocols."""
    base = kind.as_constant(tx)
    check = lookup(type(base), "__instancecheck__") if isinstance(base, type) else MISSING
    if value.python_type() is base:
        return True
    if has_own_class(value.python_type()):
        raise GraphBreak(f"an instance check of {value.describe()}, which answers for its class")
    if check is type.__instancecheck__:
        return is_subtype(value.python_type(), base)
    if check in PLAIN_CHECKS or not isinstance(check, types.FunctionType):
        return _is_subclass(tx, value.python_type(), base)
    if type(base).__module__ != "typing":
        method = class_attribute(tx, type(base), "__instancecheck__", check)
        return tx.truth(method.call(tx, (kind, value), {}))
    if isinstance(value, ConstantVariable):
        return bool(observe(isinstance, value.as_constant(tx), base))
    if value.in_graph and array_library(value) == "numpy":  # it has what its class has
        made = np.empty(0) if value.python_type() is np.ndarray else value.python_type()()
        return bool(observe(isinstance, made, base))
    if getattr(base, "_is_protocol", False) and not _asks_for_methods(base):
        raise GraphBreak(f"whether {value.describe()} has what {base.__name__} asks for")
    if observe(issubclass, value.python_type(), base):
        return True
    raise GraphBreak(f"whether {value.describe()} has what {base.__name__} asks for")


def _asks_for_methods(protocol: Any) -> bool:
    """Whether `issubclass` takes a protocol: all of its members are methods."""
    try:
        issubclass(object, protocol)
    except TypeError:
        return False
    return True


@handles(issubclass)
def builtin_issubclass(
    tx: Tx, kind: VariableTracker, classes: VariableTracker
) -> VariableTracker:
    known = kind.as_constant(tx)
    if isinstance(known, types.GenericAlias):
        raise GraphBreak(f"whether {known} is a subclass")
    if not isinstance(known, type):
        raise observed(TypeError("issubclass() arg 1 must be a class"))
    found = (_is_subclass(tx, known, k.as_constant(tx)) for k in class_list(tx, classes))
    return constant(any(found))


def class_list(tx: Tx, classes: VariableTracker) -> list[VariableTracker]:
    """The classes of a class, a union or a nested tuple of those."""
    if isinstance(classes, TupleVariable):
        return [k for item in classes.iterate(tx) for k in class_list(tx, item)]
    known = classes.as_constant(tx)
    if isinstance(known, types.UnionType):
        return [tx.known(kind) for kind in known.__args__]
    return [classes]


def _is_subclass(tx: Tx, kind: type, base: Any) -> bool:
    if not isinstance(base, type):
        raise GraphBreak(f"an instance check against {base!r}")
    if type(base).__instancecheck__ not in PLAIN_CHECKS:
        raise GraphBreak(f"the metaclass of {base.__name__} has its own instance check")
    if isinstance(lookup(type(base), "__subclasscheck__"), types.FunctionType) and not isinstance(
        base, ABCMeta
    ):
        raise GraphBreak(f"the metaclass of {base.__name__} has its own subclass check")
    hook = getattr(lookup(base, "__subclasshook__"), "__func__", None)
    if isinstance(hook, types.FunctionType) and hook in PLACEHOLDERS:
        raise GraphBreak(f"the __subclasshook__ of {base.__name__}")
    found = bool(observe(issubclass, kind, base))
    if isinstance(base, ABCMeta) and base not in kind.__mro__ and _may_register(kind, base):
        source = class_source(base)
        tx.guards.install(source, CALL, Registered(kind, found), tx.location())
    return found


def _may_register(kind: type, base: type) -> bool:
    """Whether a program may yet say, without code of its own, that the class is a subclass."""
    if is_local(kind) or is_local(base):
        return False
    hook = getattr(lookup(base, "__subclasshook__"), "__func__", None)
    is_of_library = base.__module__.partition(".")[0] in sys.stdlib_module_names
    is_user_code = isinstance(hook, types.FunctionType) and not is_of_library
    return not is_user_code and (is_python_class(kind) or not is_of_library)


@dataclass(frozen=True, slots=True)
class Registered:
    """A guard: whether an abstract class takes another one for its subclass."""

    kind: type
    answer: bool

    @property
    def __name__(self) -> str:
        return f"{self.kind.__name__} is {'' if self.answer else 'not '}a subclass of it"

    def __call__(self, base: type) -> bool:
        return issubclass(self.kind, base) is self.answer


PLAIN_CHECKS = (type.__instancecheck__, ABCMeta.__instancecheck__)


@handles(*{kind.__init__ for kind in ARGUMENTS_ONLY})
def exception_init(
    tx: Tx, error: VariableTracker, *args: VariableTracker
) -> VariableTracker:
    """`super().__init__(...)` in an exception class of the user's."""
    if not isinstance(error, ExceptionVariable):
        raise GraphBreak(f"initialising {error.describe()}")
    error.args = list(args)
    return NONE


@handles(type)
def builtin_type(
    tx: Tx, *args: VariableTracker, **keywords: VariableTracker
) -> VariableTracker:
    if len(args) == 3:
        return type_of_three(tx, *args, **keywords)
    if len(args) != 1 or keywords:
        raise GraphBreak("type() with other than one or three arguments")
    return tx.known(args[0].python_type())


def _name(tx: Tx, function: Any, name: VariableTracker, *value: Any) -> str:
    """The name of an attribute; what is none, `function` itself refuses."""
    known = name.as_constant(tx)
    if not isinstance(known, str):
        observe(function, object(), known, *value)
    if type(known) is not str:
        raise GraphBreak(f"an attribute named by a {type(known).__name__}")
    return known


@handles(getattr)
def builtin_getattr(
    tx: Tx, owner: VariableTracker, name: VariableTracker,
    default: VariableTracker | None = None, /,
) -> VariableTracker:
    try:
        return tx.getattr(owner, _name(tx, getattr, name))
    except ObservedException as raised:
        if default is not None and issubclass(raised.value.python_type(), AttributeError):
            return default
        raise


@handles(hasattr)
def builtin_hasattr(
    tx: Tx, owner: VariableTracker, name: VariableTracker
) -> VariableTracker:
    try:
        tx.getattr(owner, _name(tx, hasattr, name))
    except ObservedException as raised:
        if issubclass(raised.value.python_type(), AttributeError):
            return FALSE
        raise
    return TRUE


@handles(setattr)
def builtin_setattr(
    tx: Tx, owner: VariableTracker, name: VariableTracker, value: VariableTracker
) -> VariableTracker:
    owner.setattr(tx, _name(tx, setattr, name, None), value)
    return NONE


@handles(delattr)
def builtin_delattr(
    tx: Tx, owner: VariableTracker, name: VariableTracker
) -> VariableTracker:
    owner.delattr(tx, _name(tx, delattr, name))
    return NONE


@handles(super)
def builtin_super(tx: Tx, *args: VariableTracker) -> VariableTracker:
    if not args:
        if (cell := tx.locals.get("__class__")) is None:
            missing = "__class__ cell not found" if tx.code.co_argcount else "no arguments"
            raise observed(RuntimeError(f"super(): {missing}"))
        args = cell.load(tx, "__class__", True), tx.first_argument()  # type: ignore[attr-defined]
    if len(args) != 2:
        raise GraphBreak("an unbound super object")
    if not issubclass(kind := args[0].python_type(), type):
        raise observed(TypeError(f"super() argument 1 must be a type, not {kind.__name__}"))
    return SuperVariable(args[0].as_constant(tx), args[1])


@handles(sys.exc_info)
def exc_info(tx: Tx) -> VariableTracker:
    if not tx.all_handled:
        return TupleVariable([NONE, NONE, NONE])
    error = tx.all_handled[-1]
    kind, traceback = tx.known(error.python_type()), tx.getattr(error, "__traceback__")
    return TupleVariable([kind, error, traceback])


@handles(sys.exception)
def current_exception(tx: Tx) -> VariableTracker:
    return tx.all_handled[-1] if tx.all_handled else NONE


@handles(type.__call__)
def type_call(
    tx: Tx, kind: VariableTracker, *args: VariableTracker, **kwargs: VariableTracker
) -> VariableTracker:
    if not isinstance(kind, ClassVariable):
        raise GraphBreak(f"making a {kind.describe()}")
    return kind.make_plainly(tx, args, kwargs)


@handles(object.__init__)
def object_init(tx: Tx, owner: VariableTracker) -> VariableTracker:
    return NONE


@handles(object.__new__)
def object_new(
    tx: Tx, kind: VariableTracker, *args: VariableTracker, **kwargs: VariableTracker
) -> VariableTracker:
    if not isinstance(kind, ClassVariable):
        raise GraphBreak(f"making a {kind.describe()}")
    return kind.new_object(tx, args, kwargs)


@handles(object.__setattr__)
def object_setattr(
    tx: Tx, owner: VariableTracker, name: VariableTracker, value: VariableTracker
) -> VariableTracker:
    if not isinstance(owner, ObjectVariable):
        raise GraphBreak(f"object.__setattr__ of {owner.describe()}")
    tx.store_attribute(owner, name.as_constant(tx), value)
    return NONE


@handles(object.__delattr__)
def object_delattr(
    tx: Tx, owner: VariableTracker, name: VariableTracker
) -> VariableTracker:
    if not isinstance(owner, ObjectVariable):
        raise GraphBreak(f"object.__delattr__ of {owner.describe()}")
    object_model.delete(tx, owner, owner, name.as_constant(tx), plain=True)
    return NONE


@handles(object.__getattribute__)
def object_getattribute(
    tx: Tx, owner: VariableTracker, name: VariableTracker
) -> VariableTracker:
    if not isinstance(owner, ObjectVariable):
        raise GraphBreak(f"object.__getattribute__ of {owner.describe()}")
    return owner.plain_getattr(tx, name.as_constant(tx))


@handles(object)
def make_object(tx: Tx) -> VariableTracker:
    return new_object(tx, object)


@handles(callable)
def builtin_callable(tx: Tx, value: VariableTracker) -> VariableTracker:
    return constant(lookup(value.python_type(), "__call__") is not MISSING)


@handles(id)
def builtin_id(tx: Tx, value: VariableTracker) -> VariableTracker:
    if value.is_constant() or (value.in_graph and not isinstance(value, ArrayVariable)):
        raise GraphBreak(f"the id of {value.describe()}")
    work.done.found_here += 1
    return IdVariable(value)


def hash_given(tx: Tx, value: VariableTracker) -> VariableTracker:
    """The hash that C makes of what `__hash__` gave."""
    given = (value.contents or value).as_constant(tx)
    kind = type("Hashed", (), {"__hash__": lambda self: int(given)})
    return constant(hash(kind()))


@handles(hash)
def builtin_hash(tx: Tx, value: VariableTracker) -> VariableTracker:
    work.done.found_here += 1
    if isinstance(value, ObjectVariable):
        if lookup(value.kind, "__hash__") is None:
            value.hash_key(tx)  # says that there is none
        text = "__hash__ method should return an integer"
        return hash_given(tx, returned(value.call_method(tx, "__hash__", (), {}), int, text))
    return fold(tx, hash, (value,))
