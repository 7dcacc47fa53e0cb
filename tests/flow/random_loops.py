"""Random functions with loops, branches and writes, as Python text."""
import heapq
import math
import random
from collections import deque
from functools import partial

import numpy as np

HEADER = "def program(x, y, m, k, n, s):\n"


class Writer:
    """Writes statements over a few variables: `a`, `b` numbers, `i`, `j` indices, `x`, `y` vectors,
    `m` a matrix, `k` an int array, `v` a fresh vector, `e0`, `e1` items of vectors. `scope` has
    what else the program names. Every second program `leaves` its loops, some of which are long,
    for what only Python can do."""

    scope = {}

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.leaves = seed % 2 == 1
        self.lines = []
        self.indices = []
        self.items = []
        self.loops = 0
        self.budget = 14

    @staticmethod
    def change(arguments):
        """The arguments of the program, of the common ones."""
        return arguments

    def text(self):
        self.put(1, "a = " + self.r.choice(["0", "1.5", "s", "x[0]", "k[0]", "0.0", "x.sum()"]))
        self.put(1, "b = " + self.r.choice(["2", "s", "x.max()", "1", "0.25"]))
        self.put(1, "v = " + self.r.choice(["np.zeros(8)", "x.copy()", "x * 2", "np.ones(8)"]))
        self.put(1, "t = 3")
        self.block(1, 3)
        self.put(1, "return " + self.r.choice(
            ["a, b, v, t", "v, x", "a, t, y", "b, m[0], v[1:]", "x if t else v", "v.sum(), a, k"]))
        return HEADER + "\n".join(self.lines) + "\n"

    def put(self, depth, line):
        self.lines.append("    " * depth + line)

    def block(self, depth, count):
        for _ in range(self.r.randint(1, count)):
            self.statement(depth)

    def statement(self, depth):
        self.budget -= 1
        choices = [self.assign] * 6 + [self.store] * 4
        if self.budget > 0 and depth < 5:
            choices += [self.for_loop] * 4 + [self.branch] * 3 + [self.while_loop] * 2
        if self.loops and depth > 2:
            choices += [self.leave] * 2
        if self.loops and self.leaves:
            choices += [self.message] * 4
        self.r.choice(choices)(depth)

    def number(self, depth=0):
        r = self.r
        if depth > 2 or r.random() < 0.4:
            return r.choice(
                ["a", "b", "s", "0.5", "2", "1", self.element(), *self.indices, *self.items]
            )
        left, right = self.number(depth + 1), self.number(depth + 1)
        op = r.choice(["+", "-", "*", "*", "+", "/", "//", "%"])
        if r.random() < 0.25:
            return r.choice([
                f"np.sqrt(np.abs({left}))", f"abs({left})", f"-({left})", f"max({left}, {right})",
                f"min({left}, {right})", f"float({left})", f"max({left}, {right}, a)",
                f"min(b, {left})", f"int({left})", f"math.sqrt(abs({left}))", f"({left}) ** 2",
                f"math.floor({left})", f"bool({left})", f"round({left})",
            ])
        return f"({left} {op} {right})"

    def index(self):
        r = self.r
        if not self.indices or r.random() < 0.2:
            return r.choice(["0", "-1", "3", "7", "k[1]"])
        i = r.choice(self.indices)
        return r.choice([i, i, f"{i} - 1", f"{i} % 8", f"({i} + 1) % 8", f"-{i}", f"{i} // 2"])

    def element(self):
        r = self.r
        return r.choice([
            f"x[{self.index()}]", f"v[{self.index()}]", f"y[{self.index()}]",
            f"m[{self.index()} % 5, {self.index()}]", f"m[{self.index()} % 5][2]",
            f"k[{self.index()}]",
        ])

    def vector(self):
        r = self.r
        return r.choice([
            "v * 0.5", "x + v", "y - 1", f"x * {self.number(2)}", "v[::-1]", "np.roll(v, 1)",
            f"m[{self.index()} % 5]", "v + m[1]", "np.where(v > 0, v, -v)", "v", "x.copy()", "y",
        ])

    def test(self):
        r = self.r
        return r.choice([
            f"{self.number()} > {self.number(2)}", f"{self.element()} < 1", "v.sum() > 3",
            "x[2] > 0 and a < 10", "not (b > 1)", "t > 2", f"{self.number(2)} == 1",
            "v[0]", *(f"{i} % 2 == 0" for i in self.indices), *(f"{i} > 2" for i in self.indices),
        ])

    def assign(self, depth):
        r = self.r
        self.put(depth, r.choice([
            f"a = {self.number()}", f"b = {self.number()}", f"a += {self.number()}",
            f"b *= {r.choice(['0.5', '2', '-1', 'a'])}", f"v = {self.vector()}", "a, b = b, a",
            f"t = {r.choice(['t + 1', 't - 1', '2', 'int(a)', 'k[2]'])}",
            f"v = v + {self.vector()}", f"v += {self.vector()}", "t += 1", "x, v = v, x",
            f"w = {self.number()}; a = w", f"a = max(a, {self.number()})",
            f"b = min({self.number()}, b)", "a = 0", "b = 0.0", "a = -np.inf",
            f"if {self.number(1)} > a: a = {self.number(1)}",
            f"a = {self.number(1)} if {self.test()} else {self.number(1)}",
            f"b = float({self.number(1)}) / {self.number(1)}",
        ]))

    def store(self, depth):
        r = self.r
        self.put(depth, r.choice([
            f"v[{self.index()}] = {self.number()}", f"x[{self.index()}] = {self.number()}",
            f"v[1:] = {r.choice(['v[:-1]', 'x[1:]', '0', 'v[1:] * 2', 'v[:-1] + v[1:]'])}",
            f"m[{self.index()} % 5, {self.index()}] = {self.number()}",
            f"m[{self.index()} % 5] = {self.vector()}", f"v[{self.index()}] += {self.number()}",
            f"y[:] = {self.vector()}", f"k[{self.index()}] = {r.choice(['1', 't', 'k[0]', '3'])}",
            "m[1:, 1:] = m[:-1, :-1]", f"row = m[{self.index()} % 5]; row[2] = {self.number()}",
        ]))

    def for_loop(self, depth):
        r = self.r
        if r.random() < 0.25:
            return self.for_items(depth)
        index = f"i{len(self.indices)}"
        last = self.indices[-1] if self.indices else "n"
        ends = r.choice(["8", "1, 8", "n", "0", "3", "7, 0, -1", "2, 7, 2", f"{last}, 8", "45", "1",
                         "len(x)", f"{last}", "k[1] % 9", "1, k[0] % 9", "int(b) % 9", "t % 9",
                         "min(t, 8)", "k[2] % 9, 8", "max(t, 2), 60, 3"])
        item = index
        if self.leaves and not self.loops and r.random() < 0.6:
            ends = r.choice(["60", "3, 99, 2", "len(x) * 9", "70, 0, -1", "n, n + 50"])
            item = f"({index} % 8)"
        self.range_loop(depth, index, ends, item)
        if r.random() < 0.15:
            self.put(depth, "else:")
            self.assign(depth + 1)

    def range_loop(self, depth, index, ends, item=None):
        """`item`: what may be used as an index in the loop."""
        self.put(depth, f"for {index} in range({ends}):")
        self.indices.append(item or index)
        self.loops += 1
        self.block(depth + 1, 3)
        self.loops -= 1
        self.indices.pop()

    def for_items(self, depth):
        """A loop over values, with or without their index."""
        r = self.r
        name, index = f"e{len(self.items)}", f"i{len(self.indices)}"
        names, over, numbered = r.choice([
            (name, "{}", False), (f"{index}, {name}", "enumerate({})", True),
            (f"{name}, z", "zip({}, y)", False), (name, "{}[:t]", False),
            (f"{index}, {name}", "zip(range(1, 99), {})", True),
            (f"{index}, ({name}, z)", "enumerate(zip({}, x[1:]))", True),
        ])
        long = r.choice(["x", "v", "y", "m[1]", "np.tile(x, 6)", "k", "m.ravel()"])
        self.put(depth, f"for {names} in {over.format(long)}:")
        self.items.append(name)
        self.indices += [f"({index} % 8)"] * numbered
        self.loops += 1
        self.block(depth + 1, 3)
        self.loops -= 1
        if numbered:
            self.indices.pop()
        self.items.pop()

    def while_loop(self, depth):
        name = f"c{len(self.lines)}"
        self.put(depth, f"{name} = {self.r.choice(['0', '3'])}")
        condition = self.r.choice(["", f" and {self.test()}"])
        self.put(depth, f"while {name} < {self.r.choice([0, 4, 9])}{condition}:")
        self.put(depth + 1, f"{name} += 1")
        self.loops += 1
        self.block(depth + 1, 3)
        self.loops -= 1

    def branch(self, depth):
        self.put(depth, f"if {self.test()}:")
        self.block(depth + 1, 2)
        if self.r.random() < 0.6:
            self.put(depth, "else:")
            self.block(depth + 1, 2)

    def leave(self, depth):
        ends = ["break", "continue", "break", "t = 9; break", "a = b; break", "t = 1; continue"]
        self.put(depth, f"if {self.test()}: {self.r.choice(ends)}")

    def message(self, depth):
        r = self.r
        self.put(depth, f"if {self.test()}:")
        if r.random() < 0.3:
            self.store(depth + 1)
        self.put(depth + 1, r.choice([
            "print('here')", f"print(a, {self.number(2)})",
            f"print(f'''{{{self.number(1)}}}''')", "show(t, b)", "show(v)",
            "print(t); v.fill(0.5)", "print(k[0]); k[1] = t", "print(repr(a), end='|')",
            "print(t, k[t % 8]) if t else print(a)",
        ]))
        if r.random() < 0.3:
            self.assign(depth + 1)
        if r.random() < 0.2:
            self.put(depth, "else:")
            self.block(depth + 1, 1)


class ListWriter(Writer):
    """Also has `out`, a list of numbers, `places`, one of ints, and `pairs`, one of tuples."""

    def text(self):
        first = self.r.choice(["", "s", "0.0", "x[0], x[1]"])
        self.lines += [f"    out = [{first}]", "    places, pairs = [3], []"]
        rows = self.r.choice(["[0] * 9, [1] * 9", "list(range(9)), [0, 2, 4, 7, 7, 7, 1, 1, 1]"])
        self.lines += [f"    last, row = {rows}"]
        whole = super().text()
        return whole.replace("    return ", "    return out, places, pairs, last, row, ")

    def statement(self, depth):
        if self.r.random() < 0.4:
            self.put(depth, self.of_lists())
        else:
            super().statement(depth)

    def of_lists(self):
        r, i, number = self.r, self.r.choice([*self.indices, "t"]), self.number(2)
        if r.random() < 0.25:
            return self.of_rows(i)
        return r.choice([
            f"out.append({number})", f"out.append({self.element()})", f"places.append({i})",
            f"if {self.test()}: out.append({self.element()})", f"places.append({i} + 1)",
            f"pairs.append(({i}, {self.element()}))", f"if {self.test()}: places.append({i})",
            "if places: t = places.pop()", "if len(places) > 2: places[1] = places[-1] - 1",
            "if pairs: t, a = pairs.pop()", f"a = out[{i}] if len(out) > {i} >= 0 else a",
            "for p in places: b = b + p", "t = len(out)", "places.append(places[0])",
            f"out.append(float({number}))", "for q, w in pairs: a = max(a, w)",
            "t = sum(places)", "a = a + sum(out)", "if out: b = sum(out) / len(out)",
            f"a = sum([a, {number}, b, 1])", f"b = sum((float({number}), a), t)",
        ])

    def of_rows(self, i):
        """Two lists of equal lengths that take turns, or are replaced."""
        r, at = self.r, f"({i}) % 8"
        return r.choice([
            "last, row = row, last", "last, row = row, last", f"row[{at}] = last[{at} - 1] + 1",
            f"row[{at} + 1] = min(last[{at}], row[{at}] + 1)", f"t = last[{at}]", "last = row",
            f"row = [t] + [0] * 8; row[{at}] = last[-1]", f"row[0] = {i}", "row = list(range(9))",
            f"last[{at}] = row[{at}] + ({self.element()} > 1)", "row = last[:]",
            f"if {self.test()}: last, row = row, last", f"if {self.test()}: row[2] = last[3]",
        ])


class HeapWriter(ListWriter):
    """Also has `heap`, one of tuples, and `top`, one of numbers; tuples are compared."""

    scope = {"heapq": heapq}

    def text(self):
        first = self.r.choice(["", "(0.0, 0)", "(s, 1), (1.5, 2)"])
        self.lines += [f"    heap, top = [{first}], []", "    heapq.heapify(heap)"]
        return super().text().replace("    return ", "    return heap, top, ")

    def of_lists(self):
        r, i, number = self.r, self.r.choice([*self.indices, "t"]), self.number(2)
        if r.random() < 0.2:
            return super().of_lists()
        return r.choice([
            f"heapq.heappush(heap, ({self.element()}, {i}))", "if heap: a, t = heapq.heappop(heap)",
            f"heapq.heappush(heap, (float({number}), {i}))", "if heap: a = heap[0][0]",
            f"heapq.heappush(top, {self.element()})", "if len(top) > 3: heapq.heappop(top)",
            f"if top: a = heapq.heapreplace(top, {self.element()})", "t = len(heap)",
            f"b = heapq.heappushpop(top, {self.element()})", "if top: b = top[0]",
            f"if ({number}, {i}) < (b, t): a = b", f"if (a, {i}) >= ({self.element()}, 2): t += 1",
            f"if (a, b) == ({number}, b): b = 0.5", f"if ({i}, a) != (t, b): a = b",
            f"if ({self.element()},) <= (a, {number}): b = {number}",
            f"t = int(({number}, 1) > ({self.element()}, t))",
        ])


class DequeWriter(ListWriter):
    """Also has `queue`, a deque of numbers, and `steps`, one of tuples."""

    scope = {"deque": deque}

    def text(self):
        r = self.r
        first = r.choice(["", "x[0]", "v[1], x[2]"])
        most = r.choice(["", ", maxlen=5", ", maxlen=1"])
        self.lines += [f"    queue, steps = deque([{first}]{most}), deque([(0, 1)])"]
        return super().text().replace("    return ", "    return queue, steps, ")

    def of_lists(self):
        r, i, number = self.r, self.r.choice([*self.indices, "t"]), self.number(2)
        if r.random() < 0.2:
            return super().of_lists()
        return r.choice([
            f"queue.append({self.element()})", f"queue.append({self.element()})",
            f"if {self.test()}: queue.append({self.element()})", "if queue: a = queue.popleft()",
            "if queue: b = queue.pop()", f"steps.append(({i}, t))", "t = len(queue)",
            "if steps: t, c = steps.popleft()", "if len(queue) > 2: queue[1] = queue[-1] * 0.5",
            f"if len(queue) > {i} >= 0: a = queue[{i}]", "for q in queue: b = max(b, q)",
            "a = a + sum(queue)", "if len(steps) > 1: t = steps[-1][0] - steps[1][1]",
            f"queue.append({number})", "if not queue: t = 2", "queue.popleft()",
        ])


class ConditionWriter(Writer):
    """Conditions of several parts, and chains of `elif`."""

    def __init__(self, seed):
        super().__init__(seed)
        self.budget = 8

    def test(self, depth=0):
        r = self.r
        if depth > 1 or r.random() < 0.2:
            return super().test()
        parts = [self.test(depth + 1) for _ in range(r.choice([2, 2, 3]))]
        return r.choice([
            self.between(), self.between(), f"({' or '.join(parts)})", f"({' or '.join(parts)})",
            f"({' and '.join(parts)})", f"not ({parts[0]})", f"not {self.between(brackets=True)}",
            f"({parts[0]} if {self.test(depth + 2)} else {parts[1]})",
            f"({parts[0]} and {parts[1]} or {self.between()})", f"(w := {self.number(2)}) > a",
        ])

    def between(self, brackets=False):
        r, less = self.r, self.r.choice(["<", "<=", "!="])
        first, last = sorted(r.choice([-2, -0.5, 0, 0.5, 1, 2.0]) for _ in range(2))
        chain = f"{first} {less} {self.r.choice(['a', self.element(), 'b', 't'])} < {last}"
        return f"({chain})" if brackets or r.random() < 0.3 else chain

    def branch(self, depth):
        word = "if"
        for _ in range(self.r.choice([1, 1, 2, 4])):
            self.put(depth, f"{word} {self.test()}:")
            self.block(depth + 1, 2)
            word = "elif"
        if self.r.random() < 0.6:
            self.put(depth, "else:")
            self.block(depth + 1, 2)

    def while_loop(self, depth):
        name = f"c{len(self.lines)}"
        self.put(depth, f"{name} = 0")
        self.put(depth, f"while {name} < {self.r.choice([4, 9])} and ({self.test()}):")
        self.put(depth + 1, f"{name} += 1")
        self.loops += 1
        self.block(depth + 1, 3)
        self.loops -= 1

    def assign(self, depth):
        if self.r.random() < 0.3:
            values = self.number(2), self.r.choice(["a", "b", self.number(2)])
            self.put(depth, f"a = {values[0]} if {self.test()} else {values[1]}")
        else:
            super().assign(depth)

    def leave(self, depth):
        if self.r.random() < 0.4:
            self.put(depth, f"if {self.test()}:")
            return self.leave(depth + 1)
        return super().leave(depth)


class PrintingWriter(Writer):
    """Shows numbers on branches."""

    def statement(self, depth):
        if self.r.random() < 0.3:
            self.message(depth)
        else:
            super().statement(depth)


def program(seed, writer=Writer):
    """The function, its text, and arguments for it."""
    text = writer(seed).text()
    scope = {"np": np, "math": math, "show": partial(print, "shown:")} | writer.scope
    exec(compile(text, f"<random {seed}>", "exec"), scope)
    r = np.random.default_rng(seed)
    arguments = [
        r.integers(-3, 4, 8).astype(float) / 2, r.random(8), r.random((5, 8)),
        r.integers(0, 5, 8), int(r.integers(0, 8)), float(r.integers(-2, 3)) / 2,
    ]
    return scope["program"], text, writer.change(arguments)
