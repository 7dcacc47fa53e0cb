"""What arrays in blocks are asked to reach, and what they reach here, in one table.

    python -m benchmarks.dask_table [MB] [blocks] [GB] [kills]

A quarter of an hour on an idle machine with two cores. The rows in between are printed as they are
measured.
"""
import multiprocessing
import sys
import time

import numpy as np

from benchmarks import dask_limits, dask_programs

SECONDS = 3


def multiplied(_):
    """How often small matrices are multiplied in some seconds."""
    a, count, start = np.ones((256, 256)), 0, time.perf_counter()
    while time.perf_counter() - start < SECONDS:
        np.matmul(a, a)
        count += 1
    return count


def two_cores():
    """How much two processes do that have nothing to do with each other, against one."""
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        pool.map(multiplied, range(2), chunksize=1)
        return sum(pool.map(multiplied, range(2), chunksize=1)) / pool.apply(multiplied, (0,))


def table(megabytes="64", blocks="10000", gigabytes="4", kills="50"):
    """(figure, what is asked, what was measured, whether that is reached) in rows."""
    speeds, fewer = dask_programs.main(int(megabytes), [])
    overhead = dask_limits.overhead(blocks)
    peak, speed = dask_limits.memory(gigabytes)
    workers = dask_limits.workers()
    right = dask_limits.kills(kills)
    again = dask_limits.again()
    geomean, share = (float(np.exp(np.mean(np.log(each)))) for each in (speeds, fewer))
    yield "programs against dask.array, geomean", ">= 4", geomean, geomean >= 4
    yield "the slowest of them", ">= 1", min(speeds), min(speeds) >= 1
    yield "tasks against dask.array, geomean", "<= 0.2", share, share <= 0.2
    yield "the program with the largest share", "<= 0.2", max(fewer), max(fewer) <= 0.2
    yield f"overhead a task, {blocks} blocks, of Dask's", "<= 1.05", overhead, overhead <= 1.05
    yield f"k-means on {gigabytes} GB, limit 1 GB: peak in GB", "<= 1.1", peak, peak <= 1.1
    yield "the same, of the speed of reading alone", ">= 0.7", speed, speed >= 0.7
    for kind in "made there", "sent there":
        least = min(ratio for (name, where), ratio in workers.items()
                    if where == kind and name != "softmax")
        yield f"two workers against one thread, blocks {kind}", ">= 1.5", least, least >= 1.5
    yield "two processes of NumPy's alone, on this machine", "", two_cores(), True
    yield f"right results of {kills} with a killed worker", kills, right, right == int(kills)
    yield "functions traced or generated in a second run", "0", again, again == 0


def main(*given):
    start, rows = time.perf_counter(), []
    for figure, asked, measured, is_reached in table(*given):
        rows.append(f"| {figure} | {asked} | {measured:.3g} | {'' if is_reached else 'LOST'} |")
    print("\n| figure | asked | measured | |\n|---|---|---|---|", *rows, sep="\n")
    print(f"\n{(time.perf_counter() - start) / 60:.1f} minutes")


if __name__ == "__main__":
    main(*sys.argv[1:])
