"""Mathematical functions."""
# ruff: noqa
import numpy as np
from numpy.polynomial import Polynomial

from .entries import C, F, I, J, M, N, P, T, V, W, survey


@survey(V, close=True)
def trigonometry(x): return np.sin(x), np.cos(x) ** 2, np.tan(x), np.arctan2(x, 2.0), np.hypot(x, 3.0), np.deg2rad(x), np.degrees(x)


@survey(P, close=True)
def inverse_trigonometry(x):
    y = x / (1 + x)
    return np.arcsin(y), np.arccos(y), np.arctan(x), np.arcsinh(x), np.arccosh(x + 1), np.arctanh(y)


@survey(V, close=True)
def hyperbolic(x): return np.sinh(x), np.cosh(x), np.tanh(x), np.sinc(x), np.i0(x)


@survey(P, close=True)
def logarithms(x): return np.log(x), np.log2(x), np.log10(x), np.log1p(x), np.logaddexp(x, 1.0), np.logaddexp2(x, x)


@survey(V, close=True)
def exponentials(x): return np.exp(x), np.exp2(x), np.expm1(x), np.power(2.0, x), x**3, np.float_power(np.abs(x), 0.5)


@survey(V)
def rounding(x): return np.round(x, 2), np.around(x), np.rint(x), np.floor(x), np.ceil(x), np.trunc(x), x.round(1)


@survey(V, breaks=1, why="not an operation of the graph")  # NumPy 2.5 warns of it
def rounding_to_zero(x): return np.fix(x)


@survey(V, W)
def arithmetic(x, y): return x + y, x - y, x * y, x / y, x // y, x % y, -x, abs(x), np.fmod(x, y), np.divmod(x, y)


@survey(I, J)
def integer_arithmetic(i, j): return i + 1, i * i, i // 2, i % 3, i**2, -i, np.gcd(i, 6), np.lcm(i, 4), i[:4] << j[0], np.divmod(i, 4)


@survey(V)
def parts(x): return np.modf(x), np.frexp(x), np.ldexp(x, 2), np.copysign(1.0, x), np.signbit(x), np.sign(x), np.spacing(x), np.nextafter(x, 1.0)


@survey(V)
def steps(x): return np.heaviside(x, 0.5), np.clip(x, -1, 1), x.clip(min=0), np.clip(x, None, 0.5), np.maximum(x, 0), np.fmin(x, 0)


@survey(M)
def sums(x): return x.sum(), np.sum(x, axis=0), x.sum(axis=(0, 1)), np.prod(x, axis=1), x.sum(axis=1, keepdims=True), np.sum(x, dtype="f4")


@survey(M)
def sums_with_options(x): return np.sum(x, where=x > 0), np.sum(x, initial=10.0), np.max(x, initial=5.0), np.min(x, axis=0, where=x < 0, initial=0.0)


@survey(M)
def cumulative(x): return np.cumsum(x), np.cumsum(x, axis=1), np.cumprod(x, axis=0), x.cumsum(), np.cumulative_sum(x[0], include_initial=True)


@survey(N)
def nan_folds(x): return np.nansum(x), np.nanmean(x, axis=0), np.nanmax(x), np.nanmin(x, axis=1), np.nanprod(x), np.nanstd(x), np.nanvar(x, axis=1), np.nanmedian(x)


@survey(N)
def nan_positions(x): return np.nanargmax(x), np.nanargmin(x, axis=0), np.nancumsum(x), np.nancumprod(x, axis=1), np.nan_to_num(x), np.nanpercentile(x, 30), np.nanquantile(x, 0.3, axis=0)


@survey(V)
def differences(x): return np.diff(x), np.diff(x, n=2), np.ediff1d(x), np.diff(x, prepend=0), np.diff(x, append=x[:1])


@survey(M)
def gradients(x): return np.gradient(x[0]), np.gradient(x), np.gradient(x, 0.5, axis=1), np.gradient(x[0], np.arange(6.0) ** 2)


@survey(M)
def gradient_edges(x): return np.gradient(x, edge_order=2), np.diff(x, axis=0), np.diff(x, axis=1)


@survey(V, W)
def crosses(x, y): return np.cross(x[:3], y[:3]), np.cross(x.reshape(4, 3), y.reshape(4, 3)), np.linalg.cross(x[:3], y[3:6])


@survey(P, V)
def integrals(y, x): return np.trapezoid(y), np.trapezoid(y, np.cumsum(y)), np.trapezoid(y, dx=0.1)


@survey(V, W)
def convolutions(x, y): return np.convolve(x, y[:3]), np.convolve(x, y[:3], mode="same"), np.correlate(x, y[:4]), np.convolve(x, [1, 2, 1], "valid")


@survey(V, W)
def interpolation(x, y): return np.interp(x, np.sort(y), y), np.interp(0.5, [0.0, 1.0], [2.0, 3.0]), np.interp(x, [0, 1], [0, 1], left=-1, right=2)


@survey(C, close=True, breaks=1, why="Python gets values, or calls back")
def complex_parts(c): return c.real, c.imag, np.angle(c), np.conj(c), np.abs(c), c.conj(), np.real(c) + 1, np.angle(c, deg=True), np.real_if_close(c)


@survey(C, close=True)
def complex_arithmetic(c): return c + 1, c * c, c / 2, c * 1j, np.exp(c), np.sqrt(c), c**2, -c, (c * c.conj()).real, np.sum(c), c.mean()


@survey(V, close=True)
def make_complex(x): return x + 1j * x, np.exp(1j * x), np.exp(1j * x).real, np.vdot(x + 1j, x), np.abs(x + 2j)


@survey(np.cumsum(P) * 3)
def unwraps(x): return np.unwrap(x), np.unwrap(x, period=4.0)


@survey(V, close=True, breaks=1, why="sizes depend on data")
def polynomials(x): return np.polyval([1.0, 2.0, 3.0], x), np.polyadd([1, 2], [1]), np.polymul([1, 2], [3, 4]), np.polyder([1.0, 2.0, 3.0]), np.polyint([1.0, 2.0])


@survey(V, W, close=True)
def polynomial_fits(x, y):
    p = np.polyfit(x, y, 2)
    return p, np.polyval(p, x)


@survey(V, close=True, breaks=2, why="sizes depend on data")
def roots(x): return np.roots([1.0, -3.0, 2.0]), np.poly([1.0, 2.0]), np.polydiv([1.0, 2.0, 1.0], [1.0, 1.0])


@survey(V, close=True)
def polynomial_objects(x):
    return Polynomial([1, 2, 3])(x)


@survey(V, close=True)
def polynomial_series(x): return np.polynomial.polynomial.polyval(x, [1.0, 2.0, 3.0]), np.polynomial.chebyshev.chebval(x, [1.0, 2.0])


@survey(F, close=True)
def single_precision(f): return np.exp(f), f * 2, f + 1.5, f / 3, np.sqrt(np.abs(f)), f.mean(), f.std(), f.sum()


@survey(T)
def axes_of_folds(x): return x.max(axis=(0, 2)), x.min(axis=-1), np.ptp(x, axis=1), x.argmax(axis=2), x.argmin(), x.prod(axis=0), np.amax(x)


@survey(np.array([0.0, 1, 4, np.inf, np.nan]))
def special_values(x): return np.isnan(x), np.isinf(x), np.isfinite(x), np.isposinf(x), np.isneginf(x), np.sqrt(x), np.cbrt(x), np.square(x), np.reciprocal(x + 1)


@survey(np.float32(1.5), np.int64(3), 2.5, breaks=1, why="not an operation of the graph")
def scalar_mathematics(f, i, p): return f * 2, i / 2, f + p, i**2, np.sqrt(f), np.float64(p) * 2, abs(-f), round(p), divmod(i, 2), f.real, i.bit_count()


@survey(V)
def numeric_limits(x): return x * np.pi + np.e, np.finfo(x.dtype).eps, np.iinfo("i4").max, x + np.finfo(float).tiny, np.inf * 1, np.euler_gamma


@survey(M)
def normalise(x): return (x - x.mean(axis=0)) / x.std(axis=0), x / np.linalg.norm(x, axis=1, keepdims=True), (x - x.min()) / np.ptp(x)
