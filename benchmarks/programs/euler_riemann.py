"""Riemann problems of the one-dimensional Euler equations by finite volumes (MUSCL, HLL, Heun)."""
import numpy as np

GAMMA = 1.4
CELLS = 480

PROBLEMS = {
    "Sod": ((1.0, 0.0, 1.0), (0.125, 0.0, 0.1), 0.2),
    "Lax": ((0.445, 0.698, 3.528), (0.5, 0.0, 0.571), 0.13),
    "rarefactions": ((1.0, -1.0, 0.4), (1.0, 1.0, 0.4), 0.15),
    "blast": ((1.0, 0.0, 100.0), (1.0, 0.0, 0.01), 0.03),
}


def conserved(rho, u, p):
    return np.array([rho, rho * u, p / (GAMMA - 1) + 0.5 * rho * u**2])


def primitive(q):
    rho = q[0]
    u = q[1] / rho
    p = (GAMMA - 1) * (q[2] - 0.5 * rho * u**2)
    return rho, u, p


def flux(q):
    _, u, p = primitive(q)
    return np.stack([q[1], q[1] * u + p, (q[2] + p) * u])


def minmod(a, b):
    return np.where(a * b > 0, np.where(np.abs(a) < np.abs(b), a, b), 0.0)


def hll(left, right):
    """Flux of Harten, Lax and van Leer with Davis' estimates of the wave speeds."""
    rho_l, u_l, p_l = primitive(left)
    rho_r, u_r, p_r = primitive(right)
    c_l = np.sqrt(GAMMA * p_l / rho_l)
    c_r = np.sqrt(GAMMA * p_r / rho_r)
    slow = np.minimum(u_l - c_l, u_r - c_r)
    fast = np.maximum(u_l + c_l, u_r + c_r)
    f_l, f_r = flux(left), flux(right)
    middle = (fast * f_l - slow * f_r + slow * fast * (right - left)) / (fast - slow)
    return np.where(slow >= 0, f_l, np.where(fast <= 0, f_r, middle))


def rate(q, dx):
    """Change of the cells' averages; two ghost cells on each side repeat the outermost one."""
    padded = np.concatenate([q[:, :1], q[:, :1], q, q[:, -1:], q[:, -1:]], axis=1)
    jumps = np.diff(padded, axis=1)
    slopes = minmod(jumps[:, :-1], jumps[:, 1:])
    inner = padded[:, 1:-1]
    faces = hll((inner + 0.5 * slopes)[:, :-1], (inner - 0.5 * slopes)[:, 1:])
    return -(faces[:, 1:] - faces[:, :-1]) / dx


def solve(left, right, end):
    dx = 1.0 / CELLS
    x = (np.arange(CELLS) + 0.5) * dx
    q = np.where(x < 0.5, conserved(*left)[:, None], conserved(*right)[:, None])
    time, steps = 0.0, 0
    while time < end:
        rho, u, p = primitive(q)
        if rho.min() <= 0 or p.min() <= 0:
            print("negative density or pressure at time", time)
            break
        dt = 0.4 * dx / np.max(np.abs(u) + np.sqrt(GAMMA * p / rho))
        dt = min(dt, end - time)
        first = q + dt * rate(q, dx)
        q = 0.5 * (q + first + dt * rate(first, dx))
        time += dt
        steps += 1
    return q, steps


def main():
    for name, (left, right, end) in PROBLEMS.items():
        q, steps = solve(left, right, end)
        rho, u, p = primitive(q)
        front = int(np.argmax(np.abs(np.diff(rho))))
        print(f"{name}: {steps} steps, steepest at cell {front}, fastest {np.abs(u).max():.5f}")
        print("  sums", [float(total).hex() for total in q.sum(axis=1)], float(p.sum()).hex())


if __name__ == "__main__":
    main()
