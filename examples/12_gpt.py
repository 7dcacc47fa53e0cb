"""A language model: a transformer of two layers learns to write this project's documentation.

All of it is plain NumPy: embeddings are rows that are looked up, the mask is written in place, the
layers are a list of dicts. `dl.value_and_grad` gives the gradient as a tree of the same structure.

Run it:  python examples/12_gpt.py
"""
from pathlib import Path

import numpy as np

import dynamo_lite as dl

TEXT = Path(__file__).parents[1] / "docs" / "architecture.md"
WIDTH, HEADS, LENGTH, BATCH, LAYERS = 64, 4, 32, 8, 2


def parameters(rng, letters):
    def matrix(rows, columns):
        return rng.normal(size=(rows, columns)) / np.sqrt(rows)

    def layer():
        return {"in": matrix(WIDTH, 3 * WIDTH), "out": matrix(WIDTH, WIDTH) / 2,
                "up": matrix(WIDTH, 4 * WIDTH), "down": matrix(4 * WIDTH, WIDTH) / 2,
                "scales": np.ones((2, WIDTH))}

    return {"letters": rng.normal(size=(letters, WIDTH)) * 0.1,
            "places": rng.normal(size=(LENGTH, WIDTH)) * 0.1,
            "layers": [layer() for _ in range(LAYERS)], "head": matrix(WIDTH, letters) / 2}


def normal(x, scale):
    x = x - x.mean(axis=-1, keepdims=True)
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-5) * scale


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attention(p, x):
    """Each place looks at those up to itself."""
    batch, length, width = x.shape
    parts = (x @ p["in"]).reshape(batch, length, 3, HEADS, width // HEADS)
    q, k, v = np.moveaxis(parts, (2, 3), (0, 2))
    weights = q @ np.swapaxes(k, -1, -2) / np.sqrt(width // HEADS)
    weights += np.triu(np.full((length, length), -1e9), 1)
    mixed = softmax(weights) @ v
    return np.swapaxes(mixed, 1, 2).reshape(batch, length, width) @ p["out"]


def logits(p, letters):
    x = p["letters"][letters] + p["places"][: letters.shape[1]]
    for layer in p["layers"]:
        x += attention(layer, normal(x, layer["scales"][0]))
        up = normal(x, layer["scales"][1]) @ layer["up"]
        x += up / (1 + np.exp(-1.702 * up)) @ layer["down"]
    return normal(x, 1.0) @ p["head"]


def loss(p, letters, following):
    """The mean surprise at the next letter."""
    s = logits(p, letters)
    s = s - s.max(axis=-1, keepdims=True)
    batch, length = following.shape
    right = s[np.arange(batch)[:, None], np.arange(length), following]
    return (np.log(np.exp(s).sum(axis=-1)) - right).mean()


def leaves(tree):
    if isinstance(tree, np.ndarray):
        yield tree
    else:
        for each in tree.values() if isinstance(tree, dict) else tree:
            yield from leaves(each)


def trained(p, text, rounds, rng, rate=3e-3):
    """By Adam, in place; the losses."""
    slope = dl.value_and_grad(loss)
    mean = [np.zeros_like(leaf) for leaf in leaves(p)]
    square = [np.zeros_like(leaf) for leaf in leaves(p)]
    losses = []
    for count in range(1, rounds + 1):
        starts = rng.integers(0, len(text) - LENGTH - 1, BATCH)
        windows = text[starts[:, None] + np.arange(LENGTH + 1)]
        value, g = slope(p, windows[:, :-1], windows[:, 1:])
        losses.append(value)
        for leaf, slopes, m, s in zip(leaves(p), leaves(g), mean, square):
            m += 0.1 * (slopes - m)
            s += 0.01 * (slopes * slopes - s)
            leaf -= rate * m / (1 - 0.9**count) / (np.sqrt(s / (1 - 0.99**count)) + 1e-8)
    return losses


def written(p, alphabet, length, rng):
    """A text of the model's own."""
    predict = dl.compile(logits)
    places = np.zeros((1, LENGTH), int)
    text = ""
    for _ in range(length):
        chances = softmax(predict(p, places)[0, -1] / 0.5)
        chosen = rng.choice(len(alphabet), p=chances / chances.sum())
        text += alphabet[chosen]
        places = np.append(places[:, 1:], [[chosen]], axis=1)
    return text


def learned(rounds):
    """The parameters, their losses, and the letters that there are."""
    alphabet, text = np.unique(list(TEXT.read_text()), return_inverse=True)
    rng = np.random.default_rng(0)
    p = parameters(rng, len(alphabet))
    return p, trained(p, text, rounds, rng), alphabet


if __name__ == "__main__":
    p, losses, alphabet = learned(300)
    print(f"surprise at a letter: {losses[0]:.2f} before, {np.mean(losses[-20:]):.2f} after")
    print(written(p, alphabet, 300, np.random.default_rng(1)))
