"""Random loops over small integers of NumPy's that meet Python's own, with warnings and errors."""
from .random_loops import Writer


class IntegerWriter(Writer):
    """`p`, `q` Python ints; `c`, `d` elements; `u`, `h`, `w` arrays of some integer types;
    `flag` a bool."""

    def __init__(self, seed):
        super().__init__(seed)
        self.has_words = seed % 3 == 0

    def text(self):
        dtypes = self.r.choices(["u1", "i1", "i2", "i4", "u4", "i8", "u8", "u2"], k=3)
        for name, dtype in zip("uhw", dtypes):
            self.lines.append(f"    {name} = (k * 37 % 101).astype('{dtype}')")
        self.lines.append("    p, q, c, d, flag = int(k[0]), 3, u[1], h[2], True")
        self.lines.append(f"    z = {self.r.choice(['1', 'p', '0xcbf29ce484222325', '-3'])}")
        return super().text().replace("    return ", "    return p, q, z, c, d, flag, u, h, w, ")

    def integer(self, depth=0):
        r = self.r
        if depth > 2 or r.random() < 0.35:
            return r.choice(["p", "q", "p", "q", "c", "d", "1", "7", "255", "0x1F", "-3", "2",
                             *self.indices, *(f"{a}[{i} % 8]" for a in "uhw" for i in self.indices),
                             "u[3]", "w[-1]", "k[2]"])
        left, right = self.integer(depth + 1), self.integer(depth + 1)
        op = r.choice(["+", "-", "*", "&", "|", "^", "&", "^", "//", "%"])
        return r.choice([
            f"({left} {op} {right})", f"({left} {op} {right})", f"({left} {op} {right})",
            f"(~{left})", f"(-{left})", f"abs({left})", f"({left} >> {r.choice(['1', '2', 'q'])})",
            f"({left} << {r.choice(['1', '3', 'q'])})", f"int({left})", f"min({left}, {right})",
            f"max({left}, {right})", f"({left} & 0xFF)", f"(int({left}) % 256)",
            f"int({left} == {right})",
        ])

    def test(self):
        left, right = self.integer(1), self.integer(1)
        r = self.r
        return r.choice([
            f"{left} > {right}", f"{left} & 1", f"{left} == {right}", f"{left} <= {right}",
            f"({left} & 1) ^ ({right} & 1)", f"0 < {left} < {right}", f"not {left}", "flag",
        ])

    def truth(self):
        """A bool of Python's or NumPy's."""
        r, left, right = self.r, self.integer(2), self.integer(2)
        return r.choice([
            f"(p % {r.choice('357')} < q)", f"(int({left}) == int({right}))", f"({left} > {right})",
            f"bool({left}) & (p != q)", "(p > 3) ^ (q > 3)", "(not flag)", f"({left} in (p, q, 3))",
        ])

    def word(self, depth=0):
        """An int that may have 64 bits, or more."""
        r = self.r
        if depth > 1 or r.random() < 0.3:
            return r.choice(["z", "z", "p", "q", *self.indices, "int(k[2])", "0x9E3779B97F4A7C15"])
        left, right = self.word(depth + 1), self.word(depth + 1)
        return r.choice([
            f"({left} * {right})", f"({left} + {right})", f"({left} ^ {right})", f"(~{left})",
            f"({left} | {right})", f"({left} & {right})", f"({left} - {right})", f"(-{left})",
            f"({left} << {r.choice(['3', '13', '40'])})", f"({left} >> {r.choice(['7', '30'])})",
            f"({left} & {r.choice(['0xFFFFFFFF', '0xFFFFFFFFFFFFFFFF', '255'])})",
        ])

    def of_words(self):
        r, word = self.r, self.word()
        kept = r.choice([f"{word} & 0xFFFFFFFFFFFFFFFF", f"({word}) % 2**64",
                         f"{word} & 0xFFFFFFFF", f"({word}) % 2**{r.choice([40, 63, 64])}"])
        return r.choice([
            f"z = {kept}", f"z = {kept}", f"if {self.test()}: z = {kept}", f"p = ({kept}) % 1000",
            "p = z & 0xFF", "p = z >> 40", f"q = int(z > {self.word(2)})", "p = z % 10",
            f"if z {r.choice(['<', '==', '>=', '!='])} {self.word(2)}: q = 5", "a = z / 2**64",
            "p = (z >> 3) % 7 + (z == p)", "q = q % 100 + (z != 3)",
        ])

    def assign(self, depth):
        if self.has_words and self.r.random() < 0.6:
            return self.put(depth, self.of_words())
        if self.r.random() < 0.15:
            return self.put(depth, f"flag {self.r.choice('&|^')}= {self.truth()}")
        name = self.r.choice("pqcd")
        value = self.integer()
        if name in "pq":
            value = f"int({value}) % {self.r.choice([256, 65536, 7])}"
        elif self.r.random() < 0.5:
            value = f"{self.r.choice('uhw')}[{self.index()}]"
        return self.put(depth, f"{name} = {value}")

    def store(self, depth):
        r = self.r
        name = r.choice("uhw")
        if r.random() < 0.25:
            return self.store_in_both_arms(depth, name)
        return self.put(depth, r.choice([
            f"{name}[{self.index()}] = {self.integer(1)}", f"{name}[{self.index()}] += 1",
            f"{name}[{self.index()}] ^= {r.choice(['p & 15', '3', 'q'])}",
            f"{name}[2:5] = {r.choice(['p', 'q', '5'])}", f"{name} += {r.choice(['q', '2', 'u'])}",
            f"{name}[{self.index()}] >>= 1", f"{name}[:] = {name} & {r.choice(['p', '60'])}",
        ]))

    def store_in_both_arms(self, depth, name):
        """Mostly of the same element, as in tables that are filled step by step."""
        r, place = self.r, self.index()
        self.put(depth, f"if {self.test()}:")
        self.put(depth + 1, f"{name}[{place}] = {self.of_elements()}")
        self.put(depth, "else:")
        other = place if r.random() < 0.8 else self.index()
        self.put(depth + 1, f"{name}[{other}] = {self.of_elements()}")

    def of_elements(self):
        r = self.r
        left, right = (f"{r.choice('uhw')}[{self.index()}]" for _ in range(2))
        return r.choice([f"max({left}, {right})", f"{left} + 1", f"{left} + {right}",
                         f"{left} ^ {right}", f"min({left}, q)", f"{left} * 3", f"({left} & 3)"])
