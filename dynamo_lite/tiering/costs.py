"""What compiling takes: seconds of CPU time that are reckoned with before anything is compiled.

All were measured with `time.process_time`, kernels not yet on disk, on a machine on which a program
has started after `START`. How fast another one is, is known by how long a program took to start
there: nothing else of the compiler has run by then.
"""
from __future__ import annotations

from ..base.config import config
from ..base.records import dataclass

START, PACES = 0.25, (0.3, 1.0)
"""From the beginning of a process to the first line of its program, with NumPy and whole-script
mode; and between which bounds what compiling takes here is in what it took there."""
LOADING = {True: 0.2, False: 1.6}
"""What code has to be worth for the compiler to be loaded: where compiling paid in an earlier run,
so that there are entries on disk, which a small part of the compiler reads; and other code. Loading
all of it and the first analysis take 0.25, and half of all code turns out to be not worth it."""
GENERATOR = 0.25
"""Loading the code generator, and what it does for the first time: the first graph of a process,
but for its operations."""
ANALYSIS = 0.15
"""An analysis of code of which nothing is on disk, if it is one of the first of a process: later
ones take half of that. It is not given up before, however little the code ran: that would be lost.
"""
OPERATION = 0.005
"""Lowering one more operation, in graphs of 6 to 120 elementwise operations."""
OPERATIONS = 0.3
"""Operations in the graph of code that works on arrays alone, for each of its instructions."""
PAYBACK = 2.0
"""How long code has to have run at least, in what lowering its graph is going to take."""
INSTRUCTION = {True: 0.0005, False: 0.002}
"""Analysing and lowering one more instruction of code that works on arrays alone, with those of the
code that it calls; and of other code, of which nothing is known but how many it has itself."""
ENTERING = 0.4e-6
"""A call of a graph, on its way in and out."""
MOST_WAITED = 40.0
"""What is lost or loaded counts at most so many times what other code waits for."""


@dataclass(slots=True, eq=False)
class Costs:
    """What compiling takes in this process."""

    pace: float = 1.0
    """In what the constants say."""
    is_loaded: bool = True
    """Whether the compiler is there."""
    reads_entries: bool = True
    """Whether the part of it is there that reads entries on disk."""
    has_generator: bool = True
    """And its code generator."""

    def loading(self, *, pays: bool, plain: int = 0) -> float:
        """Loading the compiler, if it is not there: for code for which compiling has paid in an
        earlier run, or other code; for `plain` instructions that work on arrays alone, which all
        but surely make a graph, at most what that is worth."""
        seconds = LOADING[pays]
        if plain:
            graph = GENERATOR + OPERATION * OPERATIONS * plain
            seconds = min(seconds, LOADING[True] + PAYBACK * graph)
        is_there = self.is_loaded or (pays and self.reads_entries)
        return 0.0 if is_there else self._at_most(seconds)

    def generator(self) -> float:
        """The same of its code generator."""
        return 0.0 if self.has_generator else self._at_most(GENERATOR)

    def _at_most(self, seconds: float) -> float:
        return min(self.pace * seconds, MOST_WAITED * config.warm_seconds)

    def analysis(self) -> float:
        return self.pace * ANALYSIS

    def lowering(self, operations: int) -> float:
        """What the backend does with a graph of so many operations."""
        return self.pace * OPERATION * operations

    def graph(self, instructions: int, *, is_plain: bool) -> float:
        """All that is done for the graph of so many instructions."""
        return self.pace * (ANALYSIS / 2 + INSTRUCTION[is_plain] * instructions)

    def first_graph(self) -> float:
        """What it takes more for the first one of a process."""
        return self.pace * (ANALYSIS / 2 + GENERATOR)


def pace_of(started: float) -> float:
    """What compiling takes on this machine, in what the constants say, by the seconds of CPU time
    in which the program has started."""
    least, most = PACES
    return min(max(started / START, least), most)
