"""The order of sets, which follows from all that happened to them: random changes to sets that
the caller made, and random sets that compiled code makes."""
import random

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.native import same_table

KEYS = (0, 8, 16, 24, 32, 40, 1, 9, 17, 3, 5, 33, 64, 128, "a", "b", "zz", 2.5, None, (1, 2))
LATER = (7, 15, 48, 200, "z")
"""What is added afterwards shows how much room the sets have."""

MADE = (
    "{{{keys}}}", "set(({keys},))", "{{q for q in ({keys},)}}", "set({{{keys}}})",
    "set(dict.fromkeys(({keys},)))", "set()", "set(g)", "g.copy()", "g - {{8}}", "g | {{9, 0}}",
    "{{*g, 5}}", "{{q for q in g}}", "set(frozenset(g) | {{7}})",
)  # fmt: skip
CHANGED = (
    "s.add({key})", "s.discard({key})", "s.update({{{keys}}})", "s.update(({keys},))",
    "s.update(dict.fromkeys(({keys},)))", "s.difference_update({{{keys}}})", "s.clear()",
    "s.intersection_update(({keys},))", "s |= {{{keys}}}", "s &= {{{keys}}}", "s ^= {{{keys}}}",
    "s -= {{{keys}}}", "seen.append(list(s))", "seen.append(s.pop() if s else None)",
    "seen.append(list(s.copy()))", "s.update(g)", "s ^= g",
)  # fmt: skip
COMPUTED = (
    "s = s - {{{keys}}}", "s = s | {{{keys}}}", "s = s & {{{keys}}}", "s = s ^ {{{keys}}}",
    "s = s.union(({keys},))", "s = s.union(dict.fromkeys(({keys},)))", "s = set(frozenset(s))",
)  # fmt: skip


def program(rng, made):
    def line(rows):
        keys = ", ".join(repr(rng.choice(KEYS)) for _ in range(rng.randint(1, 7)))
        return rng.choice(rows).format(key=repr(rng.choice(KEYS)), keys=keys)

    rows = CHANGED + COMPUTED if made else CHANGED
    first = [f"s = {line(MADE)}"] if made else ["s = g"]
    body = [*first, *(line(rows) for _ in range(rng.randint(1, 7)))]
    source = "\n    ".join(["def f(g, x):", "seen, y = [], x + 1", *body, "return seen, y, s"])
    space = {}
    exec(source, space)
    return space["f"], source


def outside_set(rng):
    """A set that also had members which it has no more."""
    made = set()
    for key in rng.choices(KEYS, k=rng.randint(0, 9)):
        made.add(key)
    for key in rng.choices(KEYS, k=rng.randint(0, 4)):
        made.discard(key)
    return made


@pytest.mark.parametrize("made", [False, True], ids=["outside", "made"])
@pytest.mark.parametrize("seed", range(10))
def test_the_order_of_sets(seed, made):
    for number in range(15):
        rng = random.Random(100 * seed + number)
        function, source = program(rng, made)
        compiled, state = dl.compile(function), rng.getstate()
        for _ in range(2):
            shown = []
            for run in (function, compiled):
                rng.setstate(state)
                seen, y, result = run(given := outside_set(rng), np.ones(2))
                for key in LATER:
                    result.add(key)
                shown.append((seen, y.tolist(), list(result), list(given)))
            assert shown[0] == shown[1], source


def test_tables_with_the_same_members_in_the_same_order_may_differ():
    """A set remembers that it had more members: what is added later lies elsewhere."""
    one, other = {0, 5}, {0, 3, 5}
    other.discard(3)
    assert list(one) == list(other) and not same_table(one, other)
    again = {0, 3, 5}
    again.discard(3)
    assert same_table(other, again) and same_table(frozenset(one), one)
