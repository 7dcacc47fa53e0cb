"""All of LLVM's passes run on entries with loops, and no flag is lost, or raised too early."""
from __future__ import annotations

import threading
import warnings
from dataclasses import replace

import numpy as np
import pytest
from dynamo_lite.backends.llvm.builder.target import host
from dynamo_lite.backends.llvm.objects.compiler import optimised
from dynamo_lite.backends.llvm.objects.compiler_marks import passes_for
from dynamo_lite.backends.llvm.objects.modules import Modules
from dynamo_lite.backends.llvm.objects.strict import RAISING, compiled, kept, strict

import dynamo_lite as dl

LINES = {
    "fdiv double %a, 0x3FF0000000000000": "fdiv.f64(double %a, double 0x3FF0000000000000, ",
    "fcmp oeq float %a, %b": 'fcmp.f32(float %a, float %b, metadata !"oeq", ',
    "call double @llvm.sqrt.f64(double %a)": "sqrt.f64(double %a, ",
    "call double @llvm.floor.f64(double %a)": "floor.f64(double %a, ",
    "call float @llvm.fma.f32(float %a, float %b, float %c)": "fma.f32(float %a, float %b, ",
    "fptrunc double %a to float": "fptrunc.f32.f64(double %a, ",
    "fpext float %a to double": "fpext.f64.f32(float %a, ",
}


@pytest.mark.parametrize("line", LINES)
def test_what_raises_flags_becomes_constrained(line):
    found = kept(f"  %v = {line}", 64)
    assert f"@llvm.experimental.constrained.{LINES[line]}" in found
    assert found.endswith('metadata !"fpexcept.strict")')
    kinds = {"double": "double", "float": "float"}
    result = "i1" if "fcmp" in line else kinds[line.split()[-1] if " to " in line else
                                               "float" if "float" in line else "double"]
    arguments = ", ".join(f"{'float' if 'float %a' in line else 'double'} %{x}" for x in "abc")
    text = f"define i32 @entry({arguments}) strictfp {{\n{found}\n  ret i32 0\n}}"
    module = str(optimised(text, host(), 2))
    assert f"call {result} @llvm" in module.replace("tail ", "")  # although nothing reads it


def test_every_row_is_used():
    used = [[bool(compiled(pattern).fullmatch(f"  %v = {line}")) for line in LINES]
            for pattern, _ in RAISING]
    assert all(map(any, used))


@pytest.mark.parametrize("line", [
    "store double %v, ptr %p, align 8", "%v = phi double [ %a, %x ], [ %b, %y ]",
    "%v = add i64 %a, 1", "%v = call i32 %f(ptr %frame, double %a)", "%v = fneg double %a",
    "%v = call double @libm.exp(double %a)", "%v = sitofp i64 %a to double",
])
def test_what_raises_none_stays(line):
    assert kept(f"  {line}", 64) == f"  {line}"


def test_a_number_that_llvm_was_not_to_know_is_one_that_it_knows():
    line = '  %v2 = call i64 asm "", "=r,0"(i64 %v1) memory(none)'
    assert kept(line, 64) == "  %v2 = bitcast i64 %v1 to i64"


def test_what_was_kept_for_its_flags_is_dropped():
    assert kept("  store volatile double %v, ptr %slot", 64) == "  store double %v, ptr %slot"


@pytest.mark.parametrize("line, becomes", [
    ("fsub <8 x double> %a, splat (double 0x42F8000000000000)",
     "<8 x double> @llvm.experimental.constrained.fsub.v8f64(<8 x double> %a, "
     "<8 x double> splat (double 0x42F8000000000000), "),
    ("fcmp oeq <16 x float> %a, zeroinitializer",
     "<16 x i1> @llvm.experimental.constrained.fcmp.v16f32(<16 x float> %a, "
     '<16 x float> zeroinitializer, metadata !"oeq", '),
    ("call <2 x double> @llvm.fma.v2f64(<2 x double> <double 1.0, double 2.0>, <2 x double> %a, "
     "<2 x double> %b)",
     "<2 x double> @llvm.experimental.constrained.fma.v2f64(<2 x double> <double 1.0, double 2.0>, "
     "<2 x double> %a, <2 x double> %b, "),
])
def test_vectors_raise_flags_where_they_stand(line, becomes):
    assert kept(f"  %v = {line}", 64).startswith(f"  %v = call {becomes}")


@pytest.mark.parametrize("line", [
    "fadd <16 x double> %a, %b", "fadd half %a, %b", "fptosi double %a to i64",
    "call double @llvm.exp.f64(double %a)",
])
def test_other_entries_are_compiled_as_they_stand(line):
    assert strict(["  %v = add i64 %a, 1", f"  %w = {line}"], 64) is None


def test_vectors_longer_than_registers_stay_as_they_are():
    lines = ["  %v = fadd <8 x double> %a, %b"]
    assert strict(lines, 64) is not None and strict(lines, 32) is None


# -- programs


@pytest.fixture
def passes(monkeypatch):
    """How many passes run on the modules that are made."""
    found, module = [], Modules._module

    def _module(self, *parts):
        module(self, *parts)
        found.append(passes_for(self.texts[-1]))

    monkeypatch.setattr(Modules, "_module", _module)
    with dl.config.patch(cache=False):
        yield found


def quotient_where_asked(x, y, asked):
    total = 0.0
    for i in range(len(x)):
        if asked[i]:
            total = total + y[0] / y[1]
        total = total + x[i]
    return total


def quotients_that_nobody_reads(x, y, asked):
    total = 0.0
    for i in range(len(x)):
        _ = y[0] / x[i]
        total = total + y[0]
    return total


def products_where_asked(x, y, asked):
    large, total = y[0] * 1e308, y[0]
    for i in range(len(x)):
        if asked[i]:
            total = large * 10.0
        else:
            total = total + x[i]
    return total


def chosen_by_a_test(x, y, asked):
    total = y[0]
    for i in range(len(x)):
        divisor = y[1]
        if divisor == 0:
            divisor = y[0]
        total = total + x[i] / divisor
    return total


PROGRAMS = [
    quotient_where_asked, quotients_that_nobody_reads, products_where_asked, chosen_by_a_test,
]


def reported(function, *args):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = function(*args)
    return repr(found), sorted({str(warning.message) for warning in caught})


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("where", [(), (3,), (0, 69)])
def test_flags_are_those_of_what_runs(program, where, passes):
    x, y, asked = np.ones(70), np.array([1.0, 0.0]), np.zeros(70, bool)
    asked[list(where)] = True
    x[list(where)] = 0.0
    compiled = dl.compile(program, fullgraph=True)
    for _ in range(2):
        assert reported(compiled, x, y, asked) == reported(program, x, y, asked)
    assert 2 in passes


def by_a_sum_of_nothing(x, y, asked):
    quotient = y[0]
    for i in range(len(x)):
        quotient = 0.5 / x[: i - i].sum()
    return quotient


def test_a_sum_of_nothing_is_no_divisor():
    compiled = dl.compile(by_a_sum_of_nothing, fullgraph=True)
    arguments = np.ones(70), np.ones(2), None
    assert reported(compiled, *arguments) == reported(by_a_sum_of_nothing, *arguments)
    assert reported(compiled, *arguments)[1]


def test_loops_that_fill_and_copy(passes):
    """LLVM must not make calls of C's memset and memcpy of them, which the loader does not have."""

    @dl.compile(fullgraph=True)
    def filled(x, out):
        for i in range(len(x)):
            out[i] = 0.0
        for i in range(len(x)):
            out[i] = x[i]
        return out

    x = np.arange(100.0)
    assert np.array_equal(filled(x, np.ones(100)), x) and 2 in passes


def test_a_thread_that_waits_sees_what_another_one_writes(passes):
    """Elements are read again in each iteration."""
    @dl.compile(fullgraph=True)
    def waited(flag):
        rounds = 0
        while flag[0] == 0:
            rounds += 1
        return rounds

    flag = np.zeros(1, np.int64)
    assert waited(np.ones(1, np.int64)) == 0
    timer = threading.Timer(0.2, flag.__setitem__, (0, 1))
    timer.start()
    assert waited(flag) > 0 and 2 in passes
    timer.join()


COMPARED = ["entry:", "  %c = fcmp oeq double %x, %x", "  ret i32 0"]
SCALED = "  %s = call double @llvm.x86.avx512.mask.scalef.sd(double %x)"


@pytest.mark.parametrize(("cpu", "lines", "is_marked"), [
    ("x86-64-v4", COMPARED, True), ("x86-64-v3", COMPARED, False),
    ("x86-64-v4", [COMPARED[0], COMPARED[-1]], False),
    ("x86-64-v4", [COMPARED[0], SCALED, *COMPARED[1:]], False),
])  # fmt: skip
def test_entries_that_compare_floats_choose_without_registers_for_masks(cpu, lines, is_marked):
    modules = Modules(replace(host(), cpu=cpu), id, whole=True)
    (text,) = modules.finish([], lines)
    assert ('"target-cpu"="x86-64-v3"' in text) == is_marked
