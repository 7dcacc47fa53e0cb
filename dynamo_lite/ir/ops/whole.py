"""Rows whose unusual calls are made by NumPy as a step of the graph, and methods of ufuncs."""
from __future__ import annotations

import numpy as np

from ..row import ROWS, Kind, complete, op
from ..rules import externs as rules
from ..rules.pointwise import COMPARISONS
from .externs import TRANSFORMS

WHOLE = (
    np.sum, np.prod, np.max, np.min, np.amax, np.amin, np.any, np.all, np.cumsum, np.cumprod,
    np.argmax, np.argmin, np.mean, np.var, np.std, np.count_nonzero, np.linalg.norm, np.linspace,
    np.zeros_like, np.ones_like, np.empty_like, np.full_like, np.full, np.take, np.dot, np.inner,
    np.einsum, np.trace, np.tensordot, np.sort, np.argsort, np.round, np.diff, np.concatenate,
    np.stack, np.hstack, np.vstack, *(getattr(np.fft, name) for name in TRANSFORMS),
)
"""Functions with rules of their own for the usual calls only."""


def _register_methods_of_ufuncs() -> None:
    """`np.subtract.reduce`, `np.maximum.accumulate`, `np.add.reduceat`, `np.negative.at`."""
    for ufunc in vars(np).values():
        if not isinstance(ufunc, np.ufunc) or ufunc.signature is not None or ufunc.nout != 1:
            continue
        if ufunc.nin == 2 and ufunc not in COMPARISONS:
            names = ["reduce", "reduceat"]
            if ufunc not in (np.add, np.multiply):  # cumsum and cumprod
                names.append("accumulate")
            for name in names:
                target = getattr(ufunc, name)
                if target in ROWS:
                    complete(target, whole=True)
                else:
                    op(target, Kind.EXTERN, name=f"{ufunc.__name__}.{name}", flags=True,
                       infer=rules.tried(target))


for _target in WHOLE:
    complete(_target, whole=True)
_register_methods_of_ufuncs()
complete(np.maximum.accumulate, blocks="running", means="meanings.maximum_so_far")
complete(np.minimum.accumulate, blocks="running", means="meanings.minimum_so_far")
complete(np.logaddexp.reduce, means="statistics.logaddexp")
complete(np.add.reduceat, vjp=("arrays.in_segments",))
