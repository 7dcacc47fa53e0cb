"""Jagged data: bags of ids of different lengths per key, and a batch of rows of different lengths.

Two ordinary classes over NumPy arrays, as recommenders have them. Nothing in them knows of the
compiler; the lengths of a batch become symbols, so that the next batch needs no compilation.

Run it:  python examples/07_jagged.py
"""
import numpy as np

import dynamo_lite as dl

TITLE = "jagged features, 500 keys"


class KeyedJagged:
    """For each key of `keys` the rows `values[key]`; `lengths` says how many there are per key."""

    def __init__(self, keys, values, lengths):
        assert len(keys) == len(lengths) and sum(lengths) == len(values)
        self.keys = keys
        self.values = values
        self.lengths = lengths

    @classmethod
    def from_dict(cls, arrays):
        parts = list(arrays.values())
        return cls(list(arrays), np.concatenate(parts), [len(part) for part in parts])

    @classmethod
    def concatenate(cls, collections):
        """The keys of all collections, one after the other."""
        keys = [key for each in collections for key in each.keys]
        lengths = [length for each in collections for length in each.lengths]
        return cls(keys, np.concatenate([each.values for each in collections]), lengths)

    def split(self):
        """One view of the values per key."""
        parts, start = [], 0
        for length in self.lengths:
            parts.append(self.values[start:start + length])
            start += length
        return parts

    def to_dict(self):
        return dict(zip(self.keys, self.split()))

    def __getitem__(self, key):
        place = self.keys.index(key)
        start = sum(self.lengths[:place])
        return self.values[start:start + self.lengths[place]]

    def map(self, function):
        return KeyedJagged(self.keys, function(self.values), self.lengths)

    def sum(self):
        """An array (keys, ...): the sum of the rows of each key."""
        return np.stack([part.sum(axis=0) for part in self.split()])

    def mean(self):
        """Like `sum`, divided by the number of rows; zero where there is none."""
        return self.sum() / np.maximum(self.lengths, 1)[:, None]


class Ragged:
    """A batch of rows of different lengths: row k is `values[offsets[k]:offsets[k + 1]]`."""

    def __init__(self, values, offsets):
        self.values = values
        self.offsets = offsets

    @classmethod
    def from_rows(cls, rows):
        lengths = np.array([len(row) for row in rows])
        return cls(np.concatenate(rows), np.concatenate([[0], np.cumsum(lengths)]))

    @property
    def lengths(self):
        return np.diff(self.offsets)

    def __len__(self):
        return len(self.offsets) - 1

    def __add__(self, other):
        other = other.values if isinstance(other, Ragged) else other
        return Ragged(self.values + other, self.offsets)

    def __mul__(self, other):
        other = other.values if isinstance(other, Ragged) else other
        return Ragged(self.values * other, self.offsets)

    def rows(self):
        """The row that each value belongs to."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def sum(self):
        return np.bincount(self.rows(), weights=self.values, minlength=len(self))

    def mean(self):
        return self.sum() / np.maximum(self.lengths, 1)

    def spread(self, numbers):
        """One number per row, repeated for each of its values."""
        return Ragged(np.repeat(numbers, self.lengths), self.offsets)

    def to_dense(self, width, fill=0.0):
        """An array (rows, width); what is shorter ends in `fill`, what is longer is cut off."""
        dense = np.full((len(self), width), fill)
        rows = self.rows()
        columns = np.arange(len(self.values)) - self.offsets[rows]
        kept = columns < width
        dense[rows[kept], columns[kept]] = self.values[kept]
        return dense


def function(features, batch):
    """The mean of each feature, and the rows of the batch without their means as one array."""
    pooled = features.map(np.tanh).mean()
    centred = batch + batch.spread(-batch.mean())
    return pooled, (centred * 0.5).to_dense(8)


def inputs(seed=0, keys=500, rows=2000):
    """Features with 0 to 9 rows of 16 numbers per key; a batch of rows of 0 to 12 numbers."""
    rng = np.random.default_rng(seed)
    features = {f"key{k}": rng.normal(size=(rng.integers(10), 16)) for k in range(keys)}
    return KeyedJagged.from_dict(features), Ragged.from_rows(
        [rng.normal(size=rng.integers(13)) for _ in range(rows)]
    )


if __name__ == "__main__":
    compiled = dl.compile(function)
    for seed in range(5):
        arguments = inputs(seed)
        found = compiled(*arguments)
        same = map(np.allclose, found, function(*arguments))
        print(f"batch {seed}: {len(arguments[0].values)} rows, right: {all(same)}, "
              f"{len(compiled.entries())} compilations so far")
