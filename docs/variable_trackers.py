"""Write the pages of `trackers/` from the trackers' classes: `python docs/variable_trackers.py`.

Every kind has an example: a function in whose analysis the kind is met. They run as doctests.
"""
from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from dynamo_lite.tracer.frame.speculation import translate
from dynamo_lite.tracer.frame.translator import Translator
from dynamo_lite.tracer.state.tracker import VariableTracker

PAGES = Path(__file__).with_name("trackers")

FOLDERS = (
    "state", "object_model", "trackers.containers", "trackers.objects", "trackers.arrays",
    "trackers.array_backed", "control_flow",
)
"""Where trackers are: a page for each, in this order."""

INDEX = """# Which VariableTracker should I use?

A tracker stands for one Python value while a frame is analysed. Choose by what is known of the
value and by who makes it. Each page has the kinds of one folder of `dynamo_lite/tracer`, by
module. In the examples `met(function, *args)` names the kinds that an analysis of the function
meets. These pages are written by `python docs/variable_trackers.py`.

"""

EXAMPLES: dict[str, str] = {
    "ArrayVariable": "lambda x: x + 1",
    "CallableVariable": "lambda x: np.sin(x)",
    "KnownVariable": "lambda x: (list[int], x)",
    "ModuleVariable": "lambda x: np.cos(x)",
    "CellVariable": "lambda x: (lambda: x)()",
    "CharacterVariable": "spelled, 'spam' * 20",
    "ClassVariable": "lambda x: (dict, x)",
    "ComplexVariable": "lambda x, k: (complex(k, 1.0), x), 2.5",
    "ConstantMethodVariable": "lambda x: ('a'.upper, x)",
    "ConstantVariable": "lambda x: x + 1",
    "NullVariable": "lambda x: np.sin(x)",
    "TypedConstant": "lambda x: x.dtype",
    "DequeVariable": "lambda x: deque([x])",
    "DerivedVariable": "lambda x: Counter('ab')",
    "DescriptorVariable": "lambda x: (property(len), x)",
    "DictVariable": "lambda x: {'a': x}",
    "DictViewVariable": "lambda x: {'a': x}.items()",
    "ExceptionVariable": "lambda x: (ValueError('no'), x)",
    "NestedFunctionVariable": "lambda x: (lambda v: v * 2)(x)",
    "UserFunctionVariable": "lambda x: (spread, x)",
    "GeneratorVariable": "lambda x: list(v * x for v in (1, 2))",
    "GraphMethodVariable": "lambda x: (x.sum, x)",
    "IdVariable": "lambda x: (id(x) == id(x), x)",
    "InstanceDictVariable": "lambda x: vars(SimpleNamespace(a=x))",
    "CallableIterator": "lambda x: (iter(list, []), x)",
    "ComputedIterator": "lambda x: list(reversed({'a': x}))",
    "EnumerateVariable": "lambda x: enumerate([x])",
    "FilterVariable": "lambda x: filter(None, [1, 0])",
    "MapVariable": "lambda x: map(np.sin, [x])",
    "ReversedVariable": "lambda x: reversed([x])",
    "BackwardsVariable": "lambda x: reversed(x)",
    "StepVariable": "lambda x: iter([x])",
    "ZipVariable": "lambda x: zip([x], [1])",
    "OutsideIterator": "lambda x, it: (it, x), iter({1})",
    "SequenceIterator": "lambda x, it: x * next(it), iter([1])",
    "ArrayIterator": "lambda x, it: (it, x), iter(np.ones(2))",
    "RangeIterator": "lambda x, it: x * next(it), iter(range(3))",
    "CountIterator": "lambda x, it: x * next(it), itertools.count()",
    "EnumerateIterator": "lambda x, it: (next(it), x), enumerate([1])",
    "ZipIterator": "lambda x, it: (next(it), x), zip([1], [2])",
    "LazyVariable": "lambda x, unused: x + 1, [1]",
    "PatternVariable": "lambda x: (re.compile('a').match('ab'), x)[1]",
    "SignatureVariable": "lambda x: (inspect.signature(spread), x)[1]",
    "MappingProxyVariable": "lambda x: MappingProxyType({'a': x})",
    "BuiltinMethodVariable": "lambda x: [x].append",
    "MethodVariable": "lambda x: (MethodType(spread, x), x)",
    "ConstantNumber": "lambda x: (np.float64(2.0), x)",
    "ComputedNumber": "lambda x: x.sum()",
    "UnionNumber": "lambda x: max(x.sum(), 0.0)",
    "InputNumber": "lambda x, k: x * k, 2.5",
    "ObjectVariable": "lambda x: SimpleNamespace(a=x)",
    "PartialVariable": "lambda x: partial(spread, x)",
    "ListVariable": "lambda x: [x]",
    "TupleVariable": "lambda x: (x, 1)",
    "SetVariable": "lambda x: {1, 2}",
    "RangeVariable": "lambda x: range(3)",
    "SliceVariable": "lambda x: slice(1, 2)",
    "DtypeVariable": "lambda x, kind: (kind, x), np.dtype('U3')",
    "BoundDescriptorVariable": "lambda x: (Countdown(2).__eq__, x)",
    "TypeParameterVariable": "DEFINES_A_TYPE",
    "TracebackVariable": "caught",
    "ObjectIterator": "lambda x: [x * k for k in Countdown(2)]",
    "KnownTuple": "lambda x: (sys.version_info, x)",
    "DataRangeVariable": "added_up",
    "OwnDictVariable": "lambda x, record: x * record['a'], Record(a=2)",
    "ErrorStateVariable": "quiet",
    "StateVariable": "quiet",
    "TokenVariable": "quiet",
    "SuperVariable": "lambda x: Doubled().scaled(x)",
    "OpaqueVariable": "lambda x, day: (day, x), np.datetime64('2000-01-01')",
    "FlatVariable": "lambda x: x.flat[1]",
    "FlagsVariable": "lambda x: (x.flags.c_contiguous, x)",
    "StructuredVariable": "lambda x, table: table['a'] + x, np.zeros(3, [('a', 'f8')])",
    "MaskedPart": "shrunk",
    "GrowingVariable": "halved",
    "KeptList": "paired",
    "ListOfArrays": "snapshots",
    "GrowingArray": "lengthened",
    "OutsideRow": "weighed, [[k, k + 1] for k in range(50)]",
    "ListByValue": "walked, [0, 1]",
    "QueueVariable": "kept_last",
    "TableVariable": "counted",
    "RowsVariable": "tallied",
    "RowVariable": "tallied",
    "OptionalNumber": "greatest_above, 0.5",
    "PerhapsBound": "last_above, 0.5",
    "WordVariable": "hashed, b'spam' * 20",
    "RandomVariable": "lambda x, rng: x + rng.random(3), np.random.default_rng(0)",
    "RandomMethodVariable": "lambda x, rng: x + rng.random(3), np.random.default_rng(0)",
    "SizeVariable": "lambda x: (len(x[x > 0]), x)",
}
"""Kind → a function that meets it, and its arguments after an array."""

ELSEWHERE = {
    "UnknownVariable": "No trace has one: it stands for values while a loop is estimated.",
    "Nothing": "No local has one: it is in a PerhapsBound or OptionalNumber without a number yet.",
    "Standing": "No trace has one: a side exit leaves it to Python in the place of the iterator.",
}
"""Kinds that `met` does not see."""


def met(function: Callable[..., Any], *args: Any) -> set[str]:
    """The names of the kinds that lie on a stack or in a local while `function` is analysed."""
    names: set[str] = set()
    execute = Translator.execute

    def observed(tx: Translator, inst: Any) -> None:
        execute(tx, inst)
        values = [*tx.stack, *tx.locals.values(), *([tx.returned] if tx.returned else [])]
        names.update(type(value).__name__ for value in values)

    Translator.execute = observed  # type: ignore[method-assign]
    try:
        translate(function, (np.arange(3.0), *args))
    finally:
        Translator.execute = execute  # type: ignore[method-assign]
    return names


def spread(x: Any) -> Any:
    return x - x.mean()


def caught(x):
    try:
        raise ValueError("no")
    except ValueError as error:
        traceback = error.__traceback__
    return traceback is None, x


def added_up(x):
    total = 0.0
    for k in range(int(x.sum())):
        total += k
    return total


def spelled(x, text):
    count = 0
    for character in text:
        if character == "a":
            count += 1
    return x + count


def quiet(x):
    with np.errstate(divide="ignore"):
        return 1 / x


def shrunk(x):
    while x.sum() > 1:
        x = x - 1
        x[x > 0] *= 0.5
    return x


def halved(x):
    sums = []
    while x.sum() > 1:
        x = x * 0.5
        sums.append(x.sum())
    return sums


def snapshots(x):
    kept = []
    while x.sum() > 1:
        x = x * 0.5
        kept.append(x.copy())
    return np.array(kept)


def lengthened(x):
    sums = np.array([])
    for _ in range(50):
        x = x * 0.5
        sums = np.append(sums, x.sum())
    return sums


def weighed(x, rows):
    for row in rows:
        x = x * row[0] + row[1]
    return x


def paired(x):
    pairs = []
    while x.sum() > 1:
        x = x * 0.5
        pairs.append([x.sum(), x.max()])
    last = pairs[-1]
    return last[0] + last[1]


def walked(x, state):
    total = 0
    for k in range(len(x) * 20):
        total += state[0]
        state = [state[1], k % 3]
    return total


def kept_last(x):
    last = deque(maxlen=3)
    while x.sum() > 1:
        x = x * 0.5
        last.append(x.sum())
    return last


def tallied(x):
    found = [[0] * 3 for _ in range(2)]
    for i in range(90):
        found[i % 2][i % 3] += 1
    return found


def counted(x):
    found = {}
    for i in range(len(x) * 20):
        found[int(x[i % 3])] = found.get(int(x[i % 3]), 0) + 1
    return found


def last_above(x, limit):
    for i in range(len(x) * 20):
        if x[i % 3] > limit:
            last = i
    return last


def greatest_above(x, limit):
    best = None
    for i in range(len(x) * 20):
        if x[i % 3] > limit and (best is None or x[i % 3] > best):
            best = x[i % 3]
    return best


def hashed(x, data):
    h = 0
    for byte in data:
        h = (h * 0x9E3779B97F4A7C15 + byte) % 2**64
    return x, h


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if not self.n:
            raise StopIteration
        self.n -= 1
        return self.n


class Record(dict):
    def __init__(self, **items):
        super().__init__(items)
        self.__dict__ = self


class Scaled:
    def scaled(self, x):
        return x


class Doubled(Scaled):
    def scaled(self, x):
        above = super()
        return above.scaled(x) * 2


DEFINES_A_TYPE = """def function(x):
    type Pair = tuple[int, int]
    return x, Pair.__name__
"""
"""Python 3.12 can read it."""

SHOWN = {
    value.__name__: inspect.getsource(value)
    for value in (
        caught, added_up, spelled, quiet, halved, snapshots, lengthened, weighed, kept_last, paired,
        walked, counted, tallied, last_above, greatest_above, hashed, Countdown, Record, Doubled,
        shrunk,
    )
} | {"DEFINES_A_TYPE": DEFINES_A_TYPE}
"""What examples name, as text."""


def kinds() -> Iterator[type[VariableTracker]]:
    """Every tracker class of `dynamo_lite.tracer`, by module and place in it."""
    for folder in FOLDERS:
        yield from kinds_in(importlib.import_module(f"dynamo_lite.tracer.{folder}"))


def kinds_in(package: ModuleType) -> Iterator[type[VariableTracker]]:
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda i: i.name):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        for value in vars(module).values():
            if inspect.isclass(value) and issubclass(value, VariableTracker):
                if value.__module__ == module.__name__:
                    yield value


def section(kind: type[VariableTracker]) -> str:
    """A kind's heading, what it says of itself, and its doctest."""
    name, base = kind.__name__, kind.__bases__[0].__name__
    own = inspect.cleandoc(vars(kind).get("__doc__") or f"A `{getattr(kind, 'kind', kind)!r}`.")
    return f"### {name} ({base})\n{own}\n\n{example_of(kind)}"


def example_of(kind: type[VariableTracker]) -> str:
    """A doctest, or why there is none; behind what it names."""
    name = kind.__name__
    if name in ELSEWHERE:
        return f"{ELSEWHERE[name]}\n"
    if name not in EXAMPLES:
        derived = [other.__name__ for other in kinds() if kind in other.__bases__]
        return f"Abstract; its kinds: {', '.join(derived)}.\n"
    text = EXAMPLES[name]
    shown = next((source for word, source in SHOWN.items() if word in text), "")
    if text == "DEFINES_A_TYPE":
        return f"Since Python 3.12:\n\n```python\n{shown}```\n"
    lines = [f"{'>>>' if n == 0 else '...'} {line}".rstrip() for n, line in enumerate(
        shown.splitlines())]
    asked = f'>>> "{name}" in met({text})\nTrue'
    return "\n".join(["```python", *lines, asked, "```\n"])


def page(folder: str) -> str:
    parts, topic = [f"# Trackers of `tracer/{folder.replace('.', '/')}`\n"], ""
    for kind in kinds_in(importlib.import_module(f"dynamo_lite.tracer.{folder}")):
        module = kind.__module__.rpartition(".")[2]
        if module != topic:
            topic = module
            said = (sys.modules[kind.__module__].__doc__ or "").strip().split("\n\n")[0]
            parts.append(f"## {module}\n{said}\n")
        parts.append(section(kind))
    return "\n".join(parts)


def pages() -> dict[Path, str]:
    """The text of every page, by its path."""
    names = {folder: folder.rpartition(".")[2] for folder in FOLDERS}
    index = "".join(
        f"- [{name}]({name}.md): "
        + ", ".join(kind.__name__ for kind in kinds_in(importlib.import_module(
            f"dynamo_lite.tracer.{folder}"))) + "\n"
        for folder, name in names.items()
    )
    found = {PAGES / f"{name}.md": page(folder) for folder, name in names.items()}
    return {PAGES / "README.md": INDEX + index, **found}


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text)
