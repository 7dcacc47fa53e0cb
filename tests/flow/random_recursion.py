"""Random functions of numbers that call themselves, and programs that call them."""
import linecache
import random

INTS = ("n", "k", "n + k", "n - k", "n * k", "k % 7", "k // 3", "k ^ n", "k & 12", "k | n",
        "max(n, k)", "abs(k)", "k >> 1", "-k", "k * k", "k // n", "k % (n - 2)",
        "(int(x) if -9 < x < 9 else 0)")
FLOATS = ("x", "x + n", "x * 0.5", "-x", "x - k", "abs(x)", "x * x", "x / (n + 1)", "n / (k - 3)",
          "min(x, 2.5)", "math.sqrt(abs(x))", "1.5", "float(k)", "k * 0.25")
TESTS = ("k > 3", "x < 0.5", "n % 2 == 0", "k == n", "x != x", "k & 1", "n > 3 and k < 5",
         "not k", "x > 1 or k < 0")


class RecursionWriter:
    """Writes one function; `returns_float` says what every way out of it gives."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.returns_float = self.random.random() < 0.5
        self.swaps = self.random.random() < 0.05

    def pick(self, choices):
        return self.random.choice(choices)

    def number(self):
        if self.random.random() < 0.02:
            return self.pick(INTS + FLOATS)
        return self.pick(FLOATS if self.returns_float else INTS)

    def again(self, less="1"):
        k, x = self.pick(INTS[:13]), self.pick(FLOATS)
        if self.swaps:
            k, x = x, k
        return f"rec(n - {less}, {k}, {x})"

    def ending(self):
        """A value of the result's type, made of further calls."""
        first, second = self.again(), self.again("2")
        return self.pick((
            first, f"{first} + {self.number()}", f"{first} + {second}", f"{first} - {second}",
            f"max({first}, {second})", f"{self.number()} if {self.pick(TESTS)} else {first}",
            f"{first} if {self.pick(TESTS)} else {second}",
            f"({first} + {second}) * {self.pick(('2', '3', '-1'))}",
        ))

    def body(self):
        lines = [f"if n <= {self.random.randint(0, 2)}:", f"    return {self.number()}"]
        for _ in range(self.random.randint(0, 2)):
            change = self.pick(("k += 1", "x = x + 0.5", "k = n"))
            lines += [f"if {self.pick(TESTS)}:", f"    {change}"]
            if self.random.random() < 0.4:
                lines[-1] = f"    return {self.pick((self.number(), self.ending()))}"
        if self.random.random() < 0.15:
            lines += [f"if {self.pick(TESTS)} and n == 4:", "    raise ValueError(n)"]
        if self.random.random() < 0.3:
            zero = "0.0" if self.returns_float else "0"
            lines += [f"total = {zero}", "for i in range(2):",
                      f"    total += {self.again('1 - i')}", f"return total + {self.number()}"]
        else:
            lines.append(f"return {self.ending()}")
        return lines

    def text(self):
        lines = ["def rec(n, k, x):", *(f"    {line}" for line in self.body())]
        lines += ["def calls(n, k, x):"]
        if self.random.random() < 0.5:
            lines += ["    total = 0.0", "    for i in range(n):", "        total += rec(i, k, x)",
                      "    return total"]
        else:
            lines += ["    return rec(n, k, x), rec(n - 1, 2, x + 1)"]
        return "import math\n" + "\n".join(lines) + "\n"


def recursive_program(seed):
    """(the function, its text, lists of arguments)."""
    writer = RecursionWriter(seed)
    text = writer.text()
    name = f"<recursion {seed}>"
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    scope = {}
    exec(compile(text, name, "exec"), scope)
    random_ = writer.random
    arguments = [
        [random_.randint(0, 9), random_.randint(-4, 9), random_.choice((0.3, -1.25, 2.0, 1e150))]
        for _ in range(4)
    ]
    return scope[random_.choice(("calls", "rec"))], text, arguments
