"""The programs that `benchmarks.gpu` times on a GPU; each takes an array library and arrays."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Program:
    """A function of an array library and of arrays of these shapes; `passes` are the times that it
    has to go through memory the size of its first argument."""

    name: str
    function: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]
    dtype: str
    passes: float
    rtol: float = 1e-5
    operations: float = 0.0  # of matrix products
    is_pointwise: bool = False
    torch: Callable[..., Any] | None = None  # where PyTorch spells it differently


def arithmetic(xp: Any, x: Any) -> Any:
    return xp.sqrt(x * x + 1) * x - abs(x) / 3


def chain(xp: Any, x: Any) -> Any:
    return xp.tanh(xp.exp(-x * x) * x + 0.5) * x - x


def total(xp: Any, x: Any) -> Any:
    return (x * x).sum()


def row_sums(xp: Any, x: Any) -> Any:
    return (x * x).sum(axis=1)


def column_sums(xp: Any, x: Any) -> Any:
    return (x * x).sum(axis=0)


def transposed(xp: Any, x: Any) -> Any:
    return x.T * 2 + 1


def softmax(xp: Any, x: Any) -> Any:
    e = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def layer_norm(xp: Any, x: Any) -> Any:
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / xp.sqrt((centred * centred).mean(axis=-1, keepdims=True) + 1e-5)


def torch_layer_norm(torch: Any, x: Any) -> Any:
    return torch.nn.functional.layer_norm(x, x.shape[-1:])


def product(xp: Any, x: Any) -> Any:
    return xp.tanh(x @ x.T)


def attention(xp: Any, x: Any) -> Any:
    """A block of a transformer without weights: products, softmax and a gate, in half precision."""
    scores = x @ x.T
    e = xp.exp(scores - xp.max(scores, axis=1, keepdims=True))
    mixed = (e / e.sum(axis=1, keepdims=True)) @ x
    return xp.tanh(mixed) * mixed + x


def torch_attention(torch: Any, x: Any) -> Any:
    mixed = torch.softmax(x @ x.T, 1) @ x
    return torch.tanh(mixed) * mixed + x


def softmax_of_scores(xp: Any, x: Any) -> Any:
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def gelu(xp: Any, x: Any) -> Any:
    return x * 0.5 * (xp.tanh((x + x * x * x * 0.044715) * 0.7978845608) + 1)


HEADS, WIDTH, LENGTH, SEQUENCES = 16, 1024, 1024, 4


def transformer(
    xp: Any, x: Any, qkv: Any, out: Any, up: Any, down: Any,
    softmax: Callable[[Any, Any], Any] = softmax_of_scores,
    norm: Callable[[Any, Any], Any] = layer_norm,
) -> Any:
    """A block of a transformer as in GPT-2, without biases and masks."""
    n, length, width = x.shape
    heads = (norm(xp, x) @ qkv).reshape(n, length, 3, HEADS, width // HEADS)
    q, k, v = (heads[:, :, i].swapaxes(1, 2) for i in range(3))
    weights = softmax(xp, (q @ k.swapaxes(2, 3)) * (1 / 8))
    mixed = (weights @ v).swapaxes(1, 2).reshape(n, length, width)
    x = x + mixed @ out
    return x + gelu(xp, norm(xp, x) @ up) @ down


def torch_transformer(torch: Any, *arrays: Any) -> Any:
    return transformer(
        torch, *arrays, softmax=lambda torch, x: torch.softmax(x, -1), norm=torch_layer_norm)


def small(xp: Any, x: Any) -> Any:
    """Three kernels that take the GPU no time."""
    return xp.sum(x, axis=1), x * 2, xp.max(x, axis=0)


def twenty_operations(xp: Any, x: Any) -> Any:
    for _ in range(5):
        x = xp.sqrt(abs(x) + 1) * x
    return x


LONG = ((100_000_000,),)
SQUARE = ((8192, 8192),)
BLOCK = ((SEQUENCES, LENGTH, WIDTH), (WIDTH, 3 * WIDTH), (WIDTH, WIDTH), (WIDTH, 4 * WIDTH),
         (4 * WIDTH, WIDTH))
BLOCK_OPERATIONS = 2.0 * SEQUENCES * LENGTH * WIDTH * (12 * WIDTH + 2 * LENGTH)

PROGRAMS = (
    Program("arithmetic", arithmetic, LONG, "f4", 2, is_pointwise=True),
    Program("exp and tanh", chain, LONG, "f4", 2, is_pointwise=True),
    Program("exp and tanh, float64", chain, ((50_000_000,),), "f8", 2, 1e-12, is_pointwise=True),
    Program("sum", total, LONG, "f4", 1, 1e-4),
    Program("sums of rows", row_sums, ((8192, 16384),), "f4", 1),
    Program("sums of columns", column_sums, ((16384, 8192),), "f4", 1, 1e-4),
    Program("transposed", transposed, SQUARE, "f4", 2),
    Program("softmax", softmax, SQUARE, "f4", 2, torch=lambda torch, x: torch.softmax(x, 1)),
    Program("layer norm", layer_norm, SQUARE, "f4", 2, 1e-4, torch=torch_layer_norm),
    Program("product", product, ((4096, 4096),), "f4", 2, 1e-3, 2 * 4096**3),
    Program("attention, float16", attention, ((4096, 1024),), "f2", 2, 2e-2, 4 * 4096**2 * 1024,
            torch=torch_attention),
    Program("transformer block, float16", transformer, BLOCK, "f2", 2, 2e-2, BLOCK_OPERATIONS,
            torch=torch_transformer),
)
