"""Rows of functions that are defined by other rows."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..definitions import assembly, elementwise, statistics
from ..ops import Kind, op
from ..rules.composite import composed

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
        **{f: elementwise.scaled_angle(np.pi / 180.0) for f in (np.deg2rad, np.radians)},
        **{f: elementwise.scaled_angle(180.0 / np.pi) for f in (np.rad2deg, np.degrees)},
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
    },
}

for _kind, _definitions in DEFINITIONS.items():
    for _target, _definition in _definitions.items():
        op(_target, _kind, infer=composed(_definition), decompose=_definition)
