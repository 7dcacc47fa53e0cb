"""Polyfills of what the interpreter itself does in C, to be traced in its place.

Like `polyfills`, what is made here must not leave the trace where it is a function or a generator.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

# -- iteration without __iter__


def by_index(sequence: Any) -> Iterator[Any]:
    """`iter` of an object that has `__getitem__` only."""
    index = 0
    while True:
        try:
            item = sequence[index]
        except (IndexError, StopIteration):
            return
        yield item
        index += 1


def by_index_backwards(sequence: Any) -> Iterator[Any]:
    """`reversed` of an object that has `__len__` and `__getitem__` only."""
    return _backwards_from(sequence, len(sequence) - 1)


def range_backwards(start: Any, stop: Any, step: Any) -> Any:
    """The items of a range, the last one first."""
    if step == 1 or step == -1:
        last = stop - step
    elif step > 0:
        last = stop - 1 - (stop - 1 - start) % step
    else:
        last = stop + 1 + (start - stop - 1) % -step
    return range(last, start - step, -step)


def _backwards_from(sequence: Any, index: Any) -> Iterator[Any]:
    while index >= 0:
        try:
            item = sequence[index]
        except (IndexError, StopIteration):
            return
        yield item
        index -= 1


# -- exception groups (PEP 654)


def is_wanted(condition: Any) -> Callable[[Any], Any]:
    if isinstance(condition, type | tuple):
        return lambda error: isinstance(error, condition)
    return lambda error: condition(error)


def split_group(group: Any, condition: Any) -> Any:
    """`BaseExceptionGroup.split`."""
    return partitioned(group, is_wanted(condition))


def subgroup(group: Any, condition: Any) -> Any:
    """`BaseExceptionGroup.subgroup`."""
    return partitioned(group, is_wanted(condition))[0]


def derive_group(group: Any, members: Any) -> Any:
    """`BaseExceptionGroup.derive`."""
    return BaseExceptionGroup(group.message, members)


def partitioned(group: Any, wanted: Callable[[Any], Any]) -> Any:
    """What is wanted of a group, and the rest of it: groups of the same shape, or None."""
    if wanted(group):
        return group, None
    matching, rest = [], []
    for member in group.exceptions:
        if isinstance(member, BaseExceptionGroup):
            inside, outside = partitioned(member, wanted)
            if inside is not None:
                matching.append(inside)
            if outside is not None:
                rest.append(outside)
        elif wanted(member):
            matching.append(member)
        else:
            rest.append(member)
    return derived(group, matching), derived(group, rest)


def derived(group: Any, members: Any) -> Any:
    """A part of a group, raised where the group was."""
    if not members:
        return None
    part = group.derive(members)
    part.__traceback__ = group.__traceback__
    part.__context__ = group.__context__
    part.__cause__ = group.__cause__
    if hasattr(group, "__notes__"):
        part.__notes__ = list(group.__notes__)
    return part


def match_group(error: Any, kinds: Any) -> Any:
    """What an `except*` clause handles of an exception, and what it leaves."""
    if isinstance(error, kinds):
        if isinstance(error, BaseExceptionGroup):
            return error, None
        return BaseExceptionGroup("", (error,)), None
    if isinstance(error, BaseExceptionGroup):
        return partitioned(error, lambda each: isinstance(each, kinds))
    return None, error


def to_reraise(error: Any, results: Any) -> Any:
    """What a `try` statement with `except*` raises at its end, or None.

    `results` are what its clauses raised, and what they left of `error`.
    """
    results = [each for each in results if each is not None]
    if not results:
        return None
    if not isinstance(error, BaseExceptionGroup):
        return results[0]
    raised = [each for each in results if not raised_alike(each, error)]
    leaves = [leaf for each in results if raised_alike(each, error) for leaf in leaves_of(each)]
    left = part_with(error, leaves)
    if not raised:
        return left
    if left is not None:
        raised.append(left)
    return BaseExceptionGroup("", raised)


def raised_alike(error: Any, other: Any) -> bool:
    """Whether one of two exceptions is a part of the other that was not raised again."""
    return (
        error.__traceback__ is other.__traceback__
        and error.__context__ is other.__context__
        and error.__cause__ is other.__cause__
    )


def leaves_of(error: Any) -> Any:
    if not isinstance(error, BaseExceptionGroup):
        return [error]
    return [leaf for member in error.exceptions for leaf in leaves_of(member)]


def part_with(group: Any, leaves: Any) -> Any:
    """The part of a group that has just these exceptions."""
    return partitioned(group, lambda each: any(each is leaf for leaf in leaves))[0]
