"""Random loops that select elements by masks, use them and put them back."""
from .random_loops import Writer


class MaskWriter(Writer):
    """`x[c]` and the like, of a mask of this iteration or an earlier one: as many as data decides,
    sometimes none. `p`, `q` are what was selected, `c`, `d` masks, `j` positions."""

    def __init__(self, seed):
        super().__init__(seed)
        self.budget = 8

    def text(self):
        first = "    c, d = x > 0, y < s\n    p, q, j = x[:2], y[c], np.arange(2)"
        self.lines.append(first)
        return super().text().replace("    return ", "    return p, q, j, ")

    def mask(self):
        r, i = self.r, self.r.choice(self.indices or ["t"])
        return r.choice([
            "c", "c", "c", "d", "d", f"x > {i}", f"v > {self.level()}", "c & d", "~c",
            "c | (x > 1)", f"k == {i}", f"k == {i} % 4", "x < y", f"m[{i} % 5] > 0",
            f"(v > 0) & (x < {i})",
        ])

    def level(self):
        return self.r.choice(["0", "1", "0.5", "a", "s", "t", "-0.5", *self.indices])

    def selected(self, mask):
        """What a mask selects, which is the same text wherever it is used in a statement."""
        r, i = self.r, self.r.choice(self.indices or ["t"])
        return r.choice([
            f"x[{mask}]", f"x[{mask}]", f"y[{mask}]", f"v[{mask}]", f"k[{mask}]",
            f"m[{i} % 5, {mask}]", f"m[{i} % 5][{mask}]", f"(x[{mask}] * 0.5)",
            f"(y[{mask}] - {r.choice(['a', 's', '1'])})", f"(x - y)[{mask}]", f"x[{mask}][::-1]",
            f"np.sqrt(np.abs(v[{mask}]))", f"np.compress({mask}, y)", f"x[np.nonzero({mask})]",
            f"y[np.where({mask})[0]]", f"x[np.flatnonzero({mask})]", "p", "q", "x[j]",
        ])

    def fold(self):
        r, mask = self.r, self.mask()
        first, second = self.selected(mask), self.selected(mask)
        return r.choice([
            f"{first}.sum()", f"({first} * {second}).sum()", f"({first} + {second}).max(initial=0)",
            f"{first} @ {second}", f"np.dot({first}, {second})", f"len({first})", f"{first}.size",
            f"{first}.max()", f"{first}.min()", f"({first} > {second}).any()", f"{first}.mean()",
            f"np.argmax({first})", f"{first}[0]", f"{first}[-1]", f"np.sum({mask})",
            f"np.count_nonzero({mask})", f"int(({mask}).sum())", f"m[:, {mask}].sum()",
            f"m[m > {self.level()}].sum()", f"{first}.std()", f"m[:, {mask}].mean(axis=1)[2]",
            f"{first}[{self.index()}]", f"({mask}).any()", f"sum({first})", f"sum({mask})",
            f"max({first})", f"min({first})", f"list(map(float, {first}))[-1]",
            f"sum(e * 2 for e in {first})", f"sum(1 for e in {first} if e > {self.level()})",
        ])

    def element(self):
        return self.fold() if self.r.random() < 0.5 else super().element()

    def store(self, depth):
        r, mask = self.r, self.mask()
        i, value = r.choice(self.indices or ["t"]), self.selected(mask)
        self.put(depth, r.choice([
            f"p = {value}", f"p = {value}", f"q = {value}", f"c = {mask}", f"d = {mask}",
            f"p = {value}; x[{mask}] = p", f"x[{mask}] = {value}", f"v[{mask}] += {value}",
            f"v[{mask}] = {self.number(2)}", f"x[{mask}] *= {self.number(3)}",
            f"m[{i} % 5, {mask}] = {value}", f"m[m > {i}] -= {self.number(2)}",
            f"p = {value}; p *= 2; v[{mask}] = p", f"p = {value}; p[:1] = {i}", "p += 1",
            f"j = np.nonzero({mask})[0]", f"j = np.flatnonzero({mask})", "v[j] = 2", "v[j] += x[j]",
            f"for e in {value}: a = a + e", f"for h in range(len({value})): v[h] = h",
            "for h in range(len(p)): a += p[h] * h", "for h in range(len(p)): p[h] = p[h] / 2",
            f"p = {value}; q = p + {value}", f"c[{i} % 8] = {self.test()}", "c &= x > 0", "d = c",
            f"c[{mask}] = False", "p = p[p > 0]", f"a = a + {value}.sum()", "p, q = q, p",
            f"p = {value}; a = np.random.default_rng(1).random() + len(p)", "g = s",
            f"g = ({mask}).sum(); x[{mask}] = np.random.default_rng(2).normal(0, 1, g)",
            f"g = int(np.count_nonzero({mask})); q = np.zeros(g) + {value}", "g = len(p)",
            f"x[{mask}] = np.arange(np.sum({mask})) / 2", f"q = np.ones(({value}).size)",
        ]))

    def for_loop(self, depth):
        r = self.r
        index = f"i{len(self.indices)}"
        last = self.indices[-1] if self.indices else "n"
        ends = r.choice(["45", "45", "1, 44", "30, -1, -1", "-9, 40", "len(x) * 6", "len(x)", last,
                         f"{last}, 45", "k[1]", "len(p)", "len(q) + 20"])
        self.range_loop(depth, index, ends)
