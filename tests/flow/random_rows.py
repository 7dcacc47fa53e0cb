"""Random loops over lists of lists of numbers, which they read and write at indices of data."""
from .random_loops import Writer


class RowsWriter(Writer):
    """Also has `d`, five lists of four numbers; three in ten use `row`, one of them."""

    def __init__(self, seed):
        super().__init__(seed)
        self.budget = 9
        self.value = self.r.choice(["0", "1", "0.5", "False", "x[0]", "s", "float(n)"])
        self.has_rows = self.r.random() < 0.3

    def text(self):
        r, value = self.r, self.value
        rows = r.choice([
            f"[[{value}] * 4 for _ in range(5)]", f"[[{value}] * 4 for _ in range(5)]",
            f"[[{value}, {value}, {value}, {value}] for _ in range(5)]",
            "[[j, j + 1, j + 2, j * j] for j in range(5)]", f"[[{value}] * 4] * 5",
            f"[[{value}] * 4, [{value}] * 4, [{value}] * 4, [0] * 4, [1] * 4]",
        ])
        self.lines += [f"    d = {rows}", f"    row = {r.choice(['d[1]', '[1, 2, 3, 4]', 'None'])}"]
        if not self.has_rows:
            self.lines[-1] = "    row = 0"
        before, result, values = super().text().rpartition("    return ")
        shown = r.choice(["d", "d", "d, row", "d[2][1]", "len(d), d[1]", "d[0] is d[1], d", "row"])
        return f"{before}{result}{shown}, {values}"

    def block(self, depth, count):
        if depth == 1:
            self.for_rows(depth)
        super().block(depth, count)

    def for_rows(self, depth):
        index, ends = "i9", self.r.choice(["45", "n * 5", "60, 3, -1", "len(x) * 6"])
        self.put(depth, "a, b = float(a), float(b)")  # ints would become longer and longer
        self.put(depth, f"for {index} in range({ends}):")
        self.indices.append(f"({index} % 8)")
        self.loops += 1
        self.row_statement(depth + 1)
        Writer.block(self, depth + 1, 3)
        self.loops -= 1
        self.indices.pop()

    def cell(self):
        r, i, j = self.r, self.index(), self.index()
        first = r.choice([f"({i}) % 5", f"({i}) % 5", f"({i}) % 5 - 5", i, "2", "-1"])
        second = r.choice([f"({j}) % 4", f"({j}) % 4", f"({j}) % 4 - 4", j, "1", "-4"])
        return f"d[{first}][{second}]"

    def element(self):
        return self.cell() if self.r.random() < 0.4 else super().element()

    def store(self, depth):
        if self.r.random() < 0.5:
            self.row_statement(depth)
        else:
            super().store(depth)

    def row_statement(self, depth):
        r = self.r
        stored = r.choice([self.cell(), self.cell(), self.value, "float(a)", "int(a > 1)", "True"])
        if self.has_rows and r.random() < 0.4:
            return self.use_of_row(depth)
        self.put(depth, r.choice([
            f"{self.cell()} = {stored}", f"{self.cell()} = {stored}", f"{self.cell()} += 1",
            f"{self.cell()} = max({self.cell()}, {self.cell()})", f"{self.cell()} += {self.cell()}",
            f"if {self.cell()} > 1: {self.cell()} = {stored}", f"a = a + {self.cell()}",
            f"{self.cell()}, {self.cell()} = {self.cell()}, {self.cell()}",
            f"t = len(d) + len(d[{self.index()} % 5])", f"a = float({self.cell()}); b = a / 2",
        ]))

    def use_of_row(self, depth):
        r = self.r
        self.put(depth, r.choice([
            f"row = d[{self.index()} % 5]; row[{self.index()} % 4] = {self.cell()}",
            f"row = d[{self.index()} % 5]", f"a = float(sum(d[{self.index()} % 5]))",
            f"d[{self.index()} % 5] = [1, 2, 3, 4]", f"a += d[1] is d[{self.index()} % 5]",
        ]))
