"""Random loops do what Python does: results, arguments, errors, warnings, who shares memory.

`fuzz.seeds` says which, and how to repeat those of a test.
"""
import signal

import pytest

import dynamo_lite as dl

from ..fuzz.seeds import chunks
from ..oracle import differences, outcome_of_copy
from .other_arguments import varied
from .random_bindings import BindingWriter
from .random_effects import EffectWriter
from .random_histories import HistoryWriter
from .random_integers import IntegerWriter
from .random_loops import (
    ConditionWriter,
    DequeWriter,
    HeapWriter,
    ListWriter,
    PrintingWriter,
    Writer,
    program,
)
from .random_made_lists import MadeListWriter
from .random_masks import MaskWriter
from .random_optional_numbers import OptionalWriter
from .random_outside_lists import OutsideListWriter
from .random_records import RecordWriter
from .random_replaced_lists import ReplacedListWriter
from .random_rows import RowsWriter
from .random_slices import SliceWriter
from .random_tables import TableWriter
from .random_texts import TextWriter


def problems(seed, backend, writer=Writer):
    function, text, arguments = program(seed, writer)
    expected = outcome_of_copy(function, arguments)
    compiled = dl.compile(function, backend=backend)
    for call in range(2):
        if wrong := differences(outcome_of_copy(compiled, arguments), expected):
            return f"seed {seed}, {backend}, call {call}\n{text}\n{wrong}"
    return None


def check(writer, backend, seeds):
    with dl.config.patch(strict=True, recompile_limit=64):
        for seed in seeds:
            if (found := problems(seed, backend, writer)) is not None:
                pytest.fail(found)
            dl.reset()


WRITERS = [
    Writer, ListWriter, PrintingWriter, SliceWriter, IntegerWriter, RecordWriter, HeapWriter,
    TextWriter, EffectWriter, TableWriter, RowsWriter, DequeWriter,
    MaskWriter, MadeListWriter, BindingWriter, OutsideListWriter,
    ReplacedListWriter, HistoryWriter, OptionalWriter,
]
CALLS = 12
"""With other arguments: more than there are variants of a function."""
LONGEST = 2
"""Seconds after which a program is taken to go on for ever: with other arguments some do."""


@pytest.mark.parametrize("seeds", chunks(20, 20, daily=160))
@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize("writer", WRITERS)
def test_random_loops(writer, backend, seeds):
    check(writer, backend, seeds)


class GoesOn(BaseException):
    """Raised into a program that takes too long."""


def go_on(*_):
    raise GoesOn


def ended(function, arguments):
    """Its outcome, or None where it goes on."""
    before = signal.signal(signal.SIGALRM, go_on)
    signal.alarm(LONGEST)
    try:
        return outcome_of_copy(function, arguments)
    except GoesOn:
        return None
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("seeds", chunks(2, 2, daily=20))
@pytest.mark.parametrize("writer", WRITERS)
def test_random_loops_called_with_other_arguments(writer, seeds):
    """Sizes become symbols, types change, and the last variant has to serve what is left."""
    for seed in seeds:
        function, text, arguments = program(seed, writer)
        compiled = dl.compile(function)
        for call in range(CALLS):
            others = varied(arguments, seed * CALLS + call) if call % 3 else arguments
            if (expected := ended(function, others)) is None:
                break
            found = outcome_of_copy(compiled, others)
            found.said[:] = [said for said in found.said if said[0] != "DynamoWarning"]
            wrong = differences(found, expected)
            assert not wrong, f"seed {seed}, call {call}\n{text}\n{others}\n{wrong}"
        dl.reset()


@pytest.mark.parametrize("seeds", chunks(40, 20, daily=40))
@pytest.mark.parametrize("backend", ["eager", "llvm"])
def test_random_conditions(backend, seeds):
    check(ConditionWriter, backend, seeds)


def test_arrays_that_many_branches_choose():
    """Its analysis looks at the arms of each branch once: it took longer than anybody waits."""
    with dl.config.patch(strict=True, recompile_limit=64):
        assert problems(1128166035, "llvm", BindingWriter) is None
