"""Where random generators keep their states: found and tried out once, for the native core.

NumPy hands out a state as a list of numbers, which takes longer than many graphs; the core copies
the memory in which it lies.
"""
from __future__ import annotations

import ctypes
import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from ..native import know_bit_generator, know_distributions, know_generator, know_python_random

IN_PLACE, WORD = -1, 8
PARTS: dict[type, tuple[tuple[int, int], ...]] = {
    np.random.MT19937: ((IN_PLACE, 624 * 4 + 4),),
    np.random.PCG64: ((IN_PLACE, 16), (0, 32)),
    np.random.PCG64DXSM: ((IN_PLACE, 16), (0, 32)),
    np.random.Philox: ((IN_PLACE, 64), (0, 32), (WORD, 16)),
    np.random.SFC64: ((IN_PLACE, 40),),
}
"""The states of NumPy's bit generators: (offset of a pointer to the part, its size)."""

PYTHON_BYTES = 4 + 624 * 4  # of `random.Random`: the position and the words
GAUSS_BYTES = 16  # of RandomState: whether a normal number is left, and the number


def offset_of(owner: Any, content: bytes) -> int | None:
    """The offset in an object's memory where this lies."""
    memory = ctypes.string_at(id(owner), type(owner).__basicsize__)
    places = range(2 * WORD, len(memory), WORD)
    return next((at for at in places if memory[at : at + len(content)] == content), None)


def offset_of_gauss(owner: np.random.RandomState) -> int | None:
    """The offset of the normal number that a state may have left."""
    known: Any = owner.get_state()
    owner.set_state((*known[:3], 1, np.pi))
    found = offset_of(owner, (1).to_bytes(WORD, "little") + np.float64(np.pi).tobytes())
    owner.set_state(known)
    return found


def parts_of_state(bits: Any) -> Iterator[tuple[int, int]]:
    """Where the parts of a bit generator's state lie, and their sizes."""
    address = bits.ctypes.state_address
    for pointer_at, size in PARTS[type(bits)]:
        within = ctypes.c_size_t.from_address(address + pointer_at).value
        yield address if pointer_at == IN_PLACE else within, size


def lies_within(bits: Any) -> bool:
    """Whether all parts lie in the object itself, and its C interface has the state's address."""
    first, last = id(bits), id(bits) + type(bits).__basicsize__
    interface = bits.ctypes.bit_generator.value
    inside = [(interface, 5 * WORD), (bits.ctypes.state_address, WORD)]
    return all(first < at and at + size <= last for at, size in inside) and (
        ctypes.c_size_t.from_address(interface).value == bits.ctypes.state_address
        and all(first < at and at + size <= last for at, size in parts_of_state(bits))
    )


def contents(tree: Any) -> Any:
    """A state as something that can be compared."""
    if isinstance(tree, dict):
        return [(name, contents(tree[name])) for name in sorted(tree)]
    return tree.tobytes() if isinstance(tree, np.ndarray) else tree


def comes_back(places: Sequence[tuple[int, int]], draw: Callable[[], Any], state: Callable[[], Any]
               ) -> bool:
    """Whether what draws change lies in these places."""
    before = contents(state())
    kept = [ctypes.string_at(at, size) for at, size in places]
    drawn, after = contents(draw()), contents(state())
    for (at, _), part in zip(places, kept):
        ctypes.memmove(at, part, len(part))
    return before == contents(state()) and drawn == contents(draw()) and after == contents(state())


def drawing(generator: np.random.Generator) -> Callable[[], Any]:
    """Draws that use all of a bit generator's state."""
    return lambda: (
        generator.integers(9, size=3, dtype="u4").tolist(), generator.standard_normal(5).tolist(),
        generator.random(dtype="f"), generator.bit_generator.random_raw(700).tolist(),
    )


def learn_layout(kind: type) -> None:
    bits: Any = kind(5)
    draw = drawing(np.random.Generator(bits))
    draw()
    if lies_within(bits) and comes_back(list(parts_of_state(bits)), draw, lambda: bits.state):
        know_bit_generator(kind, bits.ctypes.bit_generator.value - id(bits), PARTS[kind])


EXPORTS = "random_standard_normal", "random_standard_exponential", "random_bounded_uint64_fill"


@cache
def distributions() -> dict[str, int]:
    """Where NumPy's own functions are that it lets others call; 0 where it does not."""
    try:
        library = ctypes.CDLL(np.random._generator.__file__)
        found = [ctypes.cast(getattr(library, name), ctypes.c_void_p).value for name in EXPORTS]
    except (AttributeError, OSError):
        return dict.fromkeys(EXPORTS, 0)
    return {name: address or 0 for name, address in zip(EXPORTS, found)}


def learn_distributions() -> None:
    """Tell the native core where they are."""
    know_distributions(*distributions().values())


@cache
def has_known_python_layout() -> bool:
    """Whether the memory of Python's own generator is what this module takes it for."""
    state = random.Random(5)
    state.random()
    *words, position = state.getstate()[1]
    if type(state).__basicsize__ < object.__basicsize__ + PYTHON_BYTES:
        return False
    found = ctypes.string_at(id(state) + object.__basicsize__, PYTHON_BYTES)
    return np.frombuffer(found, np.uint32).tolist() == [position, *words]


CLASSES = frozenset({"Generator", "RandomState", "Random"})


def is_of_generator(function: Any) -> bool:
    """Whether a function is, by its name, a method of a random generator."""
    return str(getattr(function, "__qualname__", "")).partition(".")[0] in CLASSES


@cache
def learn_layouts() -> None:
    """Tell the native core where the states of generators lie, and NumPy's distributions."""
    if has_known_python_layout():
        know_python_random(random.Random, object.__basicsize__)
    learn_distributions()
    for kind in PARTS:
        learn_layout(kind)
    generator: Any = np.random.default_rng(5)
    state: Any = np.random.RandomState(5)
    owner: Any
    for owner, own_at, size in (generator, 0, 0), (state, offset_of_gauss(state), GAUSS_BYTES):
        at = offset_of(owner, id(owner._bit_generator).to_bytes(WORD, "little"))
        if at is not None and own_at is not None:
            know_generator(type(owner), at, own_at, size)
