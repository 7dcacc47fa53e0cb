"""Generators in every use, iterators, comprehensions, loops over what changes."""
# ruff: noqa
import itertools

import numpy as np

from .programs import V, X, program


def countdown(n):
    while n: yield n; n -= 1
    return "done"


@program(X)
def consumed_by_everything(x): return x, list(countdown(3)), tuple(countdown(2)), set(countdown(2)), dict(zip("ab", countdown(2))), sum(countdown(4)), max(countdown(3)), sorted(countdown(3)), "".join(map(str, countdown(3))), any(n > 2 for n in countdown(3)), all(countdown(2)), 2 in countdown(3)


@program(X)
def star_of_generator(x):
    first, *rest = countdown(4)
    return x, first, rest, [*countdown(2)], max(*countdown(3))


@program(X)
def return_value_of_generator(x):
    def outer(): log.append((yield from countdown(2)))
    log = []
    return x, list(outer()), log


@program(X)
def stop_value_by_next(x):
    g = countdown(1)
    next(g)
    try: next(g)
    except StopIteration as stop: first = stop.value
    try: next(g)
    except StopIteration as stop: return x, first, stop.value, next(g, "default")


@program(X)
def running_mean(x):
    def mean():
        total, count, value = 0.0, 0, None
        while True:
            value = yield value
            total, count = total + value, count + 1
            value = total / count
    m = mean()
    next(m)
    return [m.send(row) for row in x]


@program(X)
def throw_and_go_on(x):
    def resilient():
        n = 0
        while n < 5:
            try:
                n += 1
                yield n
            except ValueError as error: log.append(str(error))
    log = []
    g = resilient()
    out = [next(g), g.throw(ValueError("oops")), next(g)]
    return x, out, log


@program(X)
def throw_uncaught(x):
    g = countdown(3)
    next(g)
    try: g.throw(KeyError("k"))
    except KeyError as error: text = str(error)
    return x, text, list(g)


@program(X)
def throw_before_start(x):
    g = countdown(3)
    try: g.throw(KeyError("early"))
    except KeyError as error: return x, repr(error), list(g)


@program(X)
def close_runs_finally(x):
    log = []
    def g():
        try:
            yield 1
            yield 2
        except GeneratorExit: log.append("exit"); raise
        finally: log.append("finally")
    h = g()
    next(h)
    h.close()
    h.close()
    return x, log, list(h)


@program(X)
def close_ignored(x):
    def stubborn():
        while True:
            try: yield 1
            except GeneratorExit: pass
            if closed: return
    closed = []
    g = stubborn()
    next(g)
    try: g.close()
    except RuntimeError as error: text = str(error)
    closed.append(1)
    g.close()
    return x, text


@program(X)
def send_to_unstarted(x):
    g = countdown(2)
    try: g.send(5)
    except TypeError as error: return x, str(error), next(g)


@program(X)
def stop_iteration_inside(x):
    def bad():
        yield 1
        raise StopIteration(2)
    try: list(bad())
    except RuntimeError as error: return x, str(error), repr(error.__cause__)


@program(X)
def next_inside_generator(x):
    def pairs(items):
        it = iter(items)
        for a in it: yield a, next(it)
    try: return x, list(pairs([1, 2, 3]))
    except RuntimeError as error: return x, str(error), list(pairs("abcd"))


@program(X)
def delegation_with_send(x):
    def inner():
        got = yield "ready"
        while got is not None: got = yield got * 2
        return "end"
    def outer(): log.append((yield from inner()))
    log = []
    g = outer()
    out = [next(g), g.send(x), g.send(3)]
    try: g.send(None)
    except StopIteration: pass
    return out, log


@program(X)
def delegation_with_throw(x):
    def inner():
        try: yield 1
        except KeyError: yield "handled"
    def outer(): yield from inner()
    g = outer()
    next(g)
    return x, g.throw(KeyError), list(g)


@program(X)
def delegation_to_containers(x):
    def chain(*many):
        for each in many: yield from each
    return x, list(chain([1], (2,), "ab", range(2), {"k": 1}, {5}))


@program(X)
def flatten(x):
    def flat(tree):
        for item in tree:
            if isinstance(item, list): yield from flat(item)
            else: yield item
    return list(flat([x, [x * 2, [1, [2]]], 3]))


@program(X)
def generator_pipeline(x):
    def squares(it):
        for v in it: yield v * v
    def big(it, n): return (v for v in it if v > n)
    return x * sum(big(squares(range(6)), 5))


@program(X)
def infinite_with_islice(x):
    def naturals():
        n = 0
        while True: yield n; n += 1
    return [x * n for n in itertools.islice(naturals(), 1, 6, 2)], list(itertools.takewhile(lambda n: n < 3, naturals()))


@program(X)
def zip_of_generators(x): return [(a, b) for a, b in zip(countdown(3), (row.sum() for row in x))], list(enumerate(countdown(2), 5))


@program(X)
def generator_argument_order(x):
    log = []
    def source(name, n):
        for i in range(n): log.append(name + str(i)); yield i
    list(zip(source("a", 2), source("b", 3)))
    return x, log


@program(X)
def generator_facts(x):
    g = countdown(1)
    return x, g.__name__, g.__qualname__, iter(g) is g, type(g).__name__


@program(X)
def early_exit_from_generator(x):
    for n in countdown(5):
        if n == 3: break
    return x * n


@program(X)
def generator_in_class(x):
    class Tree:
        def __init__(self, value, *children): self.value, self.children = value, children
        def __iter__(self):
            yield self.value
            for child in self.children: yield from child
    return x * sum(Tree(1, Tree(2), Tree(3, Tree(4)))), list(Tree("r", Tree("s")))


@program(X)
def escaping_generator(x):
    def rows():
        for i in range(2): yield x[i] * 2
    return sum(rows()), x


@program(X)
def returned_generator(x):
    g = countdown(3)
    next(g)
    return x * 2, list_of(g)[0]


def list_of(g): return [list(g)]


@program(X)
def getitem_iteration(x):
    class Letters:
        def __getitem__(self, i): return "abc"[i]
    return x, list(Letters()), [c for c in Letters()], "b" in Letters()


@program(X)
def reversed_protocols(x):
    class Pair:
        def __len__(self): return 2
        def __getitem__(self, i): return ("p", "q")[i]
    class Own:
        def __reversed__(self): return iter("zy")
    return x, list(reversed(Pair())), list(reversed(Own())), list(reversed(range(3))), list(reversed({"a": 1, "b": 2}))


@program(X)
def iterator_protocol_errors(x):
    class Bad:
        def __iter__(self): return 3
    texts = []
    for attempt in (lambda: list(Bad()), lambda: next([1]), lambda: iter(5), lambda: [1 for _ in None], lambda: zip(1), lambda: (lambda *a: a)(*None)):
        try: attempt()
        except TypeError as error: texts.append(str(error))
    return x, texts


@program(X)
def iter_with_sentinel(x):
    items = [1, 2, 0, 3]
    return x, list(iter(items.pop, 0)), items


@program(X)
def list_grows_while_iterated(x):
    items = [1, 2, 3]
    for item in items:
        if item < 3: items.append(item + 2)
        if len(items) > 8: break
    return x, items


@program(X)
def list_shrinks_while_iterated(x):
    items = [1, 2, 3, 4]
    for item in items: items.remove(item)
    return x, items


@program(X)
def dict_changes_while_iterated(x):
    texts = []
    d = {"a": 1, "b": 2}
    try:
        for k in d: d[k + "x"] = 0
    except RuntimeError as error: texts.append(str(error))
    s = {1, 2}
    try:
        for k in s: s.add(k + 10)
    except RuntimeError as error: texts.append(str(error))
    try:
        for k in d.items(): del d["a"]
    except RuntimeError as error: texts.append(str(error))
    return x, texts, sorted(d)


@program(X)
def dict_values_replaced_while_iterated(x):
    d = {"a": 1, "b": 2}
    for k in d: d[k] = d[k] * 10
    for k in list(d): del d[k]; d[k.upper()] = 0
    return x, d


@program(X)
def comprehension_kinds(x): return [i for i in range(3)], {i % 2 for i in range(4)}, {i: i * i for i in range(3)}, tuple(i for i in range(2)), [[j for j in range(i)] for i in range(3)], [(i, j) for i in range(2) for j in "ab" if i or j == "b"], x


@program(X)
def comprehension_closure(x):
    k = 2
    return [(lambda v: v * k + i)(x) for i in range(2)], [f() for f in [lambda i=i: i for i in range(2)]]


@program(X)
def comprehension_walrus_total(x):
    total = 0
    partial = [total := total + i for i in range(4)]
    return x, partial, total


@program(X)
def comprehension_raises(x):
    i = "kept"
    try: [1 // i for i in (1, 0)]
    except ZeroDivisionError: return x, i


@program(X)
def comprehension_shadowing(x):
    x1 = [x for x in range(3)]
    def f(): return [x for _ in range(1)]
    return x, x1, f()


@program(X)
def dict_of_rows(x): return {i: row * 2 for i, row in enumerate(x)}, {name: f(x) for name, f in {"s": np.sum, "m": np.mean}.items()}


@program(X)
def nested_break_continue_else(x):
    log = []
    for i in range(4):
        for j in range(4):
            if j == 2: continue
            if i * j == 3: break
            log.append((i, j))
        else:
            log.append("no break")
            continue
        break
    else: log.append("never")
    return x, log


@program(X)
def while_with_everything(x):
    n, log = 6, []
    while n:
        n -= 1
        if n == 4: continue
        if n == 1: break
        log.append(n)
    else: log.append("never")
    while n < 0: pass
    else: log.append("else")
    return x, log


@program(X)
def loop_variable_after(x):
    for i, row in enumerate(x): pass
    for never in []: pass
    try: never
    except UnboundLocalError as error: return i, row, str(error)


@program(X)
def enumerate_zip_reversed(x): return [(i, a, b) for i, (a, b) in enumerate(zip(x, reversed(x)), start=1)]


@program(X)
def range_as_value(x):
    r = range(2, 11, 3)
    return x, r[1], r[-1], r[::2], len(r), 5 in r, r.index(8), r == range(2, 12, 3), list(r[1:]), r.start, r.stop, r.step


@program(X, [1, 2])
def list_extended_by_its_reader(x, l):
    def last():
        for _ in range(3): yield l[-1] + len(l)
    l.extend(last())
    l += (v * 2 for v in [l[-1], len(l)])
    try: l.extend(1 // v for v in (1, 0))
    except ZeroDivisionError: return x, l


@program(X)
def dict_updated_by_its_reader(x):
    d = {"a": 1}
    d.update((k, len(d)) for k in "bcd")
    return x, d


@program(X)
def callable_iterators(x):
    calls = []

    def asked(stop):
        def ask():
            calls.append(stop)
            if len(calls) % 3 == 0:
                if stop: raise StopIteration("early")
                return "end"
            return len(calls)
        return ask

    found = []
    for stop in (False, True):
        it = iter(asked(stop), "end")
        found.append((list(it), next(it, None), next(it, None)))
    return x * 2, found, calls
