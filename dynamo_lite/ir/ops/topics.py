"""Every topic of rows: importing this module fills `ir.ops.ROWS`."""
from . import (
    composites,
    creation,
    externs,
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
    "composites", "creation", "externs", "flow", "folds", "pointwise", "products",
    "structure", "unbacked", "views", "whole", "writes",
]
