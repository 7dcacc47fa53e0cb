"""Storing and deleting attributes: what a class holds under the name decides, as in Python."""
import ctypes

import numpy as np
import pytest

import dynamo_lite as dl

SETUP = """
class Getter:
    def __get__(self, owner, kind=None): return "got"

class Setter(Getter):
    def __set__(self, owner, value): LOG.append(value)

class Deleter(Getter):
    def __delete__(self, owner): LOG.append("deleted")

class Plain: pass
class Empty: __slots__ = ()
class Holding:
    __slots__ = ()
    a = 3
"""
HELD = {
    "nothing": "pass",
    "hook": "__setattr__ = object.__setattr__",
    "hook in Python": "def __delattr__(self, name): super().__delattr__(name)",
    "data": "a = 7",
    "function": "def a(self): return 1",
    "class method": "a = classmethod(lambda cls: 1)",
    "static method": "a = staticmethod(lambda: 1)",
    "property": "a = property(lambda self: 1)",
    "property that sets": "a = property(lambda self: 1, lambda self, value: LOG.append(value))",
    "class": "a = Plain",
    "array": "a = np.ones(2)",
    "getter": "a = Getter()",
    "setter": "a = Setter()",
    "deleter": "a = Deleter()",
    "method of C": "a = str.upper",
    "slot of its own": "__slots__ = ('a',)",
}
BASES = {
    "": "__slots__ = ('b',)",
    "Empty": "__slots__ = ()",
    "Holding": "__slots__ = ()",
    "Plain": "__slots__ = ()",
    "Holding, Plain": "__slots__ = ()",
    "Exception": "__slots__ = ()",
}
BUILTIN = (("int", "set"), ("float", "tuple"), ("str", "list"), ("dict", "complex"))
"""Each kind of class is made of all of them, and so is each change; but not all together."""
CHANGES = {
    "o.a = 5": "o.a = 5",
    "del o.a": "del o.a",
    "setattr": "setattr(o, 'a', x)",
    "delattr": "delattr(o, 'a')",
    "o.a += 1": "o.a += 1",
    "object.__setattr__": "object.__setattr__(o, 'a', 5)",
    "object.__delattr__": "object.__delattr__(o, 'a')",
    "o.__doc__ = 5": "o.__doc__ = 5",
    "del o.__doc__": "del o.__doc__",
    "twice": "o.a = 5; del o.a; del o.a",
    "o.__class__ = 5": "o.__class__ = 5",
    "o.__dict__ = {}": "o.__dict__ = {}",
    "o.set = 1": "o.set(1)",
    "o.drop": "o.drop()",
}
PROGRAM = """
class C({bases}):
    {slots}
    {held}
    def set(self, value): super().__setattr__("a", value)
    def drop(self): super().__delattr__("a")

def program(x, given):
    said = []
    for o in (C(), given):
        try:
            {change}
        except (AttributeError, TypeError) as error:
            said += [type(error).__name__, str(error), error.args]
            if isinstance(error, AttributeError) and not hasattr(o, "__dict__"):
                said += [error.name, error.obj is o]
    return x + 1, said, getattr(o, "a", None), getattr(o, "__dict__", None)
"""


def written(bases, held, change):
    slots = "pass" if held.startswith("__slots__") else BASES.get(bases, "__slots__ = ()")
    return SETUP + PROGRAM.format(bases=bases, slots=slots, held=held, change=CHANGES[change])


def outcomes(text, is_compiled):
    """What two calls gave, as text; functions are named by their class."""
    scope = {"__name__": "__main__", "np": np, "LOG": []}
    exec(text, scope)
    program = scope["program"]
    if is_compiled:
        program = dl.compile(program, backend="eager")
    said = []
    for _ in range(2):
        try:
            said.append(repr(program(np.ones(2), scope["C"]())).partition(" at 0x")[0])
        except Exception as error:
            said.append(repr(error))
    return said, repr(scope["LOG"])


@pytest.mark.parametrize("held", HELD)
@pytest.mark.parametrize("change", CHANGES)
def test_stores_and_deletes(held, change):
    problems = []
    number = [*HELD].index(held) + [*CHANGES].index(change)
    for bases in (*BASES, *BUILTIN[number % len(BUILTIN)]):
        if "slot" in held and bases in ("int", "tuple"):  # have room for none
            continue
        text = written(bases, HELD[held], change)
        with dl.config.patch(strict=True):
            found, expected = outcomes(text, True), outcomes(text, False)
        if found != expected:
            problems.append(f"{bases or 'object'}: {found} is not {expected}")
    assert not problems, "\n".join(problems)


class Slot(ctypes.Structure):
    _fields_ = [("slot", ctypes.c_int), ("function", ctypes.c_void_p)]


class Spec(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("size", ctypes.c_int), ("item_size", ctypes.c_int),
                ("flags", ctypes.c_uint), ("slots", ctypes.POINTER(Slot))]


TP_SETATTR, DEFAULT_AND_IMMUTABLE = 68, 1 << 18 | 1 << 8
STORED = []


@ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p, ctypes.c_void_p)
def store(owner, name, value):
    STORED.append((name.decode(), value is None))
    return 0


def test_types_of_c_that_take_attributes_by_their_oldest_slot():
    """As the functions of f2py do, of which scipy.linalg's are: no `__setattr__` says so."""
    slots = (Slot * 2)(Slot(TP_SETATTR, ctypes.cast(store, ctypes.c_void_p)), Slot(0, None))
    make = ctypes.pythonapi.PyType_FromSpec
    make.restype, make.argtypes = ctypes.py_object, [ctypes.POINTER(Spec)]
    kind = make(Spec(b"tests.old", object.__basicsize__, 0, DEFAULT_AND_IMMUTABLE, slots))

    def sets(x, owner):
        try:
            owner.kind = 1
            del owner.kind
        except AttributeError:
            return x * 7
        return x

    STORED.clear()
    assert dl.compile(sets)(np.ones(2), object.__new__(kind)).tolist() == [1, 1]
    assert STORED == [("kind", False), ("kind", True)]
