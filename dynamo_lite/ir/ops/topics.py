"""Every topic of rows: importing this module fills `ir.ops.ROWS`."""
from . import (
    c_functions,
    composites,
    creation,
    derivatives,
    externs,
    factors,
    flow,
    folds,
    pointwise,
    products,
    structure,
    unbacked,
    views,
    whole,
    writes,
)

__all__ = [
    "c_functions", "composites", "creation", "derivatives", "externs", "factors", "flow",
    "folds", "pointwise", "products", "structure", "unbacked", "views", "whole", "writes",
]
