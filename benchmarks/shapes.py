"""Compilations over many lengths, and memory."""
from __future__ import annotations

import itertools
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

import dynamo_lite as dl

from .measure import Figure, fresh_process, interleave
from .throughput import chain


def lengths() -> list[Figure]:
    dl.reset()
    compiled = dl.compile(chain)
    for n in range(10, 1010, 50):
        x, y = np.random.default_rng(n).normal(size=(2, n))
        np.testing.assert_allclose(compiled(x, y), chain(x, y), rtol=1e-13, atol=1e-14)
    count = len(compiled.entries())
    return [Figure("20 different lengths", f"{count} compilations", "<= 2", count <= 2)]


def moved(x, y):  # type: ignore[no-untyped-def]
    return (x[2:] + x[:-2] - 2 * x[1:-1]) * y[1:-1]


def standardised(x, y):  # type: ignore[no-untyped-def]
    rows = x.reshape(-1, 50)
    return (rows - rows.mean(axis=1, keepdims=True)) / rows.std(axis=1, keepdims=True) + y[:50]


def softmax(x, y):  # type: ignore[no-untyped-def]
    e = np.exp(x - x.max())
    return e / e.sum() * y


def masked(x, y):  # type: ignore[no-untyped-def]
    return np.where(x > 0, x * y, y - x).sum(), x[x > 0.5].sum()


def halves(x, y):  # type: ignore[no-untyped-def]
    n = len(x) // 2
    return np.concatenate([x[:n] * 2, y[n:] + 1]), x[::2] + y[1::2]


def written(x, y):  # type: ignore[no-untyped-def]
    z = x.copy()
    z[1:-1] = (x[:-2] + x[2:]) * 0.5
    z[: len(y) // 4] += y[: len(y) // 4]
    return z


def columns(x, y):  # type: ignore[no-untyped-def]
    table = x.reshape(-1, 20)
    return table.sum(axis=0), table.T @ y.reshape(-1, 20)


def steady() -> list[Figure]:
    """The same calls through symbolic and through fixed sizes: the median of eight programs."""
    x, y = np.random.default_rng(0).normal(size=(2, 20_000))
    smaller = np.random.default_rng(1).normal(size=(2, 19_000))
    ratios = {}
    for program in (chain, moved, standardised, softmax, masked, halves, written, columns):
        dynamic, static = dl.compile(program), dl.compile(program, dynamic=False)
        dynamic(*smaller)
        times = interleave({"dynamic": partial(dynamic, x, y), "static": partial(static, x, y)},
                           number=20)
        ratios[program.__name__] = times["dynamic"] / times["static"]
    median = float(np.median([*ratios.values()]))
    slowest = max(ratios, key=ratios.__getitem__)
    found = f"{median:.3f} (at most {ratios[slowest]:.2f}, {slowest})"
    return [Figure("symbolic sizes / fixed sizes, 20,000 elements, median of 8 programs", found,
                   "<= 1.05", median <= 1.05)]


def zero_one_and_large() -> list[Figure]:
    compiled = dl.compile(chain)
    for n in (0, 1, 2, 5, 10**6):
        x, y = np.random.default_rng(n).normal(size=(2, n))
        np.testing.assert_allclose(compiled(x, y), chain(x, y), rtol=1e-13, atol=1e-14)
    count = len(compiled.entries())
    return [Figure("sizes 0, 1, 2, 5 and 10**6", f"{count} compilations", "<= 2", count <= 2)]


def four_arguments() -> list[Figure]:
    """Each of four dimensions takes ten sizes in turn."""
    def combine(a, b, c, d):  # type: ignore[no-untyped-def]
        return np.tanh(a * 2 + 1).sum() + (b - b.mean()).max() + np.sqrt(c * c).sum() * d.sum()

    compiled = dl.compile(combine)
    for varied in range(4):
        for n in range(3, 13):
            arrays = [np.linspace(0, 1, n if k == varied else 5) for k in range(4)]
            np.testing.assert_allclose(compiled(*arrays), combine(*arrays), rtol=1e-12)
    count = len(compiled.entries())
    return [Figure("4 arguments, 10 sizes each in turn", f"{count} compilations", "<= 5",
                   count <= 5)]


def int_argument() -> list[Figure]:
    def window(x, n):  # type: ignore[no-untyped-def]
        return x[: 2 * n].sum() / n + x[n:] * (n % 7) - n ** 2

    compiled = dl.compile(window)
    x = np.linspace(0, 1, 200)
    for n in range(2, 51):
        np.testing.assert_allclose(compiled(x, n), window(x, n), rtol=1e-12)
    count = len(compiled.entries())
    return [Figure("an int argument of 2..50", f"{count} compilations", "<= 2", count <= 2)]


def guards() -> list[Figure]:
    """Eight arrays of twelve different sizes, with ten relations between them."""
    def many(a, b, c, d, e, f, g, h):  # type: ignore[no-untyped-def]
        arrays, total = (a, b, c, d, e, f, g, h), 0.0
        for k, array in enumerate(arrays):
            total = total + array.sum()
            if k and array.shape[0] + k < arrays[k - 1].shape[0]:
                total = total * 2
        if arrays[4].shape[1] > 2 * arrays[5].shape[1] or arrays[6].shape[1] == 7:
            total = total + 1
        return total if arrays[7].shape[1] % 3 != 1 else -total

    compiled = dl.compile(many, dynamic=True)
    sizes = [(20 + 3 * k,) for k in range(4)] + [(60 + 5 * k, 9 + 2 * k) for k in range(4)]
    arrays = tuple(np.ones(shape) for shape in sizes)
    compiled(*arrays)
    (entry,) = compiled.entries()
    nanoseconds = min(entry.program.time(arrays, 20_000) for _ in range(50))
    relations = sum(op[0] == "RELATION" for op in entry.info.flat.ops)
    what = f"guards of 8 arrays, {len(entry.info.shapes.infos)} symbols, {relations} relations"
    return [Figure(what, f"{nanoseconds:.0f} ns", "<= 150 ns", nanoseconds <= 150)]


PEAK = """
import numpy as np, dynamo_lite as dl
from benchmarks.measure import resident
def chain(x, y): return np.tanh(np.exp(-x * x) + y) * 0.5 - x
compiled = dl.compile(chain)
small = np.ones((2, 2_000_000))
compiled(*small); compiled(*np.ones((2, 3_000_000)))
x, y = np.ones((2, 10_000_000))
open("/proc/self/clear_refs", "w").write("5")
before = resident("VmHWM")
result = compiled(x, y)
print((resident("VmHWM") - before - result.nbytes) / 2**20)
"""


def peak_memory() -> list[Figure]:
    extra = float(fresh_process(PEAK))
    return [Figure("peak memory of the fused chain beyond inputs and output", f"{extra:.1f} MiB",
                   "<= 1 MB", extra <= 1.0)]


def selected(x: np.ndarray) -> np.ndarray:
    return x[x > 0]


def total_of_selected(x: np.ndarray) -> np.floating:
    return x[x > 0].sum()


def zeroed(x: np.ndarray) -> np.ndarray:
    y = x.copy()
    y[y > 0] = 0
    return y


def places(x: np.ndarray) -> tuple[np.ndarray, ...]:
    return np.where(x > 0)


def masks() -> list[Figure]:
    """Boolean masks of random data, against NumPy."""
    found = []
    for function in (selected, total_of_selected, zeroed, places):
        for n, number in ((10, 200), (1_000_000, 1)):
            x = np.random.default_rng(n).normal(size=n)
            compiled = dl.compile(function)
            np.testing.assert_allclose(compiled(x), function(x), rtol=1e-13, atol=1e-14)
            times = interleave(
                {"numpy": partial(function, x), "ours": partial(compiled, x)}, number=number
            )
            ratio = times["ours"] / times["numpy"]
            found.append(Figure(f"{function.__name__} of {n:,} elements / NumPy", f"{ratio:.2f}",
                                "<= 1", ratio <= 1))
    return found


JAGGED = """
import runpy, sys, time
import numpy as np, dynamo_lite as dl
example = runpy.run_path(sys.argv[1])
function, batches = example["function"], [example["inputs"](seed) for seed in range(8)]
compiled, seconds = dl.compile(function), []
for batch in batches:
    begin = time.perf_counter()
    found = compiled(*batch)
    seconds.append(time.perf_counter() - begin)
    for want, got in zip(function(*batch), found):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)
print(max(seconds[:2]), len(compiled.entries()), max(e.bailouts for e in compiled.entries()))
"""


def jagged() -> list[Figure]:
    """Features of 500 keys and a ragged batch: the slower of the two compilations there are."""
    seconds, entries, bailouts = map(float, uncached(JAGGED, "07_jagged").split())
    return [
        Figure("jagged features of 500 keys, compiled in", f"{seconds:.2f} s", "<= 2 s",
               seconds <= 2),
        Figure("compilations for 8 batches of other lengths", f"{entries:.0f}", "<= 2",
               entries <= 2 and not bailouts),
    ]


DECODER = """
import runpy, sys, time
import numpy as np, dynamo_lite as dl
example = runpy.run_path(sys.argv[1])
step, kind, (batch, steps) = example["step"], example[sys.argv[2]], map(int, sys.argv[3:])
model, compiled = example["Decoder"](np.random.default_rng(0)), dl.compile(example["step"])
totals, last = {}, {}
for name, run in (("warm", step), ("numpy", step), ("ours", compiled)):
    caches, tokens = model.caches(kind, batch, steps), np.arange(batch) % 256
    for cache in caches:  # whose memory is new and whose is not would be luck
        cache.keys[...] = cache.values[...] = 0
    begin = time.perf_counter()
    for n in range(1, steps + 1):
        last[name] = run(model, tokens, caches)
        tokens = last[name].argmax(axis=-1)
        totals[name, n] = time.perf_counter() - begin
np.testing.assert_allclose(last["ours"], last["numpy"], rtol=1e-3, atol=1e-3)
print(len(compiled.entries()), *[totals["ours", n] / totals["numpy", n] for n in (64, steps)])
"""


def decoder() -> list[Figure]:
    """Steps of growing length, compile time included, against NumPy, which ran once before."""
    found = []
    for kind, (batch, steps) in itertools.product(
        ("Grown", "Preallocated"), ((64, 512), (256, 64))
    ):
        printed = uncached(DECODER, "08_decoder", kind, str(batch), str(steps)).split()
        entries, *ratios = map(float, printed)
        what = f"decoder, {batch} sequences, cache {kind.lower()}"
        found += [
            Figure(f"{what}, {n} steps / NumPy", f"{ratio:.2f}", "<= 1", ratio <= 1)
            for n, ratio in {64: ratios[0], steps: ratios[1]}.items()
        ]
        found.append(Figure(f"{what}, lengths 1 to {steps}", f"{entries:.0f} compilations", "<= 3",
                            entries <= 3))
    return found


def uncached(source: str, example: str, *arguments: str) -> str:
    """What a script prints about an example in a new process that finds nothing on the disk."""
    path = Path(__file__).parents[1] / "examples" / f"{example}.py"
    with tempfile.TemporaryDirectory() as empty:
        return fresh_process(source, str(path), *arguments, DYNAMO_CACHE_DIR=empty)


FIGURES = (
    lengths, steady, zero_one_and_large, four_arguments, int_argument, guards, masks, jagged,
    decoder, peak_memory,
)
