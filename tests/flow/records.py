"""Classes whose objects the random loops of `random_records` read and change."""
import numpy as np


class Part:
    """Attributes in slots."""

    __slots__ = ("a", "n")

    def __init__(self, a, n):
        self.a, self.n = a, n

    def __add__(self, other):
        return Part(self.a + other.a, self.n + 1)

    @property
    def twice(self):
        return self.a * 2

    def keep_above(self, limit):
        if self.a < limit:
            self.a = limit
            return False
        self.n += 1
        return True


class Record:
    """Attributes in its dict: numbers, an array, another object."""

    def __init__(self, a, part):
        self.a = a
        self.n = 0
        self.v = np.zeros(8)
        self.part = part

    def step(self, value):
        self.n += 1
        self.a = self.a * 0.5 + value
        if self.n % 3 == 1:
            self.part.a = value
        return self.a - self.part.a

    def gather(self, values, start):
        for place in range(start, 8):
            self.a = self.a + values[place] * 0.25
            if self.a > 3:
                self.n -= 1
                break
        return self.a

    @property
    def total(self):
        return self.a + self.part.a + self.n


def attributes(record):
    """What a record and its part hold."""
    return record.a, record.n, record.v, record.part.a, record.part.n, sorted(vars(record))
