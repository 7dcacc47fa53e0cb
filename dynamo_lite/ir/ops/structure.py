"""Rows that join, select and gather."""
from __future__ import annotations

import numpy as np

from ..row import Kind, op
from ..rules import structure as rules

op(np.concatenate, Kind.STRUCTURE, infer=rules.concatenate_rule, lowering="concatenate",
   sequences="items", reads_late=True, blocks="concatenate", by_dask=True, bfloat16="moved",
   vjp=("arrays.joined",), arrays_at=(0,), joins="axis")
op(np.where, Kind.POINTWISE, infer=rules.where_rule, lowering="where", handler="where",
   vjp=(None, "arrays.where_true", "arrays.where_false"))
op(np.take, Kind.STRUCTURE, infer=rules.take_rule, checks=("bounds",), lowering="take",
   method="take", required=("indices",), preference="of_rows", by_dask=True, bfloat16="moved",
   vjp=("arrays.taken",))
