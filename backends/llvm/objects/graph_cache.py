"""Compiled graphs on disk: a second process neither lowers a graph nor generates code for it.

A file holds the text of the graph and of everything else that the code depends on, and is used only
where all of it is the same. What the passes asked about symbolic sizes is asked again, so that the
same relations are guarded. A graph that cannot be written down exactly is compiled as if there were
no such cache; its machine code may still be found by `cache`.
"""
from __future__ import annotations

import ast
import marshal
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from ....base.records import NamedTuple
from ....errors import Unsupported
from ....ir.control import all_nodes
from ....ir.facts import Answer, Facts, answers_alike
from ....ir.graph import Graph, Location
from ....ir.plain import from_plain, plain, plain_graph
from ... import disk
from ..builder.target import Target
from .image import Image, Kept
from .version import FORMAT, GENERATOR, STAMPS


class Key(NamedTuple):
    """What the image of a graph depends on."""

    generator: str
    machine: Any
    graph: Any

    def differences(self, other: Key) -> Iterator[str]:
        """In what two keys differ, for people."""
        if self.graph != other.graph:
            yield "graph"
        if self.machine != other.machine:
            yield "processor"
        pairs = zip(STAMPS, *map(ast.literal_eval, (self.generator, other.generator)))
        yield from (name for name, left, right in pairs if left != right)


def stored_key(name: str) -> Key | None:
    """The key of the image in a file."""
    if (content := disk.read(name)) is None:
        return None
    return Key(*marshal.loads(marshal.loads(content)[0]))


def key(graph: Graph, target: Target) -> bytes | None:
    """Everything that the image of a graph depends on; None when it cannot be written down."""
    try:
        machine = (target.machine, target.system, target.cpu, target.math)
        parts = (plain_graph(graph), pattern(graph))
        return marshal.dumps((GENERATOR, machine, parts), FORMAT)
    except Unsupported:
        return None


def locations(graph: Graph) -> list[Location | None]:
    """The user's lines in a graph, each once."""
    return list(dict.fromkeys(node.location for node in all_nodes(graph.nodes)))


def pattern(graph: Graph) -> tuple[int, ...]:
    """Which nodes have their line in common; where the lines are does not matter."""
    numbers = {location: number for number, location in enumerate(locations(graph))}
    return tuple(numbers[node.location] for node in all_nodes(graph.nodes))


def likely_values(graph: Graph) -> tuple[int, ...]:
    """Of sizes, as far as they are not in the key."""
    symbols = (origin.hint for origin in graph.symbols.values())
    return (*symbols, *(size.hint for size in graph.unbacked.values()))


def read(key: bytes, graph: Graph, facts: Facts) -> tuple[Image, Kept] | None:
    """The image that was kept for the same key, and where, if the sizes are known to the same
    extent; one that is not profitable, for the same likely values only."""
    if (content := disk.read(_path(key))) is None:
        return None
    stored, likely, answers, image = marshal.loads(content)
    if stored != key or not answers_alike(facts, map(_answer, answers)):
        return None
    found = Image.from_plain(image)
    if found.unprofitable and likely != likely_values(graph):
        return None
    return found, place(key, answers)


def image_in(kept: Kept) -> Image | None:
    """The image in a file, if it is still the one that was kept there: the next one for the same
    graph may be for sizes of which other things are known."""
    if (content := disk.read(kept.path)) is None:
        return None
    stored, _, answers, image = marshal.loads(content)
    return Image.from_plain(image) if place(stored, answers) == kept else None


def place(key: bytes, answers: Any) -> Kept:
    """Where the image for a key is kept, and for which answers about sizes."""
    return Kept(_path(key), sum_of(key + marshal.dumps([*answers], FORMAT)))


def sum_of(content: bytes) -> str:
    return f"{zlib.crc32(content, 1):08x}{zlib.adler32(content):08x}{len(content):x}"


def write(key: bytes, graph: Graph, answers: Sequence[Answer], image: Image) -> Kept | None:
    """Keep an image, if all of it can be written down; where it is then."""
    try:
        written = tuple((name, plain(a), plain(b), found) for name, a, b, found in answers)
        content = (key, likely_values(graph), written, image.plain())
    except Unsupported:
        return None
    disk.write(_path(key), marshal.dumps(content, FORMAT))
    return place(key, written)


def _answer(data: Any) -> Answer:
    name, left, right, answer = data
    return name, from_plain(left), from_plain(right), answer


def _path(key: bytes) -> str:
    """The name need not be unique: the file holds the whole key."""
    return f"graphs/{zlib.crc32(key):08x}{zlib.adler32(key):08x}.bin"
