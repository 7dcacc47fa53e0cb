"""Rows of linear systems with factors, which derivatives make."""
from __future__ import annotations

from .. import factors
from ..row import Kind, op
from ..rules import factors as rules

for _target, _rule in (
    (factors.solved, rules.solved), (factors.solved_again, rules.solved_again),
    (factors.divided, rules.divided),
):
    op(_target, Kind.EXTERN, infer=_rule, flags=True)
