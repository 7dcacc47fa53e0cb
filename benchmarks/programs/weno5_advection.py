"""Linear advection of bumps and edges by fifth-order WENO (Jiang and Shu) and SSP Runge-Kutta 3."""
import numpy as np

EPSILON = 1e-6


def initial(x):
    """A smooth bump, a square, a triangle and half an ellipse on [-1, 1]."""
    u = np.zeros_like(x)
    bump = np.abs(x + 0.7) < 0.15
    u[bump] = np.exp(-np.log(2) * (x[bump] + 0.7) ** 2 / 0.0009)
    u[(x > -0.4) & (x < -0.2)] = 1.0
    u = np.where(np.abs(x - 0.1) < 0.1, 1 - np.abs(10 * (x - 0.1)), u)
    ellipse = np.abs(x - 0.5) < 0.1
    u[ellipse] = np.sqrt(np.maximum(1 - 100 * (x[ellipse] - 0.5) ** 2, 0.0))
    return u


def reconstruct(u):
    """Values at the right faces of the cells, biased to the left."""
    a, b, c, d, e = np.roll(u, 2), np.roll(u, 1), u, np.roll(u, -1), np.roll(u, -2)
    p0 = (2 * a - 7 * b + 11 * c) / 6
    p1 = (-b + 5 * c + 2 * d) / 6
    p2 = (2 * c + 5 * d - e) / 6
    beta0 = 13 / 12 * (a - 2 * b + c) ** 2 + 0.25 * (a - 4 * b + 3 * c) ** 2
    beta1 = 13 / 12 * (b - 2 * c + d) ** 2 + 0.25 * (b - d) ** 2
    beta2 = 13 / 12 * (c - 2 * d + e) ** 2 + 0.25 * (3 * c - 4 * d + e) ** 2
    w0 = 0.1 / (EPSILON + beta0) ** 2
    w1 = 0.6 / (EPSILON + beta1) ** 2
    w2 = 0.3 / (EPSILON + beta2) ** 2
    return (w0 * p0 + w1 * p1 + w2 * p2) / (w0 + w1 + w2)


def rate(u, speed, dx):
    """Upwind flux difference of either sign of the speed."""
    if speed >= 0:
        flux = speed * reconstruct(u)
        return -(flux - np.roll(flux, 1)) / dx
    flux = speed * reconstruct(u[::-1])[::-1]
    return -(np.roll(flux, -1) - flux) / dx


def step(u, speed, dx, dt):
    first = u + dt * rate(u, speed, dx)
    second = 0.75 * u + 0.25 * (first + dt * rate(first, speed, dx))
    return u / 3 + 2 / 3 * (second + dt * rate(second, speed, dx))


def advect(cells, speed, end):
    dx = 2.0 / cells
    x = -1 + (np.arange(cells) + 0.5) * dx
    start = initial(x)
    u = start.copy()
    time, steps = 0.0, 0
    while time < end:
        dt = min(0.4 * dx / abs(speed), end - time)
        u = step(u, speed, dx, dt)
        time += dt
        steps += 1
        if u.max() > 1.2 or u.min() < -0.2:
            print("oscillation at time", time)
            break
    error = np.abs(u - start).mean()
    variation = np.abs(np.diff(u)).sum()
    print(f"{cells:4d} cells, speed {speed:+.1f}: {steps} steps, error {error:.5f}")
    return u, error, variation


def main():
    errors = []
    for cells in (50, 100, 200, 400):
        for speed in (1.0, -0.5):
            u, error, variation = advect(cells, speed, 2.0 / abs(speed))
            errors.append(error)
            print("  sum", float(u.sum()).hex(), "variation", float(variation).hex())
    orders = np.log2(np.array(errors[:-2]) / np.array(errors[2:]))
    print("orders", np.round(orders, 3), float(orders.sum()).hex())


if __name__ == "__main__":
    main()
