"""Rows of reductions and scans. `fold` names the fold of the loop IR."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..row import Kind, complete, made, op
from ..rules import reductions as rules
from ..types import ArrayType

SUM = rules.fold_rule(rules.accumulator)
WITH_DTYPE = {"takes": ("axis", "dtype", "out", "keepdims", "initial", "where")}
"""The order of the arguments of `np.sum` and the like, after the array."""
WITHOUT_DTYPE = {"takes": ("axis", "out", "keepdims", "initial", "where")}
FIRST_AXIS = {**WITH_DTYPE, "default_axis": 0}
"""Methods of ufuncs fold axis 0 unless told otherwise."""

op(np.sum, Kind.REDUCTION, infer=SUM, fold="add", flags=True, lowering="fold", using=WITH_DTYPE,
   folds=np.add, sequences="numbers", method="sum", vjp=("arrays.summed",), bfloat16="folded")
op(np.prod, Kind.REDUCTION, infer=SUM, fold="multiply", flags=True, lowering="fold",
   using=WITH_DTYPE, folds=np.multiply, sequences="numbers", method="prod",
   vjp=("arrays.multiplied",), bfloat16="folded")
EXTREMUM = rules.fold_rule_without_dtype(rules.same_dtype, identity=False)
op(np.max, Kind.REDUCTION, infer=EXTREMUM, fold="maximum", lowering="fold", using=WITHOUT_DTYPE,
   folds=np.maximum, sequences="numbers", method="max", vjp=("arrays.extremum",),
   bfloat16="folded")
op(np.min, Kind.REDUCTION, infer=EXTREMUM, fold="minimum", lowering="fold", using=WITHOUT_DTYPE,
   folds=np.minimum, sequences="numbers", method="min", vjp=("arrays.extremum",),
   bfloat16="folded")
op(np.amax, Kind.REDUCTION, infer=EXTREMUM, fold="maximum", lowering="fold", using=WITHOUT_DTYPE,
   vjp=("arrays.extremum",), bfloat16="folded")
op(np.amin, Kind.REDUCTION, infer=EXTREMUM, fold="minimum", lowering="fold", using=WITHOUT_DTYPE,
   vjp=("arrays.extremum",), bfloat16="folded")
TRUTH = rules.fold_rule_without_dtype(rules.boolean)
op(np.any, Kind.REDUCTION, infer=TRUTH, fold="logical_or", lowering="fold", using=WITHOUT_DTYPE,
   folds=np.logical_or, sequences="items", method="any", adapts="second_dtype")
op(np.all, Kind.REDUCTION, infer=TRUTH, fold="logical_and", lowering="fold", using=WITHOUT_DTYPE,
   folds=np.logical_and, sequences="items", method="all", adapts="second_dtype")
op(np.argmax, Kind.REDUCTION, fold="argmax", infer=rules.arg_rule, lowering="arg_extremum",
   sequences="numbers", method="argmax", preference="of_an_extremum", bfloat16="folded")
op(np.argmin, Kind.REDUCTION, fold="argmin", infer=rules.arg_rule, lowering="arg_extremum",
   sequences="numbers", method="argmin", preference="of_an_extremum", bfloat16="folded")
op(np.cumsum, Kind.SCAN, fold="add", infer=rules.scan_rule, flags=True, lowering="scan",
   folds=np.add, sequences="numbers", method="cumsum", vjp=("arrays.running",))
op(np.cumprod, Kind.SCAN, fold="multiply", infer=rules.scan_rule, flags=True, lowering="scan",
   folds=np.multiply, method="cumprod", vjp=("arrays.running_product",))

op(np.add.reduce, Kind.REDUCTION, name="add.reduce", fold="add", flags=True, lowering="fold",
   using=FIRST_AXIS, infer=rules.fold_rule(rules.accumulator, default_axis=0),
   vjp=(made("arrays.from_first_axis", "arrays.summed"),))
op(np.multiply.reduce, Kind.REDUCTION, name="multiply.reduce", fold="multiply", flags=True,
   lowering="fold", using=FIRST_AXIS, infer=rules.fold_rule(rules.accumulator, default_axis=0),
   vjp=(made("arrays.from_first_axis", "arrays.multiplied"),))
_FOLDS: tuple[tuple[np.ufunc, Callable[..., ArrayType]], ...] = (
    (np.maximum, rules.fold_rule(rules.same_dtype, identity=False, default_axis=0)),
    (np.minimum, rules.fold_rule(rules.same_dtype, identity=False, default_axis=0)),
    (np.logical_and, rules.fold_rule(rules.boolean, default_axis=0, retypes=False)),
    (np.logical_or, rules.fold_rule(rules.boolean, default_axis=0, retypes=False)),
    (np.bitwise_and,
     rules.fold_rule(rules.same_dtype, default_axis=0, accepts="biu", retypes=False)),
    (np.bitwise_or,
     rules.fold_rule(rules.same_dtype, default_axis=0, accepts="biu", retypes=False)),
)
for _ufunc, _rule in _FOLDS:
    op(_ufunc.reduce, Kind.REDUCTION, name=f"{_ufunc.__name__}.reduce", fold=_ufunc.__name__,
       lowering="fold", using=FIRST_AXIS, infer=_rule)
for _ufunc in (np.maximum, np.minimum):
    complete(_ufunc.reduce, vjp=(made("arrays.from_first_axis", "arrays.extremum"),))
