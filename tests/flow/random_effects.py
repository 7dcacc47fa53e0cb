"""Random loops that now and then do what only Python can do: they are left and entered again."""
from types import SimpleNamespace

from .random_loops import Writer


def note(number, value):
    """Has its effect now and then."""
    value = value * 2
    if number % 7 == 3:
        print("noted", number, value)
    return value + number


def made():
    """A list that the program has not made itself."""
    print("made")
    return ["first", 0.5]


def refuse(number):
    """Raises now and then."""
    print("asked", number)
    if number % 3 == 2:
        raise ValueError(f"no {number}")


class EffectWriter(Writer):
    """Loops are long, and branches with effects rare. Also has `log`, a list of objects, `box`, an
    object, and `out` and `seen`, lists of numbers, the latter made by others."""

    scope = {
        "note": note, "refuse": refuse, "made": made, "box": SimpleNamespace(total=0.0, count=0),
    }  # fmt: skip

    def __init__(self, seed):
        super().__init__(seed)
        self.budget = 10

    def text(self):
        seen = self.r.choice(["[]", "made()", "made()"])
        self.lines += ["    log, out = [], []", f"    box.total, box.count, seen = 0.0, 0, {seen}"]
        end = ", ".join(["log", "out", "seen", "box.total", "box.count"])
        return super().text().replace("    return ", f"    return {end}, ")

    def index(self):
        return f"{self.r.choice(self.indices)} % 8" if self.indices else "3"

    def statement(self, depth):
        r = self.r
        if self.loops and r.random() < 0.35:
            self.rare(depth)
        elif depth == 1 and r.random() < 0.25:
            self.handled(depth)
        elif self.loops and r.random() < 0.2:
            self.put(depth, self.noticed())
        elif self.loops and r.random() < 0.15:
            self.put(depth, r.choice([
                f"box.total += {self.number(2)}", "box.count += 1", f"out.append({self.number(2)})",
                f"a = note({self.counter()}, a)", "w = a", "log.append(t)",
            ]))
        else:
            super().statement(depth)

    def noticed(self):
        r, i = self.r, self.counter()
        return r.choice([
            f"if {self.seldom()}: seen.append({i})", f"seen.append({self.element()})",
            f"if {self.test()}: seen.append({self.number(2)})", f"seen.append(({i}, float(a)))",
            f"if {self.test()}: seen.extend([{i}, t])", "t = len(seen)", "seen.append(b)",
        ])

    def handled(self, depth):
        self.put(depth, "try:")
        self.for_loop(depth + 1)
        self.put(depth, "except ValueError as error:")
        self.put(depth + 1, "print(error, a, b, t)")
        if self.r.random() < 0.3:
            self.put(depth, "finally:")
            self.put(depth + 1, "print('finally', a)")

    def counter(self):
        return self.r.choice([*self.indices, "t"])

    def seldom(self):
        r, i = self.r, self.counter()
        return r.choice([
            f"{i} % 17 == 3", f"{i} == 30", f"{i} % 20 == 19", f"{i} == 0",
            f"{self.element()} > 1.2",
            f"{self.element()} < -1.4 and {i} % 5 == 0", f"{i} % 9 == 4 or {i} == 11", "a > 50",
            f"{i} > 40",
        ])

    def rare(self, depth):
        r = self.r
        self.put(depth, f"if {self.seldom()}:")
        if r.random() < 0.3:
            r.choice([self.store, self.assign])(depth + 1)
        if r.random() < 0.2 and depth < 5:
            return self.rare(depth + 1)
        self.put(depth + 1, self.effect())
        if r.random() < 0.3:
            r.choice([self.store, self.assign])(depth + 1)
        if r.random() < 0.2:
            self.put(depth + 1, r.choice(["break", "continue", self.effect()]))
        if r.random() < 0.25:
            self.put(depth, "else:")
            self.put(depth + 1, self.effect() if r.random() < 0.1 else "b = b * 0.5")
        return None

    def effect(self):
        r, i = self.r, self.counter()
        return r.choice([
            "print('here')", f"print(a, {i})", "show(v)",
            f"print(f'''{{{i}}} {{{self.number(1)}}}''')", f"log.append(('at', {i}))",
            "log.append(v.copy())", f"refuse({i})", "show(t, b)",
            f"a = float(str(a)[:4]) + {i}", "show(box.total, box.count)", "print(out[-2:])",
            "print(seen[-2:])", f"seen.append(str({i}))",
        ])

    def over_values(self, depth):
        """A loop over arrays, with or without numbers."""
        r, index, name = self.r, f"i{len(self.indices)}", f"e{len(self.items)}"
        values = r.choice(["np.tile(x, 9)", "np.tile(y, 12)[3:]", "np.repeat(x, 7)", "x", "k"])
        names, over, is_numbered = r.choice([
            (name, values, False), (f"{index}, {name}", f"enumerate({values})", True),
            (f"{name}, w", f"zip({values}, np.tile(y, 11))", False),
            (f"{index}, {name}", f"enumerate({values}, 5)", True),
        ])
        self.put(depth, f"for {names} in {over}:")
        self.items.append(name)
        self.indices += [index] * is_numbered
        self.loops += 1
        self.block(depth + 1, 3)
        self.loops -= 1
        self.items.pop()
        if is_numbered:
            self.indices.pop()

    def for_loop(self, depth):
        if self.r.random() < 0.3:
            return self.over_values(depth)
        r, index = self.r, f"i{len(self.indices)}"
        last = self.indices[-1] if self.indices else "n"
        inner = ["8", "45", f"{last} % 9", "2, 50, 5", "41"]
        outer = ["60", "3, 70", "70, 0, -1", "0, 130, 3", "len(x) * 9", "n + 50", "50, n * 20"]
        self.range_loop(depth, index, r.choice(inner if self.loops else outer + outer + inner))
        if r.random() < 0.2:
            self.put(depth, "else:")
            self.put(depth + 1, "print('else', t)")
        if r.random() < 0.3:
            self.put(depth, f"t = {index}")
        return None

    def while_loop(self, depth):
        name = f"c{len(self.lines)}"
        self.put(depth, f"{name} = 0")
        self.put(depth, f"while {name} < {self.r.choice([9, 60, 'n + 45'])}:")
        self.put(depth + 1, f"{name} += 1")
        self.loops += 1
        self.indices.append(name)
        self.block(depth + 1, 3)
        self.indices.pop()
        self.loops -= 1
