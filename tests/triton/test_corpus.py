"""The functions of the corpus on the host device; and kernels of some of them as cubins."""
from __future__ import annotations

import pytest
from dynamo_lite.backends.triton.backend import compile_for
from dynamo_lite.backends.triton.devices.host import HostDevice

import dynamo_lite as dl
from dynamo_lite.base.config import config
from tests.fuzz.seeds import DAY
from tests.oracle import outcome_of_copy
from tests.trace.test_corpus import PROGRAMS, compare

from .test_triton import stack_bytes

pytest.importorskip("triton")
EVERY = 1 if DAY else 20
"""All kernels of all functions take minutes to compile."""


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_interpreted_equals_python(program):
    with config.patch(strict=True, interpret=True):
        compare(dl.compile(program.function, backend="triton"), program)


def kernels_of(program):
    found = []

    def backend(graph, inputs):
        found.extend(compile_for(graph, HostDevice()).kernels)
        return graph.source.compile()

    with config.patch(strict=True):
        outcome_of_copy(dl.compile(program.function, backend=backend), program.args)
    return found


@pytest.mark.parametrize("program", PROGRAMS[::EVERY], ids=str)
def test_kernels_compile_for_two_generations(program):
    from dynamo_lite.backends.triton.binaries.compiler import compile_kernel, target

    for kernel in kernels_of(program):
        for capability in (80, 90):
            binary, ptx = compile_kernel(kernel, True, target(capability))
            assert f".target sm_{capability}" in ptx
            assert stack_bytes(binary.cubin) == 0 and binary.shared <= 48 * 1024
