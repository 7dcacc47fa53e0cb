"""CPython's own tests, without and with `python -m dynamo_lite`: a table of exit codes and seconds.

    python benchmarks/cpython_tests.py [--all-frames] [test_dict test_scope …]
"""
from __future__ import annotations

import subprocess
import sys
import time

MODULES = (
    "test_generators test_coroutines test_exceptions test_with test_scope test_descr test_dict "
    "test_list test_set test_tuple test_iter test_itertools test_functools test_contextlib "
    "test_dataclasses test_collections test_enum test_patma test_listcomps test_call test_extcall "
    "test_super test_property test_threading test_gc test_traceback test_copy test_operator "
    "test_math test_random test_statistics test_sort test_string"
).split()


def run(*prefix: str) -> tuple[int, float]:
    start = time.perf_counter()
    done = subprocess.run([sys.executable, *prefix], capture_output=True)
    return done.returncode, time.perf_counter() - start


def main(argv: list[str]) -> int:
    flags = [word for word in argv if word.startswith("-")]
    worse = 0
    print(f"{'module':22} {'python':>12} {'dynamo_lite':>12}")
    for name in [word for word in argv if word not in flags] or MODULES:
        plain, plain_seconds = run("-m", "test", name)
        ours, seconds = run("-m", "dynamo_lite", *flags, "-m", "test", name)
        worse += plain == 0 and ours != 0
        print(f"{name:22} {plain:4} {plain_seconds:6.1f}s {ours:4} {seconds:6.1f}s", flush=True)
    print(f"{worse} modules fail that pass without")
    return min(worse, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
