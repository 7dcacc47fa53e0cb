"""Steps that depend on data, as lines of a launch plan: sizes, masks, loops and branches."""
from __future__ import annotations

from ...loop_ir.program import Bind, Branch, Count, Deposit, Extract, LogUndo, Loop, Rotate
from .plan_text import PlanText, array_name, pointer_name, tuple_text


class DataSteps(PlanText):
    """Loops and branches are Python's."""

    def bind(self, step: Bind) -> None:
        self.line(f"{step.symbol} = int({array_name(step.buffer)})")

    def count(self, step: Count) -> None:
        places = array_name(step.starts)
        self.line(f"{places} = selections.count({array_name(step.mask)}, {step.n})")
        if step.symbol is not None:
            self.line(f"{step.symbol} = len({places})")

    def extract(self, step: Extract) -> None:
        out, places = array_name(step.out), array_name(step.count.starts)
        if step.source is None:
            self.line(f"selections.locate({out}, {places}, {tuple_text(step.shape)})")
        else:
            source = array_name(step.source)
            self.line(f"selections.extract({out}, {places}, {source}, {step.offset}, "
                      f"{step.stride}, {step.count.n})")

    def deposit(self, step: Deposit) -> None:
        names = ", ".join(map(array_name, (step.out, step.count.starts, step.source)))
        self.line(f"selections.deposit({names}, {step.start}, {step.step}, {step.offset}, "
                  f"{step.stride}, {step.count.n})")

    def log_undo(self, step: LogUndo) -> None:
        base, kind = array_name(step.buffer), step.type
        if step.positions is not None:
            kept = f"kept_at({base}, {step.offset}, {array_name(step.positions)})"
        else:
            kept = (f"kept(view({base}, {step.offset}, {tuple_text(kind.shape)}, "
                    f"{self.constant(kind.dtype)}, {tuple_text(kind.strides)}))")
        self.line(f"log.append(selections.{kept})")

    def loop(self, step: Loop) -> None:
        self.loops += 1
        with self.block(f"while {array_name(step.proceed)}:"):
            for inner in step.steps:
                self.step(inner)
        self.loops -= 1

    def branch(self, step: Branch) -> None:
        for header, block in ((f"if {array_name(step.test)}:", step.true), ("else:", step.false)):
            with self.block(header):
                for inner in block:
                    self.step(inner)

    def rotate(self, step: Rotate) -> None:
        for prefix in (array_name, pointer_name):
            into, taken = (", ".join(map(prefix, side)) for side in (step.into, step.taken))
            self.line(f"{into} = {taken}")
