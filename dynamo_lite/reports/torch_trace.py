"""What was compiled in the format of PyTorch's structured logs, which its tool `tlparse` reads.

A line is a prefix of glog and a record of JSON; one with a payload has its checksum, and before the
next line comes the payload, indented by a tabulator. What PyTorch has no record for are artifacts.
"""
from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..runtime.stats import FrameRecord

PREFIX = "V{now} {process} dynamo_lite/reports/torch_trace.py:1] "
GRAPH, CODE = "graph as Python", "generated code"
"""Titles of the artifacts that have a place in the format."""


def lines(
    records: Sequence[FrameRecord], texts: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    """`texts` has the artifacts of each entry: title → text, by its mark."""
    files = list(dict.fromkeys(record.location.filename for record in records))
    for number, name in enumerate(files):
        yield line({"str": [name, number]})
    for record in records:
        entry = {"frame_id": record.frame, "frame_compile_id": record.recompile, "attempt": 0}
        for told, payload in about(record, files, texts.get(record.mark, {})):
            yield line({**told, **entry}, payload)


def line(record: dict[str, Any], payload: str | None = None) -> str:
    now = time.strftime("%m%d %H:%M:%S.000000")
    prefix = PREFIX.format(now=now, process=os.getpid())
    if payload is None:
        return f"{prefix}{json.dumps(record)}\n"
    checksum = hashlib.md5(payload.encode(), usedforsecurity=False).hexdigest()
    indented = payload.replace("\n", "\n\t")
    return f"{prefix}{json.dumps({**record, 'has_payload': checksum})}\n\t{indented}\n"


def about(
    record: FrameRecord, files: Sequence[str], texts: Mapping[str, str]
) -> Iterator[tuple[dict[str, Any], str | None]]:
    """The records about one entry, with their payloads."""
    place = record.location
    frame = {"line": place.line, "name": place.function, "filename": files.index(place.filename)}
    yield {"dynamo_start": {"stack": [frame]}}, None
    for title, text in texts.items():
        yield KINDS.get(title, {"artifact": {"name": title, "encoding": "string"}}), text
    if record.guard_tree:
        yield {"dynamo_guards": {}}, json.dumps([{"code": guard} for guard in record.guard_tree])
    ends = (("broke", record.broke), ("bailed out", record.bailout))
    for verb, end in ends:
        if end is not None:
            told = {"artifact": {"name": f"why_it_{verb.replace(' ', '_')}", "encoding": "string"}}
            yield told, f"{end}\nremedy: {end.remedy}"
    yield {"compilation_metrics": metrics(record)}, None


KINDS: Mapping[str, dict[str, Any]] = {
    GRAPH: {"dynamo_output_graph": {"sizes": {}}},
    CODE: {"inductor_output_code": {"filename": "output_code.txt"}},
}


def metrics(record: FrameRecord) -> dict[str, Any]:
    """The columns of PyTorch's table of compilations, as far as there is such a thing here."""
    return {
        "compile_id": record.mark, "frame_key": str(record.frame), "co_name": record.name,
        "co_filename": record.location.filename, "co_firstlineno": record.location.line,
        "cache_size": record.recompile, "accumulated_cache_size": record.recompile,
        "guard_count": len(record.guards), "graph_op_count": record.operations,
        "graph_node_count": len(record.steps) or record.operations,
        "graph_input_count": sum(step.what == "input" for step in record.steps),
        "start_time": record.began, "entire_frame_compile_time_s": record.seconds,
        "backend_compile_time_s": record.stage_seconds.get("backend", 0.0),
        "non_compliant_ops": [], "compliant_custom_ops": [], "restart_reasons": [],
        "dynamo_time_before_restart_s": 0.0, "fail_type": None, "fail_reason": None,
        "fail_user_frame_filename": None, "fail_user_frame_lineno": None,
    }  # fmt: skip
