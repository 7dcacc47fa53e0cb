"""Rows of linear systems with factors, which derivatives make."""
from __future__ import annotations

from .. import factors
from ..row import Kind, op
from ..rules import factors as rules

op(factors.solved, Kind.EXTERN, infer=rules.solved, flags=True,
   vjp=("linalg.matrix_of_solved", "linalg.right_of_solved"))
op(factors.solved_again, Kind.EXTERN, infer=rules.solved_again, flags=True,
   vjp=("linalg.matrix_of_solved_again", "linalg.right_of_solved_again", "arrays.nothing"))
op(factors.divided, Kind.EXTERN, infer=rules.divided, flags=True,
   vjp=("linalg.right_of_divided", "linalg.triangle_of_divided"))
