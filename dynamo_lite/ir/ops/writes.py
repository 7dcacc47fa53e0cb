"""Rows of operations that change their first argument."""
from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .. import core
from ..row import Effect, Kind, complete, op
from ..rules import writes as rules

IN_PLACE: Mapping[Callable[..., Any], np.ufunc] = {
    operator.iadd: np.add, operator.isub: np.subtract, operator.imul: np.multiply,
    operator.itruediv: np.divide, operator.ifloordiv: np.floor_divide,
    operator.imod: np.remainder, operator.iand: np.bitwise_and, operator.ior: np.bitwise_or,
    operator.ixor: np.bitwise_xor, operator.ilshift: np.left_shift,
    operator.irshift: np.right_shift,
}

op(operator.setitem, Kind.WRITE, infer=rules.setitem_rule, effect=Effect.WRITES,
   checks=("bounds",), flags=True, version="assigned", bfloat16="assigned")
op(np.copyto, Kind.WRITE, infer=rules.copyto_rule, effect=Effect.WRITES, flags=True,
   version="copied")
op(np.ndarray.fill, Kind.WRITE, infer=rules.fill_rule, effect=Effect.WRITES, flags=True)
for _target, _ufunc in IN_PLACE.items():
    op(_target, Kind.WRITE, infer=rules.in_place_rule(_ufunc), effect=Effect.WRITES, flags=True,
       version="in_place", using={"ufunc": _ufunc}, bfloat16="in_place")
OPAQUE: tuple[Callable[..., Any], ...] = (
    np.put, np.place, np.putmask, np.put_along_axis, np.fill_diagonal,
    np.ndarray.sort, np.ndarray.partition, np.ndarray.put,
    *(f.at for f in vars(np).values() if isinstance(f, np.ufunc) and f.nin < 3 and f.nout == 1
      and f.signature is None),
)
for _target in OPAQUE:
    op(_target, Kind.WRITE, infer=rules.opaque_write_rule, effect=Effect.WRITES, flags=True,
       checks=("any",))
complete(np.place, reads_late=True)
complete(np.ndarray.partition, required=("kth",), vjp=("writes.partitioned_in_place",))
complete(np.ndarray.sort, vjp=("writes.sorted_in_place",))
for _target in (np.put, np.ndarray.put):
    complete(_target, vjp=("writes.around_places", None, "writes.at_places"))
complete(np.ndarray.put, required=("indices", "values"))
complete(np.putmask, vjp=("writes.around_mask", None, "writes.in_mask"))
complete(np.put_along_axis, vjp=("writes.around_rows", None, "writes.along_rows"))
complete(np.fill_diagonal, vjp=("writes.around_diagonal", "writes.on_filled_diagonal"))
complete(np.add.at, vjp=("arrays.same", None, "writes.gathered"))
complete(np.subtract.at, vjp=("arrays.same", None, "writes.subtracted"))

# The functional forms that `passes.functionalise` makes of the rows above.
op(core.update, Kind.STRUCTURE, infer=rules.update_rule, flags=True, checks=("bounds",),
   lowering="update", blocks="update", bfloat16="moved",
   vjp=("writes.base_of_update", None, "writes.value_of_update"))
op(core.perform, Kind.EXTERN, infer=rules.perform_rule, flags=True, checks=("any",),
   lowering="perform", vjp=(None, "writes.base_of_perform", None, None, "writes.args_of_perform"))
