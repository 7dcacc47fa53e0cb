"""Rows of matrix products."""
from __future__ import annotations

import numpy as np

from ..definitions import products as definitions
from ..row import Kind, op
from ..rules import products as rules
from ..rules.composite import composed
from ..rules.externs import tried

op(np.matmul, Kind.MATMUL, infer=rules.matmul_rule, flags=True)
op(np.dot, Kind.MATMUL, infer=rules.dot_rule, flags=True)
op(np.inner, Kind.MATMUL, infer=rules.inner_rule, flags=True)
op(np.einsum, Kind.MATMUL, infer=rules.einsum_rule, decompose=definitions.einsum, flags=True)
for _target, _definition in (
    (np.outer, definitions.outer), (np.vdot, definitions.vdot), (np.trace, definitions.trace),
    (np.tensordot, definitions.tensordot),
):
    _rule = composed(_definition, tried(_target))
    op(_target, Kind.MATMUL, infer=_rule, decompose=_definition, flags=True)
