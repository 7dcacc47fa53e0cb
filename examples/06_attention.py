"""One attention head: matrix products go to NumPy's BLAS, the softmax between them is one kernel.

Run it:  python examples/06_attention.py
"""
import numpy as np

import dynamo_lite as dl

TITLE = "attention, 1024 x 64 float32"


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def function(q, k, v):
    """Scaled dot-product attention; `q`, `k`, `v` of shape (length, width)."""
    scores = q @ k.T / np.float32(np.sqrt(q.shape[1]))
    return softmax(scores) @ v


def inputs():
    rng = np.random.default_rng(3)
    return tuple(rng.normal(size=(1024, 64)).astype(np.float32) for _ in range(3))


if __name__ == "__main__":
    compiled = dl.compile(function)
    arguments = inputs()
    print(np.abs(compiled(*arguments) - function(*arguments)).max())
