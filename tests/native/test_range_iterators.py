"""What is left of an iterator over a range, and how it goes on behind an item."""
import sys

import pytest

from dynamo_lite.native import bound, move_behind

LARGE = sys.maxsize // 4
RANGES = [
    range(10), range(0), range(5, 5), range(3, 50, 7), range(50, 3, -7), range(-4, 4), range(1),
    range(-5, -50, -1), range(LARGE - 10, LARGE, 3), range(-LARGE, LARGE - 1, LARGE),
    range(LARGE - 1, -LARGE, -LARGE),
]


def left(over, taken):
    iterator = iter(over)
    for _ in range(taken):
        next(iterator, None)
    return iterator


@pytest.mark.parametrize("over", RANGES)
@pytest.mark.parametrize("taken", [0, 1, 3, 20])
def test_the_bounds_are_those_of_what_is_left(over, taken):
    ends = [bound(left(over, taken), which) for which in range(3)]
    assert [*range(*ends)] == [*left(over, taken)] and ends[2] == over.step


@pytest.mark.parametrize("over", RANGES)
@pytest.mark.parametrize("taken", [0, 2])
def test_an_iterator_goes_on_behind_each_item(over, taken):
    items = [*left(over, taken)]
    for count, last in enumerate(items):
        iterator = left(over, taken)
        move_behind(iterator, last)
        assert [*iterator] == items[count + 1 :]
    iterator = left(over, taken)
    move_behind(iterator, bound(iterator, 0) - over.step)
    assert [*iterator] == items
    move_behind(iterator := left(over, taken), None)
    assert next(iterator, "end") == "end"


@pytest.mark.parametrize("wrong", [[], [iter(range(3))], [iter([]), 0], [range(3), 0], [
    iter(range(3)), "0"], [iter(range(3)), 0, 1]])
def test_other_arguments_are_refused(wrong):
    for function in (bound, move_behind):
        with pytest.raises(TypeError):
            function(*wrong)


def test_there_are_three_bounds():
    with pytest.raises(ValueError, match="a range has no bound 3"):
        bound(iter(range(3)), 3)
