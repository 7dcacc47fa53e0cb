"""Random loops that read and change attributes of objects, and variables of closures."""
from .random_loops import Writer
from .records import Part, Record, attributes


class RecordWriter(Writer):
    """Also has `p`, an object of the caller's, `q`, a new one or `p` by another name, `u`, a part
    of one of them or a new one, `z`, which is replaced by others, and a function `bump` that counts
    in a variable of its closure."""

    scope = {"Part": Part, "Record": Record, "attributes": attributes}

    def __init__(self, seed):
        super().__init__(seed)
        self.budget = 9

    def text(self):
        r = self.r
        self.lines += [
            "    p = y", "    y = x + 1", "    c = 0", "    def bump(z):", "        nonlocal c",
            f"        c = c + {r.choice(['1', 'z', '1'])}", "        return c",
            f"    q = {r.choice(['p', 'Record(s, Part(s, 1))', 'Record(0.5, p.part)'])}",
            f"    u = {r.choice(['p.part', 'q.part', 'Part(s, n)', 'Part(0.25, 0)'])}",
            f"    z = {r.choice(['u', 'u + p.part', 'Part(s, 1)', 'Part(0.5, 0)'])}",
        ]
        before, result, values = super().text().rpartition("    return ")
        seen = "attributes(p), attributes(q), u.a, u.n, c, q is p, u is p.part, q, z.a, z.n"
        return f"{before}{result}{seen}, {values}"

    def block(self, depth, count):
        if depth == 1:
            self.for_loop(depth)
        super().block(depth, count)

    def field(self):
        return self.r.choice(["p.a", "q.a", "u.a", "p.part.a", "q.part.a", "q.a", "z.a"])

    def count(self):
        return self.r.choice(["p.n", "q.n", "u.n", "q.part.n"])

    def element(self):
        r = self.r
        if r.random() < 0.4:
            return super().element()
        return r.choice([
            self.field(), self.field(), self.count(), "u.twice", "q.total", "p.total",
            f"q.v[{self.index()}]", f"p.v[{self.index()}]", "c", "(u + q).a", "q.v.sum()",
            "(Part(a, 1) + u).twice",
        ])

    def statement(self, depth):
        if self.r.random() < 0.5:
            self.put(depth, self.of_objects())
        else:
            super().statement(depth)

    def of_objects(self):
        r, number = self.r, self.number(1)
        return r.choice([
            f"{self.field()} = {number}", f"{self.field()} += {number}", f"{self.count()} += 1",
            f"{self.field()} *= 0.5", f"a = q.step({number})", f"a = p.step({self.number(2)})",
            f"if {self.test()}: {self.field()} = {number}", f"if u.keep_above({number}): a = 1.5",
            f"q.v[{self.index()}] = {number}", f"{r.choice('pq')}.v = {self.vector()}",
            f"q.v = q.v + {number}", f"b = q.gather(x, {self.index()} % 8)", f"a = bump({number})",
            f"w = Part({number}, 1); w.a += 1; a = w.twice", f"t = {self.count()}",
            f"if {self.test()}: bump(1)", f"if {self.test()}: b = q.step(a)",
            "q.a, u.a = u.a, q.a", "p.v, v = v, p.v", f"w = u + q; b = w.a if {self.test()} else b",
            f"{self.field()} = {self.count()}", f"setattr(q, 'a', {number})", "z = z + u",
            "z = z + z", f"z = Part(z.a * 0.5, {r.choice('tn1')})", f"z = Part({number}, z.n)",
            f"if {self.test()}: z = z + q.part", f"if {self.test()}: z = u", "z.n += 1",
            f"q.more = {number}", "a = getattr(q, 'more', b)", "z, u = u, z", "y = z",
        ])

    @staticmethod
    def change(arguments):
        """`y` is an object of the caller's."""
        record = Record(arguments[5], Part(0.5, 2))
        record.v = arguments[1]
        return [arguments[0], record, *arguments[2:]]
