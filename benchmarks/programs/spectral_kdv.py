"""Colliding solitons of Korteweg and de Vries by Fourier series, integrating factor and RK4."""
import numpy as np

POINTS = 256
LENGTH = 50.0
DT = 0.002
END = 13.0


def soliton(x, speed, centre):
    return 0.5 * speed / np.cosh(0.5 * np.sqrt(speed) * (x - centre)) ** 2


class KdV:
    """u_t + 6 u u_x + u_xxx = 0, for v = exp(-i k^3 t) times the transform of u."""

    def __init__(self, u):
        self.k = 2 * np.pi * np.fft.fftfreq(POINTS, LENGTH / POINTS)
        self.dealias = np.abs(self.k) < 2 / 3 * np.abs(self.k).max()
        self.v = np.fft.fft(u)
        self.half = np.exp(0.5j * self.k**3 * DT)
        self.full = self.half**2

    def nonlinear(self, v):
        u = np.real(np.fft.ifft(v))
        return -3j * self.k * self.dealias * np.fft.fft(u * u)

    def step(self):
        v, half, full = self.v, self.half, self.full
        a = DT * self.nonlinear(v)
        b = DT * self.nonlinear(half * (v + a / 2))
        c = DT * self.nonlinear(half * v + b / 2)
        d = DT * self.nonlinear(full * v + half * c)
        self.v = full * v + (full * a + 2 * half * (b + c) + d) / 6

    @property
    def u(self):
        return np.real(np.fft.ifft(self.v))

    def invariants(self):
        """Mass, momentum and energy, which the equation conserves."""
        u = self.u
        slope = np.real(np.fft.ifft(1j * self.k * self.v))
        dx = LENGTH / POINTS
        return np.array([u.sum(), (u**2).sum(), (u**3 - 0.5 * slope**2).sum()]) * dx


def crests(u, threshold=0.1):
    """Indices of the local maxima above the threshold."""
    higher = (u > np.roll(u, 1)) & (u >= np.roll(u, -1))
    return np.flatnonzero(higher & (u > threshold))


def main():
    x = np.arange(POINTS) * LENGTH / POINTS
    np.random.seed(1895)
    noise = 1e-4 * np.random.standard_normal(POINTS)
    noise[x > 40] = 0.0
    problem = KdV(soliton(x, 4.0, 10.0) + soliton(x, 1.5, 22.0) + noise)
    before = problem.invariants()
    steps = round(END / DT)
    for number in range(steps):
        problem.step()
        if number % 650 == 0:
            u = problem.u
            where = ", ".join(f"{x[i]:.2f} ({u[i]:.4f})" for i in crests(u))
            print(f"t = {number * DT:6.3f}  crests at {where}")
            if not np.isfinite(u).all():
                print("the step is too long")
                break
    change = problem.invariants() / before - 1
    print("relative change of the invariants", [f"{c:.2e}" for c in change])
    u = problem.u
    print("sums", float(u.sum()).hex(), float((u * x).sum()).hex(), float(u.max()).hex())
    print("spectrum", float(np.abs(problem.v).sum()).hex())


if __name__ == "__main__":
    main()
