"""Random states that a graph advances: recorded before a call, restored when it bails out."""
from __future__ import annotations

import ctypes
import random
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from ..base.records import dataclass
from ..ir.graph import Graph
from ..ir.node import Node
from ..ir.row import Effect, row_of
from ..ir.types import OBJECT
from ..native import BAILOUT

RandomOwner = np.random.RandomState | np.random.Generator | random.Random
LEGACY_STATE = getattr(np.random.get_state, "__self__", None)
MERSENNE_BYTES = 624 * 4 + 4  # the words and the position among them
UNIFORM = frozenset(
    "rand random random_sample ranf sample randint random_integers choice permutation shuffle "
    "uniform bytes tomaxint".split()
)
"""Methods of RandomState that use its generator alone, not the normal number it may have left."""


@dataclass(frozen=True, slots=True)
class Keeper:
    """How a kind of state is recorded and restored."""

    save: Callable[[Any], Any]
    put_back: Callable[[Any, Any], None]


def _save_words(owner: Any) -> bytes:
    return ctypes.string_at(owner._bit_generator.ctypes.state_address, MERSENNE_BYTES)


def _put_words_back(owner: Any, words: bytes) -> None:
    ctypes.memmove(owner._bit_generator.ctypes.state_address, words, MERSENNE_BYTES)


WORDS = Keeper(_save_words, _put_words_back)
"""The memory of a Mersenne twister: a hundredth of the time that NumPy takes to list it."""
LEGACY = Keeper(
    lambda owner: owner.get_state(legacy=False), lambda owner, state: owner.set_state(state)
)
GENERATOR = Keeper(
    lambda owner: owner.bit_generator.state,
    lambda owner, state: setattr(owner.bit_generator, "state", state),
)


PYTHON_BYTES = 4 + 624 * 4  # the position and the words


def _save_python(owner: Any) -> tuple[bytes, float | None]:
    words = ctypes.string_at(id(owner) + object.__basicsize__, PYTHON_BYTES)
    return words, owner.gauss_next


def _put_python_back(owner: Any, state: tuple[bytes, float | None]) -> None:
    ctypes.memmove(id(owner) + object.__basicsize__, state[0], PYTHON_BYTES)
    owner.gauss_next = state[1]


PYTHON_WORDS = Keeper(_save_python, _put_python_back)
PYTHON = Keeper(lambda owner: owner.getstate(), lambda owner, state: owner.setstate(state))


@cache
def has_known_python_layout() -> bool:
    """Whether the memory of Python's own generator is what this module takes it for."""
    state = random.Random(5)
    state.random()
    *words, position = state.getstate()[1]
    found = np.frombuffer(_save_python(state)[0], np.uint32)
    return type(state).__basicsize__ >= object.__basicsize__ + PYTHON_BYTES and (
        found.tolist() == [position, *words]
    )


class PermutedState:
    """The memory of PCG64 generators: a fraction of the time that NumPy takes to list it."""

    def __init__(self) -> None:
        self.last: tuple[Any, Any] = (None, ())

    def parts(self, owner: Any) -> Any:
        """The buffered half of a number and where the rest lies; the rest. Of the last owner they
        are known."""
        known, parts = self.last
        if owner is not known:
            address = owner.bit_generator.ctypes.state_address
            inner = ctypes.c_void_p.from_address(address).value
            assert inner is not None
            parts = BUFFERED.from_address(address), PERMUTED.from_address(inner)
            self.last = owner, parts
        return parts

    def save(self, owner: Any) -> tuple[bytes, bytes]:
        outer, inner = self.parts(owner)
        return outer.raw, inner.raw

    def put_back(self, owner: Any, state: tuple[bytes, bytes]) -> None:
        for part, content in zip(self.parts(owner), state):
            part.raw = content


BUFFERED, PERMUTED = ctypes.c_char * 16, ctypes.c_char * 32


def permuted() -> Keeper:
    """For one place, where mostly the same generator comes along."""
    state = PermutedState()
    return Keeper(
        lambda owner: state.save(owner) if is_permuted(owner) else ANY_OTHER.save(owner),
        lambda owner, kept: (
            state.put_back(owner, kept) if is_permuted(owner) else ANY_OTHER.put_back(owner, kept)
        ),
    )


def is_permuted(owner: Any) -> bool:
    return type(getattr(owner, "bit_generator", None)) is np.random.PCG64 and has_known_parts()


@cache
def has_known_parts() -> bool:
    """Whether the memory of PCG64 is what this module takes it for."""
    owner = np.random.default_rng(5)
    owner.integers(10, size=3, dtype="u4")
    outer, inner = PermutedState().save(owner)
    state = owner.bit_generator.state
    buffered = np.frombuffer(outer, "u4")[2:].tolist()
    numbers = [int.from_bytes(inner[k : k + 16], sys.byteorder) for k in (0, 16)]
    return (
        buffered == [state["has_uint32"], state["uinteger"]]
        and numbers == [state["state"]["state"], state["state"]["inc"]]
    )


def _keeper_of_kind(owner: RandomOwner) -> Keeper:
    if isinstance(owner, random.Random):
        return PYTHON_WORDS if has_known_python_layout() else PYTHON
    return LEGACY if isinstance(owner, np.random.RandomState) else GENERATOR


ANY_OTHER = Keeper(
    lambda owner: _keeper_of_kind(owner).save(owner),
    lambda owner, state: _keeper_of_kind(owner).put_back(owner, state),
)
"""For owners that each call brings along."""


def keeper_of(owner: RandomOwner, methods: set[str]) -> Keeper:
    """What keeps the state of an owner of which only these methods are called."""
    if isinstance(owner, np.random.Generator):
        return permuted()
    if not isinstance(owner, np.random.RandomState):
        return _keeper_of_kind(owner)
    if methods <= UNIFORM and is_twister(owner) and has_known_layout():
        return WORDS
    return LEGACY


def is_twister(owner: Any) -> bool:
    return type(owner._bit_generator) is np.random.MT19937


@cache
def has_known_layout() -> bool:
    """Whether a Mersenne twister's memory is what this module takes it for."""
    state = np.random.RandomState(5)
    state.randint(10, size=3)
    known = state.get_state(legacy=False)["state"]
    return _save_words(state) == known["key"].tobytes() + np.int32(known["pos"]).tobytes()


def random_owners(graph: Graph) -> list[tuple[RandomOwner | int, Keeper]]:
    """The random states and generators from outside that running a graph advances; those that are
    inputs by their position."""
    owners: dict[int, tuple[RandomOwner, set[str]]] = {}
    inputs = {node: index for index, node in enumerate(graph.placeholders)}
    given: dict[int, Keeper] = {}
    for node in graph.calls:
        row = row_of(node.target)
        owner = getattr(node.target, "__self__", None)
        if row is not None and row.effect is Effect.RANDOM and not isinstance(owner, RandomOwner):
            first = node.args[0] if node.args else None
            if isinstance(first, Node) and first.type == OBJECT:
                if first in inputs:
                    given[inputs[first]] = permuted()
                continue
            owner = LEGACY_STATE  # a plain function of numpy.random
        if isinstance(owner, RandomOwner):
            methods = owners.setdefault(id(owner), (owner, set()))[1]
            methods.add(getattr(node.target, "__name__", ""))
    known = [(owner, keeper_of(owner, methods)) for owner, methods in owners.values()]
    return [*known, *given.items()]


def keep_random_state(
    run: Callable[..., Any], owners: Sequence[tuple[RandomOwner | int, Keeper]]
) -> Callable[..., Any]:
    """`run`, with the random states restored when it bails out."""

    def entry(*inputs: Any) -> Any:
        found = [(inputs[o] if isinstance(o, int) else o, keeper) for o, keeper in owners]
        kept = [
            (owner, keeper if keeper is not WORDS or is_twister(owner) else LEGACY)
            for owner, keeper in found
        ]
        states = [keeper.save(owner) for owner, keeper in kept]
        result = run(*inputs)
        if result is BAILOUT:
            for (owner, keeper), state in zip(kept, states):
                keeper.put_back(owner, state)
        return result

    return entry
