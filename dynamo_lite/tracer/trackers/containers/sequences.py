"""Tuples and lists: items in order, known while tracing."""
from __future__ import annotations

import operator
from collections import deque
from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ....errors import GraphBreak
from ....guards.kinds import LENGTH
from ....guards.sources import ItemSource, Source, is_temporary
from ...object_model.attributes import python_method
from ...object_model.callables import KnownVariable
from ...object_model.class_attributes import overridden
from ...object_model.constants import (
    NOT_IMPLEMENTED,
    ConstantVariable,
    builds,
    constant,
    observe,
    observed,
)
from ...object_model.known_indices import NOT_FITTING, fitting, index_constant
from ...object_model.lazy import LazyVariable, realise_at
from ...object_model.refusals import handed_over, name_in_c, returned
from ...object_model.sequence_arguments import check_sequence
from ...rules.mro import answers, is_subtype
from ...state.tracker import Args, Kwargs, ObservedException, VariableTracker
from .slices import SliceVariable

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx

PLAIN_KINDS = (tuple, list)
SEQUENCES = (tuple, list, deque)

LONGEST = 10_000
"""Sequences longer than this are left to Python."""


class SequenceVariable(VariableTracker):
    """What tuples and lists share. `unread` is the object `outside` until its items are looked
    at."""

    kind: type = tuple
    takes_slices = True
    no_index = "{base} indices must be integers or slices, not {kind}"

    def __init__(
        self,
        items: Sequence[VariableTracker] = (),
        source: Source | None = None,
        unread: Any = None,
    ) -> None:
        self._items = list(items)
        self.source = source
        self.unread = self.outside = unread
        self.whole: VariableTracker | None = None

    def python_type(self) -> type:
        return self.kind

    @property
    def base(self) -> type:
        """The type of Python's own that the sequence is."""
        return next(base for base in SEQUENCES if issubclass(self.kind, base))

    def items(self, tx: Tx) -> list[VariableTracker]:
        """The items, possibly lazy ones; the length is guarded."""
        if self.unread is not None:
            self.read(tx)
        return self._items

    def read(self, tx: Tx) -> None:
        outside = self.unread
        assert self.source is not None
        if len(outside) > LONGEST:
            raise GraphBreak(f"{self.describe()} has {len(outside)} items")
        policy = tx.shapes.policy
        may_fix = policy.may_fix if is_temporary(self.source) else policy.may_fix_contents
        if not may_fix(self.source, len(outside)):
            raise GraphBreak(f"Python needs {self.source}, whose length keeps changing")
        self.unread = None  # not before: who goes on after a break asks again
        tx.guards.install(self.source, LENGTH, outside, tx.location())
        container = self.kind if self.whole is None else self.whole.python_type()
        self._items[:0] = [
            LazyVariable(item, ItemSource(self.source, index, container))
            for index, item in enumerate(outside)
        ]

    @property
    def is_exact_tuple(self) -> bool:
        return self.kind is tuple and self.whole is None

    def built_items(self) -> list[VariableTracker]:
        """The items of a sequence that has been read or was made by the frame."""
        return self._items

    def as_argument(self, tx: Tx) -> Any:
        return self.python([item.as_argument(tx) for item in self.iterate(tx)])

    @staticmethod
    def python(items: list[Any]) -> Any:
        """The Python object that holds `items`."""
        return tuple(items)

    def made(self, items: Sequence[VariableTracker]) -> SequenceVariable:
        """A new sequence of Python's own type, as slicing and concatenation make it."""
        if len(items) > LONGEST:
            raise GraphBreak(f"a {self.kind.__name__} of {len(items)} items")
        return self.plain(items)

    @staticmethod
    def plain(items: Sequence[VariableTracker]) -> SequenceVariable:
        """A new tuple or list."""
        return TupleVariable(items)

    def call_method(self, tx: Tx, name: str, args: Args, kwargs: Kwargs) -> VariableTracker:
        if self.kind not in PLAIN_KINDS and overridden(self.kind, name):
            return python_method(tx, self, name).call(tx, args, kwargs)
        return super().call_method(tx, name, args, kwargs)

    def truth(self, tx: Tx) -> bool:
        if self.kind not in PLAIN_KINDS and overridden(self.kind, "__bool__"):
            text = "__bool__ should return bool, returned {kind}"
            answer = python_method(tx, self, "__bool__").call(tx, (), {})
            return returned(answer, bool, text).truth(tx)
        if self.kind not in PLAIN_KINDS and overridden(self.kind, "__len__"):
            raise GraphBreak(f"the truth of {self.describe()}, whose class has its own __len__")
        return bool(self.items(tx))

    def iterate(self, tx: Tx) -> Iterator[VariableTracker]:
        index = 0
        while index < len(self.items(tx)):
            yield realise_at(tx, self._items, index)
            index += 1

    def method___len__(self, tx: Tx) -> VariableTracker:
        return ConstantVariable(len(self.items(tx)))

    def method___getitem__(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        if isinstance(key, SliceVariable) and self.takes_slices:
            known = key.as_constant(tx)
            part = observe(self.items(tx).__getitem__, known)
            is_whole = known.step in (None, 1) and len(part) == len(self.items(tx))
            return self if is_whole and self.is_exact_tuple else self.made(part)
        return realise_at(tx, self.items(tx), self.checked_index(tx, key))

    def checked_index(self, tx: Tx, key: VariableTracker, use: str = "") -> int:
        """A known index, made non-negative; `use` is part of Python's words for errors."""
        name = self.base.__name__
        refusal = self.no_index.format(base=name, kind="{}")
        text = NOT_FITTING.format(name_in_c(key.python_type()))
        index = fitting(index_constant(tx, key, refusal), IndexError, text)
        length = len(self.items(tx))
        if not -length <= index < length:
            raise observed(IndexError(f"{name} {use if name == 'list' else ''}index out of range"))
        return index % length

    def method___iter__(self, tx: Tx) -> VariableTracker:
        return tx.iterator(self)

    def method___contains__(self, tx: Tx, value: VariableTracker) -> VariableTracker:
        if (known := tx.answer("__contains__", self, value)) is not None:
            return known
        return constant(any(tx.is_equal(item, value) for item in self.iterate(tx)))

    def method_index(self, tx: Tx, value: VariableTracker) -> VariableTracker:
        if (known := tx.answer("index", self, value)) is not None:
            return known
        for index, item in enumerate(self.iterate(tx)):
            if tx.is_equal(item, value):
                return ConstantVariable(index)
        if self.base is tuple:
            raise observed(ValueError("tuple.index(x): x not in tuple"))
        raise self.lacks(tx, value)

    def lacks(self, tx: Tx, value: VariableTracker) -> ObservedException:
        shown = tx.call_builtin(repr, value).as_constant(tx)
        return observed(ValueError(f"{shown} is not in {self.base.__name__}"))

    def method_count(self, tx: Tx, value: VariableTracker) -> VariableTracker:
        if (known := tx.answer("count", self, value)) is not None:
            return known
        return ConstantVariable(sum(tx.is_equal(item, value) for item in self.iterate(tx)))

    def method___add__(self, tx: Tx, other: VariableTracker) -> VariableTracker:
        other = other.contents or other
        if not isinstance(other, SequenceVariable) or other.base is not self.base:
            return handed_over(self.base, other)
        for one, empty in ((self, other), (other, self)):
            if one.is_exact_tuple and not empty.items(tx):
                return one  # CPython makes no copy
        return self.made([*self.items(tx), *other.items(tx)])

    def method___mul__(self, tx: Tx, times: VariableTracker) -> VariableTracker:
        if not answers(times.python_type(), "__index__"):
            return NOT_IMPLEMENTED
        count = fitting(index_constant(tx, times), OverflowError)
        if count > 0 and len(self.items(tx)) * count > LONGEST:
            raise GraphBreak(f"a {self.kind.__name__} of {len(self._items) * count} items")
        if count == 1 and self.is_exact_tuple:
            return self
        return self.made(self.items(tx) * count)

    method___rmul__ = method___mul__

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        return python_method(tx, self, name)


class TupleVariable(SequenceVariable):
    """A tuple, or an instance of a NamedTuple class (`kind`)."""

    def __init__(
        self,
        items: Sequence[VariableTracker] = (),
        source: Source | None = None,
        unread: Any = None,
        kind: type = tuple,
        literal: tuple[Any, ...] | None = None,
    ) -> None:
        super().__init__(items, source, unread)
        self.kind = kind
        self.literal = literal

    def check_argument(self, target: Any, args: Args) -> None:
        if self.kind is not tuple:
            check_sequence(self, target, args)

    def is_constant(self) -> bool:
        if self.kind is not tuple:
            return False
        if self.unread is not None:
            return all(is_constant_tuple_item(item) for item in self.unread)
        return all(item.is_constant() for item in self._items)

    def as_constant(self, tx: Tx) -> Any:
        if self.kind is not tuple:
            return super().as_constant(tx)
        return tuple([item.as_constant(tx) for item in self.iterate(tx)])

    def hash_key(self, tx: Tx) -> Hashable:
        return tuple([item.hash_key(tx) for item in self.iterate(tx)])

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        fields = getattr(self.kind, "_fields", ())
        if name in fields:
            return realise_at(tx, self.items(tx), fields.index(name))
        if name == "_fields" and fields:
            return TupleVariable([ConstantVariable(field) for field in fields])
        return python_method(tx, self, name)

    def method__replace(self, tx: Tx, **changes: VariableTracker) -> VariableTracker:
        fields = self.kind._fields  # type: ignore[attr-defined]
        if unknown := [name for name in changes if name not in fields]:
            raise observed(ValueError(f"Got unexpected field names: {unknown!r}"))
        items = [changes.get(name, item) for name, item in zip(fields, self.items(tx))]
        return TupleVariable(items, kind=self.kind)

    def reconstruct(self, code: Emitter) -> None:
        if self.literal is not None:
            return code.load_const(self.literal)
        if self.kind is not tuple:
            code.load_const(tuple.__new__)
            code.load_const(self.kind)
        for item in self._items:
            code.build(item)
        code.emit("BUILD_TUPLE", len(self._items))
        if self.kind is not tuple:
            code.call(2)


class KnownTuple(KnownVariable):
    """A tuple of the interpreter's that has named items, such as `sys.version_info`."""

    def __init__(self, value: Any, source: Source | None = None) -> None:
        super().__init__(value, source)
        self.contents: VariableTracker = constant(tuple(value))

    def iterate(self, tx: Tx) -> Iterator[VariableTracker]:
        return self.contents.iterate(tx)

    def method___len__(self, tx: Tx) -> VariableTracker:
        return ConstantVariable(len(self.value))

    def method___getitem__(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        return constant(observe(operator.getitem, self.value, key.as_constant(tx)))


def is_named_tuple(kind: type) -> bool:
    """A class whose instances are tuples and nothing else."""
    is_one = is_subtype(kind, tuple) and answers(kind, "_fields")
    return is_one and kind.__dictoffset__ == 0


def is_constant_tuple_item(value: Any) -> bool:
    if type(value) is tuple:
        return all(map(is_constant_tuple_item, value))
    return type(value) in (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))


@builds(tuple)
def _tuple(value: tuple[Any, ...]) -> VariableTracker:
    return TupleVariable([constant(item) for item in value])
