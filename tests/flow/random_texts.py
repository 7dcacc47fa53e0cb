"""Random loops over texts, bytes and long lists of numbers."""
import random

from .random_loops import Writer


class TextWriter(Writer):
    """Also has `text`, `data` and `values`, and `ch`, a character."""

    def __init__(self, seed):
        super().__init__(seed)
        self.budget = 9
        self.characters = ["ch"]

    def text(self):
        self.lines += ["    text, data, values = y", "    y = x + 1", "    ch = 'a'"]
        before, result, values = super().text().rpartition("    return ")
        return f"{before}{result}ch, {values}"

    def block(self, depth, count):
        if depth == 1:
            self.for_items(depth)
        super().block(depth, count)

    def place(self, of):
        i = self.r.choice(self.indices or ["t"])
        return self.r.choice([f"{i} % len({of})", "3", "-1", f"({i} * 7 + 2) % len({of})", i])

    def character(self):
        return self.r.choice([*self.characters, *self.characters, f"text[{self.place('text')}]"])

    def element(self):
        r = self.r
        return super().element() if r.random() < 0.4 else r.choice([
            f"data[{self.place('data')}]", f"values[{self.place('values')}]", "len(text)",
            f"ord({self.character()})", f"({self.character()} == 'a')", "len(values)",
        ])

    def test(self):
        r = self.r
        known = r.choice(["'a'", "'é'", "' '"])
        return super().test() if r.random() < 0.4 else r.choice([
            f"{self.character()} == {self.character()}", f"{self.character()} == {known}",
            f"{self.character()} != {self.character()}", f"{self.character()} in 'ab '",
            f"{self.character()} not in ('b', 'cc', 'é')", f"{self.character()} < 'b'",
            f"{self.character()} == 'ab'", f"'a' <= {self.character()} <= 'c'",
            f"{self.character()} in [ch, 'a']", f"ord({self.character()}) > 98",
        ])

    def assign(self, depth):
        if self.r.random() < 0.3:
            value = self.r.choice([self.character(), "'b'", self.character()])
            self.put(depth, self.r.choice([
                f"ch = {value}", f"if {self.test()}: ch = {value}",
                f"ch = {value} if {self.test()} else {self.character()}",
            ]))
        else:
            super().assign(depth)

    def for_items(self, depth):
        r = self.r
        name, index = f"e{len(self.items)}", f"i{len(self.indices)}"
        over, known = r.choice([
            ("text", self.characters), ("data", self.items), ("values", self.items),
            ("text", self.characters),
        ])
        names, whole, numbered = r.choice([
            (name, over, False), (f"{index}, {name}", f"enumerate({over}, 1)", True),
            (f"{name}, z", f"zip({over}, values)", False),
        ])
        self.put(depth, f"for {names} in {whole}:")
        known.append(name)
        self.indices += [f"({index} % 8)"] * numbered
        self.loops += 1
        Writer.block(self, depth + 1, 3)
        self.loops -= 1
        if numbered:
            self.indices.pop()
        known.pop()

    @staticmethod
    def change(arguments):
        """`y` is a text, bytes and a list, of a length that the seed decides."""
        r = random.Random(repr(arguments))
        count = r.choice([40, 70, 33, 8])
        text = "".join(r.choices(r.choice(["ab c", "abé \u65e5\U0001f600", "abcdx"]), k=count))
        data = bytes(r.choices(range(256), k=count))
        values = r.choice([
            [r.random() for _ in range(count)], [r.randint(-5, 5) for _ in range(count)],
            [1, 0.5] * 20,
        ])
        return [arguments[0], (text, data, values), *arguments[2:]]
