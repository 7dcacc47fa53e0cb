"""Every level of machine that this one includes."""
from __future__ import annotations

import pytest
from dynamo_lite.backends.llvm import backend
from dynamo_lite.backends.llvm.builder.target import LEVELS, Target, host

LOWER = [
    Target(machine, host().system, cpu, width, fma)
    for machine, _, cpu, width, fma in LEVELS
    if machine == host().machine and width <= host().vector_bytes
]


@pytest.fixture(params=LOWER, ids=lambda target: target.cpu)
def level(request, monkeypatch):
    """Code is generated for an older machine of the same kind."""
    monkeypatch.setattr(backend, "host", lambda: request.param)
    return request.param
