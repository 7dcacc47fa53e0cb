"""Validity cells follow dictionaries and types, also past their end."""
import gc
import sys
import threading
import weakref

import pytest

from dynamo_lite.native import GuardProgram, WatchCell, watch_dict, watch_type


class Value:
    pass


def test_a_cell_follows_one_key():
    value = Value()
    d = {"a": value, "b": 1}
    cell = watch_dict(d, "a")
    assert isinstance(cell, WatchCell) and cell.valid
    program = GuardProgram(0, (("FLAG", cell),))
    d["b"] = 2
    d["c"] = 3
    del d["b"]
    d["a"] = value
    assert cell.valid and program.check(()) == -1
    d["a"] = Value()
    assert not cell.valid and program.check(()) == 0
    d["a"] = value
    assert cell.valid and program.check(()) == -1


CHANGES = [
    lambda d: d.__setitem__("a", 2), lambda d: d.pop("a"), lambda d: d.__delitem__("a"),
    lambda d: d.clear(), lambda d: d.update(a=2), lambda d: d.__ior__({"a": 2}),
    lambda d: d.popitem(), lambda d: exec("a = 2", d), lambda d: d.update({"b": 1, "a": 3}),
]


@pytest.mark.parametrize("change", CHANGES)
def test_every_way_to_change_a_value(change):
    d = {"a": Value()}
    cell = watch_dict(d, "a")
    change(d)
    assert not cell.valid


def test_a_key_that_is_missing_must_stay_missing():
    d = {}
    cell = watch_dict(d, "a")
    d["b"] = 1
    assert cell.valid
    d["a"] = 1
    assert not cell.valid
    del d["a"]
    assert cell.valid


def test_many_cells_over_one_dictionary():
    d = {str(i): Value() for i in range(100)}
    cells = [watch_dict(d, str(i)) for i in range(100)]
    twice = watch_dict(d, "7")
    d["7"] = None
    assert [i for i, cell in enumerate(cells) if not cell.valid] == [7] and not twice.valid
    del cells[:50]
    d["60"] = None
    assert [cell.valid for cell in cells].count(False) == 1 and not twice.valid


def test_keys_of_any_kind():
    class Key:
        def __hash__(self):
            return hash("a")

        def __eq__(self, other):
            return other == "a"

    d = {"a": 1, 3: Value(), (1, 2): 2}
    number, pair, odd = watch_dict(d, 3), watch_dict(d, (1, 2)), watch_dict(d, Key())
    assert number.valid and pair.valid and odd.valid
    d[3], d["a"] = None, None
    assert not number.valid and pair.valid and not odd.valid


@pytest.mark.parametrize("bad", [([], "a"), ({}, []), ({},), ({}, "a", 1)])
def test_bad_arguments(bad):
    with pytest.raises(TypeError):
        watch_dict(*bad)


def test_globals_of_a_function():
    namespace = {}
    exec("x = 1\ndef store(v):\n    global x\n    x = v", namespace)
    cell = watch_dict(namespace, "x")
    namespace["store"](1)
    assert cell.valid
    namespace["store"](2)
    assert not cell.valid


def test_types():
    class Base:
        x = 1

    class Derived(Base):
        pass

    def fresh():
        return watch_type(Derived)

    cell = fresh()
    Derived().y = 1
    assert cell.valid and Derived().x == 1 and cell.valid
    Base.x = 2
    assert not cell.valid
    changes = [
        lambda: setattr(Derived, "z", 1), lambda: delattr(Derived, "z"),
        lambda: setattr(Base, "method", lambda self: 0),
        lambda: setattr(Derived, "__bases__", (Value, Base)),
    ]
    for change in changes:
        cell = fresh()
        assert cell.valid
        change()
        assert not cell.valid


def test_builtin_types_never_change():
    cells = [watch_type(t) for t in (int, list, object, type)]
    assert all(cell.valid for cell in cells)
    with pytest.raises(TypeError):
        watch_type(3)


def test_cells_outlive_and_release_what_they_watch():
    class Local:
        pass

    d = {"a": Value()}
    gone = weakref.ref(d["a"]), weakref.ref(Local)
    cells = [watch_dict(d, "a"), watch_type(Local)]
    del d, Local
    gc.collect()
    assert cells[0].valid
    cells.clear()
    gc.collect()
    assert gone[0]() is None and gone[1]() is None


def test_cycles_through_a_cell_are_collected():
    d = {"a": Value()}
    gone = weakref.ref(d["a"])
    d["cell"] = watch_dict(d, "a")
    d["value"] = watch_dict(d, "cell")
    del d
    gc.collect()
    assert gone() is None


def test_cells_do_not_leak_references():
    d, value = {}, Value()
    d["a"] = value
    before = sys.getrefcount(d), sys.getrefcount(value), sys.getrefcount(Value)
    for _ in range(50):
        watch_dict(d, "a"), watch_type(Value)
        cell = watch_dict(d, "a")
        d["a"] = None
        assert not cell.valid
        d["a"] = value
        assert cell.valid
    del cell
    assert (sys.getrefcount(d), sys.getrefcount(value), sys.getrefcount(Value)) == before


def test_watching_from_threads():
    d = {str(i): i for i in range(20)}
    wrong = []

    def work(mine):
        for i in range(300):
            cell = watch_dict(d, mine)
            if not cell.valid:
                wrong.append(mine)
            d[mine] = Value()
            if cell.valid:
                wrong.append(mine)

    threads = [threading.Thread(target=work, args=(str(i),)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not wrong
