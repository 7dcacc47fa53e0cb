"""Rows of matrix products."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..definitions import products as definitions
from ..row import Kind, made, op
from ..rules import products as rules
from ..rules.composite import composed
from ..rules.externs import tried

# How each hands its operands to BLAS: which matrices as they lie in memory, of how many dimensions
# and of which kinds; `narrow`: the run time knows what it does with vectors of one element or none,
# and with matrices of one row or column; `numbers`: vectors of one element are numbers to it, and
# those that lie backwards are copied first; `one_term`: those products are a loop of its own;
# `matrices`: kernels may multiply them as np.matmul does.
op(np.matmul, Kind.MATMUL, infer=rules.matmul_rule, flags=True, lowering="product_of", using={
    "leading": "strided", "ranks": 64, "kinds": "fc", "narrow": True, "one_term": True},
   operators=(operator.matmul,), preference="of_bools", blocks="product", bfloat16="multiplied",
   vjp=("products.left_of_matmul", "products.right_of_matmul"))
op(np.dot, Kind.MATMUL, infer=rules.dot_rule, flags=True, lowering="product_of", using={
    "leading": "contiguous", "ranks": 2, "kinds": "fc", "numbers": True},
   sequences="numbers", method="dot", required=("b",), preference="of_bools",
   blocks="product", bfloat16="multiplied", vjp=("products.left_of_dot", "products.right_of_dot"))
op(np.inner, Kind.MATMUL, infer=rules.inner_rule, flags=True, lowering="product_of", using={
    "leading": "contiguous", "ranks": 1, "kinds": "fc", "matrices": False, "numbers": True},
   preference="of_bools", bfloat16="multiplied",
   vjp=("products.left_of_inner", "products.right_of_inner"))
op(np.einsum, Kind.MATMUL, infer=rules.einsum_rule, decompose=definitions.einsum, flags=True,
   handler="einsum", vjp=(None, *(made("products.operand_of_einsum", place) for place in range(8))))


def _defined(target: Callable[..., Any], definition: Callable[..., Any], **fields: Any) -> None:
    op(target, Kind.MATMUL, infer=composed(definition, tried(target)), decompose=definition,
       flags=True, **fields)


_defined(np.outer, definitions.outer, lowering="outer")
_defined(np.vdot, definitions.vdot, lowering="product_of", using={
    "leading": "contiguous", "ranks": 1, "kinds": "f", "matrices": False, "one_term": True},
    preference="of_strided_vectors")
_defined(np.trace, definitions.trace, method="trace")
_defined(np.tensordot, definitions.tensordot)
