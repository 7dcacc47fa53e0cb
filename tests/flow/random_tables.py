"""Random loops over dicts and sets whose keys data decides: those of the caller, and new ones."""
import random
from collections import defaultdict

from .random_loops import Writer


class TableWriter(Writer):
    """Also has `table`, `pairs` and `letters`, dicts of the caller, and a `text`; the program fills
    `d` by ints or pairs, `f` (a defaultdict), `seen` (a set) and `c` by characters."""

    scope = {"defaultdict": defaultdict}

    def __init__(self, seed):
        super().__init__(seed)
        self.budget = 8
        r = self.r
        self.of_pairs = r.random() < 0.3
        self.value = r.choice(["1", "0.5", "1", "x[0]"])
        self.zero = r.choice([self.value, "0", "0.0"]) if r.random() < 0.3 else self.value

    def text(self):
        r = self.r
        start = "{}" if self.of_pairs else r.choice(["{}", "{}", f"{{2: {self.value}}}", "{}"])
        self.lines += [
            "    table, pairs, letters, text = y", "    y = x + 1", "    ch = 'a'",
            f"    d, f, c = {start}, defaultdict(int), {{}}",
            "    seen = " + r.choice(["set()", "set()", "{3, 70, 8}", "{9}"]),
        ]
        before, result, values = super().text().rpartition("    return ")
        shown = r.choice(["d", "d, seen", "d, f, c, seen", "list(d.items()), list(seen)", "f, c"])
        return f"{before}{result}{shown}, {values}"

    def block(self, depth, count):
        if depth == 1:
            self.for_keys(depth)
        super().block(depth, count)

    def for_keys(self, depth):
        r = self.r
        head, index, key = r.choice([
            ("for i9 in range(45):", "i9", "(i9 * 7 % 11)"),
            ("for i9, ch in enumerate(text):", "i9", "i9"),
            ("for i9 in range(n * 5):", "i9", "int(k[i9 % 8])"),
            ("for i9 in range(40):", "i9", "(i9 * i9 % 13 - 5)"),
        ])
        self.put(depth, "a, b = float(a), float(b)")  # ints would become longer and longer
        self.put(depth, head)
        self.indices.append(f"({index} % 8)")
        self.keys = [key, index, f"{key} * 4096"]
        self.loops += 1
        self.table_statement(depth + 1)
        Writer.block(self, depth + 1, 3)
        self.loops -= 1
        self.indices.pop()

    def key(self):
        r = self.r
        known = [*getattr(self, "keys", ["3"]), "k[2]", "int(k[1])", "3"] if self.loops else ["3"]
        i = r.choice(known[:3]) if r.random() < 0.8 else r.choice(known)
        return f"({i}, {r.choice(['1', i, 'int(k[0])'])})" if self.of_pairs else i

    def assign(self, depth):
        if self.r.random() < 0.5:
            self.table_statement(depth)
        else:
            super().assign(depth)

    def table_statement(self, depth):
        r, key, other = self.r, self.key(), self.key()
        value = r.choice([self.value, self.value, self.number(2)])
        self.put(depth, r.choice([
            f"d[{key}] = d.get({key}, {self.zero}) + {self.value}", f"d[{key}] = {value}",
            f"if {key} in d: d[{key}] += {self.value}", f"f[{key}] += 1",
            f"if {key} not in seen: seen.add({key}); t += 1", f"seen.add({other})",
            f"a = d.get({key}, {self.zero})", "b = len(d) + len(seen)",
            "c[ch] = c.get(ch, 0) + 1", f"a = a + d.setdefault({key}, {self.value})",
            "a = letters[ch]", f"b = table.get({self.one()}, 0.5)",
            f"if {self.one()} in table: a = table[{self.one()}]", f"a = table[{self.one()}]",
            f"if ({self.one()}, 1) in pairs: b = pairs[{self.one()}, 1] + 0.5",
            f"if {key} in d and d[{key}] > 1: a = 2.0", "if not d: t = 5",
            f"if {key} in d: del d[{key}]", f"d[{key}] = d.get({other}, {self.zero})",
        ]))

    def one(self):
        return self.r.choice([*getattr(self, "keys", ["3"]), "k[2]", "int(k[1])"])

    @staticmethod
    def change(arguments):
        """`y` are dicts and a text, whose sizes the seed decides."""
        r = random.Random(repr(arguments))
        count = r.choice([40, 70, 12])
        text = "".join(r.choices(r.choice(["ab", "abc", "ab\u65e5"]), k=count))
        table = {i: i / 4 for i in r.sample(range(-5, 60), r.choice([60, 8, 1]))}
        pairs = {(i, r.choice([1, 2])): i * 3 for i in r.sample(range(60), 20)}
        letters = {"a": 1, "b": 2, "c": 3, "\u65e5": 4}
        return [arguments[0], (table, pairs, letters, text), *arguments[2:]]
