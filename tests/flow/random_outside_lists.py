"""Random programs over lists of numbers that are not the program's own: of Python's numbers, of
NumPy's, and of both."""
import bisect
import random

import numpy as np

from .random_loops import Writer

NUMBERS = [random.Random(0).gauss(0.0, 4.0) for _ in range(40)]
ARRAY = np.array(NUMBERS)


class OutsideListWriter(Writer):
    """Also has `p` and `q`, two of these lists."""

    scope = {
        "bisect": bisect, "floats": NUMBERS, "scalars": [*ARRAY], "ints": [*map(round, NUMBERS)],
        "behind_zero": [0, *ARRAY], "behind_float": [0.5, *ARRAY],
        "both": [value if index % 3 else float(value) for index, value in enumerate(ARRAY)],
        "ascending": [0, *np.cumsum(np.abs(ARRAY))], "int64s": [*range(9), *np.arange(31)],
        "few": [0.0, *ARRAY[:8]], "small": [*np.arange(40, dtype="i2") * 3000],
        "numbers": [*range(9), *NUMBERS], "others": [*NUMBERS, 1j], "kinds": [1, 1.5, *ARRAY],
    }

    def text(self):
        names = [*self.scope][1:]
        self.put(1, f"p, q = {self.r.choice(names)}, {self.r.choice(names)}")
        return super().text()

    def element(self):
        if self.r.random() < 0.4:
            return f"{self.r.choice('pq')}[{self.index()}]"
        return super().element()

    def test(self):
        r = self.r
        if r.random() < 0.8:
            return super().test()
        return r.choice([
            f"{r.choice(['a', '0', 't', 'q[2]'])} in p", "len(p) > 30",
            f"sum(p) > {self.number(2)}",
            "max(q) > a", "p == q", f"any(w > {self.element()} for w in p)", "p.count(0) > t",
        ])

    def for_items(self, depth):
        r = self.r
        if r.random() < 0.5:
            return super().for_items(depth)
        name = f"e{len(self.items)}"
        over = r.choice([
            f"for {name} in p:", f"for {name} in q:", f"for h, {name} in enumerate(p):",
            f"for {name}, z in zip(p, q):", f"for {name}, z in zip(p, p[1:]):",
            f"for {name} in reversed(q):", f"for {name}, z in zip(x, q):",
        ])
        self.put(depth, over)
        self.items.append(name)
        self.loops += 1
        self.block(depth + 1, 2)
        self.loops -= 1
        self.items.pop()

    def assign(self, depth):
        r = self.r
        if r.random() < 0.6:
            return super().assign(depth)
        a_list, number = r.choice("pq"), self.number(2)
        self.put(depth, r.choice([
            f"a = sum({a_list})", f"b = max({a_list})", f"a = min({a_list}) + b",
            f"a = sum(w * w for w in {a_list})", f"b = max(abs(w - {self.element()}) for w in p)",
            f"v = np.array({a_list})[:8] * {number}", f"b = np.mean({a_list})",
            f"t = bisect.bisect({a_list}, {number})",
            f"t = bisect.bisect_left(p, {self.element()})", f"t = len({a_list})",
            f"a = sum(w for w in {a_list} if w > {self.element()})", "t = p.index(p[3]) + t",
            f"t = len([w for w in {a_list} if w < {number}])", f"v = v * {a_list}[t % 8]",
            f"a = {a_list}[t % 8] - {a_list}[(t + 1) % 8]", f"a = a + {a_list}[k[t % 8] % 8] * 2",
            f"a = [w + 1 for w in {a_list}][t % 8]", f"b = sorted({a_list})[t % 8]",
            "p, q = q, p", f"a = b if {self.element()} is None else {a_list}[-1]",
        ]))
