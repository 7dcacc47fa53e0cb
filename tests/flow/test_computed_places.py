"""Elements at places that data computes: indices from the start and from the end of an array, and
outside of it."""
import numpy as np
import pytest
from dynamo_lite.backends.llvm.objects.modules_on_disk import Objects

import dynamo_lite as dl

from ..oracle import check


def followed(x, places):
    total, at = 0.0, 0
    for _ in range(50):
        total = total * 0.5 + x[at]
        at = places[at]
    return total, at


def counted(x, places):
    for i in range(len(places)):
        x[places[i]] += 1.0
    return x


def in_rows(x, places):
    m, total = x.reshape(10, 5), 0.0
    for i in range(len(places)):
        total += m[places[i] // 5, places[places[i]] % 5]
    return total


PROGRAMS = [followed, counted, in_rows]


def places():
    r = np.random.default_rng(0)
    return [r.integers(0, 50, 50), r.integers(-50, 0, 50), r.integers(-50, 50, 50),
            np.where(np.arange(50) == 30, 50, 0), np.where(np.arange(50) == 30, -51, 1),
            r.integers(-50, 50, 50) * (r.random(50) < 0.1), np.full(50, 2**62),
            np.full(50, -(2**63))]


@pytest.mark.parametrize("program", PROGRAMS)
def test_they_are_those_that_python_finds(program):
    compiled = dl.compile(program, fullgraph=True)
    for chosen in places():
        check(compiled, program, np.random.default_rng(1).random(50), chosen)


def test_negative_ones_are_told_to_be_rare(monkeypatch):
    found, add = [], Objects.add
    monkeypatch.setattr(Objects, "add", lambda self, text: (found.append(text), add(self, text)))
    with dl.config.patch(cache=False):
        dl.compile(followed, fullgraph=True)(np.ones(50), places()[0])
    choices = [line for line in "".join(found).splitlines() if "= select i1 " in line]
    assert choices and all("!prof" in line for line in choices)
