"""A transformer decoder that writes one token after the other, with a cache of keys and values.

Weights are attributes of ordinary objects, and the cache grows with every step, either by
`np.concatenate` or inside of arrays that were made long enough. One compilation is for the first
length, one for every other.

Run it:  python examples/08_decoder.py
"""
import copy

import numpy as np

import dynamo_lite as dl

TITLE = "decoder step, 32 sequences, 128 tokens"


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.float32(0.7978845608) * (x + 0.044715 * x * x * x)))


class Norm:
    def __init__(self, width):
        self.scale = np.ones(width, np.float32)
        self.shift = np.zeros(width, np.float32)

    def __call__(self, x):
        centred = x - x.mean(axis=-1, keepdims=True)
        variance = (centred * centred).mean(axis=-1, keepdims=True)
        return centred / np.sqrt(variance + np.float32(1e-5)) * self.scale + self.shift


class Linear:
    def __init__(self, rng, inputs, outputs):
        self.weight = rng.normal(0, inputs ** -0.5, (inputs, outputs)).astype(np.float32)
        self.bias = np.zeros(outputs, np.float32)

    def __call__(self, x):
        return x @ self.weight + self.bias


class Grown:
    """Keys and values of shape (batch, heads, length, width of a head); copied at every step."""

    def __init__(self, batch, heads, width, longest):
        self.keys = self.values = np.empty((batch, heads, 0, width), np.float32)

    def add(self, key, value):
        self.keys = np.concatenate([self.keys, key[:, :, None]], axis=2)
        self.values = np.concatenate([self.values, value[:, :, None]], axis=2)
        return self.keys, self.values


class Preallocated:
    """The same, inside of arrays that have room for the longest sequence."""

    def __init__(self, batch, heads, width, longest):
        self.length = 0
        self.keys = np.zeros((batch, heads, longest, width), np.float32)
        self.values = np.zeros((batch, heads, longest, width), np.float32)

    def add(self, key, value):
        self.keys[:, :, self.length] = key
        self.values[:, :, self.length] = value
        self.length += 1
        return self.keys[:, :, :self.length], self.values[:, :, :self.length]


class Block:
    def __init__(self, rng, width, heads):
        self.heads = heads
        self.norm1, self.norm2 = Norm(width), Norm(width)
        self.project = Linear(rng, width, 3 * width)
        self.join = Linear(rng, width, width)
        self.expand = Linear(rng, width, 4 * width)
        self.contract = Linear(rng, 4 * width, width)

    def attend(self, x, cache):
        batch, width = x.shape
        parts = self.project(x).reshape(batch, 3, self.heads, width // self.heads)
        query, key, value = parts[:, 0], parts[:, 1], parts[:, 2]
        keys, values = cache.add(key, value)
        scores = (keys @ query[..., None])[..., 0] / np.float32(np.sqrt(keys.shape[-1]))
        mixed = softmax(scores)[:, :, None] @ values
        return self.join(mixed.reshape(batch, width))

    def __call__(self, x, cache):
        x = x + self.attend(self.norm1(x), cache)
        return x + self.contract(gelu(self.expand(self.norm2(x))))


class Decoder:
    def __init__(self, rng, vocabulary=256, width=256, heads=4, layers=4):
        self.width, self.heads = width, heads
        self.embedding = rng.normal(0, 1, (vocabulary, width)).astype(np.float32)
        self.blocks = [Block(rng, width, heads) for _ in range(layers)]
        self.norm = Norm(width)

    def caches(self, kind, batch, longest):
        shape = batch, self.heads, self.width // self.heads, longest
        return [kind(*shape) for _ in self.blocks]

    def __call__(self, tokens, caches):
        """Scores of the next tokens (batch, vocabulary); the caches are one token longer."""
        x = self.embedding[tokens]
        for block, cache in zip(self.blocks, caches):
            x = block(x, cache)
        return self.norm(x) @ self.embedding.T


def write(step, decoder, kind, steps, batch=32):
    """The most likely continuation of `batch` sequences of one token each; the last scores."""
    caches = decoder.caches(kind, batch, steps)
    tokens = np.arange(batch)
    for _ in range(steps):
        scores = step(decoder, tokens, caches)
        tokens = scores.argmax(axis=-1)
    return scores


def step(decoder, tokens, caches):
    return decoder(tokens, caches)


def function(decoder, tokens, caches):
    """One step that leaves the caches as they are, so that it can be repeated."""
    return step(decoder, tokens, [copy.copy(cache) for cache in caches])


def inputs():
    decoder, batch = Decoder(np.random.default_rng(0)), 32
    caches = decoder.caches(Grown, batch, 128)
    for _ in range(127):
        step(decoder, np.arange(batch), caches)
    return decoder, np.arange(batch), caches


if __name__ == "__main__":
    model = Decoder(np.random.default_rng(0))
    for kind in Grown, Preallocated:
        compiled = dl.compile(step)
        found = write(compiled, model, kind, 64)
        difference = np.abs(found - write(step, model, kind, 64)).max()
        print(f"{kind.__name__}: {len(compiled.entries())} compilations for 64 lengths, "
              f"largest difference from NumPy {difference:.1e}")
