"""Triton kernels without a GPU: they equal NumPy in Triton's interpreter and compile to cubins."""
from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest
from dynamo_lite.backends.loop_ir.program import Launch
from dynamo_lite.backends.lowering.lower import lower
from dynamo_lite.backends.triton.backend import LOOPS, NATIVE, why_extern
from dynamo_lite.backends.triton.kernels.emit import TritonKernel, emit

from dynamo_lite.ir.graph import Graph
from dynamo_lite.ir.node import SymbolOrigin
from dynamo_lite.ir.passes import optimize
from dynamo_lite.ir.sizes import symbol
from dynamo_lite.ir.types import array
from tests.backends.graphs import Builder, trace
from tests.backends.test_symbolic import retyped
from tests.fuzz.seeds import DAY

from .programs import DTYPES, PROGRAMS
from .rows import POINTWISE, ROW_PROGRAMS, dtypes_of, has_loop

RARE = ("_i1", "_i2", "_u2", "_u4", "_u8")
"""Programs of dtypes whose kernels are compiled every night, as to be compiled takes long."""


def kernels(name: str) -> list[TritonKernel]:
    program = PROGRAMS[name]
    graph = trace(program.function, *(program.right or program.values))
    if program.symbolic:
        graph = optimize(retyped(graph, program.values, True))
    steps = lower(graph).steps
    return [emit(step.kernel) for step in steps if isinstance(step, Launch)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_has_a_source(name):
    sources = [kernel.source for kernel in kernels(name)]
    assert sources or "f2" in name or "half" in name
    assert all(source.startswith("@triton.jit") for source in sources)


@pytest.mark.parametrize("name", [*PROGRAMS, *ROW_PROGRAMS])
def test_kernels_equal_numpy_in_the_interpreter(name):
    pytest.importorskip("triton")
    from .in_interpreter import check

    check(name)


def stack_bytes(cubin: bytes) -> int:
    """Bytes of stack per thread, which is where spilled registers go."""
    triton = pytest.importorskip("triton")
    tool = Path(triton.__file__).parent / "backends/nvidia/bin/cuobjdump"
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        shown = subprocess.run(
            [tool, "--dump-resource-usage", file.name], capture_output=True, text=True, check=True
        ).stdout
    return int(re.search(r"STACK:(\d+)", shown)[1])


@pytest.mark.parametrize("name", [one for one in PROGRAMS if DAY or not one.endswith(RARE)])
def test_kernels_compile_to_cubins_without_spills(name):
    pytest.importorskip("triton")
    from dynamo_lite.backends.triton.binaries.compiler import compile_kernel

    for kernel in kernels(name):
        binary, ptx = compile_kernel(kernel.narrow or kernel)
        assert ".target sm_90" in ptx
        assert stack_bytes(binary.cubin) == 0
        entry = re.search(r"\.entry \w+\((.*?)\)", ptx, re.DOTALL)[1]
        assert entry.count(".param") == len(kernel.parameters) + 2


@pytest.mark.parametrize(("name", "width"), [
    ("pointwise", "v4.b32"), ("softmax", "v4.b32"), ("row_sums", "v4.b32"),
    ("float64", "v2.b64"),
])
def test_loads_and_stores_are_vectors(name, width):
    pytest.importorskip("triton")
    from dynamo_lite.backends.triton.binaries.compiler import compile_kernel

    (kernel,) = kernels(name)
    assert f"ld.global.{width}" in compile_kernel(kernel)[1]


@pytest.mark.parametrize("dtype", DTYPES if DAY else ("?", "u1", "i4", "f4", "f8", "c8"))
def test_every_row_compiles(dtype):
    """The templates mean something to Triton's compiler, which checks more than its interpreter."""
    pytest.importorskip("triton")
    from dynamo_lite.backends.triton.binaries.compiler import compile_kernel

    builder = Builder()
    x = np.arange(1, 6).astype(dtype)
    nodes = [builder.input(x, name) for name in "xy"]
    results = [
        builder.call(row.target, *nodes[: row.target.nin])
        for row in POINTWISE if dtype in dtypes_of(row) and has_loop(row, (x, x)[: row.target.nin])
    ]  # fmt: skip
    if x.dtype.kind not in "fc":  # the others run in the loops of floats
        results = [node for node in results if node.type.dtype.kind != "f"]
    graph = builder.output(*results)
    steps = lower(graph, why_extern=why_extern, native=NATIVE, loops=LOOPS).steps
    for step in steps:
        if isinstance(step, Launch):
            assert compile_kernel(emit(step.kernel), aligned=False)[0].cubin


@pytest.mark.parametrize("dimensions", [1, 2], ids=["blocks", "tiles"])
def test_whole_blocks_alone_are_compiled_where_there_are_no_others(dimensions):
    pytest.importorskip("triton")
    from dynamo_lite.backends.triton.binaries.compiler import compile_kernel

    def roots(x):
        (kernel,) = (step.kernel for step in lower(trace(lambda x: np.sqrt(x.T) + x.T * x, x)).steps
                     if isinstance(step, Launch))
        return compile_kernel(emit(kernel))[1].count("sqrt.rn")

    even, odd = (roots(np.ones((n,) * dimensions, "f4")) for n in (512, 513))
    assert odd == 2 * even > 0


@pytest.mark.parametrize(("size", "wide"), [(1000, False), (2**31, True), (symbol("s0"), True)])
def test_indices_have_32_bits_only_where_sizes_prove_it(size, wide):
    """A symbol proves nothing, whatever its value was when the kernel was made."""
    graph, kind = Graph(), array("f4", size)
    graph.symbols["s0"] = SymbolOrigin(0, "size", 0, 1000)
    x = graph.placeholder("x", kind)
    graph.output((graph.call_function(np.add, (x, x), type=kind),))
    (step,) = (step for step in lower(graph).steps if isinstance(step, Launch))
    assert ("int64" in emit(step.kernel).source) == wide


@pytest.mark.parametrize("name", ["pointwise_of_any_size", "softmax_of_any_size"])
def test_indices_have_32_bits_where_the_sizes_of_a_launch_allow_it(name):
    (kernel,) = kernels(name)
    sizes = set(re.findall(r"\bs\d+", kernel.fits))
    assert kernel.narrow is not None and sizes
    assert [p.name for p in kernel.narrow.parameters] == [p.name for p in kernel.parameters]
    assert "tl.int64" in kernel.source and "tl.int64" not in kernel.narrow.source
    assert eval(kernel.fits, dict.fromkeys(sizes, 1000))
    assert not eval(kernel.fits, dict.fromkeys(sizes, 2**30))
    (known,) = kernels(name.removesuffix("_of_any_size"))
    assert known.narrow is None and known.fits == ""


@pytest.mark.parametrize("name", ["pointwise_of_any_size", "softmax_of_any_size"])
def test_sizes_that_are_multiples_of_16_give_vector_loads(name):
    pytest.importorskip("triton")
    from dynamo_lite.backends.triton.binaries.compiler import compile_kernel
    from dynamo_lite.backends.triton.kernels.kernels import SIZES

    (kernel,) = kernels(name)
    _, ptx = compile_kernel(kernel.narrow, SIZES)
    loads = re.findall(r"ld\.global[.\w:]*", ptx)
    assert loads and all(re.search(r"\.v[24]\.", load) for load in loads)
