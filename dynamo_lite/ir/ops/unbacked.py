"""Rows of functions whose results have sizes, or are ints, that depend on data."""
from __future__ import annotations

import numpy as np

from .. import core
from ..row import ROWS, Kind, complete, op
from ..rules import unbacked as rules

op(np.nonzero, Kind.EXTERN, infer=rules.nonzero_rule, lowering="nonzero", method="nonzero",
   blocks="positions", binds="lengths")
op(np.argwhere, Kind.EXTERN, infer=rules.argwhere_rule)
op(np.unique, Kind.EXTERN, infer=rules.unique_rule, sequences="numbers")
op(np.bincount, Kind.EXTERN, infer=rules.bincount_rule, blocks="bincount",
   vjp=(None, "arrays.weights_of_counts"))
for _target, _takes_first in (
    (np.union1d, False), (np.intersect1d, False), (np.setxor1d, False), (np.setdiff1d, True),
):
    op(_target, Kind.EXTERN, infer=rules.set_rule(_target.__name__, _takes_first))
complete(np.repeat, infer=rules.repeat_rule(ROWS[np.repeat].infer))  # type: ignore[arg-type]

op(core.length, Kind.STRUCTURE, infer=rules.length_rule, lowering="length", blocks="counted")
op(core.plain, Kind.STRUCTURE, infer=rules.plain_rule, lowering="conversion", vjp=("arrays.same",))
op(core.within, Kind.STRUCTURE, infer=rules.within_rule, lowering="within", binds="ints")
op(core.position, Kind.STRUCTURE, infer=rules.position_rule, checks=("any",), lowering="position",
   binds="ints")
op(core.between, Kind.STRUCTURE, infer=rules.between_rule, lowering="between", binds="ints")
op(core.fitting, Kind.STRUCTURE, infer=rules.fitting_rule, checks=("any",), lowering="fitting")
op(core.expect, Kind.STRUCTURE, infer=rules.expect_rule, checks=("any",), lowering="expect")
op(int, Kind.STRUCTURE, infer=rules.int_rule, checks=("any",), lowering="conversion",
   using={"checked": True})
op(float, Kind.STRUCTURE, infer=rules.number_rule(float, "biuf"), lowering="conversion",
   vjp=("arrays.same",))
op(complex, Kind.STRUCTURE, infer=rules.complex_rule, lowering="complex_number",
   vjp=("arrays.same",))
op(bool, Kind.STRUCTURE, infer=rules.number_rule(bool, "biufc"), lowering="conversion")
