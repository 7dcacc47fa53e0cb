"""Random programs that replace short lists of numbers by others: a step by a new place, by that of
another variable, or by one that the caller has as well."""
from .random_loops import Writer


class Walker:
    """What has a place in an attribute."""

    def __init__(self, place):
        self.place = place


class ReplacedListWriter(Writer):
    """Also has `place`, `near` and `far`, lists of two numbers, `home` and `goal`, the caller's,
    `walker`, whose attribute is one, `walls`, a list of such lists, and `been`, places that were
    kept."""

    scope = {"WALLS": [[1, 1], [3, 2], [0, 4]], "Walker": Walker}

    def text(self):
        r = self.r
        first = r.choice(["home", "home", "goal", "[n % 5, 1]", "[1.5, 2]", "[n, n]"])
        self.put(1, f"place, near, far = {first}, {r.choice(['home', '[0, 0]'])}, [2, 3]")
        self.put(1, f"walker, been = Walker({r.choice(['[0, 1]', 'near', 'home'])}), []")
        self.put(1, f"walls = {r.choice(['WALLS', '[[n % 5, 2], [1, 4]]', '[[1, 2], (3, 4)]'])}")
        shown = r.sample(["place", "near", "far", "walker.place", "been", "place is home"], 2)
        whole = super().text().replace("n, s):", "n, s, home, goal):")
        return whole.replace("    return ", f"    return {', '.join(shown)}, ")

    @staticmethod
    def change(arguments):
        return [*arguments, [1, 2], [4, 4]]

    def statement(self, depth):
        chance = self.r.random()
        if chance < 0.1:
            self.put_step(depth)
        elif chance < 0.45:
            self.put(depth, self.of_places())
        else:
            super().statement(depth)

    def put_step(self, depth):
        """Where a branch leads, which may be back."""
        r, name = self.r, self.name()
        self.put(depth, f"i, j = {self.name()}")
        self.put(depth, f"if {self.test()}: {name} = [max(i - 1, 0), j]")
        self.put(depth, f"elif {self.test()}: {name} = [i, min(j + 1, 4)]")
        if r.random() < 0.7:
            self.put(depth, f"else: {name} = [i, j]")
        if r.random() < 0.5:
            self.put(depth, f"if {self.test()}: {name} = {self.list()}")

    def name(self):
        return self.r.choice(["place", "place", "place", "near", "far"])

    def list(self):
        r, name = self.r, self.name()
        number = r.choice(["t", "t % 5", "k[t % 8]", "int(k[2])", "a", "3", f"{name}[0]"])
        return r.choice([
            f"[{number}, {name}[1]]", f"[{name}[1], {number}]", f"[{number}, {number}]", name,
            "home", "goal", f"[{number}, t]", f"{name}[:]", f"[*{name}]", "walker.place",
        ])

    def test(self):
        r, name = self.r, self.name()
        if r.random() < 0.7:
            return super().test()
        return r.choice([
            f"{name} == {self.name()}", f"{name} != goal", f"{name} in walls", f"{name} < home",
            f"[{name}[0], t % 5] in walls", "[t % 5, 2] not in walls", f"{name}[0] > t",
            f"{name} is {self.name()}", f"{name} is home", f"tuple({name}) == (1, 2)",
        ])

    def of_places(self):
        r, name = self.r, self.name()
        return r.choice([
            f"{name} = {self.list()}", f"{name} = {self.list()}", f"{name} = {self.list()}",
            f"if {self.test()}: {name} = {self.list()}", f"{name}, near = near, {self.list()}",
            f"{name} = {self.list()} if {self.test()} else {self.list()}",
            f"t = t + ({name} == goal)", f"a = a + {name}[0] * 0.5", f"t, u = {name}; t += u",
            f"a = a + sum({name})", f"t += len({name})", f"b = b + max({name})",
            f"v[0] = {name}[1]", f"a = np.mean({name})", f"walker.place = {name}",
            f"if {self.test()}: walker.place = {self.list()}",
            r.choice([f"{name}[0] += 1", "home[1] += 1", f"{name}.append(t); {name}.pop()",
                      f"been.append({name})", f"been.append({name}[:])", "walker.place[0] = t"]),
        ])
