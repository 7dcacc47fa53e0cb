"""A second process has the entries of the first, as long as what they rely on is the same."""
import json
import os
import shutil
import subprocess
import sys

import pytest

PROGRAM = '''
import enum, json, math, random, sys, typing
import numpy as np
import dynamo_lite as dl

EPS = 0.5

class Base:
    def shift(self, x):
        return x + 1

class Model(Base):
    scale = 2.0

    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return self.shift(np.tanh(x @ self.w)) * self.scale

def helper(x, k=3):
    return x * k + math.sqrt(2)

def made(by):
    def inner(x):
        return x * by
    return inner

twice = made(2.0)
LIMIT = 10
OWN = np.random.RandomState()

@dl.compile
def f(model, x, log):
    y = helper(model(x)) + EPS
    log.append(y.sum() > LIMIT)
    for k in range(3):
        y = twice(y)
    return y, np.sort(y, axis=0)[0]

@dl.compile
def breaks(x, log):
    y = np.sin(x) * 2
    print("in the middle", file=sys.stderr)
    z = np.cos(y) + len(log)
    return z

class Unit(enum.Enum):
    METRE = 1.0

@dl.compile
def measured(x, unit):
    total = x * 0.1
    return total * unit.value

@dl.compile
def by_order(x):
    total = x * 0.1
    for name in {"one", "two", "three", "four", "five"}:
        total = total * 1.1 + len(name)
    return total, hash("one")

@dl.compile
def draws(n):
    return np.random.normal(size=n) * 2 + np.random.rand(n)

@dl.compile
def folded(x):
    root = np.sqrt(2.0)
    print("in the middle", file=sys.stderr)
    return x * root, root

class Found(typing.NamedTuple):
    least: float
    most: float

@dl.compile
def found(x, known):
    for k in range(2):
        if k not in known:
            known[k] = np.zeros_like(x)
    shift = random.random()
    extent = Found(np.minimum.reduce(x, axis=None), np.add.reduce(x * shift, axis=None))
    by = lambda y: y * extent.most + known[1]
    print("in the middle", file=sys.stderr)
    return by(x), extent, random.gauss(0, 1)

@dl.compile
def by_parts(x):
    def part(k):
        y = x[k:] * scale
        print("in the middle", file=sys.stderr)
        return y * 2 + 1
    scale = float(np.sqrt(len(x)))
    return part(0) + 1, part(1) + 1

@dl.compile
def kinds(x):
    y = x * 0.1 + 1
    return y.dtype, np.dtype("i2"), y.astype("f4")
# -- changes
x = np.arange(16.0).reshape(4, 4)

def everything():
    log = []
    np.random.seed(3)
    random.seed(3)
    known = {}
    OWN.seed(7)
    results = [f(Model(np.eye(4)), x, log), breaks(x, log), draws(5),
               measured(x, Unit.METRE), by_order(x), folded(x)]
    results += [found(x, known), found(x, known), by_parts(x)]
    first, second, array = kinds(x)
    results += [first is x.dtype, second is np.dtype("i2"), array.dtype is np.dtype("f4")]
    return repr((results, log, np.random.get_state()[1][:3]))

compiled, stats = everything(), dl.stats()
with dl.set_stance("force_eager"):
    assert everything() == compiled
print(json.dumps([compiled, stats.traced, stats.generated, stats.graphs]))
'''


SEED = "7"


class Programs:
    """Runs the program, changed, with one cache; what it computes in compiled form, which is what
    Python computes, and how much it compiled."""

    def __init__(self, folder):
        self.program, self.cache = folder / "program.py", folder / "cache"

    def __call__(self, change="", before=(), text=PROGRAM, **environment):
        text = text.replace("# -- changes", change)
        self.program.write_text(text.replace(*before) if before else text)
        environment = {**os.environ, "DYNAMO_CACHE_DIR": str(self.cache), "DYNAMO_STRICT": "1",
                       "DYNAMO_KEEP_ENTRIES": "1", "DYNAMO_COMPILE_UNPROFITABLE": "1",
                       "PYTHONHASHSEED": SEED, **environment}
        done = subprocess.run([sys.executable, self.program], capture_output=True, text=True,
                              env=environment, timeout=120)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """The folder of a program that has run once, and what that gave."""
    folder = tmp_path_factory.mktemp("first")
    return folder, Programs(folder)()


@pytest.fixture
def run(first, tmp_path):
    shutil.copytree(first[0] / "cache", tmp_path / "cache")
    shutil.copy(first[0] / "program.py", tmp_path)
    programs = Programs(tmp_path)
    programs.program = first[0] / "program.py"
    return programs


def test_nothing_is_traced_twice(run, first):
    assert first[1][1] >= 4
    again = run(PYTHONHASHSEED=SEED)
    assert again == [first[1][0], 1, 0, first[1][3]]  # what depends on the order of a set


def test_hashes_and_orders_are_those_of_the_process(run):
    for seed in "123":
        run(PYTHONHASHSEED=seed)


CHANGES = {
    "a constant of the module": ("EPS = 1.5", ""),
    "one that decides": ("LIMIT = 1000", ""),
    "a helper": ("", ("x * k + math.sqrt(2)", "x * k - math.sqrt(2)")),
    "its default": ("", ("k=3", "k=4")),
    "a method": ("", ("np.tanh(x @ self.w)", "np.tan(x @ self.w)")),
    "a method of the base": ("", ("return x + 1", "return x + 2")),
    "an attribute of the class": ("Model.scale = 3.0", ""),
    "another base": ("", ("class Model(Base)", "class Base:\n    def shift(self, x):\n"
                          "        return x - 1\n\nclass Model(Base)")),
    "a method that is overridden": ("Model.shift = lambda self, x: x * 5", ""),
    "what a closure holds": ("twice = made(4.0)", ""),
    "another closure": ("twice = lambda x: x / 3", ""),
    "the function itself": ("", ("range(3)", "range(4)")),
    "a function of NumPy": ("np.tanh = np.sinh", ""),
    "a function of math": ("math.sqrt = math.exp", ""),
    "a function that draws": ("np.random.normal = OWN.normal", ""),
    "a directive": ("helper = dl.disable(helper)", ""),
    "a metaclass": ("", ("class Base:", "class Base(metaclass=type('M', (type,), {})):")),
    "slots": ("", ("    scale = 2.0", "    scale = 2.0\n    __slots__ = ('w',)")),
    "the value of a member": ("", ("METRE = 1.0", "METRE = 1000.0")),
    "a getter": ("", ("    scale = 2.0", "    scale = property(lambda self: 7.0)")),
}


@pytest.mark.parametrize("what", CHANGES)
def test_changes_between_two_runs_are_seen(run, first, what):
    change, before = CHANGES[what]
    assert run(change, before or ())[0] != first[1][0] or what in SAME_RESULTS


SAME_RESULTS = ("a directive", "a metaclass", "slots")


def test_other_settings_are_other_entries(run, first):
    assert run(DYNAMO_MATH="numpy")[1] > 0
    assert run(DYNAMO_KEEP_ENTRIES="0")[1] == first[1][1]


def test_arrays_that_are_marked_are_traced(run, first):
    marked = "held = np.ones(3); dl.mark_dynamic(held, 0)"
    assert run(marked)[:2] == first[1][:2]


def test_files_that_are_damaged_count_as_absent(run, first):
    for path in run.cache.rglob("entries/*.bin"):
        path.write_bytes(path.read_bytes()[:-5] + b"wrong")
    assert run()[:2] == first[1][:2]
    for path in run.cache.rglob("graphs/*.bin"):
        path.unlink()
    again = run()
    assert again[0] == first[1][0] and again[2] > 0


SMALL = """
import sys
import numpy as np
import dynamo_lite as dl

@dl.compile
def f(x):
    return x * 2 + 1

decorated = "dynamo_lite.tracer.frame.root" in sys.modules
f(np.arange(3.0))
print(decorated, "dynamo_lite.tracer.frame.root" in sys.modules)
"""


def test_the_compiler_is_loaded_for_functions_that_have_no_entries(tmp_path):
    (tmp_path / "small.py").write_text(SMALL)
    environment = {**os.environ, "DYNAMO_CACHE_DIR": str(tmp_path / "cache"),
                   "DYNAMO_KEEP_ENTRIES": "1"}
    said = [subprocess.run([sys.executable, tmp_path / "small.py"], env=environment, text=True,
                           capture_output=True, check=True).stdout for _ in range(2)]
    assert said == ["True True\n", "False False\n"]


DRAWING = """
import json
import numpy as np
import dynamo_lite as dl

@dl.compile
def walk(n):
    rng, place = np.random.default_rng(1), 0.0
    for _ in range(n):
        place = rng.normal(0.5 * place, 0.8) + rng.random()
    return place

walk(50)
print(json.dumps([walk(50), dl.stats().bailouts, walk.__wrapped__(50)]))
"""


def test_generators_that_compiled_code_makes_are_known(tmp_path):
    """Their draws are made by compiled code in the process that finds it on disk, too."""
    program = Programs(tmp_path)
    for _ in range(2):
        found, bailouts, expected = program(text=DRAWING)
        assert (found, bailouts) == (expected, 0)
