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


NATIVE = [scaled, under_one_mask, of_integers, of_another, of_a_view, dividing_by_nothing, single]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("function", NATIVE)
def test_updates_under_masks(function):
    compiled = dl.compile(function, fullgraph=True)
    for v in np.array([0.5, -0.3, 0.8, -0.2, 0.9]), np.linspace(-1, 2, 5), np.zeros(5):
        assert not differences(outcome(compiled, (v, 0.7)), outcome(function, (v, 0.7)))


def kept(v, c):
    v = v.copy()
    while v.sum() > 0.1:
        part = v[v > 0]
        part *= c
        v -= 0.1
    return v, part


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
    while v.sum() > 0.1:
        v[v > 0] **= 2
        v -= 0.1
    return v


def of_parts_alone(v, c):
    while v.sum() > 0.1:
        v = v - v[v > 0].sum()
    return v


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "function", [kept, under_a_mask_that_has_changed, squared, of_parts_alone])
def test_other_uses_of_elements_under_masks_are_left_to_python(function):
    v = np.array([0.5, -0.3, 0.8, -0.2, 0.9])
    assert not differences(outcome(dl.compile(function), (v, 0.7)), outcome(function, (v, 0.7)))
    with pytest.raises(dl.errors.FullGraphRequired, match="depends on data"):
        dl.compile(function, fullgraph=True)(v, 0.7)
