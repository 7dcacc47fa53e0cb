"""What the machine can do at best is no measurement that other programs have disturbed."""
from types import SimpleNamespace

import pytest

from dynamo_lite.base.config import config
from dynamo_lite.native import get_num_threads
from dynamo_lite.reports import limits
from dynamo_lite.reports.limits import COPIED, PRODUCTS, Limits


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A process that measures what it is told: (bandwidth, speed)."""
    def process(bandwidth, speed, rows=()):
        monkeypatch.setattr(limits, "_known", {})
        monkeypatch.setattr(limits, "bandwidth_of", lambda threads, size: bandwidth)
        monkeypatch.setattr(limits, "speed_of_products", lambda: speed)
        with config.patch(cache=True, cache_dir=str(tmp_path)):
            found = limits.limits(rows)
            assert limits.limits() == found
        return found.bandwidth, found.speed

    return process


MOST = 2 * COPIED[-1] * get_num_threads()


def row(kind="kernels", nbytes=MOST, bandwidth=0.0, speed=0.0):
    return SimpleNamespace(kind=kind, launches=1, nbytes=nbytes, bandwidth=bandwidth, speed=speed)


def test_the_best_of_several_processes_is_kept(machine):
    assert machine(4e9, 9e9) == (4e9, 9e9)
    assert machine(7e9, 5e9) == (7e9, 9e9)
    for _ in range(limits.OCCASIONS - 2):
        assert machine(1e9, 1e9) == (7e9, 9e9)
    assert machine(8e9, 99e9) == (7e9, 9e9), "measured often enough"


def test_what_a_row_has_shown_counts(machine):
    rows = [row(bandwidth=5e9), row(PRODUCTS, nbytes=100, bandwidth=1e12, speed=12e9)]
    assert machine(4e9, 9e9, rows) == (5e9, 12e9)
    assert machine(1e9, 1e9) == (5e9, 12e9)


def test_caches_tell_nothing_of_memory_and_estimates_nothing_of_speed(machine):
    assert machine(4e9, 9e9, [row(nbytes=MOST - 1, bandwidth=5e9, speed=12e9)]) == (4e9, 9e9)


def test_what_caches_hold_is_compared_with_caches():
    found = Limits(2, (50e9, 40e9, 30e9, 20e9, 10e9), 1e9)
    moved = {100: 50e9, 2 << 20: 50e9, 4 << 20: 40e9, 32 << 20: 20e9, 1 << 40: 10e9}
    assert {nbytes: found.bandwidth_at(nbytes) for nbytes in moved} == moved


def test_another_machine_measures_anew(machine, monkeypatch):
    assert machine(4e9, 9e9) == (4e9, 9e9)
    monkeypatch.setattr(limits, "machine", lambda: ("another", "one"))
    assert machine(1e9, 1e9) == (1e9, 1e9)


def test_the_machine_is_measured(monkeypatch):
    monkeypatch.setattr(limits, "RUNS", 1)
    monkeypatch.setattr(limits, "COPIED", (1 << 10, 1 << 12))
    monkeypatch.setattr(limits, "IN_A_RUN", 1 << 12)
    monkeypatch.setattr(limits, "ORDER", 8)
    monkeypatch.setattr(limits, "_known", {})
    with config.patch(cache=False):
        found = limits.limits()
    assert len(found.bandwidths) == 2 and min(*found.bandwidths, found.speed) > 0
