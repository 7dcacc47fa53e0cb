"""Run in a process of its own, with a fake array for the CUDA driver: launch one plan."""
from __future__ import annotations

import json
import sys

import numpy as np
from dynamo_lite.backends.triton.backend import compile_for
from dynamo_lite.backends.triton.binaries.launch import cuda_launcher

from dynamo_lite.native import BAILOUT, why_no_cuda
from tests.backends.graphs import trace
from tests.backends.test_symbolic import retyped
from tests.triton.host import NoisyHost


def scaled(x, y, factor):
    return x * y + factor


def main(shift: int) -> None:
    assert why_no_cuda() is None
    device = NoisyHost(lambda kernel, aligned: cuda_launcher(kernel, aligned, 90))
    x = np.ones(3000)
    values = (x, x, 2.5)
    plan = compile_for(retyped(trace(scaled, *values), values, True), device)
    memory = [device.empty((3004,), x.dtype)[shift : 3000 + shift] for _ in range(2)]
    result = plan(*memory, 2.5)
    if result is BAILOUT:
        print("bailed out")
        return
    pointers = [device.pointer(array) for array in (*memory, *result)]
    print(json.dumps({"pointers": pointers, "text": plan.text, "triton": "triton" in sys.modules}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
