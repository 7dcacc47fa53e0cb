"""Methods that add to their object's state at each call: to lists, dicts, deques, sets, heaps."""
import heapq
from collections import deque

import numpy as np
import pytest

import dynamo_lite as dl

CALLS = 14
STEPS = {
    "self.items.append(x.sum())": "np.mean(self.items), len(self.items)",
    "self.items.append(x * i)": "np.array(self.items).mean(axis=0), sum(self.items)[0]",
    "self.items.append((i, x[0]))": "max(self.items), sorted(self.items)[-1]",
    "self.items.append([x[0], i])": "np.array([p[1] for p in self.items if p[1] > 2]).sum()",
    "self.items.extend([[i, 1.0], [x[0], 2.0]])": "np.array(self.items).sum(axis=0)",
    "self.items.insert(0, [x[0], i])": "np.array(self.items)[0], np.array(self.items).sum()",
    "self.items = self.items + [[x[0], i]]": "np.array(self.items[1:]).shape",
    "self.items.append(x[: i % 3 + 1].copy())": "np.concatenate(self.items).sum()",
    "self.items.append([x[0]] * i)": "[sum(row) for row in self.items]",
    "self.table[i] = x.sum()": "sum(self.table.values()), len(self.table)",
    "self.table[str(i)] = x * 2": "np.array(list(self.table.values())).sum(), list(self.table)",
    "self.table.setdefault(i % 3, []).append(x[0])":
        "{key: np.sum(value) for key, value in self.table.items()}",
    "self.table[i] = self.table.get(i - 1, 0.0) + x[0]": "i - 2 in self.table",
    "self.last.append(x[0] * i)": "np.mean(self.last), self.last[0]",
    "self.last.append([i, x[0]])": "np.array(self.last).sum(axis=0)",
    "self.seen.add(i)": "len(self.seen) * x[0], np.array(sorted(self.seen)).sum()",
    "self.pair += ((x[0], i),)": "np.array(self.pair).sum(axis=0), self.pair[-1]",
    "self.text += str(i % 10)": "len(self.text) * x[0], self.text.count('1')",
    "self.number += i": "np.full(self.number % 5 + 1, self.number) * x[0]",
    "heapq.heappush(self.items, (x[0] * ((i * 7) % 5), i))": "self.items[0], len(self.items)",
}


class State:
    def __init__(self):
        self.items, self.table, self.last = [], {}, deque(maxlen=9)
        self.seen, self.pair, self.text, self.number = set(), (), "", 0

    def shown(self):
        return repr(sorted(vars(self).items()))


def method(step, result):
    scope = {"np": np, "heapq": heapq}
    source = f"def method(self, x, i):\n    {step}\n    return {result}\n"
    exec(compile(source, f"<{step}>", "exec"), scope)
    return scope["method"]


@pytest.mark.parametrize("step", STEPS)
def test_each_call_finds_what_the_earlier_ones_left(step):
    function = method(step, STEPS[step])
    compiled, ours, plain = dl.compile(function), State(), State()
    kind = (int, np.int64)[list(STEPS).index(step) % 2]
    for i in range(1, CALLS):
        x = np.arange(3.0) + i
        assert repr(compiled(ours, x, kind(i))) == repr(function(plain, x, kind(i)))
        assert ours.shown() == plain.shown()
