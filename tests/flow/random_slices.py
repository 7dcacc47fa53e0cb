"""Random loops over slices whose bounds are computed: read, written, folded, multiplied."""
from .random_loops import Writer


class SliceWriter(Writer):
    """Parts of `x`, `y`, `v` and rows and columns of `m`, clipped, empty, shrinking and growing."""

    def __init__(self, seed):
        super().__init__(seed)
        self.budget = 8

    def text(self):
        self.lines.append(f"    z = {self.r.choice(['x', 'x * 2', 'y[:3]'])}")
        return super().text().replace("    return ", "    return z, ")

    def bound(self):
        r = self.r
        i = r.choice(self.indices or ["t"])
        return r.choice([
            i, i, i, f"{i} + 1", f"{i} - 1", f"{i} + 3", f"-{i}", f"2 * {i}", f"{i} % 8", "", "",
            "2", "-1", "t", "k[1]", f"k[{i} % 8]", f"max(0, {i} - 2)", f"min({i} + 2, 8)",
            f"8 - {i}", f"{i} // 2", "len(x)", f"{r.choice(self.indices or ['t'])} - {i}",
        ])

    def part(self):
        """A slice, which is the same text wherever it is used in a statement."""
        r = self.r
        step = f":{r.choice([2, 3])}" if r.random() < 0.1 else ""
        return f"{self.bound()}:{self.bound()}{step}"

    def of_length(self, part):
        """Vectors of the length of `x[part]`."""
        r, i = self.r, self.r.choice(self.indices or ["t"])
        return r.choice([
            f"x[{part}]", f"y[{part}]", f"v[{part}]", f"m[{i} % 5, {part}]", f"m[{i} % 5][{part}]",
            f"(x[{part}] * 0.5)", f"(y[{part}] - {r.choice(['a', 's', '1'])})", f"m[1, {part}]",
            f"np.flip(v[{part}])", f"v[{part}][::-1]", f"np.sqrt(np.abs(x[{part}]))",
            f"y[k[{part}]]",
        ])

    def fold(self):
        r, part = self.r, self.part()
        first, second = self.of_length(part), self.of_length(part)
        i = r.choice(self.indices or ["t"])
        return r.choice([
            f"{first}.sum()", f"({first} * {second}).sum()", f"({first} + {second}).max(initial=0)",
            f"{first} @ {second}", f"np.dot({first}, {second})", f"np.inner({first}, {second})",
            f"{first}.max()", f"{first}.min()", f"len({first})", f"{first}.shape[0]",
            f"m[:{self.bound()}, {i} % 8].sum()", f"m[{self.part()}, {self.part()}].sum()",
            f"np.dot(m[{self.part()}, 2], m[1, :5][:3])", f"{first}[0]", f"{first}[-1]",
            f"({first} > {second}).any()", f"np.argmax({first})", f"{first}.mean()",
            f"m[:4, {part}].max(axis=0, initial=1).sum()", f"(m[:, {part}] @ {second})[1]",
            f"sum({first})", f"max({first})", f"min({first})", f"sum(map(abs, {first}))",
            f"sum(e * 2 for e in {first})", f"sum(e * d for e, d in zip({first}, {second}))",
        ])

    def element(self):
        return self.fold() if self.r.random() < 0.5 else super().element()

    def store(self, depth):
        r, part = self.r, self.part()
        i, value = r.choice(self.indices or ["t"]), self.of_length(part)
        self.put(depth, r.choice([
            f"v[{part}] = {value}", f"x[{part}] += {value}", f"m[{i} % 5, {part}] = {value}",
            f"m[{i} % 5, {part}] -= {value} * {self.number(3)}", f"v[{part}] = {self.number(2)}",
            f"m[{self.part()}, {i} % 8] = {self.number(2)}", f"w = {value}; w[:1] = 2",
            f"m[{self.part()}, {self.part()}] *= 0.5", f"y[{part}] = x[{part}][::-1]",
            f"w = {value}; v[{part}] += w * w.sum()", f"m[1:, {part}] = m[:-1, {part}]",
            f"np.multiply({value}, 2, out=v[{part}])", f"for e in {value}: a = a + e",
            f"w = {value}; a = float(len(w)) + w.sum()",
            f"x[{self.bound() or 3}] = {self.number(2)}",
            f"z = {value}", f"z = {value} * 2", f"a = a + z[{part}].sum() + len(z)",
            f"for q in range({self.bound() or 3}, {self.bound() or 9}): v[q % 8] = q",
        ]))

    def for_loop(self, depth):
        r = self.r
        index = f"i{len(self.indices)}"
        last = self.indices[-1] if self.indices else "n"
        ends = r.choice(["45", "45", "1, 44", "44, -1, -1", "-9, 40", "0, 90, 2", "len(x) * 6",
                         "len(x)", last, f"{last}, 45", "k[1]", f"{last} + 1, 9", "9, 0, -2"])
        self.range_loop(depth, index, ends)
