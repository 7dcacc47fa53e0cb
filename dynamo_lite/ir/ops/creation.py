"""Rows of functions that make new arrays, and of copies and conversions."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..row import Kind, op
from ..rules import creation as rules
from ..rules.strided_views import itself
from ..types import ArrayType

op(np.zeros, Kind.CREATION, infer=rules.plain_rule, lowering="filled", using={"value": 0},
   zeroed=True, sequences="items", parameters=("shape",), blocks="of_shape")
op(np.ones, Kind.CREATION, infer=rules.plain_rule, lowering="filled", using={"value": 1},
   sequences="items", blocks="of_shape")
op(np.empty, Kind.CREATION, infer=rules.plain_rule, lowering="empty",
   sequences="items", parameters=("shape",), blocks="of_shape")
op(np.zeros_like, Kind.CREATION, infer=rules.like_rule, lowering="filled", using={"value": 0},
   zeroed=True, keeps_order=True, bfloat16="moved", blocks="like", vjp=("arrays.nothing",))
op(np.ones_like, Kind.CREATION, infer=rules.like_rule, lowering="filled", using={"value": 1},
   keeps_order=True, bfloat16="moved", blocks="like", vjp=("arrays.nothing",))
op(np.empty_like, Kind.CREATION, infer=rules.like_rule, lowering="empty",
   keeps_order=True, bfloat16="moved", blocks="like", vjp=("arrays.nothing",))
op(np.full, Kind.CREATION, infer=rules.full_rule, lowering="full", blocks="of_shape",
   vjp=(None, "arrays.same"))
op(np.full_like, Kind.CREATION, infer=rules.full_like_rule, lowering="full_like",
   keeps_order=True, blocks="like", vjp=("arrays.nothing", "arrays.same"))
op(np.arange, Kind.CREATION, infer=rules.arange_rule, lowering="arange",
   parameters=("start", "stop", "step"))
op(np.linspace, Kind.CREATION, infer=rules.linspace_rule, lowering="linspace",
   means="meanings.linspace")
op(np.eye, Kind.CREATION, infer=rules.eye_rule, lowering="eye",
   zeroed=True)
op(np.identity, Kind.CREATION, infer=rules.identity_rule, lowering="eye",
   zeroed=True)
op(np.tri, Kind.CREATION, infer=rules.tri_rule, lowering="tri")

op(np.copy, Kind.POINTWISE, infer=rules.copy_rule, name="copy", lowering="copy",
   keeps_order=True, bfloat16="moved", vjp=("arrays.same",))
op(np.ndarray.copy, Kind.POINTWISE, infer=rules.method_copy_rule, name="ndarray.copy",
   lowering="copy", bfloat16="moved", vjp=("arrays.same",))
op(np.ndarray.flatten, Kind.STRUCTURE, infer=rules.flatten_rule, lowering="flatten",
   bfloat16="moved", vjp=("arrays.reshaped",))


def _may_return_itself(
    target: Callable[..., Any], kind: Kind, rule: Callable[..., ArrayType], **fields: Any
) -> None:
    op(target, kind, infer=rule, strided_view=itself(rule), casts=True, dtype_at=1,
       blocks="elementwise", **fields)


_may_return_itself(np.ndarray.astype, Kind.POINTWISE, rules.astype_rule, lowering="astype",
                   itself="cast", flags=True,
                   keeps_order=True, bfloat16="moved", vjp=("arrays.same",))
_may_return_itself(np.asarray, Kind.CREATION, rules.same_or_copy(False), lowering="asarray",
                   itself="converted", handler="as_array", sequences="items",
                   keeps_order=True, vjp=("arrays.same",))
_may_return_itself(np.asanyarray, Kind.CREATION, rules.same_or_copy(False), lowering="asarray",
                   itself="converted", handler="as_array", sequences="items",
                   keeps_order=True, vjp=("arrays.same",))
_may_return_itself(np.ascontiguousarray, Kind.CREATION, rules.contiguous_rule, lowering="asarray",
                   itself="made_contiguous", handler="as_array", bfloat16="moved",
                   vjp=("arrays.same",))
_may_return_itself(np.array, Kind.CREATION, rules.same_or_copy(True), lowering="array",
                   itself="unless_copied", handler="as_array", sequences="items",
                   keeps_order=True, vjp=("arrays.same",))
