"""The guards of a trace as a tree of sources, each guard with the user's line that asked for it."""
from __future__ import annotations

from collections.abc import Iterator

from ...ir.symbolic import Shown
from ..guard_set import Guard, GuardSet
from ..shapes.shape_env import ShapeEnv
from ..sources import Source


def guard_tree(guards: GuardSet, shapes: ShapeEnv | None = None) -> str:
    """The printed tree: sources below the source they are reached through, then the relations."""
    by_source: dict[Source, list[Guard]] = {}
    for guard in guards:
        _plant(guard.source, by_source)
        by_source[guard.source].append(guard)
    children: dict[Source | None, list[Source]] = {}
    for source in by_source:
        children.setdefault(_base(source), []).append(source)
    lines: list[str] = []
    for source in children.get(None, ()):
        lines += _branch(source, by_source, children, "")
    if shapes is not None and shapes.infos:
        lines += _sizes(shapes)
    return "\n".join(lines)


def _plant(source: Source, by_source: dict[Source, list[Guard]]) -> None:
    """Make room for a source and for all it is reached through."""
    base = _base(source)
    if base is not None:
        _plant(base, by_source)
    by_source.setdefault(source, [])


def _base(source: Source) -> Source | None:
    base = getattr(source, "base", None)
    return base if isinstance(base, Source) else None


def _branch(
    source: Source, by_source: dict[Source, list[Guard]],
    children: dict[Source | None, list[Source]], indent: str,
) -> Iterator[str]:
    yield f"{indent}{source}  [{type(source).__name__}]"
    for guard in by_source[source]:
        yield f"{indent}| {guard.kind}: {guard}{_asked(guard.location)}"
    for child in children.get(source, ()):
        yield from _branch(child, by_source, children, indent + "  ")


def _sizes(shapes: ShapeEnv) -> Iterator[str]:
    yield "sizes"
    for info in shapes.infos.values():
        now = f"# {info.hint} when compiled"
        yield f"| let {info.name} = {info.origin}  {now}{_asked(info.location)}"
    for relation in shapes.relations:
        sides = Shown(relation.left), relation.op, Shown(relation.right)
        yield f"| {' '.join(map(str, sides))}{_asked(relation.location)}"


def _asked(location: object) -> str:
    return f"  # {location}" if location is not None else ""
