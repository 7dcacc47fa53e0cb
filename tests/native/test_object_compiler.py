"""Objects that LLVM makes beside Python: those of llvmlite, in order; nothing is left behind."""
from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from dynamo_lite.backends.llvm.builder.target import host
from dynamo_lite.backends.llvm.objects.compiler import InPython, optimised
from dynamo_lite.backends.llvm.objects.version import llvm_library

from dynamo_lite.native import _core

ADD = """define i64 @add{0}(i64 %a) {{
  %place = alloca i64, align 8
  store i64 %a, ptr %place, align 8
  %b = load i64, ptr %place, align 8
  %unused = mul i64 %b, %b
  %c = add i64 %b, {0}
  ret i64 %c
}}
"""
MODULES = [(ADD.format(k), effort, passes) for k in range(1, 9)
           for effort, passes in ((2, k % 2), (0, 0), (2, 2))]
HALVES = """define i64 @{0}(i64 %a) {{
  %b = sdiv exact i64 %a, 2
  %c = mul i64 %b, 2
  ret i64 %c
}}
"""
OF_PROGRAM = "".join(map(HALVES.format, ("kernel0", "recursive0", "recursive1", "entry")))
LIBRARY = llvm_library()
pytestmark = pytest.mark.skipif(LIBRARY is None, reason="another llvmlite")


def compiler() -> _core.ObjectCompiler:
    return _core.ObjectCompiler(LIBRARY, host().cpu)


def made(compiler, modules=MODULES):
    for module in modules:
        compiler.add(*module)
    return compiler.objects()


@pytest.fixture(params=[1, 2])
def threads(request):
    before = _core.get_num_threads()
    _core.set_num_threads(request.param)
    yield
    _core.set_num_threads(before)


def test_objects_are_those_of_llvmlite(threads):
    expected = made(InPython(host()))
    assert made(compiler()) == expected and len({*expected}) > 8


@pytest.mark.parametrize("name", ["recursive0", "recursive1", "entry"])
def test_passes_run_on_all_functions_of_a_program(name):
    """Alone, such a function becomes what it becomes beside the others: it gives its argument."""
    alone = optimised("; all passes\n" + HALVES.format(name), host(), 2).get_function(name)
    among = optimised("; all passes\n" + OF_PROGRAM, host(), 2)
    assert str(alone) == str(among.get_function(name)) and "ret i64 %a" in str(alone)
    assert "sdiv" in str(among.get_function("kernel0"))
    module = OF_PROGRAM, 2, 2
    assert made(compiler(), [module]) == made(InPython(host()), [module])


def test_the_first_module_that_is_wrong_is_reported(threads):
    with pytest.raises(RuntimeError, match="define @second"):
        made(compiler(), [*MODULES, ("define @second", 2, 0), ("third", 2, 0)])


def resident(path):
    """Megabytes of a file that are in this process's memory."""
    found, is_in_file = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        name, *rest = line.split()
        if not name.endswith(":"):
            is_in_file = rest[-1] == path
        elif name == "Rss:" and is_in_file:
            found += int(rest[0])
    return found / 1024


@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells what is in memory")
def test_what_llvm_has_read_of_its_file_does_not_stay_in_memory():
    made(compiler())
    time.sleep(0.6)  # what comes soon after another module needs it again
    _core.ObjectCompiler.release_idle()
    assert 0 < resident(os.path.realpath(LIBRARY)) < 20


def test_a_library_that_is_not_there():
    code = "from dynamo_lite.native import _core\n" \
        "c = _core.ObjectCompiler('/nowhere.so', 'generic')\nc.add('', 2, False)\nc.objects()"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "RuntimeError: /nowhere.so: cannot open" in run.stderr


@pytest.mark.parametrize("end", [
    "del c", "sys.exit()", "threading.Thread(target=c.objects, daemon=True).start()",
])
def test_what_nobody_waits_for_holds_nothing_up(end):
    code = "import sys, threading; from dynamo_lite.native import _core\n" \
        "c = _core.ObjectCompiler(*sys.argv[1:3])\n" \
        f"for _ in range(100_000): c.add(sys.argv[3], 2, True)\n{end}"
    arguments = [sys.executable, "-c", code, LIBRARY, host().cpu, ADD.format(1)]
    subprocess.run(arguments, check=True, timeout=60)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_process_that_is_forked_meanwhile_begins_anew():
    ours, stop = compiler(), threading.Event()

    def others():
        while not stop.is_set():
            made(compiler())

    thread = threading.Thread(target=others)
    thread.start()
    for _ in range(10):
        ours.add(*MODULES[0])
        if (child := os.fork()) == 0:
            try:
                ours.objects()
            except RuntimeError:
                os._exit(0 if len(made(compiler())) == len(MODULES) else 1)
            os._exit(2)
        assert os.waitpid(child, 0)[1] == 0
    stop.set()
    thread.join()
    assert len(ours.objects()) == 10
