"""Rows of functions that make new arrays, and of copies and conversions."""
from __future__ import annotations

import numpy as np

from ..ops import Kind, op
from ..rules import creation as rules
from ..rules.windows import itself

for _target in (np.zeros, np.ones, np.empty):
    op(_target, Kind.CREATION, infer=rules.plain_rule)
for _target in (np.zeros_like, np.ones_like, np.empty_like):
    op(_target, Kind.CREATION, infer=rules.like_rule)
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
for _target, _kind, _rule in (
    (np.ndarray.astype, Kind.POINTWISE, rules.astype_rule),
    (np.asarray, Kind.CREATION, rules.same_or_copy(False)),
    (np.asanyarray, Kind.CREATION, rules.same_or_copy(False)),
    (np.ascontiguousarray, Kind.CREATION, rules.contiguous_rule),
    (np.array, Kind.CREATION, rules.same_or_copy(True)),
):
    op(_target, _kind, infer=_rule, window=itself(_rule), flags=_target is np.ndarray.astype)
