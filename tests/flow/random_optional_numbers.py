"""Random loops in which variables are None until data gives them a number, or again."""
from .random_loops import Writer


class OptionalWriter(Writer):
    """Also has `p` and `q`, which may be None, and `f`, a function that has no answer for some."""

    def text(self):
        r = self.r
        for name in "pq":
            self.put(1, f"{name} = {r.choice(['None', 'None', 'None', '0.5', 's', 'x[1]', '4'])}")
        self.put(1, f"f = lambda z: None if z > {r.choice(['1', 's', '0.5', 'x[0]'])} else z"
                    f"{r.choice(['', ' * 2', ' + 0.5'])}")
        whole = super().text()
        head, end = whole.rsplit("    return ", 1)
        self.lines = []
        self.put(1, f"for i9 in range({r.choice(['n', '60', 'len(x)', '50 + n'])}):")
        self.indices.append("i9")
        for _ in range(r.randint(2, 4)):
            self.of_names(2)
        whole = head + "\n".join([*self.lines, ""]) + "    return " + end
        last = r.choice(["p, q", "q", "p is None, q is not None", "[p], (q, 1)", "p == q"])
        return whole.replace("    return ", f"    return {last}, ")

    def statement(self, depth):
        if self.r.random() < 0.4:
            self.of_names(depth)
        else:
            super().statement(depth)

    def of_names(self, depth):
        r = self.r
        name, other, i = *r.sample("pq", 2), r.choice([*self.indices, "t"])
        value = r.choice(
            [i, self.element(), self.number(2), "float(a)", "t", f"f({self.number(2)})"])
        read = r.choice([f"a = a + {name}", f"b = max(b, {name})", f"t = int({name}) % 7",
                         f"{name} = {name} * 0.5", f"v[3] = {name}", f"{name} += 1",
                         f"{name} = None", f"{other} = {name}", f"a = f({name})"])
        there = r.choice([f"{name} is not None", f"not {name} is None", f"{name} != None"])
        self.put(depth, r.choice([
            f"if {self.test()}: {name} = {value}", f"{name} = {value}",
            f"if {there}: {read}", f"if {there}: {read}", f"if {there}: {read}",
            f"if {there} and {self.test()}: {read}", f"if {self.test()}: {read}",
            f"if {name} {r.choice(['is', '=='])} None or {self.element()} > {name}: "
            f"{name} = {self.element()}",
            f"if {name}: {read}", f"if not {name}: {name} = {value}",
            f"if {name} is None: {name} = {value}", f"{name}, {other} = {other}, {name}",
            f"a = 0 if {name} is None else {name}", f"t += {name} is None", f"t += None == {name}",
            f"if {name} is None: t = {r.choice(['1', 't + 2', 'int(a) % 5'])}",
            f"{name} = {value} if {self.test()} else None",
        ]))
