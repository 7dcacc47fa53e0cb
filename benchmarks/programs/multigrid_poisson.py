"""Poisson's equation on the unit square by recursive V-cycles with red-black smoothing."""
import numpy as np

LEVELS = 8
SMOOTHING = 2


def smooth(u, f, h, sweeps):
    """Red-black Gauss-Seidel in place."""
    for _ in range(sweeps):
        for first in (1, 2):
            for i, j in ((first, 1), (3 - first, 2)):
                rows, up, down = slice(i, -1, 2), slice(i - 1, -2, 2), slice(i + 1, None, 2)
                columns, left, right = slice(j, -1, 2), slice(j - 1, -2, 2), slice(j + 1, None, 2)
                neighbours = u[up, columns] + u[down, columns] + u[rows, left] + u[rows, right]
                u[rows, columns] = 0.25 * (neighbours + h * h * f[rows, columns])


def residual(u, f, h):
    r = np.zeros_like(u)
    neighbours = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
    r[1:-1, 1:-1] = f[1:-1, 1:-1] + (neighbours - 4.0 * u[1:-1, 1:-1]) / (h * h)
    return r


def restrict(r):
    """Full weighting onto the next coarser grid."""
    n = (r.shape[0] - 1) // 2 + 1
    coarse = np.zeros((n, n))
    centre = r[2:-2:2, 2:-2:2]
    edges = r[1:-3:2, 2:-2:2] + r[3:-1:2, 2:-2:2] + r[2:-2:2, 1:-3:2] + r[2:-2:2, 3:-1:2]
    corners = r[1:-3:2, 1:-3:2] + r[1:-3:2, 3:-1:2] + r[3:-1:2, 1:-3:2] + r[3:-1:2, 3:-1:2]
    coarse[1:-1, 1:-1] = centre / 4 + edges / 8 + corners / 16
    return coarse


def prolong(coarse):
    n = 2 * (coarse.shape[0] - 1) + 1
    fine = np.zeros((n, n))
    fine[::2, ::2] = coarse
    fine[1::2, ::2] = 0.5 * (coarse[1:, :] + coarse[:-1, :])
    fine[:, 1::2] = 0.5 * (fine[:, 2::2] + fine[:, :-2:2])
    return fine


def v_cycle(u, f, h):
    if u.shape[0] <= 3:
        u[1, 1] = 0.25 * h * h * f[1, 1]
        return u
    smooth(u, f, h, SMOOTHING)
    coarse = restrict(residual(u, f, h))
    u += prolong(v_cycle(np.zeros_like(coarse), coarse, 2 * h))
    smooth(u, f, h, SMOOTHING)
    return u


def solve(f, h, name):
    u = np.zeros_like(f)
    start = np.linalg.norm(residual(u, f, h))
    for cycle in range(1, 40):
        u = v_cycle(u, f, h)
        norm = np.linalg.norm(residual(u, f, h)) / start
        if cycle % 5 == 1:
            print(f"{name}, cycle {cycle:2d}: relative residual {norm:.3e}")
        if norm < 1e-10:
            break
    else:
        print(f"{name} did not converge")
    return u, cycle


def main():
    n = 2**LEVELS + 1
    h = 1.0 / (n - 1)
    x, y = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n), indexing="ij")
    rng = np.random.default_rng(5)
    for wave in range(1, 17):
        exact = np.sin(wave * np.pi * x) * np.sin(np.pi * y)
        f = (wave**2 + 1) * np.pi**2 * exact
        u, cycles = solve(f, h, f"wave {wave}")
        print("  error", float(np.abs(u - exact).max()).hex(), "cycles", cycles)
    charges = np.where(rng.random((n, n)) > 0.995, rng.normal(size=(n, n)) / h**2, 0.0)
    u, cycles = solve(charges, h, "charges")
    print("potential", float(u.sum()).hex(), float(u.max()).hex(), float(u.min()).hex(), cycles)


if __name__ == "__main__":
    main()
