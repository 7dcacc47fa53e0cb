"""Our dataclasses behave like those of the standard library."""
import copy
import dataclasses
import gc
import pickle
import weakref

import pytest

from dynamo_lite.base.records import cached_property, dataclass, field
from dynamo_lite.native import record_methods


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: float = 0.0


@dataclass(frozen=True, slots=True)
class Named(Point):
    name: str = "origin"
    tags: tuple = field(default=())


@dataclass(slots=True)
class Bag:
    items: list = field(default_factory=list)
    total: int = field(init=False)

    def __post_init__(self):
        self.total = len(self.items)


@dataclass(frozen=True, slots=True, eq=False)
class Unique:
    value: int


@dataclass(eq=False, slots=True, weakref_slot=True)
class Watched:
    value: int


@dataclass
class Plain:
    value: int = 1


@dataclass(frozen=True, slots=True)
class OwnMethods:
    value: int

    def __repr__(self):
        return "mine"

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 7


@dataclass(frozen=True, slots=True)
class Nothing:
    pass


def test_fields_and_defaults():
    assert (Point(1).x, Point(1).y, Point(y=2.0, x=1).y) == (1, 0.0, 2.0)
    named = Named(1, 2.0, tags=("a",))
    assert (named.x, named.y, named.name, named.tags) == (1, 2.0, "origin", ("a",))
    assert [f.name for f in dataclasses.fields(Named)] == ["x", "y", "name", "tags"]
    assert Named.__match_args__ == ("x", "y", "name", "tags")


def test_wrong_arguments():
    for wrong in (
        lambda: Point(), lambda: Point(1, 2, 3), lambda: Point(1, z=2), lambda: Point(1, x=1),
        lambda: Point(y=1.0), lambda: Bag(total=1), lambda: Bag([], 1), lambda: Nothing(1),
    ):
        with pytest.raises(TypeError):
            wrong()


def test_slots():
    assert not hasattr(Point(1), "__dict__") and Named.__slots__ == ("name", "tags")
    assert Plain().__dict__ == {"value": 1}
    assert weakref.ref(watched := Watched(1))() is watched


def test_frozen():
    for statement in ("p.x = 2", "del p.x", "p.other = 1"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            exec(statement, {"p": Point(1)})
    bag = Bag([1])
    bag.items = []
    assert bag.items == []


def test_equality_and_hash():
    assert Point(1, 2.0) == Point(1, 2.0) != Point(1, 3.0)
    assert Point(1) != Named(1) and Point(1) != (1, 0.0)
    assert hash(Point(1, 2.0)) == hash(Point(1, 2.0)) and len({Point(1), Point(1)}) == 1
    assert Unique(1) != Unique(1) and len({Unique(1), Unique(1)}) == 2
    assert Nothing() == Nothing() and hash(Nothing()) == hash(Nothing())
    with pytest.raises(TypeError):
        hash(Bag())
    nan = float("nan")
    assert Point(nan) == Point(nan)
    assert Point(nan) != Point(float("nan"))


def test_own_methods_are_kept():
    assert repr(OwnMethods(1)) == "mine" and OwnMethods(1) == 5 and hash(OwnMethods(1)) == 7


def test_representation():
    assert repr(Named(1)) == "Named(x=1, y=0.0, name='origin', tags=())"
    bag = Bag()
    bag.items.append(bag)
    assert "..." in repr(bag)


def test_made_after_init():
    assert Bag([1, 2]).total == 2
    assert Bag().items is not Bag().items


def test_replace_and_copies():
    changed = dataclasses.replace(Named(1), name="b")
    assert changed == Named(1, name="b")
    assert copy.copy(changed) == copy.deepcopy(changed) == pickle.loads(pickle.dumps(changed))
    assert dataclasses.is_dataclass(Point)


def test_match():
    match Point(1, 2.0):
        case Point(x, y):
            assert (x, y) == (1, 2.0)


@dataclass(frozen=True, slots=True)
class Counted:
    value: int
    calls: list = field(default_factory=list)

    @cached_property
    def square(self):
        """The value times itself."""
        self.calls.append(self.value)
        return self.value ** 2


def test_what_is_kept_is_computed_once_and_is_no_field():
    one = Counted(3)
    assert one.square == one.square == 9 and one.calls == [3]
    assert one == Counted(3, [3]) and "9" not in repr(one)
    assert dataclasses.replace(one, value=4).square == 16
    assert pickle.loads(pickle.dumps(one)).square == 9
    with pytest.raises(AttributeError, match="no attribute 'cube'"):
        one.cube


def test_what_raises_is_not_kept():
    with pytest.raises(TypeError):
        Counted("a").square


def test_methods_take_instances_of_their_class_only():
    other = Watched(1)
    for wrong in (
        lambda: Point.__init__(other, 1), lambda: Point.__init__(), lambda: Point.__hash__(other),
        lambda: Point.__eq__(other, other), lambda: Point.__eq__(Point(1)), lambda: Point.__eq__(),
        lambda: record_methods(Point, (("x",),), None), lambda: record_methods(1, (), None),
    ):
        with pytest.raises(TypeError):
            wrong()
    named = Named(1)
    Point.__init__(named, 5)
    assert (named.x, named.name) == (5, "origin") and Point.__init__.__get__(named)(6) is None
    assert named.x == 6


def test_what_is_not_set_yet():
    empty = Point.__new__(Point)
    for use in (hash, lambda p: p == Point(1), lambda p: Point(1) == p):
        with pytest.raises(AttributeError):
            use(empty)


def test_what_fields_raise_is_raised():
    class Odd:
        def __eq__(self, other):
            raise ZeroDivisionError

    @dataclass(frozen=True, slots=True)
    class Made:
        value: object = field(default_factory=lambda: 1 / 0)

    for use in (lambda: Point(Odd()) == Point(1), Made):
        with pytest.raises(ZeroDivisionError):
            use()
    with pytest.raises(TypeError, match="unhashable"):
        hash(Point([]))


def test_classes_end():
    def make():
        @dataclass(slots=True)
        class Local:
            own: object = field(default_factory=lambda: Local)

        return weakref.ref(Local), Local().own is Local

    reference, is_made = make()
    gc.collect()
    assert is_made and reference() is None
