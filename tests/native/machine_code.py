"""Machine code for tests: textual LLVM IR on top of a prelude that reads the frame of a call."""
from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
import numpy as np

from dynamo_lite.native import _core

PRELUDE = """
define internal ptr @runtime(ptr %f, i64 %i) {
  %p = getelementptr i8, ptr %f, i64 24
  %table = load ptr, ptr %p
  %q = getelementptr ptr, ptr %table, i64 %i
  %r = load ptr, ptr %q
  ret ptr %r
}
define internal ptr @item(ptr %f, i64 %offset, i64 %i) {
  %p = getelementptr i8, ptr %f, i64 %offset
  %items = load ptr, ptr %p
  %q = getelementptr ptr, ptr %items, i64 %i
  %r = load ptr, ptr %q
  ret ptr %r
}
define internal ptr @input(ptr %f, i64 %i) {
  %r = call ptr @item(ptr %f, i64 0, i64 %i)
  ret ptr %r
}
define internal ptr @slot(ptr %f, i64 %i) {
  %r = call ptr @item(ptr %f, i64 8, i64 %i)
  ret ptr %r
}
define internal ptr @constant(ptr %f, i64 %i) {
  %r = call ptr @item(ptr %f, i64 16, i64 %i)
  ret ptr %r
}
define internal ptr @data(ptr %array) {
  %p = getelementptr i8, ptr %array, i64 16
  %r = load ptr, ptr %p
  ret ptr %r
}
define internal ptr @shape(ptr %array) {
  %p = getelementptr i8, ptr %array, i64 32
  %r = load ptr, ptr %p
  ret ptr %r
}
define internal ptr @strides(ptr %array) {
  %p = getelementptr i8, ptr %array, i64 40
  %r = load ptr, ptr %p
  ret ptr %r
}
define internal double @number(ptr %array) {
  %p = call ptr @data(ptr %array)
  %r = load double, ptr %p
  ret double %r
}
define internal ptr @new_1d(ptr %f, i64 %slot, ptr %descr, i64 %n) {
  %shape = alloca i64
  store i64 %n, ptr %shape
  %fn = call ptr @runtime(ptr %f, i64 0)
  %r = call ptr %fn(ptr %f, i64 %slot, ptr %descr, i32 1, ptr %shape, ptr null)
  ret ptr %r
}
define internal ptr @new_like(ptr %f, i64 %slot, ptr %descr, i32 %ndim, ptr %like, ptr %strides) {
  %shape = call ptr @shape(ptr %like)
  %fn = call ptr @runtime(ptr %f, i64 0)
  %r = call ptr %fn(ptr %f, i64 %slot, ptr %descr, i32 %ndim, ptr %shape, ptr %strides)
  ret ptr %r
}
"""

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()


def _machine() -> llvm.TargetMachine:
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(opt=2, reloc="pic", codemodel="small")


def assemble(text: str) -> bytes:
    """A relocatable object of the prelude and `text`."""
    module = llvm.parse_assembly(PRELUDE + text)
    module.verify()
    return _machine().emit_object(module)


def jit(text: str) -> tuple[int, Any]:
    """The address of `@entry`, and the object that keeps its code alive."""
    module = llvm.parse_assembly(PRELUDE + text)
    module.verify()
    engine = llvm.create_mcjit_compiler(module, _machine())
    engine.finalize_object()
    return engine.get_function_address("entry"), engine


def entry(
    text: str,
    inputs: int = 1,
    outputs: int = 1,
    *,
    slots: int | None = None,
    constants: tuple[Any, ...] = (),
    dtypes: tuple[Any, ...] = (np.float64,),
    single: bool = True,
    check_flags: bool = True,
    inexact_flags: int = 0,
) -> Any:
    """A NativeEntry whose function is `i32 @entry(ptr %f)` of `text`."""
    address, owner = jit(text)
    descrs = tuple(np.dtype(dtype) for dtype in dtypes)
    return _core.NativeEntry(
        address, owner, inputs, outputs if slots is None else slots, outputs, constants, descrs,
        single, check_flags, inexact_flags,
    )
