"""Elements one by one, and what programs say, read and remember on the way."""
# ruff: noqa
import functools
import io
import json
import logging
import math
import operator
import os
import struct
import sys

import numpy as np

from .programs import V, X, program


@program(X)
def elements_by_a_python_function(x):
    return np.vectorize(lambda a: a * 2 + 1)(x), np.vectorize(lambda a, b: a if a > b else b)(x, 0.5), np.vectorize(lambda a: a - 1, otypes=[float])(np.zeros((0, 2)))


@program(np.arange(90.0).reshape(2, 45))
def many_elements_by_a_python_function(x):
    def clipped(a, high):
        if a > high:
            return high
        return a * 0.5

    return np.vectorize(clipped)(x, 30.0), np.vectorize(math.floor, otypes=[int])(x)


@program(X, breaks="several results")
def several_results_of_elements(x): return np.vectorize(lambda a: a + 1, cache=True)(x)


@program(X, breaks="as data decides")
def elements_of_two_types(x): return np.vectorize(lambda a: 1 if a > 1 else 2.5)(x)


@program(np.arange(12.0).reshape(3, 4))
def along_an_axis(x):
    return np.apply_along_axis(lambda row: row.sum(), 1, x), np.apply_along_axis(np.sort, 0, -x), np.apply_along_axis(lambda row, k: row[:2] * k, -1, x, 3.0), np.apply_along_axis(lambda row: 3, 0, x)


@program(np.arange(240.0).reshape(60, 4))
def along_many_rows(x):
    return np.apply_along_axis(lambda row: row / row.max(), 1, x + 1), np.apply_along_axis(lambda row: row[-1] - row[0], 1, x)


@program(np.arange(24).reshape(2, 3, 4))
def along_an_axis_of_three(x):
    return np.apply_along_axis(lambda row: row[::-1], 1, x), np.apply_along_axis(np.cumsum, 2, x)


@program(X, breaks="two dimensions")
def along_an_axis_into_two(x): return np.apply_along_axis(np.diag, 0, x)


@program(V)
def any_and_all_of_items(x):
    return any(x > 1), all(x < 100), any(x[:0]), all(x[:0]), 1 if any(x) else 2, not all(x == x)


@program(np.arange(12.0).reshape(3, 4))
def flat_elements(x):
    total, y = 0.0, x.copy()
    for value in x.flat:
        total += value
    y.flat = 7
    return total, y, x.item(5), x.item(-1), x.item((1, 2)), x.item(2, 3)


@program(V)
def arrays_from_iterators(x):
    return np.fromiter((v * 2 for v in x), float), np.fromiter(range(5), dtype=np.int32), np.fromiter([], float)


@program(X, breaks="with a count")
def arrays_from_a_part_of_an_iterator(x): return x, np.fromiter(iter([1, 2, 3]), int, 2)


@program(V, np.array([-1.0, 0.0, 0.5, 2.0]))
def histogram_of_given_edges(x, edges):
    counts, same = np.histogram(x, edges)
    return counts, same is edges, np.histogram(x, bins=edges[1:])


@program(X, np.array([2.0, 1.0]))
def histogram_of_falling_edges(x, edges):
    try:
        return np.histogram(x, edges)
    except ValueError as e:
        return str(e)


LOGGER = logging.getLogger("corpus")


@program(X)
def logging_what_nobody_reads(x):
    LOGGER.debug("shape %s", x.shape)
    LOGGER.info("sum")
    return x * 2


@program(X, breaks="reports what it is told")
def logging_what_is_reported(x):
    LOGGER.error("shape %s", x.shape)
    return x * 2


@program(X)
def bytes_and_paths(x):
    a, b = struct.unpack("<id", struct.pack("<id", 3, 0.5))
    return x * a + b, struct.calcsize("d"), json.loads('{"a": [1, null]}'), os.path.join("a", "b.c"), os.path.splitext("b.c")


@program(X)
def counting_by_operator(x): return operator.countOf([1, 2, 1], 1), operator.indexOf([1, 2], 2), operator.length_hint([1]), x


@program(X)
def versions(x):
    return x * (2 if sys.version_info >= (3, 9) else 1), sys.version_info[0], sys.version_info[:2] > (3, 8), sys.version_info.major, len(sys.version_info)


@functools.lru_cache
def remembered(n): return np.arange(n) * 2.0


remembered(3)


@program(X)
def outside_cache(x): return x.sum() + remembered(3), remembered(3) is remembered(3)


@program(X, breaks="shows arrays as text")
def arrays_as_text(x): return np.array2string(x), x * 2


@program(X, breaks="Python gets the elements themselves")
def elements_as_a_list(x): return np.ndarray.tolist(x), x.sum()


@program(X, breaks="it reads or writes files")
def arrays_in_files(x):
    file = io.BytesIO()
    np.save(file, x)
    file.seek(0)
    return np.load(file) * 2


@program(X, breaks="sliding_window_view is followed")
def strides_by_hand(x): return np.lib.stride_tricks.as_strided(x, (2, 3), (8, 8)).sum()
