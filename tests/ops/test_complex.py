"""Functions of complex arrays: compiled equals eager, bit for bit, in every layout."""
import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.base.config import config
from tests.oracle import differences, outcome


def arithmetic(z, w, r):
    return z + r, r - z, z * r, r * w, z / (r + 3), z + 1, z * 2.5, 1j * z, 2 / (z + 3), z - 0.5j


def in_place(z, w, r):
    z *= z
    z += w
    z -= 0.5
    z *= 1j
    return z


def parts_written(z, w, r):
    z.real[...] = r
    z.imag *= 2
    return z, z.real + z.imag, w.real * z.imag


def parts_of_results(z, w, r):
    q = z * w
    q.real[...] = r
    a = q.imag
    a += 1
    return q, a, q.real, (z + w).imag


def parts(z, w, r):
    return np.abs(z) * (1 - r**2) + z.real * w.imag, (z * z + w).real, np.real(r), np.imag(r)


def masks(z, w, r):
    m = np.abs(z) > 1
    z[m] = z[m] * w[m]
    w[~m] = 1j
    z[r > 0] = 0
    return z, w, m


def choices(z, w, r):
    return (np.where(np.abs(z) > 1, z, w), np.where(r > 0, z, 0), np.where(z == w, 1j, z),
            np.where(z, 1, 2))


def unary(z, w, r):
    return z.conj() * w, np.conj(z), -z, +z, np.square(z), np.reciprocal(z)


def casts(z, w, r):
    return (z.astype(np.complex64), z.astype(np.complex128), r.astype(np.complex128) * z,
            z.astype(bool), r.astype(np.complex64))


def imaginary_parts_dropped(z, w, r):
    r[...] = z
    return r, z.astype(np.float64)


def comparisons(z, w, r):
    return (np.isnan(z), np.isfinite(z), np.isinf(z), z == w, z != w, z < w, z >= w,
            ~(z == w) & (r > 0), np.logical_not(z), np.logical_and(z, r))


def powers(z, w, r):
    return (z**2, z**3, z**0.5, z**-1, np.power(z, 2), z**4, z**7.0, z**-2, np.power(z, -3), z**10,
            np.power(z, 1), np.power(z, 0), z**101, z ** (2 + 0j), np.power(z, -1), z**r, r**z)


def folds(z, w, r):
    return ((z * w).sum(), z.sum(axis=0), z.mean(), np.prod(z), z.cumsum(), np.any(z), np.all(z),
            np.count_nonzero(z), z.max(), np.add.reduce(z, axis=-1))


def functions(z, w, r):
    return np.exp(1j * r) * z, np.sqrt(z) + w, np.angle(z), np.sin(z) * 2, np.sign(z) - z


def made(z, w, r):
    return (np.zeros_like(z) + w, np.ones(3, complex), np.full(z.shape, 1 + 2j) * z,
            np.eye(3, dtype=complex), np.array([1j, 2]) * 2)


def moved(z, w, r):
    return (np.concatenate([z, w * 2]), np.stack([z, w]), z[::-1] * w, z[::2] + w[::2], z.T * 2,
            z[1:].copy(), np.abs(z[::-1]))


def numbers(z, w, r):
    s, t = z.reshape(-1)[0], w.reshape(-1)[1]
    return (s * z, s * t, s + t, abs(s), s.real, s.conjugate(), s.imag * r, s / t, s**2, np.abs(s),
            np.multiply(s, t), s == t, (s * t).real)


def positions(z, w, r):
    i = np.arange(z.shape[0])[::-1]
    q = z[i] * 2
    z[i[:2]] = 5j
    return q, z, np.take(w, i, axis=0)


def pieces(z, w, r):
    z[1:] = z[:-1] * 2
    z[0] = 1j
    z[-1] += r[0]
    w[1:-1] *= z[1:-1]
    return z, w


def reinterpreted(z, w, r):
    v = z.view(r.dtype)
    v *= 2
    return z * w, (z * 2).view(r.dtype)


def out_given(z, w, r):
    np.multiply(z, w, out=w)
    return z, np.square(w, out=z), np.add(z, r, out=w)


def reversed_results(z, w, r):
    v = (w / (z + 3))[::-1]
    q = z + w
    u = q[::-1]
    u += 1
    return (v * w).real, np.abs(v), np.square(u), (v * v)[::2] * r[::2]


FUNCTIONS = (
    arithmetic, in_place, out_given, parts_written, parts_of_results, parts, masks, choices, unary,
    casts, imaginary_parts_dropped, comparisons, powers, folds, functions, made, moved, numbers,
    positions, pieces, reinterpreted, reversed_results,
)
EDGES = [0, -0.0, 1, complex(0, -0.0), complex(np.inf, 1), complex(np.nan, 0), 1e30, -1e-30j]
LAYOUTS = {
    "packed": lambda full: full(11),
    "short": lambda full: full(2),
    "long": lambda full: full(1000),
    "apart": lambda full: full(22)[::2],
    "reversed": lambda full: full(22)[::-2],
    "rows": lambda full: full(5, 7),
    "columns": lambda full: np.asfortranarray(full(5, 7)),
    "part": lambda full: full(9, 8)[1:7, ::3],
    "edges": lambda full: np.array(EDGES * 3, full(1).dtype),
}


def arguments(layout, dtype):
    rng = np.random.default_rng(7)

    def full(*shape):
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)

    z = LAYOUTS[layout](full)
    return z, full(*z.shape), rng.standard_normal(z.shape).astype(z.real.dtype)


def check(function, make, **errstate):
    compiled = dl.compile(function)
    for made in make:
        expected = outcome(function, made(), **errstate)
        for _ in range(2):
            problems = differences(outcome(compiled, made(), **errstate), expected)
            assert not problems, problems


@pytest.mark.parametrize("reports", ["ignore", "warn"])
@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_layouts(function, dtype, reports):
    dl.reset()
    with config.patch(strict=True):
        check(function, [lambda at=at: arguments(at, dtype) for at in LAYOUTS], all=reports)


def multiplied_by_neighbours(z, w):
    z[::2] *= z[1::2]
    return z


def multiplied_by_the_reverse(z, w):
    z[::2] *= z[::-1][::2]
    z[::-1] *= w
    return z


def multiplied_by_those_before(z, w):
    z[1:] *= z[:-1]
    z[1:] *= z[1:]
    return z


def multiplied_backwards(z, w):
    np.multiply(z, w, out=w[::-1])
    lengths = np.empty(len(z), z.real.dtype)
    np.abs(z, out=lengths[::-1])
    return w, lengths


@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("function", [
    multiplied_by_neighbours, multiplied_by_the_reverse, multiplied_by_those_before,
    multiplied_backwards,
], ids=lambda f: f.__name__)
def test_products_within_one_memory(function, dtype):
    """How NumPy rounds them depends on where they are written."""
    rng = np.random.default_rng(2)
    dl.reset()
    for dynamic in (False, True):
        compiled = dl.compile(function, dynamic=dynamic)
        for n in (8, 152) if not dynamic else (8, 152, 40):
            for step in (1, -1):
                parts = rng.standard_normal((2, 2, n))
                z, w = (parts[0] + 1j * parts[1]).astype(dtype)
                expected = outcome(function, (z.copy()[::step], w.copy()))
                found = outcome(compiled, (z.copy()[::step], w.copy()))
                assert not differences(found, expected)


def multiplied(z, w):
    z *= w
    q = z + 1
    q *= q
    return z, q


def multiplied_into(z, w):
    np.multiply(z, 0.3 - 1.7j, out=z)
    return np.multiply(z, w, out=z), np.multiply(z, w, out=w), np.square(w, out=w), z * w


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("function", [multiplied, multiplied_into])
def test_single_elements_in_place(function, dtype, dynamic):
    """NumPy rounds them otherwise where they are written in place."""
    rng = np.random.default_rng(1)
    dl.reset()
    compiled = dl.compile(function, dynamic=dynamic)
    for shape in [(3,), (1,), (2,), (1,)] if dynamic else [(), (1,), (1, 1)]:
        for _ in range(30):
            parts = rng.standard_normal((2, 2, *shape))
            z, w = (np.asarray(part) for part in (parts[0] + 1j * parts[1]).astype(dtype))
            expected = outcome(function, (z.copy(), w.copy()))
            assert not differences(outcome(compiled, (z.copy(), w.copy())), expected)


def mandelbrot(c):
    z, n = np.zeros_like(c), np.zeros(c.shape, np.int64)
    for _ in range(12):
        z = z * z + c
        inside = z.real**2 + z.imag**2 <= 4
        n += inside
        z = np.where(inside, z, 2)
    return n, z


def mandelbrot_by_masks(c):
    z, n = np.zeros_like(c), np.zeros(c.shape, np.int64)
    for _ in range(6):
        inside = np.abs(z) <= 2
        z[inside] = z[inside] * z[inside] + c[inside]
        n += inside
    return n, z


def julia(c):
    z = c.copy()
    for _ in range(9):
        z *= z
        z += -0.4 + 0.6j
    return z, np.abs(z) > 2


def newton(c):
    """To the roots of unity."""
    z = c.copy()
    for _ in range(5):
        z = z - (z**3 - 1) / (3 * z**2)
    return z, np.argmin(np.abs(z[..., None] - np.array([1, 1j, -1], c.dtype)), axis=-1)


def fft(c):
    """Radix 2, by halves, on the first elements of the rows."""
    x = c[:, :32].copy()
    length = 1
    x = x.reshape(len(x), -1, 1)
    while x.shape[1] > 1:
        half = x.shape[1] // 2
        even, odd = x[:, :half], x[:, half:]
        turn = np.array([np.exp(-1j * np.pi * k / length) for k in range(length)], c.dtype)
        odd = odd * turn
        x = np.concatenate([even + odd, even - odd], axis=2)
        length *= 2
    return x[:, 0]


def rotated(c):
    angles = np.linspace(0, 1, c.shape[1])
    turn = np.exp(1j * angles)
    return c * turn, (c * turn.conj()).imag, (c * c.conj()).real


def schroedinger(c):
    psi, dt = c.copy(), 0.01
    for _ in range(4):
        curved = np.zeros_like(psi)
        curved[:, 1:-1] = psi[:, 2:] - 2 * psi[:, 1:-1] + psi[:, :-2]
        psi = psi + 0.5j * dt * curved
        psi /= np.sqrt(np.sum(np.abs(psi) ** 2))
    return psi, np.abs(psi) ** 2


def response(c):
    """Of a filter of the second order."""
    above, below = np.zeros_like(c), np.ones_like(c)
    for b, a in ((0.2, -0.5), (0.1, 0.3)):
        above = (above + b) * c
        below = below + a * c
    gain = above / (below + 3)
    return gain, 20 * np.abs(gain), gain.real < gain.imag


def recursive(c):
    """A filter, number by number."""
    x = c.ravel()
    y, total = np.zeros_like(x), x[0]
    for i in range(1, len(x)):
        y[i] = x[i] * 0.5 + y[i - 1] * x[0] / 4
        total = total + y[i] * x[i]
    return y, total


def fft_by_numbers(c):
    x = c.ravel()[:64].copy()
    turn = np.exp(-2j * np.pi * np.arange(64) / 64).astype(c.dtype)
    length = 2
    while length <= 64:
        half = length // 2
        for start in range(0, 64, length):
            for k in range(start, start + half):
                even, odd = x[k], x[k + half] * turn[(k - start) * (64 // length)]
                x[k] = even + odd
                x[k + half] = even - odd
        length *= 2
    return x


@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("program", [
    mandelbrot, mandelbrot_by_masks, julia, newton, fft, rotated, schroedinger, response,
    recursive, fft_by_numbers,
], ids=lambda f: f.__name__)
def test_programs(program, dtype):
    dl.reset()

    def plane(height):
        x, y = np.linspace(-2, 1, 40), np.linspace(-1.5, 1.5, height)
        return ((x + 1j * y[:, None]).astype(dtype),)

    with config.patch(strict=True):
        check(program, [lambda n=n: plane(n) for n in (3, 17, 30, 3)], all="ignore")


def one_part(z):
    return (z * z).imag, ((z + z) * 2).conj().real, np.where(z.real > 0, (z - 1).imag, 0)


def test_reports_of_parts_that_are_not_read():
    dl.reset()
    with config.patch(strict=True):
        for number in (1e200, 1e200j, 1.7e308, 1.7e308j, 2, complex(np.inf, 0)):
            check(one_part, [lambda number=number: (np.full(9, number, complex),)], all="warn")
            check(lambda z: (z[0] * z[0]).imag, [lambda n=number: (np.full(9, n),)], all="warn")
