"""Machine code through llvmlite; imported only when something has to be compiled."""
from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache

import llvmlite.binding as llvm

from ..builder.externals import addresses
from ..builder.target import Target
from .compiler_marks import passes_for

OF_PROGRAM = "entry", "recursive"
"""What the names of a program's functions begin with; kernels have loops of their own."""
_lock = threading.RLock()


@cache
def start() -> None:
    """LLVM learns about this machine."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


@cache
def machine(target: Target, effort: int = 2) -> llvm.TargetMachine:
    start()
    triple = llvm.get_process_triple()
    return llvm.Target.from_triple(triple).create_target_machine(
        cpu=target.cpu, features="", opt=effort, reloc="pic", codemodel="small"
    )


def light_passes() -> llvm.ModulePassManager:
    """The text is already in SSA form, shared and hoisted. Passes that move floating point across
    selects (instcombine) are left out on purpose: they assume that nobody reads the floating-point
    flags."""
    manager = llvm.create_new_module_pass_manager()
    manager.add_dead_code_elimination_pass()
    return manager


def stack_passes() -> llvm.ModulePassManager:
    """Variables on the stack become values; nothing is computed earlier or later for it."""
    manager = llvm.create_new_module_pass_manager()
    manager.add_sroa_pass()
    return manager


def loop_passes() -> llvm.FunctionPassManager:
    """Loops test at their ends, and branches that only choose between integers become selections:
    those that compute floats are fenced (`Builder.fence`)."""
    manager = llvm.create_new_function_pass_manager()
    manager.add_loop_rotate_pass()
    manager.add_simplify_cfg_pass()
    return manager


def optimised(text: str, target: Target, passes: int) -> llvm.ModuleRef:
    module = llvm.parse_assembly(text)
    module.triple = llvm.get_process_triple()
    options = llvm.create_pipeline_tuning_options(passes)
    builder = llvm.create_pass_builder(machine(target), options)
    if passes:
        stack_passes().run(module, builder)
        chosen = loop_passes() if passes == 1 else builder.getFunctionPassManager()
        for function in module.functions:
            if function.name.startswith(OF_PROGRAM):
                chosen.run(function, builder)
    light_passes().run(module, builder)
    return module


class InPython:
    """Does what `native.ObjectCompiler` does, with llvmlite's own functions."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.made: list[bytes] = []

    def add(self, text: str, effort: int, passes: int, /) -> None:
        with _lock:
            module = optimised(text, self.target, passes)
            self.made.append(machine(self.target, effort).emit_object(module))

    def objects(self) -> list[bytes]:
        return self.made


def assembly(text: str, target: Target) -> str:
    """The machine code as text, for people."""
    with _lock:
        module = optimised(text, target, passes_for(text))
        return str(machine(target).emit_assembly(module))


@cache
def _jit() -> llvm.LLJIT:
    start()
    return llvm.create_lljit_compiler(use_jit_link=False)


_loaded = 0


def link(objects: Sequence[bytes], symbol: str) -> tuple[int, object]:
    """The address of a symbol of some objects, and what keeps them in memory."""
    global _loaded
    with _lock:
        _loaded += 1
        library = llvm.JITLibraryBuilder().add_current_process()
        for code in objects:
            library.add_object_img(code)
        for name, address in addresses().items():
            library.import_symbol(name, address)
        library.export_symbol(symbol)
        tracker = library.link(_jit(), f"dynamo_lite_{_loaded}")
        return int(tracker[symbol]), tracker
