"""A call goes on without the GIL after long work, up to a function that needs it."""
from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from .machine_code import entry

HAS_GIL = ctypes.cast(ctypes.pythonapi.PyGILState_Check, ctypes.c_void_p).value
LONG, SHORT = 1_000_000, 1_000
"""Nanoseconds."""
NEED_GIL, FIND_RANDOM_SOURCE = 34, 32

TEXT = f"""
define internal void @body(ptr %env, i64 %begin, i64 %end) {{
  ret void
}}
define internal void @work(ptr %f, i64 %ns) {{
  %parallel = call ptr @runtime(ptr %f, i64 2)
  call void %parallel(ptr %f, ptr @body, ptr null, i64 8, i64 %ns)
  ret void
}}
define internal void @note(ptr %f, i64 %i) {{
  %held = call i32 inttoptr (i64 {HAS_GIL} to ptr)()
  %wide = sext i32 %held to i64
  %notes = call ptr @input(ptr %f, i64 0)
  %data = call ptr @data(ptr %notes)
  %place = getelementptr i64, ptr %data, i64 %i
  store i64 %wide, ptr %place
  ret void
}}
"""
RESULT = """
  %hold = call ptr @runtime(ptr %f, i64 15)
  %result = call ptr @input(ptr %f, i64 0)
  call void %hold(ptr %f, i64 0, ptr %result)
  call void @note(ptr %f, i64 3)
  ret i32 0
}
"""


def noted(steps: str, *others: Any) -> list[int]:
    """Whether the GIL was held at four places of a call, the last one behind `hold`."""
    native = entry(TEXT + "define i32 @entry(ptr %f) {" + steps + RESULT, 1 + len(others))
    notes = np.full(4, -1)
    assert native(notes, *others) is notes
    return [int(each) for each in notes]


@pytest.mark.parametrize("nanoseconds, held", [(LONG, 0), (SHORT, 1)])
def test_long_work_gives_it_up(nanoseconds: int, held: int) -> None:
    assert noted(f"""
        call void @note(ptr %f, i64 0)
        call void @work(ptr %f, i64 {nanoseconds})
        call void @note(ptr %f, i64 1)
        call void @work(ptr %f, i64 {nanoseconds})
        call void @note(ptr %f, i64 2)
    """) == [1, held, held, 1]


def test_generated_code_can_ask_for_it() -> None:
    assert noted(f"""
        call void @work(ptr %f, i64 {LONG})
        call void @note(ptr %f, i64 0)
        %need = call ptr @runtime(ptr %f, i64 {NEED_GIL})
        call void %need(ptr %f)
        call void @note(ptr %f, i64 1)
        call void @work(ptr %f, i64 {LONG})
        call void @note(ptr %f, i64 2)
    """) == [0, 1, 0, 1]


def test_calls_that_draw_have_it_between_their_steps() -> None:
    """No other call draws between two draws of one."""
    assert noted(f"""
        %source = alloca [72 x i8]
        %generator = call ptr @input(ptr %f, i64 1)
        %find = call ptr @runtime(ptr %f, i64 {FIND_RANDOM_SOURCE})
        call void %find(ptr %f, ptr %generator, ptr %source)
        call void @note(ptr %f, i64 0)
        call void @work(ptr %f, i64 {LONG})
        call void @note(ptr %f, i64 1)
        call void @work(ptr %f, i64 {LONG})
        call void @note(ptr %f, i64 2)
    """, np.random.RandomState(1)) == [1, 1, 1, 1]
