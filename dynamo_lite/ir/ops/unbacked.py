"""Rows of functions whose results have sizes, or are ints, that depend on data."""
from __future__ import annotations

from dataclasses import replace

import numpy as np

from .. import core
from ..row import ROWS, Kind, op
from ..rules import unbacked as rules

op(np.nonzero, Kind.EXTERN, infer=rules.nonzero_rule)
op(np.argwhere, Kind.EXTERN, infer=rules.argwhere_rule)
op(np.unique, Kind.EXTERN, infer=rules.unique_rule)
op(np.bincount, Kind.EXTERN, infer=rules.bincount_rule)
for _target, _takes_first in (
    (np.union1d, False), (np.intersect1d, False), (np.setxor1d, False), (np.setdiff1d, True),
):
    op(_target, Kind.EXTERN, infer=rules.set_rule(_target.__name__, _takes_first))
ROWS[np.repeat] = replace(ROWS[np.repeat], infer=rules.repeat_rule(ROWS[np.repeat].infer))  # type: ignore[arg-type]

op(core.length, Kind.STRUCTURE, infer=rules.length_rule)
op(core.plain, Kind.STRUCTURE, infer=rules.plain_rule)
op(core.within, Kind.STRUCTURE, infer=rules.within_rule)
op(core.expect, Kind.STRUCTURE, infer=rules.expect_rule, checks=("any",))
op(int, Kind.STRUCTURE, infer=rules.int_rule, checks=("any",))
op(float, Kind.STRUCTURE, infer=rules.number_rule(float, "biuf"))
op(complex, Kind.STRUCTURE, infer=rules.complex_rule)
op(bool, Kind.STRUCTURE, infer=rules.number_rule(bool, "biufc"))
