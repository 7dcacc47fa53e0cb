"""Discrete Fourier transforms."""
# ruff: noqa
import numpy as np

from .entries import C, M, T, V, survey


@survey(V, close=True)
def transforms(x): return np.fft.fft(x), np.fft.rfft(x), np.fft.ifft(np.fft.fft(x)), np.fft.irfft(np.fft.rfft(x)), np.fft.fft(x, 16), np.fft.rfft(x, n=8)


@survey(C, close=True)
def complex_transforms(c): return np.fft.fft(c), np.fft.ifft(c, norm="ortho"), np.fft.hfft(c), np.fft.ihfft(c.real)


@survey(M, close=True)
def of_axes(x): return np.fft.fft(x, axis=0), np.fft.fft2(x), np.fft.ifft2(x), np.fft.rfft2(x), np.fft.irfft2(np.fft.rfft2(x))


@survey(T, close=True)
def of_many_axes(x): return np.fft.fftn(x), np.fft.ifftn(x), np.fft.rfftn(x), np.fft.irfftn(np.fft.rfftn(x)), np.fft.fftn(x, axes=(0, 1))


@survey(V, M)
def frequencies(x, m): return np.fft.fftfreq(12, 0.1), np.fft.rfftfreq(12), np.fft.fftshift(x), np.fft.ifftshift(m), np.fft.fftshift(m, axes=0)


@survey(V, close=True)
def power_spectrum(x):
    spectrum = np.abs(np.fft.rfft(x * np.hanning(len(x)))) ** 2
    return spectrum / spectrum.sum(), np.fft.rfftfreq(len(x), d=1.0)


@survey(V, close=True)
def fast_convolution(x): return np.fft.irfft(np.fft.rfft(x, 24) * np.fft.rfft(x[:4], 24), 24)


@survey(V, close=True)
def low_pass(x):
    f = np.fft.fft(x)
    f[3:-2] = 0
    return np.fft.ifft(f).real
