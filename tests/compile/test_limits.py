"""What the machine can do at best is no measurement that other programs have disturbed."""
from types import SimpleNamespace

import pytest

from dynamo_lite.base.config import config
from dynamo_lite.reports import limits
from dynamo_lite.reports.limits import COPIED, PRODUCTS, Limits


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A process that measures what it is told: (bandwidth, speed)."""
    def process(bandwidth, speed, rows=()):
        monkeypatch.setattr(limits, "_known", {})
        monkeypatch.setattr(limits, "bandwidth_of", lambda threads: bandwidth)
        monkeypatch.setattr(limits, "speed_of_products", lambda: speed)
        with config.patch(cache=True, cache_dir=str(tmp_path)):
            found = limits.limits(rows)
            assert limits.limits() == found
        return found.bandwidth, found.speed

    return process


def row(kind="kernels", nbytes=4 * COPIED, bandwidth=0.0, speed=0.0):
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


def test_caches_and_estimates_tell_nothing(machine):
    assert machine(4e9, 9e9, [row(nbytes=COPIED, bandwidth=5e9, speed=12e9)]) == (4e9, 9e9)


def test_another_machine_measures_anew(machine, monkeypatch):
    assert machine(4e9, 9e9) == (4e9, 9e9)
    monkeypatch.setattr(limits, "machine", lambda: ("another", "one"))
    assert machine(1e9, 1e9) == (1e9, 1e9)


def test_the_machine_is_measured(monkeypatch):
    monkeypatch.setattr(limits, "RUNS", 1)
    monkeypatch.setattr(limits, "COPIED", 1 << 12)
    monkeypatch.setattr(limits, "ORDER", 8)
    found = Limits(2, limits.bandwidth_of(2), limits.speed_of_products())
    assert found.bandwidth > 0 and found.speed > 0
