"""Objects that are kept until the end of the program are no matter of the garbage collector."""
import subprocess
import sys

import pytest

MADE_SINCE = """
before = Cycle()
first = _core._begin_keeping()
kept = Cycle()
count = gc.get_freeze_count()
_core._keep_since(first)
after = Cycle()
assert gc.get_freeze_count() > count
tracked = {id(each) for each in gc.get_objects()}
assert id(kept) not in tracked and {id(before), id(after)} <= tracked
alive = [weakref.ref(each) for each in (before, kept, after)]
del before, kept, after
gc.collect()
assert [each() is not None for each in alive] == [False, True, False]
alive[1]().itself = None
assert alive[1]() is None  # its last reference is as good as ever
"""
COLLECTED_SINCE = """
first = _core._begin_keeping()
made = Cycle()
gc.collect()
count = gc.get_freeze_count()
_core._keep_since(first)
assert gc.get_freeze_count() == count
alive = weakref.ref(made)
del made
gc.collect()
assert alive() is None
"""
NOTHING_MADE = """
first = _core._begin_keeping()
count = gc.get_freeze_count()
_core._keep_since(first)
assert gc.get_freeze_count() == count and any(each is first for each in gc.get_objects())
"""
NOTHING_FROZEN = """
gc.unfreeze()
assert _core._begin_keeping() is None
"""
OTHER_THREADS = """
go_on = threading.Event()
other = threading.Thread(target=go_on.wait)
first = _core._begin_keeping()
other.start()
assert _core._begin_keeping() is None
count = gc.get_freeze_count()
_core._keep_since(first)
assert gc.get_freeze_count() == count
go_on.set()
"""
BEGINNING = """
import gc, threading, weakref
from dynamo_lite.native import _core
class Cycle:
    def __init__(self):
        self.itself = self
gc.freeze()
gc.disable()
"""


@pytest.mark.parametrize("program", [
    MADE_SINCE, COLLECTED_SINCE, NOTHING_MADE, NOTHING_FROZEN, OTHER_THREADS])
def test_what_was_made_since_is_kept_where_nobody_else_has_made_or_collected_it(program):
    """In a process of its own, whose only thread this is."""
    done = subprocess.run([sys.executable, "-c", BEGINNING + program], text=True,
                          capture_output=True)
    assert not done.returncode, done.stderr
