"""Whether compiled code is worth entering again behind the side exits of a loop."""
from __future__ import annotations

from ..base.records import dataclass

CROSSING = 2_000.0
"""Nanoseconds for leaving a loop by a side exit, and entering it again behind what Python did."""
CREDIT = 20 * CROSSING
"""Nanoseconds that may be lost before Python goes on, and that are counted at most."""
AT_ONCE = 1_000
"""Iterations that Python runs where it goes on behind an exit: entering compiled code again takes
a hundredth of their time, and the loop is soon native where it is not left so often any more."""
LONGEST = 64
"""Exits behind which Python goes on before another attempt."""


@dataclass(slots=True)
class Balance:
    """The account of a loop. Where too much is lost, Python goes on behind the next exits, of which
    there are twice as many each time, up to one behind a run that was worth it; a run without an
    exit is never refused."""

    credit: float = 0.0
    waiting: int = 0
    pause: int = 1

    def pays(self, iterations: int, saves: float) -> bool:
        """Whether to go on in compiled form at an exit; `iterations` ran before, each of which
        `saves` nanoseconds."""
        if self.waiting and iterations * saves < CROSSING:
            self.waiting -= 1
            return False
        credit = self.credit + iterations * saves - CROSSING
        if credit > -CREDIT:
            self.waiting, self.credit = 0, credit if credit < CREDIT else CREDIT
            self.pause = 1 if credit > 0 else self.pause
            return True
        self.credit, self.waiting = -CREDIT / 2, self.pause - 1
        self.pause = min(2 * self.pause, LONGEST)
        return False

    def earned(self, iterations: int, saves: float) -> None:
        """The loop has come to its end."""
        self.credit = min(self.credit + iterations * saves, CREDIT)
        if self.credit > 0:
            self.pause = 1
