"""`x[mask] += y` in loops and branches whose course depends on data."""
import numpy as np
import pytest

import dynamo_lite as dl
from tests.oracle import differences, outcome


def scaled(v, c):
    v = v.copy()
    while v.sum() > 0.1:
        v[v > 0] *= c
        v -= 0.1
    return v


def under_one_mask(v, c):
    v, mask = v.copy(), v > 0.2
    while v.sum() > 0.1:
        v[mask] -= c
        mask &= v > -0.3
        v[mask] /= 1.1
    return v


def of_integers(v, c):
    v = (v * 10).astype(int)
    while v.sum() > 1:
        v[v > 0] //= 2
        v[v > 3] -= 1
        v -= 1
    return v


def of_another(v, c):
    v, w, count = v.copy(), v * 2, 0
    while v.sum() > 0.1:
        mask = w > 0
        v[mask] -= w[mask]
        w -= 0.1
        count += 1
    return v, w, count


def of_a_view(v, c):
    v = np.outer(v, v)
    while v.sum() > 0.1:
        v[v > 0] *= c
        v -= 0.1
        v.T[v.T < 0] += 0.01
    return v


def dividing_by_nothing(v, c):
    v = v.copy()
    while v.sum() > 0.1:
        v[v > 0.3] /= v[0] - v[0]
        v -= 0.1
        if v[1] < -1:
            break
    return v


def single(v, c):
    v = v.astype(np.float32)
    while v.sum() > 0.1:
        v[v > 0] *= c
        v -= np.float32(0.1)
    return v


def under_a_mask_that_has_changed(v, c):
    v, mask = v.copy(), v > 0.2
    while v.sum() > 0.1:
        part = v[mask]
        mask &= v > -0.3
        part *= c
        v[mask] = part
        v -= 0.05
    return v


def squared(v, c):
    v = v.copy()
    while 9 > v.sum() > 0.1:
        v[v > 0] **= 2
        v -= 0.1
    return v


def of_parts_alone(v, c):
    while v.sum() > 0.1:
        v = v - v[v > 0].sum()
    return v


def of_another_length(v, c):
    v, w = v.copy(), v[:3] * 2
    while v.sum() > 0.1:
        v[v > 0] -= w[w > 0].sum() + v[v > 0] / 9
        w -= 0.1
    return v


def put_back(v, c):
    v = v.copy()
    while v.sum() > 0.1:
        mask = v > 0.1
        part, places = v[mask], np.flatnonzero(mask)
        for k in range(len(part)):
            part[k] = part[k] * c - places[k] / 10
        v[mask] = part[::-1]
        v -= 0.1
    return v


def centres(v, c):
    groups, means = (v * 4).astype(int) % 3, np.zeros(3)
    for step in range(40):
        for k in range(3):
            means[k] = v[groups == k].mean() * c
        v = v + means[groups]
        groups = np.argmin(np.abs(v[:, None] - means), axis=1)
    return v, means


def drawn(v, c):
    rng, total = np.random.default_rng(5), 0.0
    for step in range(50):
        part = v[v > step / 60]
        total += part[rng.integers(len(part))] * rng.random() if len(part) else c
    return total, rng.random()


def drawn_for_each(v, c):
    rng, v = np.random.default_rng(5), v.copy()
    for step in range(50):
        mask = v > step / 60
        count = mask.sum()
        v[mask] = rng.normal(c, 1, count) + rng.random(size=(count,))
        v -= np.zeros(count).sum()
    return v, rng.random()


NATIVE = [
    scaled, under_one_mask, of_integers, of_another, of_a_view, dividing_by_nothing, single,
    under_a_mask_that_has_changed, squared, of_parts_alone, of_another_length, put_back, centres,
    drawn, drawn_for_each,
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("function", NATIVE)
def test_updates_under_masks(function):
    compiled = dl.compile(function, fullgraph=True)
    for v in np.array([0.5, -0.3, 0.8, -0.2, 0.9]), np.linspace(-1, 2, 5), np.zeros(5):
        assert not differences(outcome(compiled, (v, 0.7)), outcome(function, (v, 0.7)))


def test_selections_in_loops_are_one_node():
    """Sixty masks are not sixty nodes."""
    def sums(v):
        total = 0.0
        for k in range(60):
            total += v[v > k / 60].sum()
        return total

    v = np.linspace(-1, 1, 50)
    (graph,) = dl.explain(sums)(v).graphs
    assert len(graph.calls) < 10
    assert dl.compile(sums)(v) == sums(v)


def kept(v, c):
    v = v.copy()
    while v.sum() > 0.1:
        part = v[v > 0]
        part *= c
        v -= 0.1
    return v, part


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_elements_that_outlive_their_loop_are_left_to_python():
    v = np.array([0.5, -0.3, 0.8, -0.2, 0.9])
    assert not differences(outcome(dl.compile(kept), (v, 0.7)), outcome(kept, (v, 0.7)))
    with pytest.raises(dl.errors.FullGraphRequired, match="a length that only the loop knows"):
        dl.compile(kept, fullgraph=True)(v, 0.7)
