"""Magnetisation of the two-dimensional Ising model by Metropolis' algorithm, spin by spin."""
import math
import random

import numpy as np

SIZE = 24
SWEEPS = 280
WARM_UP = 60


def energy_of(spins):
    """Energy of the periodic lattice, each bond counted once."""
    return -np.sum(spins * np.roll(spins, 1, axis=0)) - np.sum(spins * np.roll(spins, 1, axis=1))


def sweep(spins, factors):
    """One attempt per site on average; the change of the energy and the number of flips."""
    n = spins.shape[0]
    change = 0
    flips = 0
    for _ in range(n * n):
        i = random.randrange(n)
        j = random.randrange(n)
        neighbours = (
            spins[(i + 1) % n, j] + spins[i - 1, j] + spins[i, (j + 1) % n] + spins[i, j - 1]
        )
        cost = 2 * spins[i, j] * neighbours
        if cost <= 0 or random.random() < factors[cost]:
            spins[i, j] = -spins[i, j]
            change += cost
            flips += 1
    return change, flips


def simulate(temperature, spins):
    """Averages of |m|, of the energy and of its square per site, at one temperature."""
    factors = {cost: math.exp(-cost / temperature) for cost in (4, 8)}
    energy = energy_of(spins)
    magnetisations = []
    energies = []
    flips = 0
    for number in range(SWEEPS):
        change, flipped = sweep(spins, factors)
        energy += change
        flips += flipped
        if number >= WARM_UP:
            magnetisations.append(abs(spins.sum()) / spins.size)
            energies.append(energy / spins.size)
    if energy != energy_of(spins):
        print("the energy went astray:", energy, energy_of(spins))
    m = np.array(magnetisations)
    e = np.array(energies)
    heat = spins.size * e.var() / temperature**2
    return m.mean(), e.mean(), heat, flips


def main():
    random.seed(1953)
    spins = np.ones((SIZE, SIZE), dtype=np.int64)
    rows = []
    for temperature in (1.8, 2.269, 2.8):
        m, e, heat, flips = simulate(temperature, spins)
        rows.append((m, e, heat))
        print(f"T = {temperature:.3f}: |m| = {m:.4f}, e = {e:.4f}, c = {heat:.4f}, {flips} flips")
    table = np.array(rows)
    print("sums", [float(x).hex() for x in table.sum(axis=0)])
    numbers = np.arange(spins.size).reshape(spins.shape)
    print("last lattice", int(spins.sum()), int((spins * numbers).sum()))
    print("next random number", random.random().hex())


if __name__ == "__main__":
    main()
