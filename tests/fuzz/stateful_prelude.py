"""What the programs of `stateful` begin with: classes with arrays that methods change in place.

The text of this module is the beginning of every program; it is not imported.
"""
import collections
import contextlib
import dataclasses

import numpy as np

LOG = []
TICKS = 0


class Lost(Exception):
    def __init__(self, where, amount=0):
        super().__init__(f"lost {where}")
        self.amount = amount


def tick(k=1):
    global TICKS
    TICKS += k
    return TICKS


def make_counter(start):
    count = start

    def counter(k=1):
        nonlocal count
        count += k
        if count > 60:
            raise Lost("count", count)
        return count

    return counter


def ticks(step):
    at = 0
    while True:
        got = yield at
        at += step if got is None else got


def windows(v, width):
    for start in range(0, len(v), width):
        yield v[start : start + width]


class Grid:
    made = 0
    scale = 2

    def __init__(self, v):
        type(self).made += 1
        self.a = v * 1
        self.b = v + 1
        self.part = self.a[1:]
        self.count = 0
        self.seen = []

    @property
    def energy(self):
        return (self.a * self.a).sum()

    @energy.setter
    def energy(self, value):
        self.count += 1
        self.a[...] = value

    @property
    def middle(self):
        return self.a[len(self.a) // 2 :]

    def step(self, v, by=1):
        self.a += v * by
        self.count += by
        return self

    def swap(self):
        self.a, self.b = self.b, self.a
        self.part = self.a[::2]

    def check(self, most):
        if np.abs(self.a).max(initial=0) > most:
            raise Lost(type(self).__name__, self.count)
        return True

    def __iadd__(self, other):
        self.b += other
        return self

    def __len__(self):
        return len(self.a)

    def __getitem__(self, key):
        return self.b[key]

    def __setitem__(self, key, value):
        self.b[key] = value
        self.count += 1


class Damped(Grid):
    scale = 0.5

    def __init__(self, v):
        super().__init__(v)
        self.friction = 0.25
        self.part = self.b[1:-1]

    def step(self, v, by=1):
        self.seen.append(by)
        super().step(v * self.scale, by)
        if len(self.seen) > 4:
            del self.seen[:2]
        return self

    @property
    def middle(self):
        return super().middle[:2]

    def __getattr__(self, name):
        if name.startswith("extra"):
            return len(name)
        raise AttributeError(name)


class Pair:
    __slots__ = ("left", "right", "note")

    def __init__(self, left, right):
        self.left, self.right = left, right

    def total(self):
        return self.left + self.right

    def __eq__(self, other):
        return isinstance(other, Pair) and bool((self.left == other.left).all())

    __hash__ = None


@dataclasses.dataclass
class Body:
    at: np.ndarray
    speed: np.ndarray
    mass: float = 1.5
    trail: list = dataclasses.field(default_factory=list)

    def move(self, dt):
        self.trail.append(self.at.sum())
        self.at += self.speed * dt
        if len(self.trail) > 3:
            self.trail.pop(0)
        return self.at


@dataclasses.dataclass(frozen=True)
class Limits:
    low: float = -50.0
    high: float = 50.0

    def apply(self, v):
        return np.clip(v, self.low, self.high)


class Saved:
    """Puts the contents of a grid back when the block fails."""

    def __init__(self, grid, swallow=False):
        self.grid, self.swallow = grid, swallow

    def __enter__(self):
        self.kept = self.grid.a.copy()
        return self.kept

    def __exit__(self, kind, error, trace):
        LOG.append(("exit", kind and kind.__name__))
        if kind is not None:
            self.grid.a[...] = self.kept
        return self.swallow


@contextlib.contextmanager
def scaled(grid, by):
    grid.a *= by
    try:
        yield grid.a
    except ValueError as error:
        LOG.append(f"scaled: {error}")
        raise Lost("scaled") from error
    finally:
        grid.a /= by
        grid.count -= 1


class State:
    def __init__(self, v):
        self.grid, self.damped = Grid(v), Damped(v)
        self.pair = Pair(self.grid.a, v[::-1])
        self.body = Body(v * 2, self.grid.b)
        self.limits = Limits()
        self.named = {"u": v - 1, "w": self.damped.b}
        self.recent = collections.deque([v * 3], maxlen=3)
        self.items = [self.grid.part, v + 2]
        self.groups = collections.defaultdict(list)
        self.counter = make_counter(3)
        self.ticks = ticks(2)
        self.rng = np.random.default_rng(4)
        self.calls = 0
        self.old = v

    def fit(self, v):
        """Begin again with what has another length or dtype."""
        self.calls += 1
        if v.shape != self.grid.a.shape or v.dtype != self.grid.a.dtype:
            self.grid, self.damped = Grid(v), Damped(v)
            self.pair.left, self.pair.right = self.grid.a, v * 0
            self.body = dataclasses.replace(self.body, at=v + 0, speed=self.damped.a)
            self.named.update(u=v - 1, w=self.grid.b)
            self.recent.clear()
            self.recent.append(v + 3)
            self.items[:] = [self.grid.part, v * 1]
            self.old = v
