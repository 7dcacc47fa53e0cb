"""Classes derived from Python's own that override some special methods: C asks for those it asks for."""
import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.base.config import config

X = np.arange(5.0)
VALUES = {
    object: (), int: (2,), float: (1.5,), str: ("hey",), list: ([4, 5],), tuple: ((1, 2),),
    dict: ({1: 2},), set: ({3},),
}  # fmt: skip
ANSWERS = {
    "__eq__": lambda s, o: "eq", "__gt__": lambda s, o: "gt", "__lt__": lambda s, o: NotImplemented,
    "__index__": lambda s: 1, "__hash__": lambda s: 5, "__iter__": lambda s: iter([7, 8]),
    "__length_hint__": lambda s: 4, "__repr__": lambda s: "h\u00e9", "__str__": lambda s: "str",
}  # fmt: skip
SHOWN = "str(a), repr(a), ascii(a), f'{a}', f'{a!r}', f'{a!a}', '%s %r' % (a, a), str([a])"
ROWS = [
    (int, "__gt__", "1 < a, a < 1, 0 < a < 3"), (int, "__lt__", "a < 1, a < 5, 1 < a, a < a"),
    (float, "__gt__", "min(a, 3), max(1, a), 1 < a"), (str, "__gt__", "1 < a"),
    (str, "__eq__", "1 == a, a == 1, 'hey' == a, 'hey' != a"), (object, "__eq__", "1 == a, a == 1"),
    (int, "__index__", "'a' * a, [0] * a, range(a), operator.index(a), [5, 6, 7][a]"),
    (set, "__hash__", "a in {a}, hash(a)"), (dict, "__iter__", "set(a), list(a), {1, 7} & set(a)"),
    (list, "__iter__", "set(a), sorted(a)"), (set, "__iter__", "set(a) == {3}"),
    (list, "__length_hint__", "[*a], tuple(a)"), (tuple, "__length_hint__", "tuple(a), list(a)"),
    (object, "__iter__ __length_hint__", "list(a), [*a]"),
    *((base, "__repr__", SHOWN) for base in (str, int, float, list, dict, object)),
    *((base, "__str__", "str(a), f'{a}', '%s' % a, format(a)") for base in (str, int, list)),
]


def derived(base, names, asked, module):
    def logged(name):
        def method(*args):
            asked.append(name)
            return ANSWERS[name](*args)
        return method

    return type("Derived", (base,), {"__module__": module, **{n: logged(n) for n in names.split()}})


@pytest.mark.parametrize("module", ["program", "builtins"])
@pytest.mark.parametrize("made", ["outside", "inside"])
@pytest.mark.parametrize("base, names, expression", ROWS)
def test_what_is_asked_and_answered(base, names, expression, made, module):
    asked = []
    space = {"Derived": derived(base, names, asked, module), "values": VALUES[base]}
    text = "def answer(a, x):\n    import operator\n"
    text += "    a = Derived(*values)\n" if made == "inside" else ""
    exec(
        f"{text}    try:\n        return ({expression},), x + 1\n"
        "    except TypeError as error:\n        return str(error), x + 1\n",
        space,
    )
    answer, results = space["answer"], []
    with config.patch(strict=True):
        for function in (answer, dl.compile(answer, backend="eager")):
            for _ in range(2):
                asked.clear()
                found, array = function(space["Derived"](*VALUES[base]), X)
                results.append((repr(found), asked[:], array.tolist()))
    assert results == results[:1] * 4
