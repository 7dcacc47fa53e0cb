"""A graph break before every single instruction: wherever a frame is split, it does the same."""
# ruff: noqa: RUF021, C416, UP031
import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.runtime import pipeline
from tests.oracle import differences, outcome_of_copy

X = np.arange(1.0, 5.0)
GLOBAL = 1


def straight(x):
    y = x * 2 + 1
    z = (y - x) / 3
    return np.maximum(y, z).sum(axis=0), z[1:]


def calls(x):
    y = np.clip(x, a_min=2, a_max=np.add(x, 1, out=x.copy()).max())
    return np.concatenate([y, x]).reshape(2, -1).T, max(len(y), 2)


def control(x, flag=True):
    if flag and x.shape[0] > 2 or x is None:
        y = x + 1 if x.ndim == 1 else x - 1
    else:
        y = -x
    return y if not flag else [y, (1 < len(x) <= 9)]


def loops(x):
    total, n = x * 0, 0
    for i in range(3):
        if i == 1:
            continue
        for y in (x, x + 1):
            total += y * i
            if n > 1:
                break
            n += 1
        else:
            total = total - 1
    while n < 4:
        n += 1
    return total, n


def containers(x):
    a, (b, *c) = x, (x + 1, 2, 3)
    table = {"a": a, **{"b": b}}
    table["c"] = [*c, a]
    del table["a"]
    both = {1, 2} | {len(c)}
    return table, both, [k for k in table if k != "b"], {k: v for k, v in table.items()}, c[::-1]


def closures(x, k=2):
    count = 0

    def bump(by=1, *, again=False):
        nonlocal count
        count += by
        return count * k if not again else bump(by)

    k = k + 1
    bump()
    first = bump(2, again=True)
    return first, count, (lambda y: y + k)(x), [bump(i) for i in range(2)]


def exceptions(x):
    seen = []
    try:
        seen.append(x + 1)
        try:
            seen.append(1)
            raise ValueError("inner")
        finally:
            seen.append("finally")
    except ValueError as error:
        seen.append(str(error))
        try:
            {}["nothing"]
        except KeyError:
            seen.append("key")
    else:
        seen.append("never")
    return seen


class Manager:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log.append("in")
        return self

    def __exit__(self, kind, value, trace):
        self.log.append(kind and kind.__name__)
        return kind is KeyError


def blocks(x):
    log = []
    with Manager(log) as a, Manager(log) as b:
        x = x + 1
        a.value = b
    with Manager(log):
        raise KeyError("swallowed")
    for i in range(2):
        with Manager(log):
            x = x * 2
            if i:
                continue
            log.append(i)
    return x, log


class Base:
    def scale(self, x):
        return x * 2


class Derived(Base):
    kept = None

    def __init__(self, w):
        self.w = w

    def scale(self, x):
        self.w = self.w + 1
        self.kept = [x]
        return super().scale(x) + self.w

    @property
    def doubled(self):
        return self.w * 2


def objects(x):
    model = Derived(x)
    y = model.scale(x) + model.doubled
    model.kept.append(y)
    other, model.kept[0] = model.w, None
    return y, other, model.kept, isinstance(model, Base), hasattr(model, "nothing")


def effects(x, log, table):
    global GLOBAL
    GLOBAL = GLOBAL + 1
    log.append(x + 1)
    table["x"] = x.shape
    x += 1
    log[0] = None
    x[0] = GLOBAL
    return len(log)


def text(x, name="n"):
    s = f"{name!r:>5}|{x.ndim:03d}|{x.shape}"
    return s.upper() + "%s" % name, s[1:3], name in s


def matching(x, what=(1, "b")):
    match what:
        case [int(n), str() as s] if n > 0:
            return x * n, s
        case {"k": v}:
            return v
        case _:
            return None


def augmented(x):
    y = x.copy()
    y += x
    y[1:] *= 2
    y[0] -= 1
    z = [1]
    z += [2]
    return y, z, (w := x + 1), w


def asserting(x):
    assert x.ndim == 1, "one dimension"
    y = x + 1
    assert y is not x
    return y


def many_arguments(x, /, a, *args, k=3, **kwargs):
    return x * k + sum(args), a, args, kwargs, sorted(kwargs)


def raising(x):
    y = x + 1
    if y.ndim == 1:
        raise ValueError(f"ndim {y.ndim}") from KeyError("cause")
    return y


CASES = [
    (straight, (X,)), (calls, (X,)), (control, (X,)), (control, (X, False)), (loops, (X,)),
    (containers, (X,)), (closures, (X,)), (exceptions, (X,)), (blocks, (X,)), (objects, (X,)),
    (effects, (X, [0], {})), (text, (X,)), (matching, (X,)), (matching, (X, {"k": 3})),
    (augmented, (X,)), (asserting, (X,)), (asserting, (X[None],)), (many_arguments, (X, 1, 2, 3)),
    (raising, (X,)),
]  # fmt: skip


@pytest.mark.parametrize("function, args", CASES,
                         ids=[f"{f.__name__}{number}" for number, (f, _) in enumerate(CASES)])
def test_split_anywhere(function, args, monkeypatch):
    global GLOBAL
    translate, stop = pipeline.translate, 0

    def stopping(traced, flat_args, options):
        is_root = traced.__code__.co_code == function.__code__.co_code
        trace = translate(traced, flat_args, options, stop if is_root else None)
        steps.append(trace.root_steps if is_root else 0)
        return trace

    monkeypatch.setattr(pipeline, "translate", stopping)
    GLOBAL = 1
    expected = outcome_of_copy(function, args)
    while True:
        steps = []
        compiled = dl.compile(function, backend="eager")
        for call in range(2):
            GLOBAL = 1
            found = outcome_of_copy(compiled, args)
            assert not differences(found, expected), (stop, call, dl.stats().break_reasons)
        if not steps or max(steps) < stop:
            break
        stop += 1
        dl.reset()
    assert stop > 5
