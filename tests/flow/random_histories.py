"""Random programs that keep what they compute: arrays that become longer, lists of rows and of
arrays, in variables and in fields of objects; and that read rows of lists from outside."""
from .random_loops import Writer


class Keeper:
    def __init__(self):
        self.kept = []


class HistoryWriter(Writer):
    """Also has `h`, a vector, and `g`, a table, which become longer; `rows`, a list of rows,
    `snaps` one of arrays, `o.kept` one in an object's field; `p` and `q` are views or names."""

    scope = {
        "Keeper": Keeper,
        "POINTS": [(place * 0.5, place % 7) for place in range(50)],
        "GRID": [[(place * 3 + at) % 5 for at in range(6)] for place in range(45)],
    }

    def __init__(self, seed):
        super().__init__(seed)
        self.budget = 9
        self.row = self.r.choice(["[t % 9, float(a)]", "(t % 9, float(a))"])

    def text(self):
        r = self.r
        self.lines += [
            f"    h = {r.choice(['np.array([])', 'np.zeros(1)', 'x[:2].copy()', 'x[:1]', 'y'])}",
            f"    g = {r.choice(['np.zeros((1, 2))', 'np.empty((0, 2))', 'm[:2, :2].copy()'])}",
            f"    rows, snaps, o = {r.choice(['[]', '[]', f'[{self.first_row()}]'])}, [], Keeper()",
            "    p = q = None",
        ]
        before, result, values = super().text().rpartition("    return ")
        shown = r.choice(["h, g, rows, snaps, o.kept, p", "h, g, p", "np.array(rows), len(snaps)",
                          "o.kept, g", "snaps, h[-1:], q", "np.array(snaps), g[-1:]"])
        return f"{before}{result}{shown}, {values}"

    def first_row(self):
        return self.row.replace("t % 9", "0").replace("float(a)", "0.5")

    def block(self, depth, count):
        if depth == 1:
            self.keeping_loop(depth)
        super().block(depth, count)

    def keeping_loop(self, depth):
        index, ends = f"i{8 + self.loops}", self.r.choice(["45", "n * 5", "60, 3, -1", "50"])
        self.put(depth, "a, b = float(a), float(b)")  # ints would become longer and longer
        self.put(depth, f"for {index} in range({ends}):")
        self.indices.append(f"({index} % 8)")
        self.loops += 1
        for _ in range(self.r.randint(1, 2)):
            self.put(depth + 1, self.keep())
        for _ in range(self.r.randint(1, 3)):
            self.statement(depth + 1)
        self.put(depth + 1, "a, b, t = a % 100, b % 100, t % 100")
        self.indices.pop()
        self.loops -= 1

    def statement(self, depth):
        chance = self.r.random()
        if chance < 0.2:
            self.put(depth, self.keep())
        elif chance < 0.45:
            self.put(depth, self.look())
        elif chance < 0.52:
            self.put(depth, self.alter())
        elif chance < 0.57:
            self.put(depth, f"if {self.test()}: {self.keep()}")
        elif chance < 0.6 and depth < 4:
            self.keeping_loop(depth)
        else:
            super().statement(depth)

    def keep(self):
        row = self.row
        return self.r.choice([
            "h = np.append(h, a)", "h = np.append(h, v[:2])", "h = np.concatenate((h, [b]))",
            "h = np.hstack((h, x[1]))", "g = np.vstack((g, v[:2]))",
            "g = np.append(g, [[a, b]], 0)",
            "g = np.concatenate((g, x[None, 2:4]))", f"rows.append({row})", f"rows.append({row})",
            "snaps.append(v.copy())", "snaps.append(x * a)", "snaps.append(np.array([a, b]))",
            "snaps.append(v)", f"o.kept.append({row})", f"o.kept.append({row})", "o.kept.append(t)",
        ])  # fmt: skip

    def look(self):
        place = self.r.choice(["-1", "0", "t % 3", "-2"])
        return self.r.choice([
            f"a = h[{place}]", f"b = g[{place}, 0]", "t += len(h) + len(g)", "b = h.sum()",
            "a = g[:, 1].max()", f"x[2:4] = g[{place}]", f"p = h[{place}:]", f"p = g[{place}]",
            "p = g.T", "q = h", "q = g", f"a = rows[{place}][1]", f"t, a = rows[{place}]",
            f"q = rows[{place}]", "t += len(rows)", "for u, w in rows: a += w",
            f"v = snaps[{place}]", f"p = snaps[{place}]", f"a = snaps[{place}][0]",
            "t += len(snaps)",
            "for u in snaps: b += u[0]", f"t = o.kept[{place}][0]", "t += len(o.kept)",
            "q = o.kept", "a = POINTS[t % 50][0]", "u, t = POINTS[t % 50]",
            "b = GRID[t % 45][t % 6]",
            "for u, w in POINTS: a += u * w", "for u in GRID: b += u[2]", "q = GRID[t % 45]",
            "a = sorted(h)[-1]", "b = sum(v.tolist())", "b = sorted(v, key=lambda u: -u)[0]",
        ])  # fmt: skip

    def alter(self):
        place = self.r.choice(["-1", "0", "t % 3"])
        return self.r.choice([
            f"h[{place}] = a", f"g[{place}] = b", "h = h[-5:]", "g = g[1:]", "h *= 0.5",
            "g = g * 2",
            "if p is not None: p *= 0.5", "if p is not None: p[0] = 7",
            f"rows[{place}] = {self.row}",
            "rows = []", "rows.pop()", "rows = rows[1:]", f"snaps[{place}][0] = a", "snaps = []",
            f"snaps[{place}] = v", "snaps.pop()", "o.kept = []", "o = Keeper()", "o.kept.pop()",
            "np.add(h, 1, out=h)", "g.T[0] = a", "h = np.append(h, h[-1])", "h, q = x[:2] * 1, h",
            "np.random.seed(3); np.random.shuffle(g)",
        ])  # fmt: skip


__all__ = ["HistoryWriter"]
