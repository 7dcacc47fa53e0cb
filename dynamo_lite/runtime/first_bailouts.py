"""The first call of an entry that bails out: whether it is found out why."""
from __future__ import annotations

import logging
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..base import logs
from ..base.config import config
from ..base.forks import workers
from ..base.loading import loaded
from ..tiering.account import elements
from .options import Options
from .stats import Bailout, FrameRecord

if TYPE_CHECKING:
    from ..tracer.state.trace import TraceOptions

PERF = logs.logger("perf")

BAILOUTS = ".bailouts"
"""The module that knows the whole compiler, which not every process needs."""
QUICK = 0.1
"""Seconds that an analysis may have taken for it to be done again only to explain a bail-out."""
SMALL = 100_000
"""Elements that its arguments may have then, as they are copied."""


def why_at_once(
    function: FunctionType, flat_args: tuple[Any, ...], options: Options, record: FrameRecord,
    options_aside: Callable[[], TraceOptions],
) -> Bailout | None:
    """What the call bailed out for, where that takes little or is asked for; or the arm that was
    left to Python, to which it may have come."""
    is_asked = options.is_explained or PERF.isEnabledFor(logging.INFO)
    is_quick = record.stage_seconds.get("trace", 0.0) < QUICK and elements(flat_args) < SMALL
    found: Bailout | None = None
    if is_asked or (options.account is None and is_quick):
        with workers.at_work(), config.within(dict(options.settings)):
            found = loaded(BAILOUTS, __package__).why_bailed_out(
                function, flat_args, options_aside(), record, is_asked)
    elif record.cold_arms:
        found = loaded(BAILOUTS, __package__).of_cold_arm(record.cold_arms[0])
    return found
