"""Rows of derivatives, which are replaced before a backend sees the graph."""
from __future__ import annotations

from .. import pullback
from ..row import Kind, op
from ..rules import derivatives as rules

op(pullback.independent, Kind.STRUCTURE, infer=rules.independent, handler="node",
   vjp=("arrays.same",))
op(pullback.owned, Kind.STRUCTURE, infer=rules.copied, handler="node", vjp=("arrays.same",))
op(pullback.detached, Kind.STRUCTURE, infer=rules.copied, handler="node")
op(pullback.pullback, Kind.STRUCTURE, infer=rules.pullback, handler="node")
op(pullback.pushforward, Kind.STRUCTURE, infer=rules.pushforward, handler="node")
op(pullback.pullbacks, Kind.STRUCTURE, infer=rules.pullbacks, handler="node")
op(pullback.pushforwards, Kind.STRUCTURE, infer=rules.pushforwards, handler="node")
op(pullback.unknown, Kind.STRUCTURE, infer=rules.unknown, handler="node", vjp=("arrays.nothing",))
for _ruled in (pullback.ruled_backwards, pullback.ruled_forwards):
    op(_ruled, Kind.STRUCTURE, infer=rules.ruled, handler="node")
