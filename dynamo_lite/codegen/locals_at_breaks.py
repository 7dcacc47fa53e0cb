"""The locals of a frame at a graph break: those needed behind it, and what puts them in place."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType

from ..guards.sources import LocalSource
from ..tracer.object_model.constants import ATOMS
from ..tracer.state.emitter import Push
from ..tracer.state.tracker import VariableTracker
from ..tracer.trackers.arrays.unions import UnionNumber
from .reconstruct import Reconstructor


class LocalsAtBreak:
    """Holds the values of `names`, the locals that are bound and read behind the break; those of
    `unbound` are read and have no value, and `kept_alive` are not read, but seen to end."""

    def __init__(
        self, code: Reconstructor, values: Mapping[str, VariableTracker], original: CodeType,
        origin: FunctionType, live: frozenset[str],
    ) -> None:
        self.code, self.values, self.original = code, values, original
        self.variables = origin.__code__.co_varnames
        self._restored = [
            (name, code.hold(value)) for name, value in values.items()
            if name in live and not self._in_place(name, value)
        ]
        missing = live - {*values}
        parameters = original.co_varnames[: original.co_argcount]
        self._unbound_parameters = [name for name in parameters if name in missing]
        self.names = live.intersection(values, {*self.variables, *original.co_cellvars})
        self.unbound = missing.intersection(self.variables)
        alive = dict(self._seen_outside(live))
        self.kept_alive = frozenset(alive)
        self._restored += [(name, push) for name, push in alive.items() if push is not None]
        filled = {*parameters} - {*original.co_cellvars}  # the slots that a call fills
        self._gone = filled - live.intersection(values) - alive.keys() - {*self._unbound_parameters}

    def put_in_place(self) -> None:
        """Emit that."""
        for name in self._gone:
            self.code.emit("DELETE_FAST", name)
        for name, push in self._restored:
            push()
            self.code.emit("STORE_FAST", name)
        for name in self._unbound_parameters:
            self.code.emit("DELETE_FAST", name)

    def _in_place(self, name: str, value: VariableTracker) -> bool:
        """Whether a local still is the argument that its slot holds."""
        source = value.source
        return (
            isinstance(source, LocalSource)
            and self.original.co_varnames[source.index] == name
            and name not in self.original.co_cellvars
        )

    def _seen_outside(self, live: frozenset[str]) -> Iterator[tuple[str, Push | None]]:
        """Locals that are not read any more, but whose values the program would see ending.

        What pushes a value is None where it is in place."""
        for name, value in self.values.items():
            if name in live or name not in self.variables:
                continue
            if isinstance(value, UnionNumber):  # which is no object that anybody has seen
                continue
            if self._in_place(name, value):
                yield name, None
            elif value.python_type() not in ATOMS and self.code.is_at_hand(value):
                yield name, self.code.hold(value)
