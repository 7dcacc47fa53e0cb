"""Rows of functions that are defined by other rows."""
from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..definitions import assembly, elementwise, statistics
from ..row import ROWS, Kind, complete, op
from ..rules.composite import composed
from ..rules.externs import tried
from ..rules.operators import scalar_operator
from . import pointwise as pointwise  # its rows are completed here


def _defined(
    target: Callable[..., Any], kind: Kind, definition: Callable[..., Any], may_warn: bool = False,
    **fields: Any,
) -> None:
    """A row that is its definition. Where that declines, NumPy is called; in Python's own code
    where that `may_warn` then. What `lowering` names is for what is left of these."""
    rule = composed(definition, None if may_warn else tried(target))
    op(target, kind, infer=rule, decompose=definition, flags=True, **fields)


_defined(np.mean, Kind.REDUCTION, statistics.mean, may_warn=True, lowering="mean",
         sequences="numbers", method="mean", bfloat16="folded", means="statistics.mean")
_defined(np.var, Kind.REDUCTION, statistics.var, may_warn=True, lowering="variance",
         sequences="numbers", method="var", adapts="without_correction", means="statistics.var",
         blocks="variance")
_defined(np.std, Kind.REDUCTION, statistics.std, may_warn=True, lowering="variance",
         using={"root": True}, sequences="numbers", method="std", adapts="without_correction",
         means="statistics.std", blocks="variance")
_defined(np.ptp, Kind.REDUCTION, statistics.ptp, lowering="ptp", sequences="items")
_defined(np.count_nonzero, Kind.REDUCTION, statistics.count_nonzero, lowering="count_nonzero",
         sequences="items")
_defined(np.linalg.norm, Kind.REDUCTION, statistics.norm, lowering="norm", sequences="items",
         means="norms.norm")

_defined(np.clip, Kind.POINTWISE, elementwise.clip, lowering="clip", method="clip",
         adapts="bounds", means="meanings.clip", means_first=True)
_defined(np.round, Kind.POINTWISE, elementwise.round_, method="round")
_defined(np.around, Kind.POINTWISE, elementwise.round_)
if np.lib.NumpyVersion(np.__version__) < "2.5.0":  # which warns in each call
    _defined(np.fix, Kind.POINTWISE, elementwise.fix)

_defined(np.diff, Kind.STRUCTURE, elementwise.diff, sequences="numbers", means="meanings.diff")
_defined(np.tril, Kind.STRUCTURE, elementwise.triangle(lower=True))
_defined(np.triu, Kind.STRUCTURE, elementwise.triangle(lower=False))
_defined(np.stack, Kind.STRUCTURE, assembly.stack, sequences="items", reads_late=True,
         bfloat16="moved", vjp=("arrays.stacked",), arrays_at=(0,))
_defined(np.vstack, Kind.STRUCTURE, assembly.vstack, sequences="items", bfloat16="moved",
         arrays_at=(0,), joins="rows")
_defined(np.hstack, Kind.STRUCTURE, assembly.hstack, sequences="items", bfloat16="moved",
         arrays_at=(0,), joins="columns")
_defined(np.column_stack, Kind.STRUCTURE, assembly.column_stack, sequences="items",
         arrays_at=(0,))
_defined(np.split, Kind.STRUCTURE, assembly.split, shares=True, bfloat16="moved")
_defined(np.array_split, Kind.STRUCTURE, assembly.array_split, shares=True, bfloat16="moved")
_defined(np.repeat, Kind.STRUCTURE, assembly.repeat, method="repeat", required=("repeats",),
         bfloat16="moved", means="meanings.repeat")
_defined(np.tile, Kind.STRUCTURE, assembly.tile, bfloat16="moved")
_defined(np.roll, Kind.STRUCTURE, assembly.roll, lowering="roll", bfloat16="moved",
         counts=True)
_defined(np.cross, Kind.STRUCTURE, assembly.cross, means="norms.cross")
_defined(np.block, Kind.STRUCTURE, assembly.block, means="meanings.block",
         arrays_at=(0,), nests=True)

# Ufuncs that are one multiplication: they keep their own type rule.
ANGLES: Mapping[np.ufunc, tuple[float, float]] = {
    np.deg2rad: (np.pi, 180.0), np.radians: (np.pi, 180.0),
    np.rad2deg: (180.0, np.pi), np.degrees: (180.0, np.pi),
}

for _ufunc, _ratio in ANGLES.items():
    complete(_ufunc, decompose=elementwise.scaled_angle(*_ratio), bfloat16=None,
             partials=(lambda out, a, ratio=_ratio: ratio[0] / ratio[1],))
complete(np.power, decompose=elementwise.power, lowering="power")
complete(np.square, decompose=elementwise.square)

# Python's operators, recorded for NumPy scalars, whose integer arithmetic warns about overflow.
# `fits` names the backend's check that no integer overflows.
def _operator(
    target: Callable[..., Any], ufunc: np.ufunc, fits: str = "", lowering: str = "arithmetic",
    **fields: Any,
) -> None:
    definition = scalar_operator(ufunc)
    using = {"ufunc": ufunc, "fits": fits} if fits else {}
    op(target, Kind.POINTWISE, infer=composed(definition), decompose=definition, flags=True,
       checks=("scalar overflow",), lowering=lowering, using=using,
       partials=ROWS[ufunc].partials, **fields)


_operator(operator.add, np.add, "sum")
_operator(operator.sub, np.subtract, "difference")
_operator(operator.mul, np.multiply, "product", llvm={"c": "@mul"})
_operator(operator.floordiv, np.floor_divide, "quotient")
_operator(operator.mod, np.remainder, "quotient", weight=4)
_operator(operator.neg, np.negative, "negation")
_operator(operator.abs, np.absolute, "magnitude")
_operator(operator.pow, np.power, lowering="power_of_scalar")
