"""Maxwell's equations (TM mode) on Yee's grid, with a point source and Mur's absorbing edges."""
import math

import numpy as np

NX, NY = 150, 130
STEPS = 2000
COURANT = 0.5


class Grid:
    """Fields on staggered points: ez at the corners, hx and hy at the middles of the edges."""

    def __init__(self, nx, ny):
        self.ez = np.zeros((nx, ny))
        self.hx = np.zeros((nx, ny - 1))
        self.hy = np.zeros((nx - 1, ny))
        self.permittivity = np.ones((nx, ny))
        self.conducting = np.zeros((nx, ny), dtype=bool)

    def add_cylinder(self, centre, radius, permittivity):
        i, j = np.indices(self.ez.shape)
        inside = (i - centre[0]) ** 2 + (j - centre[1]) ** 2 <= radius**2
        self.permittivity[inside] = permittivity

    def add_wall(self, column, gap):
        """A conducting wall with a slit in its middle."""
        middle = self.ez.shape[1] // 2
        self.conducting[column, :] = True
        self.conducting[column, middle - gap : middle + gap] = False

    def update_magnetic(self):
        self.hx -= COURANT * (self.ez[:, 1:] - self.ez[:, :-1])
        self.hy += COURANT * (self.ez[1:, :] - self.ez[:-1, :])

    def update_electric(self):
        curl = (self.hy[1:, 1:-1] - self.hy[:-1, 1:-1]) - (self.hx[1:-1, 1:] - self.hx[1:-1, :-1])
        before = self.ez.copy()
        self.ez[1:-1, 1:-1] += COURANT * curl / self.permittivity[1:-1, 1:-1]
        self.absorb(before)
        self.ez[self.conducting] = 0.0

    def absorb(self, before):
        """Mur's condition of first order at the four edges."""
        k = (COURANT - 1) / (COURANT + 1)
        self.ez[0, :] = before[1, :] + k * (self.ez[1, :] - before[0, :])
        self.ez[-1, :] = before[-2, :] + k * (self.ez[-2, :] - before[-1, :])
        self.ez[:, 0] = before[:, 1] + k * (self.ez[:, 1] - before[:, 0])
        self.ez[:, -1] = before[:, -2] + k * (self.ez[:, -2] - before[:, -1])

    def energy(self):
        electric = np.sum(self.permittivity * self.ez**2)
        return 0.5 * (electric + np.sum(self.hx**2) + np.sum(self.hy**2))


def ricker(step, delay=60, width=18.0):
    u = (step - delay) / width
    return (1.0 - 2.0 * u * u) * math.exp(-u * u)


def main():
    grid = Grid(NX, NY)
    grid.add_cylinder((100, 70), 18, 4.0)
    grid.add_wall(70, 9)
    signal = []
    for step in range(STEPS):
        grid.update_magnetic()
        grid.update_electric()
        if step < 200:
            grid.ez[30, 55] += ricker(step)
        signal.append(grid.ez[125, 66])
        if step % 200 == 0:
            energy = grid.energy()
            print(f"step {step:4d}  energy {energy:.6e}  peak {np.abs(grid.ez).max():.4e}")
            if not np.isfinite(energy):
                print("unstable")
                break
    signal = np.array(signal)
    print("detector: peak at step", int(np.argmax(np.abs(signal))), float(signal.sum()).hex())
    print("fields", [float(f.sum()).hex() for f in (grid.ez, grid.hx, grid.hy)])
    print("energy", float(grid.energy()).hex())


if __name__ == "__main__":
    main()
