"""Flow past a cylinder by the lattice Boltzmann method (D2Q9, BGK collisions, bounce-back)."""
import numpy as np

NX, NY = 160, 64
STEPS = 720
SPEED = 0.08
REYNOLDS = 90.0
RADIUS = 7

VELOCITIES = np.array(
    [[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]]
)
WEIGHTS = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
OPPOSITE = [0, 3, 4, 1, 2, 7, 8, 5, 6]


def equilibrium(density, ux, uy):
    f = np.empty((9, *density.shape))
    square = 1.5 * (ux**2 + uy**2)
    for i in range(9):
        cu = 3.0 * (VELOCITIES[i, 0] * ux + VELOCITIES[i, 1] * uy)
        f[i] = WEIGHTS[i] * density * (1.0 + cu + 0.5 * cu**2 - square)
    return f


def moments(f):
    density = f.sum(axis=0)
    ux = (f[1] + f[5] + f[8] - f[3] - f[6] - f[7]) / density
    uy = (f[2] + f[5] + f[6] - f[4] - f[7] - f[8]) / density
    return density, ux, uy


def stream(f):
    for i in range(1, 9):
        f[i] = np.roll(f[i], tuple(VELOCITIES[i]), axis=(0, 1))


def bounce_back(f, solid):
    """Turn the populations in the solid round; the force on it along the stream."""
    inside = f[:, solid]
    force = 2.0 * np.sum(VELOCITIES[:, 0] * inside.sum(axis=1))
    f[:, solid] = inside[OPPOSITE]
    return force


def main():
    omega = 1.0 / (3.0 * SPEED * 2 * RADIUS / REYNOLDS + 0.5)
    x, y = np.meshgrid(np.arange(NX), np.arange(NY), indexing="ij")
    solid = (x - NX // 4) ** 2 + (y - NY // 2 - 1) ** 2 < RADIUS**2
    inflow = SPEED * (1.0 + 1e-3 * np.sin(2.0 * np.pi * np.arange(NY) / NY))
    ux = np.where(solid, 0.0, np.tile(inflow, (NX, 1)))
    f = equilibrium(np.ones((NX, NY)), ux, np.zeros((NX, NY)))
    inlet = f[:, 0, :].copy()
    drags = []
    for step in range(STEPS):
        f[[3, 6, 7], -1, :] = f[[3, 6, 7], -2, :]
        density, ux, uy = moments(f)
        collided = f - omega * (f - equilibrium(density, ux, uy))
        collided[:, solid] = f[:, solid]
        f = collided
        stream(f)
        f[:, 0, :] = inlet
        drags.append(bounce_back(f, solid))
        if step % 90 == 0:
            fastest = np.sqrt(np.where(solid, 0.0, ux**2 + uy**2)).max()
            print(f"step {step:4d}  drag {drags[-1]:.6f}  fastest {fastest:.5f}")
            if fastest > 0.5:
                print("too fast: unstable")
                break
    density, ux, uy = moments(f)
    vorticity = np.gradient(uy, axis=0) - np.gradient(ux, axis=1)
    print("mass", float(density.sum()).hex(), "drag", float(np.mean(drags)).hex())
    print("speeds", float(ux.sum()).hex(), float(uy.sum()).hex())
    print("vorticity", float(np.abs(vorticity[~solid]).sum()).hex())


if __name__ == "__main__":
    main()
