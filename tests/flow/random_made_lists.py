"""Random programs with lists that iterations make: by comprehensions that filter, item by item, and
of what conditions allow, of which one is chosen."""
import random

from .random_loops import ListWriter


class MadeListWriter(ListWriter):
    """Also has `made`, a list of ints, `sums`, one of floats, `pairs`, one of lists or tuples, and
    `picked`, an array; `held` is a list in a cell."""

    scope = {"random": random}

    def text(self):
        self.lines += ["    random.seed(7)"]
        self.lines += ["    made, sums, picked = [0], [1.5], x[:1].copy()", "    held = [0] * 9"]
        self.pair = self.r.choice(["[{}, {}]", "[{}, {}]", "({}, [{}])"])
        self.lines += [f"    pairs, others = [{self.pair.format(2, 1)}], []"]
        whole = super().text()
        more = "random.random(), made, sums, picked, held, pairs, others"
        return whole.replace("    return ", f"    return {more}, ")

    def statement(self, depth):
        chance = self.r.random()
        if chance < 0.15:
            self.put_loop(depth)
        elif chance < 0.25:
            self.put_choice(depth)
        elif chance < 0.35:
            self.put(depth, self.of_pairs())
        else:
            super().statement(depth)

    def put_loop(self, depth):
        """A list that is made item by item."""
        r, over = self.r, self.r.choice([50, 50, 7])
        items = r.choice(["q % 8", "q % 5 + t % 3", "0"])
        self.put(depth, r.choice(["made = []", "made = [1, 2]", "made = [t % 8]"]))
        self.put(depth, f"for q in range({over}):")
        self.put(depth + 1, f"if {self.of_item('q')}: made.append({items})")
        if r.random() < 0.3:
            self.put(depth + 1, "if len(made) > 20: break")

    def put_choice(self, depth):
        """A list of what conditions allow, of which one is chosen."""
        r = self.r
        item, target = r.choice([
            ("t + {n}", "t"), ("{n} - t % 8", "t"), ("float(a) * {n}", "a"), ("x[{n}]", "a"),
            ("(t % 8, {n})", "t, u"), ("(t + {n}, u)", "t, u"), ("(float({n}), t)", "a, u"),
            ("(t, t > {n}, {n}.5)", "t, flag, a"), ("[t % 8, {n}]", "t, u"),
            ("[u, t + {n}]", "t, u"), ("((t % 8, {n}), float({n}))", "(t, u), a"),
            ("[(t % 8, {n}), u]", "(t, u), _"),
            ("([t % 8], [u, {n}])", "[t], [u, _]"),
        ])  # fmt: skip
        self.put(depth, "u, near = t % 5, []")
        for n in range(r.randint(1, 4)):
            self.put(depth, f"if {self.of_item('t')}: near.append({item.format(n=n)})")
            if r.random() < 0.2:
                self.put(depth, f"else: near.append({item.format(n=r.randint(0, 7))})")
        if r.random() < 0.3:
            asked = f"{item.format(n=r.randint(0, 7))} {r.choice(['in', 'not in'])} near"
            self.put(depth, f"if {asked}: t += 1")
        place = r.choice(["t % len(near)", "-1", "0", "len(near) // 2", "k[t % 8] % len(near)"])
        self.put(depth, r.choice(["if near:", "if len(near) > 1:"]))
        chosen = r.choice([f"near[{place}]", f"near[{place}]", "random.choice(near)"])
        self.put(depth + 1, f"{target} = {chosen}")
        nothing = item.format(n=0)
        self.put(depth, r.choice([
            "t += len(near)", "t = t % 100 + u", "for q in near: t += 1", "if near: near.pop()",
            f"if len(near) > 2: {target} = near[t % 3]", "b = b + len(near)", "near = near[:1]",
            f"random.shuffle(near); {target} = near[-1] if near else {nothing}",
            self.of_parts(item), self.of_parts(item),
        ]))

    def of_parts(self, item):
        """What changes an item, or tells it from others, where that is a list."""
        if not item.startswith("["):
            return "t += 1"
        return self.r.choice([
            "if near: near[0][-1] = t", "if near: t += near[0] is near[-1]",
            "if near: kept = near[0]; near.append(kept); t += kept is near[-1]",
            "made = made + [p[-1] for p in near]", "if near: p = near[-1]; t += len(p); p[-1] = 3",
            "if near: near[0].append(1); t += len(near[0])", "t += near[:1] == near[-1:]",
        ])

    def of_pairs(self):
        """Of a list of lists, or of tuples with lists in them, that lasts."""
        r = self.r
        new = self.pair.format(r.choice(["t % 8", "t", "3"]), r.choice(["2", "t", "t % 3"]))
        new = r.choice([new, new, new, new, "pairs[0]", "[k[t % 8], t]"])
        return r.choice([
            f"if {self.of_item('t')}: pairs.append({new})", f"pairs.append({new})",
            f"if {self.of_item('t')}: pairs.append({new})", "t += len(pairs)",
            "if len(pairs) > 1: p = pairs.pop(); t += p[0]", "p, q = pairs[-1]; t += p",
            "others.append(pairs[t % len(pairs)])", "for p, q in pairs: t += p",
            f"if {self.of_item('t')}: others.append(pairs[-1])", "others.append(pairs[0])",
            f"pairs[t % len(pairs)] = {new}", "p = pairs[-1]; t += p is pairs[0]",
            f"t += {new} in pairs", "others.append(pairs[-1][0])", "others = pairs[:2]",
            "if pairs[-1][0] > 3: pairs[-1][0] -= 1", "pairs = pairs[-3:]",
        ])

    def of_item(self, name):
        return self.r.choice([
            f"x[{name} % 8] > {self.element()}", f"{name} % 3 == t % 3", f"k[{name} % 8] > 1",
            f"held[{name} % 9] == 0", self.test(),
        ])

    def of_lists(self):
        r, over = self.r, self.r.choice(["50", "50", "8", "t % 60"])
        if r.random() < 0.3:
            return super().of_lists()
        item = self.of_item("q")
        if r.random() < 0.25:
            return self.of_searches()
        return r.choice([
            f"made = [q % 8 for q in range({over}) if {item}]",
            f"sums = [x[q % 8] * 2.0 for q in range({over}) if {item}]",
            f"sums = [float(a) + q for q in range({over}) if {item}]",
            f"t = len([q for q in range({over}) if {item}])",
            f"t = len({{q % 7 for q in range({over}) if {item}}})",
            f"made = [q * w % 8 for q in range({over}) for w in range(3) if {item}]",
            f"a = a + sum([w for w in x if w > {self.element()}])",
            f"b = sum([w for w in y if w > {self.element()}])",
            "if sums: a = max(sums) - min(sums)",
            "if made: t = max(made)", "t = sum([w for w in k if w > 1])",
            "if made: picked = x[made]", "if len(made) > 1: a = x[made].sum()",
            "if made: b = x[made].mean()", "if made: m[0] = m[[q % 2 for q in made]].mean(axis=0)",
            "if made: v[0] = y[made][-1]", "picked = x[made]", "t = len(made)",
            f"held[{r.choice(['t', *self.indices])} % 9] = t % 3", "held[t % 9] += 1",
            "made.append(t % 8)", "if sums: b = sums[-1]", "made = made[:]",
        ])

    def of_searches(self):
        """What ends at the first item that settles it."""
        r = self.r
        over = r.choice(["w in x", "w in y", "w in k", "w in x[1:t % 8]", "w in made", "w in sums",
                         "w in [a, b, 0.5]", "q, w in enumerate(x)", "q, w in zip(k, x)"])
        test = r.choice([
            f"w > {self.element()}", f"w < {self.element()} and t % 2 == 0", "not w", "w", "w == a",
            "1 / w > 1", "held[int(w)] > 0", "x[int(w) + 3] > 1", f"{self.test()} or w > 1",
        ])
        function, target = r.choice(["any", "all"]), r.choice(["flag", "t", "b"])
        items = r.choice(["w", "w * 2.0", "int(w)", "t"])
        condition = f" if {r.choice(['w > 0', 'w != 1', self.test()])}" if r.random() < 0.3 else ""
        key = r.choice(["x[w]", "-x[w]", "w % 3", "k[w] * t", "abs(x[w] - a)", "x[w] if w else b"])
        extreme, weight = r.choice(["min", "max"]), r.choice(["-w", "w * a", "abs(w)"])
        return r.choice([
            f"t = {extreme}(range({r.choice(['8', '5', 't % 8', '2'])}), key=lambda w: {key})",
            f"a = {extreme}({r.choice('xyk')}, key=lambda w: {weight})",
            f"if made: t = made.index({r.choice(['made[-1]', 't % 8', 'max(made)', 't'])})",
            f"t = made.count({r.choice(['t % 8', 't', 'a', '1'])}) + sums.count(a)",
            f"if sums: t = sums.index({r.choice(['min(sums)', 'sums[-1]', 'a'])})",
            f"{target} = {function}({test} for {over}{condition})",
            f"if {function}({test} for {over}): t += 1",
            f"{target} = {function}([{test} for {over}{condition}])",
            f"{target} = next(({items} for {over} if {test}), {r.choice(['-1', '0.5', 't', 'a'])})",
            f"later = ({test} for {over}); {target} = {function}(later); t += len([*later])",
        ])
