"""Training: a classifier of handwritten digits, written as plain NumPy code.

The data comes with scikit-learn. `dl.value_and_grad` differentiates the loss with respect to all
weights at once, in one compiled function.

Run it:  python examples/11_digits.py
"""
import numpy as np
from sklearn.datasets import load_digits

import dynamo_lite as dl

HIDDEN, CLASSES, BATCH = 128, 10, 64


def weights(rng, size):
    return {"w": rng.normal(size=(size, HIDDEN)) * np.sqrt(2 / size), "b": np.zeros(HIDDEN),
            "v": rng.normal(size=(HIDDEN, CLASSES)) * np.sqrt(1 / HIDDEN), "c": np.zeros(CLASSES)}


def scores(p, x):
    hidden = x @ p["w"] + p["b"]
    hidden[hidden < 0] = 0
    return hidden @ p["v"] + p["c"]


def loss(p, x, labels):
    """The mean cross-entropy."""
    s = scores(p, x)
    s = s - s.max(axis=1, keepdims=True)
    chosen = s[np.arange(len(labels)), labels]
    return (np.log(np.exp(s).sum(axis=1)) - chosen).mean()


def moments(p):
    return [{name: np.zeros_like(value) for name, value in p.items()} for _ in range(2)]


def trained(p, x, labels, epochs, rng, rate=2e-3):
    """By Adam, over batches in random order."""
    slope = dl.value_and_grad(loss)
    mean, square = moments(p)
    count = 0
    for _ in range(epochs):
        order = rng.permutation(len(x))
        for start in range(0, len(x) - BATCH + 1, BATCH):
            chosen, count = order[start : start + BATCH], count + 1
            _, g = slope(p, x[chosen], labels[chosen])
            for name in p:
                mean[name] = 0.9 * mean[name] + 0.1 * g[name]
                square[name] = 0.999 * square[name] + 0.001 * g[name] ** 2
                size = np.sqrt(square[name] / (1 - 0.999**count)) + 1e-8
                p[name] = p[name] - rate * mean[name] / (1 - 0.9**count) / size
    return p


def digits():
    """Pictures and labels, to train with and to test with."""
    x, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(x))
    x, labels = x[order] / 16, labels[order]
    return x[:1437], labels[:1437], x[1437:], labels[1437:]


def accuracy(epochs=40):
    x, labels, unseen, expected = digits()
    rng = np.random.default_rng(1)
    p = trained(weights(rng, x.shape[1]), x, labels, epochs, rng)
    return (scores(p, unseen).argmax(axis=1) == expected).mean()


if __name__ == "__main__":
    print(f"right for {accuracy():.1%} of digits that were not trained with")
