"""Facts of classes that a later call finds changed."""
import abc

import numpy as np
import pytest

import dynamo_lite as dl

SETUP = """
class Base:
    def method(self): return "base"

class Mixin:
    def method(self): return "mixin"

class Between(Base): pass

class Kind(Between):
    "text"

    def told(self): return super().method()

class Meta(type):
    def told(cls): return "meta"

class Made(metaclass=Meta): pass

class Abstract(abc.ABC): pass

class Field:
    def __init__(self, value): self.value = value
    def __get__(self, owner, kind=None): return "field", self.value

class Setter(Field):
    def __set__(self, owner, value): LOG.append((self.value, value))
    def __delete__(self, owner): LOG.append((self.value, "deleted"))

class Fields:
    field, setter = Field(1), Setter(1)

LOG, one, fields = [], Kind(), Fields()

def changed(owner):
    owner.setter = 5
    del owner.setter
    return LOG[-2:]
"""
FACTS = {
    "type(one).__name__": ("Kind.__name__ = 'Other'", "Kind.__name__ = 'Kind'"),
    "Kind.__doc__": ("Kind.__doc__ = 'other'", "Kind.__doc__ = None"),
    "[kind.__name__ for kind in Kind.__mro__]": ("Kind.__bases__ = Mixin, Base", "Kind.__bases__ = (Base,)"),
    "one.told()": ("Between.method = lambda self: 'between'", "del Between.method"),
    "one.method()": ("Kind.__bases__ = Mixin, Base", "Kind.__bases__ = (Base,)"),
    "isinstance(one, Abstract)": ("Abstract.register(Kind)", ""),
    "issubclass(Kind, Abstract)": ("Abstract.register(Kind)", ""),
    "Made.told()": ("Made.told = lambda: 'own'", "del Made.told"),
    "fields.field": ("Fields.field = Field(2)", "Fields.field = 3"),
    "Fields.field": ("Fields.field = Field(2)", "Fields.field = 3"),
    "changed(fields)": ("Fields.setter = Setter(2)", "Fields.setter = Setter(3)"),
}  # fmt: skip


@pytest.mark.parametrize("fact", FACTS)
def test_a_changed_fact_is_seen(fact):
    outcomes = []
    for is_compiled in (False, True):
        names = {"abc": abc, "__name__": __name__}
        exec(f"{SETUP}\ndef read(x): return x * 2, {fact}", names)
        read = dl.compile(names["read"], backend="eager") if is_compiled else names["read"]
        found = []
        for change in ("", *FACTS[fact]):
            exec(change, names)
            found += [repr(read(np.ones(2))), repr(read(np.ones(2)))]
        outcomes.append(found)
    assert outcomes[0] == outcomes[1]
