"""Random loops in which data decides whether a variable has a value."""
from .random_loops import Writer


class BindingWriter(Writer):
    """Also has `p` and `q`, which have no value at first; `has_p` and `has_q` mostly say so."""

    def text(self):
        r = self.r
        self.lines += ["    has_p = has_q = 0"]
        if r.random() < 0.3:
            self.put(1, "if x[2] > 0: p = 0.5; has_p = 1")
        whole = super().text()
        last = r.choice(["", "", "", "p, ", "q, ", "q if has_q else 0, "])
        return whole.replace("    return ", f"    return has_p, has_q, {last}")

    def statement(self, depth):
        if self.r.random() < 0.35:
            self.of_names(depth)
        else:
            super().statement(depth)

    def of_names(self, depth):
        r = self.r
        name, i = r.choice("pq"), r.choice([*self.indices, "t"])
        bind = f"{name} = {r.choice([i, self.element(), self.number(2), 'float(a)', 't'])}"
        read = r.choice([f"a = a + {name}", f"b = max(b, {name})", f"t = int({name}) % 7",
                         f"{name} = {name} * 0.5", f"v[3] = {name}", f"{name} += 1"])
        both = f"{bind}; has_{name} = 1"
        self.put(depth, r.choice([
            f"if {self.test()}: {both}", f"if {self.test()}: {both}", both,
            f"if has_{name}: {read}", f"if has_{name}: {read}", f"if has_{name}: {read}",
            f"if has_{name} and {self.test()}: {read}", f"if {self.test()}: {read}",
            f"if has_{name}: {read}; del {name}; has_{name} = 0",
            "if has_p and has_q: p, q = q, p", f"if has_{name} == 0: {both}",
            f"for {name} in range({r.choice(['k[1] % 4', '3', 'n'])}): has_{name} = 1",
        ]))
