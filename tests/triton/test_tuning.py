"""Variants of kernels are timed at the first launch, and the choice is kept on disk."""
from __future__ import annotations

import hashlib

import numpy as np
import pytest
from dynamo_lite.backends.loop_ir.aliases import roots_of
from dynamo_lite.backends.loop_ir.program import Launch, all_steps
from dynamo_lite.backends.lowering.lower import lower
from dynamo_lite.backends.triton.backend import compile_for
from dynamo_lite.backends.triton.devices.host import HostDevice
from dynamo_lite.backends.triton.devices.tuning import repeatable, variants

import dynamo_lite as dl
from dynamo_lite.base.config import config
from dynamo_lite.ir.passes import optimize
from tests.backends.graphs import trace

from .host import NoisyHost
from .test_triton import kernels

pytest.importorskip("triton")
X = np.arange(100_000.0)


class TimedHost(NoisyHost):
    """Interprets kernels, and says that those of `best` (points, warps) are fastest."""

    times = True

    def __init__(self, best=(None, None)):
        self.best = best
        self.launched = []
        self.timed = 0
        super().__init__(self.make)

    def make(self, kernel, aligned):
        run = HostDevice.launcher(self, kernel, aligned)

        def launch(stream, programs, *parameters):
            self.launched.append((kernel.block, kernel.warps, programs))
            run(stream, programs, *parameters)

        return launch

    def place(self, kernel, aligned):
        return f"triton/tests/{hashlib.sha256(kernel.source.encode()).hexdigest()}.cubin"

    def seconds(self, run):
        self.timed += 1
        run()
        return 1.0 if self.launched[-1][:2] == self.best else 2.0


@pytest.fixture(autouse=True)
def on_disk(tmp_path):
    with config.patch(cache_dir=str(tmp_path), autotune=True):
        yield


def arithmetic(x):
    return np.sqrt(x) * 2 + x


def compiled(function, device, x=X):
    return compile_for(trace(function, x), device)


def test_the_fastest_variant_is_launched_from_then_on():
    device = TimedHost((1024, 4))
    plan = compiled(arithmetic, device)
    np.testing.assert_array_equal(plan(X)[0], arithmetic(X))
    assert device.timed > 4
    device.launched.clear()
    np.testing.assert_array_equal(plan(X)[0], arithmetic(X))
    assert device.launched == [(1024, 4, -(-X.size // 1024))]


def test_a_second_process_times_nothing():
    compiled(arithmetic, TimedHost((1024, 4)))(X)
    device = TimedHost()
    compiled(arithmetic, device)(X)
    assert device.timed == 0 and device.launched == [(1024, 4, -(-X.size // 1024))]


def test_other_sizes_are_timed_again():
    compiled(arithmetic, TimedHost((1024, 4)))(X)
    device = TimedHost()
    compiled(arithmetic, device, X[:3000])(X[:3000])
    assert device.timed > 0


def test_what_changes_inputs_or_reads_its_own_results_is_no_such_kernel():
    def in_rounds(x):
        x[::2] += 1
        y = x * 2
        for _ in range(3):
            y[1:] = y[1:] * 0.5
            x[1::2] = y[1::2]
        return y

    programs = []

    def backend(graph, inputs):
        programs.append(lower(optimize(graph)))
        return graph.source.compile()

    dl.compile(in_rounds, backend=backend)(X.copy())
    (program,) = programs
    launched = [step.kernel for step in all_steps(program.steps) if isinstance(step, Launch)]
    found, roots = repeatable(program, launched), roots_of(program.steps)
    given = {item.buffer for item in program.inputs}

    def changed(kernel, buffers):
        return {roots.get(one, one) for one in kernel.writes} & {roots.get(b, b) for b in buffers}

    assert any(changed(kernel, given) for kernel in launched)
    assert any(changed(kernel, kernel.reads) for kernel in launched)
    assert found and not any(
        changed(kernel, given) or changed(kernel, kernel.reads) for kernel in found)


def test_nothing_is_timed_without_being_asked():
    device = TimedHost()
    with config.patch(autotune=False):
        compiled(arithmetic, device)(X)
    assert device.timed == 0 and len(device.launched) == 1


@pytest.mark.parametrize("name", ["pointwise", "softmax", "short_rows", "transposed", "scans"])
def test_variants_of_all_shapes_compile(name):
    """Also without spills: they are variants of programs that have none."""
    from dynamo_lite.backends.triton.binaries.compiler import compile_kernel

    for kernel in kernels(name):
        found = list(variants(kernel))
        assert found[0] == kernel and len({(one.block, one.warps) for one in found}) == len(found)
        binary, _ = compile_kernel(found[-1])
        assert binary.threads == 32 * found[-1].warps


@pytest.mark.parametrize("mode", ["max-autotune", "max-autotune-no-cudagraphs"])
def test_modes_ask_for_it(mode):
    seen = []

    def backend(graph, inputs):
        seen.append((config.autotune, config.cuda_graphs))
        return graph.source.compile()

    with config.patch(autotune=False), pytest.warns(dl.errors.DynamoWarning, match="for the CPU"):
        dl.compile(arithmetic, backend=backend, mode=mode)(X)
    assert seen == [(True, mode == "max-autotune")]
