"""The native core: the compiled callable, its guards, regions, and the array runtime."""
import sys
from importlib.machinery import EXTENSION_SUFFIXES

NEWEST = (3, 13)
"""The last Python that this core knows the frames of."""

if sys.version_info[:2] > NEWEST:
    raise ImportError(
        f"dynamo_lite works on Python 3.11 to {NEWEST[0]}.{NEWEST[1]}, and this is "
        f"{sys.version_info.major}.{sys.version_info.minor}, whose frames and instructions it does "
        "not know. Use one of those; on this one `import dynamo_lite` runs everything in Python."
    )
try:
    from ._core import (
        BAILOUT,
        CONTINUATION,
        IN_ONE_STEP,
        TAKE_OVER,
        BoundEntry,
        CompiledFunction,
        CudaKernel,
        Entry,
        GuardProgram,
        Interned,
        KeptStates,
        LoadedObject,
        NativeEntry,
        ObjectCompiler,
        StoppableIterator,
        WatchCell,
        bound,
        c_function,
        call_at_bottom,
        call_outside,
        calls_of_code,
        calls_seen,
        compile_watched,
        credit_code,
        draw_between,
        draw_from,
        drive,
        drive_into,
        enter_region,
        exchange_in_frame,
        filters_version,
        first_frames,
        forget_code,
        free_scratch,
        get_num_threads,
        know_bit_generator,
        know_distributions,
        know_generator,
        know_python_random,
        leave_region,
        leaves,
        lines_are_watched,
        load_object,
        map_leaves,
        move_behind,
        raise_soon,
        read_spans,
        record_methods,
        review_after,
        run_all_in_python,
        safepoint,
        same_table,
        sample_with,
        set_filters_version,
        set_frame_place,
        set_num_threads,
        start_spans,
        stop_spans,
        threads_in_entries,
        time_in_compiled,
        ufunc_loop,
        value_in_frame,
        watch_calls,
        watch_dict,
        watch_type,
        why_no_cuda,
    )
except ImportError as error:
    raise ImportError(
        f"""

Importing the native core of dynamo_lite failed: {error}

If this is the source tree of dynamo_lite, the core is not built yet. Build it in place with
    pip install -e .        (or: make)
or leave the source tree and import an installed dynamo_lite.
If dynamo_lite is installed, its core was built for another Python or another version of it.
This Python loads files that end in {", ".join(EXTENSION_SUFFIXES)}; install dynamo_lite again.
"""
    ) from error

__all__ = [
    "BAILOUT",
    "CONTINUATION",
    "IN_ONE_STEP",
    "TAKE_OVER",
    "BoundEntry",
    "CompiledFunction",
    "CudaKernel",
    "Entry",
    "GuardProgram",
    "Interned",
    "KeptStates",
    "LoadedObject",
    "NativeEntry",
    "ObjectCompiler",
    "StoppableIterator",
    "WatchCell",
    "bound",
    "c_function",
    "call_at_bottom",
    "call_outside",
    "calls_of_code",
    "calls_seen",
    "compile_watched",
    "credit_code",
    "draw_between",
    "draw_from",
    "drive",
    "drive_into",
    "enter_region",
    "exchange_in_frame",
    "filters_version",
    "first_frames",
    "forget_code",
    "free_scratch",
    "get_num_threads",
    "know_bit_generator",
    "know_distributions",
    "know_generator",
    "know_python_random",
    "leave_region",
    "leaves",
    "lines_are_watched",
    "load_object",
    "map_leaves",
    "move_behind",
    "raise_soon",
    "read_spans",
    "record_methods",
    "review_after",
    "run_all_in_python",
    "safepoint",
    "same_table",
    "sample_with",
    "set_filters_version",
    "set_frame_place",
    "set_num_threads",
    "start_spans",
    "stop_spans",
    "threads_in_entries",
    "time_in_compiled",
    "ufunc_loop",
    "value_in_frame",
    "watch_calls",
    "watch_dict",
    "watch_type",
    "why_no_cuda",
]
