"""Rows of functions that are defined by other rows."""
from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..definitions import assembly, elementwise, statistics
from ..row import Kind, complete, op
from ..rules.composite import composed
from ..rules.externs import tried
from ..rules.operators import scalar_operator
from . import pointwise as pointwise  # its rows are completed here

DEFINITIONS: Mapping[Kind, Mapping[Any, Callable[..., Any]]] = {
    Kind.REDUCTION: {
        np.mean: statistics.mean,
        np.var: statistics.var,
        np.std: statistics.std,
        np.ptp: statistics.ptp,
        np.count_nonzero: statistics.count_nonzero,
        np.linalg.norm: statistics.norm,
    },
    Kind.POINTWISE: {
        np.clip: elementwise.clip,
        np.round: elementwise.round_,
        np.around: elementwise.round_,
        np.fix: elementwise.fix,
    },
    Kind.STRUCTURE: {
        np.diff: elementwise.diff,
        np.tril: elementwise.triangle(lower=True),
        np.triu: elementwise.triangle(lower=False),
        np.stack: assembly.stack,
        np.vstack: assembly.vstack,
        np.hstack: assembly.hstack,
        np.column_stack: assembly.column_stack,
        np.split: assembly.split,
        np.array_split: assembly.array_split,
        np.repeat: assembly.repeat,
        np.tile: assembly.tile,
        np.roll: assembly.roll,
        np.cross: assembly.cross,
        np.block: assembly.block,
    },
}

# Ufuncs that are one multiplication: they keep their own type rule.
ANGLES: Mapping[np.ufunc, tuple[float, float]] = {
    np.deg2rad: (np.pi, 180.0), np.radians: (np.pi, 180.0),
    np.rad2deg: (180.0, np.pi), np.degrees: (180.0, np.pi),
}

# These may warn from Python code where their definition declines, so they run in Python then.
MAY_WARN = frozenset({np.mean, np.var, np.std})

# What is left of these where their definition declines has kernels of its own.
LOWERINGS: Mapping[Any, str] = {
    np.mean: "mean", np.var: "variance", np.std: "variance", np.ptp: "ptp",
    np.count_nonzero: "count_nonzero", np.linalg.norm: "norm", np.clip: "clip",
}

for _kind, _definitions in DEFINITIONS.items():
    for _target, _definition in _definitions.items():
        _whole = None if _target in MAY_WARN else tried(_target)
        op(_target, _kind, infer=composed(_definition, _whole), decompose=_definition,
           flags=True, lowering=LOWERINGS.get(_target))
complete(np.std, using={"root": True})
for _ufunc, _ratio in ANGLES.items():
    complete(_ufunc, decompose=elementwise.scaled_angle(*_ratio))
complete(np.power, decompose=elementwise.power, lowering="power")

# Python's operators, recorded for NumPy scalars, whose integer arithmetic warns about overflow.
# `fits` names the backend's check that no integer overflows.
def _operator(
    target: Callable[..., Any], ufunc: np.ufunc, fits: str = "", lowering: str = "arithmetic",
    **fields: Any,
) -> None:
    definition = scalar_operator(ufunc)
    using = {"ufunc": ufunc, "fits": fits} if fits else {}
    op(target, Kind.POINTWISE, infer=composed(definition), decompose=definition, flags=True,
       checks=("scalar overflow",), lowering=lowering, using=using, **fields)


_operator(operator.add, np.add, "sum")
_operator(operator.sub, np.subtract, "difference")
_operator(operator.mul, np.multiply, "product", llvm={"c": "@mul"})
_operator(operator.floordiv, np.floor_divide, "quotient")
_operator(operator.mod, np.remainder, "quotient", weight=4)
_operator(operator.neg, np.negative, "negation")
_operator(operator.abs, np.absolute, "magnitude")
_operator(operator.pow, np.power, lowering="power_of_scalar")
