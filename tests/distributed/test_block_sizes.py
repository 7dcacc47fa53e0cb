"""Blocks by cost: caches, workers, the length of graphs, and memory, which is never exceeded."""
import pytest

pytest.importorskip("dask.array")

from dynamo_lite.distributed import block_sizes
from dynamo_lite.distributed.block_sizes import COPIES, LEAST, bytes_per_block

GB = 1 << 30


@pytest.fixture(autouse=True)
def a_cache(monkeypatch):
    monkeypatch.setattr(block_sizes, "last_cache", lambda: 32 << 20)


@pytest.mark.parametrize("sizes, workers, limit, found", [
    ([20 * GB], 2, None, 4 << 20),  # the share of a worker in the cache
    ([10 * GB], 64, None, LEAST),  # no less than what a task costs
    ([20 * GB, 20 * GB], 2, None, 2 << 20),  # tasks read a block of each array
    ([8 << 20], 2, None, LEAST),  # some blocks for each worker
    ([1000 * GB], 2, None, 1000 * GB // block_sizes.MOST_TASKS),  # a graph that Dask can hold
    ([1000 * GB], 2, 64 << 20, (64 << 20) // (4 * COPIES)),  # whatever it costs
    ([], 2, None, LEAST),
])
def test_blocks(sizes, workers, limit, found):
    assert bytes_per_block(sizes, workers, limit) == found

