"""Random functions over arrays, numbers, containers, closures, loops, exceptions and prints."""
import random

NAMES = ("a", "b", "c")


class Writer:
    """Writes one function; `ints`, `arrays`, `lists`, `dicts` are the names bound so far."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.ints, self.arrays, self.lists, self.dicts = ["n"], ["x", "y"], ["items"], ["table"]
        self.fresh = 0
        self.depth = 0
        self.nesting = 0

    def pick(self, names):
        return self.random.choice(names)

    def name(self, kind):
        self.fresh += 1
        return f"{kind}{self.fresh}"

    def number(self):
        r = self.random
        return r.choice([
            lambda: str(r.randint(-3, 5)), lambda: self.pick(self.ints),
            lambda: f"({self.pick(self.ints)} {r.choice('+-*')} {r.randint(1, 4)})",
            lambda: f"len({self.pick(self.lists)})", lambda: f"{self.pick(self.arrays)}.shape[0]",
            lambda: f"len({self.pick(self.dicts)})",
            lambda: f"sum([v for v in {self.pick(self.lists)} if isinstance(v, int)])",
            lambda: f"({self.pick(self.ints)} // {r.randint(1, 3)})",
        ])()

    def array(self):
        """An expression; nested at most three deep."""
        self.nesting += 1
        try:
            if self.nesting > 3 or self.random.random() < 0.2:
                return self.pick(self.arrays)
            return self.any_array()
        finally:
            self.nesting -= 1

    def any_array(self):
        r = self.random
        return r.choice([
            lambda: self.pick(self.arrays),
            lambda: f"({self.array()} {r.choice('+-*')} {self.number()})",
            lambda: f"({self.array()} + {self.array()})",
            lambda: f"np.{r.choice(['sin', 'abs', 'square', 'negative'])}({self.array()})",
            lambda: f"np.maximum({self.array()}, {self.number()})",
            lambda: f"helper({self.array()}, {self.number()})",
            lambda: f"box.scale({self.array()})",
            lambda: f"({self.array()} if {self.condition()} else {self.array()})",
        ])()

    def condition(self):
        r = self.random
        return r.choice([
            lambda: f"{self.number()} {r.choice(['<', '>', '==', '!='])} {self.number()}",
            lambda: f"{self.number()} in {self.pick(self.lists)[:0] or '(1, 2, 3)'}",
            lambda: f"not {self.number()}",
            lambda: f"'{r.choice(NAMES)}' in {self.pick(self.dicts)}",
            lambda: f"{self.pick(self.arrays)}.sum() > {r.randint(-5, 5)}",
            lambda: f"{self.pick(self.lists)} is {self.pick(self.lists)}",
        ])()

    def emit(self, text):
        self.lines.append("    " * (self.depth + 1) + text)

    def block(self, count):
        self.depth += 1
        saved = [list(v) for v in (self.ints, self.arrays, self.lists, self.dicts)]
        for _ in range(count):
            self.statement()
        self.ints, self.arrays, self.lists, self.dicts = saved
        self.depth -= 1

    def statement(self):
        r = self.random
        simple = [self.new_int, self.new_array, self.new_list, self.list_change, self.dict_change,
                  self.attribute, self.show, self.array_write, self.closure, self.comprehension]
        nested = [self.branch, self.loop, self.attempt, self.context]
        r.choice(simple * 2 + (nested if self.depth < 2 else []))()

    def new_int(self):
        value, name = self.number(), self.name("n")
        self.emit(f"{name} = {value}")
        self.ints.append(name)

    def new_array(self):
        value, name = self.array(), self.name("x")
        self.emit(f"{name} = {value}")
        self.arrays.append(name)

    def new_list(self):
        name = self.name("l")
        self.emit(f"{name} = [{self.number()}, {self.array()}, {self.number()}]"
                  if self.random.random() < 0.6 else f"{name} = {self.pick(self.lists)}")
        self.lists.append(name)

    def list_change(self):
        target = self.pick(self.lists)
        self.emit(self.random.choice([
            f"{target}.append({self.number()})", f"{target}.append({self.array()})",
            f"{target}.insert(0, {self.number()})", f"{target}[-1] = {self.number()}",
            f"{target} += [{self.number()}]", f"del {target}[1:]", f"{target}.reverse()",
        ]))

    def dict_change(self):
        target, key = self.pick(self.dicts), self.random.choice(NAMES)
        self.emit(self.random.choice([
            f"{target}['{key}'] = {self.number()}", f"{target}['{key}'] = {self.array()}",
            f"{target}.pop('{key}', None)", f"{target}.setdefault('{key}', []) ",
            f"{target}.update({key}={self.number()})",
        ]))

    def attribute(self):
        self.emit(self.random.choice([
            f"box.value = {self.number()}", "box.value += 1", f"box.last = {self.array()}",
            f"box.log.append({self.number()})", "count_up()",
        ]))

    def show(self):
        if self.random.random() < 0.5:
            self.emit(f"print({self.number()}, box.value)")
        else:
            self.emit(f"pass  # {self.depth}")

    def array_write(self):
        name = self.name("x")
        self.emit(f"{name} = {self.array()} + 0.0")
        self.emit(self.random.choice([
            f"{name} += {self.number()}", f"{name}[0] = {self.number()}", f"{name} *= {name}",
        ]))
        self.arrays.append(name)

    def closure(self):
        name = self.name("f")
        self.emit(f"{name} = lambda v, k={self.number()}: v * k + {self.pick(self.ints)}")
        result = self.name("x")
        self.emit(f"{result} = {name}({self.pick(self.arrays)})")
        self.arrays.append(result)

    def comprehension(self):
        name = self.name("l")
        self.emit(f"{name} = [{self.pick(self.arrays)} * i for i in range({self.random.randint(0, 3)})]"
                  f" + [{self.number()}]")
        self.lists.append(name)

    def branch(self):
        self.emit(f"if {self.condition()}:")
        self.block(self.random.randint(1, 2))
        if self.random.random() < 0.5:
            self.emit("else:")
            self.block(1)

    def loop(self):
        name = self.name("i")
        self.emit(f"for {name} in range({self.random.randint(0, 3)}):")
        self.ints.append(name)
        self.block(self.random.randint(1, 3))
        if self.random.random() < 0.3:
            self.depth += 1
            self.emit(f"if {self.condition()}: {self.random.choice(['break', 'continue'])}")
            self.depth -= 1
        self.ints.remove(name)

    def attempt(self):
        self.emit("try:")
        self.block(1)
        self.depth += 1
        self.emit(self.random.choice([
            "raise ValueError(n)", f"{{}}[{self.number()}]", "pass", "pass", f"[][{self.number()}]",
            f"helper({self.pick(self.arrays)}, 0)",
        ]))
        self.depth -= 1
        self.emit("except (KeyError, ValueError, IndexError) as error:")
        self.block(1)
        self.depth += 1
        self.emit("box.log.append(type(error).__name__)")
        self.depth -= 1
        if self.random.random() < 0.4:
            self.emit("finally:")
            self.block(1)

    def context(self):
        self.emit("with box as inner:")
        self.block(self.random.randint(1, 2))

    def function(self):
        for _ in range(self.random.randint(3, 9)):
            self.statement()
        self.emit(f"return {', '.join(self.ints + self.arrays + self.lists + self.dicts)}, box")
        body = "\n".join(self.lines)
        return f"def program(x, y, n, items, table, box):\n{body}\n"


PRELUDE = '''
import numpy as np

COUNT = 0

def count_up():
    global COUNT
    COUNT += 1

def helper(v, k):
    if k < -1:
        raise ValueError(k)
    return v * k + 1

class Box:
    def __init__(self):
        self.value = 1
        self.log = []
    def scale(self, v):
        return v * self.value
    def __enter__(self):
        self.log.append("in")
        return self
    def __exit__(self, kind, error, traceback):
        self.log.append(kind is None)
        return False
'''


def program(seed):
    """A namespace with `program` and what it uses; its source is in `SOURCE`."""
    source = PRELUDE + Writer(seed).function()
    namespace = {"__name__": f"random_program_{seed}", "SOURCE": source}
    exec(compile(source, f"<random program {seed}>", "exec"), namespace)
    return namespace
