"""A cluster of stars under their gravity by direct summation and leapfrog (kick, drift, kick)."""
import numpy as np

STARS = 48
STEPS = 5000
DT = 0.002
SOFTENING = 0.05


def plummer(count):
    """Positions and velocities of a Plummer sphere (Aarseth, Henon and Wielen), centred."""
    radius = 1.0 / np.sqrt(np.random.uniform(0.05, 0.95, count) ** (-2.0 / 3.0) - 1.0)
    position = radius[:, None] * directions(count)
    speed = np.empty(count)
    for i in range(count):
        while True:
            q, g = np.random.rand(), 0.1 * np.random.rand()
            if g < q**2 * (1.0 - q**2) ** 3.5:
                break
        speed[i] = q * np.sqrt(2.0) * (1.0 + radius[i] ** 2) ** -0.25
    velocity = speed[:, None] * directions(count)
    return position - position.mean(axis=0), velocity - velocity.mean(axis=0)


def directions(count):
    v = np.random.normal(size=(count, 3))
    return v / np.linalg.norm(v, axis=1)[:, None]


def acceleration(position, mass):
    separation = position[None, :, :] - position[:, None, :]
    square = np.sum(separation**2, axis=2) + SOFTENING**2
    inverse_cube = square**-1.5
    np.fill_diagonal(inverse_cube, 0.0)
    return np.sum(separation * (mass * inverse_cube)[:, :, None], axis=1)


def energies(position, velocity, mass):
    kinetic = 0.5 * np.sum(mass * np.sum(velocity**2, axis=1))
    potential = 0.0
    for i in range(len(mass) - 1):
        separation = position[i + 1 :] - position[i]
        distance = np.sqrt((separation**2).sum(axis=1) + SOFTENING**2)
        potential -= mass[i] * np.sum(mass[i + 1 :] / distance)
    return kinetic, potential


def half_mass_radius(position, mass):
    radius = np.linalg.norm(position - np.average(position, axis=0, weights=mass), axis=1)
    order = np.argsort(radius)
    enclosed = np.cumsum(mass[order])
    return radius[order][np.searchsorted(enclosed, 0.5 * enclosed[-1])]


def main():
    np.random.seed(1687)
    mass = np.random.uniform(0.5, 1.5, STARS)
    mass /= mass.sum()
    position, velocity = plummer(STARS)
    start = sum(energies(position, velocity, mass))
    force = acceleration(position, mass)
    for step in range(STEPS):
        velocity += 0.5 * DT * force
        position += DT * velocity
        force = acceleration(position, mass)
        velocity += 0.5 * DT * force
        if step % 500 == 0:
            kinetic, potential = energies(position, velocity, mass)
            drift = abs((kinetic + potential - start) / start)
            radius = half_mass_radius(position, mass)
            print(f"t = {step * DT:6.3f}  virial {-2 * kinetic / potential:.5f}  "
                  f"half-mass radius {radius:.5f}  drift {drift:.2e}")
            if drift > 0.05:
                print("a close encounter spoiled the energy")
    kinetic, potential = energies(position, velocity, mass)
    print("energy", float(kinetic).hex(), float(potential).hex())
    spin = np.sum(mass[:, None] * np.cross(position, velocity), axis=0)
    print("angular momentum", [float(x).hex() for x in spin])
    print("first star", [float(x).hex() for x in position[0]], float(position.sum()).hex())


if __name__ == "__main__":
    main()
