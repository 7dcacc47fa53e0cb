"""Rows of functions that make new arrays, and of copies and conversions."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..row import Kind, op
from ..rules import creation as rules
from ..rules.windows import itself
from ..types import ArrayType

op(np.zeros, Kind.CREATION, infer=rules.plain_rule)
op(np.ones, Kind.CREATION, infer=rules.plain_rule)
op(np.empty, Kind.CREATION, infer=rules.plain_rule)
op(np.zeros_like, Kind.CREATION, infer=rules.like_rule)
op(np.ones_like, Kind.CREATION, infer=rules.like_rule)
op(np.empty_like, Kind.CREATION, infer=rules.like_rule)
op(np.full, Kind.CREATION, infer=rules.full_rule)
op(np.full_like, Kind.CREATION, infer=rules.full_like_rule)
op(np.arange, Kind.CREATION, infer=rules.arange_rule)
op(np.linspace, Kind.CREATION, infer=rules.linspace_rule)
op(np.eye, Kind.CREATION, infer=rules.eye_rule)
op(np.identity, Kind.CREATION, infer=rules.identity_rule)
op(np.tri, Kind.CREATION, infer=rules.tri_rule)

op(np.copy, Kind.POINTWISE, infer=rules.copy_rule, name="copy")
op(np.ndarray.copy, Kind.POINTWISE, infer=rules.method_copy_rule, name="ndarray.copy")
op(np.ndarray.flatten, Kind.STRUCTURE, infer=rules.flatten_rule)
MAY_RETURN_ITSELF: tuple[tuple[Callable[..., Any], Kind, Callable[..., ArrayType]], ...] = (
    (np.ndarray.astype, Kind.POINTWISE, rules.astype_rule),
    (np.asarray, Kind.CREATION, rules.same_or_copy(False)),
    (np.asanyarray, Kind.CREATION, rules.same_or_copy(False)),
    (np.ascontiguousarray, Kind.CREATION, rules.contiguous_rule),
    (np.array, Kind.CREATION, rules.same_or_copy(True)),
)
for _target, _kind, _rule in MAY_RETURN_ITSELF:
    op(_target, _kind, infer=_rule, window=itself(_rule), flags=_target is np.ndarray.astype)
